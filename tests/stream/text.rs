//! Text: the renderer against the model, and what its limits are.

use std::time::{Duration, Instant};

use amux::stream::{MAX_LINE, Options, Renderer, Text, clean};
use proptest::prelude::*;

use crate::generate::{any_bytes, cuts, output, pieces};
use crate::model::text;

fn render<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, options: Options) -> Text {
    let mut renderer = Renderer::new(options).unwrap();
    for piece in pieces {
        renderer.feed(piece).unwrap();
    }
    renderer.finish().unwrap()
}

fn shown(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

proptest! {
    #[test]
    fn clean_text_is_that_of_the_model(
        bytes in output(), cuts in cuts(), last: bool, alternate: bool,
    ) {
        let options = Options { escapes: false, last, alternate };
        let expected = text::clean(&bytes, last, alternate);
        for found in [render([&bytes[..]], options), render(pieces(&bytes, &cuts), options)] {
            prop_assert_eq!(shown(&found.bytes), shown(expected.text.as_bytes()));
            prop_assert_eq!(found.unused, expected.unused);
            prop_assert_eq!(found.alternate, expected.alternate);
        }
    }

    #[test]
    fn with_escapes_all_but_the_marks_stays(bytes in output(), cuts in cuts(), last: bool) {
        let options = Options { escapes: true, last, alternate: false };
        let (expected, unused) = text::escapes(&bytes, last);
        for found in [render([&bytes[..]], options), render(pieces(&bytes, &cuts), options)] {
            prop_assert_eq!(shown(&found.bytes), shown(&expected));
            prop_assert_eq!(found.unused, unused);
            prop_assert!(!found.alternate);
        }
    }

    #[test]
    fn pieces_make_no_difference(bytes in any_bytes(), cuts in cuts(), escapes: bool, last: bool) {
        let options = Options { escapes, last, alternate: false };
        prop_assert_eq!(render(pieces(&bytes, &cuts), options), render([&bytes[..]], options));
    }

    #[test]
    fn clean_text_is_utf8(bytes in any_bytes()) {
        prop_assert!(String::from_utf8(clean(&bytes)).is_ok());
    }

    /// Lines long enough to be copied many bytes at a time, with something in each place.
    #[test]
    fn long_lines_are_those_of_the_model(
        lines in prop::collection::vec(("[ -~]{0,90}", any::<prop::sample::Index>(), 0usize..12), 0..20),
        cuts in cuts(),
    ) {
        const INSIDE: [&[u8]; 12] = [
            b"", b"\x1b[31m", b"\t", "é".as_bytes(), "中".as_bytes(), "😀".as_bytes(), b"\xff", b"\r",
            b"\x1b[K", b"\x08", b"\xc2\x85", b"\xe4\xb8",
        ];
        let mut bytes = Vec::new();
        for (line, at, inside) in lines {
            let at = at.index(line.len() + 1);
            let (before, after) = line.as_bytes().split_at(at);
            bytes.extend([before, INSIDE[inside], after, b"\r\n"].concat());
        }
        let expected = text::clean(&bytes, true, false).text;
        let options = Options { last: true, ..Options::default() };
        prop_assert_eq!(shown(&clean(&bytes)), shown(expected.as_bytes()));
        prop_assert_eq!(shown(&render(pieces(&bytes, &cuts), options).bytes), shown(expected.as_bytes()));
    }
}

#[test]
fn a_line_that_is_too_long_goes_on_but_cannot_be_overwritten() {
    let long = vec![b'x'; MAX_LINE];
    let bytes = [&long[..], b"abc\rZ\r\nnext"].concat();
    assert!(clean(&bytes) == [&long[..], b"Zbc\nnext"].concat());

    // Wide characters and tabs take more columns than one, and are not split.
    let wide = "中".repeat(MAX_LINE / 2 - 1);
    let bytes = format!("a{wide}中b\rZ\n");
    assert!(clean(bytes.as_bytes()) == format!("a{wide}Z b\n").into_bytes());
    let tabs = "\t".repeat(MAX_LINE / 8);
    assert!(clean(format!("{tabs}a\tb\rZ").as_bytes()) == format!("{tabs}Z\tb").into_bytes());

    // A line that went on is not empty, so another line ends it.
    assert!(clean(&[&long[..], b"\x1b[A"].concat()) == [&long[..], b"\n"].concat());
    assert!(
        clean(&[&long[..], b"a\x1b[K\r\x1b[K\x1b[Anext"].concat())
            == [&long[..], b"\nnext"].concat()
    );
}

#[test]
fn what_combines_is_bounded_too() {
    let bytes = format!("a\r\x1b[Ca{}", "\u{301}".repeat(MAX_LINE + 5));
    assert!(
        clean(bytes.as_bytes()) == format!("aa{}", "\u{301}".repeat(MAX_LINE + 5)).into_bytes()
    );
}

/// What could be quadratic: twice the bytes must not take four times as long, and all of it has to be quick.
#[test]
fn nothing_is_quadratic() {
    let repeat = |piece: &[u8], len: usize| piece.repeat(len / piece.len());
    let inputs: [(&str, Vec<u8>); 12] = [
        (
            "a line with returns",
            repeat(&[&[b'x'; 250][..], b"\r"].concat(), 10 << 20),
        ),
        (
            "returns at the end of a long line",
            [repeat(b"x", 1 << 20), repeat(b"\r\x1b[9999Cx", 1 << 20)].concat(),
        ),
        ("ESC", repeat(b"\x1b", 10 << 20)),
        (
            "an OSC without an end",
            [b"\x1b]0;".to_vec(), repeat(b"x", 10 << 20)].concat(),
        ),
        (
            "an OSC with ESC",
            [b"\x1b]0;".to_vec(), repeat(b"\x1b]", 10 << 20)].concat(),
        ),
        (
            "a DCS without an end",
            [b"\x1bPq".to_vec(), repeat(b"\x1b", 10 << 20)].concat(),
        ),
        (
            "deletions in a long line",
            [
                repeat(b"x", 1 << 20),
                b"\r".to_vec(),
                repeat(b"\x1b[P", 1 << 20),
            ]
            .concat(),
        ),
        (
            "insertions",
            [b"x\r".to_vec(), repeat(b"\x1b[@", 1 << 20)].concat(),
        ),
        (
            "erasing to the left",
            [repeat(b"x", 1 << 20), repeat(b"\x1b[1K\x08 ", 1 << 20)].concat(),
        ),
        (
            "erasing in a long line",
            [
                repeat("é".as_bytes(), 1 << 20),
                b"\r".to_vec(),
                repeat(b"\x1b[9999X", 1 << 20),
            ]
            .concat(),
        ),
        (
            "combining characters",
            [
                b"x".to_vec(),
                repeat("\u{301}\x08\x1b[C".as_bytes(), 1 << 20),
            ]
            .concat(),
        ),
        ("tabs behind the end", repeat(b"\x1b[C\t\t\t", 1 << 20)),
    ];
    for (what, bytes) in &inputs {
        for escapes in [false, true] {
            let options = Options {
                escapes,
                ..Options::default()
            };
            let start = Instant::now();
            render([&bytes[..]], options);
            let took = start.elapsed();
            // The slowest takes 1 s without optimisation on a busy machine; quadratic ones took minutes.
            assert!(took < Duration::from_secs(20), "{what}: {took:?}");
        }
    }
}

#[test]
fn text_can_be_taken_while_it_comes() {
    let mut renderer = Renderer::new(Options::default()).unwrap();
    assert!(renderer.is_blank());
    renderer.feed(b" \t\n ").unwrap();
    assert!(renderer.is_blank());
    renderer.feed(b"x").unwrap();
    assert!(!renderer.is_blank());
    renderer.feed(&b"0123456789abcde\n".repeat(1000)).unwrap();
    let taken = renderer.take();
    assert!(!taken.is_empty());
    let rest = renderer.finish().unwrap().bytes;
    let all = [taken, rest].concat();
    assert_eq!(
        all,
        [b" \t\n x".as_slice(), &b"0123456789abcde\n".repeat(1000)].concat()
    );
}
