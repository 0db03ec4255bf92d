//! Running a text: at an empty prompt, to its end.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::backend::{RunRequest, Waited};
use crate::error::{Error, ErrorKind, Result};
use crate::read::Render;
use crate::state::Activity;
use crate::stream::Rendering;
use crate::wire::command::Reading;

use super::audit::Written;
use super::feed::{Feed, Look};
use super::follow::{Follow, Left};
use super::input::{self, Input, Still};
use super::read::reading;
use super::wait::{Seen, Woken};
use super::write::{Unsent, refuse, too_many};
use super::{Stock, records};

/// How long a shell whose command has ended may take to read a line.
const SETTLE_LIMIT: Duration = Duration::from_secs(2);

/// How often a run begins again because another controller sent something in
/// between.
const TRIES: u32 = 5;

impl Stock {
    /// Waits for an empty prompt for as long as the request says.
    async fn prompt(&self, feed: &Feed, request: &RunRequest<'_>) -> Result<()> {
        let op = "run in";
        let (limit, starting) = {
            let mut follow = feed.lock();
            follow.update();
            let stream = &follow.stream;
            let ran = follow.earlier.as_ref();
            let ran = ran.is_some_and(|earlier| !matches!(earlier.left, Left::Nothing));
            let starting = !stream.integrated() && !ran;
            let idle = follow.glance().activity() == Activity::Idle;
            match request.busy {
                Some(limit) => (limit, false),
                None if follow.glance().settles() => (SETTLE_LIMIT, false),
                // A shell that is starting is busy, but not with what somebody
                // ran.
                None if starting && !idle => (request.starting, true),
                None => (Duration::ZERO, false),
            }
        };
        let deadline = Instant::now().checked_add(limit);
        let look = |follow: &mut Follow| match follow.glance().at_empty_prompt() {
            true => Look::Found(()),
            false => Look::Again(follow.look_for_prompt()),
        };
        match self.until(op, request.target, feed, deadline, look).await? {
            Seen::Found(()) => Ok(()),
            Seen::Ended => Err(Error::new(ErrorKind::PaneGone, op)),
            Seen::TimedOut => {
                let follow = feed.lock();
                let program = follow.glance().foreground();
                let kind = match follow.glance().activity() {
                    Activity::Idle if request.busy.is_none() => ErrorKind::PromptNotEmpty,
                    Activity::Dead => ErrorKind::PaneDead,
                    _ if starting => ErrorKind::Starting { program },
                    _ => ErrorKind::Busy { program },
                };
                Err(Error::new(kind, op))
            }
        }
    }

    pub(super) async fn run_whole(&self, request: &RunRequest<'_>) -> Result<Waited<Reading>> {
        let op = "run in";
        if let Some((feed, id)) = self.submit_at_once(request).await? {
            return self.result(&feed, id, request).await;
        }
        let mut tries = 0;
        while tries < TRIES {
            let (feed, mut pane) = self.feed(op, request.target).await?;
            refuse(op, &pane)?;
            if !feed.lock().glance().at_empty_prompt() {
                self.prompt(&feed, request).await?;
                pane = self.pane(op, request.target).await?;
                refuse(op, &pane)?;
            }
            let sending = match feed.sending.try_lock() {
                Ok(sending) => sending,
                Err(_) => {
                    let sending = feed.sending.lock().await;
                    pane = self.pane(op, request.target).await?;
                    refuse(op, &pane)?;
                    sending
                }
            };
            if !feed.lock().glance().at_empty_prompt() {
                // Another run of this process was faster.
                continue;
            }
            let pane = Still {
                pane: &pane,
                all: false,
            };
            if let Some(id) = self.submit_text(&feed, pane, request).await? {
                drop(sending);
                return self.result(&feed, id, request).await;
            }
            tries += 1;
        }
        let message = "somebody else sends input all the time".to_owned();
        Err(Error::new(ErrorKind::Rejected { message }, op))
    }

