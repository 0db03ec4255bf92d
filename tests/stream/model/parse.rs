//! Sequences of a terminal's output, found in all of it at once.

use std::ops::Range;

/// A string that begins with DCS, APC, PM or SOS is given up after so many bytes.
pub const MAX_STRING: usize = 1024 * 1024;

/// A CSI sequence with more bytes before its last does nothing.
pub const MAX_CSI: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A character, U+FFFD for what is none.
    Text(char),
    /// A control character, also inside a sequence, where it works at once.
    Control(u8),
    /// Parameters with intermediates, and the last byte.
    Csi(Vec<u8>, u8),
    /// A sequence of ESC and one byte.
    Escape(u8),
    /// An OSC, its controls taken out. Whether it came to its end, or was broken off.
    Osc(Vec<u8>, bool),
    /// Anything else that is left out.
    Other,
    /// A character or a sequence that is not complete; always the last.
    Cut,
}

pub struct Found {
    pub item: Item,
    pub bytes: Range<usize>,
}

/// How one step into UTF-8 ended.
enum Step {
    Char(char, usize),
    Invalid(usize),
    Cut,
}

/// The character at the start of bytes that begin with one that is not ASCII.
fn utf8(bytes: &[u8]) -> Step {
    let bytes = &bytes[..bytes.len().min(4)];
    let valid = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if error.valid_up_to() > 0 => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap()
        }
        Err(error) => return error.error_len().map_or(Step::Cut, Step::Invalid),
    };
    let first = valid.chars().next().unwrap();
    Step::Char(first, first.len_utf8())
}

const ESC: u8 = 0x1b;

/// Does this byte break off a sequence, whatever it is?
fn cancels(byte: u8) -> bool {
    byte == 0x18 || byte == 0x1a
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
    found: Vec<Found>,
}

