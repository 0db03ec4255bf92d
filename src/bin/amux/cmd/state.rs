//! `amux state`

use serde_json::Value;

use crate::args::{Place, State};
use crate::cmd::{Result, window};
use crate::output;

pub async fn state(place: &Place, args: State) -> Result {
    let state = window(place, &args.window).await?.state().await?;
    if args.json {
        output::json(&Value::Object(output::state(&state)))?;
        return Ok(0);
    }
    let mut lines = vec![
        format!("state       {}", state.activity),
        format!("input       {}", state.input),
        format!("foreground  {}", state.foreground),
    ];
    if let Some(status) = state.last_status {
        lines.push(format!("last status {status}"));
    }
    if let Some(id) = state.command {
        let ran = state.duration.map_or(String::new(), |duration| {
            format!(", {:.3} s", duration.as_secs_f64())
        });
        lines.push(format!("command     {id}{ran}"));
    }
    lines.push(format!("unread      {} bytes", state.unread));
    if !state.integrated {
        lines.push("marks       none from this shell".to_owned());
    }
    output::line(&lines.join("\n"))?;
    Ok(0)
}
