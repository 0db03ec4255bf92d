//! Marks: the scanner against the model, and what its limits are.

use amux::stream::{Event, Kind, MAX_PAYLOAD, Scanner, Status};
use proptest::prelude::*;

use crate::generate::{any_bytes, cuts, output, pieces};
use crate::model::{marks, payload};

/// All that a scanner finds in pieces of bytes.
fn scan<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, offset: u64) -> Vec<Event> {
    let mut scanner = Scanner::new(offset).unwrap();
    pieces
        .into_iter()
        .flat_map(|piece| scanner.scan(piece))
        .collect()
}

fn expected(bytes: &[u8], offset: u64) -> Vec<Event> {
    marks::events(bytes, offset)
        .into_iter()
        .map(|(_, event)| event)
        .collect()
}

proptest! {
    #[test]
    fn a_scanner_finds_what_the_model_finds(bytes in output(), cuts in cuts()) {
        prop_assert_eq!(scan([&bytes[..]], 0), expected(&bytes, 0));
        prop_assert_eq!(scan(pieces(&bytes, &cuts), 0), expected(&bytes, 0));
    }

    #[test]
    fn pieces_make_no_difference(bytes in any_bytes(), cuts in cuts()) {
        prop_assert_eq!(scan(pieces(&bytes, &cuts), 0), scan([&bytes[..]], 0));
    }

    #[test]
    fn offsets_go_past_32_bits_and_near_64(bytes in output(), back in 0u64..600) {
        for offset in [(1u64 << 32) - back, u64::MAX - 1_000_000 - back] {
            prop_assert_eq!(scan([&bytes[..]], offset), expected(&bytes, offset));
        }
    }

    #[test]
    fn any_payload_is_read_as_the_model_reads_it(
        kind in "[A-DILNPZ]",
        options in prop::collection::vec(
            prop_oneof![
                "[0-9x-]{0,5}",
                "(aid|k|cl|w|err|x)=[a-z0-9]{0,3}",
                "k=[icsrx]", "w=[01]",
                "pipe=[0-9,]{0,9}", "pipe=[0-2]?[0-9](,[0-9]{1,2}){0,40}",
                "cmdline_url=([a-z ]|%[0-9a-fA-F]{0,2}|%00){0,9}",
                r#"cmdline=([a-z]|\\[ -~]|\\;|;|'[a-z;]{0,3}'|"[a-z;\\$]{0,3}"|\$'([a-z']|\\[abcefnrtvxuU0-9'"\\?E]){0,4}'?|\$'\\[xuU][0-9a-fA-F]{1,8}'){0,6}"#,
            ],
            0..5,
        ),
    ) {
        let mut text = kind;
        for option in options {
            text.push(';');
            text += &option;
        }
        let bytes = [b"\x1b]133;", text.as_bytes(), b"\x07"].concat();
        let mark = payload::mark(text.as_bytes(), 0..bytes.len() as u64);
        prop_assert_eq!(scan([&bytes[..]], 0), mark.map(Event::Mark).into_iter().collect::<Vec<_>>());
    }
}

/// The one mark in bytes.
fn one(bytes: &[u8]) -> amux::stream::Mark {
    let mut events = scan([bytes], 0);
    assert_eq!(events.len(), 1, "{events:?}");
    match events.remove(0) {
        Event::Mark(mark) => mark,
        event => panic!("{event:?}"),
    }
}

#[test]
fn a_long_payload_is_cut_and_says_so() {
    for len in [
        MAX_PAYLOAD - 1,
        MAX_PAYLOAD,
        MAX_PAYLOAD + 1,
        10 * MAX_PAYLOAD,
    ] {
        let head = "C;aid=n;cmdline_url=";
        let bytes = format!("\x1b]133;{head}{}\x07", "x".repeat(len - head.len()));
        let mark = one(bytes.as_bytes());
        assert_eq!(mark.cut, len > MAX_PAYLOAD);
        assert_eq!(
            mark.command_line.unwrap().len(),
            len.min(MAX_PAYLOAD) - head.len()
        );
        assert_eq!(mark.aid.as_deref(), Some(b"n".as_slice()));
        assert_eq!(mark.bytes, 0..bytes.len() as u64);
    }
    // An option that is cut might say something else than it did.
    let bytes = format!(
        "\x1b]133;D;0;x={};aid=nonce\x07",
        "x".repeat(MAX_PAYLOAD - 12)
    );
    let mark = one(bytes.as_bytes());
    assert!(mark.cut);
    assert_eq!((mark.status, mark.aid), (Status::Code(0), None));
}

/// Case C20: a mark of 10 MB without an end takes bounded memory, and what follows is found.
#[test]
fn a_mark_without_an_end_hides_nothing_that_follows() {
    let before = amux::stream::memory::live();
    let mut bytes = b"\x1b]133;D;".to_vec();
    bytes.resize(10 << 20, b'x');
    let mut scanner = Scanner::new(0).unwrap();
    for piece in bytes.chunks(4096) {
        assert_eq!(scanner.scan(piece), []);
        // The scanner itself, and one payload of limited length.
        assert!(amux::stream::memory::live() - before <= 2);
    }
    let events = scanner.scan(b"\x1b]133;A\x07");
    assert!(matches!(&events[..], [Event::Mark(mark)] if mark.kind == Kind::Prompt));
}

/// A DCS that does not end is given up after 1 MiB.
#[test]
fn a_dcs_without_an_end_is_given_up() {
    for (filler, found) in [(100, 0), ((1 << 20) - 1, 0), (1 << 20, 1), (3 << 20, 1)] {
        let mut bytes = b"\x1bPq".to_vec();
        bytes.resize(3 + filler - 1, b'x');
        bytes.extend(b"\x1b[?47h");
        assert_eq!(scan([&bytes[..]], 0).len(), found, "{filler}");
        assert_eq!(
            scan(bytes.chunks(1000), 0).len(),
            found,
            "{filler} in pieces"
        );
        assert_eq!(expected(&bytes, 0).len(), found, "{filler} in the model");
    }
}

#[test]
fn a_reset_forgets_what_has_begun() {
    let mut scanner = Scanner::new(0).unwrap();
    assert_eq!(scanner.scan(b"\x1b]133;A"), []);
    scanner.reset();
    assert_eq!(scanner.scan(b"\x07"), []);
    let events = scanner.scan(b"\x1b]133;B\x07");
    assert!(matches!(&events[..], [Event::Mark(mark)] if mark.bytes == (8..16)));
}
