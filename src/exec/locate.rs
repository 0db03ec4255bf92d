//! Where the programs are.

use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::Instant;

use crate::error::{Error, ErrorKind, Result};
use crate::exec::process::{self, Job};

/// Name of the patched tmux, and of a stock one.
const TMUX_CUSTOM: &str = "tmux-custom";
const TMUX: &str = "tmux";

/// Path of the `tmux-custom` that was built with this crate; `None` where none
/// was. It may have gone since.
pub const BUILT_TMUX: Option<&str> = option_env!("AMUX_BUILT_TMUX");

/// How long a program may take to tell its version.
const VERSION_LIMIT: Duration = Duration::from_secs(10);

/// Finds a tmux: the path in `AMUX_TMUX`; else `tmux-custom` beside the program
/// that runs (where `amux install` puts it), the one that this crate built, or
/// the one in `PATH`; else the stock `tmux` in `PATH`.
///
/// # Errors
///
/// [`ErrorKind::BinaryNotFound`].
pub fn find_tmux() -> Result<PathBuf> {
    if let Some(path) = env::var_os("AMUX_TMUX").filter(|path| !path.is_empty()) {
        let path = PathBuf::from(path);
        return match path.is_file() {
            true => Ok(path),
            false => Err(not_found("find tmux")
                .on(path.display())
                .because("AMUX_TMUX names no file")),
        };
    }
    beside_this_program()
        .into_iter()
        .chain(BUILT_TMUX.map(PathBuf::from))
        .find(|path| path.is_file())
        .or_else(|| in_path(TMUX_CUSTOM))
        .or_else(|| in_path(TMUX))
        .ok_or_else(|| {
            not_found("find tmux")
                .on(TMUX_CUSTOM)
                .because("it is neither built, nor beside amux, nor in PATH, and there is no tmux")
        })
}

/// Finds a shell in `PATH`.
pub(crate) fn find_shell(name: &str) -> Result<PathBuf> {
    in_path(name).ok_or_else(|| {
        not_found("find shell")
            .on(name)
            .because("it is not in PATH")
    })
}

/// Runs a program with one argument and returns what it prints of its version.
pub(crate) async fn version_text(
    op: &'static str,
    program: &Path,
    argument: &str,
) -> Result<String> {
    let job = Job {
        program: program.to_owned(),
        arguments: vec![argument.into()],
        environment: Vec::new(),
        stdin: None,
        deadline: Some(Instant::now() + VERSION_LIMIT),
    };
    let finished = process::run(job).await.map_err(|failure| match failure {
        process::Failure::Spawn(error) | process::Failure::Io(error) => {
            Error::new(ErrorKind::BinaryNotFound, op).caused_by(error)
        }
        process::Failure::Deadline | process::Failure::TooMuchOutput => {
            Error::new(ErrorKind::Timeout, op)
        }
    });
    let finished = finished.map_err(|error| error.on(program.display()))?;
    Ok(String::from_utf8_lossy(&finished.stdout).into_owned())
}

fn beside_this_program() -> Option<PathBuf> {
    Some(env::current_exe().ok()?.parent()?.join(TMUX_CUSTOM))
}

/// Looks a program up as a shell does, by absolute folders alone.
fn in_path(name: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    env::split_paths(&env::var_os("PATH")?)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|path| {
            path.metadata()
                .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
        })
}

fn not_found(op: &'static str) -> Error {
    Error::new(ErrorKind::BinaryNotFound, op)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_in_path() {
        assert!(in_path("sh").is_some_and(|path| path.is_absolute()));
        assert_eq!(in_path("no-program-has-this-name"), None);
    }

    #[tokio::test]
    async fn version_of_a_missing_program_is_an_error() {
        let error = version_text("ask", Path::new("/nonexistent"), "-V").await;
        assert_eq!(*error.unwrap_err().kind(), ErrorKind::BinaryNotFound);
    }
}
