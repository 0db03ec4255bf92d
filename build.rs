//! Builds `tmux-custom` and the stream engine. No step uses the network.
//!
//! `build/config.rs` has the table of the variables that steer it, `build/steps.rs` the steps and
//! what they hand to the crate.

use std::process::ExitCode;

#[path = "build/check.rs"]
mod check;
#[path = "build/config.rs"]
mod config;
#[path = "build/engine.rs"]
mod engine;
#[path = "build/error.rs"]
mod error;
#[path = "build/install.rs"]
mod install;
#[path = "build/make.rs"]
mod make;
#[path = "build/overlay.rs"]
mod overlay;
#[path = "build/packages.rs"]
mod packages;
#[path = "build/protocol.rs"]
mod protocol;
#[path = "build/releases.rs"]
mod releases;
#[path = "build/run.rs"]
mod run;
#[path = "build/series.rs"]
mod series;
#[path = "build/steps.rs"]
mod steps;
#[path = "build/tarball.rs"]
mod tarball;
#[path = "build/tree.rs"]
mod tree;

fn main() -> ExitCode {
    match steps::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            for line in error.lines() {
                println!("cargo::error={line}");
            }
            ExitCode::FAILURE
        }
    }
}
