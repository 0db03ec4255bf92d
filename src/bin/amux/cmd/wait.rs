//! `amux wait`

use amux::ErrorKind;
use serde_json::Value;

use crate::TIMED_OUT;
use crate::args::{Place, Wait};
use crate::cmd::{Result, exit_status, with_window};
use crate::output;
use crate::progress::Progress;

pub async fn wait(place: &Place, args: Wait) -> Result {
    let waited = with_window(place, &args.window, async |window| {
        let _progress = Progress::start(args.window.name.clone());
        Ok(window.wait(args.id, args.timeout).await)
    })
    .await?;
    let record = match waited {
        Ok(Some(record)) => record,
        Ok(None) => return Err("no command to wait for".into()),
        // A server that does not answer is a failure, and no time that is over.
        Err(error) if *error.kind() == ErrorKind::Timeout && error.operation() == "wait in" => {
            output::complain(&error.to_string());
            return Ok(TIMED_OUT);
        }
        Err(error) => return Err(error.into()),
    };
    if args.json {
        output::json(&Value::Object(output::record(&record)))?;
    }
    Ok(exit_status(&record, false))
}
