//! What is read from a stream: events, bytes and text.

use std::ops::Range;

use amux::stream::{Event, Options, Record, Renderer, Rendering, Scanner, Text, clean};

use crate::life::{Life, model_knows};
use crate::model;

/// So many places of a stream are looked at more closely.
const PLACES: usize = 4;

/// The model's time grows with every byte.
const MOST_BYTES_OF_MODEL: usize = 16 * 1024;

/// Looks whether everything that can be read of a stream is as it has to be.
pub fn check(life: &Life) {
    let events = check_events(life);
    check_raw(life);
    check_escapes(life);
    check_clean(life, &events);
}

/// Scans in two ways, and asks the model.
fn check_events(life: &Life) -> Vec<Event> {
    let mut all = Vec::new();
    let mut start = 0;
    for end in life.ends.iter().copied().chain([life.bytes.len()]) {
        let bytes = &life.bytes[start..end];
        let offset = life.offset + start as u64;
        let scan = |len: usize| -> Vec<Event> {
            let mut scanner = Scanner::new(offset).expect("memory is there");
            bytes
                .chunks(len)
                .flat_map(|piece| scanner.scan(piece))
                .collect()
        };
        let events = scan(bytes.len().max(1));
        assert_eq!(events, scan(1), "pieces make a difference");
        if bytes.len() <= MOST_BYTES_OF_MODEL {
            let known = model::marks::events(bytes, offset)
                .into_iter()
                .map(|(_, event)| event);
            assert_eq!(events, known.collect::<Vec<_>>(), "the model differs");
        }
        all.extend(events);
        start = end;
    }
    let place = |event: &Event| match event {
        Event::Mark(mark) => mark.bytes.end,
        Event::Alternate { offset, .. } => *offset,
    };
    assert!(all.is_sorted_by_key(place), "{all:?}");
    let total = life.whole.total();
    for event in &all {
        assert!(
            (life.offset + 2..=total).contains(&place(event)),
            "{event:?}"
        );
    }
    all
}

/// A few places of the stream, in their order, from what it keeps first to its end.
fn places(life: &Life) -> Vec<u64> {
    let (oldest, total) = (life.whole.oldest(), life.whole.total());
    let mut places: Vec<u64> = life
        .bytes
        .iter()
        .take(PLACES)
        .map(|&byte| oldest + (total - oldest) * u64::from(byte) / 255)
        .collect();
    places.extend([oldest, total]);
    places.sort_unstable();
    places
}

/// The bytes of a range that a stream still has.
fn kept(life: &Life, range: Range<u64>) -> &[u8] {
    let to = range.end.min(life.whole.total());
    let from = range.start.max(life.whole.oldest()).min(to);
    &life.bytes[(from - life.offset) as usize..(to - life.offset) as usize]
}

fn check_raw(life: &Life) {
    let stream = &life.whole;
    let (oldest, total) = (stream.oldest(), stream.total());
    let mut ranges = vec![
        life.offset..u64::MAX,
        life.offset..total,
        total..life.offset,
    ];
    ranges.extend(places(life).windows(2).map(|pair| pair[0]..pair[1]));
    ranges.extend(
        stream
            .records()
            .map(|record: Record| record.output(total))
            .take(PLACES),
    );
    for range in ranges {
        let part = stream
            .render(range.clone(), Rendering::Raw, false)
            .expect("memory is there");
        let to = range.end.min(total);
        if range.start <= to {
            assert!(
                part.bytes == kept(life, range.clone()),
                "raw bytes of {range:?}"
            );
            assert_eq!(part.end, to);
            assert_eq!(part.missing, range.start.max(oldest).min(to) - range.start);
        } else {
            assert_eq!((part.bytes.len(), part.missing), (0, 0));
        }
        assert!(!part.alternate);
    }
    let mut peeked: Vec<u8> = Vec::new();
    while let piece @ [_, ..] = stream.peek(oldest + peeked.len() as u64) {
        peeked.extend(piece);
    }
    assert!(peeked == kept(life, 0..u64::MAX), "what is peeked at");
    assert!(stream.peek(total).is_empty() && stream.peek(oldest.wrapping_sub(1)).is_empty());
}

/// With escapes, a longer sequence is passed on before its end: what is read next begins inside it, and a DCS that
/// has none is given one.
const LONG_SEQUENCE: usize = 4096;

