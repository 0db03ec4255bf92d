//! What can be given to `amux task`.

use std::time::Duration;

use clap::{Arg, Args as Group, Subcommand};

use super::{Run, Window, seconds};

/// What to do with a task.
#[derive(Debug, Subcommand)]
pub enum Task {
    /// Run a text or a script and print its output; creates the window
    #[command(mut_args(named))]
    Run(Run),
    /// Make it a watch: rename it to PROJECT-TARGET-watch, print that
    #[command(mut_args(named))]
    Watch(Watch),
    /// Run a verification and print its output; close the window if it exits
    /// with 0
    #[command(mut_args(named))]
    Done(Done),
    /// List the tasks
    Ls(Ls),
}

/// Says what the name is that of.
fn named(arg: Arg) -> Arg {
    match arg.get_id() == "name" {
        true => arg.help("Name of the task: PROJECT-TARGET-TASK"),
        false => arg,
    }
}

#[derive(Debug, Group)]
pub struct Watch {
    #[command(flatten)]
    pub window: Window,
    /// Look this long whether the text stays
    #[arg(long, default_value = "1", value_name = "SECONDS", value_parser = seconds, allow_hyphen_values = true)]
    pub settle: Duration,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// What to run and watch; what runs already if not given
    #[arg(last = true, value_name = "TEXT")]
    pub text: Vec<String>,
}

#[derive(Debug, Group)]
pub struct Done {
    #[command(flatten)]
    pub window: Window,
    /// Stop waiting after this many seconds; the window stays
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_hyphen_values = true)]
    pub timeout: Option<Duration>,
    /// Where something runs, wait for its end this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_hyphen_values = true)]
    pub wait_idle: Option<Duration>,
    /// Print one JSON object: output, status and more
    #[arg(long)]
    pub json: bool,
    /// The command that exits with 0 where the outcome is right
    #[arg(last = true, required = true, value_name = "VERIFICATION")]
    pub verification: Vec<String>,
}

#[derive(Debug, Group)]
pub struct Ls {
    /// List those alone that have ended, so many seconds ago or longer
    #[arg(long, num_args = 0..=1, default_missing_value = "0", value_name = "SECONDS", value_parser = seconds)]
    pub stale: Option<Duration>,
    /// Print one JSON array
    #[arg(long)]
    pub json: bool,
}

#[cfg(test)]
mod tests {
    use super::super::{Args, Command};
    use super::*;
    use clap::Parser;

    fn task(words: &str) -> Result<Task, clap::Error> {
        match Args::try_parse_from(words.split(' '))?.command {
            Command::Task(task) => Ok(task),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn stale_may_have_an_age() {
        let stale = |words: &str| match task(words) {
            Ok(Task::Ls(ls)) => ls.stale.map(|age| age.as_secs()),
            other => panic!("{other:?}"),
        };
        assert_eq!(stale("amux task ls"), None);
        assert_eq!(stale("amux task ls --stale"), Some(0));
        assert_eq!(stale("amux task ls --stale 60 --json"), Some(60));
        assert_eq!(stale("amux task ls --stale --json"), Some(0));
        assert!(task("amux task ls --stale soon").is_err());
    }

    #[test]
    fn done_needs_a_verification() {
        assert!(task("amux task done a-b-c -- true").is_ok());
        assert!(task("amux task done a-b-c").is_err());
        assert!(task("amux task done a-b-c true").is_err());
    }
}
