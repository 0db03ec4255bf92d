//! What a pane does, from the marks in its output and from its terminal: the
//! rules of tmux-custom (amux-state.c and amux-pane.c in tmux-patches/files),
//! with what can be seen from outside of the server.
//!
//! Nothing here waits. Everything is asked of the terminal anew each time; a
//! look costs microseconds.

mod earlier;
mod glance;
mod prompt;
#[cfg(test)]
mod tests;
mod typists;

use std::cell::Cell;
use std::time::Duration;

use crate::command::{self, CommandId};
use crate::exec::clock;
use crate::exec::terminal::{self, Terminal};
use crate::state::InputMode;
use crate::stream::{AtPrompt, PaneStream, Phase, Readiness, Record};

use super::audit::Log;
use super::paste::Paste;
use super::recorder::Recorder;
use super::records;

pub(super) use earlier::{Earlier, Left};
pub(super) use prompt::Recording;
use typists::Clean;
pub(super) use typists::Typists;

/// Quiet after which a prompt counts: behind a payload that did not go out in
/// one write; where no mark tells; behind a mark of a continuation prompt; where
/// nothing marks one.
const QUIET_WRITES: Duration = Duration::from_millis(30);
const QUIET_NOTHING: Duration = Duration::from_millis(250);
const QUIET_MARKED: Duration = Duration::from_millis(150);
const QUIET_CONTINUATION: Duration = Duration::from_millis(500);

/// Most that a terminal is sure to take in one write; tmux keeps the rest in a
/// queue, which cannot be seen.
const ONE_WRITE: usize = 4096;

/// How the terminal takes input, with what only we tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    Known(InputMode),
    /// The shell wants more of what was submitted.
    Continuation,
}

/// A pane that is followed.
#[derive(Debug)]
pub(super) struct Follow {
    pub(super) stream: PaneStream,
    terminal: Terminal,
    pid: u32,
    paste: Paste,
    /// Foreground process group when the shell last showed a prompt.
    shell: Option<u32>,
    /// When we last wrote, in ns of the monotonic clock.
    written: u64,
    /// Newest submission that may not have gone out in one write.
    slow: u64,
    /// The newest submission of ours.
    pub(super) last_id: u64,
    /// Submissions of calls that were given up: sent or not, the server knows.
    in_doubt: Vec<u64>,
    /// Submissions that were never sent, behind others that are not settled yet.
    withdrawn: Vec<u64>,
    /// How the newest input of ours met the prompt.
    exact: bool,
    /// Something of ours may stand at the prompt, or be on its way there: its
    /// echo comes through the server and the pipe.
    dirty: bool,
    /// What was so when the prompt was last known to be empty.
    clean: Option<Clean>,
    /// Who types, as the server last told it.
    typists: Typists,
    /// Where the reader of what is unread has stopped.
    pub(super) read_to: u64,
    /// Looks in a row that found nothing new.
    looks: u32,
    /// The pipe is closed: nothing comes any more.
    pub(super) closed: bool,
    /// The pane's process has ended.
    pub(super) ended: bool,
    /// Since when the shell was seen to have the terminal and read keys, with
    /// nothing printed, in ns of the monotonic clock.
    in_front: Cell<Option<u64>>,
    /// What came after the pane's process had ended: the rest of what it
    /// printed, or the output of another that took its place.
    late: Option<Vec<u8>>,
    /// The pane goes on though its process has ended: a job of its has the
    /// terminal.
    outlived: bool,
    /// What another controller sent before this one came.
    pub(super) earlier: Option<Earlier>,
    /// Where commands that have ended are told of.
    pub(super) log: Option<Log>,
    /// The marks of a prompt of this pane.
    pub(super) shown: String,
    /// What records prompts, where the hook need not.
    pub(super) recorder: Option<Recorder>,
    /// Submissions under way: what they write is told of when they are known to be
    /// sent, and what ends meanwhile behind that.
    sending: u32,
    untold: Vec<Record>,
}

impl Follow {
    pub(super) fn new(stream: PaneStream, terminal: Terminal, pid: u32, paste: bool) -> Self {
        Self {
            read_to: stream.total(),
            stream,
            terminal,
            pid,
            paste: Paste::new(paste),
            shell: None,
            written: 0,
            slow: 0,
            last_id: 0,
            in_doubt: Vec::new(),
            withdrawn: Vec::new(),
            exact: false,
            dirty: false,
            clean: None,
            typists: Typists::default(),
            looks: 0,
            closed: false,
            ended: false,
            in_front: Cell::new(None),
            late: None,
            outlived: false,
            earlier: None,
            log: None,
            shown: String::new(),
            recorder: None,
            sending: 0,
            untold: Vec::new(),
        }
    }

    /// Tells of the commands that have ended, but for one that was never sent.
    fn tell_ended(&mut self, but: Option<u64>) {
        while let Some(record) = self.stream.next_finished() {
            if self.log.is_some() && Some(record.id) != but {
                self.untold.push(record);
            }
        }
        if self.sending == 0
            && let Some(log) = &self.log
        {
            self.untold.drain(..).for_each(|record| log.command(record));
        }
    }

