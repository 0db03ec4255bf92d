//! The output of one pane, followed by one task.

use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::error::Result;
use crate::exec::exit;
use crate::exec::pipe::Pipe;
use crate::names::WindowName;
use crate::wire::pane::Pane;

use super::follow::{Follow, Recording};

/// Most that is taken of the pipe at a time.
const PIECE: usize = 64 * 1024;

/// How long a prompt that is due is waited for while the pipe is open, and how long
/// the end of a pipe that was closed.
const PIPE_LIMIT: Duration = Duration::from_secs(1);

/// How long the hooks of a shell may take from the end of a command to its prompt,
/// when nobody reads the pane any more: a busy machine takes its time.
const LAST_PROMPT_LIMIT: Duration = Duration::from_secs(5);

/// A pane whose output comes in through a pipe. Dropping it closes the pipe.
#[derive(Debug)]
pub(super) struct Feed {
    pub(super) key: (String, u32),
    pub(super) owner: String,
    /// One text of this process is sent to an empty prompt at a time. Noted
    /// together, the engine would take them for one command.
    pub(super) sending: tokio::sync::Mutex<()>,
    /// The pane as it was when it was last asked for, and by which name.
    seen: Mutex<(WindowName, Pane)>,
    follow: Arc<Mutex<Follow>>,
    changed: watch::Sender<()>,
    task: AbortHandle,
}

/// What a look at a pane finds.
pub(super) enum Look<T> {
    Found(T),
    /// Not yet: look again when output comes, or after a time.
    Again(Option<Duration>),
}

/// How a wait ends.
pub(super) enum Waited<T> {
    Found(T),
    TimedOut,
    /// The pane has gone or another process is in it, or somebody took the pipe:
    /// the server knows.
    InDoubt,
}

