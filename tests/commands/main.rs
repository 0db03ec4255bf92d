//! The commands write-pane and read-pane of tmux-custom, on each version that is built.
//!
//! Trials are named `<version>/<topic>::<sentence>`. tests/support/build.rs says which programs are taken.

use std::process::ExitCode;

#[path = "../support/mod.rs"]
mod support;

mod destinations;
mod draining;
mod formats;
mod limits;
mod lost;
mod many;
mod marks;
mod places;
mod reading;
mod refusing;
mod waiting;
mod writing;

fn main() -> ExitCode {
    support::raise_file_limit();
    support::run(&[
        waiting::TOPIC,
        lost::TOPIC,
        places::TOPIC,
        many::TOPIC,
        writing::TOPIC,
        refusing::TOPIC,
        reading::TOPIC,
        destinations::TOPIC,
        formats::TOPIC,
        marks::TOPIC,
        limits::TOPIC,
        draining::TOPIC,
    ])
}
