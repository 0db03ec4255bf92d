//! What a backend does, as a contract, and the choice of one.

pub(crate) mod detect;
mod patched;
pub(crate) mod screen;
mod stock;
mod take_back;
pub(crate) mod tasks;
mod windows;

use std::time::Duration;

use crate::audit::Audit;
use crate::capability::{BackendKind, Capabilities};
use crate::command::{CommandId, Record};
use crate::error::{Error, ErrorKind, Result};
use crate::exec::tmux::Tmux;
use crate::input::Submit;
use crate::names::WindowName;
use crate::read::{Range, Render};
use crate::state::{State, WindowInfo};
use crate::wire::command::Reading;

use patched::Patched;
use stock::Stock;

/// A text to run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunRequest<'a> {
    pub(crate) target: &'a WindowName,
    /// Typed as it is, then submitted.
    pub(crate) text: &'a str,
    /// How long a shell that is starting may take to show its first prompt.
    pub(crate) starting: Duration,
    /// How long to wait while something else runs; `None`: not at all.
    pub(crate) busy: Option<Duration>,
    /// How long to wait for the end; `None`: for ever.
    pub(crate) timeout: Option<Duration>,
}

impl<'a> RunRequest<'a> {
    /// Returns the same for another text.
    pub(crate) fn with_text<'b>(self, text: &'b str) -> RunRequest<'b>
    where
        'a: 'b,
    {
        RunRequest { text, ..self }
    }
}

/// A range to read.
#[derive(Debug)]
pub(crate) struct ReadRequest<'a> {
    pub(crate) target: &'a WindowName,
    pub(crate) range: Range,
    pub(crate) render: Render,
    /// What is read counts as read.
    pub(crate) consume: bool,
}

/// What came of a wait that was given a time.
#[derive(Debug)]
pub(crate) struct Waited<T> {
    pub(crate) value: T,
    /// The time was over first; the command goes on.
    pub(crate) timed_out: bool,
}

/// The contract of a backend.
///
/// For every method:
///
/// * The pane meant is the active one of the window.
/// * A missing session or window is [`ErrorKind::SessionNotFound`] or
///   [`ErrorKind::WindowNotFound`]; a server that is not there, or goes away
///   meanwhile, is [`ErrorKind::NoServer`]; one that does not answer within the
///   call's limit is [`ErrorKind::Timeout`].
/// * Calls on one pane are done in the order in which the server receives them.
///   One call's input is never mixed with another's.
/// * Dropping the future leaves no process, waiter or buffer behind, on either
///   side. Input is written whole or not at all.
pub(crate) trait PaneBackend {
    /// Creates a window, and its session, unless it is there. Others may do the
    /// same at the same time; one window comes of it. Returns true when it was
    /// created. Its output is followed from the first byte.
    async fn ensure(&self, name: &WindowName) -> Result<bool>;

