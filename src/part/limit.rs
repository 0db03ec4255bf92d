//! How much of what was asked for comes back.

use super::{Part, Span, ceil, floor, is_line_start, line_end};

/// Leaves of each line so many bytes: the first, or those around the match that
/// is in it.
pub(super) fn lines(text: &[u8], spans: Vec<Span>, found: &[Span], most: usize) -> Vec<Span> {
    let mut kept: Vec<Span> = Vec::new();
    let mut matches = found.iter().peekable();
    for span in spans {
        let mut at = span.start;
        while at < span.end {
            let end = line_end(text, at).min(span.end);
            let content = at..content_end(text, at..end);
            while matches.next_if(|found| found.start < at).is_some() {}
            let line = match matches.peek() {
                _ if content.len() <= most => content.clone(),
                Some(found) if found.end <= content.end => {
                    window(text, content.clone(), (*found).clone(), most)
                }
                _ => at..floor(text, at + most),
            };
            push(&mut kept, line);
            push(&mut kept, content.end..end);
            at = end;
        }
    }
    kept
}

/// Leaves so many bytes of all.
pub(super) fn whole(text: &[u8], spans: Vec<Span>, part: &Part, most: usize) -> Vec<Span> {
    if length(&spans) <= most {
        return spans;
    }
    match part {
        Part::Tail(_) => end(text, &spans, most),
        Part::Whole => {
            let mut kept = start(text, &spans, most / 2);
            let rest = most - length(&kept);
            for span in end(text, &spans, rest) {
                push(&mut kept, span);
            }
            kept
        }
        _ => start(text, &spans, most),
    }
}

/// Returns where a line's end begins: its newline, and a carriage return before
/// it.
fn content_end(text: &[u8], line: Span) -> usize {
    let bytes = &text[line.clone()];
    let Some(content) = bytes.strip_suffix(b"\n") else {
        return line.end;
    };
    let content = content.strip_suffix(b"\r").unwrap_or(content);
    line.start + content.len()
}

/// Returns so many bytes of a longer line, with the match in the middle where
/// that can be.
fn window(text: &[u8], content: Span, found: Span, most: usize) -> Span {
    let before = most.saturating_sub(found.len()) / 2;
    let start = found.start.saturating_sub(before);
    let start = ceil(text, start.clamp(content.start, content.end - most));
    start..floor(text, (start + most).min(content.end)).max(start)
}

/// Returns the first bytes, so many.
fn start(text: &[u8], spans: &[Span], most: usize) -> Vec<Span> {
    let mut kept: Vec<Span> = Vec::new();
    let mut room = most;
    for span in spans {
        let end = match span.len() <= room {
            true => span.end,
            false => floor(text, span.start + room).max(span.start),
        };
        push(&mut kept, span.start..end);
        if end < span.end {
            break;
        }
        room -= span.len();
    }
    to_last_line_start(text, kept, most / 2)
}

/// Returns the last bytes, so many.
fn end(text: &[u8], spans: &[Span], most: usize) -> Vec<Span> {
    let mut kept: Vec<Span> = Vec::new();
    let mut room = most;
    for span in spans.iter().rev() {
        let start = match span.len() <= room {
            true => span.start,
            false => ceil(text, span.end - room).min(span.end),
        };
        if start < span.end {
            kept.push(start..span.end);
        }
        if start > span.start {
            break;
        }
        room -= span.len();
    }
    kept.reverse();
    from_first_line_start(text, kept, most / 2)
}

/// Drops what stands behind the last line that is whole, unless it is too much.
fn to_last_line_start(text: &[u8], mut kept: Vec<Span>, most: usize) -> Vec<Span> {
    let mut dropped = 0;
    for (index, span) in kept.iter().enumerate().rev() {
        let newline = text[span.clone()].iter().rposition(|&b| b == b'\n');
        let line = match newline {
            Some(newline) => span.start + newline + 1,
            None => span.start,
        };
        dropped += span.end - line;
        if dropped > most {
            break;
        }
        if is_line_start(text, line) {
            kept.truncate(index + 1);
            kept[index].end = line;
            kept.retain(|span| !span.is_empty());
            break;
        }
    }
    kept
}

/// Drops what stands before the first line that is whole, unless it is too much.
fn from_first_line_start(text: &[u8], mut kept: Vec<Span>, most: usize) -> Vec<Span> {
    let mut dropped = 0;
    for (index, span) in kept.iter().enumerate() {
        let line = match is_line_start(text, span.start) {
            true => span.start,
            false => line_end(text, span.start).min(span.end),
        };
        dropped += line - span.start;
        if dropped > most {
            break;
        }
        if is_line_start(text, line) {
            kept.drain(..index);
            kept[0].start = line;
            kept.retain(|span| !span.is_empty());
            break;
        }
    }
    kept
}

fn length(spans: &[Span]) -> usize {
    spans.iter().map(Span::len).sum()
}

/// Adds what is not empty, to the last one where they touch.
fn push(spans: &mut Vec<Span>, span: Span) {
    match spans.last_mut() {
        _ if span.is_empty() => {}
        Some(last) if last.end == span.start => last.end = span.end,
        _ => spans.push(span),
    }
}
