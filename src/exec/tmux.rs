//! Commands to a tmux server, on its socket or through the tmux client, and how
//! they ended.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout};

use crate::error::{Error, ErrorKind, Result};
use crate::exec::classify::{Said, classify};
use crate::exec::process::{self, Failure, Finished, Job};
use crate::exec::route::Route;
use crate::exec::socket::{self, Call};
use crate::quote;
use crate::transport::Transport;
use crate::wire::message::Unsendable;

/// Exit status by which our commands tell that the time given is over.
pub(crate) const TIMED_OUT: i32 = 124;

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Socket {
    /// A name in tmux's folder of the user's sockets, which tmux keeps private.
    Name(String),
    /// A path.
    Path(PathBuf),
}

impl Socket {
    /// Returns the path. An error is what the tmux client says.
    pub(crate) fn path(&self) -> Result<PathBuf, String> {
        match self {
            Self::Name(name) => socket::path::of_name(name),
            Self::Path(path) => Ok(path.clone()),
        }
    }
}

impl std::fmt::Display for Socket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Path(path) => path.display().fmt(f),
        }
    }
}

/// Commands that tmux runs in order, in one message or invocation. It runs them whole:
/// nothing of another client comes between two that do not wait.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sequence(Vec<String>);

impl Sequence {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a command and its arguments.
    pub(crate) fn command<S: AsRef<str>>(
        mut self,
        name: &str,
        arguments: impl IntoIterator<Item = S>,
    ) -> Self {
        if !self.0.is_empty() {
            self.0.push(";".to_owned());
        }
        self.0.push(name.to_owned());
        self.0.extend(
            arguments
                .into_iter()
                .map(|argument| quote::tmux_argument(argument.as_ref())),
        );
        self
    }

    /// Adds the commands of another sequence.
    pub(crate) fn then(mut self, other: Self) -> Self {
        if !self.0.is_empty() && !other.0.is_empty() {
            self.0.push(";".to_owned());
        }
        self.0.extend(other.0);
        self
    }
}

/// How a server in the background is started that has a configuration.
#[derive(Debug)]
pub(crate) struct Configured<'a> {
    /// The file that it reads, and no other.
    pub(crate) file: &'a Path,
    /// Variables of its environment, beside the caller's.
    pub(crate) environment: Vec<(&'static str, OsString)>,
}

/// A tmux binary and the socket of the server that it talks to.
#[derive(Debug, Clone)]
pub(crate) struct Tmux {
    binary: PathBuf,
    socket: Socket,
    route: Arc<Route>,
}

impl Tmux {
    /// Where no transport is forced, the first call finds out which there is.
    pub(crate) fn new(binary: PathBuf, socket: Socket, forced: Option<Transport>) -> Self {
        Self {
            binary,
            socket,
            route: Arc::new(Route::new(forced)),
        }
    }

    /// Returns how commands reach the server. Decided by the first that did.
    pub(crate) fn transport(&self) -> Transport {
        self.route.transport()
    }

    pub(crate) fn binary(&self) -> &Path {
        &self.binary
    }

    pub(crate) fn socket(&self) -> &Socket {
        &self.socket
    }

    /// The arguments that every invocation carries.
    fn arguments(&self) -> Vec<OsString> {
        // Neither the user's nor the system's configuration.
        self.arguments_with(Path::new("/dev/null"))
    }

    fn arguments_with(&self, file: &Path) -> Vec<OsString> {
        // -u: print UTF-8 whatever the caller's locale is. -f matters wherever a
        // server may be started, so it is always there.
        let mut arguments: Vec<OsString> = vec!["-u".into(), "-f".into(), file.into()];
        match &self.socket {
            Socket::Name(name) => arguments.extend(["-L".into(), name.into()]),
            Socket::Path(path) => arguments.extend(["-S".into(), path.into()]),
        }
        arguments
    }

    /// The arguments of a server in the foreground.
    pub(crate) fn server_arguments(&self) -> Vec<OsString> {
        let mut arguments = self.arguments();
        arguments.push("-D".into());
        arguments
    }

    /// Runs a sequence on the server that is there; never starts one. Returns
    /// how the client ended, whatever its status.
    ///
    /// Without a time limit it waits for as long as the server does. Dropping
    /// the future has the server drop what waits.
    pub(crate) async fn call(
        &self,
        op: &'static str,
        sequence: Sequence,
        stdin: Option<Vec<u8>>,
        limit: Option<Duration>,
    ) -> Result<Finished> {
        let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        // Where there is no path, the client says why.
        if let Ok(path) = self.socket.path()
            && self.route.choose(&path, deadline).await == Transport::Socket
        {
            return by_socket(op, &path, sequence, stdin, deadline).await;
        }
        let mut arguments = self.arguments();
        // Without -N new-session would start a server of its own, in the
        // background, when ours has just gone (since tmux 3.2).
        arguments.push("-N".into());
        self.by_process(op, arguments, Vec::new(), sequence, stdin, deadline)
            .await
    }

