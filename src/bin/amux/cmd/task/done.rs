//! `amux task done`

use amux::{ErrorKind, Output, RunOptions, WhenBusy};
use serde_json::json;

use super::{found, object};
use crate::args::Place;
use crate::args::task::Done;
use crate::cmd::{Result, exit_status};
use crate::output;
use crate::progress::Progress;

pub async fn done(place: &Place, args: Done) -> Result {
    let progress = Progress::start(args.window.name.clone());
    let (server, task) = found(place, &args.window).await?;
    let mut options = RunOptions::new();
    if let Some(limit) = args.timeout {
        options = options.timeout(limit);
    }
    if let Some(limit) = args.wait_idle {
        options = options.when_busy(WhenBusy::Wait(limit));
    }
    let result = task.done(&args.verification.join(" "), options).await;
    server.disconnect().await;
    drop(progress);
    let error = match result {
        Ok(result) => {
            print(&args, &result, true)?;
            return Ok(0);
        }
        Err(error) => error,
    };
    match error.kind() {
        ErrorKind::Unverified { output: result } => {
            print(&args, result, false)?;
            output::complain(&error.to_string());
            Ok(exit_status(&result.record, result.timed_out))
        }
        _ => Err(error.into()),
    }
}

fn print(args: &Done, result: &Output, closed: bool) -> Result<()> {
    if args.json {
        let mut object = object(result);
        object.insert("closed".to_owned(), json!(closed));
        output::json(&object.into())?;
    } else {
        output::bytes(result.text.as_bytes())?;
    }
    Ok(())
}
