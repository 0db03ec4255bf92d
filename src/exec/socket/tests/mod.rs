//! Against servers that are played here: good ones, and in `broken` those that are not.

mod broken;

use std::path::PathBuf;

use tempfile::TempDir;
use tokio::io::AsyncReadExt;
use tokio::net::UnixListener;

use super::*;
use crate::exec::process::{FOREIGN_ENVIRONMENT, MAX_STDERR};
use crate::wire::imsg::{self, Decoder, MAX_DATA};
use crate::wire::message::server::{self, Said};
use crate::wire::message::{MAX_READ, ToClient};
use crate::wire::protocol::{CLIENT_UTF8, MSG_IDENTIFY_FLAGS, MSG_READY};

const LONG: Duration = Duration::from_secs(20);

/// A socket on which a server is played.
pub(crate) struct Stage {
    folder: TempDir,
    listener: UnixListener,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(folder.path().join("s")).unwrap();
        Self { folder, listener }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("s")
    }

    /// Runs a command; gives up, as a failure, where nothing else ends it.
    async fn run(&self, arguments: &[&str], stdin: Vec<u8>) -> Result<Finished, Failure> {
        let arguments: Vec<String> = arguments.iter().map(|word| (*word).to_owned()).collect();
        run(Call {
            path: &self.path(),
            arguments: &arguments,
            stdin,
            deadline: Some(Instant::now() + LONG),
        })
        .await
    }

    /// Whether somebody has connected and was not accepted.
    pub(crate) fn has_visitors(&self) -> bool {
        let mut listener = [rustix::event::PollFd::new(
            &self.listener,
            rustix::event::PollFlags::IN,
        )];
        let now = rustix::time::Timespec::default();
        rustix::event::poll(&mut listener, Some(&now)).unwrap() > 0
    }

    pub(crate) async fn accept(&self) -> Player {
        let (stream, _) = self.listener.accept().await.unwrap();
        Player {
            stream,
            decoder: Decoder::new(),
        }
    }
}

/// The server's end of a connection.
pub(crate) struct Player {
    stream: UnixStream,
    decoder: Decoder,
}

impl Player {
    /// Waits for a message; `None` when the client has closed.
    async fn hear(&mut self) -> Option<Said> {
        loop {
            if let Some(frame) = self.decoder.frame().unwrap() {
                return Some(server::read(frame));
            }
            match self.stream.read(self.decoder.space()).await {
                Ok(count @ 1..) => self.decoder.filled(count),
                Ok(0) | Err(_) => return None,
            }
        }
    }

    /// Hears all that is said first.
    pub(crate) async fn hear_hello(&mut self) -> Vec<Said> {
        let mut all = Vec::new();
        while !matches!(all.last(), Some(Said::Command(_))) {
            all.push(self.hear().await.unwrap());
        }
        all
    }

    pub(crate) async fn say(&mut self, messages: &[ToClient<'_>]) {
        let mut out = Vec::new();
        for message in messages {
            message.put(&mut out);
        }
        self.bytes(&out).await;
    }

    /// Prints, and ends the command well.
    pub(crate) async fn print(&mut self, text: &str) {
        self.say(&[OPEN, wrote(1, text.as_bytes()), exit(0)]).await;
    }

    /// Sends bytes. The client may have had enough of them.
    pub(crate) async fn bytes(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes).await;
    }
}

const OPEN: ToClient<'static> = ToClient::WriteOpen {
    stream: 1,
    fd: 1,
    flags: 0,
    path: b"",
};

fn wrote(stream: i32, data: &[u8]) -> ToClient<'_> {
    ToClient::Write { stream, data }
}

fn exit(status: i32) -> ToClient<'static> {
    let message = b"";
    ToClient::Exit { status, message }
}

fn errno(errno: rustix::io::Errno) -> i32 {
    errno.raw_os_error()
}

#[tokio::test]
async fn posted_command_is_told_before_anybody_waits() {
    let stage = Stage::new();
    let words = ["set-option".to_owned(), "-p".to_owned()];
    let answer = post(&stage.path(), &words).unwrap();
    let mut player = stage.accept().await;
    let said = player.hear_hello().await;
    assert!(matches!(said.last(), Some(Said::Command(_))), "{said:?}");
    player.print("out").await;
    assert_eq!(answer.await.unwrap().stdout, b"out");
    // Whoever does not wait for the answer has told the server all the same.
    drop(post(&stage.path(), &words));
    let said = stage.accept().await.hear_hello().await;
    assert!(matches!(said.last(), Some(Said::Command(_))), "{said:?}");
    let path = stage.path();
    drop(stage);
    assert!(post(&path, &words).is_none());
}

