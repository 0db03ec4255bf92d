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
//! configuration, and the user's own sessions are not touched. Windows run a login
//! shell, bash unless [`Builder::shell`] says otherwise, with the shell integration
//! that tells where each command begins and ends. A person can attach to it and
//! watch.
//!
//! # The model
//!
//! As in tmux: a server has sessions, a session has windows, a window has panes.
//! Sessions and windows go by name; what is done to a window is done to its
//! active pane, the only one unless a person has split it.
//!
//! ```text
//!  Server              one tmux, one socket: a tenant
//!  └─ Session          "amux" where none is named
//!     ├─ Window        "build": one shell that lives on between commands
//!     │  └─ pane       its terminal: one stream of bytes, in and out
//!     └─ Task          a window "<project>-<target>-<task>", closed when verified
//! ```
//!
//! A command is found in the pane's stream by the marks (OSC 133) that the shell
//! integration prints. They are taken out of what is returned; what lies between
//! two of them is the output, byte for byte. Each command has a record.
//!
//! ```text
//!  Window::run("ls")
//!    │ typed at an empty prompt, as one paste
//!    ▼
//!  ‥ A prompt B ls C a.txt b.txt D;0 A prompt B ‥      stream of the pane
//!                   └────┬─────┘ └┬┘
//!                     output    status                 marks: A B C D
//!                        │        │
//!                 Record { id, ended, status, pipe_statuses, duration, .. }
//!                        │
//!                 Output { text: "a.txt b.txt", raw, record, .. }
//! ```
//!
//! * [`Window::run`] submits a text and waits for the prompt behind its `D`:
//!   [`Output`], and in it the [`Record`].
//! * [`Window::write`] submits and goes on; the [`CommandId`] that it returns is
//!   what [`Window::wait`] and [`Window::read`] take.
//! * [`Window::stream`] gives all bytes as they come, and [`Window::capture`] the
//!   screen, for programs that draw one.
//! * [`Window::state`] says what the pane is doing; a program that runs is never
//!   typed into by [`Window::run`].
//!
//! Work that takes more than one command has a window of its own: [`Task`].
//!
//! # Backends
//!
//! One interface, two ways to drive a server, chosen by what the server can do
//! or by [`Builder::backend`]:
//!
//! * [`BackendKind::Patched`] uses `write-pane` and `read-pane` of `tmux-custom`,
//!   the tmux that this crate builds. The stream of each pane and the records of
//!   its commands are in the server, for any number of processes.
//! * [`BackendKind::Stock`] drives any tmux. What a pane prints comes through
//!   `pipe-pane` into the same stream engine, in this process.
//!
//! ```text
//!            this process                   tmux server           pane
//!
//!  patched   Window::run  ── write-pane ──────────────────────▶ bash
//!                                           stream, records ◀── bytes, marks
//!            Output       ◀─ read-pane ──── │
//!
//!  stock     Window::run  ── paste-buffer ────────────────────▶ bash
//!            stream,      ◀─ pipe-pane ─────────────────────── bytes, marks
//!            records      ──▶ @amux_prompt ◀── where none reads ─ prompt hook
//!            Output
//! ```
//!
//! Both keep the same contract. What differs: on a stock tmux one process at a
//! time can read a window ([`ErrorKind::PipeInUse`]), and of what ended before this
//! process came the newest has a status, and none has output.
//!
//! # Layers
//!
//! A person and an agent on one machine have three servers, each a [`Layer`]:
//! the outer one shows the person's and the agent's, each in a window.
//! [`Builder::layer`] is the way to work in one, [`Builder::up`] starts them.
//!
//! # What can go wrong
//!
//! Every error is an [`Error`] with an [`ErrorKind`]. What cannot be known:
//!
//! * A server that shuts down while [`Window::write`] or [`Window::keys`] is on
//!   its way lets it succeed; the next call tells.
//! * A command whose shell sends no marks (its startup files replaced
//!   `PROMPT_COMMAND`, or it has no integration) ends when the terminal has been quiet at
//!   a prompt for a while, and has no status: [`CommandFlags::unmarked`].
//!
//! # Supported versions
//!
//! tmux 3.3a and later, bash 4.4 and later, and with the patches zsh 5.8 and fish 3.6
//! and later, on Linux.

#![warn(missing_docs)]

mod audit;
mod backend;
mod capability;
mod capture;
mod command;
mod error;
mod exec;
mod follow;
mod input;
mod keys;
mod kill;
mod layer;
pub mod names;
mod part;
mod quote;
mod read;
mod run;
mod server;
mod session;
mod shell;
mod state;
pub mod stream;
mod task;
pub mod text;
mod transport;
mod version;
mod window;
mod wire;

pub use audit::{Audit, AuditLevel};
pub use capability::{BackendKind, Capabilities};
pub use capture::{CaptureOptions, Cursor, Snapshot};
pub use command::{CommandFlags, CommandId, Ended, Record};
pub use error::{Error, ErrorKind, Result};
pub use exec::locate::{BUILT_TMUX, find_tmux};
pub use exec::runtime_dir::{BASH_INTEGRATION, SHELL_INTEGRATION};
pub use follow::{Stream, StreamPiece};
pub use input::Submit;
pub use keys::Key;
pub use kill::Killed;
pub use layer::{Configuration, Layer, LayerUp, RunningProgram};
pub use part::{Amount, Excerpt, Hits, Limits, Part, Piece, Search};
pub use read::{Chunk, Range, ReadOptions, Render};
pub use run::{Output, RunOptions, WhenBusy, WhenLate};
pub use server::{
    Builder, DEFAULT_SESSION, ExitReason, PANE_ENVIRONMENT, Programs, PromptCommand, PromptTool,
    Server, ServerExit, Startup, StartupFile, Stopped, TerminalCheck,
};
pub use session::Session;
pub use shell::{Shell, ShellKind};
pub use state::{Activity, InputMode, State, WindowInfo};
pub use task::{Task, TaskInfo, TaskName, TaskState};
pub use transport::Transport;
pub use version::Version;
pub use window::Window;
