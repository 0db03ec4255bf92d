//! What can go wrong: one opaque error with a kind to match on.

use std::error::Error as StdError;
use std::fmt;

use crate::run::Output;

/// The result of what this crate does.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error: what was being done, to what, and why it failed.
///
/// Match on [`Error::kind`]; the text is for people. [`fmt::Display`] writes one
/// line that leaves the cause out; [`StdError::source`] has it.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    op: &'static str,
    target: Option<String>,
    detail: Option<String>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// Why an operation failed.
///
/// The same cause gives the same kind whichever backend is in use.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No server answers on the socket, or it went away during the operation.
    NoServer,
    /// Another server answers on the socket.
    SocketInUse {
        /// Process id of that server.
        pid: u32,
    },
    /// The operation needs a server that is a child of this process.
    NotOwned,
    /// The tmux binary, or the shell, was not found.
    BinaryNotFound,
    /// tmux or the shell is older than what is needed.
    VersionTooOld,
    /// The server lacks something that the operation needs.
    Unsupported {
        /// Name of the field of [`Capabilities`](crate::Capabilities).
        capability: &'static str,
    },
    /// A name is not made of letters, digits, `_` and `-`, or is too long.
    InvalidName,
    /// A key name is not known.
    InvalidKey,
    /// An argument has a value that the operation cannot take.
    InvalidArgument,
    /// A text holds a control character other than tab and newline.
    ControlCharacter {
        /// Offset in the text, in bytes.
        position: usize,
        /// The character.
        byte: u8,
    },
    /// The session does not exist.
    SessionNotFound,
    /// The window does not exist.
    WindowNotFound,
    /// The window exists already.
    WindowExists,
    /// The window is not that of a task.
    NotATask,
    /// The window of a task has another pane, or something was run in it behind
    /// the verification.
    TaskInUse,
    /// Nothing that stays runs in the window of a task.
    NothingToWatch {
        /// What came of the text that was to be watched; `None` where there was
        /// none.
        output: Option<Box<Output>>,
    },
    /// The verification of a task did not exit with 0.
    Unverified {
        /// What came of it: its output, its status, whether time was over.
        output: Box<Output>,
    },
    /// The pane went away during the operation.
    PaneGone,
    /// The pane's process has ended; the pane is kept on the screen.
    PaneDead,
    /// The pane is not at a prompt.
    Busy {
        /// Name of the foreground program.
        program: String,
    },
    /// The shell of the pane has not shown its first prompt in the time given
    /// (see [`RunOptions::starting`](crate::RunOptions::starting)).
    Starting {
        /// Name of the foreground program.
        program: String,
    },
    /// Something is typed on the prompt's line already.
    PromptNotEmpty,
    /// The shell waits for the rest of the text: a quote, a heredoc or a
    /// compound command is not finished.
    Incomplete,
    /// A line is longer than what the terminal takes in canonical mode (4,095
    /// bytes).
    LineTooLong,
    /// The shell did not ask for bracketed paste, without which a text of
    /// several lines is not safe to type: what runs would read the rest.
    NoBracketedPaste,
    /// The text would end the paste that brings it.
    PasteEndsEarly,
    /// Too much input waits for the pane's program already.
    TooMuchInput,
    /// Input to the pane is switched off.
    InputOff,
    /// Somebody else's `pipe-pane` has the pane's output, of which tmux has one.
    /// On an unpatched tmux the output comes that way; it is not taken away.
    PipeInUse,
    /// The pane never had a command with that id.
    NoSuchCommand,
    /// The command with that id was one of this pane's, but its record is no
    /// longer kept.
    CommandForgotten,
    /// There was no answer in the time given.
    Timeout,
    /// tmux refused, for a reason without a kind of its own.
    Rejected {
        /// What tmux said.
        message: String,
    },
    /// tmux answered something that could not be understood.
    Protocol,
    /// The operating system reported an error.
    Io,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoServer => f.write_str("no server is running"),
            Self::SocketInUse { pid } => write!(f, "the socket is in use by process {pid}"),
            Self::NotOwned => f.write_str("the server is not a child of this process"),
            Self::BinaryNotFound => f.write_str("program not found"),
            Self::VersionTooOld => f.write_str("version too old"),
            Self::Unsupported { capability } => {
                write!(f, "the server does not support it ({capability})")
            }
            Self::InvalidName => f.write_str("invalid name"),
            Self::InvalidKey => f.write_str("unknown key"),
            Self::InvalidArgument => f.write_str("invalid argument"),
            Self::ControlCharacter { position, byte } => {
                write!(f, "control character 0x{byte:02x} at byte {position}")
            }
            Self::SessionNotFound => f.write_str("no such session"),
            Self::WindowNotFound => f.write_str("no such window"),
            Self::WindowExists => f.write_str("the window exists"),
            Self::NotATask => f.write_str("the window is not that of a task"),
            Self::TaskInUse => f.write_str("its window is used for something else"),
            Self::NothingToWatch { output: None } => f.write_str("nothing runs in it"),
            Self::NothingToWatch {
                output: Some(output),
            } => write!(f, "what was to be watched {}", came_to(output)),
            Self::Unverified { output } => write!(f, "the verification {}", came_to(output)),
            Self::PaneGone => f.write_str("the pane has gone"),
            Self::PaneDead => f.write_str("the pane is dead"),
            Self::Starting { program } => write!(
                f,
                "the shell has not shown its first prompt yet ({program} runs)"
            ),
            Self::Busy { program } if program.is_empty() => f.write_str("the pane is busy"),
            Self::Busy { program } => write!(f, "the pane is busy: {program} runs in it"),
            Self::PromptNotEmpty => f.write_str("something is typed at the prompt already"),
            Self::Incomplete => f.write_str("the shell waits for the rest of the text"),
            Self::LineTooLong => f.write_str("a line is longer than the terminal takes"),
            Self::NoBracketedPaste => f.write_str("the shell does not take a paste"),
            Self::PasteEndsEarly => f.write_str("the text would end its paste early"),
            Self::TooMuchInput => f.write_str("too much input waits for the pane already"),
            Self::InputOff => f.write_str("input to the pane is off"),
            Self::PipeInUse => f.write_str("another pipe-pane has the pane's output"),
            Self::NoSuchCommand => f.write_str("no such command"),
            Self::CommandForgotten => f.write_str("the command is no longer on record"),
            Self::Timeout => f.write_str("timed out"),
            Self::Rejected { message } => write!(f, "tmux refused: {message}"),
            Self::Protocol => f.write_str("unexpected answer from tmux"),
            Self::Io => f.write_str("system error"),
        }
    }
}

