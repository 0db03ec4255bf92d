//! Ending a command with all that it has started.

use std::time::Duration;

use tokio::time::Instant;

use crate::command::{CommandId, Ended, Record};
use crate::error::{Error, ErrorKind, Result};
use crate::exec::processes::Tree;
use crate::exec::{clock, signal};
use crate::window::Window;

/// How long processes have to end by themselves before they are killed.
const GRACE: Duration = Duration::from_secs(1);

/// How long killed processes may take to be gone, and the shell to say that its
/// command has ended.
const GONE: Duration = Duration::from_secs(5);

/// How much later than a process was started the mark may have been read behind
/// which the shell started it: on a loaded machine tenths of seconds were seen.
const LATENESS: Duration = Duration::from_secs(1);

/// How long a command has to end by `C-c` before its processes are signalled.
const CHANCE: Duration = Duration::from_millis(100);

/// Between two times that `C-c` is pressed.
const AGAIN: Duration = Duration::from_millis(300);

/// Between two looks at the processes: there is nothing to wait for on those of
/// others that are no children.
const PAUSE: Duration = Duration::from_millis(5);

/// What came of [`Window::kill_command`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Killed {
    /// How many processes were sent a signal; those that `C-c` ended are not counted.
    pub processes: usize,
    /// Process ids of those that are still there: another user's, or in the
    /// middle of a system call that cannot be interrupted.
    pub left: Vec<u32>,
    /// The record of the command; `None` where none was running.
    pub record: Option<Record>,
}

/// What there was before a command.
#[derive(Debug, Default)]
pub(crate) struct Before {
    /// When, after boot.
    time: Duration,
    /// Starts are told in hundredths of a second: a process may have begun in
    /// the same one.
    processes: Vec<u32>,
}

impl Window {
    /// Ends the command that runs, with every process that it has started,
    /// wherever that went: into the background, out of its process group or its
    /// session, away from its parents. The shell stays, and so does what was in
    /// the background a second before.
    ///
    /// Presses `C-c`, sends SIGTERM, and SIGKILL to what is there a second later;
    /// returns within about ten seconds. Processes are known by their parents,
    /// their terminal, and the pane's variables in the environment that they
    /// were started with: one that emptied that, has left its terminal and lost
    /// its parents is not found.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::PaneDead`] when the pane's process has ended.
    ///
    /// # Cancel safety
    ///
    /// Some processes may have been sent a signal.
    pub async fn kill_command(&self) -> Result<Killed> {
        self.kill_all_but(&Before::default()).await
    }

    /// Looks at what there is in the window before a command is run.
    pub(crate) async fn before(&self) -> Result<Before> {
        let time = clock::since_boot();
        let pid = self.state().await?.pid;
        let tree = pid.and_then(|pid| Tree::new(pid, Duration::ZERO));
        Ok(Before {
            time,
            processes: tree.map(|tree| tree.find()).unwrap_or_default(),
        })
    }

    /// Does the same, but not to what was there before.
    pub(crate) async fn kill_all_but(&self, before: &Before) -> Result<Killed> {
        let running = self.running().await?;
        let Some(record) = running else {
            return Ok(Killed {
                processes: 0,
                left: Vec::new(),
                record: None,
            });
        };
        let state = self.state().await?;
        let past = record.duration.unwrap_or_default() + LATENESS;
        let since = clock::since_boot().saturating_sub(past).max(before.time);
        let tree = state
            .pid
            .and_then(|pid| Tree::new(pid, since))
            .ok_or_else(|| {
                Error::new(ErrorKind::PaneDead, "kill command in").on(self.full_name())
            })?;
        let mut signalled = std::collections::HashSet::new();
        let start = Instant::now();
        let mut pressed: Option<Instant> = None;
        let left = loop {
            if pressed.is_none_or(|at| at.elapsed() > AGAIN) {
                self.interrupt_command(record.id).await?;
                pressed = Some(Instant::now());
            }
            let mut found = tree.find();
            found.retain(|pid| !before.processes.contains(pid));
            let waited = start.elapsed();
            if waited > GRACE + GONE || found.is_empty() && !self.runs(record.id).await? {
                break found;
            }
            for pid in found {
                match waited < GRACE {
                    true if signalled.insert(pid) => {
                        signal::terminate(pid);
                        signal::resume(pid);
                    }
                    true => {}
                    false => {
                        signalled.insert(pid);
                        signal::kill(pid);
                    }
                }
            }
            tokio::time::sleep(PAUSE).await;
        };
        let record = match self.wait(Some(record.id), Some(GONE)).await {
            Ok(ended) => ended,
            Err(error) if *error.kind() == ErrorKind::Timeout => self.running().await?,
            Err(error) => return Err(error),
        };
        Ok(Killed {
            processes: signalled.len(),
            left,
            record,
        })
    }

    /// Presses `C-c` where a command still runs, and gives it a moment: a loop of
    /// the shell's own would start the next process, and bash takes a `C-c` for
    /// dealt with where the process that it waits for ends by another signal.
    async fn interrupt_command(&self, id: CommandId) -> Result<()> {
        if !self.runs(id).await? {
            return Ok(());
        }
        self.interrupt().await?;
        match self.wait(Some(id), Some(CHANCE)).await {
            Err(error) if *error.kind() != ErrorKind::Timeout => Err(error),
            _ => Ok(()),
        }
    }

    /// Whether a command is the newest and runs.
    async fn runs(&self, id: CommandId) -> Result<bool> {
        Ok(self.running().await?.is_some_and(|record| record.id == id))
    }

    /// Returns the newest command, if it runs.
    async fn running(&self) -> Result<Option<Record>> {
        let newest = self.records().await?.pop();
        Ok(newest.filter(|record| record.ended == Ended::Running))
    }
}
