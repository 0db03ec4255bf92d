//! The cycle of a shell: prompt, input, output, end.

use amux::stream::{AtPrompt, Ended, Flags, Mark, Phase, Status};

use super::Commands;
use super::echo::Echo;
use super::record::Command;

impl Commands {
    /// Is the open record what shells send before their first prompt?
    pub(super) fn noise(&mut self, at: u64) -> bool {
        let prompted = self.prompted;
        self.opened().is_some_and(|command| {
            !prompted
                && !command.pending
                && command.running
                && command.record.command_line.is_none()
                && command.record.output_start == Some(at)
        })
    }

    pub(super) fn prompt(&mut self, mark: &Mark, now: u64) {
        let at = mark.bytes.start;
        // A prompt that is drawn again: nothing was entered since the last.
        let again = match self.phase {
            Phase::Prompt => true,
            Phase::Input => self.typed(at).is_none(),
            _ => false,
        };
        if self.phase == Phase::Output {
            let nothing = |command: &mut Command| {
                !command.pending
                    && command.running
                    && command.blank
                    && command.record.command_line.is_none()
            };
            if self.noise(at) || self.opened().is_some_and(nothing) {
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

    pub(super) fn count_prompt(&mut self, at: u64, now: u64) {
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

    pub(super) fn input(&mut self, mark: &Mark, now: u64) {
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

    pub(super) fn begin(&mut self, mark: &Mark, now: u64) {
        let mut id = self.open.filter(|_| self.phase == Phase::Output);
        if id.is_none() {
            self.close();
            id = self
                .pending_at(mark.bytes.start)
                .map(|command| command.record.id);
            id = id.or_else(|| self.create());
            let (input, alternate) = (self.input.take(), self.alternate);
            let blank = self
                .typed(mark.bytes.start)
                .is_some_and(|(_, typed)| !typed);
            if let Some(id) = id {
                let command = self.get(id);
                if command.record.started.is_none() {
                    command.record.started = Some(now);
                    command.record.output_start = Some(mark.bytes.end);
                    command.record.line_start = input;
                    command.record.flags.alternate = false;
                    command.blank = blank;
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

    pub(super) fn finish(&mut self, mark: &Mark, now: u64) {
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

    pub(super) fn begin_without_c(&mut self, id: u64, at: u64, now: u64) {
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
}
