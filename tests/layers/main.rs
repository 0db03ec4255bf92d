//! The layers: three tmux servers in each other, as the command `amux` keeps them, on real tmux programs and in
//! real terminals.

use std::process::ExitCode;

#[path = "../support"]
#[allow(dead_code, reason = "a part of it is used here")]
mod support {
    pub mod build;
    pub mod deadline;
    pub mod folder;
    pub mod pty;
    pub mod stock;
}

mod passing;
mod screen;
mod showing;
mod starting;
mod world;

use libtest_mimic::{Arguments, Failed, Trial};

use support::stock;
use world::{Target, World};

/// A sentence, and what must hold.
type Sentence = (&'static str, fn(&World));

fn main() -> ExitCode {
    let mut trials = Vec::new();
    for (at, (name, found)) in targets().into_iter().enumerate() {
        let target = match found {
            Ok(target) => target,
            Err(reason) => {
                trials.push(missing(&name, reason));
                continue;
            }
        };
        // Where tmux makes no difference one program is enough.
        let all = match at {
            0 => [starting::TRIALS, passing::TRIALS, showing::TRIALS].concat(),
            _ => showing::TRIALS.to_vec(),
        };
        trials.extend(all.into_iter().map(|(sentence, body)| {
            let target = target.clone();
            Trial::test(format!("{name}/{sentence}"), move || {
                body(&World::new(target));
                Ok(())
            })
        }));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The patched programs, then the stock ones of the versions that must hold.
fn targets() -> Vec<(String, Result<Target, String>)> {
    let patched = support::build::all().into_iter().map(|(version, found)| {
        let target = found.map(|build| Target {
            tmux: build.program,
            patched: true,
        });
        (format!("{version}/patched"), target)
    });
    let stock = stock::all()
        .into_iter()
        .filter(|(version, _)| !stock::may_be_missing(version))
        .map(|(version, found)| {
            let target = found.map(|tmux| Target {
                tmux,
                patched: false,
            });
            (format!("{version}/stock"), target)
        });
    patched
        .chain(stock)
        .filter(|(name, _)| !name.contains("-san"))
        .collect()
}

fn missing(name: &str, reason: String) -> Trial {
    let told = reason.clone();
    Trial::test(format!("{name}/is_there"), move || Err(Failed::from(told)))
        .with_kind(reason)
        .with_ignored_flag(!support::build::strict())
}
