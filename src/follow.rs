//! What a window prints, as it comes.

use crate::backend::PaneBackend;
use crate::error::{ErrorKind, Result};
use crate::names::WindowName;
use crate::server::Server;

/// What a window prints, in pieces, from an offset of its stream on. Made by
/// [`Window::stream`](crate::Window::stream).
///
/// Any number may follow a window; none of them takes anything from another, or
/// counts as reading. The window keeps the newest bytes (16 MiB, see
/// [`Builder::stream_limit`](crate::Builder::stream_limit)): one who comes too
/// late for some is told how many.
#[derive(Debug)]
pub struct Stream {
    server: Server,
    name: WindowName,
    offset: u64,
    begun: bool,
}

/// A piece of what a window printed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StreamPiece {
    /// Every byte as it came. Marks, characters and sequences may be cut between
    /// two pieces; a [`Renderer`](crate::stream::Renderer) makes text of them.
    pub bytes: Vec<u8>,
    /// Offset of the first byte in the window's stream.
    pub start: u64,
    /// Bytes before it that are no longer kept.
    pub missing: u64,
}

impl Stream {
    pub(crate) fn new(server: Server, name: WindowName, offset: u64) -> Self {
        Self {
            server,
            name,
            offset,
            begun: false,
        }
    }

    /// Returns the offset up to which was read.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Waits for the next piece: all that has come since the last one. `None`
    /// when the window's process has ended, or the window is gone. Nothing is
    /// asked for while it waits.
    ///
    /// A window that closes itself between two calls may take its last bytes
    /// along.
    ///
    /// # Errors
    ///
    /// Those of every call of a [`Window`](crate::Window);
    /// [`ErrorKind::PaneGone`] where another process writes to the window by
    /// now.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost: the next call returns it.
    pub async fn next(&mut self) -> Result<Option<StreamPiece>> {
        let backend = self.server.pane_backend();
        let reading = match backend.follow(&self.name, Some(self.offset)).await {
            Ok(Some(reading)) => reading,
            Ok(None) => return Ok(None),
            Err(error) if self.begun && has_gone(error.kind()) => return Ok(None),
            Err(error) => return Err(error),
        };
        self.begun = true;
        self.offset = reading.end;
        Ok(Some(StreamPiece {
            start: reading.start + reading.missing,
            bytes: reading.bytes,
            missing: reading.missing,
        }))
    }
}

fn has_gone(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::WindowNotFound | ErrorKind::SessionNotFound | ErrorKind::PaneDead
    )
}
