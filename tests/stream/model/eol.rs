//! What zsh writes where a line has no newline, before its prompt.

/// It is looked for in so many bytes.
const MOST: usize = 2048;

/// Fewer blanks are no mark.
const BLANKS: usize = 15;

/// How many bytes of output are left without it.
pub fn without(output: &[u8]) -> usize {
    let first = output.len().saturating_sub(MOST);
    (first..output.len())
        .find(|&at| mark(&output[at..]).is_some_and(unseen))
        .unwrap_or(output.len())
}

/// What follows a mark that bytes begin with.
fn mark(bytes: &[u8]) -> Option<&[u8]> {
    let bytes = bytes.strip_prefix(b"\x1b[1m").unwrap_or(bytes);
    let bytes = bytes
        .strip_prefix(b"\x1b[7m")
        .or_else(|| bytes.strip_prefix(b"\x1b[3m"))?;
    let wide = bytes.iter().take_while(|&&byte| byte >= 0x80).count();
    let mut bytes = match (wide, bytes.first()?) {
        (0, 0x21..0x7f) => &bytes[1..],
        (2..=4, _) => &bytes[wide..],
        _ => return None,
    };
    bytes = colour(bytes)?;
    while let Some(rest) = colour(bytes) {
        bytes = rest;
    }
    let blanks = bytes.iter().take_while(|&&byte| byte == b' ').count();
    bytes[blanks..]
        .strip_prefix(b"\r \r")
        .filter(|_| blanks >= BLANKS)
}

fn colour(bytes: &[u8]) -> Option<&[u8]> {
    let parameters = bytes.strip_prefix(b"\x1b[")?;
    let end = parameters
        .iter()
        .position(|byte| !byte.is_ascii_digit() && *byte != b';')?;
    (parameters[end] == b'm').then(|| &parameters[end + 1..])
}

/// Is there nothing but sequences and controls?
fn unseen(mut bytes: &[u8]) -> bool {
    while let [first, rest @ ..] = bytes {
        let after = match (first, rest) {
            (0x1b, [b']', rest @ ..]) => {
                let end = rest.iter().position(|&byte| byte < 0x20);
                let end = end.unwrap_or(rest.len());
                rest[end..]
                    .strip_prefix(b"\x07")
                    .or_else(|| rest[end..].strip_prefix(b"\x1b\\"))
            }
            (0x1b, [b'[', rest @ ..]) => last(rest, 0x20..0x40, 0x40),
            (0x1b, [b'P' | b'X' | b'^' | b'_' | b'k', ..]) => None,
            (0x1b, rest) => last(rest, 0x20..0x30, 0x30),
            (b'\n' | 0x20.., _) => None,
            _ => Some(rest),
        };
        match after {
            Some(after) => bytes = after,
            None => return false,
        }
    }
    true
}

/// What follows the last byte of a sequence, after those of a range.
fn last(bytes: &[u8], inside: std::ops::Range<u8>, from: u8) -> Option<&[u8]> {
    let end = bytes.iter().position(|byte| !inside.contains(byte))?;
    (from..0x7f)
        .contains(&bytes[end])
        .then(|| &bytes[end + 1..])
}
