//! What a pane does, from the marks in its output and from its terminal: the
//! rules of tmux-custom (amux-state.c and amux-pane.c in tmux-patches/files),
//! with what can be seen from outside of the server.
//!
//! Nothing here waits. Everything is asked of the terminal anew each time; a
//! look costs microseconds.

use std::time::Duration;

use crate::exec::clock;
use crate::exec::terminal::{self, Modes, Terminal};
use crate::state::{Activity, InputMode};
use crate::stream::{AtPrompt, PaneStream, Phase, Readiness, Record};
use crate::wire::pane::{Pane, Prompt};

use super::audit::Log;
use super::paste::Paste;

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
    /// Since when the shell has been seen to have the terminal and read keys, in
    /// ns of the monotonic clock.
    in_front: Option<u64>,
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
    /// Submissions under way: what they write is told of when they are known to be
    /// sent, and what ends meanwhile behind that.
    sending: u32,
    untold: Vec<Record>,
}

/// What a server tells of those who type in a session.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Typists {
    /// When somebody last attached or typed, in seconds since 1970.
    pub(super) activity: u64,
    /// Somebody has been attached at some time: nobody else can type.
    pub(super) attached: bool,
}

impl From<&Pane> for Typists {
    fn from(pane: &Pane) -> Self {
        Self {
            activity: pane.activity,
            attached: pane.last_attached.is_some(),
        }
    }
}

/// A moment at which the prompt was known to be empty.
#[derive(Debug)]
struct Clean {
    /// [`Typists::activity`] then.
    activity: u64,
    /// That second was over.
    over: bool,
}

/// The newest submission of another controller.
#[derive(Debug)]
pub(super) struct Earlier {
    /// Its id there.
    pub(super) id: u64,
    pub(super) left: Left,
}

/// What is left of a submission when a controller comes.
#[derive(Debug)]
pub(super) enum Left {
    /// The prompt behind it.
    Prompt(Prompt),
    /// It runs, and is the first record here.
    Runs,
    /// Nothing: it was a process's that the pane's has replaced.
    Nothing,
}

impl Earlier {
    pub(super) fn prompt(&self) -> Option<&Prompt> {
        match &self.left {
            Left::Prompt(prompt) => Some(prompt),
            Left::Runs | Left::Nothing => None,
        }
    }

    pub(super) fn runs(&self) -> bool {
        matches!(self.left, Left::Runs)
    }
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
            exact: false,
            dirty: false,
            clean: None,
            typists: Typists::default(),
            looks: 0,
            closed: false,
            ended: false,
            in_front: None,
            late: None,
            outlived: false,
            earlier: None,
            log: None,
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
        self.late.get_or_insert_default();
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
        self.stream.append(bytes, clock::monotonic());
        self.tell_ended(None);
        if self.prompt_marked() {
            self.shell = self.terminal.foreground();
        }
        self.looks = 0;
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
        if !self.dirty && self.at_empty_prompt() {
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
        self.clean = Some(Clean {
            activity: self.typists.activity,
            // It counts seconds: in the same one somebody may type yet.
            over: self.typists.activity < clock::unix(),
        });
    }

