//! What a task is doing, made of the facts on its window and the state of its
//! pane.

use std::fmt;
use std::time::Duration;

use crate::state::{Activity, State, WindowInfo};

/// The facts that are kept on the window of a task, for every process that asks
/// the server: user options of the window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The name under which the task began.
    pub(crate) began_as: String,
    /// The newest command whose end somebody waited for, and when it ended, in
    /// seconds since 1970.
    pub(crate) ended: Option<(u64, u64)>,
    /// The newest command when it became a watch.
    pub(crate) watch: Option<u64>,
    /// When the window printed something last, in seconds since 1970.
    pub(crate) printed: Option<u64>,
}

/// How far a task has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TaskState {
    /// Nothing has run in its window yet.
    Idle,
    /// A command runs, or its shell is starting.
    Running,
    /// What runs is there to stay; see [`Task::watch`](crate::Task::watch).
    Watch,
    /// Its last command exited with status 0. Nobody has verified the outcome:
    /// [`Task::done`](crate::Task::done) does, and closes the window.
    Finished,
    /// Its last command, a verification too, ended otherwise.
    Failed,
    /// The process of its window has ended; the window is kept.
    Dead,
}

impl TaskState {
    /// Returns one word: `finished`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Running => "running",
            Self::Watch => "watch",
            Self::Finished => "finished",
            Self::Failed => "failed",
            Self::Dead => "dead",
        }
    }

    /// Returns true when its window stays although nothing runs in it any more.
    pub fn has_ended(self) -> bool {
        matches!(self, Self::Finished | Self::Failed | Self::Dead)
    }
}

impl fmt::Display for TaskState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A task and what it is doing, at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskInfo {
    /// Name of its session.
    pub session: String,
    /// Name of its window. A person may have renamed it to what is no name of a
    /// task.
    pub name: String,
    /// The name under which it began. Another one for a watch, and for what a
    /// person has renamed.
    pub began_as: String,
    /// How far it has come.
    pub state: TaskState,
    /// How long ago its last command ended, in whole seconds; `None` where none
    /// has, or one runs. Where nobody waited for the end, it is how long ago the
    /// window printed something last, its prompt among it.
    pub age: Option<Duration>,
    /// What its window is doing.
    pub window: State,
}

impl TaskInfo {
    /// Makes it of a window at a time in seconds since 1970; `None` for one that
    /// is no task's.
    pub(crate) fn of(window: WindowInfo, now: u64) -> Option<Self> {
        let facts = window.task?;
        let state = task_state(&window.state, &facts);
        Some(Self {
            age: state
                .has_ended()
                .then(|| since(&window.state, &facts))
                .flatten()
                .map(|ended| Duration::from_secs(now.saturating_sub(ended))),
            session: window.session,
            name: window.name,
            began_as: facts.began_as,
            state,
            window: window.state,
        })
    }

    /// Returns true when it ended at least so long ago and its window is still
    /// there.
    pub fn lingers(&self, at_least: Duration) -> bool {
        self.state.has_ended() && self.age.is_none_or(|age| age >= at_least)
    }
}

fn task_state(state: &State, facts: &Facts) -> TaskState {
    match (state.activity, state.command, state.last_status) {
        (Activity::Dead, ..) => TaskState::Dead,
        (Activity::Idle, None, None) => TaskState::Idle,
        (Activity::Idle, _, Some(0)) => TaskState::Finished,
        (Activity::Idle, ..) => TaskState::Failed,
        // A command behind the one that was to be watched is another thing.
        (Activity::Running | Activity::Unknown, newest, _) => match facts.watch {
            Some(watch) if newest.is_none_or(|id| id.get() <= watch) => TaskState::Watch,
            _ => TaskState::Running,
        },
    }
}

/// When the last command ended. What was told is of that command alone.
fn since(state: &State, facts: &Facts) -> Option<u64> {
    let told = facts
        .ended
        .filter(|(id, _)| state.command.is_some_and(|newest| newest.get() == *id));
    told.map(|(_, time)| time).or(facts.printed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::CommandId;
    use crate::state::InputMode;

    fn window(activity: Activity, newest: Option<u64>, status: Option<u8>) -> WindowInfo {
        WindowInfo {
            session: "s".to_owned(),
            name: "a-b-c".to_owned(),
            task: Some(Facts {
                began_as: "a-b-c".to_owned(),
                ended: Some((7, 100)),
                watch: None,
                printed: Some(110),
            }),
            state: State {
                activity,
                input: InputMode::Unknown,
                foreground: String::new(),
                prompt_empty: false,
                integrated: true,
                nested: false,
                last_status: status,
                command: newest.map(CommandId::new),
                duration: None,
                unread: 0,
                total: 0,
                dropped: 0,
                pid: None,
            },
        }
    }

    #[test]
    fn state_comes_of_the_pane_and_the_facts() {
        let of = |activity, newest, status, watch| {
            let mut window = window(activity, newest, status);
            if let Some(facts) = &mut window.task {
                facts.watch = watch;
            }
            TaskInfo::of(window, 160).unwrap()
        };
        use Activity::{Dead, Idle, Running, Unknown};
        for (activity, newest, status, watch, state) in [
            (Idle, None, None, None, TaskState::Idle),
            (Unknown, None, None, None, TaskState::Running),
            (Running, Some(7), Some(0), None, TaskState::Running),
            (Running, Some(7), Some(0), Some(7), TaskState::Watch),
            (Running, Some(6), None, Some(7), TaskState::Watch),
            (Running, None, None, Some(u64::MAX), TaskState::Watch),
            (Running, Some(8), None, Some(7), TaskState::Running),
            (Idle, Some(7), Some(0), None, TaskState::Finished),
            (Idle, None, Some(0), None, TaskState::Finished),
            // A watch that has ended.
            (Idle, Some(7), Some(130), Some(7), TaskState::Failed),
            // A shell that told no status.
            (Idle, Some(7), None, None, TaskState::Failed),
            (Dead, Some(7), Some(0), None, TaskState::Dead),
        ] {
            let found = of(activity, newest, status, watch);
            assert_eq!(found.state, state, "{found:?}");
            assert_eq!(found.age.is_some(), state.has_ended(), "{found:?}");
        }
    }

    #[test]
    fn age_is_that_of_the_command_that_was_waited_for_else_of_the_last_output() {
        let age = |newest, now| {
            let found = TaskInfo::of(window(Activity::Idle, newest, Some(0)), now).unwrap();
            found.age.unwrap().as_secs()
        };
        assert_eq!(age(Some(7), 160), 60);
        assert_eq!(age(Some(8), 160), 50);
        // The clock was set back.
        assert_eq!(age(Some(7), 10), 0);
    }

    #[test]
    fn what_has_ended_long_enough_ago_lingers() {
        let ended = TaskInfo::of(window(Activity::Idle, Some(7), Some(3)), 160).unwrap();
        assert!(ended.lingers(Duration::ZERO) && ended.lingers(Duration::from_secs(60)));
        assert!(!ended.lingers(Duration::from_secs(61)));
        let runs = TaskInfo::of(window(Activity::Running, Some(8), Some(0)), 160).unwrap();
        assert!(!runs.lingers(Duration::ZERO));
    }

    #[test]
    fn window_without_facts_is_no_task() {
        let mut window = window(Activity::Idle, Some(7), Some(0));
        window.task = None;
        assert_eq!(TaskInfo::of(window, 160), None);
    }
}
