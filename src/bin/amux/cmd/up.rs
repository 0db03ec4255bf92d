//! `amux up`

use std::io::{IsTerminal, stdin, stdout};

use amux::{LayerUp, RunningProgram, Server};
use serde_json::json;

use crate::args::Up;
use crate::cmd::{Result, layer};
use crate::output;

pub async fn up(args: Up) -> Result {
    let all = Server::builder().layer(args.which).up().await?;
    if args.json {
        let all: Vec<_> = all.iter().map(object).collect();
        output::json(&json!(all))?;
    } else {
        for one in &all {
            output::line(&line(one))?;
        }
    }
    for one in &all {
        if let Some(warning) = warning(one) {
            output::complain(&warning);
        }
    }
    let attaches = !args.detached && !args.json && stdin().is_terminal() && stdout().is_terminal();
    match attaches {
        true => layer::attach(args.which),
        false => Ok(0),
    }
}

fn object(one: &LayerUp) -> serde_json::Value {
    json!({
        "layer": one.layer.name(),
        "pid": one.pid,
        "version": one.version.to_string(),
        "started": one.started,
        "configuration": one.configuration,
        "users_configuration": one.is_users,
        "program": one.program.as_str(),
    })
}

fn line(one: &LayerUp) -> String {
    format!(
        "{}  {}  pid {}  tmux {}  {}  {}",
        one.layer,
        match one.started {
            true => "started",
            false => "runs",
        },
        one.pid,
        one.version,
        match one.is_users {
            true => "your",
            false => "shipped",
        },
        one.configuration
    )
}

/// What is said of a server whose program an update has replaced. It goes on:
/// what runs in it is worth more.
fn warning(one: &LayerUp) -> Option<String> {
    let (layer, command) = (one.layer, one.layer.command_name());
    match one.program {
        RunningProgram::Older => Some(format!(
            "{layer} runs an older tmux than is installed, and goes on; to replace it, \
             with all that runs in it: amux {command} kill-server; amux up {layer}"
        )),
        RunningProgram::Other => Some(format!(
            "{layer} runs another tmux than is found now, and goes on"
        )),
        _ => None,
    }
}
