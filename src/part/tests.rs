//! Parts, limits and what they say they left out, against a plain model.

use proptest::prelude::*;

use super::*;

fn taken(text: &str, part: Part, limits: Limits) -> (String, Excerpt) {
    let (bytes, excerpt) = take(text.as_bytes().to_vec(), &part, &limits);
    (
        String::from_utf8(bytes).expect("no character is cut"),
        excerpt,
    )
}

fn part(text: &str, part: Part) -> String {
    taken(text, part, Limits::new()).0
}

fn amount(bytes: u64, lines: u64) -> Amount {
    Amount { bytes, lines }
}

#[test]
fn more_newlines_are_counted_than_a_byte_holds() {
    for lines in [254, 255, 256, 511] {
        let text = "\n".repeat(lines);
        let (_, excerpt) = taken(&text, Part::Head(0), Limits::new());
        let lines = lines as u64;
        assert_eq!(excerpt.total, amount(lines, lines));
    }
}

#[test]
fn lines_end_with_a_newline_and_the_last_need_not() {
    for (text, head, tail) in [
        ("", "", ""),
        ("\n", "\n", "\n"),
        ("a", "a", "a"),
        ("a\nb", "a\n", "b"),
        ("a\nb\n", "a\n", "b\n"),
        ("a\n\n", "a\n", "\n"),
    ] {
        assert_eq!(part(text, Part::Head(1)), head, "{text:?}");
        assert_eq!(part(text, Part::Tail(1)), tail, "{text:?}");
        assert_eq!(part(text, Part::Head(9)), text);
        assert_eq!(part(text, Part::Tail(u64::MAX)), text);
        assert_eq!(part(text, Part::Whole), text);
        assert_eq!(part(text, Part::Head(0)), "");
        assert_eq!(part(text, Part::Tail(0)), "");
    }
}

#[test]
fn what_was_left_out_is_told_to_the_byte() {
    let (text, excerpt) = taken("one\ntwo\nthree\nfour", Part::Lines(2..=3), Limits::new());
    assert_eq!(text, "two\nthree\n");
    let [piece] = &excerpt.pieces[..] else {
        panic!("{excerpt:?}")
    };
    assert_eq!((piece.start, piece.end, piece.line), (4, 14, 2));
    assert_eq!(piece.omitted_before, amount(4, 1));
    assert_eq!(excerpt.omitted_after, amount(4, 1));
    assert_eq!(excerpt.omitted, amount(8, 2));
    assert_eq!(excerpt.total, amount(18, 4));
    assert_eq!((excerpt.cut_lines, excerpt.hits.clone()), (0, None));
    assert_eq!(excerpt.gaps().collect::<Vec<_>>(), [0..4, 14..18]);
    assert!(!excerpt.is_whole());
}

#[test]
fn line_that_is_cut_is_not_among_those_left_out() {
    let (text, excerpt) = taken("one\ntwo\nthree\n", Part::Bytes(5..9), Limits::new());
    assert_eq!(text, "wo\nt");
    assert_eq!(excerpt.pieces[0].omitted_before, amount(5, 1));
    assert_eq!(excerpt.omitted_after, amount(5, 0));
    assert_eq!((excerpt.omitted, excerpt.cut_lines), (amount(10, 1), 2));
}

#[test]
fn byte_ranges_that_meet_split_no_character_and_lose_none() {
    let text = "aé中\u{1f980}b";
    for cut in 0..=text.len() as u64 {
        let first = part(text, Part::Bytes(0..cut));
        let second = part(text, Part::Bytes(cut..u64::MAX));
        assert_eq!(first + &second, text, "{cut}");
    }
    // A byte of a character that begins before is none of the range.
    assert_eq!(part(text, Part::Bytes(2..3)), "");
    assert_eq!(part(text, Part::Bytes(1..2)), "é");
}

#[test]
fn bytes_that_are_no_text_are_cut_where_asked() {
    let text = b"\xff\xfe\x80\x80\x80\x80\xe4\xb8".to_vec();
    for cut in 0..text.len() {
        let (bytes, _) = take(text.clone(), &Part::Bytes(0..cut as u64), &Limits::new());
        assert_eq!(bytes, text[..cut]);
    }
}

