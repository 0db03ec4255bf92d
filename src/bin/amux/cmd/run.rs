//! `amux run`

use std::time::Duration;

use amux::{ErrorKind, Output, RunOptions, WhenBusy, Window};
use serde_json::{Value, json};

use crate::args::{Place, Run};
use crate::cmd::{Result, builder, exit_status, read_file};
use crate::output;
use crate::progress::Progress;

/// A shell may take this long to start, whatever `--timeout` says of the command.
const STARTING: Duration = Duration::from_secs(30);

pub async fn run(place: &Place, args: Run) -> Result {
    let text = match &args.file {
        None if args.text.is_empty() => {
            return Err("nothing to run: give -f SCRIPT, or a text behind --".into());
        }
        None => args.text.join(" "),
        Some(path) => String::from_utf8(read_file(path)?)
            .map_err(|error| format!("read {}: {error}", path.display()))?,
    };
    let progress = Progress::start(args.window.name.clone());
    let (server, _) = builder(place).connect_or_start().await?;
    let window = server
        .session(&args.window.session)?
        .window(&args.window.name)?;
    let mut options = RunOptions::new();
    if let Some(limit) = args.timeout {
        options = options.timeout(limit).starting(limit.max(STARTING));
    }
    if let Some(limit) = args.wait_idle {
        options = options.when_busy(WhenBusy::Wait(limit));
    }
    let result = run_in(&window, &text, options).await?;
    drop(progress);
    print(&args, &result)?;
    Ok(exit_status(&result.record, result.timed_out))
}

/// Runs the text; creates the window where it is missing, which is found out by
/// trying: mostly it is there.
async fn run_in(window: &Window, text: &str, options: RunOptions) -> amux::Result<Output> {
    match window.run(text, options.clone()).await {
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::WindowNotFound | ErrorKind::SessionNotFound
            ) =>
        {
            window.ensure().await?;
            window.run(text, options).await
        }
        result => result,
    }
}

fn print(args: &Run, result: &Output) -> Result<()> {
    let bytes = match args.raw {
        true => result.raw.as_slice(),
        false => result.text.as_bytes(),
    };
    if args.json {
        let mut object = output::record(&result.record);
        object.insert("timed_out".to_owned(), json!(result.timed_out));
        object.insert("missing".to_owned(), json!(result.missing));
        object.insert("output".to_owned(), json!(String::from_utf8_lossy(bytes)));
        output::put_raw(&mut object, &result.raw);
        output::json(&Value::Object(object))?;
    } else {
        output::bytes(bytes)?;
        if result.missing > 0 {
            let missing = result.missing;
            output::complain(&format!(
                "the first {missing} bytes of the output are no longer kept"
            ));
        }
    }
    Ok(())
}
