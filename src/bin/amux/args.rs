//! What can be given on the command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use amux::{CommandId, DEFAULT_SESSION};
use clap::{Args as Group, Parser, Subcommand};

/// Runs commands in persistent terminals and prints their exact output.
///
/// Exit status: that of the command that ran; 124 when it did not end in time;
/// 125 when amux failed.
#[derive(Debug, Parser)]
#[command(name = "amux", version, max_term_width = 80)]
pub struct Args {
    #[command(flatten)]
    pub place: Place,
    #[command(subcommand)]
    pub command: Command,
}

/// Which server is meant.
#[derive(Debug, Group)]
pub struct Place {
    /// Server of this tenant, on a socket of its own
    #[arg(
        short = 'L',
        long,
        env = "AMUX_TENANT",
        global = true,
        value_name = "NAME"
    )]
    pub tenant: Option<String>,
    /// Path of the server's socket, instead of a tenant
    #[arg(short = 'S', long, global = true, value_name = "PATH")]
    pub socket: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a text or a script and print its output; creates the window
    Run(Run),
    /// Write to whatever program reads the terminal; print the id to wait for
    Write(Write),
    /// Press keys: C-c, Enter, q
    Keys(Keys),
    /// Print what the terminal has printed
    Read(Read),
    /// Wait for a command to end; exit with its status
    Wait(Wait),
    /// Print what the window is doing
    State(State),
    /// List the windows
    Ls(Ls),
    /// Kill a window and what runs in it
    Kill(Kill),
    /// Start the server, unless it runs
    Start(Start),
    /// Stop the server and all that runs in it
    Stop,
    /// Print what amux works with
    Doctor(Doctor),
    /// Install amux, tmux-custom, its manual page and the shell integration
    Install(Install),
}

/// Which window is meant.
#[derive(Debug, Group)]
pub struct Window {
    /// Name of the window: letters, digits, _ and -
    #[arg(value_name = "NAME")]
    pub name: String,
    /// Session of the window
    #[arg(long, default_value = DEFAULT_SESSION, value_name = "NAME")]
    pub session: String,
}

#[derive(Debug, Group)]
pub struct Run {
    #[command(flatten)]
    pub window: Window,
    /// Read the script from a file; - is standard input
    #[arg(short, long, value_name = "SCRIPT")]
    pub file: Option<PathBuf>,
    /// Stop waiting after this many seconds; the command goes on
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_hyphen_values = true)]
    pub timeout: Option<Duration>,
    /// Where something runs, wait for its end this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_hyphen_values = true)]
    pub wait_idle: Option<Duration>,
    /// Print every byte as it came
    #[arg(long)]
    pub raw: bool,
    /// Print one JSON object: output, status and more
    #[arg(long)]
    pub json: bool,
    /// The text; words are joined by blanks
    #[arg(last = true, value_name = "TEXT", conflicts_with = "file")]
    pub text: Vec<String>,
}

#[derive(Debug, Group)]
pub struct Write {
    #[command(flatten)]
    pub window: Window,
    /// Submit: Enter behind it
    #[arg(short, long, conflicts_with = "never")]
    pub enter: bool,
    /// Never submit, whatever the last byte is
    #[arg(short, long)]
    pub never: bool,
    /// Read the bytes from a file; - is standard input
    #[arg(short, long, value_name = "FILE", conflicts_with = "data")]
    pub file: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// The bytes; words are joined by blanks
    #[arg(last = true, value_name = "DATA")]
    pub data: Vec<OsString>,
}

#[derive(Debug, Group)]
pub struct Keys {
    #[command(flatten)]
    pub window: Window,
    /// Names of keys, as tmux has them
    #[arg(required = true, value_name = "KEY", allow_hyphen_values = true)]
    pub keys: Vec<String>,
}

#[derive(Debug, Group)]
pub struct Read {
    #[command(flatten)]
    pub window: Window,
    #[command(flatten)]
    pub range: Range,
    /// Print every byte as it came
    #[arg(long, conflicts_with = "escapes")]
    pub raw: bool,
    /// Keep colours and other escapes
    #[arg(long)]
    pub escapes: bool,
    /// Count as read what is printed
    #[arg(long)]
    pub count: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What to read.
#[derive(Debug, Group)]
#[group(multiple = false)]
pub struct Range {
    /// What nobody has read yet (the default)
    #[arg(long)]
    pub unread: bool,
    /// The output of the newest command
    #[arg(long)]
    pub output: bool,
    /// The output of the command with this id
    #[arg(long, value_name = "ID")]
    pub id: Option<CommandId>,
    /// What came since the last write
    #[arg(long)]
    pub since_write: bool,
    /// One line for each command on record: id, end, status, milliseconds
    #[arg(long, conflicts_with_all = ["raw", "escapes", "count"])]
    pub records: bool,
}

#[derive(Debug, Group)]
pub struct Wait {
    #[command(flatten)]
    pub window: Window,
    /// Wait for the command with this id, not for the newest
    #[arg(long, value_name = "ID")]
    pub id: Option<CommandId>,
    /// Stop waiting after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_hyphen_values = true)]
    pub timeout: Option<Duration>,
    /// Print the command's record as one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Group)]
pub struct State {
    #[command(flatten)]
    pub window: Window,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Group)]
pub struct Ls {
    /// Print one JSON array
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Group)]
pub struct Kill {
    #[command(flatten)]
    pub window: Window,
}

#[derive(Debug, Group)]
pub struct Start {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Group)]
pub struct Doctor {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Group)]
pub struct Install {
    /// Where the files belong
    #[arg(long, default_value = "/usr/local", value_name = "FOLDER")]
    pub prefix: PathBuf,
    /// Folder to put in front of the prefix, for packagers
    #[arg(long, value_name = "FOLDER")]
    pub destdir: Option<PathBuf>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    text.parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "a number of seconds is needed".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn arguments_are_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn seconds_have_fractions_and_no_sign() {
        assert_eq!(seconds("1.5"), Ok(Duration::from_millis(1500)));
        for text in ["-1", "x", "", "inf", "nan", "1e300"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn run_takes_a_text_or_a_file_and_not_both() {
        let parse = |words: &[&str]| Args::try_parse_from(words);
        assert!(parse(&["amux", "run", "w", "--", "ls", "-l"]).is_ok());
        assert!(parse(&["amux", "run", "w", "-f", "-"]).is_ok());
        assert!(parse(&["amux", "run", "w", "-f", "x", "--", "y"]).is_err());
    }
}