#[test]
fn hits_come_with_lines_around_and_are_counted() {
    let text = "a\nb\nx1\nc\nx2 x\nd\ne\nf\nx3";
    let find = |search| taken(text, Part::Search(search), Limits::new());
    let (lines, excerpt) = find(Search::new("x"));
    assert_eq!(lines, "x1\nx2 x\nx3");
    let hits = excerpt.hits.unwrap();
    assert_eq!((hits.total, &hits.lines[..]), (3, &[3, 5, 9][..]));
    let (lines, excerpt) = find(Search::new("x").around(1));
    assert_eq!(lines, "b\nx1\nc\nx2 x\nd\nf\nx3");
    let pieces: Vec<_> = excerpt
        .pieces
        .iter()
        .map(|p| (p.line, p.omitted_before))
        .collect();
    assert_eq!(pieces, [(2, amount(2, 1)), (8, amount(2, 1))]);
    let (lines, excerpt) = find(Search::new("x").skip(1).max(1));
    assert_eq!(lines, "x2 x\n");
    let hits = excerpt.hits.unwrap();
    assert_eq!((hits.total, &hits.lines[..]), (3, &[5][..]));
    assert_eq!(find(Search::new("x").around(u64::MAX)).0, text);
    assert_eq!(find(Search::new("nothing")).1.hits.unwrap().total, 0);
    assert_eq!(find(Search::new("")).0, text);
}

#[test]
fn long_line_leaves_room_for_the_others() {
    let text = format!("before\n{}\nafter\n", "x".repeat(119_000));
    let limits = Limits::new().line(100).bytes(1000);
    let (cut, excerpt) = taken(&text, Part::Whole, limits);
    assert_eq!(cut, format!("before\n{}\nafter\n", "x".repeat(100)));
    assert_eq!(
        (excerpt.omitted, excerpt.cut_lines),
        (amount(118_900, 0), 1)
    );
    assert!(excerpt.gaps().eq(std::iter::once(107..119_007)));
    // Where the line has no room, what is left of it goes whole.
    let (cut, excerpt) = taken(&text, Part::Whole, limits.bytes(16));
    assert_eq!(cut, "before\nafter\n");
    assert_eq!(excerpt.omitted, amount(119_001, 1));
}

#[test]
fn cut_line_shows_what_was_searched_for() {
    let text = format!("{}needle{}\r\nb\n", "x".repeat(5000), "y".repeat(5000));
    let search = || Part::Search(Search::new("needle").around(1));
    let (cut, excerpt) = taken(&text, search(), Limits::new().line(10));
    assert_eq!(cut, "xxneedleyy\r\nb\n");
    assert_eq!(excerpt.cut_lines, 1);
    assert_eq!(
        taken(&text, search(), Limits::new().line(3)).0,
        "nee\r\nb\n"
    );
    // At the ends of a line there is less on one side.
    let search = || Part::Search(Search::new("z"));
    assert_eq!(
        taken("z23456789\n", search(), Limits::new().line(5)).0,
        "z2345\n"
    );
    assert_eq!(
        taken("12345678z\n", search(), Limits::new().line(5)).0,
        "5678z\n"
    );
}

#[test]
fn limit_for_the_whole_keeps_the_end_that_was_asked_for() {
    let text: String = (10..30).map(|n| format!("{n}\n")).collect();
    let limits = Limits::new().bytes(14);
    let cut = |part| taken(&text, part, limits).0;
    assert_eq!(cut(Part::Whole), "10\n11\n28\n29\n");
    assert_eq!(cut(Part::Head(10)), "10\n11\n12\n13\n");
    assert_eq!(cut(Part::Tail(10)), "26\n27\n28\n29\n");
    assert_eq!(cut(Part::Lines(5..=15)), "14\n15\n16\n17\n");
    assert_eq!(cut(Part::Search(Search::new("2"))), "12\n20\n21\n22\n");
    assert_eq!(taken(&text, Part::Whole, Limits::new().bytes(0)).0, "");
}

