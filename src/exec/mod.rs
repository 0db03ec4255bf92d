//! The only floor that spawns processes and opens sockets: the tmux client, the
//! tmux server, bash; the server's socket.

pub(crate) mod check;
pub(crate) mod child;
mod classify;
pub(crate) mod clock;
pub(crate) mod exit;
pub(crate) mod followed;
pub(crate) mod journal;
pub(crate) mod locate;
pub(crate) mod opened;
pub(crate) mod pipe;
pub(crate) mod process;
pub(crate) mod processes;
mod route;
pub(crate) mod runtime_dir;
pub(crate) mod signal;
mod socket;
mod stat;
pub(crate) mod terminal;
pub(crate) mod tmux;

#[cfg(test)]
pub(crate) use socket::tests::Stage;
