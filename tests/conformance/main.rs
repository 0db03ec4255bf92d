//! The conformance suite: one body, every tmux, every backend.
//!
//! Each case is written once against the public interface and runs for each target in [`targets`]. Trials are
//! named `<version>/<backend>/<topic>::<sentence>`, with `+process` behind the backend where commands do not go by
//! the server's socket but by processes of the tmux client. Each runs in a process of its own, with a home folder, a
//! folder for sockets and an environment of its own; what it leaves behind fails it.
//!
//! | variable | value |
//! |---|---|
//! | `AMUX_TEST_STRICT` | `1`: a target that is missing is a failure, and so is a trial left out for want of a program |
//! | `AMUX_TEST_TMUX` | a program to test instead of the built ones, or several; see tests/support/build.rs |
//! | `AMUX_TRANSPORT` | the one transport to test; both if not set |
//! | `AMUX_TEST_MATRIX` | a file for the table of results, topics by targets, that a run ends with |
//! | `AMUX_TEST_BASH` | the bash that windows run; the one in `PATH` if not set |
//! | `AMUX_TEST_BASH_PREEXEC` | the script of bash-preexec; its trials are left out without it |
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
    pub mod pty;
    pub mod stock;
}

mod busy;
mod case;
mod cases;
mod exception;
mod leftovers;
mod matrix;
mod person;
mod random;
mod runner;
mod targets;
mod tell;

fn main() -> ExitCode {
    runner::run(
        &targets::all(&targets::transports()),
        &cases::topics(),
        cases::exceptions::ALL,
        std::env::var_os("AMUX_TEST_MATRIX"),
    )
}
