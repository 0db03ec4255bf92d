//! A tmux server: started as a child of this process, or found running.

mod builder;
pub(crate) mod setup;
mod startup;
mod terminals;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, watch};
use tokio::time::{Instant, sleep, timeout};

use crate::backend::screen::Screens;
use crate::backend::tasks::Tasks;
use crate::backend::{Backend, PaneBackend, Windows};
use crate::capability::{BackendKind, Capabilities};
use crate::error::{Error, ErrorKind, Result};
use crate::exec::child::{Exit, ServerChild, TERMINATE_LIMIT};
use crate::exec::clock;
use crate::exec::runtime_dir::RuntimeDir;
use crate::exec::signal;
use crate::exec::tmux::{self, Sequence, Tmux};
use crate::names::WindowName;
use crate::session::Session;
use crate::shell::ShellKind;
use crate::state::WindowInfo;
use crate::task::{Task, TaskInfo};
use crate::transport::Transport;
use crate::window::Window;
use crate::wire::probe::Identity;

pub use builder::{Builder, Programs};
pub use setup::PANE_ENVIRONMENT;
pub use startup::{PromptCommand, PromptTool, Startup, StartupFile};
pub use terminals::TerminalCheck;

/// Session of a window for which none is named.
pub const DEFAULT_SESSION: &str = "amux";

/// How long a server has to end after it was asked to, before SIGTERM.
const STOP_LIMIT: Duration = Duration::from_secs(5);

/// The signal that nobody can ignore.
const SIGKILL: i32 = rustix::process::Signal::KILL.as_raw();

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
    screens: Screens,
    backend: Backend,
    capabilities: Capabilities,
    identity: Identity,
    runtime: RuntimeDir,
    /// How long the server may take to answer.
    limit: Duration,
    child: Option<ServerChild>,
    /// One stop at a time.
    stop: Mutex<()>,
    /// What was sent to end it.
    sent: watch::Sender<Sent>,
}

/// What was sent to a server to end it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sent {
    Nothing,
    KillServer,
    Terminate,
    Kill,
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

/// The end of a server: which one, and why.
///
/// A [`Server`] is one run of a server and never becomes another: whoever waits
/// for it reads its end, whatever was started on the socket since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ServerExit {
    /// Process id that it had.
    pub pid: u32,
    /// Why it ended.
    pub reason: ExitReason,
}

