//! Panes: asked for by name, and followed from the first call on.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::backend::windows::CUT_TRIES;
use crate::error::{Error, ErrorKind, Result};
use crate::names::WindowName;
use crate::wire::pane::Pane;

use super::feed::Feed;
use super::recorder::Recorder;
use super::{Stock, no_memory, open, query};

/// How long the record of a prompt may take, and how often it is looked for.
/// The shell shows its prompt before the record is there, and a busy machine
/// takes its time; where something else runs, a typed line was waiting, and the
/// record was dropped.
const RECORD_LIMIT: Duration = Duration::from_secs(5);
const RECORD_LIMIT_RUNNING: Duration = Duration::from_secs(1);
const RECORD_INTERVAL: Duration = Duration::from_millis(5);

/// How long a shell must look as if it were at a prompt that is not recorded, for it
/// to be at one.
const PROMPT_LIMIT: Duration = Duration::from_millis(250);

impl Stock {
    /// Asks for the active pane of a window, and again where the answer was cut.
    pub(super) async fn pane(&self, op: &'static str, target: &WindowName) -> Result<Pane> {
        let mut tries = 0;
        loop {
            let sequence = query::active_pane(target);
            let output = self.tmux.output(op, sequence, self.limit).await?;
            match query::read_pane(op, &output) {
                Err(error) if *error.kind() == ErrorKind::Protocol && tries < CUT_TRIES => {
                    tries += 1;
                }
                pane => return pane,
            }
        }
    }

    /// Reads a pane that tmux has printed behind something else.
    pub(super) async fn printed(
        &self,
        op: &'static str,
        target: &WindowName,
        output: &[u8],
    ) -> Result<Pane> {
        match query::read_pane(op, output) {
            Err(error) if *error.kind() == ErrorKind::Protocol => self.pane(op, target).await,
            pane => pane,
        }
    }

    /// Returns what follows a pane; for one that is dead, also without its
    /// process.
    pub(super) fn known(&self, pane: &Pane) -> Option<Arc<Feed>> {
        let feeds = self.feeds.lock().unwrap_or_else(PoisonError::into_inner);
        let is =
            |feed: &&Arc<Feed>| feed.key == pane.key || (pane.dead && feed.key.0 == pane.key.0);
        feeds.iter().find(is).cloned()
    }

    /// Returns what follows the pane that was meant by this name last, and how it
    /// was.
    pub(super) fn followed(&self, target: &WindowName) -> Option<(Arc<Feed>, Pane)> {
        let feeds = self.feeds.lock().unwrap_or_else(PoisonError::into_inner);
        let mut named = feeds
            .iter()
            .rev()
            .filter_map(|feed| Some((feed.clone(), feed.seen(target)?)));
        named.find(|(feed, _)| !feed.is_closed())
    }

    /// Returns whether a pipe is one that this process reads: that of a process
    /// that was in the pane before. Not where nothing comes from it any more:
    /// then the one that is there is somebody else's.
    fn is_ours(&self, owner: &str) -> bool {
        let feeds = self.feeds.lock().unwrap_or_else(PoisonError::into_inner);
        feeds
            .iter()
            .any(|feed| feed.owner == owner && !feed.lock().closed)
    }

    fn keep(&self, feed: Feed) -> Arc<Feed> {
        let feed = Arc::new(feed);
        let mut feeds = self.feeds.lock().unwrap_or_else(PoisonError::into_inner);
        feeds.retain(|other| !other.is_closed() && other.key.0 != feed.key.0);
        feeds.push(feed.clone());
        feed
    }

