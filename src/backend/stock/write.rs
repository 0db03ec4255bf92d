//! Writing to a pane.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::command::CommandId;
use crate::error::{Error, ErrorKind, Result};
use crate::exec::terminal::Terminal;
use crate::exec::tmux::{self, Sequence};
use crate::input::Submit;
use crate::names::WindowName;
use crate::wire::pane::Pane;

use super::Stock;
use super::audit::Written;
use super::feed::Feed;
use super::follow::Follow;
use super::input::{self, CHANGED, Input, SENT};

/// A submission on its way. Where the call is given up, the client that brings it
/// may have been heard: what the pane says next decides.
pub(super) struct Unsent<'a> {
    pub(super) feed: &'a Feed,
    pub(super) id: Option<u64>,
}

impl Unsent<'_> {
    /// It was sent, and that was told of.
    pub(super) fn sent(mut self) {
        if self.id.take().is_some() {
            self.feed.lock().end_sending();
        }
    }

    pub(super) fn refused(mut self) {
        if let Some(id) = self.id.take() {
            let mut follow = self.feed.lock();
            follow.withdraw(id);
            follow.end_sending();
            drop(follow);
            self.feed.tell();
        }
    }
}

impl Drop for Unsent<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            let mut follow = self.feed.lock();
            follow.doubt_sent(id);
            follow.end_sending();
        }
    }
}

impl Stock {
    /// Sends input. Returns whether it was sent: not where the pane is no longer
    /// as it was.
    pub(super) async fn send(
        &self,
        op: &'static str,
        input: Input<'_>,
        data: Option<Vec<u8>>,
    ) -> Result<bool> {
        let sequence = input::sequence(&input);
        let finished = self.tmux.call(op, sequence, data, Some(self.limit)).await;
        let output = finished.and_then(|finished| tmux::success(op, finished));
        match output.as_deref().map(<[u8]>::trim_ascii) {
            Ok(SENT) => Ok(true),
            Ok(CHANGED) => Ok(false),
            Ok(b"") => Err(Error::new(ErrorKind::NoServer, op)),
            Ok(_) => Err(Error::new(ErrorKind::Protocol, op).because("neither sent nor refused")),
            Err(_) => {
                if let Some(buffer) = input.buffer {
                    // The text of somebody stays in it where the window was
                    // missing. It may not be there.
                    let delete = Sequence::new().command("delete-buffer", ["-b", buffer]);
                    let _ = self.tmux.output(op, delete, self.limit).await;
                }
                output.map(|_| false)
            }
        }
    }

    /// Names a buffer, which are the whole server's.
    pub(super) fn buffer() -> String {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        format!("amux-{}-{count}", std::process::id())
    }

    pub(super) async fn write_bytes(
        &self,
        target: &WindowName,
        mut data: Vec<u8>,
        submit: Submit,
    ) -> Result<Option<CommandId>> {
        let op = "write to";
        let (feed, pane) = match self.feed(op, target).await {
            Ok((feed, pane)) => (Some(feed), pane),
            // Somebody else reads what it prints: it can be written to.
            Err(error) if *error.kind() == ErrorKind::PipeInUse => {
                (None, self.pane(op, target).await?)
            }
            Err(error) => return Err(error),
        };
        refuse(op, &pane)?;
        if submit == Submit::Yes && data.ends_with(b"\n") {
            // It is the Enter that comes anyway.
            data.pop();
            if data.ends_with(b"\r") {
                data.pop();
            }
        }
        let submits = match submit {
            Submit::Yes => true,
            Submit::Auto => data.ends_with(b"\n") || data.ends_with(b"\r"),
            Submit::Never => false,
        };
        let enter = submit == Submit::Yes;
        self.pool.skip_to(pane.last_id);
        let turn = Self::turn();
        let (id, paste, hides) = match &feed {
            Some(feed) => {
                let mut follow = feed.lock();
                let hides = follow.glance().hides();
                let (id, paste) = note(op, &mut follow, &data, enter, submits)?;
                follow.note_turn(&turn);
                (id, paste, hides)
            }
            None => {
                let modes = Terminal::new(&pane.tty, pane.key.1).modes();
                let canonical = modes.is_some_and(|modes| modes.canonical);
                let paste = enter && !canonical;
                input::check(op, &data, canonical, paste)?;
                let hides = modes.is_none_or(|modes| !modes.echo);
                (submits.then(|| self.pool.next_id()), paste, hides)
            }
        };
        let unsent = feed.as_deref().map(|feed| Unsent { feed, id });
        let buffer = (!data.is_empty()).then(Self::buffer);
        let input = Input {
            target,
            buffer: buffer.as_deref(),
            bracketed: paste,
            keeps_bytes: self.rewrites,
            enter: enter.then(|| self.windows.keys_client()),
            id,
            turn: &turn,
            only_if: None,
        };
        let log = self.log(target, &pane);
        let (size, payload) = (data.len(), log.wants(hides).then(|| data.clone()));
        let data = buffer.is_some().then_some(data);
        self.send(op, input, data).await?;
        log.write(&Written {
            size,
            payload: payload.as_deref(),
            id,
            enter,
            paste,
            hides,
        });
        if let Some(unsent) = unsent {
            unsent.sent();
        }
        if let Some(feed) = &feed {
            feed.see_input(id, &turn);
        }
        Ok(id.map(CommandId::new))
    }
}

/// Checks bytes that go to a pane that is followed, and notes them. Returns the
/// id of the submission, if it is one, and whether they go as a paste.
fn note(
    op: &'static str,
    follow: &mut Follow,
    data: &[u8],
    enter: bool,
    submits: bool,
) -> Result<(Option<u64>, bool)> {
    follow.update();
    // Not to what reads lines: that the mode was left may not have come here yet.
    let canonical = follow.glance().canonical();
    let paste = enter && !data.is_empty() && follow.brackets_pastes() && !canonical;
    input::check(op, data, canonical, paste)?;
    if !submits {
        follow.note_input();
        return Ok((None, paste));
    }
    let several = data.contains(&b'\n');
    let lines = match paste {
        true => 1,
        false => input::lines(data).saturating_add(u32::from(enter && several)),
    };
    match follow.submit(lines, several, data.len()) {
        Some(id) => Ok((Some(id), paste)),
        None => Err(too_many(op)),
    }
}

/// Refuses a pane that takes no input.
pub(super) fn refuse(op: &'static str, pane: &Pane) -> Result<()> {
    match (pane.dead, pane.input_off) {
        (true, _) => Err(Error::new(ErrorKind::PaneDead, op)),
        (_, true) => Err(Error::new(ErrorKind::InputOff, op)),
        _ => Ok(()),
    }
}

pub(super) fn too_many(op: &'static str) -> Error {
    Error::new(ErrorKind::TooMuchInput, op).because("too many commands wait")
}
