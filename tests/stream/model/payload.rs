//! The payload of a mark.

use amux::stream::{Kind, MAX_PAYLOAD, MAX_PIPE, Mark, PromptKind, Status};

/// A status of a pipeline or of a D.
fn number(text: &[u8]) -> Option<u8> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let digits = std::str::from_utf8(text).unwrap();
    match digits.trim_start_matches('0') {
        "" => Some(0),
        digits => digits.parse().ok(),
    }
}

fn percent(text: &[u8]) -> Vec<u8> {
    let hex = |at: usize| text.get(at).and_then(|&byte| (byte as char).to_digit(16));
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        match (text[at], hex(at + 1), hex(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            (byte, ..) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    out.retain(|&byte| byte != 0);
    out
}

/// Takes the quoting of `printf %q` off, up to a `;` outside of it. Returns what is after that too.
fn unquote(text: &[u8]) -> (Vec<u8>, Option<&[u8]>) {
    let mut out = Vec::new();
    let mut rest = text;
    loop {
        match rest {
            [] => return (out, None),
            [b';', rest @ ..] => return (out, Some(rest)),
            [b'$', b'\'', tail @ ..] => rest = ansi(tail, &mut out),
            [b'\'', tail @ ..] => {
                let end = tail.iter().position(|&byte| byte == b'\'');
                out.extend(&tail[..end.unwrap_or(tail.len())]);
                rest = &tail[end.map_or(tail.len(), |end| end + 1)..];
            }
            [b'"', tail @ ..] => {
                rest = tail;
                loop {
                    match rest {
                        [] => break,
                        [b'"', tail @ ..] => {
                            rest = tail;
                            break;
                        }
                        [b'\\', byte @ (b'$' | b'`' | b'"' | b'\\'), tail @ ..]
                        | [byte, tail @ ..] => {
                            out.push(*byte);
                            rest = tail;
                        }
                    }
                }
            }
            [b'\\', byte, tail @ ..] | [byte, tail @ ..] => {
                out.push(*byte);
                rest = tail;
            }
        }
    }
}

/// The inside of `$'…'`; returns what is after it.
fn ansi<'a>(text: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let mut rest = text;
    loop {
        match rest {
            [] => return rest,
            [b'\'', tail @ ..] => return tail,
            [b'\\', tail @ ..] => rest = ansi_escape(tail, out),
            [byte, tail @ ..] => {
                out.push(*byte);
                rest = tail;
            }
        }
    }
}

fn ansi_escape<'a>(text: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let digits = |text: &[u8], most: usize, base: u32| {
        let count = text
            .iter()
            .take(most)
            .take_while(|&&byte| (byte as char).is_digit(base))
            .count();
        let value = text[..count].iter().fold(0u64, |value, &byte| {
            value * u64::from(base) + u64::from((byte as char).to_digit(base).unwrap())
        });
        (count, value)
    };
    let Some((&letter, tail)) = text.split_first() else {
        out.push(b'\\');
        return text;
    };
    let simple = match letter {
        b'a' => 7,
        b'b' => 8,
        b'e' | b'E' => 27,
        b'f' => 12,
        b'n' => 10,
        b'r' => 13,
        b't' => 9,
        b'v' => 11,
        b'\\' | b'\'' | b'"' | b'?' => letter,
        _ => 0,
    };
    if simple != 0 {
        out.push(simple);
        return tail;
    }
    let (count, value) = match letter {
        b'x' => digits(tail, 2, 16),
        b'u' => digits(tail, 4, 16),
        b'U' => digits(tail, 8, 16),
        b'c' => tail
            .first()
            .map_or((0, 0), |&byte| (1, u64::from(byte & 31))),
        b'0'..=b'7' => digits(text, 3, 8),
        _ => (0, 0),
    };
    if count == 0 {
        out.extend([b'\\', letter]);
        return tail;
    }
    if letter == b'u' || letter == b'U' {
        let c = u32::try_from(value)
            .ok()
            .and_then(char::from_u32)
            .unwrap_or('\u{fffd}');
        if c != '\0' {
            out.extend(c.to_string().bytes());
        }
    } else if value & 255 != 0 {
        out.push((value & 255) as u8);
    }
    if letter.is_ascii_digit() {
        &text[count..]
    } else {
        &tail[count..]
    }
}

/// Reads what an OSC holds behind `133;`. `None`: this is not a mark.
pub fn mark(payload: &[u8], bytes: std::ops::Range<u64>) -> Option<Mark> {
    let cut = payload.len() > MAX_PAYLOAD;
    let payload = &payload[..payload.len().min(MAX_PAYLOAD)];
    let (&letter, rest) = payload.split_first()?;
    let kind = match letter {
        b'A' => Kind::Prompt,
        b'B' => Kind::Input,
        b'C' => Kind::Output,
        b'D' => Kind::End,
        b'I' => Kind::InputLine,
        b'L' => Kind::FreshLine,
        b'N' => Kind::NewPrompt,
        b'P' => Kind::PromptStart,
        _ => return None,
    };
    let mut rest = match rest {
        [] => None,
        [b';', rest @ ..] => Some(rest),
        _ => return None,
    };
    let mut mark = Mark {
        kind,
        prompt: None,
        status: Status::Absent,
        bytes,
        aid: None,
        command_line: None,
        pipe: Vec::new(),
        cut,
        waiting: false,
        error: false,
    };
    let mut first = true;
    while let Some(text) = rest {
        if let Some(quoted) = text.strip_prefix(b"cmdline=") {
            let (line, tail) = unquote(quoted);
            mark.command_line = Some(line);
            rest = tail;
            first = false;
            continue;
        }
        let end = text.iter().position(|&byte| byte == b';');
        let field = &text[..end.unwrap_or(text.len())];
        rest = end.map(|end| &text[end + 1..]);
        match field.iter().position(|&byte| byte == b'=') {
            Some(at) => {
                // Of an option that is cut, only a command line is worth keeping.
                let usable = !cut || rest.is_some() || field.starts_with(b"cmdline_url=");
                if usable {
                    option(&mut mark, &field[..at], &field[at + 1..]);
                }
            }
            None if first && kind == Kind::End && !field.is_empty() => {
                mark.status = number(field).map_or(Status::Invalid, Status::Code);
            }
            None => {}
        }
        first = false;
    }
    Some(mark)
}

fn option(mark: &mut Mark, key: &[u8], value: &[u8]) {
    match key {
        b"aid" => mark.aid = Some(value.to_vec()),
        b"cmdline_url" => mark.command_line = Some(percent(value)),
        b"w" => mark.waiting = value == b"1",
        b"err" => mark.error = !value.is_empty(),
        b"k" => {
            mark.prompt = match value {
                b"i" => Some(PromptKind::Initial),
                b"c" => Some(PromptKind::Continuation),
                b"s" => Some(PromptKind::Secondary),
                b"r" => Some(PromptKind::Right),
                _ => None,
            }
        }
        b"pipe" => {
            // A status with more than three digits is none.
            let statuses: Option<Vec<u8>> = value
                .split(|&byte| byte == b',')
                .map(|status| number(status).filter(|_| status.len() <= 3))
                .collect();
            mark.pipe = statuses.unwrap_or_default();
            mark.pipe.truncate(MAX_PIPE);
        }
        _ => {}
    }
}
