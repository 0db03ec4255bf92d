//! Names of keys, checked before they are sent: tmux types a name that it does
//! not know as text, so `Ctrl-C` would be typed and not interrupt.

use std::fmt;

use crate::error::{Error, ErrorKind, Result};

/// A key that tmux knows: a printable ASCII character or a named key, with any
/// of the modifiers `C-`, `M-` and `S-` before it. Names are case sensitive.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key(String);

/// Named keys, as tmux spells them (key-string.c).
const NAMED: &[&str] = &[
    "BSpace", "BTab", "DC", "Delete", "Down", "End", "Enter", "Escape", "Home", "IC", "Insert",
    "Left", "NPage", "PPage", "PageDown", "PageUp", "PgDn", "PgUp", "Right", "Space", "Tab", "Up",
    "F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11", "F12",
];

impl Key {
    /// Takes the name of a key.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidKey`].
    pub fn new(name: &str) -> Result<Self> {
        let mut base = name;
        // C-- is Control and a hyphen: a modifier has something behind it.
        while let Some(rest) = ["C-", "M-", "S-"]
            .iter()
            .find_map(|modifier| base.strip_prefix(modifier))
            .filter(|rest| !rest.is_empty())
        {
            base = rest;
        }
        let printable = base.len() == 1 && base.bytes().all(|b| b.is_ascii_graphic());
        if printable || NAMED.contains(&base) {
            Ok(Self(name.to_owned()))
        } else {
            Err(Error::new(ErrorKind::InvalidKey, "press key").on(format_args!("{name:?}")))
        }
    }

    /// Returns Control and `c`, which interrupts the foreground program.
    pub fn interrupt() -> Self {
        Self("C-c".to_owned())
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_keys_are_taken() {
        for name in [
            "a",
            ";",
            "-",
            "C-c",
            "C--",
            "M-x",
            "C-M-S-Left",
            "F12",
            "Enter",
            "S-Tab",
        ] {
            assert!(Key::new(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn what_tmux_would_type_as_text_is_refused() {
        for name in [
            "", "ab", "Ctrl-C", "enter", "F13", "é", " ", "\x1b", "C-", "C-enter",
        ] {
            let error = Key::new(name).unwrap_err();
            assert_eq!(*error.kind(), ErrorKind::InvalidKey, "{name}");
        }
    }
}
