//! Ranges of a pane's output, and how they come back.

use std::borrow::Cow;

use crate::command::{CommandId, Record};
use crate::error::{Error, ErrorKind, Result};
use crate::part::{self, Excerpt, Limits, Part};

/// A range of what a pane has printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Range {
    /// What nobody has read yet.
    Unread,
    /// What came since the last write.
    SinceWrite,
    /// The output of the newest command; so far, while it runs.
    LastCommand,
    /// The output of one command; so far, while it runs.
    Command(CommandId),
}

/// How bytes are rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Render {
    /// Text as a person would read it: escapes and what a full-screen program
    /// showed left out; carriage returns, backspaces and cursor movement within
    /// a line carried out; lines end with a newline; what is not UTF-8 replaced
    /// by U+FFFD.
    Clean,
    /// Colours and other escapes kept, the shell's marks left out.
    Escapes,
    /// Every byte as it came.
    Raw,
}

/// What to read, and how.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    pub(crate) range: Range,
    pub(crate) render: Render,
    pub(crate) consume: bool,
    pub(crate) part: Part,
    pub(crate) limits: Limits,
}

impl ReadOptions {
    /// Reads all of a range as clean text, and leaves the read cursor where it
    /// is.
    pub fn new(range: Range) -> Self {
        Self {
            range,
            render: Render::Clean,
            consume: false,
            part: Part::Whole,
            limits: Limits::new(),
        }
    }

    /// Sets how the bytes are rendered.
    pub fn render(mut self, render: Render) -> Self {
        self.render = render;
        self
    }

    /// Sets whether what is read counts as read: [`Range::Unread`] then goes on
    /// behind it, and cannot be asked for a part or within limits at the same
    /// time: what is left out would count as read too.
    pub fn consume(mut self, consume: bool) -> Self {
        self.consume = consume;
        self
    }

    /// Sets which part of the range is returned. Its offsets and line numbers are
    /// those of the rendered range: of the whole output, for a command.
    ///
    /// Of a command that has ended they stay the same, so that one part can be
    /// asked for after the other, unless more of its beginning goes
    /// ([`Chunk::missing`]): then they count from what is still kept.
    pub fn part(mut self, part: Part) -> Self {
        self.part = part;
        self
    }

    /// Sets how much of the part is returned.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Refuses what cannot be read.
    pub(crate) fn check(&self) -> Result<()> {
        let op = "read";
        let all = self.part == Part::Whole && self.limits.are_none();
        // The rest could not be asked for afterwards. That of a command can.
        if self.consume && self.range == Range::Unread && !all {
            return Err(Error::new(ErrorKind::InvalidArgument, op)
                .because("what is left out would count as read"));
        }
        part::check(&self.part, op)
    }
}

/// A range that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Chunk {
    /// The bytes, rendered as asked: the part that was asked for, within its
    /// limits.
    pub bytes: Vec<u8>,
    /// Where the range begins in the pane's stream, in bytes.
    pub start: u64,
    /// Where it ends.
    pub end: u64,
    /// Bytes of the range that the server no longer has, at its beginning.
    pub missing: u64,
    /// What a full-screen program showed was left out.
    pub alternate: bool,
    /// Where the bytes are in the rendered range, and what was left out of it.
    /// Offset 0 of raw bytes is `start + missing` in the pane's stream.
    pub excerpt: Excerpt,
    /// The command, where the range belongs to one.
    pub record: Option<Record>,
}

impl Chunk {
    /// Returns the bytes as text. What is not UTF-8 is replaced by U+FFFD.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }
}
