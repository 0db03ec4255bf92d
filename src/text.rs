//! What a text may hold before it is typed into a shell.

use crate::error::{Error, ErrorKind, Result};

/// Longest text, in bytes, that is pasted into the shell's line editor. What is
/// longer goes through a file that the shell reads: readline takes about 5 s for
/// each MB (bash 5.2), and no echo of it clutters the screen.
pub const MAX_PASTE: usize = 32 * 1024;

/// Checks that a text holds no control characters other than tab and newline.
///
/// They are keys to whoever reads the terminal: ESC starts a command of the line
/// editor or ends a paste, 0x03 interrupts, CR runs what stands before it. A
/// script with CRLF line ends is refused for the same reason. Bytes are checked:
/// none of a longer UTF-8 character is below 0x80.
///
/// # Errors
///
/// [`ErrorKind::ControlCharacter`] with the first one.
pub fn check_text(text: &str) -> Result<()> {
    let found = text
        .bytes()
        .enumerate()
        .find(|&(_, b)| (b < 0x20 && b != b'\t' && b != b'\n') || b == 0x7f);
    match found {
        None => Ok(()),
        Some((position, byte)) => Err(Error::new(
            ErrorKind::ControlCharacter { position, byte },
            "check text",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tab_newline_and_utf8_are_taken() {
        assert!(check_text("a\tb\nc é ✓ \u{9b}").is_ok());
    }

    #[test]
    fn first_control_character_is_told() {
        for byte in (0u8..0x20).chain([0x7f]) {
            if byte == b'\t' || byte == b'\n' {
                continue;
            }
            let text = format!("é{}\x1b", byte as char);
            let error = check_text(&text).unwrap_err();
            assert_eq!(
                *error.kind(),
                ErrorKind::ControlCharacter { position: 2, byte }
            );
        }
    }
}
