//! What programs submit, and how that ends.

use amux::stream::{AtPrompt, Ended, Phase, Readiness};

use super::Commands;
use super::record::Command;

impl Commands {
    pub fn pending(&self) -> Option<u64> {
        let oldest = self.commands.iter().find(|command| command.pending);
        oldest.map(|command| command.record.id)
    }

    /// The oldest submission, if it was made before an offset.
    pub(super) fn pending_at(&mut self, at: u64) -> Option<&mut Command> {
        let id = self.pending()?;
        Some(self.get(id)).filter(|command| command.record.mark.unwrap() <= at)
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

    pub(super) fn settle_one(&mut self, id: u64, at: u64, now: u64, merged: bool) {
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
}
