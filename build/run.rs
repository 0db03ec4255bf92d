//! Runs programs: what they print is kept, and a failure tells the whole command line.

use std::io::{ErrorKind, Write};
use std::process::{Command, Output, Stdio};

use crate::error::{Error, Result};
use crate::packages;

/// Variables by which a make around us, or a login shell, would reach into the builds of tmux.
///
/// `make test` runs Cargo: without this, what was given to that make (`PREFIX=…`, `-n`) would
/// reach tmux's own Makefile. Flags of the compiler come from the configuration alone.
const REMOVED: [&str; 10] = [
    "MAKEFLAGS",
    "MFLAGS",
    "GNUMAKEFLAGS",
    "MAKELEVEL",
    "MAKEOVERRIDES",
    "MAKEFILES",
    "CONFIG_SITE",
    "CFLAGS",
    "CPPFLAGS",
    "LIBS",
];

/// Returns a command that prints in English, reads nothing, and sees nothing of a make around us.
pub fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).env("LC_ALL", "C");
    for name in REMOVED {
        command.env_remove(name);
    }
    command
}

/// Runs a command to its end and returns what it printed; it may have failed.
pub fn output(command: &mut Command) -> Result<Output> {
    command.output().map_err(|error| {
        let program = command.get_program().to_string_lossy().into_owned();
        if error.kind() == ErrorKind::NotFound {
            packages::missing_program(&program)
        } else {
            Error::new(format!("cannot run {program}: {error}"))
        }
    })
}

/// Runs a command that must succeed; where it fails, shows what it printed.
pub fn succeed(command: &mut Command) -> Result<Output> {
    let output = output(command)?;
    if output.status.success() {
        return Ok(output);
    }
    show(&output);
    Err(failure(command, &output))
}

/// Returns the error of a command that failed, with the end of what it printed.
pub fn failure(command: &Command, output: &Output) -> Error {
    // patch tells its failures on standard output, the others on standard error.
    let printed = if output.stderr.is_empty() {
        &output.stdout
    } else {
        &output.stderr
    };
    let program = command.get_program().to_string_lossy();
    Error::new(format!("{program} failed ({})", output.status))
        .help(tail(&String::from_utf8_lossy(printed), 12))
        .help(format!("the command was: {}", line(command)))
}

/// Copies what a command printed to standard error, which Cargo shows where the build fails.
///
/// Not to standard output: Cargo takes lines there for orders.
pub fn show(output: &Output) {
    let mut stderr = std::io::stderr().lock();
    // Where standard error is gone, nobody reads this anyway.
    let _ = stderr.write_all(&output.stdout);
    let _ = stderr.write_all(&output.stderr);
}

/// Returns the last lines of a text.
pub fn tail(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

/// Returns a command as one would type it, near enough.
fn line(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|word| {
        let word = word.to_string_lossy();
        if word.contains([' ', '$', '(']) {
            format!("'{word}'")
        } else {
            word.into_owned()
        }
    }));
    let folder = command
        .get_current_dir()
        .map(|folder| format!(" in {}", folder.display()));
    format!("{}{}", words.join(" "), folder.unwrap_or_default())
}