#[tokio::test]
async fn command_goes_and_its_output_and_status_come() {
    let stage = Stage::new();
    let play = async {
        let mut player = stage.accept().await;
        let said = player.hear_hello().await;
        player.say(&[OPEN]).await;
        let ready = Said::WriteReady {
            stream: 1,
            error: 0,
        };
        assert_eq!(player.hear().await, Some(ready));
        let error = ToClient::WriteOpen {
            stream: 2,
            fd: 2,
            flags: 0,
            path: b"-",
        };
        // The data need not wait for the answer.
        player
            .say(&[wrote(1, b"ou"), error, wrote(2, b"err"), wrote(1, b"t")])
            .await;
        player.say(&[exit(0x103)]).await;
        said
    };
    let (finished, said) = tokio::join!(
        stage.run(&["new-session", "", ";", "b c"], Vec::new()),
        play
    );
    let finished = finished.unwrap();
    assert_eq!(finished.status.code(), Some(3));
    assert_eq!(finished.stdout, b"out");
    assert_eq!(finished.stderr, b"err");

    let here = std::env::current_dir().unwrap().into_os_string();
    let pid = i32::try_from(std::process::id()).unwrap();
    assert_eq!(
        said[..5],
        [
            Said::Flags(u64::from(CLIENT_UTF8)),
            Said::Term(Vec::new()),
            Said::TtyName(Vec::new()),
            Said::Cwd(here.into_encoded_bytes()),
            Said::ClientPid(pid),
        ]
    );
    let mut path = false;
    for variable in &said[5..said.len() - 2] {
        let Said::Environ(text) = variable else {
            panic!("{variable:?}");
        };
        path |= text.starts_with(b"PATH=");
        let text = String::from_utf8_lossy(text);
        let name = text.split('=').next().unwrap();
        assert!(!FOREIGN_ENVIRONMENT.contains(&name));
    }
    assert!(path);
    let words = ["new-session", "", ";", "b c"].map(|word| word.as_bytes().to_vec());
    assert_eq!(
        said[said.len() - 2..],
        [Said::IdentifyDone, Said::Command(words.to_vec())]
    );
}

#[tokio::test]
async fn input_goes_in_pieces_once() {
    let stage = Stage::new();
    let input: Vec<u8> = (0..5_000_000u32).map(|i| (i % 251) as u8).collect();
    let play = async {
        let mut player = stage.accept().await;
        player.hear_hello().await;
        let path = b"-";
        player
            .say(&[
                ToClient::ReadOpen {
                    stream: 9,
                    fd: 0,
                    path,
                },
                ToClient::ReadOpen {
                    stream: 10,
                    fd: 0,
                    path,
                },
            ])
            .await;
        let mut got = Vec::new();
        let mut done = Vec::new();
        while done.len() < 2 {
            match player.hear().await.unwrap() {
                Said::Read { stream: 9, data } => {
                    assert!(data.len() <= MAX_READ);
                    got.extend(data);
                }
                Said::ReadDone { stream, error } => done.push((stream, error)),
                other => panic!("{other:?}"),
            }
        }
        done.sort_unstable();
        assert_eq!(done, [(9, 0), (10, errno(rustix::io::Errno::BADF))]);
        player.say(&[exit(0)]).await;
        got
    };
    let (finished, got) = tokio::join!(stage.run(&["load-buffer", "-"], input.clone()), play);
    assert!(finished.unwrap().status.success());
    assert!(got == input);
}

#[tokio::test]
async fn input_that_is_not_wanted_any_more_stops() {
    let stage = Stage::new();
    let play = async {
        let mut player = stage.accept().await;
        player.hear_hello().await;
        let open = ToClient::ReadOpen {
            stream: 3,
            fd: 0,
            path: b"-",
        };
        player.say(&[open]).await;
        assert!(matches!(player.hear().await, Some(Said::Read { .. })));
        player.say(&[ToClient::ReadCancel { stream: 3 }]).await;
        let mut count = 0;
        while let Some(Said::Read { data, .. }) = player.hear().await {
            count += data.len();
        }
        player.say(&[exit(0)]).await;
        count
    };
    let input = vec![b'x'; 64 << 20];
    let (finished, count) = tokio::join!(stage.run(&["a"], input), play);
    assert!(finished.unwrap().status.success());
    assert!(count < 64 << 20, "{count}");
}

