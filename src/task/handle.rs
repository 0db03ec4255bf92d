//! A task, as callers have it.

use std::path::Path;
use std::time::Duration;

use crate::backend::tasks::Closing;
use crate::command::Ended;
use crate::error::{Error, ErrorKind, Result};
use crate::names::WindowName;
use crate::run::{Output, RunOptions};
use crate::server::Server;
use crate::state::Activity;
use crate::task::{TaskInfo, TaskName};
use crate::window::Window;

/// How long something that is to be watched is looked at, unless told otherwise.
const SETTLE: Duration = Duration::from_secs(1);

/// A task of a [`Server`]: a window named [`<project>-<target>-<task>`](TaskName)
/// in which commands run until the outcome has been verified.
///
/// * [`Task::run`] creates the window where it is missing, and runs a script.
/// * [`Task::watch`] renames it to `<project>-<target>-watch` once what runs in
///   it is there to stay: a log that is followed, tests that run again.
/// * [`Task::done`] runs a command that verifies the outcome, and closes the
///   window when that exits with 0.
/// * [`Server::tasks`] lists what there is, [`Server::stale_tasks`] what has
///   ended and lingers.
///
/// A handle is a name and nothing more; what makes a window that of a task is
/// kept on the window itself, as user options of tmux that begin with
/// `@amux_task`: every process that asks the server sees the same.
///
/// A window that has the name already, because a person or [`Window::ensure`]
/// made it, is taken over by the first [`Task::run`] or [`Task::watch`]: the
/// name is the claim. [`Task::done`] closes no window that was not.
///
/// All calls fail with [`ErrorKind::NoServer`] when the server is gone and with
/// [`ErrorKind::Timeout`] when it does not answer. A window that was closed, by
/// a person or by its shell's `exit`, or has another name by now, is missing:
/// [`ErrorKind::WindowNotFound`] or [`ErrorKind::SessionNotFound`], unless the
/// call creates it. [`Server::tasks`] lists it by the name that it has.
#[derive(Debug, Clone)]
pub struct Task {
    server: Server,
    window: Window,
    name: TaskName,
}

impl Task {
    pub(crate) fn new(server: Server, session: &str, name: &str) -> Result<Self> {
        let name = TaskName::new(name)?;
        Ok(Self {
            window: Window::new(server.clone(), session, name.as_str())?,
            server,
            name,
        })
    }

    /// Returns its name.
    pub fn name(&self) -> &TaskName {
        &self.name
    }

    /// Returns the name of its session.
    pub fn session(&self) -> &str {
        self.window.session()
    }

    /// Returns its window, to press keys in it, read from it or wait in it.
    pub fn window(&self) -> &Window {
        &self.window
    }

    /// Runs a script, one line or many, and waits for its end, as
    /// [`Window::run`] does. Creates the window where it is missing; others may
    /// do the same at the same time, and one window comes of it.
    ///
    /// # Errors
    ///
    /// Those of [`Window::run`], and [`ErrorKind::Io`] when the shell
    /// integration of a new window cannot be written.
    ///
    /// # Cancel safety
    ///
    /// The window may or may not be there afterwards. The script was submitted
    /// whole or not at all; what was submitted goes on.
    pub async fn run(&self, script: &str, options: RunOptions) -> Result<Output> {
        self.claim().await?;
        self.run_here(script, options).await
    }

    /// Runs the script in a file, as [`Task::run`] does. The shell is given its
    /// text: the file may go once this has returned.
    ///
    /// # Errors
    ///
    /// Those of [`Task::run`]; [`ErrorKind::Io`] when the file cannot be read,
    /// or is no UTF-8: nothing was sent.
    ///
    /// # Cancel safety
    ///
    /// As [`Task::run`].
    pub async fn run_file(&self, path: impl AsRef<Path>, options: RunOptions) -> Result<Output> {
        let path = path.as_ref();
        let script = std::fs::read_to_string(path)
            .map_err(|error| Error::io("read script", error).on(path.display()))?;
        self.run(&script, options).await
    }

