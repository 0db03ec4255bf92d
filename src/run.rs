//! Running a text: options and what comes back.

use std::time::Duration;

use crate::command::{CommandId, Ended, Record};
use crate::kill::Killed;
use crate::part::{Excerpt, Limits};

/// How long a shell that is starting may take to show its first prompt, unless
/// told otherwise.
const STARTING: Duration = Duration::from_secs(30);

/// What to do while something runs in the pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhenBusy {
    /// Refuse with [`ErrorKind::Busy`](crate::ErrorKind::Busy). A shell that is
    /// starting is still waited for.
    Refuse,
    /// Wait for an empty prompt, at most this long.
    Wait(Duration),
}

/// What to do with a command that has not ended in time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhenLate {
    /// Let it go on; [`Window::wait`](crate::Window::wait) waits for it.
    #[default]
    Leave,
    /// End it with all that it has started, as
    /// [`Window::kill_command`](crate::Window::kill_command) does, and return
    /// what it printed up to there, and what the terminal and the shell said of
    /// its end (`^C`, `Terminated`).
    Kill,
}

/// How a text is run.
#[derive(Debug, Clone)]
pub struct RunOptions {
    pub(crate) timeout: Option<Duration>,
    pub(crate) when_busy: WhenBusy,
    pub(crate) when_late: WhenLate,
    pub(crate) starting: Duration,
    pub(crate) limits: Limits,
}

impl Default for RunOptions {
    /// Waits for the end as long as it takes, refuses a busy pane, and gives a
    /// shell that is starting 30 s.
    fn default() -> Self {
        Self {
            timeout: None,
            when_busy: WhenBusy::Refuse,
            when_late: WhenLate::Leave,
            starting: STARTING,
            limits: Limits::new(),
        }
    }
}

impl RunOptions {
    /// Returns the default.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how long to wait for the end of the command, from its submission.
    /// When the time is over the command goes on, unless
    /// [`RunOptions::when_late`] says otherwise; see [`Output::timed_out`].
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets what to do while something runs.
    pub fn when_busy(mut self, when_busy: WhenBusy) -> Self {
        self.when_busy = when_busy;
        self
    }

    /// Sets what to do with the command when the time is over.
    pub fn when_late(mut self, when_late: WhenLate) -> Self {
        self.when_late = when_late;
        self
    }

    /// Sets how long a shell that is starting may take to show its first prompt;
    /// after that it is [`ErrorKind::Starting`](crate::ErrorKind::Starting).
    pub fn starting(mut self, starting: Duration) -> Self {
        self.starting = starting;
        self
    }

    /// Sets how much of the text is returned. What is left out can be read
    /// later, by the command's id: see [`ReadOptions::part`](crate::ReadOptions::part).
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

/// What came of a text that was run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Output {
    /// Id, status and whatever else is on record.
    pub record: Record,
    /// Every byte that the command printed, as it came, whatever the limits.
    /// Terminals end lines with CR LF.
    pub raw: Vec<u8>,
    /// The same as text, rendered as [`Render::Clean`](crate::Render::Clean)
    /// says. What is not UTF-8 is replaced by U+FFFD. Within the limits of
    /// [`RunOptions::limits`].
    pub text: String,
    /// What the limits left out of the text.
    pub excerpt: Excerpt,
    /// Bytes at the beginning that the server no longer has.
    pub missing: u64,
    /// The time was over before the end. The command goes on and
    /// [`Window::wait`](crate::Window::wait) waits for it, or it was killed:
    /// [`Output::killed`].
    pub timed_out: bool,
    /// What was killed when the time was over; `None` where nothing was to be.
    pub killed: Option<Killed>,
}

impl Output {
    /// Returns the id.
    pub fn id(&self) -> CommandId {
        self.record.id
    }

    /// Returns the exit status. `None`: there is none, and
    /// [`Record::no_status_reason`] tells why.
    pub fn status(&self) -> Option<u8> {
        self.record.status
    }

    /// Returns how it ended.
    pub fn ended(&self) -> Ended {
        self.record.ended
    }

    /// Returns true when it ended with status 0.
    pub fn success(&self) -> bool {
        self.record.status == Some(0)
    }
}
