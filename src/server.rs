//! A tmux server: started as a child of this process, or found running.

mod builder;
mod setup;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use crate::backend::{Backend, PaneBackend, Windows};
use crate::capability::Capabilities;
use crate::error::{Error, ErrorKind, Result};
use crate::exec::child::{Exit, ServerChild, TERMINATE_LIMIT};
use crate::exec::runtime_dir::RuntimeDir;
use crate::exec::signal;
use crate::exec::tmux::{self, Sequence, Tmux};
use crate::names::WindowName;
use crate::session::Session;
use crate::state::WindowInfo;
use crate::window::Window;
use crate::wire::probe::Identity;

pub use builder::{Builder, Programs};

/// Session of a window for which none is named.
pub const DEFAULT_SESSION: &str = "amux";

/// How long a server has to end after it was asked to, before SIGTERM.
const STOP_LIMIT: Duration = Duration::from_secs(5);

/// How often it is looked whether a server that is no child has ended.
const EXIT_INTERVAL: Duration = Duration::from_millis(20);

/// A tmux server.
///
/// Cloning gives another handle on the same server. One started by
/// [`Builder::start`] is a child of this process and ends with the last handle;
/// one found by [`Builder::connect`] goes on.
#[derive(Debug, Clone)]
pub struct Server(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    tmux: Tmux,
    windows: Windows,
    backend: Backend,
    capabilities: Capabilities,
    identity: Identity,
    runtime: RuntimeDir,
    child: Option<ServerChild>,
    /// Somebody asked it to stop.
    stopping: AtomicBool,
}

/// What was needed to stop a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stopped {
    /// It ended when asked.
    Asked,
    /// It did not answer for 5 s and ended on SIGTERM.
    Terminated,
    /// It did not end on SIGTERM for 2 s more and was sent SIGKILL.
    Killed,
}

/// Why a server has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ServerExit {
    /// [`Server::stop`] ended it.
    Stopped,
    /// It ended by itself, with this status: `tmux kill-server` typed in a
    /// window, SIGTERM from outside.
    Exited(i32),
    /// A signal killed it.
    Signaled(i32),
    /// It ended; how is not known.
    Unknown,
}

impl Server {
    /// Returns settings of a server to start or connect to.
    pub fn builder() -> Builder {
        Builder::default()
    }

    fn new(inner: Arc<Inner>) -> Self {
        Self(inner)
    }

    /// Returns the process id.
    pub fn pid(&self) -> u32 {
        self.0.identity.pid
    }

    /// Returns the path of the socket.
    pub fn socket(&self) -> &Path {
        Path::new(&self.0.identity.socket)
    }

    /// Returns the tmux binary that speaks to the server.
    pub fn binary(&self) -> &Path {
        self.0.tmux.binary()
    }

    /// Returns what the server can do.
    pub fn capabilities(&self) -> &Capabilities {
        &self.0.capabilities
    }

