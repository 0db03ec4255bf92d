//! Names of tenants, sessions and windows, and the exact targets made of them.
//!
//! In a tmux target `:` and `.` separate session, window and pane, and a leading
//! `=` asks for an exact match: names hold none of them.

use std::fmt;

use crate::error::{Error, ErrorKind, Result};

/// Longest name, in bytes. The tenant's is part of the path of a socket, which
/// has 108 bytes in all.
pub const MAX_NAME: usize = 32;

/// Checks the name of a tenant or a session: 1 to 32 letters, digits, `_` and
/// `-` of ASCII, not starting with `-`.
///
/// # Errors
///
/// [`ErrorKind::InvalidName`].
pub fn check_name(name: &str) -> Result<()> {
    let refuse = |why: &str| {
        Err(Error::new(ErrorKind::InvalidName, "use name")
            .on(format_args!("{name:?}"))
            .because(why))
    };
    if name.is_empty() {
        return refuse("it is empty");
    }
    if name.len() > MAX_NAME {
        return refuse("it is longer than 32 bytes");
    }
    if name.starts_with('-') {
        return refuse("it starts with -");
    }
    if !name
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
    {
        return refuse("only letters, digits, _ and - are allowed");
    }
    Ok(())
}

/// Checks the name of a window: as [`check_name`], and not digits alone.
///
/// tmux reads digits as the index of a window first, `=` or not: the name `1`
/// would reach another window.
///
/// # Errors
///
/// [`ErrorKind::InvalidName`].
pub fn check_window_name(name: &str) -> Result<()> {
    check_name(name)?;
    if name.bytes().all(|b| b.is_ascii_digit()) {
        return Err(Error::new(ErrorKind::InvalidName, "use name")
            .on(format_args!("{name:?}"))
            .because("a window's name has more than digits"));
    }
    Ok(())
}

/// A window by the names of its session and its own, both checked.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct WindowName {
    session: String,
    window: String,
}

impl WindowName {
    pub(crate) fn new(session: &str, window: &str) -> Result<Self> {
        check_name(session)?;
        check_window_name(window)?;
        Ok(Self {
            session: session.to_owned(),
            window: window.to_owned(),
        })
    }

    pub(crate) fn session(&self) -> &str {
        &self.session
    }

    pub(crate) fn window(&self) -> &str {
        &self.window
    }

    /// The target as tmux takes it. Without `=` tmux also takes a prefix or a
    /// pattern, and would reach a window of another name.
    pub(crate) fn target(&self) -> String {
        format!("={}:={}", self.session, self.window)
    }
}

/// As people read it.
impl fmt::Display for WindowName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.session, self.window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_letters_digits_underscore_and_hyphen_are_taken() {
        for name in ["a", "A-1_b", "1", "x".repeat(32).as_str()] {
            assert!(check_name(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn names_that_would_change_a_target_are_refused() {
        let long = "x".repeat(33);
        for name in [
            "", "a:b", "a.b", "=a", "-a", "a b", "é", "../x", "a\n", &long,
        ] {
            let error = check_name(name).unwrap_err();
            assert_eq!(*error.kind(), ErrorKind::InvalidName, "{name}");
        }
    }

    #[test]
    fn window_of_digits_alone_is_refused() {
        assert!(check_window_name("07").is_err());
        assert!(check_window_name("7a").is_ok());
    }

    #[test]
    fn target_is_exact() {
        let name = WindowName::new("s", "w").unwrap();
        assert_eq!(name.target(), "=s:=w");
        assert_eq!(name.to_string(), "s:w");
    }
}
