//! The cases, by topic. The doc comment of each names the case that it holds.

use crate::runner::Topic;

mod demo;
mod ends;
mod input;
mod marks;
mod output;
mod programs;
mod scripts;
mod status;
mod submitted;
mod target;

/// Lists the topics, those first whose trials take longest.
pub fn topics() -> Vec<Topic> {
    vec![
        scripts::TOPIC,
        input::TOPIC,
        submitted::TOPIC,
        status::TOPIC,
        ends::TOPIC,
        programs::TOPIC,
        marks::TOPIC,
        output::TOPIC,
        demo::TOPIC,
        target::TOPIC,
    ]
}
