//! Bytes in, messages out: what tmux prints and what it says on its socket, as
//! values. No sockets, no clocks.

pub(crate) mod command;
pub(crate) mod imsg;
pub(crate) mod message;
pub(crate) mod pane;
pub(crate) mod probe;
pub(crate) mod protocol;
pub(crate) mod record;
pub(crate) mod screen;
pub(crate) mod state;
pub(crate) mod task;
