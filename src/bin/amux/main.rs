//! The command `amux`: the library for the shell.

mod args;
mod cmd;
mod output;
mod progress;
mod rest;

use std::error::Error;
use std::process::ExitCode;

use clap::Parser;

use args::Args;

/// Exit status of a command that did not end in the time given, as `timeout`
/// has it.
const TIMED_OUT: u8 = 124;

/// Exit status of a failure of amux itself.
const FAILED: u8 = 125;

fn main() -> ExitCode {
    if let Some((layer, words)) = cmd::layer::called(std::env::args_os()) {
        return exit(cmd::layer::pass(layer, words));
    }
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return usage(&error),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let result = match runtime {
        Ok(runtime) => runtime.block_on(cmd::dispatch(args)),
        Err(error) => Err(error.into()),
    };
    exit(result)
}

fn exit(result: cmd::Result) -> ExitCode {
    match result {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            output::complain(&chain(&*error));
            ExitCode::from(FAILED)
        }
    }
}

/// Prints help where it was asked for; bad usage in one line.
fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // Help that nobody reads is no failure.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.render().to_string();
    let lines: Vec<_> = text
        .lines()
        .take_while(|line| !line.trim().is_empty())
        .map(str::trim)
        .collect();
    let line = lines.join(" ");
    let line = line.strip_prefix("error: ").unwrap_or(&line);
    output::complain(&format!("{line} (see amux --help)"));
    ExitCode::from(FAILED)
}

/// Joins an error and its causes by `: `.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
