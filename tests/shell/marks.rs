//! The marks in what a terminal shows.

use crate::terminal::NONCE;

const START: &[u8] = b"\x1b]133;";
const BEL: u8 = 7;

/// One mark: `ESC ] 133 ; kind [; argument]… BEL`.
#[derive(Debug)]
pub struct Mark {
    /// A, B, C or D.
    pub kind: char,
    arguments: Vec<String>,
    len: usize,
}

impl Mark {
    /// The mark without our nonce. One with another or none says so.
    pub fn shown(&self) -> String {
        let ours = format!("aid={NONCE}");
        let mut text = self.kind.to_string();
        let mut aid = false;
        for argument in &self.arguments {
            if *argument == ours {
                aid = true;
            } else {
                text = format!("{text};{argument}");
            }
        }
        if aid {
            text
        } else {
            format!("{text} without our aid")
        }
    }
}

/// A mark, or the text between two marks.
#[derive(Debug)]
pub enum Piece {
    /// Anything but a mark.
    Text(String),
    /// A mark.
    Mark(Mark),
}

impl Piece {
    /// Tells whether it is a mark of this kind.
    pub fn is(&self, kind: char) -> bool {
        self.mark().is_some_and(|mark| mark.kind == kind)
    }

    /// The mark, when it is one.
    pub fn mark(&self) -> Option<&Mark> {
        match self {
            Piece::Mark(mark) => Some(mark),
            Piece::Text(_) => None,
        }
    }

    /// Its length in bytes.
    pub fn len(&self) -> usize {
        match self {
            Piece::Mark(mark) => mark.len,
            Piece::Text(text) => text.len(),
        }
    }
}

/// Cuts bytes into marks and texts. A mark that has not ended yet is left out, with what follows.
pub fn split(bytes: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let start = rest.windows(START.len()).position(|window| window == START);
        let text = &rest[..start.unwrap_or_else(|| rest.len() - begun(rest))];
        if !text.is_empty() {
            let text = String::from_utf8(text.to_vec()).expect("the tests print UTF-8");
            pieces.push(Piece::Text(text));
        }
        rest = &rest[text.len()..];
        if !rest.starts_with(START) {
            break;
        }
        let Some(end) = rest.iter().position(|byte| *byte == BEL) else {
            break;
        };
        let body = String::from_utf8_lossy(&rest[START.len()..end]).into_owned();
        let mut parts = body.split(';').map(str::to_owned);
        let kind = parts.next().and_then(|part| part.chars().next());
        pieces.push(Piece::Mark(Mark {
            kind: kind.expect("a mark has a kind"),
            arguments: parts.collect(),
            len: end + 1,
        }));
        rest = &rest[end + 1..];
    }
    pieces
}

/// How many bytes at the end may be the beginning of a mark.
fn begun(bytes: &[u8]) -> usize {
    let lengths = (1..START.len()).rev();
    lengths
        .into_iter()
        .find(|&len| bytes.ends_with(&START[..len]))
        .unwrap_or(0)
}
