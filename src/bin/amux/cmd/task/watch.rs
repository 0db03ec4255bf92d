//! `amux task watch`

use amux::{ErrorKind, RunOptions};
use serde_json::json;

use super::{found, object, started};
use crate::FAILED;
use crate::args::Place;
use crate::args::task::Watch;
use crate::cmd::Result;
use crate::cmd::run::STARTING;
use crate::output;

pub async fn watch(place: &Place, args: Watch) -> Result {
    let text = (!args.text.is_empty()).then(|| args.text.join(" "));
    let (server, task) = match &text {
        Some(_) => started(place, &args.window).await?,
        None => found(place, &args.window).await?,
    };
    let options = RunOptions::new().timeout(args.settle).starting(STARTING);
    let result = task.watch(text.as_deref(), options).await;
    server.disconnect().await;
    let error = match result {
        Ok(watch) => {
            let name = watch.name().as_str();
            match args.json {
                true => output::json(&json!({ "name": name, "session": watch.session() }))?,
                false => output::line(name)?,
            }
            return Ok(0);
        }
        Err(error) => error,
    };
    // What ended at once says why on its output.
    if let ErrorKind::NothingToWatch {
        output: Some(result),
    } = error.kind()
    {
        match args.json {
            true => output::json(&object(result).into())?,
            false => output::bytes(result.text.as_bytes())?,
        }
        output::complain(&error.to_string());
        return Ok(FAILED);
    }
    Err(error.into())
}
