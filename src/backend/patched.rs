//! The patched backend: `write-pane` and `read-pane` of tmux-custom.

use std::time::Duration;

use crate::audit::Audit;
use crate::backend::take_back::take_back;
use crate::backend::windows::{NewWindow, Windows};
use crate::backend::{PaneBackend, ReadRequest, RunRequest, Settings, Waited};
use crate::capability::Capabilities;
use crate::command::{CommandId, Record};
use crate::error::{Error, ErrorKind, Result};
use crate::exec::process::Finished;
use crate::exec::tmux::{self, Sequence, TIMED_OUT, Tmux};
use crate::input::Submit;
use crate::names::WindowName;
use crate::read::{Range, Render};
use crate::state::{Activity, State, WindowInfo};
use crate::wire::command::{self, HEADER, RECORD, Reading};
use crate::wire::probe::PID;
use crate::wire::state::{self, STATE, WINDOW};

#[derive(Debug)]
pub(crate) struct Patched {
    tmux: Tmux,
    windows: Windows,
    /// How long the server may take to answer what does not wait.
    limit: Duration,
    stream_limit: Option<u64>,
    audit: Audit,
}

impl Patched {
    pub(crate) fn new(tmux: Tmux, capabilities: &Capabilities, settings: &Settings) -> Self {
        let limit = settings.call_limit;
        Self {
            windows: Windows::new(tmux.clone(), capabilities, limit),
            tmux,
            limit,
            stream_limit: settings.stream_limit,
            audit: settings.audit.clone(),
        }
    }

    /// Adds the time that the server may take to one that it waits.
    fn limit(&self, waits: Option<Duration>) -> Option<Duration> {
        waits.map(|waits| waits.saturating_add(self.limit))
    }

    async fn run_once(
        &self,
        request: &RunRequest<'_>,
        ready: Option<Duration>,
    ) -> Result<Waited<Reading>> {
        let op = "run in";
        let target = request.target.target();
        let ready_seconds = ready.map(seconds);
        let mut write = vec!["-e", "-i", "-f", "-", "-t", &target];
        if let Some(seconds) = &ready_seconds {
            write.extend(["-w", "-T", seconds]);
        }
        let end_seconds = request.timeout.map(seconds);
        let mut read = vec!["-w", "-O", "-r", "-F", HEADER, "-t", &target];
        if let Some(seconds) = &end_seconds {
            read.extend(["-T", seconds]);
        }
        // In one invocation: read-pane takes the submission of the write-pane
        // before it, and does not run when that failed.
        let sequence = Sequence::new()
            .command("write-pane", write)
            .command("read-pane", read);
        let limit = self.limit(
            request
                .timeout
                .map(|timeout| timeout.saturating_add(ready.unwrap_or_default())),
        );
        let data = request.text.as_bytes().to_vec();
        let finished = self.tmux.call(op, sequence, Some(data), limit).await?;
        let timed_out = timed_out(&finished);
        let (value, failure) = reading(op, finished)?;
        let ended = value.record.as_ref().map(|record| record.ended);
        // The wait was broken off: a server that exits tells what there is so
        // far.
        if !timed_out && ended.is_some_and(|ended| !ended.is_final()) {
            return Err(failure.unwrap_or_else(|| Error::new(ErrorKind::NoServer, op)));
        }
        Ok(Waited { value, timed_out })
    }
}

impl PaneBackend for Patched {
    async fn ensure(&self, name: &WindowName) -> Result<bool> {
        let created = self.windows.ensure(name, NewWindow::default()).await?;
        Ok(created.is_some())
    }

