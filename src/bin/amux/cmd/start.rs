//! `amux start`

use serde_json::json;

use crate::args::{Place, Start};
use crate::cmd::{Result, builder};
use crate::output;

pub async fn start(place: &Place, args: Start) -> Result {
    let (server, started) = builder(place)?.connect_or_start().await?;
    if args.json {
        output::json(&json!({
            "pid": server.pid(),
            "socket": server.socket().to_string_lossy(),
            "started": started,
        }))?;
    }
    Ok(0)
}
