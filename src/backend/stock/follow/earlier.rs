//! What another controller sent to a pane before this one came.

use crate::wire::pane::Prompt;

/// The newest submission of another controller.
#[derive(Debug)]
pub(crate) struct Earlier {
    /// Its id there.
    pub(crate) id: u64,
    pub(crate) left: Left,
}

/// What is left of a submission when a controller comes.
#[derive(Debug)]
pub(crate) enum Left {
    /// The prompt behind it.
    Prompt(Prompt),
    /// It runs, and has this id here.
    Runs(u64),
    /// Nobody knows.
    Unknown,
    /// Nothing: it was a process's that the pane's has replaced.
    Nothing,
}

impl Earlier {
    pub(crate) fn prompt(&self) -> Option<&Prompt> {
        match &self.left {
            Left::Prompt(prompt) => Some(prompt),
            Left::Runs(_) | Left::Unknown | Left::Nothing => None,
        }
    }

    /// Its id here, if it ran when this controller came.
    pub(crate) fn ran(&self) -> Option<u64> {
        match self.left {
            Left::Runs(id) => Some(id),
            _ => None,
        }
    }
}
