//! Versions of tmux and of shells as values. What a version can do is decided in
//! `backend::detect` alone.

use std::fmt;

/// A version: two numbers and the letter that tmux puts behind them.
///
/// Ordered as released: 3.3 < 3.3a < 3.4. A version of tmux between two releases
/// (`next-3.8`, `master`) counts as the release it names, or as newer than all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The first number.
    pub major: u32,
    /// The second number.
    pub minor: u32,
    /// The letter behind them, if any.
    pub letter: Option<char>,
}

impl Version {
    /// Creates a version without a letter.
    pub const fn new(major: u32, minor: u32) -> Self {
        Self {
            major,
            minor,
            letter: None,
        }
    }

    /// Creates a version with a letter.
    pub const fn with_letter(major: u32, minor: u32, letter: char) -> Self {
        Self {
            major,
            minor,
            letter: Some(letter),
        }
    }

    /// Reads tmux's version, as `tmux -V` and the format `version` tell it:
    /// `tmux 3.5a`, `3.5a`, `tmux next-3.8`, `tmux master`, `3.5a-rc2`. In front
    /// of it tmux 3.3a prints the name of its binary.
    pub fn parse_tmux(text: &str) -> Option<Self> {
        let text = text.split_whitespace().next_back()?;
        if text == "master" {
            return Some(Self::new(u32::MAX, 0));
        }
        Self::parse_prefix(text.strip_prefix("next-").unwrap_or(text))
    }

    /// Reads the first line of `bash --version`: `GNU bash, version 5.2.15(1)-release (…)`.
    pub fn parse_bash(text: &str) -> Option<Self> {
        let line = text.lines().next()?;
        let (_, rest) = line.split_once("bash, version ")?;
        let version = Self::parse_prefix(rest)?;
        Some(Self::new(version.major, version.minor))
    }

    /// Reads the first line of `zsh --version`: `zsh 5.9 (x86_64-debian-linux-gnu)`.
    pub fn parse_zsh(text: &str) -> Option<Self> {
        Self::parse_prefix(text.lines().next()?.strip_prefix("zsh ")?)
    }

    /// Reads the first line of `fish --version`: `fish, version 3.6.0`.
    pub fn parse_fish(text: &str) -> Option<Self> {
        Self::parse_prefix(text.lines().next()?.strip_prefix("fish, version ")?)
    }

    /// Reads `3.5a` at the start of a text.
    fn parse_prefix(text: &str) -> Option<Self> {
        let (major, rest) = text.split_once('.')?;
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        Some(Self {
            major: major.parse().ok()?,
            minor: rest[..end].parse().ok()?,
            letter: rest[end..]
                .chars()
                .next()
                .filter(|c| c.is_ascii_lowercase()),
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.major == u32::MAX {
            return f.write_str("master");
        }
        write!(f, "{}.{}", self.major, self.minor)?;
        self.letter.map_or(Ok(()), |letter| write!(f, "{letter}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tmux_versions_are_read() {
        for (text, version) in [
            ("tmux 3.3a\n", Version::with_letter(3, 3, 'a')),
            ("tmux-custom 3.3a\n", Version::with_letter(3, 3, 'a')),
            ("3.5", Version::new(3, 5)),
            ("tmux next-3.8", Version::new(3, 8)),
            ("tmux 3.4-rc2", Version::new(3, 4)),
            ("tmux master", Version::new(u32::MAX, 0)),
        ] {
            assert_eq!(Version::parse_tmux(text), Some(version), "{text}");
        }
        for text in ["", "tmux", "tmux x.y", "3", "tmux 3.", "999999999999.1"] {
            assert_eq!(Version::parse_tmux(text), None, "{text}");
        }
    }

    #[test]
    fn bash_versions_are_read() {
        let text = "GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\nCopyright";
        assert_eq!(Version::parse_bash(text), Some(Version::new(5, 2)));
        assert_eq!(Version::parse_bash("zsh 5.9"), None);
        assert_eq!(Version::parse_bash(""), None);
    }

    #[test]
    fn versions_of_zsh_and_fish_are_read() {
        let zsh = Version::parse_zsh("zsh 5.9 (x86_64-debian-linux-gnu)\n");
        assert_eq!(zsh, Some(Version::new(5, 9)));
        assert_eq!(Version::parse_zsh("GNU bash, version 5.2"), None);
        let fish = Version::parse_fish("fish, version 3.6.0\n");
        assert_eq!(fish, Some(Version::new(3, 6)));
        let fish = Version::parse_fish("fish, version 4.0.2-12-gabc\n");
        assert_eq!(fish, Some(Version::new(4, 0)));
        assert_eq!(Version::parse_fish("zsh 5.9"), None);
    }

    #[test]
    fn order_is_that_of_the_releases() {
        let mut versions = ["3.10", "3.3a", "3.4", "3.3", "master", "3.5b", "3.5a"]
            .map(|text| Version::parse_tmux(text).unwrap());
        versions.sort();
        let order: Vec<_> = versions.iter().map(Version::to_string).collect();
        assert_eq!(
            order,
            ["3.3", "3.3a", "3.4", "3.5a", "3.5b", "3.10", "master"]
        );
    }
}