    /// Makes it a watch: says that what runs is there to stay, and renames the
    /// window to [`<project>-<target>-watch`](TaskName::watch). Returns the task
    /// under that name; this handle's window is missing from then on, unless it
    /// had the name already.
    ///
    /// With a text that is run first, in a window that is created where it is
    /// missing, and looked at for a second, or for as long as
    /// [`RunOptions::timeout`] says: what has ended by then is no watch. Without
    /// one it is what runs already.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NothingToWatch`] when nothing runs; the window keeps its
    /// name. [`ErrorKind::WindowExists`] when another window has the name of the
    /// watch: what was started goes on under the old name. With a text those of
    /// [`Task::run`].
    ///
    /// # Cancel safety
    ///
    /// The text may have been submitted, and the window renamed. It is a watch
    /// if and only if it was renamed.
    pub async fn watch(&self, text: Option<&str>, options: RunOptions) -> Result<Self> {
        let op = "watch";
        let nothing = |output: Option<Output>| {
            let output = output.map(Box::new);
            Error::new(ErrorKind::NothingToWatch { output }, op).on(self.window_name())
        };
        let newest = match text {
            Some(text) => {
                let limit = options.timeout.unwrap_or(SETTLE);
                let output = self.run(text, options.timeout(limit)).await?;
                if !output.timed_out {
                    return Err(nothing(Some(output)));
                }
                Some(output.id())
            }
            None => {
                let state = self.window.state().await?;
                if state.activity != Activity::Running {
                    return Err(nothing(None));
                }
                self.server.facts().claim(self.window_name()).await?;
                state.command
            }
        };
        let watch = Self::new(
            self.server.clone(),
            self.session(),
            self.name.watch().as_str(),
        )?;
        let renamed = self
            .server
            .facts()
            .watch(self.window_name(), newest, watch.name.as_str())
            .await?;
        match renamed {
            true => Ok(watch),
            false => Err(Error::new(ErrorKind::WindowExists, op).on(watch.window_name())),
        }
    }

    /// Runs a command that verifies the outcome in the task's window, such as
    /// `systemctl is-active NAME`, and closes the window when that exited with
    /// 0. Returns what the command printed.
    ///
    /// The window of a watch runs something: interrupt that first, with
    /// [`Window::interrupt`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unverified`] when the command ended with another status than
    /// 0, with none, or not in the time given by [`RunOptions::timeout`]; it
    /// holds the output, and the window stays (unless the command ended it, with
    /// `exit`). [`ErrorKind::NotATask`] for a window in which no task ran:
    /// nothing was sent. [`ErrorKind::TaskInUse`] when the window has another
    /// pane, or something was run in it behind the verification: it stays. Those
    /// of [`Window::run`], [`ErrorKind::Busy`] among them.
    ///
    /// # Cancel safety
    ///
    /// The command was submitted whole or not at all. The window is closed only
    /// if it exited with 0.
    pub async fn done(&self, verification: &str, options: RunOptions) -> Result<Output> {
        let op = "close";
        let refuse = |kind: ErrorKind| Error::new(kind, op).on(self.window_name());
        if !self.server.facts().is_claimed(self.window_name()).await? {
            return Err(refuse(ErrorKind::NotATask));
        }
        let output = self.run_here(verification, options).await?;
        if output.timed_out || !output.success() {
            let output = Box::new(output);
            return Err(refuse(ErrorKind::Unverified { output }));
        }
        // On a stock tmux only who reads the pane sees what a person runs in it.
        let newest = self.window.state().await?.command;
        if newest.is_some_and(|id| id != output.id()) {
            return Err(refuse(ErrorKind::TaskInUse));
        }
        let facts = self.server.facts();
        match facts.close(self.window_name(), output.id()).await? {
            Closing::Closed => Ok(output),
            Closing::NoTask => Err(refuse(ErrorKind::NotATask)),
            Closing::InUse => Err(refuse(ErrorKind::TaskInUse)),
        }
    }

    /// Returns what the task is doing.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotATask`] for a window in which no task ran.
    ///
    /// # Cancel safety
    ///
    /// Nothing changes.
    pub async fn info(&self) -> Result<TaskInfo> {
        let tasks = self.server.tasks().await?;
        let this =
            |task: &TaskInfo| task.session == self.session() && task.name == self.window.name();
        match tasks.into_iter().find(this) {
            Some(task) => Ok(task),
            None => {
                // Missing, or no task's.
                self.window.state().await?;
                Err(Error::new(ErrorKind::NotATask, "look at").on(self.window_name()))
            }
        }
    }

    fn window_name(&self) -> &WindowName {
        self.window.full_name()
    }

    /// Makes the window this task's, and creates it where it is missing, which
    /// is found out by trying: mostly it is there.
    async fn claim(&self) -> Result<()> {
        let facts = self.server.facts();
        match facts.claim(self.window_name()).await {
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::WindowNotFound | ErrorKind::SessionNotFound
                ) =>
            {
                self.window.ensure().await?;
                facts.claim(self.window_name()).await
            }
            claimed => claimed,
        }
    }

    /// Runs a text in the window that is there, and notes its end for others.
    async fn run_here(&self, text: &str, options: RunOptions) -> Result<Output> {
        let output = self.window.run(text, options).await?;
        if output.ended().is_final() && output.ended() != Ended::PaneEnded {
            // What cannot be noted, in a window that was closed or renamed
            // meanwhile, nobody will look for there: no reason to lose the
            // output.
            let _ = self
                .server
                .facts()
                .note_end(self.window_name(), output.id())
                .await;
        }
        Ok(output)
    }
}
