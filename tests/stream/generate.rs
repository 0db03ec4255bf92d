//! Bytes as terminals get them, and worse.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// What is put together to streams. Characters are such that the model knows their widths.
const TOKENS: &[&[u8]] = &[
    b"a",
    b"ls",
    b" ",
    b"\r",
    b"\n",
    b"\r\n",
    b"\x08",
    b"\t",
    b"\x0b",
    b"\x0c",
    b"\x07",
    b"\0",
    b"\x7f",
    b"^C",
    "中".as_bytes(),
    "é".as_bytes(),
    "e\u{301}".as_bytes(),
    "\u{301}".as_bytes(),
    "😀".as_bytes(),
    b"\xe4\xb8",
    b"\xad",
    b"\xff",
    b"\xe2\x9c\x9c",
    b"\x9c",
    b"\x1b",
    b"\x1b[",
    b"\x1b]",
    b"\x1bP",
    b"\x1b_",
    b"\x1bk",
    b"\x1b\\",
    b"\x18",
    b"\x1bc",
    b"\x1bD",
    b"\x1bE",
    b"\x1b(0",
    b"\x1b7",
    b"\x1b[1;31m",
    b"\x1b[m",
    b"\x1b[K",
    b"\x1b[1K",
    b"\x1b[2K",
    b"\x1b[J",
    b"\x1b[1J",
    b"\x1b[2J",
    b"\x1b[H",
    b"\x1b[2;5H",
    b"\x1b[3C",
    b"\x1b[C",
    b"\x1b[2D",
    b"\x1b[5G",
    b"\x1b[A",
    b"\x1b[B",
    b"\x1b[P",
    b"\x1b[3@",
    b"\x1b[2X",
    b"\x1b[I",
    b"\x1b[Z",
    b"\x1b[4d",
    b"\x1b[E",
    b"\x1b[?1049h",
    b"\x1b[?1049l",
    b"\x1b[?25;47h",
    b"\x1b[?2004h",
    b"\x1b[?1047$h",
    b"\x1b[?1;2:3",
    b"\x1b[>1049h",
    b"\x1b[1\n2C",
    b"\x1b[99999999999999999999C",
    b"\x1b[1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1C",
    b"\x1b]0;title\x07",
    b"\x1b]8;;http://x/\x1b\\",
    b"\x1b]8;;\x1b\\",
    b"\x1b]52;c;YQ==\x07",
    b"\x1b]133;",
    b"133;",
    b"A",
    b";",
    b"0",
    b"h",
    b"?",
];

/// Marks, without what begins and ends them.
const MARKS: &[&str] = &[
    "A",
    "A",
    "B",
    "B",
    "C",
    "C",
    "D",
    "D;0",
    "D;0",
    "D;130",
    "D;300",
    "D;-1",
    "D;x;aid=n",
    "A;aid=n",
    "A;aid=n;w=1",
    "B;aid=n",
    "C;aid=n",
    "D;0;aid=n",
    "D;7;aid=n;pipe=1,7",
    "A;aid=other",
    "C;aid=other",
    "D;9;aid=other",
    "A;k=s",
    "P;k=i",
    "P;k=r",
    "N;aid=n",
    "I",
    "L",
    "C;cmdline_url=ls%20-l",
    "C;aid=n;cmdline=a\\ b",
    "Z",
    "",
    "AA",
];

/// What a shell writes beside them.
const TYPED: &[&[u8]] = &[
    b"ls\r\n",
    b"\n",
    b"out",
    b" ",
    b"^C\r\n",
    b"x\x08\x1b[K",
    b"\x1b[?1049h",
    b"\x1b[?1049l",
    b"\x1b]0;\n",
    b"\x1b[1m\x1b[7m%\x1b[27m\x1b[1m\x1b[0m                    \r \r",
    b"\r\x1b[0m\x1b[J",
];

const ENDS: &[&[u8]] = &[b"\x07", b"\x07", b"\x1b\\", b"\x9c", b"\x1b", b"\x18", b""];

pub fn mark() -> impl Strategy<Value = Vec<u8>> {
    (select(MARKS), select(ENDS))
        .prop_map(|(payload, end)| [b"\x1b]133;", payload.as_bytes(), end].concat())
}

/// Marks that end well.
pub fn good_mark() -> impl Strategy<Value = Vec<u8>> {
    (select(MARKS), select(&ENDS[..4]))
        .prop_map(|(payload, end)| [b"\x1b]133;", payload.as_bytes(), end].concat())
}

/// Output: text with everything in it.
pub fn output() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => select(TOKENS).prop_map(<[u8]>::to_vec),
        2 => mark(),
        1 => "[a-z0-9 ]{1,40}".prop_map(String::into_bytes),
        1 => vec(select(b"\x00\x07\x18\x1b[]P;?hlmKJ013ax\\\x7f\x9c\xcc\x81\xe4\xb8\xad\xc2\xff\r\n".as_slice()), 0..8),
    ];
    vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// What a shell with its programs writes: marks and little else.
pub fn shell() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        6 => good_mark(),
        1 => mark(),
        4 => select(TYPED).prop_map(<[u8]>::to_vec),
    ];
    vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

/// Any bytes at all, for what needs no model.
pub fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![output(), vec(any::<u8>(), 0..300)]
}

/// Lengths of pieces; they are taken in turn, over and over.
pub fn cuts() -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![Just(vec![1]), vec(1usize..8, 1..10), vec(1usize..200, 1..5)]
}

/// Cuts bytes into pieces.
pub fn pieces<'a>(mut bytes: &'a [u8], cuts: &'a [usize]) -> impl Iterator<Item = &'a [u8]> {
    let mut cuts = cuts.iter().cycle();
    std::iter::from_fn(move || {
        if bytes.is_empty() {
            return None;
        }
        let (piece, rest) = bytes.split_at(bytes.len().min(*cuts.next()?));
        bytes = rest;
        Some(piece)
    })
}
