//! `amux task run`

use amux::BackendKind;

use super::started;
use crate::args::{Place, Run};
use crate::cmd::run::{options, print, script};
use crate::cmd::{Result, exit_status};
use crate::progress::Progress;

pub async fn run(place: &Place, args: Run) -> Result {
    let script = script(&args)?;
    let progress = Progress::start(args.window.name.clone());
    let (server, task) = started(place, &args.window).await?;
    let result = task.run(&script, options(&args)).await;
    server.disconnect().await;
    let result = result?;
    drop(progress);
    let kept = server.backend() == BackendKind::Patched;
    print(place, &args, &result, kept)?;
    Ok(exit_status(&result.record, result.timed_out))
}
