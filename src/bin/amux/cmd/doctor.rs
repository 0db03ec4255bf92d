//! `amux doctor`

mod findings;

use amux::{ErrorKind, TerminalCheck, Transport};
use serde_json::{Value, json};

use crate::args::{Doctor, Place};
use crate::cmd::doctor::findings::Finding;
use crate::cmd::{Result, builder};
use crate::output;

pub async fn doctor(place: &Place, args: Doctor) -> Result {
    let programs = builder(place)?.programs().await?;
    let server = match builder(place)?.connect().await {
        Ok(server) => Some(server),
        Err(error) if *error.kind() == ErrorKind::NoServer => None,
        Err(error) => return Err(error.into()),
    };
    let check = match &server {
        Some(server) => server.check_terminals().await?,
        None => builder(place)?.check_terminals().await?,
    };
    let shell_name = programs.shell.as_str();
    let server_shell = match &server {
        Some(server) => server.shell().to_owned(),
        None => programs.shell_path.clone(),
    };
    let findings = findings::of(&check, &programs);
    if args.json {
        output::json(&json!({
            "amux": env!("CARGO_PKG_VERSION"),
            "tmux": programs.tmux.to_string_lossy(),
            "tmux_version": programs.tmux_version.to_string(),
            shell_name: programs.shell_path.to_string_lossy(),
            format!("{shell_name}_version"): programs.shell_version.to_string(),
            "server": server.map(|server| json!({
                "pid": server.pid(),
                "socket": server.socket().to_string_lossy(),
                "version": server.capabilities().version.to_string(),
                "backend": server.backend().as_str(),
                "transport": server.transport().as_str(),
                "shell": server_shell.to_string_lossy(),
                "files": server.runtime_folder().to_string_lossy(),
            })),
            "shell": json(&check),
            "findings": findings.iter().map(Finding::json).collect::<Vec<_>>(),
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
            "{shell_name:<7} {} ({})",
            programs.shell_path.display(),
            programs.shell_version
        ),
    ];
    match server {
        None => lines.push("server  not running".to_owned()),
        Some(server) => lines.extend([
            format!(
                "server  pid {}, tmux {}, backend {}, by {}",
                server.pid(),
                server.capabilities().version,
                server.backend().as_str(),
                match server.transport() {
                    Transport::Socket => "its socket",
                    _ => "the tmux client",
                }
            ),
            format!("socket  {}", server.socket().display()),
            format!("files   {}", server.runtime_folder().display()),
        ]),
    }
    for (n, line) in findings.iter().flat_map(Finding::lines).enumerate() {
        let label = if n == 0 { "startup" } else { "" };
        lines.push(format!("{label:<7} {line}"));
    }
    lines.push(format!("shell   {}", shell(&check)));
    output::line(&lines.join("\n"))?;
    Ok(0)
}

/// What the check of a shell found, and of its startup files.
fn json(check: &TerminalCheck) -> Value {
    let startup = &check.startup;
    json!({
        "good": check.is_good(),
        "answered": check.answered,
        "bracketed_paste": check.bracketed_paste,
        "integrated": check.integrated,
        "status": check.status,
        "pipe_statuses": check.pipe_statuses,
        "prompt_command": check.prompt_command,
        "seconds": check.took.as_secs_f64(),
        "bash_version": startup.bash_version,
        "files": startup.files.iter().map(|file| json!({
            "path": file.path.to_string_lossy(),
            "read": file.read,
        })).collect::<Vec<_>>(),
        "prompt_command_is": startup.prompt_command.as_str(),
        "tools": startup.tools.iter().map(|tool| tool.as_str()).collect::<Vec<_>>(),
        "debug_trap": startup.debug_trap,
        "nounset": startup.nounset,
        "errexit": startup.errexit,
        "readonly": startup.readonly,
        "integration": startup.integration.as_ref().map(|path| path.to_string_lossy()),
    })
}

/// What the check of a shell found, in a line.
fn shell(check: &TerminalCheck) -> String {
    if !check.answered {
        return "does not answer: see its startup files".to_owned();
    }
    let missing: Vec<_> = [
        (
            check.integrated,
            "the shell integration (a startup file replaces its hooks)",
        ),
        (check.bracketed_paste, "bracketed paste"),
        (check.status, "the exit status of commands"),
        (check.pipe_statuses, "the statuses of pipelines"),
    ]
    .into_iter()
    .filter_map(|(there, what)| (!there).then_some(what))
    .collect();
    match missing.is_empty() {
        true => "is as it must be".to_owned(),
        false => format!("lacks {}", missing.join(", ")),
    }
}