    /// Has the server told of a sequence by the time that this returns, where it
    /// listens. The future runs what could not be told, and returns the output, as
    /// [`output`](Self::output) does.
    pub(crate) fn post(
        &self,
        op: &'static str,
        sequence: Sequence,
        limit: Duration,
    ) -> impl Future<Output = Result<Vec<u8>>> + Send + use<> {
        let posted = match self.route.transport() {
            Transport::Socket => self.socket.path().ok().and_then(|path| {
                let answer = socket::post(&path, &sequence.0)?;
                Some((path, answer))
            }),
            Transport::Process => None,
        };
        let tmux = self.clone();
        async move {
            let Some((path, answer)) = posted else {
                return tmux.output(op, sequence, limit).await;
            };
            let answer = timeout(limit, answer).await;
            let finished = heard(op, &path, answer.unwrap_or(Err(socket::Failure::Deadline)))?;
            success(op, finished)
        }
    }

    /// Runs a sequence that may start the server, in the background, which then
    /// reads a configuration.
    pub(crate) async fn start_configured(
        &self,
        op: &'static str,
        configured: Configured<'_>,
        sequence: Sequence,
        limit: Duration,
    ) -> Result<Finished> {
        let deadline = Instant::now().checked_add(limit);
        let arguments = self.arguments_with(configured.file);
        self.by_process(
            op,
            arguments,
            configured.environment,
            sequence,
            None,
            deadline,
        )
        .await
    }

    /// Runs a sequence that may start the server, in the background.
    pub(crate) async fn start(
        &self,
        op: &'static str,
        sequence: Sequence,
        limit: Duration,
    ) -> Result<Finished> {
        let deadline = Instant::now().checked_add(limit);
        self.by_process(op, self.arguments(), Vec::new(), sequence, None, deadline)
            .await
    }

