//! Records of fields, as our formats print them: one line, fields separated by
//! one space each, what may hold a space quoted by `q:`.
//!
//! A space, because tmux replaces control characters in what it prints and,
//! without `-u`, everything that is not ASCII.

use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use crate::error::{Error, ErrorKind, Result};
use crate::quote;

/// The fields of one line, taken from left to right.
pub(crate) struct Fields<'a> {
    line: &'a [u8],
    rest: Option<&'a [u8]>,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(line: &'a [u8]) -> Self {
        Self {
            line,
            rest: Some(line),
        }
    }

    /// Returns an error about this line.
    pub(crate) fn error(&self, why: impl Display) -> Error {
        let line = String::from_utf8_lossy(self.line);
        let shown: String = line.chars().take(200).collect();
        Error::new(ErrorKind::Protocol, "read answer").because(format!("{why} in {shown:?}"))
    }

    fn raw(&mut self, name: &str) -> Result<&'a [u8]> {
        let rest = self
            .rest
            .ok_or_else(|| self.error(format_args!("no field {name}")))?;
        let mut escaped = false;
        let end = rest.iter().position(|&byte| {
            let separates = byte == b' ' && !escaped;
            escaped = byte == b'\\' && !escaped;
            separates
        });
        let (field, left) = match end {
            Some(end) => (&rest[..end], Some(&rest[end + 1..])),
            None => (rest, None),
        };
        self.rest = left;
        Ok(field)
    }

    /// Takes a field that `q:` quoted. Bytes that are not UTF-8 are replaced.
    pub(crate) fn text(&mut self, name: &str) -> Result<String> {
        let field = quote::unquote(self.raw(name)?);
        Ok(String::from_utf8_lossy(&field).into_owned())
    }

    /// Takes a field that holds one word and is not empty.
    pub(crate) fn word(&mut self, name: &str) -> Result<&'a str> {
        let field = self.raw(name)?;
        std::str::from_utf8(field)
            .ok()
            .filter(|word| !word.is_empty())
            .ok_or_else(|| self.error(format_args!("no word as {name}")))
    }

    /// Takes a number, or `None` where the field is empty.
    pub(crate) fn optional<T: FromStr>(&mut self, name: &str) -> Result<Option<T>> {
        let field = self.raw(name)?;
        if field.is_empty() {
            return Ok(None);
        }
        std::str::from_utf8(field)
            .ok()
            .and_then(|text| text.parse().ok())
            .map(Some)
            .ok_or_else(|| self.error(format_args!("no number as {name}")))
    }

    /// Takes a number.
    pub(crate) fn number<T: FromStr>(&mut self, name: &str) -> Result<T> {
        self.optional(name)?
            .ok_or_else(|| self.error(format_args!("no {name}")))
    }

    /// Takes a flag: `1`, or `0` or nothing.
    pub(crate) fn flag(&mut self, name: &str) -> Result<bool> {
        match self.raw(name)? {
            b"1" => Ok(true),
            b"0" | b"" => Ok(false),
            _ => Err(self.error(format_args!("no flag as {name}"))),
        }
    }

    /// Takes numbers separated by commas; none where the field is empty.
    pub(crate) fn list<T: FromStr>(&mut self, name: &str) -> Result<Vec<T>> {
        let field = self.raw(name)?;
        if field.is_empty() {
            return Ok(Vec::new());
        }
        std::str::from_utf8(field)
            .ok()
            .and_then(|text| text.split(',').map(|n| n.parse().ok()).collect())
            .ok_or_else(|| self.error(format_args!("no list as {name}")))
    }

    /// Takes a duration in nanoseconds.
    pub(crate) fn nanoseconds(&mut self, name: &str) -> Result<Option<Duration>> {
        Ok(self.optional(name)?.map(Duration::from_nanos))
    }

    /// Makes sure that nothing is left.
    pub(crate) fn end(self) -> Result<()> {
        match self.rest {
            None => Ok(()),
            Some(_) => Err(self.error("more fields than expected")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_taken_in_order() {
        let mut fields = Fields::new(br"12  a\ b\\ 3,0 1");
        assert_eq!(fields.number::<u64>("n").unwrap(), 12);
        assert_eq!(fields.optional::<u8>("none").unwrap(), None);
        assert_eq!(fields.text("t").unwrap(), "a b\\");
        assert_eq!(fields.list::<u8>("l").unwrap(), [3, 0]);
        assert!(fields.flag("f").unwrap());
        fields.end().unwrap();
    }

    #[test]
    fn empty_fields_at_the_end_count() {
        let mut fields = Fields::new(b"a ");
        assert_eq!(fields.word("a").unwrap(), "a");
        assert_eq!(fields.text("empty").unwrap(), "");
        assert!(fields.text("missing").is_err());
    }

    #[test]
    fn what_does_not_fit_is_a_protocol_error() {
        for error in [
            Fields::new(b"x").number::<u8>("n").unwrap_err(),
            Fields::new(b"300").number::<u8>("n").unwrap_err(),
            Fields::new(b"").number::<u8>("n").unwrap_err(),
            Fields::new(b"2").flag("f").unwrap_err(),
            Fields::new(b"1,,2").list::<u8>("l").unwrap_err(),
            Fields::new(b"\xff").word("w").unwrap_err(),
            Fields::new(b"").word("w").unwrap_err(),
            Fields::new(b"a").end().unwrap_err(),
        ] {
            assert_eq!(*error.kind(), ErrorKind::Protocol);
        }
    }
}
