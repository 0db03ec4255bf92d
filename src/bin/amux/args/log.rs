//! What can be given to `amux log`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args as Group, ValueEnum};

#[derive(Debug, Group)]
pub struct Log {
    /// Print what is about this window alone
    #[arg(long, value_name = "NAME")]
    pub window: Option<String>,
    /// Print what is about this pane alone: %3
    #[arg(long, value_name = "ID")]
    pub pane: Option<String>,
    /// Print entries of this kind alone
    #[arg(long, value_enum, value_name = "KIND")]
    pub event: Option<Event>,
    /// Print the commands alone that did not exit with 0
    #[arg(long)]
    pub failed: bool,
    /// Print what is no older than this: 90s, 10m, 2h, 7d
    #[arg(long, value_name = "TIME", value_parser = ago)]
    pub since: Option<Duration>,
    /// Print the last entries alone, so many
    #[arg(short = 'n', long, value_name = "N", default_value_t = 100)]
    pub lines: usize,
    /// Go on with new entries as they come
    #[arg(short, long)]
    pub follow: bool,
    /// Read this file of JSON lines, not the journal
    #[arg(long, env = "AMUX_AUDIT_FILE", value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Read the journal of this namespace
    #[arg(long, value_name = "NAME")]
    pub namespace: Option<String>,
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
}

/// What is told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Event {
    Write,
    Read,
    Command,
}

impl Event {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Read => "read",
            Self::Command => "command",
        }
    }
}

/// A number with a unit.
fn ago(text: &str) -> Result<Duration, String> {
    let wrong = || "a number and s, m, h or d are needed: 10m".to_owned();
    let unit = match text.chars().next_back() {
        Some('s') => 1,
        Some('m') => 60,
        Some('h') => 60 * 60,
        Some('d') => 24 * 60 * 60,
        _ => return Err(wrong()),
    };
    let number: u64 = text[..text.len() - 1].parse().map_err(|_| wrong())?;
    let seconds = number.checked_mul(unit).ok_or_else(wrong)?;
    Ok(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit() {
        assert_eq!(ago("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(ago("2h"), Ok(Duration::from_secs(7200)));
        for text in ["", "5", "m", "-1m", "1w", "1é", "99999999999999999999d"] {
            assert!(ago(text).is_err(), "{text}");
        }
    }
}
