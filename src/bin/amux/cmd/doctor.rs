//! `amux doctor`

use amux::ErrorKind;
use serde_json::json;

use crate::args::{Doctor, Place};
use crate::cmd::{Result, builder};
use crate::output;

pub async fn doctor(place: &Place, args: Doctor) -> Result {
    let programs = builder(place).programs().await?;
    let server = match builder(place).connect().await {
        Ok(server) => Some(server),
        Err(error) if *error.kind() == ErrorKind::NoServer => None,
        Err(error) => return Err(error.into()),
    };
    if args.json {
        output::json(&json!({
            "amux": env!("CARGO_PKG_VERSION"),
            "tmux": programs.tmux.to_string_lossy(),
            "tmux_version": programs.tmux_version.to_string(),
            "bash": programs.bash.to_string_lossy(),
            "bash_version": programs.bash_version.to_string(),
            "server": server.map(|server| json!({
                "pid": server.pid(),
                "socket": server.socket().to_string_lossy(),
                "version": server.capabilities().version.to_string(),
                "backend": server.backend_name(),
                "transport": "process",
                "files": server.runtime_folder().to_string_lossy(),
            })),
        }))?;
        return Ok(0);
    }
    let mut lines = vec![
        format!("amux    {}", env!("CARGO_PKG_VERSION")),
        format!(
            "tmux    {} ({})",
            programs.tmux.display(),
            programs.tmux_version
        ),
        format!(
            "bash    {} ({})",
            programs.bash.display(),
            programs.bash_version
        ),
    ];
    match server {
        None => lines.push("server  not running".to_owned()),
        Some(server) => lines.extend([
            format!(
                "server  pid {}, tmux {}, backend {}, by the tmux client",
                server.pid(),
                server.capabilities().version,
                server.backend_name()
            ),
            format!("socket  {}", server.socket().display()),
            format!("files   {}", server.runtime_folder().display()),
        ]),
    }
    output::line(&lines.join("\n"))?;
    Ok(0)
}
