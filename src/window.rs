//! A window: the terminal in which commands run.

use std::time::Duration;

use crate::backend::{PaneBackend, ReadRequest, RunRequest};
use crate::capture::{CaptureOptions, Snapshot};
use crate::command::{CommandId, Record};
use crate::error::{Error, ErrorKind, Result};
use crate::follow::Stream;
use crate::input::Submit;
use crate::keys::Key;
use crate::names::WindowName;
use crate::part::{self, Part};
use crate::read::{Chunk, Range, ReadOptions, Render};
use crate::run::{Output, RunOptions, WhenBusy, WhenLate};
use crate::server::Server;
use crate::state::State;
use crate::stream;
use crate::text;

/// A window of a [`Server`], by the names of its session and its own.
///
/// A handle is a name and nothing more: each call asks the server. A person, or
/// the shell's `exit`, may have closed the window meanwhile;
/// [`ErrorKind::WindowNotFound`] tells. Calls mean its active pane.
///
/// All calls fail with [`ErrorKind::NoServer`] when the server is gone,
/// [`ErrorKind::Timeout`] when it does not answer, and
/// [`ErrorKind::SessionNotFound`] or [`ErrorKind::WindowNotFound`] when there is
/// no such window; `# Errors` names what else may come. On a stock tmux all that
/// reads the window fails with [`ErrorKind::PipeInUse`] while another pipe has it.
#[derive(Debug, Clone)]
pub struct Window {
    server: Server,
    name: WindowName,
}

impl Window {
    pub(crate) fn new(server: Server, session: &str, window: &str) -> Result<Self> {
        Ok(Self {
            server,
            name: WindowName::new(session, window)?,
        })
    }

    pub(crate) fn full_name(&self) -> &WindowName {
        &self.name
    }

    /// Returns the name of its session.
    pub fn session(&self) -> &str {
        self.name.session()
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        self.name.window()
    }

    /// Creates the window: the server's shell as a login shell in the home folder,
    /// 200 columns by 24 rows.
    ///
    /// Does not wait for the shell; [`Window::run`] does.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WindowExists`]; [`ErrorKind::Io`] when the shell integration
    /// cannot be written.
    ///
    /// # Cancel safety
    ///
    /// The window may or may not be there afterwards.
    pub async fn create(&self) -> Result<()> {
        match self.ensure().await? {
            true => Ok(()),
            false => Err(Error::new(ErrorKind::WindowExists, "create window").on(&self.name)),
        }
    }

    /// Creates the window unless it exists, as [`Window::create`] does. Returns
    /// true when it was created. Others may do the same at the same time.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`] when the shell integration cannot be written.
    ///
    /// # Cancel safety
    ///
    /// The window may or may not be there afterwards.
    pub async fn ensure(&self) -> Result<bool> {
        self.server.create_window(&self.name).await
    }

