//! A tmux server for each trial, clients of every kind, and waiting for facts.
//!
//! Shared by the suites that drive real tmux programs. Nothing here sleeps to let something happen: every
//! wait is for a fact, has a deadline, and shows on failure what was there instead.

#![allow(dead_code, reason = "each suite uses a part of it")]

pub mod build;
pub mod client;
pub mod control;
pub mod deadline;
pub mod folder;
pub mod gate;
pub mod pane;
pub mod pty;
pub mod sanitizer;
pub mod server;
pub mod terminal;
pub mod topic;

pub use build::Build;
pub use client::Client;
pub use control::Control;
pub use gate::Gate;
pub use pane::Pane;
pub use server::{Server, Setup};
pub use terminal::Terminal;
pub use topic::{Topic, run};

/// Lets this process and those that it starts have as many files open as they may.
///
/// A server has one for each client, and the usual limit is 1,024.
pub fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    // Without the right to raise it, it stays: what then does not fit says so itself.
    let _ = setrlimit(
        Resource::Nofile,
        Rlimit {
            current: limit.maximum,
            maximum: limit.maximum,
        },
    );
}
