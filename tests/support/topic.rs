//! Trials by topic, run for each tmux program.

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

use super::build::{self, Build};

/// A sentence, and what must hold for every program.
pub type Sentence = (&'static str, fn(&Build));

/// Trials about one subject.
#[derive(Debug)]
pub struct Topic {
    /// The subject, one word.
    pub name: &'static str,
    /// What is tried.
    pub trials: &'static [Sentence],
    /// A sentence that cannot hold for a sanitized program, and why.
    pub not_sanitized: &'static [(&'static str, &'static str)],
}

/// Makes the topic of a file from its functions, whose names are the sentences.
macro_rules! topic {
    (
        $name:literal: $($trial:ident),* $(,)?
        $(; not sanitized: $not:ident, $reason:literal)* $(;)?
    ) => {
        /// The trials of this file.
        pub const TOPIC: crate::support::Topic = crate::support::Topic {
            name: $name,
            trials: &[$((stringify!($trial), $trial)),*],
            not_sanitized: &[$((stringify!($not), $reason)),*],
        };
    };
}
pub(crate) use topic;

/// Runs the topics for each program: `<version>/<topic>::<sentence>`.
///
/// A version that is missing is listed as ignored, with the reason; with `AMUX_TEST_STRICT=1` it fails.
pub fn run(topics: &[Topic]) -> ExitCode {
    let mut trials = Vec::new();
    for (name, found) in build::all() {
        match found {
            Ok(build) => {
                for topic in topics {
                    let all = topic.trials.iter();
                    trials.extend(all.map(|trial| one(&build, topic, *trial)));
                }
            }
            Err(reason) => {
                let missing = reason.clone();
                trials.push(
                    Trial::test(format!("{name}/is_there"), move || {
                        Err(Failed::from(missing))
                    })
                    .with_kind(reason)
                    .with_ignored_flag(!build::strict()),
                );
            }
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn one(build: &Build, topic: &Topic, (sentence, body): Sentence) -> Trial {
    let name = format!("{}/{}::{sentence}", build.name, topic.name);
    let run = build.clone();
    let trial = Trial::test(name, move || {
        body(&run);
        Ok(())
    });
    let mut cannot = topic.not_sanitized.iter();
    match cannot.find(|(found, _)| build.sanitized && *found == sentence) {
        Some((_, reason)) => trial.with_kind(*reason).with_ignored_flag(true),
        None => trial,
    }
}
