//! Speaks to a tmux server on its socket, as the tmux client does for a command
//! that does not attach. No process is started.
//!
//! No descriptor is passed, so a socket that is forwarded from another machine
//! does as well; what needs one, attaching and control mode, does not go this
//! way. Nor is a server started. Files that the server asks its client to open
//! are refused: nothing that amux sends asks for one.

mod hello;
pub(crate) mod path;
mod talk;

use std::io;
use std::os::unix::net::UnixStream as Blocking;
use std::path::Path;
use std::time::Duration;

use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::time::{Instant, sleep, timeout_at};

use crate::exec::process::Finished;
use crate::wire::imsg::Bad;
use crate::wire::message::Unsendable;

/// Whether this machine speaks the protocol (see [`crate::wire::imsg`]).
pub(crate) const SPOKEN: bool = cfg!(target_endian = "little");

/// How long to wait where a server has not yet accepted those before, at first
/// and at most. A socket that is not listened to enough tells nobody when there
/// is room.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// A command for a server.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    /// Where the server listens.
    pub(crate) path: &'a Path,
    pub(crate) arguments: &'a [String],
    /// What the server reads from the client's standard input.
    pub(crate) stdin: Vec<u8>,
    pub(crate) deadline: Option<Instant>,
}

/// Why there is no [`Finished`].
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command cannot be sent.
    Unsendable(Unsendable),
    /// Nobody listens, or not for this user.
    Connect(io::Error),
    /// The server hung up before it had answered.
    Lost,
    /// It did not answer in time.
    Deadline,
    /// It sent more than is taken.
    TooMuchOutput,
    /// It sent what no server sends.
    Bad(Bad),
}

/// Has a server run a command, and waits for its end.
///
/// Dropping the future closes the connection: the server drops what waits for
/// it. A command that the server has not begun by then runs all the same, as one
/// of a client that was killed does.
pub(crate) async fn run(call: Call<'_>) -> Result<Finished, Failure> {
    let hello = hello::hello(call.arguments, &call.stdin).map_err(Failure::Unsendable)?;
    let whole = async {
        let stream = greet(call.path, hello).await?;
        talk::talk(stream, call.stdin).await
    };
    match call.deadline {
        None => whole.await,
        Some(deadline) => timeout_at(deadline, whole)
            .await
            .unwrap_or(Err(Failure::Deadline)),
    }
}

/// Has a server run a command, and returns as soon as the server has been told,
/// without waiting: at once, or not at all. What is returned waits for the end;
/// where it is dropped the command runs all the same, unless it is one that waits.
pub(crate) fn post(
    path: &Path,
    arguments: &[String],
) -> Option<impl Future<Output = Result<Finished, Failure>> + use<>> {
    let hello = hello::hello(arguments, &[]).ok()?;
    let stream = try_connect(path).ok()?;
    // A new socket takes as much as that whole, or nothing.
    io::Write::write_all(&mut &stream, &hello).ok()?;
    Some(async {
        let stream = UnixStream::from_std(stream).map_err(Failure::Connect)?;
        talk::talk(stream, Vec::new()).await
    })
}

/// Connects and says everything that is said first.
async fn greet(path: &Path, hello: Vec<u8>) -> Result<UnixStream, Failure> {
    let stream = connect(path).await.map_err(Failure::Connect)?;
    // A new socket has room for it (see hello.rs).
    let written = match io::Write::write(&mut &stream, &hello) {
        Ok(written) => written,
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
        Err(_) => return Err(Failure::Lost),
    };
    let mut stream = UnixStream::from_std(stream).map_err(Failure::Connect)?;
    if written == hello.len() {
        return Ok(stream);
    }
    // Whoever drops this future must not leave the server with a half of it.
    let rest = tokio::spawn(async move {
        let rest = hello.get(written..).unwrap_or_default();
        stream.write_all(rest).await.map(|()| stream)
    });
    match rest.await {
        Ok(Ok(stream)) => Ok(stream),
        _ => Err(Failure::Lost),
    }
}

async fn connect(path: &Path) -> io::Result<Blocking> {
    let mut pause = FIRST_PAUSE;
    loop {
        match try_connect(path) {
            // Linux says so at once where too many wait to be accepted.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => sleep(pause).await,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            connected => return connected,
        }
        pause = LONGEST_PAUSE.min(pause * 2);
    }
}

fn try_connect(path: &Path) -> io::Result<Blocking> {
    let address = SocketAddrUnix::new(path)?;
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    rustix::net::connect(&socket, &address)?;
    Ok(socket.into())
}

#[cfg(test)]
pub(crate) mod tests;
