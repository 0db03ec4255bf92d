//! What a pane looks like now, and what it says of its program.

use std::cell::OnceCell;
use std::time::Duration;

use crate::exec::clock;
use crate::exec::terminal::{self, Modes};
use crate::state::{Activity, InputMode};
use crate::stream::{Phase, Readiness};

use super::{Follow, Input, QUIET_CONTINUATION, QUIET_MARKED, QUIET_NOTHING};

/// A pane at one moment: the terminal and the table of processes are each asked
/// once at most.
pub(crate) struct Glance<'a> {
    follow: &'a Follow,
    modes: OnceCell<Option<Modes>>,
    front: OnceCell<Option<u32>>,
}

impl Follow {
    /// Looks at the pane.
    pub(crate) fn glance(&self) -> Glance<'_> {
        Glance {
            follow: self,
            modes: OnceCell::new(),
            front: OnceCell::new(),
        }
    }

    /// Has nothing come, and nothing been written, for a time?
    pub(super) fn quiet_for(&self, quiet: Duration) -> bool {
        let last = self.stream.last_append().unwrap_or(0).max(self.written);
        let passed = clock::monotonic().saturating_sub(last);
        u128::from(passed) >= quiet.as_nanos()
    }

    pub(super) fn prompt_marked(&self) -> bool {
        matches!(self.stream.phase(), Phase::Prompt | Phase::Input)
    }

    /// The process group of the shell: the one that showed the last prompt, or the
    /// pane's own process where no prompt was marked.
    fn shell_group(&self) -> u32 {
        self.shell.unwrap_or(self.pid)
    }
}