    async fn by_process(
        &self,
        op: &'static str,
        mut arguments: Vec<OsString>,
        environment: Vec<(&'static str, OsString)>,
        sequence: Sequence,
        stdin: Option<Vec<u8>>,
        deadline: Option<Instant>,
    ) -> Result<Finished> {
        arguments.extend(sequence.0.into_iter().map(OsString::from));
        let job = Job {
            program: self.binary.clone(),
            arguments,
            environment,
            stdin,
            deadline,
        };
        process::run(job).await.map_err(|failure| match failure {
            Failure::Spawn(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Error::new(ErrorKind::BinaryNotFound, op)
                    .on(self.binary.display())
                    .caused_by(error)
            }
            Failure::Spawn(error) => Error::io(op, error).on(self.binary.display()),
            Failure::Io(error) => Error::io(op, error),
            Failure::Deadline => no_answer(op),
            Failure::TooMuchOutput => no_end(op),
        })
    }

    /// Runs a sequence and returns its output; any status but 0 is an error.
    pub(crate) async fn output(
        &self,
        op: &'static str,
        sequence: Sequence,
        limit: Duration,
    ) -> Result<Vec<u8>> {
        let finished = self.call(op, sequence, None, Some(limit)).await?;
        success(op, finished)
    }
}

/// Runs a sequence without a client.
async fn by_socket(
    op: &'static str,
    path: &Path,
    sequence: Sequence,
    stdin: Option<Vec<u8>>,
    deadline: Option<Instant>,
) -> Result<Finished> {
    let call = Call {
        path,
        arguments: &sequence.0,
        stdin: stdin.unwrap_or_default(),
        deadline,
    };
    heard(op, path, socket::run(call).await)
}

/// Where the client would end because of what it met itself, says the same with the
/// same status: the same cause gives the same kind of error.
fn heard(
    op: &'static str,
    path: &Path,
    heard: std::result::Result<Finished, socket::Failure>,
) -> Result<Finished> {
    let said = match heard {
        Ok(finished) => return Ok(finished),
        Err(socket::Failure::Deadline) => return Err(no_answer(op)),
        Err(socket::Failure::TooMuchOutput) => return Err(no_end(op)),
        Err(socket::Failure::Bad(bad)) => {
            let because = format!("the server sent {bad}");
            return Err(Error::new(ErrorKind::Protocol, op).because(because));
        }
        Err(socket::Failure::Unsendable(Unsendable::Nul)) => {
            // What starting a process with such an argument ends with.
            return Err(Error::io(op, io::ErrorKind::InvalidInput.into()));
        }
        Err(socket::Failure::Unsendable(Unsendable::TooLong)) => "command too long".to_owned(),
        Err(socket::Failure::Lost) => "server exited unexpectedly".to_owned(),
        Err(socket::Failure::Connect(error)) => no_connection(path, &error),
    };
    Ok(Finished {
        status: ExitStatus::from_raw(1 << 8),
        stdout: Vec::new(),
        stderr: said.into_bytes(),
    })
}

fn no_connection(path: &Path, error: &io::Error) -> String {
    let path = path.display();
    if error.kind() == io::ErrorKind::ConnectionRefused {
        return format!("no server running on {path}");
    }
    let text = error.to_string();
    // Rust adds the number, in brackets.
    let text = text.split(" (os error").next().unwrap_or_default();
    format!("error connecting to {path} ({text})")
}

fn no_answer(op: &'static str) -> Error {
    Error::new(ErrorKind::Timeout, op).because("the server does not answer")
}

fn no_end(op: &'static str) -> Error {
    Error::new(ErrorKind::Protocol, op).because("the answer has no end")
}

/// Returns the output of a client that ended well.
pub(crate) fn success(op: &'static str, finished: Finished) -> Result<Vec<u8>> {
    match finished.status.success() {
        true => Ok(finished.stdout),
        false => Err(failure(op, &finished)),
    }
}

/// Returns why a client failed. A missing target becomes
/// [`ErrorKind::WindowNotFound`]; whoever knows which target was meant finds
/// out whether its session is there.
pub(crate) fn failure(op: &'static str, finished: &Finished) -> Error {
    match classify(&finished.stderr) {
        Said::Kind(ErrorKind::Rejected { message }) if message.is_empty() => {
            Error::new(ErrorKind::Protocol, op).because(format!("the client: {}", finished.status))
        }
        Said::Kind(kind) => Error::new(kind, op),
        Said::TargetMissing => Error::new(ErrorKind::WindowNotFound, op),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::socket::tests::Stage;

    #[test]
    fn sequence_separates_commands_and_keeps_semicolons() {
        let one = Sequence::new().command("a", ["x;", "y"]);
        let both = one.then(Sequence::new().command("b", [""; 0]));
        assert_eq!(both.0, ["a", "x\\;", "y", ";", "b"]);
    }

    #[test]
    fn every_call_carries_the_socket_and_no_configuration() {
        let tmux = Tmux::new("tmux".into(), Socket::Name("s".into()), None);
        assert_eq!(tmux.arguments(), ["-u", "-f", "/dev/null", "-L", "s"]);
        let tmux = Tmux::new("tmux".into(), Socket::Path("/p".into()), None);
        assert_eq!(tmux.server_arguments()[3..], ["-S", "/p", "-D"]);
    }

    /// What a call on the socket alone fails with: no client is there to ask.
    async fn refused(path: &Path, argument: &str) -> ErrorKind {
        let socket = Socket::Path(path.to_owned());
        let forced = Some(Transport::Socket);
        let tmux = Tmux::new("/nonexistent/tmux".into(), socket, forced);
        let sequence = Sequence::new().command("a", [argument]);
        let limit = Duration::from_millis(300);
        let error = tmux.output("try", sequence, limit).await.unwrap_err();
        error.kind().clone()
    }

    #[tokio::test]
    async fn failures_on_the_socket_have_the_kinds_of_those_of_a_client() {
        let stage = Stage::new();
        let message = "command too long".to_owned();
        let long = refused(&stage.path(), &"x".repeat(20_000)).await;
        assert_eq!(long, ErrorKind::Rejected { message });
        assert_eq!(refused(&stage.path(), "a\0b").await, ErrorKind::Io);
        assert!(!stage.has_visitors(), "nothing was sent");

        assert_eq!(refused(&stage.path(), "").await, ErrorKind::Timeout);
        stage.accept().await;
        for (bytes, kind) in [
            (&b"no tmux speaks like this"[..], ErrorKind::Protocol),
            (b"", ErrorKind::NoServer),
        ] {
            let play = async {
                let mut player = stage.accept().await;
                player.hear_hello().await;
                player.bytes(bytes).await;
            };
            let path = stage.path();
            let (found, ()) = tokio::join!(refused(&path, ""), play);
            assert_eq!(found, kind);
        }
        let path = stage.path();
        drop(stage);
        assert_eq!(refused(&path, "").await, ErrorKind::NoServer);
    }
}
