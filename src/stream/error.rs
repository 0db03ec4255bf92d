//! The one thing that can go wrong here.

use std::fmt;

/// The engine got no memory. What it was asked for did not happen; the value it was asked of can be used further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfMemory;

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the stream engine got no memory")
    }
}

impl std::error::Error for OutOfMemory {}
