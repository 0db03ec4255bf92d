//! Records of commands: what marks and submissions make of a stream.

use std::collections::VecDeque;

use amux::stream::{
    AtPrompt, Ended, Event, Flags, Kind, MAX_PAYLOAD, MAX_RECORDS, Mark, Phase, PromptKind,
    Readiness, Record, Status,
};

use super::marks;
use super::text;

/// A record, and what is known about it until it is settled.
#[derive(Debug, Clone)]
struct Command {
    record: Record,
    /// A C was its last mark.
    running: bool,
    /// A D, or a prompt without one, was seen.
    over: bool,
    pending: bool,
    /// A D came after it was submitted.
    passed: bool,
    at: AtPrompt,
    lines: u32,
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n')
}

/// What comes behind a mark of a prompt.
#[derive(Debug, Clone)]
struct Echo {
    /// It is the prompt, not what is typed.
    prompt: bool,
    from: u64,
    /// At which column it begins, and on which screen.
    column: usize,
    alternate: bool,
}

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

    /// When did the byte before an offset come?
    fn time(&self, offset: u64) -> u64 {
        self.times.iter().find(|(end, _)| *end >= offset).unwrap().1
    }

    /// What is behind the first LF at or after an offset, if it is not behind another one.
    fn newline(&self, from: u64, before: u64) -> Option<u64> {
        let at = self.bytes[from as usize..]
            .iter()
            .position(|&byte| byte == b'\n')?;
        let after = from + at as u64 + 1;
        (after <= before).then_some(after)
    }

    /// What was typed up to Enter: what is behind its LF, and whether it is anything.
    fn typed(&self, before: u64) -> Option<(u64, bool)> {
        let echo = self.echo.as_ref().filter(|echo| !echo.prompt)?;
        let newline = self.newline(echo.from, before)?;
        let line = self.line(echo, newline - 1);
        let text = text::clean(&line, false, echo.alternate).text;
        let text: String = text.chars().filter(|c| !is_blank(*c)).collect();
        Some((newline, !text.is_empty() && text != "^C"))
    }

    /// The bytes of an echo, at the column where it is.
    fn line(&self, echo: &Echo, to: u64) -> Vec<u8> {
        let bytes = &self.bytes[echo.from as usize..to as usize];
        [vec![b' '; echo.column], bytes.to_vec()].concat()
    }

    pub fn prompt_empty(&self) -> bool {
        let echo = match &self.echo {
            Some(echo) if self.phase == Phase::Input => echo,
            _ => return false,
        };
        let line = self.line(echo, self.total());
        let text = text::clean(&line, false, echo.alternate).text;
        !line.contains(&b'\n') && text.chars().all(is_blank)
    }

    /// What is typed begins behind a B: at the column that its prompt, or the line that it is in, has come to.
    fn echo_input(&mut self, mark: &Mark) {
        let column = self.echo.as_ref().map_or(0, |echo| {
            let line = self.line(echo, mark.bytes.start);
            match echo.prompt || !line.contains(&b'\n') {
                true => text::column(&line, echo.alternate),
                false => 0,
            }
        });
        self.echo = Some(Echo {
            prompt: false,
            from: mark.bytes.end,
            column,
            alternate: self.alternate,
        });
    }

    fn get(&mut self, id: u64) -> &mut Command {
        self.commands
            .iter_mut()
            .find(|command| command.record.id == id)
            .unwrap()
    }

    fn opened(&mut self) -> Option<&mut Command> {
        let id = self.open?;
        Some(self.get(id))
    }

    fn create(&mut self) -> Option<u64> {
        if self.commands.len() == MAX_RECORDS {
            let oldest = self
                .commands
                .iter()
                .position(|command| command.record.flags.finished)?;
            let command = self.commands.remove(oldest).unwrap();
            self.forgotten = self.forgotten.max(command.record.id);
        }
        self.last_id += 1;
        self.first_id.get_or_insert(self.last_id);
        self.commands.push_back(Command {
            record: Record {
                id: self.last_id,
                ended: Ended::Submitted,
                flags: Flags::default(),
                status: None,
                mark: None,
                line_start: None,
                output_start: None,
                output_end: None,
                submitted: None,
                started: None,
                finished: None,
                pipe: Vec::new(),
                command_line: None,
            },
            running: false,
            over: false,
            pending: false,
            passed: false,
            at: AtPrompt::Unknown,
            lines: 0,
        });
        Some(self.last_id)
    }

    fn remove(&mut self, id: u64) {
        self.commands.retain(|command| command.record.id != id);
    }

    pub fn pending(&self) -> Option<u64> {
        let oldest = self.commands.iter().find(|command| command.pending);
        oldest.map(|command| command.record.id)
    }

    /// The oldest submission, if it was made before an offset.
    fn pending_at(&mut self, at: u64) -> Option<&mut Command> {
        let id = self.pending()?;
        Some(self.get(id)).filter(|command| command.record.mark.unwrap() <= at)
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

    /// No more marks for the open record.
    fn close(&mut self) {
        if let Some(command) = self.opened()
            && !command.pending
        {
            command.record.flags.finished = true;
        }
        self.open = None;
    }

    /// Is the open record what shells send before their first prompt?
    fn noise(&mut self, at: u64) -> bool {
        let prompted = self.prompted;
        self.opened().is_some_and(|command| {
            !prompted
                && !command.pending
                && command.running
                && command.record.command_line.is_none()
                && command.record.output_start == Some(at)
        })
    }

    fn prompt(&mut self, mark: &Mark, now: u64) {
        let at = mark.bytes.start;
        // A prompt that is drawn again: nothing was entered since the last.
        let again = match self.phase {
            Phase::Prompt => true,
            Phase::Input => self.typed(at).is_none(),
            _ => false,
        };
        if self.phase == Phase::Output {
            if self.noise(at) {
                self.remove(self.open.unwrap());
                self.open = None;
            } else if let Some(command) = self.opened() {
                command.lose(at, now);
            }
        }
        self.close();
        self.phase = Phase::Prompt;
        self.prompted = true;
        self.prompt = Some(at);
        self.bare = false;
        self.echo = Some(Echo {
            prompt: true,
            from: mark.bytes.end,
            column: 0,
            alternate: self.alternate,
        });
        self.input = None;
        self.waiting = mark.waiting;
        self.so_far = Flags::default();
        if !again {
            // Where there are B's, the shell reads no line before it.
            self.uncounted = self.inputs;
            if !self.uncounted {
                self.count_prompt(at, now);
            }
        }
    }

    fn count_prompt(&mut self, at: u64, now: u64) {
        let Some(command) = self
            .pending_at(at)
            .filter(|command| command.at != AtPrompt::Unknown)
        else {
            return;
        };
        command.lines = command.lines.saturating_sub(1);
        if command.lines == 0 && command.record.started.is_some() {
            let id = command.record.id;
            self.settle_one(id, at, now, false);
        }
    }

    fn input(&mut self, mark: &Mark, now: u64) {
        let at = mark.bytes.start;
        // Of a submission at a prompt the C was true. Was that its prompt, or did it print a B?
        if self.phase == Phase::Output
            && self.opened().is_some_and(|command| {
                command.pending && command.running && command.at != AtPrompt::Unknown
            })
        {
            self.echo_input(mark);
            self.stray = Some((at, mark.bytes.end));
            return;
        }
        // Only of one line: several are drawn again, the prompt with them.
        let refused = self.phase == Phase::Input
            && self.typed(at).is_some_and(|(_, typed)| typed)
            && self
                .pending_at(at)
                .is_some_and(|command| command.at == AtPrompt::EmptyForLine);
        let first = self.prompt.is_none()
            || matches!(self.phase, Phase::Between | Phase::NoMarks)
            || refused;
        self.echo_input(mark);
        if self.phase == Phase::Output
            && let Some(id) = self.open
        {
            let command = self.get(id);
            match (command.pending, command.over) {
                (false, _) => self.remove(id),
                (true, true) => command.running = false,
                (true, false) => command.revert(),
            }
            self.open = None;
        }
        self.close();
        self.phase = Phase::Input;
        self.prompted = true;
        self.input = Some(mark.bytes.end);
        self.so_far = Flags::default();
        self.inputs = true;
        if first {
            self.prompt = Some(at);
            self.bare = true;
            self.waiting = mark.waiting;
        }
        if first || std::mem::take(&mut self.uncounted) {
            self.count_prompt(self.prompt.unwrap(), now);
        }
        self.uncounted = false;
    }

    fn begin(&mut self, mark: &Mark, now: u64) {
        let mut id = self.open.filter(|_| self.phase == Phase::Output);
        if id.is_none() {
            self.close();
            id = self
                .pending_at(mark.bytes.start)
                .map(|command| command.record.id);
            id = id.or_else(|| self.create());
            let (input, alternate) = (self.input.take(), self.alternate);
            if let Some(id) = id {
                let command = self.get(id);
                if command.record.started.is_none() {
                    command.record.started = Some(now);
                    command.record.output_start = Some(mark.bytes.end);
                    command.record.line_start = input;
                    command.record.flags.alternate = false;
                }
                command.running = true;
                command.record.flags.alternate |= alternate;
            }
            self.open = id;
            self.phase = Phase::Output;
            self.echo = None;
            self.foreign = false;
            self.so_far = Flags::default();
        }
        if let (Some(id), Some(line)) = (id, &mark.command_line) {
            self.get(id).add_line(line);
        }
    }

    fn finish(&mut self, mark: &Mark, now: u64) {
        let at = mark.bytes.start;
        if self.phase == Phase::Output && self.noise(at) {
            self.remove(self.open.unwrap());
            self.open = None;
        } else if self.phase != Phase::Output && self.open.is_none() {
            let typed =
                self.phase == Phase::Input && self.typed(at).is_some_and(|(_, typed)| typed);
            self.open = self.pending_at(at).map(|command| command.record.id);
            if self.open.is_none() && typed {
                self.open = self.create();
            }
            if let Some(id) = self.open
                && self.get(id).record.started.is_none()
            {
                self.begin_without_c(id, at, now);
            }
        }
        if let Some(command) = self.opened() {
            command.running = false;
            command.over = true;
            let record = &mut command.record;
            record.output_end = Some(at);
            record.finished = Some(now);
            record.pipe.clone_from(&mark.pipe);
            (record.ended, record.status) = match mark.status {
                Status::Absent => (Ended::Cancelled, None),
                Status::Invalid => (Ended::Exited, None),
                Status::Code(code) => (Ended::Exited, Some(code)),
            };
        }
        for command in self.commands.iter_mut().filter(|command| command.pending) {
            command.passed |= command.record.mark.unwrap() <= at;
        }
        self.phase = Phase::Between;
        self.echo = None;
        self.input = None;
    }

    fn begin_without_c(&mut self, id: u64, at: u64, now: u64) {
        let input = self.input;
        let mark = self.get(id).record.mark;
        // Behind the prompt or the submission, whatever is later.
        let newline = input.max(mark).and_then(|from| self.newline(from, at));
        let started = newline.map_or(now, |newline| self.time(newline));
        let so_far = self.so_far;
        let record = &mut self.get(id).record;
        record.line_start = input;
        record.output_start = Some(newline.unwrap_or(at));
        record.started = Some(started);
        record.flags.c_missing = true;
        record.flags.alternate = so_far.alternate;
        record.flags.foreign |= so_far.foreign;
    }

    pub fn submit(&mut self, lines: u32, at: AtPrompt, now: u64) -> Option<u64> {
        let total = self.total();
        let id = self.create()?;
        let command = self.get(id);
        command.pending = true;
        command.at = at;
        command.lines = lines.max(1);
        command.record.flags.by_program = true;
        command.record.mark = Some(total);
        command.record.submitted = Some(now);
        Some(id)
    }

    pub fn ready(&self, id: u64) -> Readiness {
        let command = self.commands.iter().find(|command| command.record.id == id);
        let Some(command) = command.filter(|command| command.pending) else {
            return Readiness::Finished;
        };
        let at_prompt = matches!(self.phase, Phase::Prompt | Phase::Input)
            && self
                .prompt
                .is_some_and(|prompt| prompt >= command.record.mark.unwrap())
            && !self.waiting
            && !self.secondary;
        match (self.phase, at_prompt, command.record.started) {
            (Phase::NoMarks, ..) => Readiness::Unmarked,
            (Phase::Output, ..)
                if self.open == Some(id) && self.stray.is_some() && !self.secondary =>
            {
                Readiness::IfQuiet
            }
            (_, false, _) => Readiness::NotReady,
            (Phase::Prompt, ..) if self.inputs => Readiness::IfQuiet,
            (_, true, Some(_)) => Readiness::Ready,
            (_, true, None) if command.passed => Readiness::IfCalm,
            (_, true, None) => Readiness::IfQuiet,
        }
    }

    pub fn settle(&mut self, id: u64, now: u64) {
        let mut ran = false;
        while let Some(oldest) = self.pending().filter(|&oldest| oldest <= id) {
            let started = self.get(oldest).record.started.is_some();
            self.settle_one(oldest, self.total(), now, ran);
            ran |= started;
        }
    }

    fn settle_one(&mut self, id: u64, at: u64, now: u64, merged: bool) {
        let unmarked = self.phase == Phase::NoMarks;
        let mark = self.get(id).record.mark.unwrap();
        let newline = self.newline(mark, u64::MAX);
        let prompt = self.prompt.filter(|_| !self.bare);
        let stray = self.stray.filter(|_| self.open == Some(id));
        let command = self.get(id);
        if let (true, Some((start, end))) = (command.running, stray) {
            // It was its prompt.
            command.lose(start, now);
            self.phase = Phase::Input;
            self.prompt = Some(start);
            self.input = Some(end);
            self.bare = true;
            self.stray = None;
        } else if command.running {
            command.lose(at, now);
        } else if !command.over {
            let record = &mut command.record;
            record.finished = Some(now);
            record.output_start = Some(mark);
            record.output_end = Some(mark);
            record.ended = Ended::Nothing;
            record.flags.merged = merged && !unmarked;
            // What the shell had to say about the line that it refused.
            if let (Some(newline), Some(prompt), false) = (newline, prompt, command.passed)
                && newline <= prompt
            {
                record.output_start = Some(newline);
                record.output_end = Some(prompt);
            }
            if unmarked {
                record.output_start = newline.or(Some(mark));
                record.output_end = Some(at);
                record.ended = Ended::Exited;
                record.started = record.submitted;
                record.flags.unmarked = true;
            }
        }
        let command = self.get(id);
        command.record.flags.finished = true;
        command.pending = false;
        if self.open == Some(id) {
            self.open = None;
        }
    }

    pub fn end(&mut self, now: u64) {
        let total = self.total();
        let unmarked = self.phase == Phase::NoMarks;
        let ids: Vec<u64> = self
            .commands
            .iter()
            .map(|command| command.record.id)
            .collect();
        for id in ids {
            let open = self.open == Some(id);
            let command = self.get(id);
            if !command.pending && !open {
                continue;
            }
            let never = command.pending && !command.running && !command.over;
            if never {
                self.settle_one(id, total, now, false);
                let record = &mut self.get(id).record;
                record.flags.pane_ended = true;
                record.ended = Ended::Lost;
                if !unmarked {
                    record.output_start = record.mark;
                    record.output_end = record.mark;
                }
                continue;
            }
            if command.running {
                command.lose(total, now);
                command.record.flags.pane_ended = true;
            }
            command.pending = false;
            command.record.flags.finished = true;
        }
        self.afresh();
        self.adopted = None;
        self.nonce = None;
        self.integrated = false;
        self.foreign = false;
        self.alternate = false;
        self.start = self.bytes.len();
    }

    /// What `oldest` is the oldest byte kept for.
    pub fn record(&self, id: u64, oldest: u64) -> Option<Record> {
        let command = self
            .commands
            .iter()
            .find(|command| command.record.id == id)?;
        let mut record = command.record.clone();
        if command.running {
            record.ended = Ended::Running;
            record.status = None;
            record.output_end = None;
            record.finished = None;
            record.pipe.clear();
        }
        record.flags.overwritten = record.output_start.is_some_and(|start| start < oldest)
            && record.output_start != record.output_end;
        Some(record)
    }

    pub fn records(&self, oldest: u64) -> Vec<Record> {
        let all = self
            .commands
            .iter()
            .map(|command| self.record(command.record.id, oldest).unwrap());
        all.filter(|record| record.ended != Ended::Nothing)
            .collect()
    }

    pub fn last(&self, oldest: u64) -> Option<Record> {
        self.records(oldest)
            .into_iter()
            .rfind(|record| record.started.is_some())
    }

    pub fn last_ended(&self, oldest: u64) -> Option<Record> {
        let has_ended =
            |record: &Record| !matches!(record.ended, Ended::Submitted | Ended::Running);
        self.records(oldest)
            .into_iter()
            .rfind(|record| record.started.is_some() && has_ended(record))
    }

    pub fn forgotten(&self, id: u64) -> bool {
        self.first_id.is_some_and(|first| first <= id)
            && id <= self.forgotten
            && self.commands.iter().all(|command| command.record.id != id)
    }
}

impl Command {
    fn lose(&mut self, at: u64, now: u64) {
        self.running = false;
        self.over = true;
        self.record.ended = Ended::Lost;
        self.record.status = None;
        self.record.pipe.clear();
        self.record.output_end = Some(at);
        self.record.finished = Some(now);
    }

    /// It has not started after all.
    fn revert(&mut self) {
        self.running = false;
        self.over = false;
        self.record = Record {
            id: self.record.id,
            ended: Ended::Submitted,
            flags: Flags {
                by_program: true,
                ..Flags::default()
            },
            status: None,
            mark: self.record.mark,
            line_start: None,
            output_start: None,
            output_end: None,
            submitted: self.record.submitted,
            started: None,
            finished: None,
            pipe: Vec::new(),
            command_line: None,
        };
    }

    fn add_line(&mut self, line: &[u8]) {
        match &mut self.record.command_line {
            None => self.record.command_line = Some(line.to_vec()),
            Some(lines) if lines.len() < MAX_PAYLOAD => {
                lines.push(b'\n');
                lines.extend(line);
            }
            Some(_) => {}
        }
        if let Some(lines) = &mut self.record.command_line {
            lines.truncate(MAX_PAYLOAD);
        }
    }
}