    async fn run(&self, request: RunRequest<'_>) -> Result<Waited<Reading>> {
        let mut result = self.run_once(&request, request.busy).await;
        let refused = |result: &Result<_>| {
            result
                .as_ref()
                .is_err_and(|error: &Error| matches!(error.kind(), ErrorKind::Busy { .. }))
        };
        // A shell that is starting is busy as well, but not with what somebody
        // ran: it is waited for. So is one that has come to its prompt since it
        // was asked, and one whose marks nobody can read. One that is about to
        // show its first prompt now looks busy, as it has shown a mark: asked
        // again, the server waits for that by itself.
        if request.busy.is_none() && refused(&result) {
            let state = self.state(request.target).await?;
            let starting = state.command.is_none() || !state.integrated;
            let waits = starting || state.activity == Activity::Idle;
            result = self
                .run_once(&request, waits.then_some(request.starting))
                .await;
            if starting && let Err(error) = &result {
                result = match error.kind() {
                    ErrorKind::Busy { program } => {
                        let program = program.clone();
                        Err(Error::new(ErrorKind::Starting { program }, "run in"))
                    }
                    _ => result,
                };
            }
        }
        let error = match result {
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
        let op = "write to";
        let name = target.target();
        let mut arguments = vec!["-P", "-f", "-", "-t", &name];
        match submit {
            Submit::Auto => {}
            Submit::Yes => arguments.push("-e"),
            Submit::Never => arguments.push("-n"),
        }
        let sequence = Sequence::new().command("write-pane", arguments);
        let finished = self
            .tmux
            .call(op, sequence, Some(data), Some(self.limit))
            .await;
        let output = match finished.and_then(|finished| tmux::success(op, finished)) {
            Ok(output) => output,
            Err(error) => return Err(self.windows.explain(target, error).await),
        };
        let text = String::from_utf8_lossy(&output);
        match text.trim() {
            "" => Ok(None),
            id => id.parse().map(Some).map_err(|_| {
                Error::new(ErrorKind::Protocol, op)
                    .on(target)
                    .because(format!("{id:?} is no id"))
            }),
        }
    }

    async fn keys(&self, target: &WindowName, keys: &[&str]) -> Result<()> {
        let op = "press keys in";
        let sequence = self.windows.keys(target, keys);
        match self.tmux.output(op, sequence, self.limit).await {
            Ok(_) => Ok(()),
            Err(error) => Err(self.windows.explain(target, error).await),
        }
    }

    async fn read(&self, request: ReadRequest<'_>) -> Result<Reading> {
        let op = "read";
        let name = request.target.target();
        let id;
        let mut arguments = vec!["-F", HEADER, "-t", &name];
        match request.range {
            Range::Unread => {}
            Range::SinceWrite => arguments.push("-S"),
            Range::LastCommand => arguments.push("-O"),
            Range::Command(command) => {
                id = command.to_string();
                arguments.extend(["-O", "-i", &id]);
            }
        }
        match request.render {
            Render::Clean => {}
            Render::Escapes => arguments.push("-e"),
            Render::Raw => arguments.push("-r"),
        }
        if request.consume {
            arguments.push("-c");
        }
        let sequence = Sequence::new().command("read-pane", arguments);
        let finished = self.tmux.call(op, sequence, None, Some(self.limit)).await;
        match finished.and_then(|finished| reading(op, finished)) {
            Ok((reading, _)) => Ok(reading),
            Err(error) => Err(self.windows.explain(request.target, error).await),
        }
    }

    async fn wait(
        &self,
        target: &WindowName,
        id: Option<CommandId>,
        timeout: Option<Duration>,
    ) -> Result<Waited<Option<Record>>> {
        let op = "wait in";
        let name = target.target();
        let id = id.map(|id| id.to_string());
        let limit = timeout.map(seconds);
        let mut arguments = vec!["-w", "-s", "-F", RECORD, "-t", &name];
        if let Some(id) = &id {
            arguments.extend(["-i", id]);
        }
        if let Some(limit) = &limit {
            arguments.extend(["-T", limit]);
        }
        let sequence = Sequence::new().command("read-pane", arguments);
        let result = match self
            .tmux
            .call(op, sequence, None, self.limit(timeout))
            .await
        {
            Ok(finished) => record(op, finished),
            Err(error) => Err(error),
        };
        match result {
            Ok(waited) => Ok(waited),
            Err(error) => Err(self.windows.explain(target, error).await),
        }
    }

    async fn follow(&self, target: &WindowName, after: Option<u64>) -> Result<Option<Reading>> {
        let op = "follow";
        let name = target.target();
        let mut arguments = vec!["-r", "-F", HEADER, "-t", &name];
        let (offset, limit);
        match after {
            // What nobody has read ends where the stream does; nothing of it is
            // wanted.
            None => limit = Some(self.limit),
            Some(after) => {
                offset = after.to_string();
                arguments.extend(["-w", "-a", &offset]);
                limit = None;
            }
        }
        let sequence = Sequence::new().command("read-pane", arguments);
        let result = match self.tmux.call(op, sequence, None, limit).await {
            Ok(finished) => reading(op, finished),
            Err(error) => Err(error),
        };
        match result {
            Ok((mut reading, _)) if after.is_none() => {
                reading.start = reading.end;
                reading.bytes.clear();
                Ok(Some(reading))
            }
            Ok((reading, _)) if reading.bytes.is_empty() && reading.missing == 0 => Ok(None),
            Ok((reading, _)) => Ok(Some(reading)),
            Err(error) => Err(self.windows.explain(target, error).await),
        }
    }

    async fn records(&self, target: &WindowName) -> Result<Vec<Record>> {
        let op = "list commands of";
        let sequence = Sequence::new()
            .command("display-message", ["-p", PID])
            .command("read-pane", ["-l", "-F", RECORD, "-t", &target.target()]);
        let output = self.tmux.output(op, sequence, self.limit).await;
        match output.and_then(|output| command::parse_records(after_first_line(op, &output)?)) {
            Ok(records) => Ok(records),
            Err(error) => Err(self.windows.explain(target, error).await),
        }
    }

    async fn state(&self, target: &WindowName) -> Result<State> {
        let op = "ask state of";
        let sequence =
            Sequence::new().command("read-pane", ["-s", "-F", STATE, "-t", &target.target()]);
        let output = self.tmux.output(op, sequence, self.limit).await;
        match output.and_then(|output| state::parse_state(first_line(op, &output)?)) {
            Ok(state) => Ok(state),
            Err(error) => Err(self.windows.explain(target, error).await),
        }
    }

    async fn windows(&self) -> Result<Vec<WindowInfo>> {
        let op = "list windows";
        let sequence = Sequence::new()
            .command("display-message", ["-p", PID])
            .command("list-windows", ["-a", "-F", WINDOW]);
        let output = match self.tmux.output(op, sequence, self.limit).await {
            // list-windows fails where there is no session at all.
            Err(error) if *error.kind() == ErrorKind::WindowNotFound => return Ok(Vec::new()),
            output => output?,
        };
        after_first_line(op, &output)?
            .split(|&b| b == b'\n')
            .filter(|line| !line.is_empty())
            .map(state::parse_window)
            .collect()
    }

    async fn limit_streams(&self) -> Result<()> {
        let mut options = self.audit.options();
        if let Some(bytes) = self.stream_limit {
            options.push(("stream-limit", bytes.to_string()));
        }
        if options.is_empty() {
            return Ok(());
        }
        let sequence = options
            .iter()
            .fold(Sequence::new(), |sequence, (name, value)| {
                sequence.command("set-option", ["-s", name, value])
            });
        let set = self.tmux.output("set up server", sequence, self.limit);
        set.await.map(|_| ())
    }

    /// Nothing of it is in this process.
    async fn release(&self) {}
}

/// Seconds as tmux-custom takes them; it takes no more than 1e9.
fn seconds(duration: Duration) -> String {
    format!("{:.3}", duration.as_secs_f64().min(1e9))
}

fn timed_out(finished: &Finished) -> bool {
    finished.status.code() == Some(TIMED_OUT)
}

/// Returns what `read-pane` printed. When its header and all bytes came, the
/// reading is whole, whatever the status: a time that was over, a pane that went
/// with its command. Why the client failed all the same comes with it.
fn reading(op: &'static str, finished: Finished) -> Result<(Reading, Option<Error>)> {
    if finished.stdout.is_empty() {
        return Err(no_output(op, &finished));
    }
    let failure = match finished.status.success() {
        true => None,
        false => Some(tmux::failure(op, &finished)),
    };
    match (command::parse_reading(finished.stdout), failure) {
        (Ok(Some(reading)), failure) => Ok((reading, failure)),
        (Ok(None), _) => Err(Error::new(ErrorKind::NoServer, op)),
        // Cut short: the reason is why the client failed.
        (Err(_), Some(failure)) => Err(failure),
        (Err(error), None) => Err(error),
    }
}

/// Returns the record that `read-pane -w -s` printed.
fn record(op: &'static str, finished: Finished) -> Result<Waited<Option<Record>>> {
    let timed_out = timed_out(&finished);
    if finished.stdout.is_empty() {
        return Err(no_output(op, &finished));
    }
    let value = command::parse_record(first_line(op, &finished.stdout)?)?;
    let ended = value.as_ref().is_some_and(|record| record.ended.is_final());
    // A command that ended with its pane has ended; a wait that was broken off
    // has failed.
    match finished.status.success() || timed_out || ended {
        true => Ok(Waited { value, timed_out }),
        false => Err(tmux::failure(op, &finished)),
    }
}

/// Returns why a client that always prints something printed nothing. A server
/// that shuts down tells its clients to exit with status 0.
fn no_output(op: &'static str, finished: &Finished) -> Error {
    match finished.status.success() {
        true => Error::new(ErrorKind::NoServer, op),
        false => tmux::failure(op, finished),
    }
}

fn first_line<'a>(op: &'static str, output: &'a [u8]) -> Result<&'a [u8]> {
    output
        .split(|&b| b == b'\n')
        .next()
        .filter(|line| !line.is_empty())
        .ok_or_else(|| Error::new(ErrorKind::NoServer, op))
}

fn after_first_line<'a>(op: &'static str, output: &'a [u8]) -> Result<&'a [u8]> {
    let first = first_line(op, output)?;
    Ok(output.get(first.len() + 1..).unwrap_or_default())
}