    /// Has nobody typed since the prompt was known to be empty?
    fn is_clean(&self) -> bool {
        self.clean.as_ref().is_some_and(|clean| {
            clean.activity == self.typists.activity && (clean.over || !self.typists.attached)
        })
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
        let at = match (self.at_empty_prompt(), several) {
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
        self.in_front = None;
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

    /// Takes a submission back that was never sent. One behind others stays: it
    /// comes to nothing at the prompt that ends them.
    pub(super) fn withdraw(&mut self, id: u64) {
        if self.stream.pending() != Some(id) {
            return;
        }
        self.stream.settle(id, clock::monotonic());
        self.tell_ended(Some(id));
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

    /// Notes that the pane's process has ended.
    pub(super) fn end(&mut self) {
        self.ended = true;
        self.late = None;
        self.stream.end(clock::monotonic());
        self.tell_ended(None);
    }

    /// Settles what has ended. Returns after how long to look again where only
    /// time can tell; `None`: when output comes.
    pub(super) fn update(&mut self) -> Option<Duration> {
        while let Some(id) = self.stream.pending() {
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
        if self.unsent() {
            // The shell has yet to read; its echo may be off.
            return Some(QUIET_WRITES);
        }
        if !self.quiet_for(quiet) {
            return Some(quiet);
        }
        if in_front {
            if !self.reads_keys() {
                self.in_front = None;
                return Some(self.later());
            }
            // The terminal shows it before the output that came first is here:
            // that has to go through the server and the pipe.
            let now = clock::monotonic();
            let since = *self.in_front.get_or_insert(now);
            let passed = Duration::from_nanos(now.saturating_sub(since));
            if passed < quiet {
                return Some(quiet - passed);
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
        match self.input() {
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
        let silent = self.stream.phase() == Phase::NoMarks || self.settles();
        (silent && self.stream.pending().is_none()).then(|| self.later())
    }

    fn modes(&self) -> Option<Modes> {
        self.terminal.modes()
    }

    /// Must what is typed now stay secret? While the terminal's echo is off,
    /// except where the shell reads a line: its editor echoes by itself.
    pub(super) fn hides(&self) -> bool {
        match self.modes() {
            Some(modes) if modes.echo => false,
            Some(modes) if !modes.canonical && self.prompt_marked() => {
                self.activity() != Activity::Idle
            }
            _ => true,
        }
    }

    /// Returns whether the terminal collects lines.
    pub(super) fn canonical(&self) -> bool {
        self.modes().is_some_and(|modes| modes.canonical)
    }

    /// Returns whether the shell has the terminal and reads each key.
    pub(super) fn reads_keys(&self) -> bool {
        self.shell_in_front() && !self.canonical()
    }

    /// Is the shell in the foreground: the group that showed the last prompt, or
    /// the pane's own process where no prompt was marked?
    fn shell_in_front(&self) -> bool {
        let front = self.terminal.foreground();
        front.is_some() && front == Some(self.shell.unwrap_or(self.pid))
    }

    fn shell_computes(&self) -> bool {
        terminal::computes(self.shell.unwrap_or(self.pid))
    }

    /// Is something on its way to the program that it has not read?
    fn unsent(&self) -> bool {
        self.modes().is_some_and(|modes| modes.waiting != 0)
    }

    /// Has nothing come, and nothing been written, for a time?
    fn quiet_for(&self, quiet: Duration) -> bool {
        let last = self.stream.last_append().unwrap_or(0).max(self.written);
        let passed = clock::monotonic().saturating_sub(last);
        u128::from(passed) >= quiet.as_nanos()
    }

    fn prompt_marked(&self) -> bool {
        matches!(self.stream.phase(), Phase::Prompt | Phase::Input)
    }

    /// Returns what the pane does.
    pub(super) fn activity(&self) -> Activity {
        let Some(modes) = self.modes() else {
            return Activity::Dead;
        };
        if self.stream.pending().is_some() {
            return Activity::Running;
        }
        let front = self.shell_in_front();
        match self.stream.phase() {
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
    pub(super) fn input(&self) -> Input {
        let Some(modes) = self.modes() else {
            return Input::Known(InputMode::Unknown);
        };
        if modes.canonical {
            return Input::Known(match modes.echo {
                true => InputMode::Canonical,
                false => InputMode::Secret,
            });
        }
        let settled = |quiet| self.quiet_for(quiet) && !self.unsent() && !self.shell_computes();
        // Not while the rest of the text is on its way, or is being read.
        if self.stream.continuation() && self.shell_in_front() && settled(QUIET_MARKED) {
            return Input::Continuation;
        }
        if !self.prompt_marked() {
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
            .stream
            .pending()
            .is_some_and(|id| self.stream.ready(id) == Readiness::NotReady);
        match waits && settled(QUIET_CONTINUATION) {
            true => Input::Continuation,
            false => Input::Known(InputMode::Prompt),
        }
    }

    /// Is a submission's text not complete?
    pub(super) fn waits_for_more(&self, id: u64) -> bool {
        (self.prompt_marked() || self.stream.continuation())
            && self.stream.pending() == Some(id)
            && self.input() == Input::Continuation
    }

    /// Returns the name of the program in the foreground.
    pub(super) fn foreground(&self) -> String {
        self.terminal
            .foreground()
            .map_or_else(String::new, terminal::name)
    }

    /// Is the shell at a prompt with nothing typed, and nothing on its way to
    /// it? Without marks a prompt cannot be told from a text that was typed, so
    /// a quiet shell that reads keys is all that can be asked for.
    pub(super) fn at_empty_prompt(&self) -> bool {
        if self.activity() != Activity::Idle || self.unsent() {
            return false;
        }
        if self.stream.phase() == Phase::NoMarks {
            return self.quiet_for(QUIET_NOTHING);
        }
        // The end of the prompt is on its way, and the request for bracketed paste
        // with it; or a prompt tool has dropped its mark.
        let begun = self.stream.phase() == Phase::Prompt;
        if (begun || self.dirty) && !self.quiet_for(QUIET_MARKED) {
            return false;
        }
        self.is_clean() || self.stream.prompt_empty()
    }

    /// Has the command in front ended, but does the shell not read a line yet?
    /// It takes moments.
    pub(super) fn settles(&self) -> bool {
        if !self.shell_in_front() {
            return false;
        }
        match self.stream.phase() {
            Phase::Between | Phase::Prompt => true,
            Phase::Input => {
                self.input() != Input::Continuation
                    && (self.stream.pending().is_some()
                        || self.unsent()
                        || (self.dirty && !self.quiet_for(QUIET_MARKED)))
            }
            Phase::NoMarks => {
                !self.canonical() && (!self.quiet_for(QUIET_NOTHING) || self.unsent())
            }
            Phase::Output => false,
        }
    }
}
