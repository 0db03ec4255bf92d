//! The tmux client: builds its command line and reads how it ended.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::Instant;

use crate::error::{Error, ErrorKind, Result};
use crate::exec::classify::{Said, classify};
use crate::exec::process::{self, Failure, Finished, Job};
use crate::quote;

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

impl std::fmt::Display for Socket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Path(path) => path.display().fmt(f),
        }
    }
}

/// Commands that tmux runs in order, in one invocation. It runs them whole:
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

/// A tmux binary and the socket of the server that it talks to.
#[derive(Debug, Clone)]
pub(crate) struct Tmux {
    binary: PathBuf,
    socket: Socket,
}

impl Tmux {
    pub(crate) fn new(binary: PathBuf, socket: Socket) -> Self {
        Self { binary, socket }
    }

    pub(crate) fn binary(&self) -> &Path {
        &self.binary
    }

    pub(crate) fn socket(&self) -> &Socket {
        &self.socket
    }

    /// The arguments that every invocation carries.
    fn arguments(&self) -> Vec<OsString> {
        // -u: print UTF-8 whatever the caller's locale is. -f: neither the
        // user's nor the system's configuration; matters wherever a server may
        // be started, so it is always there.
        let mut arguments: Vec<OsString> = vec!["-u".into(), "-f".into(), "/dev/null".into()];
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
    /// Without a time limit it waits for as long as the server does.
    pub(crate) async fn call(
        &self,
        op: &'static str,
        sequence: Sequence,
        stdin: Option<Vec<u8>>,
        limit: Option<Duration>,
    ) -> Result<Finished> {
        let mut arguments = self.arguments();
        // Without -N new-session would start a server of its own, in the
        // background, when ours has just gone (since tmux 3.2).
        arguments.push("-N".into());
        self.run(op, arguments, sequence, stdin, limit).await
    }

    /// Runs a sequence that may start the server, in the background.
    pub(crate) async fn start(
        &self,
        op: &'static str,
        sequence: Sequence,
        limit: Duration,
    ) -> Result<Finished> {
        self.run(op, self.arguments(), sequence, None, Some(limit))
            .await
    }

    async fn run(
        &self,
        op: &'static str,
        mut arguments: Vec<OsString>,
        sequence: Sequence,
        stdin: Option<Vec<u8>>,
        limit: Option<Duration>,
    ) -> Result<Finished> {
        arguments.extend(sequence.0.into_iter().map(OsString::from));
        let job = Job {
            program: self.binary.clone(),
            arguments,
            stdin,
            deadline: limit.and_then(|limit| Instant::now().checked_add(limit)),
        };
        process::run(job).await.map_err(|failure| match failure {
            Failure::Spawn(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Error::new(ErrorKind::BinaryNotFound, op)
                    .on(self.binary.display())
                    .caused_by(error)
            }
            Failure::Spawn(error) => Error::io(op, error).on(self.binary.display()),
            Failure::Io(error) => Error::io(op, error),
            Failure::Deadline => {
                Error::new(ErrorKind::Timeout, op).because("the server does not answer")
            }
            Failure::TooMuchOutput => {
                Error::new(ErrorKind::Protocol, op).because("the answer has no end")
            }
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

    #[test]
    fn sequence_separates_commands_and_keeps_semicolons() {
        let one = Sequence::new().command("a", ["x;", "y"]);
        let both = one.then(Sequence::new().command("b", [""; 0]));
        assert_eq!(both.0, ["a", "x\\;", "y", ";", "b"]);
    }

    #[test]
    fn every_call_carries_the_socket_and_no_configuration() {
        let tmux = Tmux::new("tmux".into(), Socket::Name("s".into()));
        assert_eq!(tmux.arguments(), ["-u", "-f", "/dev/null", "-L", "s"]);
        let tmux = Tmux::new("tmux".into(), Socket::Path("/p".into()));
        assert_eq!(tmux.server_arguments()[3..], ["-S", "/p", "-D"]);
    }
}
