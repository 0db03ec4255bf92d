//! The life of a server, and calls that outlive it, through the library.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use amux::{
    Builder, Ended, ErrorKind, ExitReason, InputMode, RunOptions, Server, State, Stopped, Submit,
    WhenBusy,
};
use tempfile::TempDir;

/// A folder for the socket, and how a server on it is built.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn socket(&self) -> PathBuf {
        self.0.path().join("s")
    }

    fn builder(&self) -> Builder {
        Server::builder()
            .socket_path(self.socket())
            .binary(env!("AMUX_BUILT_TMUX"))
    }

    async fn start(&self) -> Server {
        self.builder().start().await.unwrap()
    }
}

/// A process that ends with the value, whatever the test does meanwhile.
struct Stuck(u32);

impl Stuck {
    /// Stops a process: it does nothing any more, and answers nobody.
    fn stop(pid: u32) -> Self {
        signal(pid, "STOP");
        Self(pid)
    }
}

impl Drop for Stuck {
    fn drop(&mut self) {
        signal(self.0, "CONT");
    }
}

fn signal(pid: u32, name: &str) {
    let status = std::process::Command::new("kill")
        .args(["-s", name, &pid.to_string()])
        .stderr(std::process::Stdio::null())
        .status();
    assert!(status.is_ok());
}

/// The state of a process, `Z` for one that has ended and was not reaped, and
/// its parent; `None` where there is none.
fn process(pid: u32) -> Option<(char, u32)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    let state = fields.next()?.chars().next()?;
    Some((state, fields.next()?.parse().ok()?))
}

fn has_ended(pid: u32) -> bool {
    process(pid).is_none_or(|(state, _)| state == 'Z')
}

/// Counts the connections to a server.
fn connections(socket: &Path) -> usize {
    sockets(socket, "03")
}

/// Counts the connections that a server has not accepted yet.
fn waiting(socket: &Path) -> usize {
    sockets(socket, "02")
}

/// Counts sockets in this state: of a connection the server's end has the path.
fn sockets(socket: &Path, state: &str) -> usize {
    // Flags, type, state, inode, path.
    std::fs::read_to_string("/proc/net/unix")
        .unwrap()
        .lines()
        .filter(|line| {
            let fields: Vec<_> = line.split_ascii_whitespace().collect();
            fields.get(5) == Some(&state) && fields.get(7).map(Path::new) == Some(socket)
        })
        .count()
}

async fn until(what: &str, mut fact: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !fact() {
        assert!(Instant::now() < deadline, "{what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn server_is_a_child_and_stops_when_asked() {
    let place = Place::new();
    let server = place.start().await;
    assert!(server.is_owned());
    let (_, parent) = process(server.pid()).unwrap();
    assert_eq!(parent, std::process::id());
    assert_eq!(server.stop().await.unwrap(), Stopped::Asked);
    assert!(process(server.pid()).is_none(), "it was reaped");
    let exit = server.wait().await.unwrap();
    assert_eq!((exit.pid, exit.reason), (server.pid(), ExitReason::Stopped));

    let error = server.windows().await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::NoServer);
    let error = server.stop().await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::NoServer);
}

#[tokio::test]
async fn socket_in_use_is_told_with_the_process() {
    let place = Place::new();
    let first = place.start().await;
    let error = place.builder().start().await.unwrap_err();
    let pid = first.pid();
    assert_eq!(*error.kind(), ErrorKind::SocketInUse { pid });
    // The first one has not suffered.
    assert_eq!(first.windows().await.unwrap(), []);
    first.stop().await.unwrap();
}

#[tokio::test]
async fn stale_socket_is_taken_over() {
    let place = Place::new();
    let first = place.start().await;
    signal(first.pid(), "KILL");
    let exit = first.wait().await.unwrap();
    assert_eq!(exit.reason, ExitReason::Signaled(9));
    assert!(place.socket().exists());
    let second = place.start().await;
    assert_ne!(first.pid(), second.pid());
    // The end of the first run is still told as its own.
    assert_eq!(first.wait().await.unwrap(), exit);
    assert_eq!(exit.pid, first.pid());
    second.stop().await.unwrap();
}

