//! Whether the program in a pane asked for bracketed paste.

/// Follows a pane's output for the private mode 2004 (xterm, "Bracketed Paste
/// Mode"). tmux knows, but formats of stock tmux do not tell.
#[derive(Debug, Default)]
pub(super) struct Paste {
    on: bool,
    /// How much of a sequence the last bytes are.
    matched: usize,
}

/// What sets and resets it begins with.
const HEAD: &[u8] = b"\x1b[?2004";

impl Paste {
    /// Starts with what is known.
    pub(super) fn new(on: bool) -> Self {
        Self { on, matched: 0 }
    }

    pub(super) fn is_on(&self) -> bool {
        self.on
    }

    /// Takes output.
    pub(super) fn feed(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.matched == 0 {
                let Some(at) = bytes.iter().position(|&b| b == HEAD[0]) else {
                    return;
                };
                bytes = &bytes[at..];
            }
            let byte = bytes[0];
            if self.matched == HEAD.len() {
                match byte {
                    b'h' => self.on = true,
                    b'l' => self.on = false,
                    _ => {}
                }
                self.matched = 0;
                // Another byte may begin the next sequence.
                if byte == HEAD[0] {
                    continue;
                }
            } else if byte == HEAD[self.matched] {
                self.matched += 1;
            } else {
                self.matched = usize::from(byte == HEAD[0]);
            }
            bytes = &bytes[1..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mode_is_followed_whatever_the_pieces_are() {
        let text = b"a\x1b[?2004hb\x1b\x1b[?2004l\x1b[?2005h\x1b[?20\x1b[?2004h";
        for size in 1..text.len() {
            let mut paste = Paste::default();
            let mut seen = Vec::new();
            for piece in text.chunks(size) {
                paste.feed(piece);
                if seen.last() != Some(&paste.is_on()) {
                    seen.push(paste.is_on());
                }
            }
            assert!(paste.is_on(), "{size}");
            if size == 1 {
                assert_eq!(seen, [false, true, false, true]);
            }
        }
    }
}
