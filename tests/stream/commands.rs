//! Records: a stream against the model.

use std::time::{Duration, Instant};

use amux::stream::{AtPrompt, MAX_RECORDS, PaneStream, Phase, Pool, Readiness, Rendering};
use proptest::prelude::*;
use proptest::sample::select;

use crate::generate::{cuts, output, pieces, shell};
use crate::model::commands::Commands;

const AT: [AtPrompt; 3] = [AtPrompt::Unknown, AtPrompt::Empty, AtPrompt::EmptyForLine];

#[derive(Debug, Clone)]
enum Step {
    Append(Vec<u8>),
    Submit(u32, AtPrompt),
    /// Up to one that was submitted so many before the last.
    Settle(u64),
    End,
    Nonce(Option<&'static str>),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => shell().prop_map(Step::Append),
        1 => output().prop_map(Step::Append),
        3 => (0u32..4, select(&AT[..])).prop_map(|(lines, at)| Step::Submit(lines, at)),
        2 => (0u64..3).prop_map(Step::Settle),
        1 => Just(Step::End),
        1 => prop_oneof![Just(None), Just(Some("n"))].prop_map(Step::Nonce),
    ]
}

fn check(stream: &PaneStream, model: &Commands) -> Result<(), TestCaseError> {
    let oldest = stream.oldest();
    prop_assert_eq!(stream.phase(), model.phase);
    prop_assert_eq!(stream.records().collect::<Vec<_>>(), model.records(oldest));
    prop_assert_eq!(stream.count() as usize, model.records(oldest).len());
    prop_assert_eq!(stream.last(), model.last(oldest));
    prop_assert_eq!(stream.last_ended(), model.last_ended(oldest));
    prop_assert_eq!(stream.pending(), model.pending());
    prop_assert_eq!(stream.waiting(), model.waiting);
    prop_assert_eq!(stream.continuation(), model.secondary);
    prop_assert_eq!(stream.integrated(), model.integrated);
    prop_assert_eq!(stream.foreign(), model.foreign);
    prop_assert_eq!(stream.alternate(), model.alternate);
    prop_assert_eq!(stream.prompt_empty(), model.prompt_empty());
    for id in 0..stream.last().map_or(10, |last| last.id + 3) {
        prop_assert_eq!(stream.find(id), model.record(id, oldest));
        prop_assert_eq!(stream.ready(id), model.ready(id));
        prop_assert_eq!(stream.forgotten(id), model.forgotten(id));
    }
    Ok(())
}

proptest! {
    #[test]
    fn records_are_those_of_the_model(
        integrated: bool,
        steps in prop::collection::vec(step(), 0..12),
        cuts in cuts(),
        limit in prop_oneof![Just(u64::MAX), 0u64..200],
    ) {
        let mut stream = PaneStream::new(&Pool::default()).unwrap();
        let mut model = Commands::new();
        stream.set_limit(limit);
        if integrated {
            stream.set_nonce(Some(b"n")).unwrap();
            model.set_nonce(Some(b"n"));
        }
        let mut ids = Vec::new();
        for (time, step) in steps.into_iter().enumerate() {
            let now = time as u64 * 10;
            match step {
                Step::Append(bytes) => {
                    for piece in pieces(&bytes, &cuts) {
                        stream.append(piece, now);
                    }
                    model.append(&bytes, now);
                }
                Step::Submit(lines, at) => {
                    let id = stream.submit(lines, at, now);
                    prop_assert_eq!(id, model.submit(lines, at, now));
                    ids.extend(id);
                    prop_assert_eq!(stream.mark(), stream.total());
                }
                Step::Settle(back) => {
                    let id = ids.last().map_or(0, |id: &u64| id.saturating_sub(back));
                    stream.settle(id, now);
                    model.settle(id, now);
                }
                Step::End => {
                    stream.end(now);
                    model.end(now);
                }
                Step::Nonce(nonce) => {
                    let nonce = nonce.map(str::as_bytes);
                    stream.set_nonce(nonce).unwrap();
                    model.set_nonce(nonce);
                }
            }
            check(&stream, &model)?;
        }
    }

    /// What is read piece by piece as it comes is all that was written, however it is cut.
    #[test]
    fn reading_on_loses_no_bytes(bytes in output(), cuts in cuts()) {
        let mut stream = PaneStream::new(&Pool::default()).unwrap();
        let mut read = Vec::new();
        for piece in pieces(&bytes, &cuts) {
            stream.append(piece, 0);
            let part = stream.render(stream.cursor()..stream.total(), Rendering::Escapes, false).unwrap();
            read.extend(part.bytes);
            stream.set_cursor(part.end);
        }
        let part = stream.render(stream.cursor()..stream.total(), Rendering::Escapes, true).unwrap();
        read.extend(part.bytes);
        let (expected, _) = crate::model::text::escapes(&bytes, true);
        prop_assert_eq!(read.escape_ascii().to_string(), expected.escape_ascii().to_string());
    }
}

