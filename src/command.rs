//! A command that ran in a pane: its id, how it ended, its record.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::error::{Error, ErrorKind, Result};

/// Identifies a command on one server. Ids only grow; they are not used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommandId(u64);

impl CommandId {
    /// Takes a number that the server gave out.
    pub fn new(id: u64) -> Self {
        Self(id)
    }

    /// Returns the number.
    pub fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for CommandId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for CommandId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        text.parse().map(Self).map_err(|error| {
            Error::new(ErrorKind::InvalidArgument, "read command id")
                .on(format_args!("{text:?}"))
                .caused_by(error)
        })
    }
}

/// How far a command has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Ended {
    /// It was sent; the shell has not started it yet.
    Submitted,
    /// It runs.
    Running,
    /// It ended, and the shell told so.
    Exited,
    /// The shell told that it was cancelled, without a status.
    Cancelled,
    /// Its end was not told: the shell showed a prompt without it.
    Lost,
    /// The pane's process ended with it: `exit`, `set -e`, a killed shell.
    PaneEnded,
    /// No command came of what was sent: an empty line, a comment.
    Nothing,
}

impl Ended {
    /// Returns true when the command will not change any more.
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Submitted | Self::Running)
    }

    /// Returns one word: `exited`, `pane-ended`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Submitted => "submitted",
            Self::Running => "running",
            Self::Exited => "exited",
            Self::Cancelled => "cancelled",
            Self::Lost => "lost",
            Self::PaneEnded => "pane-ended",
            Self::Nothing => "nothing",
        }
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What else is known about a command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CommandFlags {
    /// The shell did not mark where the output begins; the first newline after
    /// the typed line was taken.
    pub c_missing: bool,
    /// It used the alternate screen: a full-screen program ran.
    pub alternate: bool,
    /// Marks of another shell stood in its output.
    pub foreign: bool,
    /// The server no longer has all of its output.
    pub overwritten: bool,
    /// A program sent it, not a person.
    pub by_program: bool,
    /// It ran together with the submission before it.
    pub merged: bool,
    /// The shell sends no marks: the end was told by quiet, and there is no
    /// status.
    pub unmarked: bool,
}

impl CommandFlags {
    /// Returns the names of the flags that are set, in a fixed order.
    pub fn names(&self) -> Vec<&'static str> {
        [
            (self.c_missing, "c-missing"),
            (self.alternate, "alternate"),
            (self.foreign, "foreign"),
            (self.overwritten, "overwritten"),
            (self.by_program, "by-program"),
            (self.merged, "merged"),
            (self.unmarked, "unmarked"),
        ]
        .into_iter()
        .filter_map(|(set, name)| set.then_some(name))
        .collect()
    }
}

/// The record that the server keeps of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record {
    /// Its id.
    pub id: CommandId,
    /// How far it has come.
    pub ended: Ended,
    /// Its exit status. `None`: there is none; see [`Record::no_status_reason`].
    pub status: Option<u8>,
    /// The statuses of a pipeline's commands in order; empty when it was none.
    pub pipe_statuses: Vec<u8>,
    /// How long it ran, or has run so far, by a monotonic clock.
    pub duration: Option<Duration>,
    /// What else is known.
    pub flags: CommandFlags,
    /// Where its output begins in the pane's stream, in bytes.
    pub output_start: Option<u64>,
    /// Where its output ends in the pane's stream, in bytes.
    pub output_end: Option<u64>,
}

impl Record {
    /// Returns the signal that the status tells of: shells add 128 to its number
    /// when one ended the command. A program may exit with such a status by
    /// itself.
    pub fn signal(&self) -> Option<u8> {
        // 64: SIGRTMAX of Linux.
        let number = self.status?.checked_sub(128)?;
        (1..=64).contains(&number).then_some(number)
    }

    /// Returns why there is no exit status; `None` where there is one.
    pub fn no_status_reason(&self) -> Option<&'static str> {
        if self.status.is_some() {
            return None;
        }
        Some(match self.ended {
            Ended::Submitted => "it has not started yet",
            Ended::Running => "it is still running",
            Ended::Exited if self.flags.unmarked => "the shell sends no marks",
            Ended::Exited => "the shell told no valid status",
            Ended::Cancelled => "it was cancelled",
            Ended::Lost => "the shell did not tell its end",
            Ended::PaneEnded => "the shell exited",
            Ended::Nothing => "no command came of the text",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_decimal() {
        assert_eq!("17".parse::<CommandId>().unwrap().get(), 17);
        for text in ["", "-1", "x", "18446744073709551616"] {
            let error = text.parse::<CommandId>().unwrap_err();
            assert_eq!(*error.kind(), ErrorKind::InvalidArgument);
        }
    }

    #[test]
    fn only_submitted_and_running_go_on() {
        for ended in [Ended::Exited, Ended::Lost, Ended::PaneEnded, Ended::Nothing] {
            assert!(ended.is_final());
        }
        assert!(!Ended::Submitted.is_final() && !Ended::Running.is_final());
    }
}
