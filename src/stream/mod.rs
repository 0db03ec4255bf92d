//! The stream engine: what a pane wrote, what its marks tell, and text made of it.
//!
//! It is the C that runs inside `tmux-custom` (`tmux-patches/files`), compiled into the crate, so that a
//! program can do in its own process what the server does:
//!
//! * [`Scanner`] finds OSC 133 marks and switches of the alternate screen,
//! * [`Renderer`] turns output into text, [`clean`] at once,
//! * [`PaneStream`] keeps the newest bytes of a pane and the records of its commands.
//!
//! Nothing here blocks, knows a clock or does I/O. Bytes may come in any pieces: the pieces make no difference.
//! Offsets count from the first byte of a stream. Values of these types stay on the thread that made them.

mod error;
pub mod memory;
mod pane;
mod record;
mod render;
mod scanner;
#[allow(
    dead_code,
    missing_docs,
    non_camel_case_types,
    non_upper_case_globals,
    unreachable_pub
)]
mod sys {
    include!(concat!(env!("OUT_DIR"), "/engine.rs"));
}
mod text;

pub use error::OutOfMemory;
pub use pane::{AtPrompt, PaneStream, Phase, Pool, Readiness};
pub use record::{Ended, Flags, Record};
pub use render::{Rendered, Rendering};
pub use scanner::{Event, Kind, Mark, PromptKind, Scanner, Status};
pub use text::{Options, Renderer, Text, clean};

/// Longest payload of a mark that is kept, in bytes.
pub const MAX_PAYLOAD: usize = sys::OSC133_MAX_PAYLOAD as usize;

/// Most statuses of a pipeline that are kept.
pub const MAX_PIPE: usize = sys::OSC133_MAX_PIPE as usize;

/// Most cells of a line that can still be overwritten.
pub const MAX_LINE: usize = sys::STREAM_TEXT_MAX_LINE as usize;

/// Most records that a stream keeps.
pub const MAX_RECORDS: usize = sys::PANE_STREAM_RECORDS as usize;

/// How much of a pane's output is kept where nothing else is said, in bytes.
pub const DEFAULT_LIMIT: u64 = sys::PANE_STREAM_LIMIT as u64;
