//! What was asked for, as offsets.

use super::{Hits, Part, Search, Span, ceil, line_end, size};

/// What a part is in a text.
pub(super) struct Selected {
    /// In order; no two touch, and none is empty.
    pub(super) spans: Vec<Span>,
    /// Where the first match of each line that was searched for is.
    pub(super) found: Vec<Span>,
    /// What a search found.
    pub(super) hits: Option<Hits>,
}

impl Selected {
    fn one(span: Span) -> Self {
        let spans = if span.is_empty() { vec![] } else { vec![span] };
        Self {
            spans,
            found: Vec::new(),
            hits: None,
        }
    }
}

pub(super) fn select(text: &[u8], part: &Part) -> Selected {
    match part {
        Part::Whole => Selected::one(0..text.len()),
        Part::Head(lines) => Selected::one(0..skip_lines(text, 0, *lines)),
        Part::Tail(lines) => Selected::one(start_of_tail(text, *lines)..text.len()),
        Part::Lines(range) => {
            let before = range.start().saturating_sub(1);
            let start = skip_lines(text, 0, before);
            let count = range.end().saturating_sub(before);
            Selected::one(start..skip_lines(text, start, count))
        }
        Part::Bytes(range) => {
            let at = |offset: u64| ceil(text, size(offset).min(text.len()));
            let (start, end) = (at(range.start), at(range.end));
            Selected::one(start..end.max(start))
        }
        Part::Search(search) => find(text, search),
    }
}

/// Returns where the text begins that is so many lines behind an offset.
fn skip_lines(text: &[u8], mut at: usize, lines: u64) -> usize {
    for _ in 0..lines {
        if at == text.len() {
            break;
        }
        at = line_end(text, at);
    }
    at
}

/// Returns where the last lines begin, so many.
fn start_of_tail(text: &[u8], lines: u64) -> usize {
    let mut at = text.len();
    for _ in 0..lines {
        if at == 0 {
            break;
        }
        // The newline right before is the end of this very line.
        let before = text[..at - 1].iter().rposition(|&byte| byte == b'\n');
        at = before.map_or(0, |newline| newline + 1);
    }
    at
}

fn find(text: &[u8], search: &Search) -> Selected {
    let mut total = 0;
    let mut numbers = Vec::new();
    let mut found = Vec::new();
    first_matches(text, search.text.as_bytes(), |number, span| {
        if total >= search.skip && total - search.skip < search.max {
            numbers.push(number);
            found.push(span);
        }
        total += 1;
    });
    Selected {
        spans: lines_around(text, &numbers, search.around),
        found,
        hits: Some(Hits {
            total,
            lines: numbers,
        }),
    }
}

/// Tells the first match in each line that has one, with the line's number.
///
/// By Knuth, Morris and Pratt: each byte is looked at once, whatever the string.
fn first_matches(text: &[u8], string: &[u8], mut tell: impl FnMut(u64, Span)) {
    let borders = borders(string);
    let mut number = 1;
    let mut at = 0;
    while at < text.len() {
        let end = line_end(text, at);
        let mut matched = 0;
        let content = match text[end - 1] {
            b'\n' => end - 1,
            _ => end,
        };
        let mut here = at;
        while matched < string.len() && here < content {
            while matched > 0 && string[matched] != text[here] {
                matched = borders[matched - 1];
            }
            if string[matched] == text[here] {
                matched += 1;
            }
            here += 1;
        }
        if matched == string.len() {
            tell(number, here - matched..here);
        }
        at = end;
        number += 1;
    }
}

/// Returns, for each beginning of a string, how long the longest shorter
/// beginning is with which it also ends.
fn borders(string: &[u8]) -> Vec<usize> {
    let mut borders = vec![0; string.len()];
    let mut length = 0;
    for at in 1..string.len() {
        while length > 0 && string[length] != string[at] {
            length = borders[length - 1];
        }
        if string[length] == string[at] {
            length += 1;
        }
        borders[at] = length;
    }
    borders
}

/// Returns lines, by their numbers in order, with so many before and after each.
fn lines_around(text: &[u8], numbers: &[u64], around: u64) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut at = 0;
    // Of the line that begins there.
    let mut number = 1;
    for &hit in numbers {
        let skipped = hit.saturating_sub(around).saturating_sub(number);
        at = skip_lines(text, at, skipped);
        number += skipped;
        let start = at;
        let taken = hit.saturating_add(around).saturating_add(1) - number;
        at = skip_lines(text, at, taken);
        number = number.saturating_add(taken);
        match spans.last_mut() {
            Some(last) if last.end == start => last.end = at,
            _ if start == at => {}
            _ => spans.push(start..at),
        }
    }
    spans
}
