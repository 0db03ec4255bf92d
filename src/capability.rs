//! What a server can do, as found by asking it.

use crate::version::Version;

/// What the server behind a [`Server`](crate::Server) can do.
///
/// Filled once, when the server is started or connected to. An operation that
/// needs what is missing fails with
/// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) before anything is
/// sent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// Version of tmux that the server tells.
    pub version: Version,
    /// Has the command `write-pane`.
    pub write_pane: bool,
    /// Has the command `read-pane`, and the stream and records behind it.
    pub read_pane: bool,
    /// `paste-buffer` rewrites control characters, unless told not to: from 3.7
    /// on (cmd-paste-buffer.c).
    pub paste_rewrites: bool,
    /// `send-keys` refuses while somebody is attached read-only, unless it names
    /// another client: from 3.7 on (cmd-send-keys.c).
    pub watchers_refuse_keys: bool,
}

/// How a server is driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BackendKind {
    /// By `write-pane` and `read-pane` of tmux-custom.
    Patched,
    /// By what every tmux has.
    Stock,
}

impl BackendKind {
    /// Returns one word: `patched`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Patched => "patched",
            Self::Stock => "stock",
        }
    }
}

impl std::fmt::Display for BackendKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
