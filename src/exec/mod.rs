//! The only floor that spawns processes: the tmux client, the tmux server, bash.

pub(crate) mod child;
mod classify;
pub(crate) mod locate;
pub(crate) mod process;
pub(crate) mod runtime_dir;
pub(crate) mod signal;
pub(crate) mod tmux;