/// 1,024 records are kept; what is pending is never forgotten, and there is a limit to it.
#[test]
fn the_oldest_finished_records_are_forgotten() {
    let mut stream = PaneStream::new(&Pool::default()).unwrap();
    stream.append(b"\x1b]133;A\x07\x1b]133;B\x07", 0);
    let kept = stream.submit(1, AtPrompt::Unknown, 0).unwrap();
    let mut last = 0;
    for _ in 0..3 * MAX_RECORDS {
        last = stream.submit(1, AtPrompt::Unknown, 1).unwrap();
        stream.append(
            b"\x1b]133;C\x07x\x1b]133;D;0\x07\x1b]133;A\x07\x1b]133;B\x07",
            2,
        );
        assert!(stream.count() as usize <= MAX_RECORDS);
        if stream.pending() == Some(kept) && last == kept + 1 {
            // All the commands so far were attributed to the oldest; from here on each is its own.
            stream.settle(kept, 3);
        }
        stream.settle(last, 3);
    }
    assert!(stream.forgotten(kept) && stream.find(kept).is_none());
    assert!(!stream.forgotten(last) && stream.find(last).is_some());
    assert!(!stream.forgotten(last + 1) && !stream.forgotten(0));

    let pending: Vec<u64> = std::iter::from_fn(|| stream.submit(1, AtPrompt::Unknown, 4)).collect();
    assert_eq!(pending.len(), MAX_RECORDS);
    assert_eq!(stream.pending(), Some(pending[0]));
    // A command of a person has no place now; it goes to the oldest submission, as any C does.
    stream.append(
        b"\x1b]133;C\x07x\x1b]133;D;0\x07\x1b]133;A\x07\x1b]133;B\x07",
        5,
    );
    assert_eq!(stream.ready(pending[0]), Readiness::Ready);
    stream.settle(pending[0], 6);
    assert!(stream.submit(1, AtPrompt::Unknown, 7).is_some());
    assert!(stream.forgotten(pending[0]));
}

/// Ids are unique among the streams of a pool.
#[test]
fn a_pool_gives_each_command_an_id_of_its_own() {
    let pool = Pool::default();
    let mut streams: Vec<PaneStream> = (0..3).map(|_| PaneStream::new(&pool).unwrap()).collect();
    let mut ids: Vec<u64> = Vec::new();
    for round in 0..20 {
        for stream in &mut streams {
            ids.extend(stream.submit(1, AtPrompt::Empty, round));
            stream.append(b"\x1b]133;A\x07\x1b]133;C\x07\x1b]133;D;0\x07", round);
        }
    }
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((ids.len(), ids[0]), (count, 1));
}

/// The alternate screen is known where a range begins, for the newest switches.
#[test]
fn a_range_that_begins_on_the_alternate_screen_is_left_out() {
    let mut stream = PaneStream::new(&Pool::default()).unwrap();
    stream.append(b"one\r\n\x1b[?1049hfull", 0);
    let inside = stream.total();
    stream.append(b"screen\x1b[?1049ltwo\r\n", 0);
    let part = stream
        .render(inside..stream.total(), Rendering::Clean, true)
        .unwrap();
    assert_eq!(
        (part.bytes.as_slice(), part.alternate),
        (b"two\n".as_slice(), true)
    );
    let all = stream
        .render(0..stream.total(), Rendering::Clean, true)
        .unwrap();
    assert_eq!(
        (all.bytes.as_slice(), all.alternate),
        (b"one\ntwo\n".as_slice(), true)
    );
    for _ in 0..100 {
        stream.append(b"\x1b[?1049h\x1b[?1049l", 0);
    }
    let middle = stream.total();
    stream.append(b"\x1b[?47hx", 0);
    assert!(stream.alternate());
    let at = stream.total();
    stream.append(b"y", 0);
    assert_eq!(
        stream
            .render(at..at + 1, Rendering::Clean, true)
            .unwrap()
            .bytes,
        b""
    );
    assert_eq!(
        stream
            .render(middle..at, Rendering::Clean, true)
            .unwrap()
            .bytes,
        b""
    );
    stream.end(1);
    assert_eq!(
        (stream.alternate(), stream.phase()),
        (false, Phase::NoMarks)
    );
    stream.append(b"new", 2);
    assert_eq!(
        stream
            .render(at + 1..u64::MAX, Rendering::Clean, true)
            .unwrap()
            .bytes,
        b"new"
    );
}

/// Prompts on a line that does not end: each is at its column, and twice as many must not take four times as long.
#[test]
fn prompts_on_one_line_are_linear() {
    let mut stream = PaneStream::new(&Pool::default()).unwrap();
    let bytes = b"\x1b]133;B\x07x\t".repeat(10_000);
    let start = Instant::now();
    stream.append(&bytes, 0);
    let took = start.elapsed();
    assert!(took < Duration::from_secs(20), "{took:?}");
    assert_eq!(
        (stream.phase(), stream.prompt_empty()),
        (Phase::Input, false)
    );
}