    /// Types a text at an empty prompt, submits it and waits for its end.
    ///
    /// Guarantees that nothing was typed on any error but
    /// [`ErrorKind::Incomplete`], [`ErrorKind::NoServer`],
    /// [`ErrorKind::Timeout`], [`ErrorKind::Protocol`] and
    /// [`ErrorKind::PaneGone`]. The reading holds the raw output of this
    /// command alone, and its record. When the time is over the command goes
    /// on, and the reading holds what there is so far.
    ///
    /// [`ErrorKind::Incomplete`] when the shell waits for the rest of the text,
    /// which is taken back: nothing ran, or what came before the unfinished
    /// part, and the shell is at its prompt.
    /// [`ErrorKind::Busy`] when something runs and goes on for longer than is
    /// waited, [`ErrorKind::PromptNotEmpty`] when a line is typed already,
    /// [`ErrorKind::NoBracketedPaste`], [`ErrorKind::LineTooLong`],
    /// [`ErrorKind::TooMuchInput`], [`ErrorKind::PaneDead`],
    /// [`ErrorKind::InputOff`] as they say.
    async fn run(&self, request: RunRequest<'_>) -> Result<Waited<Reading>>;

    /// Writes bytes to the pane's program, whatever it is and does, unaltered.
    ///
    /// Returns the id of the submission, or `None` when nothing was submitted.
    /// [`ErrorKind::LineTooLong`], [`ErrorKind::PasteEndsEarly`],
    /// [`ErrorKind::TooMuchInput`], [`ErrorKind::PaneDead`],
    /// [`ErrorKind::InputOff`] as they say; nothing was written then.
    async fn write(
        &self,
        target: &WindowName,
        data: Vec<u8>,
        submit: Submit,
    ) -> Result<Option<CommandId>>;

    /// Presses keys, in order, after leaving any mode of the window.
    async fn keys(&self, target: &WindowName, keys: &[&str]) -> Result<()>;

    /// Reads a range of the pane's stream; never waits.
    ///
    /// A range whose beginning was overwritten is read from where it is still
    /// kept, and says how many bytes are missing.
    /// [`ErrorKind::NoSuchCommand`] and [`ErrorKind::CommandForgotten`] for a
    /// command's range.
    async fn read(&self, request: ReadRequest<'_>) -> Result<Reading>;

    /// Waits until a command has ended: the one with the id, else the newest
    /// submission, else what runs. Returns at once when it has.
    ///
    /// `None` when there is no command at all. [`ErrorKind::NoSuchCommand`] and
    /// [`ErrorKind::CommandForgotten`] as for [`read`](Self::read);
    /// [`ErrorKind::PaneGone`] when the pane is destroyed before that.
    async fn wait(
        &self,
        target: &WindowName,
        id: Option<CommandId>,
        timeout: Option<Duration>,
    ) -> Result<Waited<Option<Record>>>;

    /// Waits until a pane has printed something behind an offset of its stream,
    /// and returns all of that, raw; with `None` as the offset it returns at
    /// once, where the stream ends now. `None` when the pane's process has ended
    /// and nothing more is there.
    ///
    /// [`ErrorKind::PaneGone`] where the stream is another's by now.
    async fn follow(&self, target: &WindowName, after: Option<u64>) -> Result<Option<Reading>>;

    /// Returns the records that are kept, oldest first.
    async fn records(&self, target: &WindowName) -> Result<Vec<Record>>;

    /// Returns what the pane is doing.
    async fn state(&self, target: &WindowName) -> Result<State>;

    /// Returns every window of the server, in the server's order.
    async fn windows(&self) -> Result<Vec<WindowInfo>>;

    /// Sets how many bytes of a pane a server that was just started keeps, where
    /// it is the server that keeps them, and what it logs.
    async fn limit_streams(&self) -> Result<()>;

    /// Gives back what it holds of the server, for the last handle of a server
    /// that goes on. Later calls take it anew. Never fails: a server that has
    /// gone holds nothing.
    async fn release(&self);
}

/// How a backend is to work.
#[derive(Debug)]
pub(crate) struct Settings {
    /// Which one; `None`: whichever the server can be driven by.
    pub(crate) kind: Option<BackendKind>,
    /// How long the server may take to answer what does not wait.
    pub(crate) call_limit: Duration,
    /// How many bytes of a pane are kept; `None`: as many as by default.
    pub(crate) stream_limit: Option<u64>,
    /// What is logged, and where.
    pub(crate) audit: Audit,
    /// Path of the server's socket.
    pub(crate) socket: String,
}

/// The backend in use.
#[derive(Debug)]
pub(crate) enum Backend {
    Patched(Patched),
    Stock(Stock),
}

/// Calls a method of whichever backend is in use.
macro_rules! delegate {
    ($self:ident.$method:ident($($argument:expr),*)) => {
        match $self {
            Backend::Patched(patched) => patched.$method($($argument),*).await,
            Backend::Stock(stock) => stock.$method($($argument),*).await,
        }
    };
}

impl Backend {
    /// Chooses the backend for a server: as the caller says, else by what the
    /// server can do.
    pub(crate) fn choose(
        tmux: &Tmux,
        capabilities: &Capabilities,
        settings: &Settings,
    ) -> Result<Self> {
        let lacking = if !capabilities.write_pane {
            Some("write_pane")
        } else if !capabilities.read_pane {
            Some("read_pane")
        } else {
            None
        };
        match (settings.kind, lacking) {
            (None | Some(BackendKind::Patched), None) => Ok(Self::Patched(Patched::new(
                tmux.clone(),
                capabilities,
                settings,
            ))),
            (None | Some(BackendKind::Stock), _) => Ok(Self::Stock(Stock::new(
                tmux.clone(),
                capabilities,
                settings,
            ))),
            (Some(BackendKind::Patched), Some(capability)) => Err(Error::new(
                ErrorKind::Unsupported { capability },
                "use server",
            )
            .on(tmux.socket())
            .because(format!("it is an unpatched tmux {}", capabilities.version))),
        }
    }

    /// Returns which one it is.
    pub(crate) fn kind(&self) -> BackendKind {
        match self {
            Self::Patched(_) => BackendKind::Patched,
            Self::Stock(_) => BackendKind::Stock,
        }
    }
}

impl PaneBackend for Backend {
    async fn ensure(&self, name: &WindowName) -> Result<bool> {
        delegate!(self.ensure(name))
    }

    async fn run(&self, request: RunRequest<'_>) -> Result<Waited<Reading>> {
        delegate!(self.run(request))
    }

    async fn write(
        &self,
        target: &WindowName,
        data: Vec<u8>,
        submit: Submit,
    ) -> Result<Option<CommandId>> {
        delegate!(self.write(target, data, submit))
    }

    async fn keys(&self, target: &WindowName, keys: &[&str]) -> Result<()> {
        delegate!(self.keys(target, keys))
    }

    async fn read(&self, request: ReadRequest<'_>) -> Result<Reading> {
        delegate!(self.read(request))
    }

    async fn wait(
        &self,
        target: &WindowName,
        id: Option<CommandId>,
        timeout: Option<Duration>,
    ) -> Result<Waited<Option<Record>>> {
        delegate!(self.wait(target, id, timeout))
    }

    async fn follow(&self, target: &WindowName, after: Option<u64>) -> Result<Option<Reading>> {
        delegate!(self.follow(target, after))
    }

    async fn records(&self, target: &WindowName) -> Result<Vec<Record>> {
        delegate!(self.records(target))
    }

    async fn state(&self, target: &WindowName) -> Result<State> {
        delegate!(self.state(target))
    }

    async fn windows(&self) -> Result<Vec<WindowInfo>> {
        delegate!(self.windows())
    }

    async fn limit_streams(&self) -> Result<()> {
        delegate!(self.limit_streams())
    }

    async fn release(&self) {
        delegate!(self.release())
    }
}

pub(crate) use windows::Windows;
