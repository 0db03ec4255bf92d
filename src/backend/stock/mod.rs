//! The stock backend: any tmux. What a pane prints comes through `pipe-pane`
//! into the stream engine, in this process; what shells and controllers tell
//! each other lies on options of the pane (wire/pane.rs).

mod audit;
mod feed;
mod follow;
mod input;
mod open;
mod panes;
mod paste;
mod query;
mod read;
mod recorder;
mod records;
mod run;
mod state;
mod wait;
mod write;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::backend::take_back::take_back;
use crate::backend::windows::{NewWindow, Windows};
use crate::backend::{PaneBackend, ReadRequest, RunRequest, Settings, Waited};
use crate::capability::Capabilities;
use crate::command::{CommandId, Record};
use crate::error::{Error, ErrorKind, Result};
use crate::exec::runtime_dir::RuntimeDir;
use crate::exec::tmux::{Sequence, Tmux};
use crate::input::Submit;
use crate::names::WindowName;
use crate::state::{State, WindowInfo};
use crate::stream::{DEFAULT_LIMIT, OutOfMemory, Pool};
use crate::wire::command::Reading;
use crate::wire::pane::{self, WINDOW_PANE};
use crate::wire::probe::PID;

use audit::{Auditor, Log};
use feed::Feed;
use state::{state_from_outside, state_of};

#[derive(Debug)]
pub(crate) struct Stock {
    tmux: Tmux,
    windows: Windows,
    /// How long the server may take to answer what does not wait.
    limit: Duration,
    runtime: RuntimeDir,
    /// `paste-buffer` rewrites control characters, unless `-S` is given.
    rewrites: bool,
    /// How many bytes of a pane are kept.
    stream_limit: u64,
    pool: Pool,
    feeds: Mutex<Vec<Arc<Feed>>>,
    /// One pipe is opened at a time.
    opening: tokio::sync::Mutex<()>,
    auditor: Arc<Auditor>,
}

impl Stock {
    pub(crate) fn new(tmux: Tmux, capabilities: &Capabilities, settings: &Settings) -> Self {
        let limit = settings.call_limit;
        Self {
            stream_limit: settings.stream_limit.unwrap_or(DEFAULT_LIMIT),
            windows: Windows::new(tmux.clone(), capabilities, limit),
            tmux,
            limit,
            runtime: RuntimeDir::of_user(),
            rewrites: capabilities.paste_rewrites,
            pool: Pool::default(),
            feeds: Mutex::default(),
            opening: tokio::sync::Mutex::default(),
            auditor: Arc::new(Auditor::new(
                settings.audit.clone(),
                settings.socket.clone(),
            )),
        }
    }

    /// Makes the word by which an input is told from all others.
    fn turn() -> String {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        format!("{}.{count}", std::process::id())
    }

    /// What logs that which happens in a pane.
    fn log(&self, target: &WindowName, pane: &pane::Pane) -> Log {
        Log {
            auditor: self.auditor.clone(),
            target: target.clone(),
            pane: pane.key.0.clone(),
        }
    }
}

fn no_memory(op: &'static str, error: OutOfMemory) -> Error {
    Error::new(ErrorKind::Io, op).caused_by(error)
}

impl PaneBackend for Stock {
    async fn ensure(&self, name: &WindowName) -> Result<bool> {
        let op = "create window";
        // Whoever comes meanwhile would take the pipe for somebody else's.
        let _one = self.opening.lock().await;
        let new = self.unopened(op)?;
        let nonce = open::random().map_err(|error| Error::io(op, error))?;
        let window = NewWindow {
            before: query::before_new(new.pipe.command()),
            environment: vec![("AMUX_NONCE", nonce.clone())],
            then: query::prepare(name, &nonce, &new.owner),
        };
        match self.windows.ensure(name, window).await? {
            None => Ok(false),
            Some(answer) => {
                let pane = self.printed(op, name, &answer).await?;
                let feed = self.start(op, name, &pane, new, false)?;
                feed.lock().note_made((&pane).into());
                Ok(true)
            }
        }
    }

    async fn run(&self, request: RunRequest<'_>) -> Result<Waited<Reading>> {
        let error = match self.run_whole(&request).await {
            Ok(waited) => return Ok(waited),
            Err(error) => error,
        };
        if *error.kind() == ErrorKind::Incomplete {
            take_back(self, request.target, self.limit).await?;
        }
        Err(self.windows.explain(request.target, error).await)
    }

    async fn write(
        &self,
        target: &WindowName,
        data: Vec<u8>,
        submit: Submit,
    ) -> Result<Option<CommandId>> {
        match self.write_bytes(target, data, submit).await {
            Ok(id) => Ok(id),
            Err(error) => Err(self.windows.explain(target, error).await),
        }
    }

