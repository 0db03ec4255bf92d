//! The record of a prompt, where the shell's hook has left it to who reads the pane.

use std::time::Duration;

use crate::error::Result;
use crate::exec::clock;
use crate::state::Activity;
use crate::stream::{Phase, Record};
use crate::wire::pane::Prompt;

use super::{Earlier, Follow, QUIET_MARKED, QUIET_NOTHING};
use crate::backend::stock::recorder::{Answer, Recorder, Wanted};

/// Quiet after which a prompt that is not recorded yet is not looked for any more,
/// until something is printed.
const QUIET_FOR_GOOD: Duration = Duration::from_secs(5);

/// How often a shell is asked whether it shows the prompt that nobody reads any
/// more: nothing tells.
const LOOK_INTERVAL: Duration = Duration::from_millis(5);

/// What there is to do about a prompt that is not recorded.
pub(crate) enum Recording {
    /// It is told to the server.
    Told(Answer),
    /// To look again, after a time.
    Later(Duration),
}

impl Follow {
    /// Tells the server of a prompt that nobody has recorded, once it is there.
    pub(crate) fn record_prompt(&mut self) -> Option<Recording> {
        self.wanted(self.told_end().as_ref())?;
        if !self.prompt_marked() || self.quiet_for(QUIET_FOR_GOOD) {
            return None;
        }
        if let Some(later) = self.update() {
            return Some(Recording::Later(later));
        }
        let last = self.told_end();
        let wanted = self.wanted(last.as_ref())?;
        let is_there = match wanted {
            // What is typed there already matters to the hook neither.
            Wanted::Next => self.at_prompt(),
            Wanted::NextIfEmpty | Wanted::Other => self.glance().at_empty_prompt(),
        };
        if !is_there {
            if !self.quiet_for(QUIET_MARKED) {
                return Some(Recording::Later(QUIET_MARKED));
            }
            let left = self.glance().reads_keys_in(QUIET_MARKED);
            let left = left.filter(|left| !left.is_zero());
            return left.map(Recording::Later);
        }
        // The hook, or somebody who clears what stands there, may be about to.
        if wanted != Wanted::Next && !self.quiet_for(QUIET_NOTHING) {
            return Some(Recording::Later(QUIET_NOTHING));
        }
        let ended = last.as_ref().map(|record| record.id);
        // What that prompt told is so until another command has ended.
        let earlier = self.earlier.as_ref().and_then(Earlier::prompt);
        let earlier = earlier.filter(|_| self.stream.last_ended().is_none());
        let (status, pipe_statuses) = match (last, earlier) {
            (Some(last), _) => (last.status, last.pipe),
            (None, Some(prompt)) => (prompt.status, prompt.pipe_statuses.clone()),
            (None, None) => (None, Vec::new()),
        };
        let prompt = Prompt {
            status,
            time: clock::unix(),
            pipe_statuses,
        };
        let recorder = self.recorder.as_mut()?;
        Some(Recording::Told(recorder.record(wanted, &prompt, ended)))
    }

    /// The newest command that has ended, with its status. Where that was not seen, it
    /// was printed before the pipe was open, and the hook records it.
    fn told_end(&self) -> Option<Record> {
        let ended = self.stream.last_ended();
        ended.filter(|record| record.status.is_some())
    }

    /// Is a prompt to be recorded, now that this is the newest command that has ended?
    fn wanted(&self, ended: Option<&Record>) -> Option<Wanted> {
        let ended = ended.map(|record| record.id);
        self.recorder.as_ref()?.wants(ended)
    }

    /// Is the shell at a prompt behind which no typed line waits?
    fn at_prompt(&self) -> bool {
        let whole = self.stream.phase() == Phase::Input || self.quiet_for(QUIET_MARKED);
        whole && !self.stream.waiting() && self.glance().activity() == Activity::Idle
    }

    /// Tells the server of the last prompt, now that the pipe is closed. What was
    /// printed behind that is there once the shell reads keys: all of the prompt, or
    /// the rest of it.
    pub(crate) fn record_last_prompt(&mut self) -> Option<Recording> {
        self.wanted(self.told_end().as_ref())?;
        let phase = self.stream.phase();
        if matches!(phase, Phase::Between | Phase::Prompt) {
            let glance = self.glance();
            if !glance.reads_keys() {
                // Else a program of a hook of the user's, and ours has yet to look for
                // the sign; or what was typed ahead.
                return glance
                    .shell_in_front()
                    .then_some(Recording::Later(LOOK_INTERVAL));
            }
        }
        if phase == Phase::Between {
            let shown = self.shown.clone();
            self.append(shown.as_bytes());
        }
        self.record_prompt()
    }

    /// May the hook have left a prompt to us of which nothing has come here yet? The
    /// shell is in front while it looks for the sign.
    pub(crate) fn may_have_left_prompt(&self) -> bool {
        self.recorder.is_some() && self.glance().shell_in_front()
    }

    /// Is the prompt on its way that comes behind the end of a command?
    pub(crate) fn prompt_is_due(&self) -> bool {
        self.recorder.is_some() && self.stream.phase() == Phase::Between
    }

    /// Returns whether the server is being told of a prompt.
    pub(crate) fn is_recording(&self) -> bool {
        self.recorder.as_ref().is_some_and(Recorder::is_recording)
    }

    /// Has the shell's hook leave prompts to us, from now on.
    pub(crate) fn put_sign_up(&mut self) {
        if let Some(recorder) = &mut self.recorder {
            recorder.put_sign_up();
        }
    }

    /// Leaves the prompts to the shell's hook again, from the next one on.
    pub(crate) fn take_sign_down(&mut self) {
        if let Some(recorder) = &mut self.recorder {
            recorder.take_sign_down();
        }
    }

    /// Takes what the server says to that.
    pub(crate) fn note_recorded(&mut self, answer: Result<Vec<u8>>) {
        let Some(recorder) = &mut self.recorder else {
            return;
        };
        if recorder.take(answer) {
            self.note_keys();
        }
    }
}
