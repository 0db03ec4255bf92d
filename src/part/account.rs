//! What was left out, counted.

use super::{Amount, Excerpt, Hits, Piece, Span, is_line_start, line_end};

pub(super) fn account(text: &[u8], spans: &[Span], hits: Option<Hits>) -> Excerpt {
    let mut counter = Counter {
        text,
        line: 1,
        at: 0,
        cut: None,
        cut_lines: 0,
    };
    let mut omitted = Amount::default();
    let mut pieces = Vec::with_capacity(spans.len());
    for span in spans {
        let before = counter.omit(span.start);
        omitted.add(before);
        pieces.push(Piece {
            start: span.start as u64,
            end: span.end as u64,
            line: counter.line,
            omitted_before: before,
        });
        counter.pass(span.end);
    }
    let omitted_after = counter.omit(text.len());
    omitted.add(omitted_after);
    let newlines = counter.line - 1;
    let unfinished = u64::from(!is_line_start(text, text.len()));
    Excerpt {
        pieces,
        omitted_after,
        omitted,
        cut_lines: counter.cut_lines,
        total: Amount {
            bytes: text.len() as u64,
            lines: newlines + unfinished,
        },
        hits,
    }
}

impl Amount {
    fn add(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.lines += other.lines;
    }
}

/// Goes through a text once.
struct Counter<'a> {
    text: &'a [u8],
    /// Number of the line that holds `at`.
    line: u64,
    at: usize,
    /// The last line that was found to be cut.
    cut: Option<u64>,
    cut_lines: u64,
}

impl Counter<'_> {
    /// Goes on to an offset over what is there.
    fn pass(&mut self, to: usize) {
        self.line += newlines(&self.text[self.at..to]);
        self.at = to;
    }

    /// Goes on to an offset over what is left out.
    fn omit(&mut self, to: usize) -> Amount {
        let (from, text) = (self.at, self.text);
        if from == to {
            return Amount::default();
        }
        // What comes before a gap is there, unless the text begins with it.
        if !is_line_start(text, from) {
            self.cuts();
        }
        // Where the first line begins of which the gap may hold all.
        let first = match is_line_start(text, from) {
            true => from,
            false => line_end(text, from).min(to),
        };
        let unfinished = to == text.len() && !is_line_start(text, to) && first < to;
        let lines = newlines(&text[first..to]) + u64::from(unfinished);
        self.pass(to);
        // So is what comes behind it, unless the text ends with it.
        if to < text.len() && !is_line_start(text, to) {
            self.cuts();
        }
        Amount {
            bytes: (to - from) as u64,
            lines,
        }
    }

    /// Notes that a part of this line is left out.
    fn cuts(&mut self) {
        if self.cut != Some(self.line) {
            self.cut = Some(self.line);
            self.cut_lines += 1;
        }
    }
}

fn newlines(text: &[u8]) -> u64 {
    // As many as one byte can count at a time: sums of bytes are done many at once.
    text.chunks(u8::MAX.into())
        .map(|piece| {
            u64::from(
                piece
                    .iter()
                    .map(|&byte| u8::from(byte == b'\n'))
                    .sum::<u8>(),
            )
        })
        .sum()
}
