//! Pitfalls of tmux, each provoked on a real one, and the controller that does not fall into it.
//!
//! Trials are named `<version>/<backend>/<topic>::<pitfall>`. Where it shows something, a trial first shows that
//! the pitfall is there: tmux, asked plainly, does the wrong thing. The targets, how a trial runs, and what it may
//! not leave behind, are those of tests/conformance.

use std::process::ExitCode;

/// What this suite shares with the others.
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

#[path = "../conformance/case.rs"]
#[allow(dead_code, reason = "a part of it is used here")]
mod case;
#[path = "../conformance/exception.rs"]
mod exception;
#[path = "../conformance/leftovers.rs"]
mod leftovers;
#[path = "../conformance/matrix.rs"]
mod matrix;
#[path = "../conformance/runner.rs"]
mod runner;
#[path = "../conformance/targets.rs"]
#[allow(dead_code, reason = "a part of it is used here")]
mod targets;
#[path = "../conformance/tell.rs"]
mod tell;

mod capture;
mod check;
mod ends;
mod environment;
mod input;
mod many;
mod modes;
mod names;
mod prompts;
mod reading;
mod recorded;
mod server;
mod tools;
mod watcher;
mod windows;

fn main() -> ExitCode {
    runner::run(
        &targets::all(&[amux::Transport::Socket]),
        &[
            server::TOPIC,
            ends::TOPIC,
            environment::TOPIC,
            windows::TOPIC,
            check::TOPIC,
            names::TOPIC,
            reading::TOPIC,
            input::TOPIC,
            modes::TOPIC,
            prompts::TOPIC,
            recorded::TOPIC,
            capture::TOPIC,
            many::TOPIC,
        ],
        &[],
        None,
    )
}