    /// Notes that a submission is no longer under way.
    pub(super) fn end_sending(&mut self) {
        self.sending = self.sending.saturating_sub(1);
        self.tell_ended(None);
    }

    /// Takes output. What comes after the process has ended is put aside until
    /// the server says whose it is, see [`Follow::is_in_doubt`].
    pub(super) fn take(&mut self, bytes: &[u8]) {
        if self.ended {
            // It is another process's.
        } else if let Some(late) = &mut self.late {
            late.extend_from_slice(bytes);
        } else if !self.outlived && terminal::has_ended(self.pid) {
            self.late = Some(bytes.to_vec());
        } else {
            self.append(bytes);
        }
    }

    /// Returns whether the server has to be asked what became of the pane.
    pub(super) fn is_in_doubt(&self) -> bool {
        self.closed || self.ended || self.late.is_some()
    }

    /// Has the server asked, as the pane's process seems to have ended.
    pub(super) fn doubt(&mut self) {
        self.take_sign_down();
        self.late.get_or_insert_default();
    }

    /// Takes for old what the terminal shows: of the output nothing is here that
    /// could be late.
    pub(super) fn trust_terminal(&mut self) {
        self.in_front.set(Some(0));
    }

    /// Takes what was put aside: it is this pane's.
    pub(super) fn take_late(&mut self) {
        if let Some(late) = self.late.take() {
            self.outlived |= !late.is_empty();
            self.append(&late);
        }
    }

    pub(super) fn append(&mut self, bytes: &[u8]) {
        self.paste.feed(bytes);
        let phase = self.stream.phase();
        self.stream.append(bytes, clock::monotonic());
        if phase != self.stream.phase() {
            // A mark has come.
            self.put_sign_up();
        }
        self.tell_ended(None);
        if self.prompt_marked() {
            self.shell = self.terminal.foreground();
        }
        self.looks = 0;
        self.in_front.set(None);
        if matches!(self.stream.phase(), Phase::NoMarks | Phase::Prompt) {
            // A prompt is printed when the shell reads keys.
            self.glance().reads_keys_in(Duration::ZERO);
        }
    }

    /// Counts all that came so far as read.
    pub(super) fn skip(&mut self) {
        self.read_to = self.stream.total();
        self.stream.set_cursor(self.read_to);
        self.stream.set_mark();
    }

    pub(super) fn brackets_pastes(&self) -> bool {
        self.paste.is_on()
    }

    /// Notes what the server says of those who type. A prompt that is empty now
    /// stays so for us until somebody does: its echo may be hidden behind what a
    /// background job prints.
    pub(super) fn note_typists(&mut self, typists: Typists) {
        self.typists = typists;
        if !self.dirty && self.glance().at_empty_prompt() {
            self.note_clean();
        }
    }

    /// Notes that nobody has typed yet: the window was just made. A prompt tool
    /// may replace the first prompt, and the mark of its end with it.
    pub(super) fn note_made(&mut self, typists: Typists) {
        self.typists = typists;
        self.note_clean();
    }

    fn note_clean(&mut self) {
        self.clean = Some(Clean::now(self.typists));
    }

    /// Has nobody typed since the prompt was known to be empty?
    fn is_clean(&self) -> bool {
        self.clean
            .as_ref()
            .is_some_and(|clean| clean.is_so(self.typists))
    }

    /// Notes input that is not a submission at a known prompt.
    pub(super) fn note_input(&mut self) {
        self.note_keys();
        self.stream.set_mark();
    }

    /// Notes keys: nobody knows what they leave at the prompt.
    pub(super) fn note_keys(&mut self) {
        self.written = clock::monotonic();
        self.clean = None;
        self.dirty = true;
        self.exact = false;
    }

    /// Notes a submission, before it is sent. Returns its id; whoever sends it tells
    /// [`Follow::end_sending`] behind it.
    pub(super) fn submit(&mut self, lines: u32, several: bool, size: usize) -> Option<u64> {
        let at = match (self.glance().at_empty_prompt(), several) {
            (true, true) => AtPrompt::Empty,
            (true, false) => AtPrompt::EmptyForLine,
            // Typed ahead, behind nothing but lines of ours: each gets the next
            // prompt but one.
            (false, _) if lines == 1 && self.exact && self.stream.pending().is_some() => {
                AtPrompt::EmptyForLine
            }
            (false, _) => AtPrompt::Unknown,
        };
        let id = self.stream.submit(lines, at, clock::monotonic())?;
        self.sending += 1;
        self.written = clock::monotonic();
        self.in_front.set(None);
        self.exact = at != AtPrompt::Unknown;
        // At an empty prompt: what comes behind it is a new one.
        self.dirty = !self.exact;
        if self.dirty {
            self.clean = None;
        }
        if size > ONE_WRITE {
            self.slow = id;
        }
        self.last_id = id;
        Some(id)
    }

    /// Takes a submission back that was never sent. One behind others goes when they
    /// are settled: the prompt that ends them may be here already, and no other comes.
    pub(super) fn withdraw(&mut self, id: u64) {
        self.withdrawn.push(id);
        while let Some(id) = self.stream.pending() {
            if !self.settle_withdrawn(id) {
                return;
            }
        }
    }