pub fn parse(bytes: &[u8]) -> Vec<Found> {
    let mut parser = Parser {
        bytes,
        at: 0,
        found: Vec::new(),
    };
    while parser.at < bytes.len() {
        parser.item();
    }
    parser.found
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn push(&mut self, item: Item, start: usize) {
        self.found.push(Found {
            item,
            bytes: start..self.at,
        });
    }

    fn item(&mut self) {
        let start = self.at;
        match self.bytes[start] {
            ESC => self.sequence(),
            byte @ (..0x20 | 0x7f) => {
                self.at += 1;
                self.push(Item::Control(byte), start);
            }
            byte @ 0x20..0x7f => {
                self.at += 1;
                self.push(Item::Text(byte.into()), start);
            }
            _ => {
                let (item, len) = match utf8(&self.bytes[start..]) {
                    Step::Char(c, len) => (Item::Text(c), len),
                    Step::Invalid(len) => (Item::Text('\u{fffd}'), len),
                    Step::Cut => (Item::Cut, self.bytes.len() - start),
                };
                self.at += len;
                self.push(item, start);
            }
        }
    }

    /// A byte of a sequence that is neither a control nor one that is passed over; `None` if it is broken off.
    fn byte(&mut self, start: usize) -> Option<u8> {
        loop {
            match self.peek() {
                None => {
                    self.push(Item::Cut, start);
                    return None;
                }
                // The ESC begins the next item.
                Some(ESC) => {
                    self.push(Item::Other, start);
                    return None;
                }
                Some(byte) if cancels(byte) => {
                    self.at += 1;
                    self.push(Item::Other, start);
                    return None;
                }
                Some(byte) if byte < 0x20 => {
                    self.at += 1;
                    self.push(Item::Control(byte), self.at - 1);
                }
                Some(0x7f..) => self.at += 1,
                Some(byte) => {
                    self.at += 1;
                    return Some(byte);
                }
            }
        }
    }

    fn sequence(&mut self) {
        let start = self.at;
        self.at += 1;
        let Some(byte) = self.byte(start) else { return };
        match byte {
            b'[' => self.csi(start),
            b']' => self.osc(start),
            b'P' => self.dcs(start),
            b'_' | b'^' | b'X' | b'k' => self.string(start),
            0x20..0x30 => {
                while let Some(byte) = self.byte(start) {
                    if byte >= 0x30 {
                        self.push(Item::Other, start);
                        return;
                    }
                }
            }
            _ => self.push(Item::Escape(byte), start),
        }
    }

    fn csi(&mut self, start: usize) {
        let mut parameters = Vec::new();
        while let Some(byte) = self.byte(start) {
            if byte < 0x40 {
                parameters.push(byte);
                continue;
            }
            let item = if parameters.len() > MAX_CSI {
                Item::Other
            } else {
                Item::Csi(parameters, byte)
            };
            self.push(item, start);
            return;
        }
    }

    fn osc(&mut self, start: usize) {
        let mut payload = Vec::new();
        loop {
            let Some(byte) = self.peek() else {
                return self.push(Item::Cut, start);
            };
            match byte {
                ESC if self.at + 1 == self.bytes.len() => {
                    self.at += 1;
                    return self.push(Item::Cut, start);
                }
                ESC => {
                    let ends = self.bytes[self.at + 1] == b'\\';
                    if ends {
                        self.at += 2;
                    }
                    return self.push(Item::Osc(payload, ends), start);
                }
                0x07 => {
                    self.at += 1;
                    return self.push(Item::Osc(payload, true), start);
                }
                byte if cancels(byte) => {
                    self.at += 1;
                    return self.push(Item::Osc(payload, false), start);
                }
                ..0x20 => self.at += 1,
                0x20..0x80 => {
                    payload.push(byte);
                    self.at += 1;
                }
                _ => {
                    let len = match utf8(&self.bytes[self.at..]) {
                        Step::Char(_, len) => len,
                        Step::Invalid(_) if byte == 0x9c => {
                            self.at += 1;
                            return self.push(Item::Osc(payload, true), start);
                        }
                        Step::Invalid(len) => len,
                        Step::Cut => self.bytes.len() - self.at,
                    };
                    payload.extend(&self.bytes[self.at..self.at + len]);
                    self.at += len;
                }
            }
        }
    }

    /// DCS: before its last byte an ESC breaks it off; its data goes on up to ESC \, or to the ESC ] of an OSC.
    fn dcs(&mut self, start: usize) {
        let limit = self.bytes.len().min(self.at.saturating_add(MAX_STRING));
        let given_up = self.at.saturating_add(MAX_STRING) <= self.bytes.len();
        let over = if given_up { Item::Other } else { Item::Cut };
        let mut ignored = false;
        while self.at < limit {
            let byte = self.bytes[self.at];
            match byte {
                ESC => return self.push(Item::Other, start),
                byte if cancels(byte) => {
                    self.at += 1;
                    return self.push(Item::Other, start);
                }
                b':' => ignored = true,
                0x40..0x7f if !ignored => {
                    self.at += 1;
                    let mut escaped = false;
                    while self.at < limit {
                        let byte = self.bytes[self.at];
                        self.at += 1;
                        if escaped && byte == b'\\' {
                            return self.push(Item::Other, start);
                        }
                        // Its end is missing: what it carries has doubled ESCs.
                        if escaped && byte == b']' {
                            self.at -= 2;
                            return self.push(Item::Other, start);
                        }
                        // An ESC after an ESC is data, so it does not begin an ESC \ itself.
                        escaped = !escaped && byte == ESC;
                    }
                    return self.push(over, start);
                }
                _ => {}
            }
            self.at += 1;
        }
        self.push(over, start);
    }

    /// APC, PM, SOS and a title: up to anything that breaks it off.
    fn string(&mut self, start: usize) {
        let begin = self.at;
        while let Some(byte) = self.peek() {
            if byte == ESC || self.at - begin == MAX_STRING {
                return self.push(Item::Other, start);
            }
            self.at += 1;
            if cancels(byte) {
                return self.push(Item::Other, start);
            }
        }
        self.push(Item::Cut, start);
    }
}

/// Does a CSI sequence switch the alternate screen, and where to?
pub fn switches_screen(parameters: &[u8], last: u8) -> Option<bool> {
    let on = match last {
        b'h' => true,
        b'l' => false,
        _ => return None,
    };
    let numbers = parameters.strip_prefix(b"?")?;
    if !numbers
        .iter()
        .all(|byte| byte.is_ascii_digit() || *byte == b';')
    {
        return None;
    }
    std::str::from_utf8(numbers)
        .unwrap()
        .split(';')
        .any(|number| matches!(number.trim_start_matches('0'), "47" | "1047" | "1049"))
        .then_some(on)
}
