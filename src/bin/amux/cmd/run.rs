//! `amux run`

use std::time::Duration;

use amux::{BackendKind, ErrorKind, Output, RunOptions, WhenBusy, WhenLate, Window};
use serde_json::{Value, json};

use crate::args::{Place, Run};
use crate::cmd::{Result, builder, exit_status, read_file};
use crate::output;
use crate::progress::Progress;
use crate::rest::Rest;

/// A shell may take this long to start, whatever `--timeout` says of the command.
pub(super) const STARTING: Duration = Duration::from_secs(30);

pub async fn run(place: &Place, args: Run) -> Result {
    let text = script(&args)?;
    let progress = Progress::start(args.window.name.clone());
    let (server, _) = builder(place)?.connect_or_start().await?;
    let window = server
        .session(&args.window.session)?
        .window(&args.window.name)?;
    let result = run_in(&window, &text, options(&args)).await;
    server.disconnect().await;
    let result = result?;
    drop(progress);
    // On a stock tmux what a command printed is kept by the process that ran it.
    let kept = server.backend() == BackendKind::Patched;
    print(place, &args, &result, kept)?;
    Ok(exit_status(&result.record, result.timed_out))
}

/// Returns the text to run.
pub(super) fn script(args: &Run) -> Result<String> {
    match &args.file {
        None if args.text.is_empty() => {
            Err("nothing to run: give -f SCRIPT, or a text behind --".into())
        }
        None => Ok(args.text.join(" ")),
        Some(path) => String::from_utf8(read_file(path)?)
            .map_err(|error| format!("read {}: {error}", path.display()).into()),
    }
}

/// Returns how to run it.
pub(super) fn options(args: &Run) -> RunOptions {
    let mut options = RunOptions::new();
    if let Some(limit) = args.timeout {
        options = options.timeout(limit).starting(limit.max(STARTING));
    }
    if args.kill {
        options = options.when_late(WhenLate::Kill);
    }
    if let Some(limit) = args.wait_idle {
        options = options.when_busy(WhenBusy::Wait(limit));
    }
    options.limits(args.limits.given())
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

pub(super) fn print(place: &Place, args: &Run, result: &Output, kept: bool) -> Result<()> {
    let bytes = match args.raw {
        true => result.raw.as_slice(),
        false => result.text.as_bytes(),
    };
    let rest = Rest {
        excerpt: &result.excerpt,
        place,
        window: &args.window,
        range: vec!["--id".to_owned(), result.id().to_string()],
        search: None,
        kept,
    };
    if args.json {
        let mut object = output::record(&result.record);
        object.insert("timed_out".to_owned(), json!(result.timed_out));
        if let Some(killed) = &result.killed {
            let value = json!({ "processes": killed.processes, "left": killed.left });
            object.insert("killed".to_owned(), value);
        }
        object.insert("missing".to_owned(), json!(result.missing));
        object.insert("output".to_owned(), json!(String::from_utf8_lossy(bytes)));
        rest.put(&mut object);
        // All of it would be what the limits are there against.
        if result.excerpt.is_whole() {
            output::put_raw(&mut object, &result.raw);
        }
        output::json(&Value::Object(object))?;
    } else {
        output::put(args.to.as_deref(), bytes)?;
        if result.missing > 0 {
            let missing = result.missing;
            output::complain(&format!(
                "the first {missing} bytes of the output are no longer kept"
            ));
        }
        rest.complain();
        complain_of_end(result);
    }
    Ok(())
}

/// Says what a status alone does not.
fn complain_of_end(result: &Output) {
    if let Some(killed) = &result.killed {
        let id = result.id();
        output::complain(&format!("timed out: command {id} was killed"));
        if !killed.left.is_empty() {
            output::complain(&format!(
                "processes that are still there: {:?}",
                killed.left
            ));
        }
    } else if let Some(signal) = result.record.signal() {
        let id = result.id();
        let name = output::signal_name(signal);
        output::complain(&format!("command {id} was ended by {name}"));
    }
}