    async fn keys(&self, target: &WindowName, keys: &[&str]) -> Result<()> {
        let op = "press keys in";
        let name = target.target();
        let turn = Self::turn();
        let sequence = query::active_pane(target)
            .command("if-shell", ["-F", "1", &input::forget_prompt(&name, &turn)])
            .then(self.windows.keys(target, keys));
        let output = match self.tmux.output(op, sequence, self.limit).await {
            Ok(output) => output,
            Err(error) => return Err(self.windows.explain(target, error).await),
        };
        let pane = query::read_pane(op, &output)?;
        if let Some(feed) = self.known(&pane) {
            feed.see_input(None, &turn);
            let mut follow = feed.lock();
            follow.note_turn(&turn);
            follow.note_keys();
        }
        Ok(())
    }

    async fn read(&self, request: ReadRequest<'_>) -> Result<Reading> {
        let target = request.target;
        match self.read_range(request).await {
            Ok(reading) => Ok(reading),
            Err(error) => Err(self.windows.explain(target, error).await),
        }
    }

    async fn wait(
        &self,
        target: &WindowName,
        id: Option<CommandId>,
        timeout: Option<Duration>,
    ) -> Result<Waited<Option<Record>>> {
        match self.wait_for(target, id, timeout).await {
            Ok(waited) => Ok(waited),
            Err(error) => Err(self.windows.explain(target, error).await),
        }
    }

    async fn follow(&self, target: &WindowName, after: Option<u64>) -> Result<Option<Reading>> {
        match self.read_after(target, after).await {
            Ok(reading) => Ok(reading),
            Err(error) => Err(self.windows.explain(target, error).await),
        }
    }

    async fn records(&self, target: &WindowName) -> Result<Vec<Record>> {
        let (feed, _) = match self.feed("list commands of", target).await {
            Ok(found) => found,
            Err(error) => return Err(self.windows.explain(target, error).await),
        };
        let mut follow = feed.lock();
        follow.update();
        let records = follow.stream.records();
        Ok(records.map(|found| follow.told(found)).collect())
    }

    async fn state(&self, target: &WindowName) -> Result<State> {
        let op = "ask state of";
        let pane = match self.pane(op, target).await {
            Ok(pane) => pane,
            Err(error) => return Err(self.windows.explain(target, error).await),
        };
        match self.known(&pane) {
            Some(feed) => {
                let mut follow = feed.lock();
                follow.note_typists((&pane).into());
                Ok(state_of(&mut follow, &pane))
            }
            None => state_from_outside(&pane),
        }
    }

    async fn windows(&self) -> Result<Vec<WindowInfo>> {
        let op = "list windows";
        let sequence = Sequence::new()
            .command("display-message", ["-p", PID])
            .command("list-windows", ["-a", "-F", WINDOW_PANE]);
        let output = match self.tmux.output(op, sequence, self.limit).await {
            // list-windows fails where there is no session at all.
            Err(error) if *error.kind() == ErrorKind::WindowNotFound => return Ok(Vec::new()),
            output => output?,
        };
        let mut lines = output.split(|&b| b == b'\n');
        if lines.next().is_none_or(<[u8]>::is_empty) {
            return Err(Error::new(ErrorKind::NoServer, op));
        }
        lines
            .filter(|line| !line.is_empty())
            .map(|line| {
                let found = pane::parse_window_pane(line)?;
                let state = match self.known(&found.pane) {
                    Some(feed) => state_of(&mut feed.lock(), &found.pane),
                    None => state_from_outside(&found.pane)?,
                };
                Ok(WindowInfo {
                    session: found.session,
                    name: found.window,
                    task: found.task,
                    state,
                })
            })
            .collect()
    }

    /// The limit is that of the streams in this process.
    async fn limit_streams(&self) -> Result<()> {
        Ok(())
    }

    async fn release(&self) {
        let feeds = {
            let mut feeds = self.feeds.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *feeds)
        };
        for feed in feeds {
            feed.lock().take_sign_down();
            if feed.lock().may_have_left_prompt() {
                // The end of its command was printed before, and the server has read
                // it by the time that it answers.
                let question = Sequence::new().command("display-message", ["-p", ""]);
                let _ = self.tmux.output("close pipe", question, self.limit).await;
                feed.see_prompt().await;
            }
            if !feed.lock().closed {
                let close = query::close_pipe(&feed.key.0, &feed.owner);
                // A pane that has gone has no pipe.
                let _ = self.tmux.output("close pipe", close, self.limit).await;
            }
            feed.record_last_prompt().await;
        }
    }
}
