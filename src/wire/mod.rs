//! Bytes in, messages out: what tmux prints, as values. No sockets, no clocks.

pub(crate) mod command;
pub(crate) mod probe;
pub(crate) mod record;
pub(crate) mod state;