/// A `tmux -D` on a socket in use is a client of the server there.
#[tokio::test]
async fn server_is_started_while_the_one_before_it_ends() {
    let place = Place::new();
    let first = place.start().await;
    let _stuck = Stuck::stop(first.pid());
    let second = tokio::spawn(place.builder().start());
    // The new server, and who asks for it.
    until("both to wait for the first one", || {
        waiting(&place.socket()) >= 2
    })
    .await;
    signal(first.pid(), "KILL");
    let second = second.await.unwrap().unwrap();
    assert_ne!(second.pid(), first.pid());
    second.stop().await.unwrap();
}

#[tokio::test]
async fn exit_of_its_own_is_told_from_a_stop() {
    let place = Place::new();
    let server = place.start().await;
    signal(server.pid(), "TERM");
    let exit = server.wait().await.unwrap();
    assert_eq!(exit.reason, ExitReason::Exited(0));
}

#[tokio::test]
async fn server_ends_with_its_last_handle() {
    let place = Place::new();
    let server = place.start().await;
    let window = server.window("w").unwrap();
    let pid = server.pid();
    drop(server);
    window.create().await.unwrap();
    assert!(!has_ended(pid));
    drop(window);
    until("the server ends", || has_ended(pid)).await;
}

#[tokio::test]
async fn connected_server_goes_on_and_can_be_stopped() {
    let place = Place::new();
    let error = place.builder().connect().await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::NoServer);

    let (server, started) = place.builder().connect_or_start().await.unwrap();
    assert!(started && !server.is_owned());
    let pid = server.pid();
    drop(server);
    let (server, started) = place.builder().connect_or_start().await.unwrap();
    assert!(!started);
    assert_eq!(server.pid(), pid);
    let error = server.wait().await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::NotOwned);
    assert_eq!(server.stop().await.unwrap(), Stopped::Asked);
    assert!(has_ended(pid));
}

#[tokio::test]
async fn stuck_server_holds_no_call_and_is_killed() {
    let place = Place::new();
    let limit = Duration::from_secs(1);
    let server = place.start().await;
    server.window("w").unwrap().create().await.unwrap();
    // Another handle is in a hurry: a busy machine takes longer to start all that.
    let deadline = Instant::now() + Duration::from_secs(60);
    let hasty = loop {
        match place.builder().call_timeout(limit).connect().await {
            Ok(hasty) => break hasty,
            Err(error) => assert!(Instant::now() < deadline, "{error:?}"),
        }
    };
    let window = hasty.window("w").unwrap();
    let _stuck = Stuck::stop(server.pid());

    let begun = Instant::now();
    let error = window.state().await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Timeout);
    let options = RunOptions::new().timeout(limit);
    let error = window.run("true", options).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Timeout);
    assert!(begun.elapsed() < Duration::from_secs(10));

    // SIGTERM waits for a process that is stopped; SIGKILL does not.
    assert_eq!(server.stop().await.unwrap(), Stopped::Killed);
    assert!(has_ended(server.pid()));
}

#[tokio::test]
async fn server_killed_during_a_run_is_told_at_once() {
    for name in ["KILL", "TERM"] {
        let place = Place::new();
        let server = place.start().await;
        let window = server.window("w").unwrap();
        window.create().await.unwrap();
        let run = window.run("echo begun; sleep 60", RunOptions::new());
        let kill = async {
            until_running(&window).await;
            signal(server.pid(), name);
        };
        let begun = Instant::now();
        let (result, ()) = tokio::join!(run, kill);
        assert_eq!(*result.unwrap_err().kind(), ErrorKind::NoServer, "{name}");
        assert!(begun.elapsed() < Duration::from_secs(10));
    }
}

async fn until_running(window: &amux::Window) {
    until_state(window, |state| state.foreground == "sleep").await;
}

