//! Which way commands go to a server: decided once, by the first.

use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use crate::exec::socket::{self, Call, Failure};
use crate::transport::Transport;

/// How long a server may take to show that it speaks the protocol, before the
/// tmux client is tried.
const LIMIT: Duration = Duration::from_secs(2);

/// A command that changes nothing, and its answer.
const COMMAND: [&str; 3] = ["display-message", "-p", "amux"];
const ANSWER: &[u8] = b"amux\n";

const UNDECIDED: u8 = 0;
const SOCKET: u8 = 1;
const PROCESS: u8 = 2;

/// The way, which all handles on a server share.
#[derive(Debug)]
pub(crate) struct Route(AtomicU8);

impl Route {
    pub(crate) fn new(forced: Option<Transport>) -> Self {
        Self(AtomicU8::new(match forced {
            _ if !socket::SPOKEN => PROCESS,
            None => UNDECIDED,
            Some(Transport::Socket) => SOCKET,
            Some(Transport::Process) => PROCESS,
        }))
    }

    /// Returns the way that commands go; where nothing is decided yet, the one
    /// that always works.
    pub(crate) fn transport(&self) -> Transport {
        match self.0.load(Ordering::Relaxed) {
            SOCKET => Transport::Socket,
            _ => Transport::Process,
        }
    }

    /// Returns the way for a command to the server at this path, and decides
    /// which, unless it is decided: by a command of its own, as that of the
    /// caller must not run twice.
    pub(crate) async fn choose(&self, path: &Path, deadline: Option<Instant>) -> Transport {
        if self.0.load(Ordering::Relaxed) == UNDECIDED
            && let Some(found) = ask(path, deadline).await
        {
            self.0.store(
                match found {
                    Transport::Socket => SOCKET,
                    Transport::Process => PROCESS,
                },
                Ordering::Relaxed,
            );
        }
        self.transport()
    }
}

/// Asks whether the server answers as expected. `None`: it may be starting,
/// ending or busy, or not be there. The tmux client then finds out what there is
/// to say.
async fn ask(path: &Path, deadline: Option<Instant>) -> Option<Transport> {
    let now = Instant::now();
    // Half of what is left is the client's.
    let left = deadline.map_or(LIMIT, |deadline| {
        deadline.saturating_duration_since(now) / 2
    });
    let call = Call {
        path,
        arguments: &COMMAND.map(str::to_owned),
        stdin: Vec::new(),
        deadline: Some(now + LIMIT.min(left)),
    };
    match socket::run(call).await {
        Ok(finished) if finished.stdout == ANSWER && finished.status.success() => {
            Some(Transport::Socket)
        }
        // A server that shuts down lets its clients end in silence.
        Ok(finished) if finished.stdout.is_empty() && finished.stderr.is_empty() => None,
        Ok(_) | Err(Failure::Bad(_) | Failure::TooMuchOutput | Failure::Unsendable(_)) => {
            Some(Transport::Process)
        }
        Err(Failure::Connect(_) | Failure::Lost | Failure::Deadline) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::socket::tests::Stage;
    use crate::wire::message::ToClient;

    /// What is chosen with a server that says these and hangs up.
    async fn chosen(route: &Route, messages: &[ToClient<'_>]) -> Transport {
        let stage = Stage::new();
        let play = async {
            let mut player = stage.accept().await;
            player.hear_hello().await;
            player.say(messages).await;
        };
        let path = stage.path();
        tokio::join!(route.choose(&path, None), play).0
    }

    const OPEN: ToClient<'static> = ToClient::WriteOpen {
        stream: 1,
        fd: 1,
        flags: 0,
        path: b"",
    };

    fn good(data: &[u8]) -> [ToClient<'_>; 3] {
        let message = b"";
        let exit = ToClient::Exit { status: 0, message };
        [OPEN, ToClient::Write { stream: 1, data }, exit]
    }

    #[tokio::test]
    async fn server_that_answers_as_expected_is_spoken_to() {
        let route = Route::new(None);
        assert_eq!(route.transport(), Transport::Process);
        assert_eq!(chosen(&route, &good(ANSWER)).await, Transport::Socket);
        assert_eq!(route.transport(), Transport::Socket);
        // Decided: nobody is asked again.
        let nobody = Path::new("/nonexistent");
        assert_eq!(route.choose(nobody, None).await, Transport::Socket);
    }

    #[tokio::test]
    async fn server_that_answers_otherwise_is_left_to_the_client() {
        for messages in [&good(b"other")[..], &[ToClient::Version(9)]] {
            let route = Route::new(None);
            assert_eq!(chosen(&route, messages).await, Transport::Process);
            let nobody = Path::new("/nonexistent");
            assert_eq!(route.choose(nobody, None).await, Transport::Process);
        }
    }

    #[tokio::test]
    async fn server_that_does_not_answer_decides_nothing() {
        let route = Route::new(None);
        let nobody = Path::new("/nonexistent");
        assert_eq!(route.choose(nobody, None).await, Transport::Process);
        assert_eq!(chosen(&route, &[]).await, Transport::Process);
        let (status, message) = (0, &b""[..]);
        let silent = [ToClient::Shutdown { status, message }];
        assert_eq!(chosen(&route, &silent).await, Transport::Process);
        assert_eq!(chosen(&route, &good(ANSWER)).await, Transport::Socket);
    }
}
