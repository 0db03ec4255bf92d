//! What is tested: a tmux program and the backend that drives it.

use std::path::PathBuf;

use crate::support::build;

/// What a target must be able to do.
///
/// Written by hand: a probe that finds less than there is would else shrink the suite unseen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    pub write_pane: bool,
    pub read_pane: bool,
}

/// A tmux program and the backend that drives it.
#[derive(Clone, Debug)]
pub struct Target {
    /// The version of tmux, such as `3.5a`.
    pub version: String,
    /// The backend's name: `patched`.
    pub backend: &'static str,
    /// The program.
    pub binary: PathBuf,
    /// What it must be able to do.
    pub expected: Expected,
}

/// A target, or the reason why there is none.
pub struct Found {
    /// `<version>/<backend>`.
    pub name: String,
    pub target: Result<Target, String>,
}

/// Lists every target that the suite knows.
pub fn all() -> Vec<Found> {
    // A sanitized program is for the tests of the commands: it is slower than some of the waits here allow.
    build::all()
        .into_iter()
        .filter(|(_, build)| !build.as_ref().is_ok_and(|build| build.sanitized))
        .map(|(version, build)| {
            let backend = "patched";
            Found {
                name: format!("{version}/{backend}"),
                target: build.map(|build| Target {
                    version,
                    backend,
                    binary: build.program,
                    expected: Expected {
                        write_pane: true,
                        read_pane: true,
                    },
                }),
            }
        })
        .collect()
}