/// Says how something ended that should have ended otherwise.
fn came_to(output: &Output) -> String {
    let record = &output.record;
    match (output.timed_out, record.status) {
        (true, _) => "did not end in time".to_owned(),
        (false, Some(status)) => format!("exited with status {status}"),
        (false, None) => {
            let reason = record.no_status_reason().unwrap_or_default();
            format!("has no status: {reason}")
        }
    }
}

impl Error {
    /// Creates an error of a kind met by an operation, named by a verb phrase
    /// ("create window").
    pub(crate) fn new(kind: ErrorKind, op: &'static str) -> Self {
        Self(Box::new(Inner {
            kind,
            op,
            target: None,
            detail: None,
            source: None,
        }))
    }

    /// Says what the operation was about, unless that was said already.
    pub(crate) fn on(mut self, target: impl fmt::Display) -> Self {
        self.0.target.get_or_insert_with(|| target.to_string());
        self
    }

    /// Adds what only people read: one line, lower case.
    pub(crate) fn because(mut self, detail: impl Into<String>) -> Self {
        self.0.detail = Some(detail.into());
        self
    }

    /// Adds the cause.
    pub(crate) fn caused_by(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Creates an error of the operating system.
    pub(crate) fn io(op: &'static str, source: std::io::Error) -> Self {
        Self::new(ErrorKind::Io, op).caused_by(source)
    }

    /// Returns why the operation failed.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Returns what was being done, as a verb phrase: `create window`.
    pub fn operation(&self) -> &str {
        self.0.op
    }

    /// Returns what it was done to: `amux:build`, a path.
    pub fn target(&self) -> Option<&str> {
        self.0.target.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.op)?;
        if let Some(target) = &self.0.target {
            write!(f, " {target}")?;
        }
        write!(f, ": {}", self.0.kind)?;
        if let Some(detail) = &self.0.detail {
            write!(f, ": {detail}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("op", &self.0.op)
            .field("target", &self.0.target)
            .field("detail", &self.0.detail)
            .field("source", &self.0.source)
            .finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0
            .source
            .as_deref()
            .map(|source| source as &(dyn StdError + 'static))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_is_one_line_without_the_cause() {
        let error = Error::new(ErrorKind::WindowNotFound, "run in")
            .on("amux:build")
            .caused_by("hidden");
        assert_eq!(error.to_string(), "run in amux:build: no such window");
        assert_eq!(error.source().map(|s| s.to_string()), Some("hidden".into()));
    }

    #[test]
    fn first_target_stays() {
        let error = Error::new(ErrorKind::NoServer, "stop").on("a").on("b");
        assert_eq!(error.target(), Some("a"));
    }

    #[test]
    fn is_one_word_and_can_be_sent() {
        fn sendable<T: Send + Sync + 'static>() {}
        sendable::<Error>();
        assert_eq!(size_of::<Error>(), size_of::<usize>());
    }
}
