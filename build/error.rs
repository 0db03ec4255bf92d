//! What went wrong in the build, as lines for the person who reads them.

use std::fmt;
use std::path::Path;

/// Result of a build step.
pub type Result<T> = std::result::Result<T, Error>;

/// A failed step: the first line says what failed, those below it why, and what helps.
#[derive(Debug, PartialEq, Eq)]
pub struct Error {
    lines: Vec<String>,
}

impl Error {
    /// Starts an error with its first line.
    pub fn new(what: impl Into<String>) -> Self {
        let mut error = Self { lines: Vec::new() };
        error.add(&what.into());
        error
    }

    /// Tells that an operation on a file failed.
    pub fn file(operation: &str, path: &Path, source: &std::io::Error) -> Self {
        Self::new(format!("cannot {operation} {}: {source}", path.display()))
    }

    /// Adds what explains it or what helps; line breaks are kept.
    #[must_use]
    pub fn help(mut self, text: impl AsRef<str>) -> Self {
        self.add(text.as_ref());
        self
    }

    /// Puts the name of the step before the first line.
    #[must_use]
    pub fn during(mut self, step: &str) -> Self {
        if let Some(first) = self.lines.first_mut() {
            *first = format!("{step}: {first}");
        }
        self
    }

    /// Returns the lines, none of which holds a line break.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    fn add(&mut self, text: &str) {
        self.lines.extend(text.lines().map(str::to_owned));
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines.join("\n"))
    }
}

impl std::error::Error for Error {}
