//! Drives programs in terminals through tmux: bytes in, the exact output of a
//! command out, and the fact that it has ended, with its status.
//!
//! ```no_run
//! # async fn example() -> amux::Result<()> {
//! let server = amux::Server::builder().tenant("demo").start().await?;
//! let window = server.window("build")?;
//! window.create().await?;
//! let output = window.run("cd /tmp && ls", amux::RunOptions::new()).await?;
//! println!("{} {:?}", output.text, output.status());
//! server.stop().await?;
//! # Ok(())
//! # }
//! ```
//!
//! The server is a tmux of its own, on a socket of its own: it reads no
//! configuration, and the user's own sessions are not touched. Windows run bash
//! as a login shell, with the shell integration that tells where each command
//! begins and ends. A person can attach to it and watch.
//!
//! # Backends
//!
//! The one backend so far, `patched`, needs `tmux-custom`, the tmux with
//! `write-pane` and `read-pane` that this crate builds. An unpatched server is
//! refused with [`ErrorKind::Unsupported`].
//!
//! # What can go wrong
//!
//! Every error is an [`Error`] with an [`ErrorKind`]. What cannot be known:
//!
//! * A server that shuts down while [`Window::write`] or [`Window::keys`] is on
//!   its way lets it succeed; the next call tells.
//! * A command whose shell sends no marks (its startup files replaced
//!   `PROMPT_COMMAND`, or it is no bash) ends when the terminal has been quiet at
//!   a prompt for a while, and has no status: [`CommandFlags::unmarked`].
//!
//! # Supported versions
//!
//! tmux 3.3a and later, bash 4.4 and later, on Linux.

#![warn(missing_docs)]

mod backend;
mod capability;
mod command;
mod error;
mod exec;
mod input;
mod keys;
pub mod names;
mod quote;
mod read;
mod run;
mod server;
mod session;
mod state;
pub mod stream;
pub mod text;
mod version;
mod window;
mod wire;

pub use capability::Capabilities;
pub use command::{CommandFlags, CommandId, Ended, Record};
pub use error::{Error, ErrorKind, Result};
pub use exec::locate::{BUILT_TMUX, find_tmux};
pub use exec::runtime_dir::BASH_INTEGRATION;
pub use input::Submit;
pub use keys::Key;
pub use read::{Chunk, Range, ReadOptions, Render};
pub use run::{Output, RunOptions, WhenBusy};
pub use server::{Builder, DEFAULT_SESSION, Programs, Server, ServerExit, Stopped};
pub use session::Session;
pub use state::{Activity, InputMode, State, WindowInfo};
pub use version::Version;
pub use window::Window;