    /// Runs a text, one line or a script, and waits for its end.
    ///
    /// The text is typed into the window's shell as it is, as one paste, so
    /// `cd` and `export` last, and several lines are one command. Nothing is put
    /// around it. It waits for the shell's first prompt; on a pane where
    /// something runs it does what [`RunOptions::when_busy`] says.
    ///
    /// A text of more than [`MAX_PASTE`](text::MAX_PASTE) bytes (with fish 1,024),
    /// or of several lines in a shell without bracketed paste, goes through a
    /// private file that the shell reads with `.` and that removes itself: `$LINENO` counts from its first line, history expansion does not apply,
    /// `$?` is 0 at its start, and a `return` outside of functions ends it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::ControlCharacter`] for a text with control characters other
    /// than tab and newline (CR LF line ends too), [`ErrorKind::Busy`],
    /// [`ErrorKind::Starting`] when the shell does not come to its first prompt,
    /// [`ErrorKind::Io`] when a private file for the script cannot be written,
    /// [`ErrorKind::PromptNotEmpty`], [`ErrorKind::PaneDead`],
    /// [`ErrorKind::InputOff`], [`ErrorKind::LineTooLong`],
    /// [`ErrorKind::TooMuchInput`]: nothing was typed.
    /// [`ErrorKind::Incomplete`] when the shell waits for the rest of the text,
    /// an unfinished quote or heredoc: the text is taken back with `C-c`; the
    /// lines before the unfinished part may have run. [`ErrorKind::PaneGone`]
    /// when the pane is destroyed, by another than the command itself, while it
    /// runs. That time is over is no error: see [`Output::timed_out`].
    ///
    /// # Cancel safety
    ///
    /// The text was submitted whole or not at all. What was submitted goes on;
    /// nothing is left waiting for it.
    pub async fn run(&self, text: &str, options: RunOptions) -> Result<Output> {
        text::check_text(text).map_err(|error| error.on(&self.name))?;
        let mut script = match text.len() > self.server.shell_kind().max_paste() {
            true => Some(self.server.runtime_dir().script(text)?),
            false => None,
        };
        let backend = self.server.pane_backend();
        let before = match options.when_late {
            WhenLate::Kill => Some(self.before().await?),
            WhenLate::Leave => None,
        };
        let busy = match options.when_busy {
            WhenBusy::Refuse => None,
            WhenBusy::Wait(limit) => Some(limit),
        };
        let request = RunRequest {
            target: &self.name,
            text,
            starting: options.starting,
            busy,
            timeout: options.timeout,
        };
        let mut result = match &script {
            None => backend.run(request).await,
            Some(script) => backend.run(request.with_text(script.line())).await,
        };
        if script.is_none()
            && let Err(error) = &result
            && *error.kind() == ErrorKind::NoBracketedPaste
        {
            let file = self.server.runtime_dir().script(text)?;
            result = backend.run(request.with_text(file.line())).await;
            script = Some(file);
        }
        let waited = result?;
        let mut reading = waited.value;
        let mut killed = None;
        if let Some(before) = before.filter(|_| waited.timed_out) {
            killed = Some(self.kill_all_but(&before).await?);
            if let Some(record) = &reading.record {
                reading = backend.read(self.output_of(record.id)).await?;
            }
        }
        let record = reading.record.ok_or_else(|| {
            Error::new(ErrorKind::Protocol, "run in")
                .on(&self.name)
                .because("the answer names no command")
        })?;
        if let Some(script) = script
            && !record.ended.is_final()
        {
            script.leave();
        }
        let clean = stream::clean(&reading.bytes);
        let (text, excerpt) = part::take(clean, &Part::Whole, &options.limits);
        Ok(Output {
            // Nothing is replaced here: the engine writes UTF-8, and no
            // character is cut.
            text: String::from_utf8(text)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
            excerpt,
            raw: reading.bytes,
            missing: reading.missing,
            timed_out: waited.timed_out,
            killed,
            record,
        })
    }

