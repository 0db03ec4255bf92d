//! The cases, by topic. The doc comment of each names the case that it holds.

use crate::runner::Topic;

mod audit;
mod contract;
mod demo;
mod differences;
mod ends;
pub mod exceptions;
mod fish;
mod formats;
mod input;
mod kinds;
mod limits;
mod marks;
mod output;
mod parts;
mod programs;
mod scripts;
mod startup;
mod status;
mod stream;
mod submitted;
mod target;
mod tasks;
mod zsh;

/// Lists the topics, those first whose trials take longest.
pub fn topics() -> Vec<Topic> {
    vec![
        scripts::TOPIC,
        input::TOPIC,
        submitted::TOPIC,
        status::TOPIC,
        tasks::TOPIC,
        audit::TOPIC,
        contract::TOPIC,
        ends::TOPIC,
        programs::TOPIC,
        startup::TOPIC,
        zsh::TOPIC,
        fish::TOPIC,
        limits::TOPIC,
        kinds::TOPIC,
        formats::TOPIC,
        marks::TOPIC,
        output::TOPIC,
        parts::TOPIC,
        stream::TOPIC,
        differences::TOPIC,
        demo::TOPIC,
        target::TOPIC,
    ]
}
