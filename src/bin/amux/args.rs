//! What can be given on the command line.

pub mod log;
pub mod task;

use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use amux::{CommandId, DEFAULT_SESSION, Layer};
use clap::{Args as Group, Parser, Subcommand, ValueEnum};

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
    /// The server of a layer, instead of a tenant: mtx, stx or atx
    #[arg(long, env = "AMUX_LAYER", global = true, value_name = "LAYER")]
    pub layer: Option<String>,
    /// Shell of its windows, where it is started: bash, zsh, fish or a path
    #[arg(long, global = true, value_name = "SHELL")]
    pub shell: Option<amux::Shell>,
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
    /// Print what the terminal shows; for full-screen programs
    Capture(Capture),
    /// Wait for a command to end; exit with its status
    Wait(Wait),
    /// Print what the window is doing
    State(State),
    /// List the windows
    Ls(Ls),
    /// Kill a window and what runs in it
    Kill(Kill),
    /// Work in windows for tasks, named PROJECT-TARGET-TASK
    #[command(subcommand)]
    Task(task::Task),
    /// Print what was written, read and run, from the audit log
    Log(log::Log),
    /// Start the server, unless it runs
    Start(Start),
    /// Stop the server and all that runs in it
    Stop,
    /// Start a layer, with those that it shows; on a terminal, attach to it
    Up(Up),
    /// Pass a tmux command to the outer layer, mtx; without one, attach to it
    Mx(Tmux),
    /// Pass a tmux command to the user's layer, stx; without one, attach to it
    Sx(Tmux),
    /// Pass a tmux command to the agent's layer, atx; without one, attach to it
    Ax(Tmux),
    /// Print what amux works with
    Doctor(Doctor),
    /// Write the profile of an agent's shell, ~/.agent_profile
    ///
    /// It loads the shell integration, and sets a UTF-8 locale and pagers that
    /// wait for no key. For bash and zsh; with --shell fish it is for fish, and
    /// ~/.agent_profile.fish. One that is there is left alone.
    Init(Init),
    /// Install amux, tmux-custom, their manual pages, completions and the shell
    /// integration
    Install(Install),
    /// Print the manual page or the completions for a shell
    #[command(subcommand, hide = true)]
    Generate(Generate),
}

/// What is generated.
#[derive(Debug, Subcommand)]
pub enum Generate {
    /// The manual page
    Man,
    /// The completions for a shell
    Completions {
        /// Which shell
        // `shell` is the id of the option that all commands have.
        #[arg(id = "completed", value_name = "SHELL")]
        shell: GenerateShell,
    },
}

/// A shell for which there are completions.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum GenerateShell {
    Bash,
    Zsh,
    Fish,
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
    /// Kill it then, with all that it has started
    #[arg(long, requires = "timeout")]
    pub kill: bool,
    /// Where something runs, wait for its end this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_hyphen_values = true)]
    pub wait_idle: Option<Duration>,
    /// Print every byte as it came
    #[arg(long, conflicts_with = "Limits")]
    pub raw: bool,
    #[command(flatten)]
    pub limits: Limits,
    /// Write the output to this file instead
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub to: Option<PathBuf>,
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
    #[command(flatten)]
    pub part: Part,
    #[command(flatten)]
    pub search: Search,
    #[command(flatten)]
    pub limits: Limits,
    /// Print every byte as it came
    #[arg(long, conflicts_with = "escapes")]
    pub raw: bool,
    /// Keep colours and other escapes
    #[arg(long)]
    pub escapes: bool,
    /// Count as read what is printed
    #[arg(long)]
    pub count: bool,
    /// Write the bytes to this file instead
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub to: Option<PathBuf>,
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
    #[arg(long, conflicts_with_all = ["raw", "escapes", "count", "Part", "Limits"])]
    pub records: bool,
}

/// Which part of it.
#[derive(Debug, Group)]
#[group(multiple = false)]
pub struct Part {
    /// Print the first lines alone, so many
    #[arg(long, value_name = "N")]
    pub head: Option<u64>,
    /// Print the last lines alone, so many
    #[arg(long, value_name = "N")]
    pub tail: Option<u64>,
    /// Print lines A to B alone; they count from 1
    #[arg(long, value_name = "A-B", value_parser = lines)]
    pub lines: Option<RangeInclusive<u64>>,
    /// Print the bytes from offset A up to B alone; they count from 0
    #[arg(long, value_name = "A..B", value_parser = bytes)]
    pub bytes: Option<std::ops::Range<u64>>,
    /// Print the lines alone that contain this string
    #[arg(long, value_name = "STRING", allow_hyphen_values = true)]
    pub search: Option<String>,
}

/// How to search.
#[derive(Debug, Group)]
pub struct Search {
    /// Print so many lines before and after each hit
    #[arg(long, value_name = "N", requires = "search", default_value_t = 0)]
    pub around: u64,
    /// Print at most so many hits
    #[arg(long, value_name = "N", requires = "search")]
    pub max_hits: Option<u64>,
    /// Pass over the first hits, so many
    #[arg(long, value_name = "N", requires = "search", default_value_t = 0)]
    pub skip: u64,
}

