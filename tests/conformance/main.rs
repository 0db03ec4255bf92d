//! The conformance suite: one body, every tmux, every backend.
//!
//! Each case is written once against the public interface and runs for each target in [`targets`]. Trials are
//! named `<version>/<backend>/<topic>::<sentence>`. Each runs in a process of its own, with a home folder, a
//! folder for sockets and an environment of its own; what it leaves behind fails it.
//!
//! | variable | value |
//! |---|---|
//! | `AMUX_TEST_STRICT` | `1`: a target that is missing is a failure |
//! | `AMUX_TEST_TMUX` | programs to test instead of the built ones, see tests/support/build.rs |
//! | `AMUX_TEST_SCRIPTS` | how many random scripts run for each target; 60 if not set |
//! | `AMUX_TEST_SEED` | seed of the random scripts; chosen and printed if not set |

use std::process::ExitCode;

/// What this suite shares with those that drive tmux itself.
#[path = "../support"]
mod support {
    #![allow(dead_code, reason = "a part of it is used here")]
    pub mod build;
    pub mod client;
    pub mod deadline;
    pub mod folder;
}

mod busy;
mod case;
mod cases;
mod leftovers;
mod person;
mod random;
mod runner;
mod targets;
mod tell;

fn main() -> ExitCode {
    runner::run(&targets::all(), &cases::topics())
}