    /// Returns the pane and what follows it, which is started where nothing
    /// does yet.
    pub(super) async fn feed(
        &self,
        op: &'static str,
        target: &WindowName,
    ) -> Result<(Arc<Feed>, Pane)> {
        let mut pane = self.pane(op, target).await?;
        if let Some(feed) = self
            .known(&pane)
            .filter(|feed| pane.dead || !feed.is_closed())
        {
            let ours = feed.see(target, &pane);
            {
                let mut follow = feed.lock();
                follow.note_sent(pane.last_id);
                if !ours {
                    // Another controller's, which may stand at the prompt.
                    follow.note_keys();
                }
                follow.note_typists((&pane).into());
            }
            return Ok((feed, pane));
        }
        if pane.dead {
            return Err(Error::new(ErrorKind::PaneDead, op));
        }
        let _one = self.opening.lock().await;
        if let Some(feed) = self.known(&pane).filter(|feed| !feed.is_closed()) {
            return Ok((feed, pane));
        }
        let taken =
            |pane: &Pane| pane.piped && !self.is_ours(&pane.owner) && !open::left_behind(pane);
        if taken(&pane) {
            // The answer may be from before our own pipe was closed, which a
            // server that shuts down does.
            pane = self.pane(op, target).await?;
        }
        if taken(&pane) {
            return Err(Error::new(ErrorKind::PipeInUse, op));
        }
        let new = self.unopened(op)?;
        // Before the pipe is open: what the shell prints from then on, a prompt
        // among it, comes through it.
        let mut reads_keys = open::reads_keys(&pane);
        let mut tries = 0;
        let output = loop {
            let replaces = pane.piped.then_some(pane.owner.as_str());
            let command = new.pipe.command();
            let sequence = query::open_pipe(target, &pane, command, &new.owner, replaces);
            let output = self.tmux.output(op, sequence, self.limit).await?;
            if output.trim_ascii() != b"taken" {
                break output;
            }
            // By somebody, or the pane is another by now, or the question was cut.
            pane = self.pane(op, target).await?;
            if taken(&pane) || tries == CUT_TRIES {
                return Err(Error::new(ErrorKind::PipeInUse, op));
            }
            tries += 1;
        };
        pane = self.printed(op, target, &output).await?;
        if reads_keys && open::may_run_on(&pane) {
            (pane, reads_keys) = self.stays_at_prompt(op, target, pane).await?;
        }
        pane = self.until_recorded(op, target, pane).await?;
        let feed = self.start(op, target, &pane, new, reads_keys)?;
        Ok((feed, pane))
    }

    /// Waits until it shows whether a shell that has the terminal as at a prompt is at
    /// one: between two programs of a command it can look so. Returns that, and the
    /// pane.
    async fn stays_at_prompt(
        &self,
        op: &'static str,
        target: &WindowName,
        pane: Pane,
    ) -> Result<(Pane, bool)> {
        let since = Instant::now();
        while since.elapsed() < PROMPT_LIMIT {
            sleep(RECORD_INTERVAL).await;
            if !open::reads_keys(&pane) {
                return Ok((pane, false));
            }
        }
        let now = self.pane(op, target).await?;
        let recorded = now.key == pane.key && (now.prompt.is_some() || now.recording);
        match recorded {
            // By a controller that came before. Whether the prompt's marks are in the
            // pipe, nobody knows: they do no harm behind those that stand for it.
            true => Ok((now, true)),
            false => Ok((pane, true)),
        }
    }

    /// Waits for the record of a prompt that is being recorded. It comes within
    /// milliseconds, unless a typed line waits. tmux has nothing to wait for it by.
    /// What is printed meanwhile waits in the pipe.
    pub(super) async fn until_recorded(
        &self,
        op: &'static str,
        target: &WindowName,
        mut pane: Pane,
    ) -> Result<Pane> {
        let since = Instant::now();
        while pane.recording && !open::replaced(&pane) && since.elapsed() < record_limit(&pane) {
            sleep(RECORD_INTERVAL).await;
            pane = self.pane(op, target).await?;
        }
        Ok(pane)
    }

    pub(super) fn unopened(&self, op: &'static str) -> Result<open::Unopened> {
        self.runtime.ensure()?;
        self.runtime.sweep();
        open::unopened(self.runtime.path())
            .map_err(|error| Error::io(op, error).on(self.runtime.path().display()))
    }

    pub(super) fn start(
        &self,
        op: &'static str,
        target: &WindowName,
        pane: &Pane,
        new: open::Unopened,
        reads_keys: bool,
    ) -> Result<Arc<Feed>> {
        let mut follow =
            open::follow(&self.pool, pane, reads_keys).map_err(|error| no_memory(op, error))?;
        follow.stream.set_limit(self.stream_limit);
        follow.log = Some(self.log(target, pane));
        follow.recorder = Recorder::new(&self.tmux, self.limit, self.runtime.path(), pane);
        if open::will_tell(pane) {
            follow.put_sign_up();
        }
        follow.note_typists(pane.into());
        let feed = Feed::start(target, pane, new.owner, follow, new.pipe);
        Ok(self.keep(feed))
    }
}

fn record_limit(pane: &Pane) -> Duration {
    match open::reads_keys(pane) {
        true => RECORD_LIMIT,
        false => RECORD_LIMIT_RUNNING,
    }
}
