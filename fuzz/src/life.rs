//! A stream, twice: once it gets what is written as it comes, and once in small pieces. And the model, where it
//! knows enough.

use amux::stream::{MAX_RECORDS, PaneStream, Pool, Readiness};

use crate::facts::{Counters, Finished, Marks};
use crate::input::{Input, Step};
use crate::model::commands::Commands;
use crate::render;

/// The model looks at all bytes again and again: so many are enough.
const MOST_BYTES_OF_MODEL: usize = 4096;

/// Records are looked at after each step while they are few, and then at the end.
const FEW_RECORDS: usize = 40;

/// How the streams have come to what they are.
pub struct Life {
    pub whole: PaneStream,
    pieces: PaneStream,
    model: Option<Commands>,
    pool: Pool,
    /// All that was written, from `offset` on.
    pub bytes: Vec<u8>,
    pub offset: u64,
    /// Where the process ended: what a scanner knows is forgotten there.
    pub ends: Vec<usize>,
    ids: Vec<u64>,
    /// Bytes that were read.
    read: u64,
    limit: u64,
    finished: Finished,
}

/// Does all steps of an input.
pub fn run(input: &Input) {
    let mut life = Life::new(input);
    let mut before = Counters::of(&life.whole);
    for (time, step) in input.steps.iter().enumerate() {
        life.step(step, time as u64);
        let counters = life.check_counters();
        counters.check(&before);
        before = counters;
        if life.whole.count() as usize <= FEW_RECORDS {
            life.check_marks();
        }
    }
    life.check_marks();
    render::check(&life);
    let pool = life.pool.clone();
    drop(life);
    assert_eq!(pool.used(), 0, "the pool has all bytes back");
}

/// Is the model sure about the width of a character?
pub fn model_knows(c: char) -> bool {
    // Not of the soft hyphen.
    matches!(
        u32::from(c),
        0..=0xac | 0xae..0x370 | 0x4e00..0xa000 | 0xac00..0xd7a4 | 0x1f600..0x1f650 | 0xfffd
    )
}

impl Life {
    fn new(input: &Input) -> Self {
        let pool = Pool::default();
        let offset = input.offset;
        let new = |pool: &Pool| PaneStream::at(pool, offset).expect("memory is there");
        let written: Vec<u8> = input
            .steps
            .iter()
            .flat_map(Step::written)
            .copied()
            .collect();
        let model = offset == 0
            && written.len() <= MOST_BYTES_OF_MODEL
            && String::from_utf8_lossy(&written).chars().all(model_knows);
        Self {
            whole: new(&pool),
            // Its ids are its own.
            pieces: new(&Pool::default()),
            model: model.then(Commands::new),
            pool,
            bytes: Vec::new(),
            offset,
            ends: Vec::new(),
            ids: Vec::new(),
            read: 0,
            limit: amux::stream::DEFAULT_LIMIT,
            finished: Finished::default(),
        }
    }

