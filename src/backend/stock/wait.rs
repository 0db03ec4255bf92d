//! Waiting for what a pane does.

use std::time::Duration;

use tokio::time::Instant;

use crate::backend::Waited;
use crate::command::{CommandId, Ended, Record};
use crate::error::{Error, ErrorKind, Result};
use crate::names::WindowName;
use crate::state::Activity;

use super::feed::{self, Feed, Look};
use super::follow::Follow;
use super::read::find;
use super::{Stock, records};

/// What ended the wait for a submission.
pub(super) enum Woken {
    Done,
    Continuation,
    TimedOut,
}

/// What a wait comes to.
pub(super) enum Seen<T> {
    Found(T),
    TimedOut,
    /// The pane's process has ended.
    Ended,
}

impl Stock {
    /// Waits as [`Feed::until`] does, and finds out what became of a pane from
    /// which nothing comes any more.
    pub(super) async fn until<T>(
        &self,
        op: &'static str,
        target: &WindowName,
        feed: &Feed,
        deadline: Option<Instant>,
        mut look: impl FnMut(&mut Follow) -> Look<T>,
    ) -> Result<Seen<T>> {
        loop {
            match feed.until(deadline, &mut look).await {
                feed::Waited::Found(found) => return Ok(Seen::Found(found)),
                feed::Waited::TimedOut => return Ok(Seen::TimedOut),
                feed::Waited::InDoubt => {}
            }
            if self.has_ended(op, target, feed).await? {
                let mut follow = feed.lock();
                return Ok(match look(&mut follow) {
                    Look::Found(found) => Seen::Found(found),
                    Look::Again(_) => Seen::Ended,
                });
            }
        }
    }

    /// Asks the server whether a pane's process has ended, and notes it. An
    /// error where the pane goes on without its pipe.
    async fn has_ended(&self, op: &'static str, target: &WindowName, feed: &Feed) -> Result<bool> {
        if feed.lock().ended {
            return Ok(true);
        }
        // Before: a server that shuts down closes the pipe behind its last answer.
        let closed = feed.lock().closed;
        let pane = match self.pane(op, target).await {
            Ok(pane) => Some(pane),
            // With its last window a session goes.
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::WindowNotFound | ErrorKind::SessionNotFound
                ) =>
            {
                None
            }
            Err(error) => return Err(error),
        };
        let mut follow = feed.lock();
        match pane {
            Some(pane) if pane.key == feed.key && !pane.dead => {
                if closed {
                    return Err(Error::new(ErrorKind::PipeInUse, op)
                        .because("it was taken while this one was read"));
                }
                follow.take_late();
                return Ok(false);
            }
            // Another process is in the pane: what came late is its output.
            Some(pane) if !pane.dead && pane.key.0 == feed.key.0 => {}
            _ => follow.take_late(),
        }
        follow.end();
        drop(follow);
        feed.tell();
        Ok(true)
    }

    /// Waits until a submission has ended.
    pub(super) async fn ended(
        &self,
        op: &'static str,
        target: &WindowName,
        feed: &Feed,
        id: u64,
        deadline: Option<Instant>,
    ) -> Result<Woken> {
        let look = |follow: &mut Follow| match follow.stream.find(id) {
            Some(record) if !record.flags.finished && !follow.glance().waits_for_more(id) => {
                Look::Again(None)
            }
            Some(record) if !record.flags.finished => Look::Found(Woken::Continuation),
            _ => Look::Found(Woken::Done),
        };
        Ok(match self.until(op, target, feed, deadline, look).await? {
            Seen::Found(woken) => woken,
            Seen::TimedOut => Woken::TimedOut,
            Seen::Ended => Woken::Done,
        })
    }

    pub(super) async fn wait_for(
        &self,
        target: &WindowName,
        id: Option<CommandId>,
        timeout: Option<Duration>,
    ) -> Result<Waited<Option<Record>>> {
        let op = "wait in";
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let (feed, _) = self.feed(op, target).await?;
        let (id, ran) = {
            let mut follow = feed.lock();
            follow.update();
            if let Some(value) = earlier(&follow, id) {
                return Ok(Waited {
                    value: Some(value),
                    timed_out: false,
                });
            }
            let id = match id {
                Some(id) => Some(find(op, &follow, id.get())?.id),
                None => newest(&follow),
            };
            (id, id.and_then(|id| follow.ran(id)))
        };
        let woken = match id {
            Some(id) => self.ended(op, target, &feed, id, deadline).await?,
            None => self.idle(op, target, &feed, deadline).await?,
        };
        if matches!(woken, Woken::Continuation) {
            return Err(Error::new(ErrorKind::Incomplete, op));
        }
        let mut value = {
            let follow = feed.lock();
            let found = match id {
                Some(id) => follow.stream.find(id),
                None => follow.stream.last(),
            };
            let value = found.map(|found| follow.told(found));
            if value.is_none() && follow.ended {
                return Err(Error::new(ErrorKind::PaneGone, op));
            }
            value
        };
        let unseen = |record: &Record| record.ended == Ended::Lost;
        if let Some(ran) = ran.filter(|_| value.as_ref().is_none_or(unseen)) {
            // Its end was printed before the pipe was open, and told by the prompt.
            let pane = self.pane(op, target).await?;
            let pane = self.until_recorded(op, target, pane).await?;
            if let Some(prompt) = pane.prompt.filter(|_| pane.last_id == ran) {
                value = Some(records::earlier(ran, &prompt));
            }
        }
        Ok(Waited {
            value,
            timed_out: matches!(woken, Woken::TimedOut),
        })
    }

    /// Waits while something runs that no mark has told of.
    async fn idle(
        &self,
        op: &'static str,
        target: &WindowName,
        feed: &Feed,
        deadline: Option<Instant>,
    ) -> Result<Woken> {
        let look = |follow: &mut Follow| match follow.glance().activity() {
            Activity::Running if !follow.glance().at_empty_prompt() => {
                Look::Again(follow.look_for_prompt())
            }
            _ => Look::Found(Woken::Done),
        };
        Ok(match self.until(op, target, feed, deadline, look).await? {
            Seen::Found(woken) => woken,
            Seen::TimedOut => Woken::TimedOut,
            Seen::Ended => Woken::Done,
        })
    }
}

/// The newest submission, or a command that somebody typed after it.
fn newest(follow: &Follow) -> Option<u64> {
    let last = follow.stream.last().map(|record| record.id);
    let sent = Some(follow.last_id).filter(|&id| id != 0);
    last.max(sent)
}

/// The record of what another controller ran, where that is meant.
fn earlier(follow: &Follow, id: Option<CommandId>) -> Option<Record> {
    let earlier = follow.earlier.as_ref()?;
    let meant = match id {
        Some(id) => id.get() == earlier.id,
        None => newest(follow).is_none(),
    };
    let prompt = earlier.prompt().filter(|_| meant)?;
    Some(records::earlier(earlier.id, prompt))
}
