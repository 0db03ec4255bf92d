//! Commands reach a server on its socket, also one that is forwarded, and through
//! the tmux client, and it makes no difference.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use amux::{Builder, ErrorKind, InputMode, RunOptions, Server, Transport, WhenBusy, Window};
use tempfile::TempDir;

const LONG: Duration = Duration::from_secs(20);

fn builder(socket: &Path) -> Builder {
    Server::builder()
        .socket_path(socket)
        .binary(env!("AMUX_BUILT_TMUX"))
}

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

/// Forwards connections to a socket, and counts them.
struct Forward(Arc<AtomicUsize>);

impl Forward {
    fn new(from: &Path, to: &Path) -> Self {
        let listener = UnixListener::bind(from).unwrap();
        let count = Arc::new(AtomicUsize::new(0));
        let (counted, to) = (count.clone(), to.to_owned());
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.unwrap();
                counted.fetch_add(1, Ordering::SeqCst);
                let server = UnixStream::connect(&to).unwrap();
                copy(client.try_clone().unwrap(), server.try_clone().unwrap());
                copy(server, client);
            }
        });
        Self(count)
    }

    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Copies one way until that is closed, in small pieces and so that descriptors
/// would be lost.
fn copy(mut from: UnixStream, mut to: UnixStream) {
    std::thread::spawn(move || {
        let mut piece = [0; 1000];
        while let Ok(size @ 1..) = from.read(&mut piece) {
            if to.write_all(&piece[..size]).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Both);
        let _ = from.shutdown(Shutdown::Both);
    });
}

fn options() -> RunOptions {
    RunOptions::new()
        .timeout(LONG)
        .when_busy(WhenBusy::Wait(LONG))
}

async fn prints(window: &Window, text: &str, expected: &str) {
    let output = window.run(text, options()).await.unwrap();
    assert_eq!(output.status(), Some(0), "{output:?}");
    assert!(output.text == expected, "{} bytes", output.text.len());
}

#[tokio::test]
async fn run_takes_one_connection_also_on_a_forwarded_socket() {
    let place = Place::new();
    let owner = builder(&place.path("s")).start().await.unwrap();
    let forward = Forward::new(&place.path("f"), &place.path("s"));
    let server = builder(&place.path("f"))
        .transport(Transport::Socket)
        .connect()
        .await
        .unwrap();
    assert_eq!(server.pid(), owner.pid());
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    prints(&window, "echo first", "first\n").await;

    let before = forward.count();
    let mut numbers = String::new();
    for number in 1..=100_000 {
        numbers += &format!("{number}\n");
    }
    prints(&window, "true", "").await;
    prints(&window, "seq 1 100000", &numbers).await;
    let long = "x".repeat(100_000);
    prints(&window, &format!("echo {long}"), &format!("{long}\n")).await;
    assert_eq!(forward.count() - before, 3);
    owner.stop().await.unwrap();
}

#[tokio::test]
async fn socket_is_taken_where_it_answers_and_either_can_be_forced() {
    let place = Place::new();
    let owner = builder(&place.path("s")).start().await.unwrap();
    if std::env::var_os("AMUX_TRANSPORT").is_none() {
        assert_eq!(owner.transport(), Transport::Socket);
    }
    for transport in [Transport::Socket, Transport::Process] {
        let server = builder(&place.path("s"))
            .transport(transport)
            .connect()
            .await
            .unwrap();
        assert_eq!(server.transport(), transport);
        let window = server.window(&format!("w-{transport}")).unwrap();
        window.create().await.unwrap();
        let long = "y".repeat(100_000);
        prints(&window, &format!("echo {long}"), &format!("{long}\n")).await;
        let output = window.run("(exit 3)", options()).await.unwrap();
        assert_eq!(output.status(), Some(3));

        let missing = server.window("missing").unwrap();
        let error = missing.run("true", options()).await.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::WindowNotFound);
        let none = builder(&place.path("none")).transport(transport);
        let error = none.connect().await.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::NoServer);
        assert!(!place.path("none").exists());
    }
    owner.stop().await.unwrap();
    for transport in [Transport::Socket, Transport::Process] {
        let dead = builder(&place.path("s")).transport(transport);
        let error = dead.connect().await.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::NoServer);
    }
}

#[tokio::test]
async fn hundred_waits_at_once_all_end() {
    let place = Place::new();
    let server = builder(&place.path("s"))
        .transport(Transport::Socket)
        .start()
        .await
        .unwrap();
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    prints(&window, "echo first", "first\n").await;
    let id = window
        .write("read -r line", amux::Submit::Yes)
        .await
        .unwrap();
    // Sooner, the line editor's terminal would take the Enter for what it is there.
    let begun = Instant::now();
    while window.state().await.unwrap().input != InputMode::Canonical {
        assert!(begun.elapsed() < LONG);
    }
    let mut waits = tokio::task::JoinSet::new();
    for _ in 0..100 {
        let window = window.clone();
        waits.spawn(async move { window.wait(id, Some(LONG)).await });
    }
    window.write("go", amux::Submit::Yes).await.unwrap();
    while let Some(waited) = waits.join_next().await {
        let record = waited.unwrap().unwrap().unwrap();
        assert_eq!(record.status, Some(0));
    }
    server.stop().await.unwrap();
}