    /// Submits a text at the empty prompt of a pane that is followed, with nothing
    /// asked before. `None`: there is none, or the pane is no longer as it was.
    async fn submit_at_once(&self, request: &RunRequest<'_>) -> Result<Option<(Arc<Feed>, u64)>> {
        let Some((feed, pane)) = self.followed(request.target) else {
            return Ok(None);
        };
        let submitted = {
            let Ok(_sending) = feed.sending.try_lock() else {
                return Ok(None);
            };
            let known = pane.turn.is_some() && refuse("run in", &pane).is_ok();
            if !known || !feed.lock().glance().at_empty_prompt() {
                return Ok(None);
            }
            let pane = Still {
                pane: &pane,
                all: true,
            };
            self.submit_text(&feed, pane, request).await?
        };
        Ok(submitted.map(|id| (feed, id)))
    }

    /// Submits a text at an empty prompt. `None`: somebody was faster.
    async fn submit_text(
        &self,
        feed: &Feed,
        still: Still<'_>,
        request: &RunRequest<'_>,
    ) -> Result<Option<u64>> {
        let op = "run in";
        let pane = still.pane;
        let text = request.text.strip_suffix('\n').unwrap_or(request.text);
        let several = text.contains('\n');
        let turn = Self::turn();
        let (id, bracketed) = {
            let mut follow = feed.lock();
            let bracketed = follow.brackets_pastes();
            if several && !bracketed {
                // Line by line, what runs would read the lines behind it.
                return Err(Error::new(ErrorKind::NoBracketedPaste, op));
            }
            input::check(op, text.as_bytes(), follow.glance().canonical(), bracketed)?;
            self.pool.skip_to(pane.last_id);
            let id = follow.submit(1, several, text.len());
            follow.note_turn(&turn);
            (id, bracketed)
        };
        let id = id.ok_or_else(|| too_many(op))?;
        let unsent = Unsent { feed, id: Some(id) };
        let buffer = (!text.is_empty()).then(Self::buffer);
        let input = Input {
            target: request.target,
            buffer: buffer.as_deref(),
            bracketed,
            keeps_bytes: self.rewrites,
            enter: Some(self.windows.keys_client()),
            id: Some(id),
            turn: &turn,
            only_if: Some(still),
        };
        let data = buffer.is_some().then(|| text.as_bytes().to_vec());
        match self.send(op, input, data).await? {
            true => {
                // At an empty prompt nothing is hidden.
                self.log(request.target, pane).write(&Written {
                    size: text.len(),
                    payload: Some(text.as_bytes()),
                    id: Some(id),
                    enter: true,
                    paste: bracketed && !text.is_empty(),
                    hides: false,
                });
                unsent.sent();
                feed.see_input(Some(id), &turn);
                Ok(Some(id))
            }
            false => {
                unsent.refused();
                feed.lock().take_turn_back(&turn);
                Ok(None)
            }
        }
    }

    /// Waits for the end of what was run, and reads it.
    async fn result(
        &self,
        feed: &Feed,
        id: u64,
        request: &RunRequest<'_>,
    ) -> Result<Waited<Reading>> {
        let op = "run in";
        let deadline = request
            .timeout
            .and_then(|timeout| Instant::now().checked_add(timeout));
        let woken = self.ended(op, request.target, feed, id, deadline).await?;
        if matches!(woken, Woken::Continuation) {
            return Err(Error::new(ErrorKind::Incomplete, op));
        }
        let follow = feed.lock();
        let found = follow.stream.find(id).ok_or_else(|| {
            Error::new(ErrorKind::CommandForgotten, op).because("too many ran behind it")
        })?;
        let range = found.output(follow.stream.total());
        let record = Some(records::record(found));
        let value = reading(op, &follow, range, Rendering::Raw, true, record)?;
        if let Some(log) = &follow.log {
            log.read_of("output", Render::Raw, false, Some(id), &value);
        }
        Ok(Waited {
            value,
            timed_out: matches!(woken, Woken::TimedOut),
        })
    }
}
