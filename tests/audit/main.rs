//! The audit log as people read it: a real journald, and `amux log`.
//!
//! `<target>::the_journal_has_what_was_done` starts a journald of its own, which takes root; elsewhere it is
//! listed as ignored, with the reason.

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

#[path = "../support"]
mod support {
    #![allow(dead_code, reason = "a part of it is used here")]
    pub mod build;
    pub mod client;
    pub mod deadline;
    pub mod folder;
    pub mod stock;
}

mod files;
mod journald;
mod tenant;

use support::{build, stock};

fn main() -> ExitCode {
    let mut trials = files::trials();
    let patched = build::all()
        .into_iter()
        .filter(|(_, build)| !build.as_ref().is_ok_and(|build| build.sanitized))
        .map(|(version, build)| {
            let program = build.map(|build| build.program);
            (format!("{version}/patched"), false, program)
        });
    let stock = stock::all().into_iter().map(|(version, program)| {
        let optional = stock::may_be_missing(&version);
        (format!("{version}/stock"), optional, program)
    });
    let journal = journald::usable();
    for (name, optional, program) in patched.chain(stock) {
        let is_patched = name.ends_with("/patched");
        let name = format!("{name}::the_journal_has_what_was_done");
        trials.push(match (program, &journal) {
            (Ok(program), Ok(())) => Trial::test(name, move || {
                journald::has_what_was_done(&program, is_patched);
                Ok(())
            }),
            (Err(reason), _) => cannot(name, reason, optional || !build::strict()),
            // Who may not start one is not told to: setup brings what is missing.
            (_, Err(journald::Cannot::NotRoot)) => {
                cannot(name, "only root can start a journald".to_owned(), true)
            }
            (_, Err(journald::Cannot::Missing)) => {
                let reason = "no systemd-journald and journalctl: install systemd".to_owned();
                cannot(name, reason, !build::strict())
            }
        });
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// A trial that cannot run never reads as passed.
fn cannot(name: String, reason: String, ignored: bool) -> Trial {
    let failed = Failed::from(&reason);
    Trial::test(name, move || Err(failed))
        .with_kind(reason)
        .with_ignored_flag(ignored)
}
