//! That a record is finished is told once.

use amux::stream::{AtPrompt, Ended, MAX_RECORDS, PaneStream, Pool};

const PROMPT: &[u8] = b"\x1b]133;A\x07$ \x1b]133;B\x07";

fn told(stream: &mut PaneStream) -> Vec<u64> {
    let next = || stream.next_finished();
    std::iter::from_fn(next).map(|record| record.id).collect()
}

#[test]
fn each_record_is_told_once_when_it_is_finished() {
    let mut stream = PaneStream::new(&Pool::default()).unwrap();
    stream.append(PROMPT, 0);
    // A person's: the last D before the prompt counts, so only the prompt finishes it.
    stream.append(b"ls\r\n\x1b]133;C\x07out\r\n\x1b]133;D;0\x07", 1);
    assert_eq!(told(&mut stream), []);
    stream.append(PROMPT, 2);
    let record = stream.next_finished().unwrap();
    assert!(
        record.flags.finished && record.status == Some(0),
        "{record:?}"
    );
    assert_eq!(told(&mut stream), []);
    // A program's: it is settled.
    let id = stream.submit(1, AtPrompt::Unknown, 3).unwrap();
    stream.append(b"x\r\n\x1b]133;C\x07\x1b]133;D;3\x07", 4);
    stream.append(PROMPT, 5);
    assert_eq!(told(&mut stream), []);
    stream.settle(id, 6);
    let record = stream.next_finished().unwrap();
    assert_eq!((record.id, record.status), (id, Some(3)));
    // Nothing came of it.
    let id = stream.submit(1, AtPrompt::Unknown, 7).unwrap();
    stream.settle(id, 8);
    let record = stream.next_finished().unwrap();
    assert_eq!((record.id, record.ended), (id, Ended::Nothing));
    // The pane ends, with one that runs and one that waits.
    stream.append(b"y\r\n\x1b]133;C\x07", 9);
    let waits = stream.submit(1, AtPrompt::Unknown, 10).unwrap();
    stream.end(11);
    assert_eq!(told(&mut stream), [waits - 1, waits]);
    stream.end(12);
    assert_eq!(told(&mut stream), []);
}

#[test]
fn what_is_forgotten_before_it_was_told_is_not_told() {
    let mut stream = PaneStream::new(&Pool::default()).unwrap();
    stream.append(PROMPT, 0);
    let runs = MAX_RECORDS + 10;
    for _ in 0..runs {
        stream.append(b"x\r\n\x1b]133;C\x07\x1b]133;D;0\x07", 1);
        stream.append(PROMPT, 2);
    }
    let found = told(&mut stream);
    let last = stream.last().unwrap().id;
    let first = last + 1 - u64::try_from(MAX_RECORDS).unwrap();
    assert_eq!(found, (first..=last).collect::<Vec<_>>());
    stream.append(b"x\r\n\x1b]133;C\x07\x1b]133;D;0\x07", 3);
    stream.append(PROMPT, 4);
    assert_eq!(told(&mut stream), [last + 1]);
}
