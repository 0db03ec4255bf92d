//! Time is in proportion to the bytes, whatever they are.
//!
//! Four times the bytes take four times as long where that is so, and sixteen times where each byte looks at all
//! before it. Both sizes are beyond [`MAX_LINE`] and the engine's other limits of 1 MiB: combining characters that
//! stay below are kept as bytes, which costs a tenth of what cells do.

use std::time::Duration;

use amux::stream::{MAX_LINE, Options, PaneStream, Pool, Renderer, Rendering};
use proptest::prelude::*;
use rustix::time::{ClockId, clock_gettime};

use crate::generate::{cuts, output, pieces};

/// How many bytes the smaller input has.
const SMALL: usize = 5 << 18;

/// How many times as many the larger one has.
const TIMES: usize = 4;

const _: () = assert!(SMALL > MAX_LINE);

/// Between a ratio that is linear and one that is quadratic, in the middle.
const MOST: f64 = 10.0;

/// What comes first, how many bytes of that as a part of the whole (0: it comes once), and what is repeated.
type Input = (&'static str, usize, &'static [u8], &'static [u8]);

/// Sequences, with and without an end.
const SEQUENCES: [Input; 10] = [
    ("text in one line", 0, b"", b"x"),
    ("ESC", 0, b"", b"\x1b"),
    ("an OSC without an end", 0, b"\x1b]0;", b"x"),
    ("a mark without an end", 0, b"\x1b]133;D;", b"x"),
    ("a DCS without an end", 0, b"\x1bPq", b"\x1b"),
    ("an APC without an end", 0, b"\x1b_", b"x"),
    ("a CSI without an end", 0, b"\x1b[", b"0"),
    ("a private CSI without an end", 0, b"\x1b[?", b"1;"),
    ("bytes that are no UTF-8", 0, b"", b"x\xff\xe4\xb8x\xc3\r"),
    (
        "prompts on a line",
        0,
        b"",
        b"\x1b]133;A\x07$ \x1b]133;B\x07",
    ),
];

/// What is done to a line.
const LINES: [Input; 13] = [
    ("returns", 0, b"", &returns()),
    ("returns in a long line", 2, b"x", b"\r\x1b[9999Cx"),
    ("left and erase", 0, b"", b"x\x1b[D\x1b[K"),
    ("left and erase in a long line", 2, b"x", b"\x1b[D\x1b[K"),
    ("left and erase one", 0, b"", b"xy\x1b[D\x1b[X"),
    ("erase to the left", 2, b"x", b"\x1b[1K\x08 "),
    ("insertions", 0, b"x", b"\r\x1b[@"),
    ("combining characters", 0, b"e", "\u{301}".as_bytes()),
    ("tabs", 0, b"", b"\t"),
    ("tabs behind the end", 0, b"", b"\x1b[C\t\t\t"),
    ("tabs over a long line, and back", 2, b"x", b"\t\t\t\t\r"),
    ("wide ones overwritten", 0, b"", "\u{4e2d}\x08x".as_bytes()),
    (
        "halves overwritten",
        2,
        "\u{4e2d}".as_bytes(),
        b"\x08\x08y\x08",
    ),
];

/// 250 characters and a return: 40,000 of them in 10 MB.
const fn returns() -> [u8; 251] {
    let mut bytes = [b'x'; 251];
    bytes[250] = b'\r';
    bytes
}

fn bytes(&(_, part, head, piece): &Input, size: usize) -> Vec<u8> {
    let times = match part {
        0 => 1,
        part => size / part / head.len(),
    };
    let mut bytes = head.repeat(times);
    bytes.extend(piece.repeat((size - bytes.len()) / piece.len() + 1));
    bytes.truncate(size);
    bytes
}

/// The processor's time that this thread has used: what else the machine does is not in it.
fn used() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.try_into().unwrap())
}

fn time(work: &impl Fn(&[u8]), bytes: &[u8]) -> Duration {
    let start = used();
    work(bytes);
    used() - start
}

/// Runs both sizes until the shortest time of each is in proportion. One run is enough, but where the caches are
/// taken by others; what is quadratic is so in each.
fn assert_linear(how: &str, input: &Input, work: impl Fn(&[u8])) {
    let small = bytes(input, SMALL);
    let large = bytes(input, SMALL * TIMES);
    let mut least = [Duration::MAX; 2];
    for _ in 0..5 {
        least[0] = least[0].min(time(&work, &small));
        least[1] = least[1].min(time(&work, &large));
        if least[1].as_secs_f64() < MOST * least[0].as_secs_f64() {
            return;
        }
    }
    let what = input.0;
    panic!("{how}, {what}: {least:?} for {SMALL} bytes and {TIMES} times as many");
}

