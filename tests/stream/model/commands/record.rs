//! The records, and what is known of each until it is settled.

use amux::stream::{AtPrompt, Ended, Flags, MAX_PAYLOAD, MAX_RECORDS, Record};

use super::super::eol;
use super::Commands;

/// A record, and what is known about it until it is settled.
#[derive(Debug, Clone)]
pub(super) struct Command {
    pub(super) record: Record,
    /// A C was its last mark.
    pub(super) running: bool,
    /// A D, or a prompt without one, was seen.
    pub(super) over: bool,
    pub(super) pending: bool,
    /// A D came after it was submitted.
    pub(super) passed: bool,
    /// An empty line was entered before its C.
    pub(super) blank: bool,
    pub(super) at: AtPrompt,
    pub(super) lines: u32,
}

impl Commands {
    pub(super) fn get(&mut self, id: u64) -> &mut Command {
        self.commands
            .iter_mut()
            .find(|command| command.record.id == id)
            .unwrap()
    }

    pub(super) fn opened(&mut self) -> Option<&mut Command> {
        let id = self.open?;
        Some(self.get(id))
    }

    pub(super) fn create(&mut self) -> Option<u64> {
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
            blank: false,
            at: AtPrompt::Unknown,
            lines: 0,
        });
        Some(self.last_id)
    }

    pub(super) fn remove(&mut self, id: u64) {
        self.commands.retain(|command| command.record.id != id);
    }

    /// No more marks for the open record.
    pub(super) fn close(&mut self) {
        if let Some(command) = self.opened()
            && !command.pending
        {
            command.record.flags.finished = true;
        }
        self.open = None;
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
        if let (Some(start), Some(end)) = (record.output_start, record.output_end) {
            let start = start.max(oldest).min(end);
            let output = &self.bytes[start as usize..end as usize];
            record.output_end = Some(start + eol::without(output) as u64);
        }
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
    pub(super) fn lose(&mut self, at: u64, now: u64) {
        self.running = false;
        self.over = true;
        self.record.ended = Ended::Lost;
        self.record.status = None;
        self.record.pipe.clear();
        self.record.output_end = Some(at);
        self.record.finished = Some(now);
    }

    /// It has not started after all.
    pub(super) fn revert(&mut self) {
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

    pub(super) fn add_line(&mut self, line: &[u8]) {
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