#[tokio::test]
async fn files_are_not_opened_for_the_server() {
    let stage = Stage::new();
    let file = stage.folder.path().join("file");
    let secret = stage.folder.path().join("secret");
    std::fs::write(&secret, "secret").unwrap();
    let play = async {
        let mut player = stage.accept().await;
        player.hear_hello().await;
        let path = file.as_os_str().as_encoded_bytes();
        let (fd, flags) = (-1, 0);
        let write = ToClient::WriteOpen {
            stream: 3,
            fd,
            flags,
            path,
        };
        let path = secret.as_os_str().as_encoded_bytes();
        let read = ToClient::ReadOpen {
            stream: 4,
            fd,
            path,
        };
        let fd = 5;
        let other = ToClient::WriteOpen {
            stream: 5,
            fd,
            flags,
            path,
        };
        player.say(&[write, read, other]).await;
        let mut answers = Vec::new();
        for _ in 0..3 {
            answers.push(player.hear().await.unwrap());
        }
        player.say(&[exit(0)]).await;
        answers
    };
    let (finished, answers) = tokio::join!(stage.run(&["a"], Vec::new()), play);
    assert!(finished.unwrap().status.success());
    let error = errno(rustix::io::Errno::ACCESS);
    let badf = errno(rustix::io::Errno::BADF);
    assert_eq!(
        answers,
        [
            Said::WriteReady { stream: 3, error },
            Said::ReadDone { stream: 4, error },
            Said::WriteReady {
                stream: 5,
                error: badf
            },
        ]
    );
    assert!(!file.exists());
}

#[tokio::test]
async fn message_of_an_exit_is_a_failure() {
    for (last, status, text) in [
        (
            ToClient::Exit {
                status: 0,
                message: b"access not allowed",
            },
            1,
            "access not allowed\n",
        ),
        (
            ToClient::Shutdown {
                status: 124,
                message: b"",
            },
            124,
            "",
        ),
    ] {
        let stage = Stage::new();
        let play = async {
            let mut player = stage.accept().await;
            player.hear_hello().await;
            player.say(&[last]).await;
        };
        let (finished, ()) = tokio::join!(stage.run(&["a"], Vec::new()), play);
        let finished = finished.unwrap();
        assert_eq!(finished.status.code(), Some(status));
        assert_eq!(String::from_utf8_lossy(&finished.stderr), text);
    }
}

#[tokio::test]
async fn detached_client_says_good_bye() {
    let stage = Stage::new();
    let play = async {
        let mut player = stage.accept().await;
        player.hear_hello().await;
        player.say(&[ToClient::Flags, ToClient::Detach]).await;
        assert_eq!(player.hear().await, Some(Said::Exiting));
        player.say(&[ToClient::Exited]).await;
    };
    let (finished, ()) = tokio::join!(stage.run(&["a"], Vec::new()), play);
    assert!(finished.unwrap().status.success());
}

#[tokio::test]
async fn dropping_the_future_hangs_up_behind_a_whole_hello() {
    let stage = Stage::new();
    tokio::select! {
        biased;
        finished = stage.run(&["a"], Vec::new()) => panic!("{finished:?}"),
        () = std::future::ready(()) => {}
    }
    let mut player = stage.accept().await;
    player.hear_hello().await;
    assert_eq!(player.hear().await, None);
}

#[tokio::test]
async fn hello_that_does_not_fit_is_finished_all_the_same() {
    let stage = Stage::new();
    let hello = vec![b'h'; 4 << 20];
    let path = stage.path();
    {
        let greeted = greet(&path, hello.clone());
        tokio::pin!(greeted);
        tokio::select! {
            biased;
            greeted = &mut greeted => panic!("{greeted:?}"),
            () = std::future::ready(()) => {}
        }
    }
    let mut player = stage.accept().await;
    let mut heard = Vec::new();
    player.stream.read_to_end(&mut heard).await.unwrap();
    assert_eq!(heard.len(), hello.len());
}

#[tokio::test]
async fn server_that_accepts_late_gets_all_who_wait() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let listener = UnixListener::bind(&path).unwrap();
    rustix::net::listen(&listener, 1).unwrap();
    let stage = Stage { folder, listener };
    let calls = async {
        let call = async || stage.run(&["a"], Vec::new()).await.unwrap();
        tokio::join!(call(), call(), call(), call(), call(), call());
    };
    let play = async {
        tokio::task::yield_now().await;
        for _ in 0..6 {
            let mut player = stage.accept().await;
            player.hear_hello().await;
            player.say(&[exit(0)]).await;
        }
    };
    tokio::join!(calls, play);
}