impl Glance<'_> {
    fn modes(&self) -> Option<Modes> {
        *self.modes.get_or_init(|| self.follow.terminal.modes())
    }

    /// Returns the process group in the foreground.
    fn front(&self) -> Option<u32> {
        *self.front.get_or_init(|| self.follow.terminal.foreground())
    }

    /// Must what is typed now stay secret? While the terminal's echo is off,
    /// except where the shell reads a line: its editor echoes by itself.
    pub(crate) fn hides(&self) -> bool {
        match self.modes() {
            Some(modes) if modes.echo => false,
            Some(modes) if !modes.canonical && self.follow.prompt_marked() => {
                self.activity() != Activity::Idle
            }
            _ => true,
        }
    }

    /// Returns whether the terminal collects lines.
    pub(crate) fn canonical(&self) -> bool {
        self.modes().is_some_and(|modes| modes.canonical)
    }

    /// Returns whether the shell has the terminal and reads each key.
    pub(crate) fn reads_keys(&self) -> bool {
        self.shell_in_front() && !self.canonical()
    }

    /// After how long the shell has been seen for a time to have the terminal and to
    /// read keys, with nothing printed: zero where it has, `None` where it does not.
    /// The terminal shows it before the output that came first is here: that has to
    /// go through the server and the pipe.
    pub(super) fn reads_keys_in(&self, time: Duration) -> Option<Duration> {
        let in_front = &self.follow.in_front;
        if !self.reads_keys() {
            in_front.set(None);
            return None;
        }
        let now = clock::monotonic();
        let since = in_front.get().unwrap_or(now);
        in_front.set(Some(since));
        Some(time.saturating_sub(Duration::from_nanos(now.saturating_sub(since))))
    }

    fn has_read_keys_for(&self, time: Duration) -> bool {
        self.reads_keys_in(time) == Some(Duration::ZERO)
    }

    /// Is the shell in the foreground?
    pub(super) fn shell_in_front(&self) -> bool {
        let front = self.front();
        front.is_some() && front == Some(self.follow.shell_group())
    }

    fn shell_computes(&self) -> bool {
        terminal::computes(self.follow.shell_group())
    }

    /// Is something on its way to the program that it has not read?
    pub(super) fn unsent(&self) -> bool {
        self.modes().is_some_and(|modes| modes.waiting != 0)
    }

    /// Returns what the pane does.
    pub(crate) fn activity(&self) -> Activity {
        let Some(modes) = self.modes() else {
            return Activity::Dead;
        };
        if self.follow.stream.pending().is_some() {
            return Activity::Running;
        }
        let front = self.shell_in_front();
        match self.follow.stream.phase() {
            Phase::Output | Phase::Between => Activity::Running,
            // The prompt is written before the shell reads a line.
            Phase::Prompt if !front || modes.canonical => Activity::Running,
            Phase::Input if !front => Activity::Running,
            Phase::Prompt | Phase::Input => Activity::Idle,
            Phase::NoMarks if !front => Activity::Running,
            Phase::NoMarks if modes.canonical => Activity::Unknown,
            Phase::NoMarks => Activity::Idle,
        }
    }

    /// Returns how the terminal takes input.
    pub(crate) fn input(&self) -> Input {
        let Some(modes) = self.modes() else {
            return Input::Known(InputMode::Unknown);
        };
        if modes.canonical {
            return Input::Known(match modes.echo {
                true => InputMode::Canonical,
                false => InputMode::Secret,
            });
        }
        let settled =
            |quiet| self.follow.quiet_for(quiet) && !self.unsent() && !self.shell_computes();
        // Not while the rest of the text is on its way, or is being read.
        if self.follow.stream.continuation() && self.shell_in_front() && settled(QUIET_MARKED) {
            return Input::Continuation;
        }
        if !self.follow.prompt_marked() {
            return Input::Known(match self.activity() {
                Activity::Idle => InputMode::Prompt,
                _ => InputMode::Raw,
            });
        }
        if !self.shell_in_front() {
            return Input::Known(InputMode::Raw);
        }
        // The shell reads a line. Where one was submitted, has been read and
        // neither ran nor brought a prompt, it is not complete.
        let waits = self
            .follow
            .stream
            .pending()
            .is_some_and(|id| self.follow.stream.ready(id) == Readiness::NotReady);
        match waits && settled(QUIET_CONTINUATION) {
            true => Input::Continuation,
            false => Input::Known(InputMode::Prompt),
        }
    }

    /// Is a submission's text not complete?
    pub(crate) fn waits_for_more(&self, id: u64) -> bool {
        (self.follow.prompt_marked() || self.follow.stream.continuation())
            && self.follow.stream.pending() == Some(id)
            && self.input() == Input::Continuation
    }

    /// Returns the name of the program in the foreground.
    pub(crate) fn foreground(&self) -> String {
        self.front().map_or_else(String::new, terminal::name)
    }

    /// Is the shell at a prompt with nothing typed, and nothing on its way to
    /// it? Without marks a prompt cannot be told from a text that was typed, so
    /// a quiet shell that reads keys is all that can be asked for.
    pub(crate) fn at_empty_prompt(&self) -> bool {
        if self.activity() != Activity::Idle || self.unsent() {
            return false;
        }
        if self.follow.stream.phase() == Phase::NoMarks {
            return self.has_read_keys_for(QUIET_NOTHING) && self.follow.quiet_for(QUIET_NOTHING);
        }
        // The end of the prompt is on its way, and the request for bracketed paste
        // with it; or a prompt tool has dropped its mark.
        let begun = self.follow.stream.phase() == Phase::Prompt;
        if begun && !self.has_read_keys_for(QUIET_MARKED) {
            return false;
        }
        if (begun || self.follow.dirty) && !self.follow.quiet_for(QUIET_MARKED) {
            return false;
        }
        self.follow.is_clean() || self.follow.stream.prompt_empty()
    }

    /// Has the command in front ended, but does the shell not read a line yet?
    /// It takes moments.
    pub(crate) fn settles(&self) -> bool {
        if !self.shell_in_front() {
            return false;
        }
        match self.follow.stream.phase() {
            Phase::Between | Phase::Prompt => true,
            Phase::Input => {
                self.input() != Input::Continuation
                    && (self.follow.stream.pending().is_some()
                        || self.unsent()
                        || (self.follow.dirty && !self.follow.quiet_for(QUIET_MARKED)))
            }
            Phase::NoMarks => {
                !self.canonical()
                    && (!self.has_read_keys_for(QUIET_NOTHING)
                        || !self.follow.quiet_for(QUIET_NOTHING)
                        || self.unsent())
            }
            Phase::Output => false,
        }
    }
}