    /// The request for every byte of a command.
    fn output_of(&self, id: CommandId) -> ReadRequest<'_> {
        ReadRequest {
            target: &self.name,
            range: Range::Command(id),
            render: Render::Raw,
            consume: false,
        }
    }

    /// Writes bytes to whatever program reads the terminal, unaltered. Returns
    /// the id to wait for, or `None` when nothing was submitted.
    ///
    /// A server that shuts down at that moment can let this succeed although
    /// nothing was written; the next call tells.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::LineTooLong`] where the terminal collects lines and one is
    /// longer than it takes, [`ErrorKind::PasteEndsEarly`] when a paste holds
    /// the sequence that ends pastes, [`ErrorKind::PaneDead`],
    /// [`ErrorKind::InputOff`], [`ErrorKind::TooMuchInput`]: nothing was
    /// written.
    ///
    /// # Cancel safety
    ///
    /// All was written, or nothing.
    pub async fn write(
        &self,
        data: impl Into<Vec<u8>>,
        submit: Submit,
    ) -> Result<Option<CommandId>> {
        self.server
            .pane_backend()
            .write(&self.name, data.into(), submit)
            .await
    }

    /// Presses keys, in order. Leaves copy mode, or any other, first.
    ///
    /// # Errors
    ///
    /// None of its own.
    ///
    /// # Cancel safety
    ///
    /// All were pressed, or none.
    pub async fn keys(&self, keys: &[Key]) -> Result<()> {
        let names: Vec<_> = keys.iter().map(Key::name).collect();
        if names.is_empty() {
            return Ok(());
        }
        self.server.pane_backend().keys(&self.name, &names).await
    }

    /// Interrupts what runs: presses `C-c`.
    ///
    /// # Errors
    ///
    /// None of its own.
    ///
    /// # Cancel safety
    ///
    /// The key was pressed, or was not.
    pub async fn interrupt(&self) -> Result<()> {
        self.keys(&[Key::interrupt()]).await
    }

    /// Reads what the pane has printed, or a part of it; never waits. Nothing is
    /// run again.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuchCommand`], [`ErrorKind::CommandForgotten`].
    /// [`ErrorKind::InvalidArgument`] for a part that no text can have, and where
    /// what is left out would count as read.
    ///
    /// # Cancel safety
    ///
    /// With [`ReadOptions::consume`] the bytes may count as read without having
    /// been returned.
    pub async fn read(&self, options: ReadOptions) -> Result<Chunk> {
        options.check().map_err(|error| error.on(&self.name))?;
        let request = ReadRequest {
            target: &self.name,
            range: options.range,
            render: options.render,
            consume: options.consume,
        };
        let reading = self.server.pane_backend().read(request).await?;
        let (bytes, excerpt) = part::take(reading.bytes, &options.part, &options.limits);
        Ok(Chunk {
            bytes,
            excerpt,
            start: reading.start,
            end: reading.end,
            missing: reading.missing,
            alternate: reading.alternate,
            record: reading.record,
        })
    }

    /// Returns what the window prints from now on, as it comes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::PaneDead`].
    ///
    /// # Cancel safety
    ///
    /// Nothing changes.
    pub async fn stream(&self) -> Result<Stream> {
        let now = self.server.pane_backend().follow(&self.name, None).await?;
        let end = now.map_or(0, |reading| reading.end);
        Ok(self.stream_from(end))
    }

    /// Returns what the window printed behind an offset of its stream, such as
    /// [`Chunk::end`], and what it prints from now on. Nothing is sent.
    pub fn stream_from(&self, offset: u64) -> Stream {
        Stream::new(self.server.clone(), self.name.clone(), offset)
    }

    /// Waits until a command has ended: the one with the id, else the newest
    /// that was submitted, else what runs. Returns at once when it has; `None`
    /// when there is no command at all.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Timeout`] when the time is over first; the command goes on.
    /// [`ErrorKind::NoSuchCommand`], [`ErrorKind::CommandForgotten`],
    /// [`ErrorKind::PaneGone`]. [`ErrorKind::Incomplete`] when the shell waits
    /// for the rest of what was written; nothing is taken back.
    ///
    /// # Cancel safety
    ///
    /// The server forgets the waiter.
    pub async fn wait(
        &self,
        id: Option<CommandId>,
        timeout: Option<Duration>,
    ) -> Result<Option<Record>> {
        let waited = self
            .server
            .pane_backend()
            .wait(&self.name, id, timeout)
            .await?;
        match waited.timed_out {
            true => Err(Error::new(ErrorKind::Timeout, "wait in").on(&self.name)),
            false => Ok(waited.value),
        }
    }

    /// Returns the records of the newest commands, oldest first; at most 1,024
    /// are kept.
    ///
    /// # Errors
    ///
    /// None of its own.
    ///
    /// # Cancel safety
    ///
    /// Nothing changes.
    pub async fn records(&self) -> Result<Vec<Record>> {
        self.server.pane_backend().records(&self.name).await
    }

    /// Returns what the pane is doing now.
    ///
    /// # Errors
    ///
    /// None of its own.
    ///
    /// # Cancel safety
    ///
    /// Nothing changes.
    pub async fn state(&self) -> Result<State> {
        self.server.pane_backend().state(&self.name).await
    }

    /// Captures what the terminal shows. A mode that a person left the window in
    /// is not in the way.
    ///
    /// The output of a command comes better from [`Window::run`] and
    /// [`Window::read`]: the screen is cut to its size, and programs draw over
    /// it. A full-screen program is read this way.
    ///
    /// # Errors
    ///
    /// None of its own.
    ///
    /// # Cancel safety
    ///
    /// Nothing changes.
    pub async fn capture(&self, options: CaptureOptions) -> Result<Snapshot> {
        self.server.screens().capture(&self.name, &options).await
    }

    /// Kills the window and what runs in it.
    ///
    /// # Errors
    ///
    /// None of its own.
    ///
    /// # Cancel safety
    ///
    /// The window may or may not be there afterwards.
    pub async fn kill(&self) -> Result<()> {
        self.server.kill_window(&self.name).await
    }
}
