//! Records of commands.

use std::ffi::CStr;
use std::ops::Range;

use super::sys;

/// How far a command has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ended {
    /// Not seen to start yet.
    Submitted,
    /// It runs.
    Running,
    /// A `D` told its status, or one that is none.
    Exited,
    /// A `D` without a status: it was cancelled.
    Cancelled,
    /// A prompt came without a `D`, or the pane ended.
    Lost,
    /// Something was submitted, but no command ran.
    Nothing,
}

/// What else is to be said of a record.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Flags {
    /// Its output began without a `C`.
    pub c_missing: bool,
    /// It used the alternate screen.
    pub alternate: bool,
    /// Marks of somebody else were in its output.
    pub foreign: bool,
    /// Not all of its output is kept any more.
    pub overwritten: bool,
    /// It came by [`submit`](super::PaneStream::submit).
    pub by_program: bool,
    /// It will not change any more.
    pub finished: bool,
    /// The pane's process ended with it.
    pub pane_ended: bool,
    /// It ran together with the one before.
    pub merged: bool,
    /// It ended by quiet, without marks.
    pub unmarked: bool,
}

/// One command. Offsets count bytes of the stream, times are those that the stream was told, in ns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Unique in a pool, from 1.
    pub id: u64,
    /// How it ended.
    pub ended: Ended,
    /// What else is to be said.
    pub flags: Flags,
    /// Its exit status, where there is one.
    pub status: Option<u8>,
    /// Where the stream was when it was submitted.
    pub mark: Option<u64>,
    /// Where its typed line begins.
    pub line_start: Option<u64>,
    /// Where its output begins.
    pub output_start: Option<u64>,
    /// Where its output ends; `None` while it runs.
    pub output_end: Option<u64>,
    /// When it was submitted.
    pub submitted: Option<u64>,
    /// When it started.
    pub started: Option<u64>,
    /// When it ended.
    pub finished: Option<u64>,
    /// Statuses of its pipeline.
    pub pipe: Vec<u8>,
    /// The command line, where the shell told it.
    pub command_line: Option<Vec<u8>>,
}

impl Record {
    /// Returns the offsets of its output, up to `total` while it runs. Empty where nothing has started.
    pub fn output(&self, total: u64) -> Range<u64> {
        let start = self.output_start.unwrap_or(total);
        start..self.output_end.unwrap_or(total).max(start)
    }

    /// # Safety
    ///
    /// The pointers of `raw` are those that the engine has set since it last changed.
    pub(super) unsafe fn from_raw(raw: &sys::pane_stream_record) -> Self {
        let known = |n: u64| (n != u64::MAX).then_some(n);
        let flag = |flag: u32| raw.flags & flag != 0;
        let pipe = if raw.pipe.is_null() {
            Vec::new()
        } else {
            // SAFETY: the engine sets as many statuses as it says.
            unsafe { std::slice::from_raw_parts(raw.pipe, raw.npipe as usize) }.to_vec()
        };
        let command_line = (!raw.cmdline.is_null()).then(|| {
            // SAFETY: the engine sets a string with a NUL at its end.
            unsafe { CStr::from_ptr(raw.cmdline) }.to_bytes().to_vec()
        });
        Self {
            id: raw.id,
            ended: match raw.ended {
                sys::pane_stream_ended_PANE_STREAM_SUBMITTED => Ended::Submitted,
                sys::pane_stream_ended_PANE_STREAM_RUNNING => Ended::Running,
                sys::pane_stream_ended_PANE_STREAM_EXITED => Ended::Exited,
                sys::pane_stream_ended_PANE_STREAM_CANCELLED => Ended::Cancelled,
                sys::pane_stream_ended_PANE_STREAM_LOST => Ended::Lost,
                _ => Ended::Nothing,
            },
            flags: Flags {
                c_missing: flag(sys::PANE_STREAM_C_MISSING),
                alternate: flag(sys::PANE_STREAM_ALTERNATE),
                foreign: flag(sys::PANE_STREAM_FOREIGN),
                overwritten: flag(sys::PANE_STREAM_OVERWRITTEN),
                by_program: flag(sys::PANE_STREAM_BY_PROGRAM),
                finished: flag(sys::PANE_STREAM_FINISHED),
                pane_ended: flag(sys::PANE_STREAM_PANE_ENDED),
                merged: flag(sys::PANE_STREAM_MERGED),
                unmarked: flag(sys::PANE_STREAM_UNMARKED),
            },
            status: u8::try_from(raw.status).ok(),
            mark: known(raw.mark),
            line_start: known(raw.line_start),
            output_start: known(raw.output_start),
            output_end: known(raw.output_end),
            submitted: known(raw.submitted),
            started: known(raw.started),
            finished: known(raw.finished),
            pipe,
            command_line,
        }
    }
}
