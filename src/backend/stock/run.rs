//! Running a text: at an empty prompt, to its end.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::backend::{PaneBackend, RunRequest, TAKE_BACK_INTERVAL, Waited};
use crate::error::{Error, ErrorKind, Result};
use crate::keys::Key;
use crate::names::WindowName;
use crate::read::Render;
use crate::state::Activity;
use crate::stream::Rendering;
use crate::wire::command::Reading;
use crate::wire::pane::Pane;

use super::audit::Written;
use super::feed::{Feed, Look};
use super::follow::{Follow, Left};
use super::input::{self, Input};
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
            let idle = follow.activity() == Activity::Idle;
            match request.busy {
                Some(limit) => (limit, false),
                None if follow.settles() => (SETTLE_LIMIT, false),
                // A shell that is starting is busy, but not with what somebody
                // ran.
                None if starting && !idle => (request.starting, true),
                None => (Duration::ZERO, false),
            }
        };
        let deadline = Instant::now().checked_add(limit);
        let look = |follow: &mut Follow| match follow.at_empty_prompt() {
            true => Look::Found(()),
            false => Look::Again(follow.look_for_prompt()),
        };
        match self.until(op, request.target, feed, deadline, look).await? {
            Seen::Found(()) => Ok(()),
            Seen::Ended => Err(Error::new(ErrorKind::PaneGone, op)),
            Seen::TimedOut => {
                let follow = feed.lock();
                let program = follow.foreground();
                let kind = match follow.activity() {
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
        let mut tries = 0;
        while tries < TRIES {
            let (feed, mut pane) = self.feed(op, request.target).await?;
            refuse(op, &pane)?;
            if !feed.lock().at_empty_prompt() {
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
            if !feed.lock().at_empty_prompt() {
                // Another run of this process was faster.
                continue;
            }
            if let Some(id) = self.submit_text(&feed, &pane, request).await? {
                drop(sending);
                return self.result(&feed, id, request).await;
            }
            tries += 1;
        }
        let message = "somebody else sends input all the time".to_owned();
        Err(Error::new(ErrorKind::Rejected { message }, op))
    }

    /// Submits a text at an empty prompt. `None`: somebody was faster.
    async fn submit_text(
        &self,
        feed: &Feed,
        pane: &Pane,
        request: &RunRequest<'_>,
    ) -> Result<Option<u64>> {
        let op = "run in";
        let text = request.text.strip_suffix('\n').unwrap_or(request.text);
        let several = text.contains('\n');
        let (id, bracketed) = {
            let mut follow = feed.lock();
            let bracketed = follow.brackets_pastes();
            if several && !bracketed {
                // Line by line, what runs would read the lines behind it.
                return Err(Error::new(ErrorKind::NoBracketedPaste, op));
            }
            input::check(op, text.as_bytes(), follow.canonical(), bracketed)?;
            self.pool.skip_to(pane.last_id);
            (follow.submit(1, several, text.len()), bracketed)
        };
        let id = id.ok_or_else(|| too_many(op))?;
        let unsent = Unsent { feed, id: Some(id) };
        let buffer = (!text.is_empty()).then(|| self.buffer());
        let input = Input {
            target: request.target,
            buffer: buffer.as_deref(),
            bracketed,
            keeps_bytes: self.rewrites,
            enter: Some(self.windows.keys_client()),
            id: Some(id),
            only_if: Some((pane.key.1, pane.last_id)),
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
                Ok(Some(id))
            }
            false => {
                unsent.refused();
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

    /// Throws away what the shell collects behind a continuation prompt, and
    /// waits for its prompt.
    pub(super) async fn take_back(&self, target: &WindowName) -> Result<()> {
        self.keys(target, &[Key::interrupt().name()]).await?;
        let begun = Instant::now();
        loop {
            match self.wait(target, None, Some(self.limit)).await {
                // A starved shell has not taken the key yet.
                Err(error)
                    if *error.kind() == ErrorKind::Incomplete && begun.elapsed() < self.limit =>
                {
                    sleep(TAKE_BACK_INTERVAL).await;
                }
                waited => return waited.map(drop),
            }
        }
    }
}