#[test]
fn line_without_an_end_is_cut_rather_than_nothing_returned() {
    let text = "short\n".to_owned() + &"é".repeat(5000);
    let (cut, excerpt) = taken(&text, Part::Whole, Limits::new().bytes(101));
    assert_eq!(cut, format!("short\n{}{}", "é".repeat(22), "é".repeat(25)));
    assert_eq!((excerpt.pieces.len(), excerpt.cut_lines), (2, 1));
}

#[test]
fn parts_that_no_text_can_have_are_refused() {
    for part in [
        Part::Search(Search::new("a\nb")),
        Part::Bytes(Range { start: 2, end: 1 }),
        Part::Lines(RangeInclusive::new(3, 2)),
        Part::Lines(0..=1),
    ] {
        let error = check(&part, "read").unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::InvalidArgument, "{part:?}");
    }
    for part in [Part::Whole, Part::Bytes(1..1), Part::Lines(1..=1)] {
        assert!(check(&part, "read").is_ok());
    }
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => Just(b"\n".to_vec()),
        1 => Just(b"\r\n".to_vec()),
        6 => "[ab]{0,6}".prop_map(String::into_bytes),
        2 => "[aé中\u{1f980}]{0,4}".prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn some_part() -> impl Strategy<Value = Part> {
    let search = ("[abé\u{1f980}]{0,4}", 0u64..4, 0u64..4, 0u64..6);
    prop_oneof![
        Just(Part::Whole),
        (0u64..30).prop_map(Part::Head),
        (0u64..30).prop_map(Part::Tail),
        (1u64..30, 0u64..30).prop_map(|(from, more)| Part::Lines(from..=from + more)),
        (0u64..150, 0u64..150).prop_map(|(from, more)| Part::Bytes(from..from + more)),
        search.prop_map(|(text, around, skip, max)| {
            Part::Search(Search::new(text).around(around).skip(skip).max(max))
        }),
    ]
}

fn lines_of(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').collect()
}

/// What a part without limits must be, by lines.
fn model(text: &[u8], part: &Part) -> Option<Vec<u8>> {
    let lines = lines_of(text);
    let count = lines.len();
    let keeps: Vec<bool> = match part {
        Part::Whole => vec![true; count],
        Part::Head(n) => (0..count).map(|i| i < size(*n)).collect(),
        Part::Tail(n) => (0..count).map(|i| i + size(*n) >= count).collect(),
        Part::Lines(range) => (1..=count as u64).map(|n| range.contains(&n)).collect(),
        Part::Bytes(_) => return None,
        Part::Search(search) => {
            let hits: Vec<_> = (0..count)
                .filter(|&i| contains(lines[i], search.text.as_bytes()))
                .skip(size(search.skip))
                .take(size(search.max))
                .collect();
            let near = |i: usize| {
                hits.iter()
                    .any(|hit| hit.abs_diff(i) <= size(search.around))
            };
            (0..count).map(near).collect()
        }
    };
    let kept = lines.iter().zip(keeps).filter(|(_, keep)| *keep);
    Some(kept.flat_map(|(line, _)| line.to_vec()).collect())
}

fn contains(line: &[u8], string: &[u8]) -> bool {
    string.is_empty() || line.windows(string.len()).any(|window| window == string)
}

/// Counts again, byte by byte and line by line, what an excerpt says.
fn check_accounts(text: &[u8], bytes: &[u8], excerpt: &Excerpt) {
    let mut there = vec![false; text.len()];
    let mut last_end = None;
    let mut built = Vec::new();
    for piece in &excerpt.pieces {
        let (start, end) = (size(piece.start), size(piece.end));
        assert!(start < end && end <= text.len(), "{excerpt:?}");
        assert!(last_end.is_none_or(|last| last < start), "{excerpt:?}");
        last_end = Some(end);
        built.extend_from_slice(&text[start..end]);
        there[start..end].fill(true);
        let before = text[..start].iter().filter(|&&b| b == b'\n').count();
        assert_eq!(piece.line, before as u64 + 1);
    }
    assert_eq!(built, bytes);

    let mut at = 0;
    let (mut left_out, mut cut) = (0, 0);
    for line in lines_of(text) {
        let kept = there[at..at + line.len()].iter().filter(|&&t| t).count();
        left_out += u64::from(kept == 0);
        cut += u64::from(kept > 0 && kept < line.len());
        at += line.len();
    }
    assert_eq!(
        excerpt.omitted,
        amount((text.len() - bytes.len()) as u64, left_out)
    );
    assert_eq!(excerpt.cut_lines, cut);
    assert_eq!(
        excerpt.total,
        amount(text.len() as u64, lines_of(text).len() as u64)
    );
    let mut sum = excerpt.omitted_after;
    for piece in &excerpt.pieces {
        sum.bytes += piece.omitted_before.bytes;
        sum.lines += piece.omitted_before.lines;
    }
    assert_eq!(sum, excerpt.omitted);
    let gaps: u64 = excerpt.gaps().map(|gap| gap.end - gap.start).sum();
    assert_eq!(gaps, excerpt.omitted.bytes);
    assert_eq!(excerpt.is_whole(), bytes.len() == text.len());
}