fn assert_rendering_is_linear(how: &str, escapes: bool, inputs: &[Input]) {
    for input in inputs {
        assert_linear(how, input, |bytes| {
            let mut renderer = Renderer::new(Options {
                escapes,
                ..Options::default()
            })
            .unwrap();
            for piece in bytes.chunks(4096) {
                renderer.feed(piece).unwrap();
                drop(renderer.take());
            }
            renderer.finish().unwrap();
        });
    }
}

#[test]
fn clean_text_takes_time_in_proportion() {
    assert_rendering_is_linear("clean", false, &SEQUENCES);
    assert_rendering_is_linear("clean", false, &LINES);
}

#[test]
fn text_with_escapes_takes_time_in_proportion() {
    // It resolves nothing in a line.
    assert_rendering_is_linear("escapes", true, &SEQUENCES);
}

#[test]
fn appending_takes_time_in_proportion() {
    for input in SEQUENCES.iter().chain(&LINES) {
        assert_linear("appended", input, |bytes| {
            let mut stream = PaneStream::new(&Pool::default()).unwrap();
            // Small, so that fresh memory is not what is measured.
            stream.set_limit(64 << 10);
            bytes.chunks(1024).for_each(|piece| stream.append(piece, 0));
            assert_eq!(stream.total(), bytes.len() as u64);
        });
    }
}

/// A reader asks for what is new, and gets what is cut at the end again and again: not with all that it is.
fn assert_asking_is_linear(how: &str, rendering: Rendering) {
    for input in &SEQUENCES {
        assert_linear(how, input, |bytes| {
            let mut stream = PaneStream::new(&Pool::default()).unwrap();
            let mut read = 0;
            for piece in bytes.chunks(64 << 10) {
                stream.append(piece, 0);
                let range = read..stream.total();
                read = stream.render(range, rendering, false).unwrap().end;
            }
        });
    }
}

#[test]
fn asking_for_what_is_new_takes_time_in_proportion() {
    assert_asking_is_linear("asked for, clean", Rendering::Clean);
}

#[test]
fn asking_with_escapes_takes_time_in_proportion() {
    assert_asking_is_linear("asked for, with escapes", Rendering::Escapes);
}

proptest! {
    /// A stream does not look at what is inside a string without an end; a renderer does. They say the same.
    #[test]
    fn a_range_up_to_the_end_is_what_a_renderer_makes_of_it(bytes in output(), cuts in cuts()) {
        for (rendering, escapes) in [(Rendering::Clean, false), (Rendering::Escapes, true)] {
            let mut stream = PaneStream::new(&Pool::default()).unwrap();
            let mut come = Vec::new();
            for piece in pieces(&bytes, &cuts) {
                stream.append(piece, 0);
                come.extend_from_slice(piece);
                let found = stream.render(0..stream.total(), rendering, false).unwrap();
                let mut renderer = Renderer::new(Options { escapes, ..Options::default() }).unwrap();
                renderer.feed(&come).unwrap();
                let expected = renderer.finish().unwrap();
                prop_assert_eq!(found.bytes, expected.bytes);
                prop_assert_eq!(found.end, (come.len() - expected.unused) as u64);
                prop_assert_eq!(found.alternate, expected.alternate);
            }
        }
    }
}

#[test]
fn what_has_no_end_is_held_back_and_comes_with_its_end() {
    for (head, end) in [
        ("\x1b]0;", "\x07"),
        ("\x1b]133;D;", "\x1b\\"),
        ("\x1bPq", "\x1b\\"),
    ] {
        let mut stream = PaneStream::new(&Pool::default()).unwrap();
        stream.append(b"before", 0);
        stream.append(head.as_bytes(), 0);
        stream.append(&[b'x'; 100_000], 0);
        let found = stream
            .render(0..stream.total(), Rendering::Clean, false)
            .unwrap();
        assert_eq!(
            (&found.bytes[..], found.end),
            (&b"before"[..], 6),
            "{head:?}"
        );
        let found = stream
            .render(6..stream.total(), Rendering::Clean, false)
            .unwrap();
        assert_eq!((&found.bytes[..], found.end), (&b""[..], 6), "{head:?}");
        stream.append(end.as_bytes(), 0);
        stream.append(b"after", 0);
        let found = stream
            .render(6..stream.total(), Rendering::Clean, false)
            .unwrap();
        assert_eq!(
            (&found.bytes[..], found.end),
            (&b"after"[..], stream.total()),
            "{head:?}"
        );
    }
}