/// Reads on from place to place: that loses nothing, and adds nothing.
fn check_escapes(life: &Life) {
    let stream = &life.whole;
    let total = stream.total();
    let all = stream.render(stream.oldest()..total, Rendering::Escapes, true);
    let all = all.expect("memory is there");
    assert_eq!((all.end, all.alternate), (total, false));
    let bytes = kept(life, 0..u64::MAX);
    let sequences = model::parse::parse(bytes);
    let long = sequences
        .iter()
        .any(|found| found.bytes.len() > LONG_SEQUENCE);
    let mut read: Vec<u8> = Vec::new();
    let mut from = stream.oldest();
    for place in places(life) {
        let range = from..place.max(from);
        let part = stream.render(range.clone(), Rendering::Escapes, place == total);
        let part = part.expect("memory is there");
        assert!(range.start <= part.end && part.end <= range.end);
        read.extend(part.bytes);
        from = part.end;
    }
    let shown = |bytes: &[u8]| bytes.escape_ascii().to_string();
    assert!(
        long || read == all.bytes,
        "{} instead of {}",
        shown(&read),
        shown(&all.bytes)
    );
    if !long && bytes.len() <= MOST_BYTES_OF_MODEL {
        let (known, _) = model::text::escapes(bytes, true);
        assert_eq!(
            all.bytes.escape_ascii().to_string(),
            known.escape_ascii().to_string()
        );
    }
}

fn rendered<'a>(pieces: impl Iterator<Item = &'a [u8]>, options: Options) -> Text {
    let mut renderer = Renderer::new(options).expect("memory is there");
    let fed = pieces
        .into_iter()
        .try_for_each(|piece| renderer.feed(piece));
    fed.and_then(|()| renderer.finish())
        .expect("memory is there")
}

fn check_clean(life: &Life, events: &[Event]) {
    let stream = &life.whole;
    let total = stream.total();
    let bytes = kept(life, 0..u64::MAX);
    let first = stream.oldest();
    let switched = |at: u64| {
        events.iter().rev().find_map(|event| match event {
            Event::Alternate { on, offset } if *offset <= at => Some(*on),
            _ => None,
        })
    };
    let switches = events
        .iter()
        .filter(|event| matches!(event, Event::Alternate { .. }))
        .count();
    // A stream remembers the last 64 switches, and each end of its process is one.
    let remembered = switches < 60 && life.ends.is_empty();
    for last in [false, true] {
        let alternate = remembered && switched(first) == Some(true);
        let options = Options {
            escapes: false,
            last,
            alternate,
        };
        let text = rendered(bytes.chunks(bytes.len().max(1)), options);
        assert_eq!(
            text,
            rendered(bytes.chunks(1), options),
            "pieces make a difference"
        );
        check_text(&text.bytes);
        if bytes.len() <= MOST_BYTES_OF_MODEL
            && String::from_utf8_lossy(bytes).chars().all(model_knows)
        {
            let known = model::text::clean(bytes, last, alternate);
            assert_eq!(
                text.bytes.escape_ascii().to_string(),
                known.text.as_bytes().escape_ascii().to_string()
            );
            assert_eq!(
                (text.unused, text.alternate),
                (known.unused, known.alternate)
            );
        }
        if !remembered {
            continue;
        }
        let whole = stream
            .render(first..total, Rendering::Clean, last)
            .expect("memory is there");
        assert_eq!(whole.bytes, text.bytes);
        assert_eq!(whole.end, total - text.unused as u64);
        assert_eq!(whole.alternate, text.alternate);
        // Reading on behind a line end is reading all.
        let newlines = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        for (at, _) in newlines.take(PLACES) {
            let place = first + at as u64 + 1;
            let before = stream
                .render(first..place, Rendering::Clean, false)
                .expect("memory is there");
            if before.end != place || switched(place) == Some(true) {
                continue;
            }
            let after = stream
                .render(place..total, Rendering::Clean, last)
                .expect("memory is there");
            let both = [before.bytes, after.bytes].concat();
            assert_eq!(
                both.escape_ascii().to_string(),
                text.bytes.escape_ascii().to_string(),
                "read on at {place}"
            );
        }
    }
}

/// Looks whether bytes are clean: UTF-8, nothing that moves, and the same when they are rendered again.
fn check_text(bytes: &[u8]) {
    let text = str::from_utf8(bytes).expect("clean text is UTF-8");
    let moves = |c: char| c.is_control() && c != '\n' && c != '\t';
    assert!(!text.contains(moves), "{text:?}");
    assert_eq!(
        clean(bytes).escape_ascii().to_string(),
        bytes.escape_ascii().to_string()
    );
}