    /// Returns the name of the backend in use: `patched`.
    pub fn backend_name(&self) -> &'static str {
        self.0.backend.name()
    }

    /// Returns true when the server is a child of this process.
    pub fn is_owned(&self) -> bool {
        self.0.child.is_some()
    }

    /// Returns the private folder with the files that shells read.
    pub fn runtime_folder(&self) -> &Path {
        self.0.runtime.path()
    }

    /// Returns a handle on a session. Nothing is sent.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidName`].
    pub fn session(&self, name: &str) -> Result<Session> {
        Session::new(self.clone(), name)
    }

    /// Returns a handle on a window of the session [`DEFAULT_SESSION`]. Nothing
    /// is sent.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidName`].
    pub fn window(&self, name: &str) -> Result<Window> {
        Window::new(self.clone(), DEFAULT_SESSION, name)
    }

    /// Returns every window and the state of its active pane.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoServer`], [`ErrorKind::Timeout`].
    ///
    /// # Cancel safety
    ///
    /// Nothing changes.
    pub async fn windows(&self) -> Result<Vec<WindowInfo>> {
        self.0.backend.windows().await
    }

    /// Stops the server and whatever runs in it: asks it, sends SIGTERM after
    /// 5 s, SIGKILL after 2 s more. Tells what was needed.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoServer`] when it had ended already;
    /// [`ErrorKind::Timeout`] when not even SIGKILL ended it within 2 s, which
    /// happens to a process that waits for a broken disk.
    ///
    /// # Cancel safety
    ///
    /// The server may have been asked; it may or may not end.
    pub async fn stop(&self) -> Result<Stopped> {
        let op = "stop server";
        let none = || Error::new(ErrorKind::NoServer, op).on(self.0.tmux.socket());
        let inner = &self.0;
        if self.has_exited() {
            return Err(none());
        }
        inner.stopping.store(true, Ordering::SeqCst);
        let begun = Instant::now();
        let sequence = Sequence::new().command("kill-server", [""; 0]);
        // The limit counts from here: a stuck server does not answer. A failure
        // does not mean that it is stuck: it may be on its way out.
        let asked = inner.tmux.call(op, sequence, None, Some(STOP_LIMIT)).await;
        if let Ok(finished) = &asked
            && !finished.status.success()
            && self.has_exited()
            && *tmux::failure(op, finished).kind() == ErrorKind::NoServer
        {
            return Err(none());
        }
        if self
            .exited_within(STOP_LIMIT.saturating_sub(begun.elapsed()))
            .await
        {
            return Ok(Stopped::Asked);
        }
        match &inner.child {
            Some(child) => child.terminate(),
            None => {
                signal::terminate(self.pid());
            }
        }
        if self.exited_within(TERMINATE_LIMIT).await {
            return Ok(Stopped::Terminated);
        }
        match &inner.child {
            Some(child) => child.kill(),
            None => {
                signal::kill(self.pid());
            }
        }
        match self.exited_within(TERMINATE_LIMIT).await {
            true => Ok(Stopped::Killed),
            false => Err(Error::new(ErrorKind::Timeout, op)
                .on(inner.tmux.socket())
                .because("it does not end on SIGKILL")),
        }
    }

    /// Waits until the server has ended and tells why.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotOwned`] for a server that is no child of this process.
    ///
    /// # Cancel safety
    ///
    /// Nothing changes; any number may wait.
    pub async fn wait(&self) -> Result<ServerExit> {
        let Some(child) = &self.0.child else {
            return Err(Error::new(ErrorKind::NotOwned, "wait for server").on(self.0.tmux.socket()));
        };
        let exit = child.wait().await;
        Ok(match self.0.stopping.load(Ordering::SeqCst) {
            true => ServerExit::Stopped,
            false => exit_reason(&exit),
        })
    }

    fn has_exited(&self) -> bool {
        match &self.0.child {
            Some(child) => child.exited().is_some(),
            None => !signal::exists(self.pid()),
        }
    }

    async fn exited_within(&self, limit: Duration) -> bool {
        let ended = async {
            match &self.0.child {
                Some(child) => {
                    child.wait().await;
                }
                None => {
                    while !self.has_exited() {
                        sleep(EXIT_INTERVAL).await;
                    }
                }
            }
        };
        timeout(limit, ended).await.is_ok()
    }

    pub(crate) fn backend(&self) -> &Backend {
        &self.0.backend
    }

    pub(crate) fn runtime_dir(&self) -> &RuntimeDir {
        &self.0.runtime
    }

    /// Returns true when the window was created.
    pub(crate) async fn create_window(&self, name: &WindowName) -> Result<bool> {
        // The shell that starts will read it, and /tmp may have been cleaned.
        self.0.runtime.ensure_integration()?;
        self.0.windows.ensure(name).await
    }

    pub(crate) async fn kill_window(&self, name: &WindowName) -> Result<()> {
        self.0.windows.kill(name).await
    }
}

fn exit_reason(exit: &Exit) -> ServerExit {
    use std::os::unix::process::ExitStatusExt;
    match exit.status {
        None => ServerExit::Unknown,
        Some(status) => match (status.code(), status.signal()) {
            (Some(code), _) => ServerExit::Exited(code),
            (None, Some(signal)) => ServerExit::Signaled(signal),
            (None, None) => ServerExit::Unknown,
        },
    }
}
