//! The bytes of a stream, its cursor and its counters, against a deque.

use std::collections::VecDeque;

use amux::stream::{DEFAULT_LIMIT, PaneStream, Pool, Rendering};
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Step {
    Append(Vec<u8>),
    Limit(u64),
    Cursor(u64),
    SetMark,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => prop::collection::vec(any::<u8>(), 0..900).prop_map(Step::Append),
        1 => prop::collection::vec(any::<u8>(), 3000..9000).prop_map(Step::Append),
        1 => prop_oneof![Just(0), 1u64..20, 500u64..5000].prop_map(Step::Limit),
        2 => (0u64..1200).prop_map(Step::Cursor),
        1 => Just(Step::SetMark),
    ]
}

/// The deque. `size` is what the ring may keep now: a power of two that has grown.
struct Model {
    kept: VecDeque<u8>,
    total: u64,
    cursor: u64,
    mark: u64,
    dropped: u64,
    limit: u64,
    size: u64,
}

impl Model {
    /// The largest power of two within the limit.
    fn largest(&self) -> u64 {
        if self.limit == 0 {
            0
        } else {
            1 << self.limit.ilog2()
        }
    }

    fn append(&mut self, bytes: &[u8]) {
        let need = (self.kept.len() + bytes.len()) as u64;
        let most = self.largest();
        if need > self.size {
            let mut size = if self.size == 0 { 512 } else { self.size };
            while size < need {
                size *= 2;
            }
            self.size = size.min(most).max(self.size);
        }
        self.kept.extend(bytes);
        self.total += bytes.len() as u64;
        self.trim();
    }

    fn trim(&mut self) {
        let over = (self.kept.len() as u64).saturating_sub(self.size);
        self.kept.drain(..over as usize);
        let oldest = self.oldest();
        if self.cursor < oldest {
            self.dropped += oldest - self.cursor;
            self.cursor = oldest;
        }
    }

    fn oldest(&self) -> u64 {
        self.total - self.kept.len() as u64
    }
}

