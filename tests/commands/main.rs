//! The commands write-pane and read-pane of tmux-custom, on each version that is built.
//!
//! Trials are named `<version>/<topic>::<sentence>`. tests/support/build.rs says which programs are taken.

use std::process::ExitCode;

#[path = "../support/mod.rs"]
mod support;

mod audit;
mod destinations;
mod draining;
mod files;
mod formats;
mod identifying;
mod input;
mod keys;
mod limits;
mod lost;
mod malformed;
mod many;
mod marks;
mod panes;
mod places;
mod raw;
mod reading;
mod refusing;
mod upstream;
mod waiting;
mod writing;

fn main() -> ExitCode {
    support::raise_file_limit();
    support::run(&[
        waiting::TOPIC,
        lost::TOPIC,
        identifying::TOPIC,
        malformed::TOPIC,
        places::TOPIC,
        many::TOPIC,
        writing::TOPIC,
        input::TOPIC,
        refusing::TOPIC,
        keys::TOPIC,
        reading::TOPIC,
        destinations::TOPIC,
        formats::TOPIC,
        marks::TOPIC,
        upstream::TOPIC,
        limits::TOPIC,
        draining::TOPIC,
        files::TOPIC,
        panes::TOPIC,
        audit::TOPIC,
    ])
}
