//! `amux task`

mod done;
mod ls;
mod run;
mod watch;

use amux::{Output, Server, Task, TaskName};
use serde_json::{Map, Value, json};

use crate::args::{self, Place};
use crate::cmd::{Result, builder};
use crate::output;

pub async fn task(place: &Place, args: args::task::Task) -> Result {
    match args {
        args::task::Task::Run(args) => run::run(place, args).await,
        args::task::Task::Watch(args) => watch::watch(place, args).await,
        args::task::Task::Done(args) => done::done(place, args).await,
        args::task::Task::Ls(args) => ls::ls(place, args).await,
    }
}

/// Starts the server, unless it runs, and returns the task that is meant. A name
/// that is none starts nothing.
async fn started(place: &Place, window: &args::Window) -> Result<(Server, Task)> {
    TaskName::new(&window.name)?;
    let (server, _) = builder(place)?.connect_or_start().await?;
    let task = server.session(&window.session)?.task(&window.name)?;
    Ok((server, task))
}

/// Connects to the server that runs, and returns the task that is meant.
async fn found(place: &Place, window: &args::Window) -> Result<(Server, Task)> {
    TaskName::new(&window.name)?;
    let server = builder(place)?.connect().await?;
    let task = server.session(&window.session)?.task(&window.name)?;
    Ok((server, task))
}

/// Returns what came of a command, whole.
fn object(result: &Output) -> Map<String, Value> {
    let mut object = output::record(&result.record);
    object.insert("timed_out".to_owned(), json!(result.timed_out));
    object.insert("missing".to_owned(), json!(result.missing));
    object.insert("output".to_owned(), json!(result.text));
    output::put_raw(&mut object, &result.raw);
    object
}