async fn until_state(window: &amux::Window, is: impl Fn(&State) -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let state = window.state().await.unwrap();
        if is(&state) {
            return;
        }
        assert!(Instant::now() < deadline, "{state:?}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn dropped_run_leaves_no_client_and_the_command_goes_on() {
    let place = Place::new();
    let server = place.start().await;
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    {
        let run = window.run("sleep 60; true", RunOptions::new());
        // The end of the block drops it, and not that of the select.
        tokio::pin!(run);
        tokio::select! {
            result = &mut run => panic!("{result:?}"),
            () = until_running(&window) => {}
        }
        assert!(connections(&place.socket()) >= 1);
    }
    until("the server forgets it", || {
        connections(&place.socket()) == 0
    })
    .await;
    let error = window.run("ls", RunOptions::new()).await.unwrap_err();
    let program = "sleep".to_owned();
    assert_eq!(*error.kind(), ErrorKind::Busy { program });

    window.interrupt().await.unwrap();
    let options = RunOptions::new().when_busy(WhenBusy::Wait(Duration::from_secs(20)));
    let output = window.run("echo next", options).await.unwrap();
    assert_eq!((output.text.as_str(), output.status()), ("next\n", Some(0)));
    server.stop().await.unwrap();
}

#[tokio::test]
async fn half_a_line_at_the_prompt_is_left_alone() {
    let place = Place::new();
    let server = place.start().await;
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    window.run("true", RunOptions::new()).await.unwrap();
    assert_eq!(window.write("echo ha", Submit::Never).await.unwrap(), None);
    // Its echo: until then nobody can know that the shell has it.
    let deadline = Instant::now() + Duration::from_secs(20);
    while window.state().await.unwrap().prompt_empty {
        assert!(Instant::now() < deadline);
    }
    let error = window.run("ls", RunOptions::new()).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::PromptNotEmpty);
    let id = window.write("lf", Submit::Yes).await.unwrap();
    let record = window.wait(id, None).await.unwrap().unwrap();
    assert_eq!((record.ended, record.status), (Ended::Exited, Some(0)));
    let options = amux::ReadOptions::new(amux::Range::Command(record.id));
    assert_eq!(window.read(options).await.unwrap().text(), "half\n");
    server.stop().await.unwrap();
}

#[tokio::test]
async fn windows_of_a_session_are_made_once() {
    let place = Place::new();
    let server = place.start().await;
    let session = server.session("s").unwrap();
    let windows: Vec<_> = ["a", "a", "ab", "a"]
        .into_iter()
        .map(|name| session.window(name).unwrap())
        .collect();
    let mut created = Vec::new();
    for window in &windows {
        created.push(window.ensure().await.unwrap());
    }
    assert_eq!(created, [true, false, true, false]);
    let error = windows[0].create().await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::WindowExists);
    let names: Vec<_> = server.windows().await.unwrap();
    let names: Vec<_> = names.iter().map(|w| w.name.as_str()).collect();
    assert_eq!(names, ["a", "ab"]);
    server.stop().await.unwrap();
}

#[tokio::test]
async fn unfinished_text_is_taken_back() {
    let place = Place::new();
    let server = place.start().await;
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    for text in ["echo 'a", "cat <<EOF\nx", "if true; then", "echo a \\"] {
        let error = window.run(text, RunOptions::new()).await.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Incomplete, "{text}");
        let output = window.run("echo b", RunOptions::new()).await.unwrap();
        assert_eq!((output.text.as_str(), output.status()), ("b\n", Some(0)));
    }
    server.stop().await.unwrap();
}

#[tokio::test]
async fn wait_is_told_that_the_shell_exited() {
    let place = Place::new();
    let server = place.start().await;
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    window.run("true", RunOptions::new()).await.unwrap();
    let text = "read -r line; set -e; (exit 3)";
    let id = window.write(text, Submit::Yes).await.unwrap();
    // Sooner, the line editor's terminal would take the Enter for what it is there.
    until_state(&window, |state| state.input == InputMode::Canonical).await;
    let wait = window.wait(id, Some(Duration::from_secs(60)));
    let go = window.write("go", Submit::Yes);
    let (waited, written) = tokio::join!(wait, go);
    written.unwrap();
    let record = waited.unwrap().unwrap();
    assert_eq!((record.ended, record.status), (Ended::PaneEnded, None));
    server.stop().await.unwrap();
}
