//! The audit log: what goes into it, and where it goes.

pub(crate) mod entry;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};

/// Where the journal listens.
const JOURNAL: &str = "/run/systemd/journal/socket";

/// The size at which a file is begun anew, in bytes.
const FILE_LIMIT: u64 = 16 * 1024 * 1024;

/// How much is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AuditLevel {
    /// Nothing.
    Off,
    /// What was done, and no text: who wrote, read and ran what number of bytes,
    /// where, and how it ended.
    On,
    /// What was written, too; not while the terminal's echo is off. Of a text that
    /// goes by way of a private file it is the line that reads it.
    Full,
}

impl AuditLevel {
    /// Returns one word: `full`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::On => "on",
            Self::Full => "full",
        }
    }
}

impl std::fmt::Display for AuditLevel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for AuditLevel {
    type Err = Error;

    /// Reads the word that [`AuditLevel::as_str`] returns.
    fn from_str(text: &str) -> Result<Self> {
        match text {
            "off" => Ok(Self::Off),
            "on" => Ok(Self::On),
            "full" => Ok(Self::Full),
            _ => Err(Error::new(ErrorKind::InvalidArgument, "choose audit log")
                .on(format_args!("{text:?}"))
                .because("off, on or full")),
        }
    }
}

/// Settings of the audit log: an entry for each write to a window, each reading
/// of its output and each command that has ended.
///
/// By default it is on and goes to the systemd journal, where one listens. With
/// a file it goes there too, as lines of JSON with the same fields. Nothing waits
/// for either: what is not taken at once is dropped, and the next entry tells how
/// many were.
///
/// With [`BackendKind::Patched`](crate::BackendKind::Patched) it is the server
/// that logs; one that runs already keeps its own settings. With
/// [`BackendKind::Stock`](crate::BackendKind::Stock) it is this process, and what
/// ends while no process reads the window is not logged; the journal adds to each
/// entry the arguments that this process was started with.
///
/// ```
/// use amux::{Audit, AuditLevel, Server};
///
/// let audit = Audit::new().level(AuditLevel::Full).file("/var/log/amux.log");
/// let builder = Server::builder().audit(audit);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Audit {
    level: Option<AuditLevel>,
    socket: Option<PathBuf>,
    file: Option<PathBuf>,
    file_limit: Option<u64>,
}

impl Audit {
    /// Returns settings that say nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns settings by which nothing is logged.
    pub fn off() -> Self {
        Self::new().level(AuditLevel::Off)
    }

    /// Sets how much is logged. Default: [`AuditLevel::On`].
    pub fn level(mut self, level: AuditLevel) -> Self {
        self.level = Some(level);
        self
    }

    /// Sets the socket of the journal. Default: that of the system's,
    /// `/run/systemd/journal/socket`; empty: none.
    pub fn socket(mut self, path: impl Into<PathBuf>) -> Self {
        self.socket = Some(path.into());
        self
    }

    /// Sets a file to which entries go as well, by an absolute path. It is made
    /// for this user alone; a symbolic link, a file of another user and anything
    /// but a file is refused, by dropping the entries. Default: none.
    ///
    /// It should be on a local disk: nothing keeps a file system that is stuck
    /// from holding up whoever writes.
    pub fn file(mut self, path: impl Into<PathBuf>) -> Self {
        self.file = Some(path.into());
        self
    }

    /// Sets the size in bytes at which the file is moved to its name with `.1`
    /// behind it and begun anew; 0: never. Default: 16 MiB.
    pub fn file_limit(mut self, bytes: u64) -> Self {
        self.file_limit = Some(bytes);
        self
    }

    /// Takes settings from the environment: `AMUX_AUDIT`, `AMUX_AUDIT_SOCKET`,
    /// `AMUX_AUDIT_FILE`. What is not set, or empty, says nothing.
    pub(crate) fn from_environment() -> Result<Self> {
        let get = |name| std::env::var_os(name).filter(|value: &OsString| !value.is_empty());
        Ok(Self {
            level: get("AMUX_AUDIT")
                .map(|word| word.to_string_lossy().parse())
                .transpose()?,
            socket: get("AMUX_AUDIT_SOCKET").map(PathBuf::from),
            file: get("AMUX_AUDIT_FILE").map(PathBuf::from),
            file_limit: None,
        })
    }

    /// The options of a server that it sets, by name.
    pub(crate) fn options(&self) -> Vec<(&'static str, String)> {
        let path = |path: &PathBuf| path.to_string_lossy().into_owned();
        [
            ("audit-log", self.level.map(|level| level.to_string())),
            ("audit-socket", self.socket.as_ref().map(path)),
            ("audit-file", self.file.as_ref().map(path)),
            (
                "audit-file-limit",
                self.file_limit.map(|bytes| bytes.to_string()),
            ),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
    }

    pub(crate) fn chosen_level(&self) -> AuditLevel {
        self.level.unwrap_or(AuditLevel::On)
    }

    pub(crate) fn chosen_socket(&self) -> &Path {
        self.socket.as_deref().unwrap_or(Path::new(JOURNAL))
    }

    /// The file; empty where there is none.
    pub(crate) fn chosen_file(&self) -> &Path {
        self.file.as_deref().unwrap_or(Path::new(""))
    }

    pub(crate) fn chosen_file_limit(&self) -> u64 {
        self.file_limit.unwrap_or(FILE_LIMIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_words() {
        for level in [AuditLevel::Off, AuditLevel::On, AuditLevel::Full] {
            assert_eq!(level.as_str().parse::<AuditLevel>().unwrap(), level);
        }
        let error = "yes".parse::<AuditLevel>().unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::InvalidArgument);
    }

    #[test]
    fn only_what_is_said_becomes_an_option() {
        assert_eq!(Audit::new().options(), []);
        assert_eq!(
            Audit::off().file("/a").options(),
            [
                ("audit-log", "off".to_owned()),
                ("audit-file", "/a".to_owned())
            ]
        );
        assert_eq!(Audit::new().chosen_socket(), Path::new(JOURNAL));
    }
}
