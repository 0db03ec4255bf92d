//! What can be known of a stream, and what always holds of it.

use std::collections::HashMap;

use amux::stream::{Ended, MAX_RECORDS, PaneStream, Phase, Record};

use crate::model::commands::Commands;

/// Where the bytes of a stream are.
#[derive(Debug, PartialEq, Eq)]
pub struct Counters {
    pub total: u64,
    pub oldest: u64,
    pub cursor: u64,
    pub mark: u64,
    pub unread: u64,
    pub dropped: u64,
    pub size: u64,
    pub last_append: Option<u64>,
}

impl Counters {
    pub fn of(stream: &PaneStream) -> Self {
        Self {
            total: stream.total(),
            oldest: stream.oldest(),
            cursor: stream.cursor(),
            mark: stream.mark(),
            unread: stream.unread(),
            dropped: stream.dropped(),
            size: stream.size(),
            last_append: stream.last_append(),
        }
    }

    /// Looks whether these can come after others.
    pub fn check(&self, before: &Self) {
        assert!(
            self.oldest <= self.cursor && self.cursor <= self.total,
            "{self:?}"
        );
        assert_eq!(self.unread, self.total - self.cursor, "{self:?}");
        assert!(self.mark <= self.total, "{self:?}");
        assert!(self.total - self.oldest <= self.size, "{self:?}");
        assert!(self.size == 0 || self.size.is_power_of_two(), "{self:?}");
        assert!(
            before.total <= self.total
                && before.oldest <= self.oldest
                && before.cursor <= self.cursor
                && before.mark <= self.mark
                && before.dropped <= self.dropped,
            "{before:?} before {self:?}"
        );
    }
}

/// What the marks have made of a stream.
#[derive(Debug, PartialEq, Eq)]
pub struct Marks {
    pub phase: Phase,
    /// Waiting, continuation, integrated, foreign, alternate screen, prompt empty.
    pub answers: [bool; 6],
    pub pending: Option<u64>,
    pub records: Vec<Record>,
    pub last: Option<Record>,
    pub last_ended: Option<Record>,
}

impl Marks {
    pub fn of(stream: &PaneStream) -> Self {
        let records: Vec<Record> = stream.records().collect();
        assert_eq!(stream.count() as usize, records.len());
        Self {
            phase: stream.phase(),
            answers: [
                stream.waiting(),
                stream.continuation(),
                stream.integrated(),
                stream.foreign(),
                stream.alternate(),
                stream.prompt_empty(),
            ],
            pending: stream.pending(),
            records,
            last: stream.last(),
            last_ended: stream.last_ended(),
        }
    }

    /// What the model says, for a stream whose oldest byte is this.
    pub fn of_model(model: &Commands, oldest: u64) -> Self {
        Self {
            phase: model.phase,
            answers: [
                model.waiting,
                model.secondary,
                model.integrated,
                model.foreign,
                model.alternate,
                model.prompt_empty(),
            ],
            pending: model.pending(),
            records: model.records(oldest),
            last: model.last(oldest),
            last_ended: model.last_ended(oldest),
        }
    }

    /// Looks whether these fit together, and to a stream that has written so much.
    pub fn check(&self, total: u64) {
        let records = &self.records;
        assert!(records.len() <= MAX_RECORDS);
        assert!(records.is_sorted_by(|a, b| a.id < b.id), "{records:?}");
        records
            .iter()
            .for_each(|record| check_record(record, total));
        // Commands of a person come one after the other.
        let own: Vec<&Record> = records
            .iter()
            .filter(|record| !record.flags.by_program)
            .collect();
        for pair in own.windows(2) {
            assert!(pair[0].output_end <= pair[1].output_start, "{pair:?}");
        }
        let started = |record: &&Record| record.started.is_some();
        assert_eq!(self.last.as_ref(), records.iter().rfind(started));
        let has_ended = |record: &&Record| {
            started(record) && !matches!(record.ended, Ended::Submitted | Ended::Running)
        };
        assert_eq!(self.last_ended.as_ref(), records.iter().rfind(has_ended));
        let pending = records
            .iter()
            .find(|record| record.flags.by_program && !record.flags.finished);
        assert_eq!(self.pending, pending.map(|record| record.id));
    }
}

/// Looks whether a record makes sense by itself.
fn check_record(record: &Record, total: u64) {
    let Record {
        ended,
        flags,
        mark,
        line_start,
        output_start,
        output_end,
        submitted,
        started,
        finished,
        ..
    } = record;
    let known = |offset: &Option<u64>| offset.is_none_or(|offset| offset <= total);
    assert!(
        [mark, line_start, output_start, output_end]
            .into_iter()
            .all(known),
        "{record:?}"
    );
    if let (Some(start), Some(end)) = (output_start, output_end) {
        assert!(start <= end, "{record:?}");
    }
    if let (Some(line), Some(start)) = (line_start, output_start) {
        assert!(line <= start, "{record:?}");
    }
    assert_eq!(flags.by_program, mark.is_some(), "{record:?}");
    assert_eq!(flags.by_program, submitted.is_some(), "{record:?}");
    let over = !matches!(ended, Ended::Submitted | Ended::Running);
    assert_eq!(over, output_end.is_some(), "{record:?}");
    assert_eq!(over, finished.is_some(), "{record:?}");
    assert!(over || !flags.finished, "{record:?}");
    assert_eq!(
        *ended == Ended::Submitted,
        output_start.is_none(),
        "{record:?}"
    );
    assert!(
        record.status.is_none() || *ended == Ended::Exited,
        "{record:?}"
    );
    assert!(record.pipe.is_empty() || over, "{record:?}");
    let times: Vec<u64> = [submitted, started, finished]
        .into_iter()
        .flatten()
        .copied()
        .collect();
    assert!(times.is_sorted(), "{record:?}");
}

/// Records that will not change any more, as they were when they said so.
#[derive(Default)]
pub struct Finished(HashMap<u64, Record>);

impl Finished {
    /// Looks whether those that were finished are as they were. Their output may have been overwritten since.
    pub fn check(&mut self, records: &[Record]) {
        for record in records.iter().filter(|record| record.flags.finished) {
            let known = self.0.entry(record.id).or_insert_with(|| record.clone());
            assert!(record.flags.overwritten || !known.flags.overwritten);
            known.flags.overwritten = record.flags.overwritten;
            if record.flags.overwritten {
                // What zsh wrote behind it is not known any more.
                assert!(record.output_end >= known.output_end);
                known.output_end = record.output_end;
            }
            assert_eq!(record, known);
        }
    }
}
