//! `amux ls`

use amux::{ErrorKind, WindowInfo};
use serde_json::{Value, json};

use crate::args::{Ls, Place};
use crate::cmd::{Result, builder};
use crate::output;

pub async fn ls(place: &Place, args: Ls) -> Result {
    let windows = match builder(place)?.connect().await {
        Ok(server) => server.windows().await?,
        // No server has no windows.
        Err(error) if *error.kind() == ErrorKind::NoServer => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    if args.json {
        let windows: Vec<_> = windows.iter().map(object).collect();
        output::json(&json!(windows))?;
    } else {
        output::bytes(table(&windows).as_bytes())?;
    }
    Ok(0)
}

fn object(window: &WindowInfo) -> Value {
    let mut object = output::state(&window.state);
    object.insert("session".to_owned(), json!(window.session));
    object.insert("name".to_owned(), json!(window.name));
    Value::Object(object)
}

/// Name, state, foreground program and last status, in columns. A window of the
/// default session goes by its own name.
fn table(windows: &[WindowInfo]) -> String {
    let rows: Vec<[String; 4]> = windows
        .iter()
        .map(|window| {
            let status = window.state.last_status;
            [
                match window.session.as_str() {
                    amux::DEFAULT_SESSION => window.name.clone(),
                    session => format!("{session}:{}", window.name),
                },
                window.state.activity.to_string(),
                window.state.foreground.clone(),
                status.map_or("-".to_owned(), |status| status.to_string()),
            ]
        })
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths = [0, 1, 2].map(|column| width(column).unwrap_or_default());
    rows.iter()
        .map(|[name, state, program, status]| {
            format!(
                "{name:0$}  {state:1$}  {program:2$}  {status}\n",
                widths[0], widths[1], widths[2]
            )
        })
        .collect()
}