    /// Settles the oldest submission if it was never sent.
    fn settle_withdrawn(&mut self, id: u64) -> bool {
        // Those before it have come to nothing at a prompt.
        self.withdrawn.retain(|&other| other >= id);
        let withdrawn = self.withdrawn.contains(&id);
        if withdrawn {
            self.stream.settle(id, clock::monotonic());
            self.tell_ended(Some(id));
        }
        withdrawn
    }

    /// Notes that nobody knows whether a submission was sent.
    pub(super) fn doubt_sent(&mut self, id: u64) {
        self.in_doubt.push(id);
    }

    /// Takes back what was in doubt, has not started, and is newer than the newest
    /// submission that the server knows of.
    pub(super) fn note_sent(&mut self, newest: u64) {
        for id in std::mem::take(&mut self.in_doubt) {
            let started = |record: Record| record.started.is_some();
            if id > newest && !self.stream.find(id).is_some_and(started) {
                self.withdraw(id);
            }
        }
    }

    /// Returns a record as others know it: what ran when this controller came has the
    /// id that it was sent with.
    pub(super) fn told(&self, found: Record) -> command::Record {
        let ran = self.ran(found.id);
        let mut record = records::record(found);
        if let Some(id) = ran {
            record.id = CommandId::new(id);
        }
        record
    }

    /// The id that another controller has given to a command, if it ran when this one
    /// came.
    pub(super) fn ran(&self, id: u64) -> Option<u64> {
        let earlier = self.earlier.as_ref()?;
        (earlier.ran() == Some(id)).then_some(earlier.id)
    }

    /// Notes an input, by its word, for who records prompts.
    pub(super) fn note_turn(&mut self, turn: &str) {
        if let Some(recorder) = &mut self.recorder {
            recorder.note_input(turn);
        }
    }

    /// Takes an input back that was refused.
    pub(super) fn take_turn_back(&mut self, turn: &str) {
        if let Some(recorder) = &mut self.recorder {
            recorder.take_back(turn);
        }
    }

    /// Notes that the pane's process has ended.
    pub(super) fn end(&mut self) {
        self.ended = true;
        self.recorder = None;
        self.late = None;
        self.stream.end(clock::monotonic());
        self.tell_ended(None);
    }

    /// Settles what has ended. Returns after how long to look again where only
    /// time can tell; `None`: when output comes.
    pub(super) fn update(&mut self) -> Option<Duration> {
        while let Some(id) = self.stream.pending() {
            if self.settle_withdrawn(id) {
                continue;
            }
            match self.settle(id) {
                Some(Duration::ZERO) => {}
                later => return later,
            }
        }
        None
    }

    /// Settles the oldest submission if it has ended: zero then.
    fn settle(&mut self, id: u64) -> Option<Duration> {
        let mut quiet = Duration::ZERO;
        let mut in_front = false;
        match self.stream.ready(id) {
            Readiness::Finished => return Some(Duration::ZERO),
            Readiness::NotReady => return self.look_for_continuation(),
            Readiness::Ready if id <= self.slow => quiet = QUIET_WRITES,
            Readiness::Ready => {}
            Readiness::IfCalm => (quiet, in_front) = (QUIET_WRITES, true),
            Readiness::IfQuiet | Readiness::Unmarked => {
                (quiet, in_front) = (QUIET_NOTHING, true);
            }
        }
        if self.glance().unsent() {
            // The shell has yet to read; its echo may be off.
            return Some(QUIET_WRITES);
        }
        if !self.quiet_for(quiet) {
            return Some(quiet);
        }
        if in_front {
            match self.glance().reads_keys_in(quiet) {
                Some(Duration::ZERO) => {}
                Some(left) => return Some(left),
                None => return Some(self.later()),
            }
        }
        self.stream.settle(id, clock::monotonic());
        self.tell_ended(None);
        Some(Duration::ZERO)
    }

    /// A continuation prompt shows by silence, marked or not.
    fn look_for_continuation(&mut self) -> Option<Duration> {
        let quiet = match self.stream.continuation() {
            true => QUIET_MARKED,
            false if self.prompt_marked() => QUIET_CONTINUATION,
            false => return None,
        };
        if !self.quiet_for(quiet) {
            return Some(quiet);
        }
        match self.glance().input() {
            Input::Continuation => None,
            Input::Known(_) => Some(self.later()),
        }
    }

    /// Less and less often, up to every two seconds.
    pub(super) fn later(&mut self) -> Duration {
        let wait = QUIET_NOTHING * (1 << self.looks);
        self.looks = (self.looks + 1).min(3);
        wait
    }

    /// Returns after how long an empty prompt may show though nothing comes.
    pub(super) fn look_for_prompt(&mut self) -> Option<Duration> {
        let silent = self.stream.phase() == Phase::NoMarks || self.glance().settles();
        if !silent || self.stream.pending().is_some() {
            return None;
        }
        match self.glance().reads_keys_in(QUIET_NOTHING) {
            Some(left) if !left.is_zero() => Some(left),
            _ => Some(self.later()),
        }
    }
}
