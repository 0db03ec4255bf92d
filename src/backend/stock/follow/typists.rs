//! Who types at a prompt besides us.

use crate::exec::clock;
use crate::wire::pane::Pane;

/// What a server tells of those who type in a session.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Typists {
    /// When somebody last attached or typed, in seconds since 1970.
    pub(super) activity: u64,
    /// Somebody has been attached at some time: nobody else can type.
    pub(super) attached: bool,
}

impl From<&Pane> for Typists {
    fn from(pane: &Pane) -> Self {
        Self {
            activity: pane.activity,
            attached: pane.last_attached.is_some(),
        }
    }
}

/// A moment at which the prompt was known to be empty.
#[derive(Debug)]
pub(super) struct Clean {
    /// [`Typists::activity`] then.
    activity: u64,
    /// That second was over.
    over: bool,
}

impl Clean {
    pub(super) fn now(typists: Typists) -> Self {
        Self {
            activity: typists.activity,
            // It counts seconds: in the same one somebody may type yet.
            over: typists.activity < clock::unix(),
        }
    }

    /// Has nobody typed since?
    pub(super) fn is_so(&self, typists: Typists) -> bool {
        self.activity == typists.activity && (self.over || !typists.attached)
    }
}
