//! What a pane is doing.

use std::fmt;
use std::time::Duration;

use crate::command::CommandId;
use crate::task::Facts;

/// Whether a pane runs something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Activity {
    /// A command runs, or was sent and has not ended.
    Running,
    /// The shell waits at its prompt.
    Idle,
    /// The pane's process has ended.
    Dead,
    /// Neither marks nor the terminal tell.
    Unknown,
}

impl Activity {
    /// Returns one word: `running`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Idle => "idle",
            Self::Dead => "dead",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How the program in a pane reads its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InputMode {
    /// A shell's line editor waits at a prompt.
    Prompt,
    /// The terminal collects lines and echoes them.
    Canonical,
    /// Each key goes to the program: an editor, a pager, a REPL.
    Raw,
    /// Echo is off: a secret is asked for.
    Secret,
    /// It cannot be told.
    Unknown,
}

impl InputMode {
    /// Returns one word: `prompt`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Canonical => "canonical",
            Self::Raw => "raw",
            Self::Secret => "secret",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for InputMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a pane is doing, at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct State {
    /// Whether it runs something.
    pub activity: Activity,
    /// How its program reads input.
    pub input: InputMode,
    /// Name of the foreground program; empty where it is not known.
    pub foreground: String,
    /// The shell's prompt is there, with nothing typed behind it.
    pub prompt_empty: bool,
    /// The shell sends marks that can be trusted.
    pub integrated: bool,
    /// Marks of another shell came during the command that runs.
    pub nested: bool,
    /// Exit status of the last command that has ended and had one.
    pub last_status: Option<u8>,
    /// The newest command.
    pub command: Option<CommandId>,
    /// How long that command ran, or has run so far.
    pub duration: Option<Duration>,
    /// Bytes of output that nobody has read.
    pub unread: u64,
    /// Bytes of output since the pane was created.
    pub total: u64,
    /// Bytes of output that went before they were read.
    pub dropped: u64,
    /// Process id of the pane's own process.
    pub pid: Option<u32>,
}

/// A window of the server and the state of its active pane.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WindowInfo {
    /// Name of its session.
    pub session: String,
    /// Its name. Windows that others made may have names that this crate does
    /// not take.
    pub name: String,
    /// The facts of a task, where it is one's.
    pub(crate) task: Option<Facts>,
    /// State of its active pane.
    pub state: State,
}