    /// Does the same to all, and looks whether they answer the same.
    fn step(&mut self, step: &Step, now: u64) {
        let (whole, pieces) = (&mut self.whole, &mut self.pieces);
        match step {
            Step::Append(bytes) => {
                whole.append(bytes, now);
                for piece in cut(bytes, now) {
                    pieces.append(piece, now);
                }
                self.bytes.extend(bytes);
                if let Some(model) = &mut self.model {
                    model.append(bytes, now);
                }
            }
            Step::Nonce(aid) => {
                let nonce = aid.as_ref().map(std::slice::from_ref);
                // A string of C ends at its NUL.
                let known = nonce.map(|nonce| if nonce == [0] { &[] } else { nonce });
                for stream in [whole, pieces] {
                    stream.set_nonce(nonce).expect("memory is there");
                }
                if let Some(model) = &mut self.model {
                    model.set_nonce(known);
                }
            }
            Step::Submit(lines, at) => {
                let id = whole.submit(*lines, *at, now);
                assert_eq!(id, pieces.submit(*lines, *at, now));
                if let Some(model) = &mut self.model {
                    assert_eq!(id, model.submit(*lines, *at, now));
                }
                assert!(id.is_some() || self.ids.len() >= MAX_RECORDS);
                self.ids.extend(id);
            }
            Step::Settle(back) => {
                let last = self.ids.last().copied().unwrap_or(0);
                let id = last.saturating_sub(u64::from(*back));
                for stream in [whole, pieces] {
                    stream.settle(id, now);
                    assert!(stream.pending().is_none_or(|pending| pending > id));
                }
                if let Some(model) = &mut self.model {
                    model.settle(id, now);
                }
            }
            Step::SetMark => {
                for stream in [whole, pieces] {
                    stream.set_mark();
                    assert_eq!(stream.mark(), stream.total());
                }
            }
            Step::Read(part) => {
                let before = whole.cursor();
                let to = before + whole.unread() * u64::from(*part) / 255;
                for stream in [whole, pieces] {
                    stream.set_cursor(to);
                    assert_eq!(stream.cursor(), to);
                    // It never moves back, and not behind the end.
                    stream.set_cursor(before.saturating_sub(1));
                    assert_eq!(stream.cursor(), to);
                }
                self.read += to - before;
            }
            Step::Limit(limit) => {
                for stream in [whole, pieces] {
                    stream.set_limit(*limit);
                }
                self.limit = *limit;
            }
            Step::End => {
                for stream in [whole, pieces] {
                    stream.end(now);
                    assert_eq!(stream.pending(), None);
                }
                self.ends.push(self.bytes.len());
                if let Some(model) = &mut self.model {
                    model.end(now);
                }
            }
            Step::Fail(_) => unreachable!("memory is not scarce here"),
        }
    }

    /// Looks where the bytes are.
    fn check_counters(&self) -> Counters {
        let counters = Counters::of(&self.whole);
        assert_eq!(counters, Counters::of(&self.pieces));
        assert_eq!(counters.total - self.offset, self.bytes.len() as u64);
        assert_eq!(
            self.read + counters.dropped + counters.unread,
            self.bytes.len() as u64,
            "every byte was read, was dropped, or waits"
        );
        assert!(counters.size <= self.limit);
        assert_eq!(counters.size, self.pool.used());
        counters
    }

    /// Looks at records, at what is known of the shell, and at what is said of each submission.
    fn check_marks(&mut self) {
        let marks = Marks::of(&self.whole);
        let pieces = Marks::of(&self.pieces);
        assert_eq!(marks, pieces, "pieces make a difference");
        if let Some(model) = &self.model {
            assert_eq!(
                marks,
                Marks::of_model(model, self.whole.oldest()),
                "the model differs"
            );
        }
        marks.check(self.whole.total());
        self.finished.check(&marks.records);
        for record in &marks.records {
            assert_eq!(self.whole.find(record.id).as_ref(), Some(record));
            assert!(!self.whole.forgotten(record.id));
        }
        for &id in &self.ids {
            let ready = self.whole.ready(id);
            assert_eq!(ready, self.pieces.ready(id));
            let found = self.whole.find(id);
            assert_eq!(found.is_none(), self.whole.forgotten(id));
            let finished = found.is_none_or(|record| record.flags.finished);
            assert_eq!(ready == Readiness::Finished, finished);
            if let Some(model) = &self.model {
                assert_eq!(ready, model.ready(id), "the model differs");
            }
        }
    }
}

/// Cuts bytes into pieces, at every byte or into a few at a time.
fn cut(bytes: &[u8], now: u64) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let first = usize::from(*rest.first()?);
        let len = if now.is_multiple_of(2) {
            1
        } else {
            1 + first % 7
        };
        let (piece, after) = rest.split_at(len.min(rest.len()));
        rest = after;
        Some(piece)
    })
}

impl Step {
    /// What the pane writes in it.
    fn written(&self) -> &[u8] {
        match self {
            Self::Append(bytes) => bytes,
            _ => &[],
        }
    }
}