/// Why a server has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ExitReason {
    /// [`Server::stop`] ended it.
    Stopped,
    /// It ended by itself, with this status: `tmux kill-server` typed in a
    /// window, SIGTERM from outside.
    Exited(i32),
    /// A signal killed it: a crash, the kernel that was out of memory.
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

    /// Returns how commands reach the server.
    pub fn transport(&self) -> Transport {
        self.0.tmux.transport()
    }

    /// Returns the tmux binary that speaks to the server.
    pub fn binary(&self) -> &Path {
        self.0.tmux.binary()
    }

    /// Returns the path of the shell that its windows run.
    pub fn shell(&self) -> &Path {
        &self.0.identity.shell
    }

    pub(crate) fn shell_kind(&self) -> ShellKind {
        ShellKind::of(self.shell()).unwrap_or(ShellKind::Bash)
    }

    /// Returns what the server can do.
    pub fn capabilities(&self) -> &Capabilities {
        &self.0.capabilities
    }

    /// Returns how the server is driven.
    pub fn backend(&self) -> BackendKind {
        self.0.backend.kind()
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

    /// Returns a handle on a task of the session [`DEFAULT_SESSION`], by a name
    /// as [`TaskName`](crate::TaskName) has them. Nothing is sent.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidName`].
    pub fn task(&self, name: &str) -> Result<Task> {
        Task::new(self.clone(), DEFAULT_SESSION, name)
    }

    /// Gives back what this process holds of a server that goes on: with
    /// [`BackendKind::Stock`] the pipes by which it reads panes, and with them
    /// what it knows of their output. Later calls open them again. Without it a
    /// pipe stays open until its pane prints something after this process has
    /// ended.
    ///
    /// # Cancel safety
    ///
    /// Some of it may not be given back yet.
    pub async fn disconnect(&self) {
        self.0.backend.release().await;
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

    /// Returns every task, of all sessions, and what it is doing.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoServer`], [`ErrorKind::Timeout`].
    ///
    /// # Cancel safety
    ///
    /// Nothing changes.
    pub async fn tasks(&self) -> Result<Vec<TaskInfo>> {
        let windows = self.windows().await?;
        let now = clock::unix();
        let tasks = windows.into_iter();
        Ok(tasks
            .filter_map(|window| TaskInfo::of(window, now))
            .collect())
    }

    /// Returns the tasks that ended at least so long ago and whose windows are
    /// still there; see [`TaskInfo::lingers`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoServer`], [`ErrorKind::Timeout`].
    ///
    /// # Cancel safety
    ///
    /// Nothing changes.
    pub async fn stale_tasks(&self, at_least: Duration) -> Result<Vec<TaskInfo>> {
        let mut tasks = self.tasks().await?;
        tasks.retain(|task| task.lingers(at_least));
        Ok(tasks)
    }

    /// Stops the server and whatever runs in it: asks it, sends SIGTERM after
    /// 5 s, SIGKILL after 2 s more. Tells what was needed.
    ///
    /// Calls that are on their way end with [`ErrorKind::NoServer`]; none starts
    /// another server. Of several stops at the same time one stops the server.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoServer`] when it had ended already, or ended by itself
    /// before it could be asked; [`ErrorKind::Timeout`] when not even SIGKILL
    /// ended it within 2 s, which happens to a process that waits for a broken
    /// disk.
    ///
    /// # Cancel safety
    ///
    /// The server may have been asked; it may or may not end.
    pub async fn stop(&self) -> Result<Stopped> {
        let op = "stop server";
        let inner = &self.0;
        let _alone = inner.stop.lock().await;
        let none = || Error::new(ErrorKind::NoServer, op).on(inner.tmux.socket());
        if self.has_exited() {
            return Err(none());
        }
        inner.sent.send_replace(Sent::KillServer);
        let begun = Instant::now();
        let sequence = Sequence::new().command("kill-server", [""; 0]);
        // The limit counts from here: a stuck server does not answer. A failure
        // does not mean that it is stuck: it may be on its way out.
        let asked = inner.tmux.call(op, sequence, None, Some(STOP_LIMIT)).await;
        let missed = match &asked {
            Ok(finished) if finished.status.success() => false,
            Ok(finished) => *tmux::failure(op, finished).kind() == ErrorKind::NoServer,
            Err(_) => false,
        };
        if missed {
            // It was not asked: its end, which may still be on its way, is its own.
            inner.sent.send_replace(Sent::Nothing);
        }
        if self
            .exited_within(STOP_LIMIT.saturating_sub(begun.elapsed()))
            .await
        {
            return match missed {
                true => Err(none()),
                false => Ok(Stopped::Asked),
            };
        }
        inner.sent.send_replace(Sent::Terminate);
        match &inner.child {
            Some(child) => child.terminate(),
            None => {
                signal::terminate(self.pid());
            }
        }
        if self.exited_within(TERMINATE_LIMIT).await {
            return Ok(Stopped::Terminated);
        }
        inner.sent.send_replace(Sent::Kill);
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
    /// A server that others told to end while a window of a new session was
    /// asked for may go on, without a socket: tmux keeps a server that has a
    /// session. [`Server::stop`] ends it.
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
        Ok(ServerExit {
            pid: self.pid(),
            reason: exit_reason(&exit, *self.0.sent.borrow()),
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

    pub(crate) async fn limit_streams(&self) -> Result<()> {
        self.0.backend.limit_streams().await
    }

    pub(crate) fn pane_backend(&self) -> &Backend {
        &self.0.backend
    }

    /// The facts on the windows of tasks.
    pub(crate) fn facts(&self) -> Tasks<'_> {
        let inner = &self.0;
        Tasks::new(&inner.tmux, &inner.windows, inner.limit, self.backend())
    }

    pub(crate) fn screens(&self) -> &Screens {
        &self.0.screens
    }

    pub(crate) fn runtime_dir(&self) -> &RuntimeDir {
        &self.0.runtime
    }

    /// Returns true when the window was created.
    pub(crate) async fn create_window(&self, name: &WindowName) -> Result<bool> {
        // The shell that starts will read it, and /tmp may have been cleaned.
        self.0.runtime.ensure_integration()?;
        self.0.backend.ensure(name).await
    }

    pub(crate) async fn kill_window(&self, name: &WindowName) -> Result<()> {
        self.0.windows.kill(name).await
    }
}

/// A server that was asked to end and crashed meanwhile has crashed.
fn exit_reason(exit: &Exit, sent: Sent) -> ExitReason {
    use std::os::unix::process::ExitStatusExt;
    let Some(status) = exit.status else {
        return ExitReason::Unknown;
    };
    match (status.code(), status.signal()) {
        (Some(0), _) if sent != Sent::Nothing => ExitReason::Stopped,
        (Some(code), _) => ExitReason::Exited(code),
        (None, Some(SIGKILL)) if sent == Sent::Kill => ExitReason::Stopped,
        (None, Some(signal)) => ExitReason::Signaled(signal),
        (None, None) => ExitReason::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    #[test]
    fn end_that_was_asked_for_is_told_from_a_crash() {
        let exit = |raw: i32| Exit {
            status: Some(ExitStatus::from_raw(raw)),
            stderr: String::new(),
        };
        for (raw, sent, reason) in [
            (0, Sent::Nothing, ExitReason::Exited(0)),
            (0, Sent::KillServer, ExitReason::Stopped),
            (0, Sent::Terminate, ExitReason::Stopped),
            (1 << 8, Sent::KillServer, ExitReason::Exited(1)),
            (11, Sent::KillServer, ExitReason::Signaled(11)),
            (9, Sent::Terminate, ExitReason::Signaled(9)),
            (9, Sent::Kill, ExitReason::Stopped),
        ] {
            assert_eq!(exit_reason(&exit(raw), sent), reason, "{raw} {sent:?}");
        }
        let unknown = Exit {
            status: None,
            stderr: String::new(),
        };
        assert_eq!(exit_reason(&unknown, Sent::Nothing), ExitReason::Unknown);
    }
}
