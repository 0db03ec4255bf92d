//! Records of commands: what marks and submissions make of a stream.

mod cycle;
mod echo;
mod record;
mod submission;

use std::collections::VecDeque;

use amux::stream::{Event, Flags, Kind, Mark, Phase, PromptKind};

use super::marks;
use echo::Echo;
use record::Command;

/// A time at an offset.
type Stamp = (u64, u64);

pub struct Commands {
    bytes: Vec<u8>,
    /// Bytes before that have been looked at, and where the ones that now count begin.
    seen: usize,
    start: usize,
    /// When the bytes up to an offset came.
    times: Vec<Stamp>,

    nonce: Option<Vec<u8>>,
    adopted: Option<Option<Vec<u8>>>,
    pub integrated: bool,
    pub foreign: bool,
    pub waiting: bool,
    pub alternate: bool,
    pub phase: Phase,
    /// Was there ever a prompt, and a B?
    prompted: bool,
    inputs: bool,
    /// The last prompt is not counted until its B comes.
    uncounted: bool,
    /// The last prompt began with its B.
    bare: bool,
    /// The newest mark is a continuation prompt.
    pub secondary: bool,
    /// Where the last prompt begins, and where what is typed there does.
    prompt: Option<u64>,
    input: Option<u64>,
    /// Where the prompt, or what is typed behind it, begins, if neither C nor D came since.
    echo: Option<Echo>,
    /// A B while a submission runs: where it begins and ends.
    stray: Option<(u64, u64)>,
    /// What is to be said of a command that begins without a C.
    so_far: Flags,

    commands: VecDeque<Command>,
    /// Its id.
    open: Option<u64>,
    last_id: u64,
    first_id: Option<u64>,
    forgotten: u64,
}

impl Commands {
    pub fn new() -> Self {
        Self {
            bytes: Vec::new(),
            seen: 0,
            start: 0,
            times: Vec::new(),
            nonce: None,
            adopted: None,
            integrated: false,
            foreign: false,
            waiting: false,
            alternate: false,
            phase: Phase::NoMarks,
            prompted: false,
            prompt: None,
            input: None,
            echo: None,
            stray: None,
            inputs: false,
            uncounted: false,
            bare: false,
            secondary: false,
            so_far: Flags::default(),
            commands: VecDeque::new(),
            open: None,
            last_id: 0,
            first_id: None,
            forgotten: 0,
        }
    }

    fn total(&self) -> u64 {
        self.bytes.len() as u64
    }

    pub fn set_nonce(&mut self, nonce: Option<&[u8]>) {
        self.nonce = nonce.map(<[u8]>::to_vec);
        self.integrated = false;
        self.adopted = None;
    }

    pub fn append(&mut self, bytes: &[u8], now: u64) {
        if bytes.is_empty() {
            return;
        }
        self.bytes.extend(bytes);
        self.times.push((self.total(), now));
        let events = marks::events(&self.bytes[self.start..], self.start as u64);
        let seen = std::mem::replace(&mut self.seen, self.bytes.len());
        for (end, event) in events {
            if self.start + end <= seen {
                continue;
            }
            match event {
                Event::Alternate { on, .. } => self.switch(on),
                Event::Mark(mark) => self.mark(&mark, now),
            }
        }
    }

    fn switch(&mut self, on: bool) {
        self.alternate = on;
        if !on {
            return;
        }
        self.so_far.alternate = true;
        let id = match self.phase {
            Phase::Output => self.open,
            Phase::NoMarks => self.pending(),
            _ => None,
        };
        if let Some(id) = id {
            self.get(id).record.flags.alternate = true;
        }
    }

    fn counts(&mut self, mark: &Mark, now: u64) -> bool {
        if self.nonce.is_some() && mark.aid == self.nonce {
            if !self.integrated && self.adopted.is_some() {
                self.drop_adopted(mark.bytes.start, now);
            }
            self.integrated = true;
            return true;
        }
        if self.integrated {
            return false;
        }
        *self.adopted.get_or_insert_with(|| mark.aid.clone()) == mark.aid
    }

    fn drop_adopted(&mut self, at: u64, now: u64) {
        if self.noise(at) {
            self.remove(self.open.unwrap());
        } else if let Some(command) = self.opened()
            && !command.pending
        {
            if command.running {
                command.lose(at, now);
            }
            command.record.flags.finished = true;
        }
        for command in self.commands.iter_mut().filter(|command| command.pending) {
            command.revert();
        }
        self.adopted = None;
        self.afresh();
    }

    fn afresh(&mut self) {
        self.phase = Phase::NoMarks;
        self.waiting = false;
        self.prompted = false;
        self.inputs = false;
        self.uncounted = false;
        self.bare = false;
        self.secondary = false;
        self.prompt = None;
        self.echo = None;
        self.stray = None;
        self.input = None;
        self.so_far = Flags::default();
        self.open = None;
    }

    fn mark(&mut self, mark: &Mark, now: u64) {
        if !self.counts(mark, now) {
            self.foreign = true;
            self.so_far.foreign = true;
            if self.phase == Phase::Output
                && let Some(command) = self.opened()
            {
                command.record.flags.foreign = true;
            }
            return;
        }
        if mark.prompt != Some(PromptKind::Right) {
            self.secondary = false;
            self.stray = None;
        }
        if matches!(
            mark.kind,
            Kind::Prompt | Kind::NewPrompt | Kind::PromptStart
        ) {
            self.secondary |= matches!(
                mark.prompt,
                Some(PromptKind::Secondary | PromptKind::Continuation)
            );
        }
        let primary = matches!(mark.prompt, None | Some(PromptKind::Initial));
        match mark.kind {
            Kind::Prompt | Kind::NewPrompt | Kind::PromptStart if primary => self.prompt(mark, now),
            Kind::Input | Kind::InputLine => self.input(mark, now),
            Kind::Output => self.begin(mark, now),
            Kind::End => self.finish(mark, now),
            _ => {}
        }
    }
}