proptest! {
    #[test]
    fn part_is_the_lines_that_it_names(text in text(), part in some_part()) {
        let (bytes, excerpt) = take(text.clone(), &part, &Limits::new());
        if let Some(expected) = model(&text, &part) {
            prop_assert_eq!(&bytes, &expected);
        }
        check_accounts(&text, &bytes, &excerpt);
        if let (Part::Search(search), Some(hits)) = (&part, &excerpt.hits) {
            let found: Vec<_> = (1..)
                .zip(lines_of(&text))
                .filter(|(_, line)| contains(line, search.text.as_bytes()))
                .map(|(number, _)| number)
                .collect();
            prop_assert_eq!(hits.total, found.len() as u64);
            let shown = found.into_iter().skip(size(search.skip)).take(size(search.max));
            prop_assert_eq!(&hits.lines, &shown.collect::<Vec<u64>>());
        }
    }

    #[test]
    fn limits_hold_and_are_told(
        text in text(),
        part in some_part(),
        line in prop::option::of(0u64..12),
        whole in prop::option::of(0u64..80),
    ) {
        let limits = Limits { line, bytes: whole };
        let (bytes, excerpt) = take(text.clone(), &part, &limits);
        check_accounts(&text, &bytes, &excerpt);
        let (all, _) = take(text.clone(), &part, &Limits::new());
        if let Some(most) = whole {
            prop_assert!(bytes.len() as u64 <= most);
            let (lines, _) = take(text.clone(), &part, &Limits { line, bytes: None });
            // At most half of the room is left empty, and what a character needs.
            let least = (lines.len() as u64).min(most / 2).saturating_sub(6);
            prop_assert!(bytes.len() as u64 >= least, "{} < {least}", bytes.len());
        } else if line.is_none() {
            prop_assert_eq!(&bytes, &all);
        }
        if let (Some(most), None) = (line, whole) {
            // No line goes, but a last one without an end of which nothing is left.
            let ends = |bytes: &[u8]| bytes.iter().filter(|&&b| b == b'\n').count();
            prop_assert_eq!(ends(&bytes), ends(&all));
            for line in lines_of(&bytes) {
                let content = line.strip_suffix(b"\n").unwrap_or(line);
                let content = content.strip_suffix(b"\r").unwrap_or(content);
                prop_assert!(content.len() as u64 <= most, "{line:?}");
            }
        }
        if std::str::from_utf8(&text).is_ok() {
            for piece in &excerpt.pieces {
                let piece = &text[size(piece.start)..size(piece.end)];
                prop_assert!(std::str::from_utf8(piece).is_ok(), "{piece:?}");
            }
        }
    }

    #[test]
    fn gaps_and_pieces_are_the_text(text in text(), part in some_part(), most in 0u64..80) {
        let (_, excerpt) = take(text.clone(), &part, &Limits::new().bytes(most));
        let pieces = excerpt.pieces.iter().map(|piece| piece.start..piece.end);
        let mut ranges: Vec<_> = pieces.chain(excerpt.gaps()).collect();
        ranges.sort_by_key(|range| range.start);
        let asked = ranges.into_iter().map(|range| {
            take(text.clone(), &Part::Bytes(range), &Limits::new()).0
        });
        prop_assert_eq!(asked.collect::<Vec<_>>().concat(), text);
    }
}
