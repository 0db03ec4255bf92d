//! Ranges of a stream, rendered.

use super::sys;

/// How a range is rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rendering {
    /// Every byte as it came.
    Raw,
    /// Without the marks, else as it came.
    Escapes,
    /// Text; see [`Renderer`](super::Renderer).
    Clean,
}

impl Rendering {
    pub(super) fn to_raw(self) -> sys::pane_stream_render {
        match self {
            Self::Raw => sys::pane_stream_render_PANE_STREAM_RAW,
            Self::Escapes => sys::pane_stream_render_PANE_STREAM_ESCAPES,
            Self::Clean => sys::pane_stream_render_PANE_STREAM_CLEAN,
        }
    }
}

/// A range that was rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// What came of it.
    pub bytes: Vec<u8>,
    /// Offset up to which it goes: before what is cut at the end of the range, where more may follow.
    pub end: u64,
    /// How many bytes of the range are not kept any more.
    pub missing: u64,
    /// Whether something on the alternate screen was left out.
    pub alternate: bool,
}
