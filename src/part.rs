//! A part of a text, and what was left out of it, to the byte.

mod account;
mod limit;
mod select;
#[cfg(test)]
mod tests;

use std::ops::{Range, RangeInclusive};

use crate::error::{Error, ErrorKind, Result};

/// A part of a text. Where it is larger than the text, it is all that there is.
///
/// Lines end with a newline; what stands behind the last one is a line too.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// All of it.
    Whole,
    /// So many lines from the first.
    Head(u64),
    /// So many lines up to the last.
    Tail(u64),
    /// Lines by their numbers, which count from 1; both ends are in it.
    Lines(RangeInclusive<u64>),
    /// Bytes by their offsets in the text, which count from 0; the end is not in
    /// it. A character belongs to it when its first byte does.
    Bytes(Range<u64>),
    /// The lines that contain a string.
    Search(Search),
}

/// A search for the lines that contain a string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    text: String,
    around: u64,
    skip: u64,
    max: u64,
}

impl Search {
    /// Searches for a string, byte by byte: no pattern, and no other case. Every
    /// line contains the empty string, and no line one with a newline.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            around: 0,
            skip: 0,
            max: u64::MAX,
        }
    }

    /// Sets how many lines before and after each hit are returned with it.
    pub fn around(mut self, lines: u64) -> Self {
        self.around = lines;
        self
    }

    /// Sets how many hits are returned. The others are counted.
    pub fn max(mut self, hits: u64) -> Self {
        self.max = hits;
        self
    }

    /// Sets how many hits to pass over, to get those behind a maximum.
    pub fn skip(mut self, hits: u64) -> Self {
        self.skip = hits;
        self
    }
}

/// How much comes back. What is beyond it is left out, and counted in
/// [`Excerpt`]; nothing is put in its place.
///
/// The limit for each line applies first, so that one long line does not take
/// the room of all others. Characters are not cut; escapes and colours are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    line: Option<u64>,
    bytes: Option<u64>,
}

impl Limits {
    /// Returns all of it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how many bytes of a line are returned, its end not counted. They are
    /// the first ones; in a line that was searched for, those around its first
    /// hit.
    pub fn line(mut self, bytes: u64) -> Self {
        self.line = Some(bytes);
        self
    }

    /// Sets how many bytes are returned at most. Lines are kept whole, unless
    /// that would leave half of the room empty. Of [`Part::Whole`] both ends are
    /// returned, half of the room each; of [`Part::Tail`] the end; of the
    /// others the beginning.
    pub fn bytes(mut self, bytes: u64) -> Self {
        self.bytes = Some(bytes);
        self
    }

    /// Returns true when there are none.
    pub fn are_none(&self) -> bool {
        *self == Self::default()
    }
}

/// A number of bytes, and of lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Amount {
    /// Bytes.
    pub bytes: u64,
    /// Lines. Of what was left out: those of which no byte is there.
    pub lines: u64,
}

/// Bytes that stand together in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Piece {
    /// Where they begin in the text, in bytes.
    pub start: u64,
    /// Where they end.
    pub end: u64,
    /// Number of the line of the first byte, from 1.
    pub line: u64,
    /// What was left out between the piece before, or the beginning, and this.
    pub omitted_before: Amount,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hits {
    /// How many lines of the text contain the string.
    pub total: u64,
    /// Numbers of those that were selected, from 1. A limit may have left out
    /// some of them again.
    pub lines: Vec<u64>,
}

/// Which part of a text came back, and how much of it did not.
///
/// What came back is the pieces, one behind the other. To get what lies between
/// them, ask for [`Part::Bytes`] of one of the [`gaps`](Excerpt::gaps).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Excerpt {
    /// What came back, in order. No two pieces touch, and none is empty.
    pub pieces: Vec<Piece>,
    /// What was left out behind the last piece.
    pub omitted_after: Amount,
    /// What was left out in all.
    pub omitted: Amount,
    /// Lines of which some bytes are there and others are not.
    pub cut_lines: u64,
    /// How large the text is.
    pub total: Amount,
    /// What was found, where something was searched for.
    pub hits: Option<Hits>,
}

impl Excerpt {
    /// Returns true when nothing was left out.
    pub fn is_whole(&self) -> bool {
        self.omitted.bytes == 0
    }

    /// Returns what was left out, as offsets in the text.
    pub fn gaps(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        let starts = [0].into_iter().chain(self.pieces.iter().map(|p| p.end));
        let ends = self.pieces.iter().map(|p| p.start);
        starts
            .zip(ends.chain([self.total.bytes]))
            .map(|(start, end)| start..end)
            .filter(|gap| !gap.is_empty())
    }
}

/// Takes a part out of a text, within limits. Takes time in proportion to the
/// text.
pub(crate) fn take(text: Vec<u8>, part: &Part, limits: &Limits) -> (Vec<u8>, Excerpt) {
    let selected = select::select(&text, part);
    let mut spans = selected.spans;
    if let Some(most) = limits.line {
        spans = limit::lines(&text, spans, &selected.found, size(most));
    }
    if let Some(most) = limits.bytes {
        spans = limit::whole(&text, spans, part, size(most));
    }
    let excerpt = account::account(&text, &spans, selected.hits);
    let bytes = match spans.as_slice() {
        [all] if all.len() == text.len() => text,
        spans => {
            let pieces: Vec<_> = spans.iter().map(|span| &text[span.clone()]).collect();
            pieces.concat()
        }
    };
    (bytes, excerpt)
}

/// Refuses a part that no text can have.
pub(crate) fn check(part: &Part, op: &'static str) -> Result<()> {
    let fault = match part {
        Part::Search(search) if search.text.contains('\n') => "a line has no newline in it",
        Part::Bytes(range) if range.start > range.end => "the range ends before it begins",
        Part::Lines(range) if range.start() > range.end() => "the range ends before it begins",
        Part::Lines(range) if *range.start() == 0 => "lines count from 1",
        _ => return Ok(()),
    };
    Err(Error::new(ErrorKind::InvalidArgument, op).because(fault))
}

/// Bytes that stand together, by their offsets.
type Span = Range<usize>;

/// A number of bytes or an offset; what is beyond memory is beyond any text.
fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Returns where the line that holds this offset ends: behind its newline.
fn line_end(text: &[u8], at: usize) -> usize {
    let rest = &text[at..];
    let newline = rest.iter().position(|&byte| byte == b'\n');
    newline.map_or(text.len(), |newline| at + newline + 1)
}

/// Whether a line begins at this offset.
fn is_line_start(text: &[u8], at: usize) -> bool {
    at == 0 || text[at - 1] == b'\n'
}

/// Returns the character that an offset would cut. Bytes that are no UTF-8 are
/// cut anywhere.
fn character_around(text: &[u8], at: usize) -> Option<Span> {
    let continues = |at: usize| text.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    if !continues(at) {
        return None;
    }
    let start = (1..=3)
        .map_while(|back| at.checked_sub(back))
        .find(|&start| !continues(start))?;
    let length = match text[start] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    let end = start + length;
    let is_one = std::str::from_utf8(text.get(start..end)?).is_ok();
    (is_one && at < end).then_some(start..end)
}

/// Moves an offset back to where no character is cut.
fn floor(text: &[u8], at: usize) -> usize {
    character_around(text, at).map_or(at, |character| character.start)
}

/// Moves an offset forward to where no character is cut.
fn ceil(text: &[u8], at: usize) -> usize {
    character_around(text, at).map_or(at, |character| character.end)
}
