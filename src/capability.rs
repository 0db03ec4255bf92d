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
}