fn check(stream: &PaneStream, model: &Model) -> Result<(), TestCaseError> {
    prop_assert_eq!(stream.total(), model.total);
    prop_assert_eq!(stream.oldest(), model.oldest());
    prop_assert_eq!(stream.cursor(), model.cursor);
    prop_assert_eq!(stream.mark(), model.mark);
    prop_assert_eq!(stream.dropped(), model.dropped);
    prop_assert_eq!(stream.unread(), model.total - model.cursor);
    prop_assert_eq!(stream.size(), model.size);
    let all = stream.render(0..u64::MAX, Rendering::Raw, true).unwrap();
    prop_assert!(all.bytes.iter().eq(model.kept.iter()));
    prop_assert_eq!(all.end, model.total);
    let mut pieces: Vec<u8> = Vec::new();
    while let piece @ [_, ..] = stream.peek(model.oldest() + pieces.len() as u64) {
        pieces.extend(piece);
    }
    prop_assert!(pieces.iter().eq(model.kept.iter()));
    if model.oldest() > 0 {
        prop_assert!(stream.peek(model.oldest() - 1).is_empty());
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_stream_keeps_what_a_deque_keeps(
        steps in prop::collection::vec(step(), 0..60),
        offset in prop_oneof![Just(0), 0u64..5000, (1u64 << 32) - 5000..1 << 32, u64::MAX - 1_000_000..u64::MAX - 700_000],
    ) {
        let pool = Pool::default();
        let mut stream = PaneStream::at(&pool, offset).unwrap();
        let mut model = Model {
            kept: VecDeque::new(), total: offset, cursor: offset, mark: offset, dropped: 0,
            limit: DEFAULT_LIMIT, size: 0,
        };
        for (time, step) in steps.iter().enumerate() {
            match step {
                Step::Append(bytes) => {
                    stream.append(bytes, time as u64);
                    if !bytes.is_empty() {
                        model.append(bytes);
                        prop_assert_eq!(stream.last_append(), Some(time as u64));
                    }
                }
                Step::Limit(limit) => {
                    stream.set_limit(*limit);
                    model.limit = *limit;
                    model.size = model.size.min(model.largest());
                    model.trim();
                }
                Step::Cursor(back) => {
                    let to = model.total.saturating_sub(*back).saturating_add(100);
                    stream.set_cursor(to);
                    model.cursor = model.cursor.max(to.min(model.total));
                }
                Step::SetMark => {
                    stream.set_mark();
                    model.mark = model.total;
                }
            }
            check(&stream, &model)?;
            prop_assert_eq!(pool.used(), model.size);
        }
        drop(stream);
        prop_assert_eq!(pool.used(), 0);
    }

    #[test]
    fn a_range_is_what_the_deque_has_of_it(
        bytes in prop::collection::vec(any::<u8>(), 0..3000), limit in 0u64..2000, from in 0u64..3100, len in 0u64..3100,
    ) {
        let mut stream = PaneStream::new(&Pool::default()).unwrap();
        stream.set_limit(limit);
        stream.append(&bytes, 0);
        let total = bytes.len() as u64;
        let (oldest, to) = (stream.oldest(), (from + len).min(total));
        let part = stream.render(from..from + len, Rendering::Raw, true).unwrap();
        let first = from.max(oldest).min(to);
        if from < to {
            prop_assert_eq!(part.missing, first - from);
            prop_assert_eq!(&part.bytes[..], &bytes[first as usize..to as usize]);
        } else {
            prop_assert_eq!((part.missing, part.bytes.len()), (0, 0));
        }
        prop_assert_eq!(part.end, to);
    }
}

#[test]
fn the_last_offset_is_never_reached() {
    let mut stream = PaneStream::at(&Pool::default(), u64::MAX - 10).unwrap();
    stream.append(&[b'x'; 100], 0);
    assert_eq!(stream.total(), u64::MAX - 1);
    stream.append(b"y", 1);
    assert_eq!(
        (stream.total(), stream.last_append()),
        (u64::MAX - 1, Some(0))
    );
}

#[test]
fn rings_grow_only_within_the_pool() {
    let pool = Pool::new(10_000);
    let mut streams: Vec<PaneStream> = (0..5).map(|_| PaneStream::new(&pool).unwrap()).collect();
    for round in 0..50 {
        for stream in &mut streams {
            stream.append(&[b'x'; 300], round);
            assert!(pool.used() <= 10_000, "{}", pool.used());
        }
    }
    for stream in &streams {
        assert_eq!(stream.total(), 15_000);
        assert_eq!(stream.dropped() + stream.unread(), 15_000);
        assert!(stream.size() >= 512);
    }
    drop(streams);
    assert_eq!(pool.used(), 0);
}

/// A few streams that are full do not leave nothing for the others: an eighth is for small ones.
#[test]
fn full_streams_leave_something_for_the_others() {
    let total = 64 << 20;
    let pool = Pool::new(total);
    let bytes = vec![b'x'; 16 << 20];
    let streams: Vec<PaneStream> = (0..60)
        .map(|_| {
            let mut stream = PaneStream::new(&pool).unwrap();
            stream.append(&bytes, 0);
            assert!(pool.used() <= total);
            stream
        })
        .collect();
    let kept: Vec<u64> = streams.iter().map(PaneStream::unread).collect();
    assert_eq!(kept[..4], [16 << 20, 16 << 20, 16 << 20, 8 << 20]);
    assert!(kept[4..].iter().all(|&kept| kept == 128 << 10), "{kept:?}");
}

/// A full stream takes what its limit says, and an idle one next to nothing.
#[test]
fn memory_is_what_the_limit_says() {
    let pool = Pool::default();
    let mut stream = PaneStream::new(&pool).unwrap();
    stream.append(&[b'x'; 1000], 0);
    assert_eq!(pool.used(), 1024);
    for _ in 0..40 {
        stream.append(&[b'x'; 1 << 20], 0);
    }
    assert_eq!(pool.used(), DEFAULT_LIMIT);
}