/// How much of it.
#[derive(Debug, Group)]
pub struct Limits {
    /// Print at most so many bytes of each line
    #[arg(long, value_name = "BYTES")]
    pub max_line: Option<u64>,
    /// Print at most so many bytes; both ends, where no part is asked for
    #[arg(long, value_name = "BYTES")]
    pub max_bytes: Option<u64>,
}

#[derive(Debug, Group)]
pub struct Capture {
    #[command(flatten)]
    pub window: Window,
    /// Put this many rows of scrollback before the screen
    #[arg(long, default_value_t = 0, value_name = "ROWS")]
    pub history: u32,
    /// Print one JSON object: text, size, cursor and more
    #[arg(long)]
    pub json: bool,
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
pub struct Up {
    /// Which: mtx shows the user's stx and the agent's atx
    #[arg(default_value = "mtx", value_name = "LAYER")]
    pub which: Layer,
    /// Do not attach
    #[arg(short, long)]
    pub detached: bool,
    /// Print JSON, and do not attach
    #[arg(long)]
    pub json: bool,
}

/// A command of tmux. `main` passes it on before anything else is read: what
/// stands here is for help.
#[derive(Debug, Group)]
pub struct Tmux {
    /// A tmux command, its flags and arguments
    #[arg(
        value_name = "COMMAND",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub words: Vec<OsString>,
}

#[derive(Debug, Group)]
pub struct Doctor {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Group)]
pub struct Init {
    /// Print it, write no profile
    #[arg(long, conflicts_with = "path")]
    pub print: bool,
    /// Write it there instead
    #[arg(value_name = "FILE")]
    pub path: Option<PathBuf>,
}

#[derive(Debug, Group)]
pub struct Install {
    /// Where the files belong
    #[arg(long, default_value = "/usr/local", value_name = "FOLDER")]
    pub prefix: PathBuf,
    /// Folder to put in front of the prefix, for packagers
    #[arg(long, value_name = "FOLDER")]
    pub destdir: Option<PathBuf>,
    /// Leave out mx, sx and ax, links to amux
    #[arg(long)]
    pub no_links: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    text.parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "a number of seconds is needed".to_owned())
}

/// `3-7`, `3-` or `3`.
fn lines(text: &str) -> Result<RangeInclusive<u64>, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let last = match last {
        "" => Ok(u64::MAX),
        last => last.parse(),
    };
    match (first.parse(), last) {
        (Ok(first), Ok(last)) if 1 <= first && first <= last => Ok(first..=last),
        _ => Err("two numbers of lines are needed: 3-7".to_owned()),
    }
}

/// `10..20`, `10..` or `..20`.
fn bytes(text: &str) -> Result<std::ops::Range<u64>, String> {
    let number = |text: &str, otherwise| match text {
        "" => Ok(otherwise),
        text => text.parse(),
    };
    let ends = text.split_once("..");
    match ends.map(|(start, end)| (number(start, 0), number(end, u64::MAX))) {
        Some((Ok(start), Ok(end))) if start <= end => Ok(start..end),
        _ => Err("two offsets are needed: 10..20".to_owned()),
    }
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
    fn ranges_may_be_open_and_are_in_order() {
        assert_eq!(lines("3-7"), Ok(3..=7));
        assert_eq!(lines("3"), Ok(3..=3));
        assert_eq!(lines("3-"), Ok(3..=u64::MAX));
        assert_eq!(bytes("0..20"), Ok(0..20));
        assert_eq!(bytes("10.."), Ok(10..u64::MAX));
        assert_eq!(bytes("..20"), Ok(0..20));
        for text in ["", "-", "0-1", "4-3", "-3", "a-b", "3..7"] {
            assert!(lines(text).is_err(), "{text}");
        }
        for text in ["", "1", "5..3", "-1..3", "a..b", "3-7"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn parts_exclude_each_other_and_records() {
        let parse = |words: &str| Args::try_parse_from(words.split(' '));
        assert!(parse("amux read w --id 3 --search -x --around 2 --max-line 9").is_ok());
        assert!(parse("amux read w --head 1 --tail 1").is_err());
        assert!(parse("amux read w --around 1").is_err());
        assert!(parse("amux read w --records --head 1").is_err());
        assert!(parse("amux read w --records --max-bytes 1").is_err());
        assert!(parse("amux read w --records --json").is_ok());
        assert!(parse("amux run w --raw --max-line 1 -- ls").is_err());
    }

    #[test]
    fn run_takes_a_text_or_a_file_and_not_both() {
        let parse = |words: &[&str]| Args::try_parse_from(words);
        assert!(parse(&["amux", "run", "w", "--", "ls", "-l"]).is_ok());
        assert!(parse(&["amux", "run", "w", "-f", "-"]).is_ok());
        assert!(parse(&["amux", "run", "w", "-f", "x", "--", "y"]).is_err());
    }
}