impl Feed {
    /// Follows a pane. `owner` is the name of the pipe.
    pub(super) fn start(
        target: &WindowName,
        pane: &Pane,
        owner: String,
        follow: Follow,
        pipe: Pipe,
    ) -> Self {
        let key = pane.key.clone();
        let follow = Arc::new(Mutex::new(follow));
        let (changed, _) = watch::channel(());
        let task = tokio::spawn(attend(pipe, key.1, follow.clone(), changed.clone()));
        Self {
            key,
            owner,
            sending: tokio::sync::Mutex::default(),
            seen: Mutex::new((target.clone(), pane.clone())),
            follow,
            changed,
            task: task.abort_handle(),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Follow> {
        lock(&self.follow)
    }

    /// Notes how a pane is that has just been asked for. Returns whether the newest
    /// input is one that is known of.
    pub(super) fn see(&self, target: &WindowName, pane: &Pane) -> bool {
        let seen = (target.clone(), pane.clone());
        std::mem::replace(&mut *lock(&self.seen), seen).1.turn == pane.turn
    }

    /// Notes the newest input, which is a submission where it has an id.
    pub(super) fn see_input(&self, id: Option<u64>, turn: &str) {
        let pane = &mut lock(&self.seen).1;
        pane.last_id = id.unwrap_or(pane.last_id);
        pane.turn = Some(turn.to_owned());
    }

    /// Returns the pane as it was last, if it was asked for by this name.
    pub(super) fn seen(&self, target: &WindowName) -> Option<Pane> {
        let seen = lock(&self.seen);
        (seen.0 == *target).then(|| seen.1.clone())
    }

    /// Returns true when nothing comes any more.
    pub(super) fn is_closed(&self) -> bool {
        let follow = self.lock();
        follow.closed || follow.ended
    }

    /// Waits for a prompt that is on its way and that the hook has left to us, now
    /// that the sign is down.
    pub(super) async fn see_prompt(&self) {
        let begun = Instant::now();
        let mut changed = self.changed.subscribe();
        while let Some(left) = PIPE_LIMIT.checked_sub(begun.elapsed()) {
            let due = self.lock().prompt_is_due();
            if !due || timeout(left, changed.changed()).await.is_err() {
                return;
            }
        }
    }

    /// Records the last prompt that the hook has left to us: the end of its command
    /// was printed before the sign was taken down, and the pipe is closed since.
    pub(super) async fn record_last_prompt(&self) {
        let begun = Instant::now();
        let mut changed = self.changed.subscribe();
        while let Some(left) = LAST_PROMPT_LIMIT.checked_sub(begun.elapsed()) {
            let (closed, recording) = {
                let mut follow = self.lock();
                match follow.closed {
                    true => (true, follow.record_last_prompt()),
                    false => (false, None),
                }
            };
            match recording {
                Some(Recording::Told(answer)) => {
                    let Ok(answer) = timeout(left, answer).await else {
                        break;
                    };
                    self.lock().note_recorded(answer);
                }
                Some(Recording::Later(time)) => sleep(time).await,
                None if closed && !self.lock().is_recording() => break,
                None => {
                    // In vain where the copying process has never started.
                    let left = match closed {
                        true => left,
                        false => PIPE_LIMIT.saturating_sub(begun.elapsed()),
                    };
                    if timeout(left, changed.changed()).await.is_err() {
                        break;
                    }
                }
            }
        }
        self.lock().recorder = None;
    }

    /// Tells those who wait to look again.
    pub(super) fn tell(&self) {
        self.changed.send_replace(());
    }

    /// Waits until a look finds something. Sleeps while nothing comes, unless
    /// time alone can tell. What has ended is settled before each look.
    ///
    /// Cancel safe.
    pub(super) async fn until<T>(
        &self,
        deadline: Option<Instant>,
        mut look: impl FnMut(&mut Follow) -> Look<T>,
    ) -> Waited<T> {
        let mut changed = self.changed.subscribe();
        loop {
            changed.mark_unchanged();
            let again = {
                let mut follow = self.lock();
                let settles = follow.update();
                match look(&mut follow) {
                    Look::Found(found) => return Waited::Found(found),
                    Look::Again(_) if follow.is_in_doubt() => return Waited::InDoubt,
                    Look::Again(again) => settles.into_iter().chain(again).min(),
                }
            };
            let now = Instant::now();
            if deadline.is_some_and(|deadline| deadline <= now) {
                return Waited::TimedOut;
            }
            // Not at once again: what is looked at takes a moment to change.
            let again = again.map(|again| now + again.max(Duration::from_millis(1)));
            let wake = deadline.into_iter().chain(again).min();
            let sleep = async {
                match wake {
                    Some(wake) => sleep_until(wake).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                // The sender lives as long as the feed.
                _ = changed.changed() => {}
                () = sleep => {}
            }
        }
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.task.abort();
        self.lock().recorder = None;
    }
}

/// An engine that panicked is as valid as one that did not.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads what a pane prints to its end, records its prompts, and sees the end of its
/// process: with `remain-on-exit` tmux keeps the pipe of a dead pane open.
async fn attend(mut pipe: Pipe, pid: u32, follow: Arc<Mutex<Follow>>, changed: watch::Sender<()>) {
    let mut piece = vec![0; PIECE];
    let mut end = pin!(see_end(pid, &follow, &changed));
    let mut seen = false;
    let mut recording: Option<Recording> = None;
    let reading = Reading(&follow, &changed);
    loop {
        tokio::select! {
            read = pipe.read(&mut piece) => match read {
                Ok(read @ 1..) => {
                    // In one go: who is told of the end of a command may end next.
                    let mut follow = lock(&follow);
                    follow.take(&piece[..read]);
                    let next = follow.record_prompt();
                    // What waits for an answer is not given up to look again: it looks
                    // behind that.
                    if next.as_ref().is_some_and(is_told)
                        || !recording.as_ref().is_some_and(is_told)
                    {
                        recording = next;
                    }
                    drop(follow);
                    changed.send_replace(());
                }
                // An error ends it as the end does: nothing more will come.
                _ => break,
            },
            answer = wait_for(&mut recording) => {
                let mut follow = lock(&follow);
                if let Some(answer) = answer {
                    follow.note_recorded(answer);
                }
                recording = follow.record_prompt();
            }
            () = &mut end, if !seen => seen = true,
        }
    }
    drop(reading);
    if let Some(Recording::Told(answer)) = recording {
        let answer = answer.await;
        lock(&follow).note_recorded(answer);
        changed.send_replace(());
    }
}

/// Somebody reads the pipe of a pane, until this is dropped: at its end, or with a
/// task that is given up.
struct Reading<'a>(&'a Mutex<Follow>, &'a watch::Sender<()>);

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        let mut follow = lock(self.0);
        follow.closed = true;
        follow.take_sign_down();
        drop(follow);
        self.1.send_replace(());
    }
}

fn is_told(recording: &Recording) -> bool {
    matches!(recording, Recording::Told(_))
}

/// Waits for the answer of the server, or until it is time to look again. Cancel
/// safe.
async fn wait_for(recording: &mut Option<Recording>) -> Option<Result<Vec<u8>>> {
    match recording {
        Some(Recording::Told(answer)) => Some(answer.as_mut().await),
        Some(Recording::Later(time)) => {
            sleep(*time).await;
            None
        }
        None => std::future::pending().await,
    }
}

/// Waits for the end of a pane's process, and has those who wait ask the server
/// what became of the pane. The server learns of the end as late as this process
/// does: it is asked again for some seconds, ever more seldom.
async fn see_end(pid: u32, follow: &Mutex<Follow>, changed: &watch::Sender<()>) {
    exit::of(pid).await;
    let mut pause = Duration::from_millis(10);
    while pause < Duration::from_secs(5) && !lock(follow).ended {
        lock(follow).doubt();
        changed.send_replace(());
        tokio::time::sleep(pause).await;
        pause *= 2;
    }
}
