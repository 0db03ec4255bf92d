//! A way to run a command, and what is run.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What is run, and what has to come back.
pub struct Case {
    pub name: &'static str,
    pub text: String,
    pub output: String,
}

/// What came back.
pub struct Answer {
    pub output: String,
    /// `None` from a way that does not tell.
    pub status: Option<i32>,
}

/// A way to run a command.
pub trait Way {
    fn name(&self) -> &'static str;

    /// Runs a command to its end. What is between two of them is not measured.
    fn run(&mut self, case: &Case) -> Answer;

    /// How long the last one took, where the way itself knows better.
    fn took(&self) -> Option<Duration> {
        None
    }
}

/// Returns how long a way takes, and whether its answer is right. Every case ends
/// with status 0.
pub fn measure(way: &mut dyn Way, case: &Case) -> (Duration, bool) {
    let since = Instant::now();
    let answer = way.run(case);
    let took = since.elapsed();
    let right = answer.output == case.output && answer.status.is_none_or(|status| status == 0);
    (way.took().unwrap_or(took), right)
}

/// Has a program and its children live in a folder where no start-up file is.
pub fn at_home(command: &mut Command, folder: &Path) {
    command
        .env("HOME", folder)
        .env("TERM", "screen")
        .env_remove("TMUX")
        .env_remove("TMUX_PANE")
        .env_remove("BASH_ENV")
        .env_remove("PROMPT_COMMAND")
        .current_dir(folder);
}

/// A new bash for each command: no terminal, and nothing lasts.
pub struct BashC(PathBuf);

impl BashC {
    pub fn new(folder: &Path) -> Self {
        Self(folder.to_owned())
    }
}

impl Way for BashC {
    fn name(&self) -> &'static str {
        "bash -c"
    }

    fn run(&mut self, case: &Case) -> Answer {
        let mut command = Command::new("bash");
        at_home(&mut command, &self.0);
        let ended = command
            .args(["-c", &case.text])
            .stdin(Stdio::null())
            .output()
            .expect("bash");
        Answer {
            output: String::from_utf8_lossy(&ended.stdout).into_owned(),
            status: ended.status.code(),
        }
    }
}
