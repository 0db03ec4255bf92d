//! What the body of a trial works with: servers, windows, folders and waits.

use std::ffi::OsStr;
use std::fmt::Debug;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use amux::{
    Ended, Output, Range, ReadOptions, Render, RunOptions, Server, ShellKind, State, Window,
};

use crate::leftovers;
use crate::support::deadline::LONG;
use crate::targets::Target;
use crate::tell;

/// The tenant of the trial's server.
pub const TENANT: &str = "t";

/// Between two looks at something that cannot be waited for otherwise.
const PAUSE: Duration = Duration::from_millis(10);

/// How long what is ending may take to be gone.
const ENDING: Duration = Duration::from_secs(5);

/// A trial on one target.
pub struct Case {
    pub target: Target,
    home: PathBuf,
    servers: Mutex<Vec<Server>>,
    shell: OnceLock<ShellKind>,
}

/// How a program ended, and what it wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    pub status: Option<i32>,
    pub out: Vec<u8>,
    pub err: String,
}

impl Case {
    pub fn new(target: Target) -> Self {
        Self {
            target,
            home: std::env::var_os("HOME").expect("the trial's home").into(),
            servers: Mutex::default(),
            shell: OnceLock::new(),
        }
    }

    /// The home folder, in which shells start.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Writes a file into the home folder and returns its path.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.home.join(name);
        std::fs::write(&path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        path
    }

    /// Returns what is in a file of the home folder.
    #[track_caller]
    pub fn contents(&self, name: &str) -> Vec<u8> {
        let path = self.home.join(name);
        std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Settings of the trial's server.
    pub fn builder(&self) -> amux::Builder {
        let builder = Server::builder()
            .tenant(TENANT)
            .binary(&self.target.binary)
            .transport(self.target.transport);
        match (self.shell.get(), std::env::var_os("AMUX_TEST_BASH")) {
            (Some(shell), _) => builder.shell(*shell),
            (None, Some(bash)) => builder.bash(bash),
            (None, None) => builder,
        }
    }

    /// Has the windows run this shell, not bash.
    pub fn set_shell(&self, shell: ShellKind) {
        self.shell.set(shell).expect("one shell for each trial");
    }

    /// Starts the trial's server. Shells read the startup files that are in the home folder by then.
    pub async fn server(&self) -> Server {
        self.start(self.builder()).await
    }

    /// Starts the trial's server with other settings.
    pub async fn start(&self, builder: amux::Builder) -> Server {
        let server = builder
            .start()
            .await
            .unwrap_or_else(|error| panic!("{error:?}"));
        // Before anything can fail: what failed is asked of it.
        self.servers.lock().unwrap().push(server.clone());
        server
    }

    /// Starts the trial's server and creates a window. Its shell may still be starting.
    pub async fn window(&self) -> Window {
        let window = self.server().await.window("w").unwrap();
        window.create().await.unwrap();
        window
    }

    /// The socket of the trial's server.
    pub fn socket(&self) -> PathBuf {
        let servers = self.servers.lock().unwrap();
        servers
            .first()
            .expect("a server was started")
            .socket()
            .to_owned()
    }

    /// Counts the connections to the trial's server: its clients, and what speaks to it without one.
    pub fn connections(&self) -> usize {
        let socket = self.socket();
        // Flags, type, state, inode, path: 03 is a connected one, and the server's end has the path.
        std::fs::read_to_string("/proc/net/unix")
            .unwrap()
            .lines()
            .filter(|line| {
                let fields: Vec<_> = line.split_ascii_whitespace().collect();
                fields.get(5) == Some(&"03") && fields.get(7).map(Path::new) == Some(&socket)
            })
            .count()
    }

    /// Says that the trial has ended its server itself.
    pub fn server_has_ended(&self) {
        self.servers.lock().unwrap().clear();
    }

    /// Runs tmux commands on the trial's server.
    pub async fn tmux<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Finished {
        let mut command = tokio::process::Command::new(&self.target.binary);
        command
            .args(["-u", "-N", "-S"])
            .arg(self.socket())
            .args(arguments);
        finished(command, b"").await
    }

    /// Runs tmux commands that must succeed, and returns their output without the last newline.
    pub async fn tmux_ok(&self, arguments: &[&str]) -> String {
        let finished = self.tmux(arguments).await;
        assert!(finished.status == Some(0), "{arguments:?}: {finished:?}");
        let text = String::from_utf8(finished.out).unwrap();
        text.strip_suffix('\n').unwrap_or(&text).to_owned()
    }

    /// Returns the server's messages. It tells them to attached clients alone: one is, in control mode.
    pub async fn messages(&self) -> String {
        let mut command = tokio::process::Command::new(&self.target.binary);
        command
            .args(["-u", "-N", "-S"])
            .arg(self.socket())
            .args(["-C", "attach-session", "-f", "ignore-size"])
            .args([";", "show-messages", ";", "detach-client"]);
        let mut child = start(&mut command);
        // Where its input ends it is detached, perhaps before it has the messages.
        let _input = child.stdin.take();
        let finished = ended(&command, child).await;
        String::from_utf8_lossy(&finished.out).into_owned() + &finished.err
    }

    /// Whether the target is a stock tmux.
    pub fn is_stock(&self) -> bool {
        self.target.backend == amux::BackendKind::Stock
    }

    /// How the target's commands reach its server.
    pub fn transport(&self) -> amux::Transport {
        self.target.transport
    }

    /// Runs the command `amux` on the trial's server, with these bytes as its standard input. A stock tmux gives a
    /// pane's output to one process: this one lets go of it first.
    pub async fn amux(&self, arguments: &[&str], input: &[u8]) -> Finished {
        self.disconnect().await;
        self.amux_beside(arguments, input).await
    }

    /// Runs the command `amux` while this process uses the same windows.
    pub async fn amux_beside(&self, arguments: &[&str], input: &[u8]) -> Finished {
        finished(self.amux_command(arguments), input).await
    }

    /// The command `amux`, to be run on the trial's server.
    pub fn amux_command(&self, arguments: &[&str]) -> tokio::process::Command {
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_amux"));
        command
            .args(["-L", TENANT])
            .args(arguments)
            .env("AMUX_TMUX", &self.target.binary)
            .env("AMUX_TRANSPORT", self.transport().as_str());
        command
    }

    /// Lets go of what this process holds of the windows.
    pub async fn disconnect(&self) {
        let servers = self.servers.lock().unwrap().clone();
        for server in servers {
            server.disconnect().await;
        }
    }

    /// What a person would look at first when something did not come.
    pub async fn tell(&self) -> String {
        let servers = self.servers.lock().unwrap().clone();
        let mut text = String::new();
        for server in servers {
            text += &tell::server(self, &server).await;
        }
        text
    }

    /// Stops the servers and returns what is left behind, which is removed.
    pub async fn finish(self, well: bool) -> Vec<String> {
        let servers = self.servers.lock().unwrap().clone();
        let mut faults = Vec::new();
        let pids: Vec<_> = servers.iter().map(Server::pid).collect();
        for process in leftovers::processes_but(&pids).await {
            leftovers::kill(&process);
            faults.push(format!("{process:?}"));
        }
        for server in servers {
            if well {
                let buffers = self.tmux(&["list-buffers"]).await;
                if buffers.status != Some(0) || !buffers.out.is_empty() {
                    faults.push(format!("buffers: {buffers:?}"));
                }
            }
            match server.stop().await {
                Ok(amux::Stopped::Asked) => {}
                other => faults.push(format!("the server was stopped with {other:?}")),
            }
            if UnixStream::connect(server.socket()).is_ok() {
                faults.push(format!("somebody listens on {}", server.socket().display()));
            }
            faults.extend(files_left(server.runtime_folder()).await);
        }
        self.server_has_ended();
        for process in leftovers::processes_but(&[]).await {
            leftovers::kill(&process);
            faults.push(format!("after the server: {process:?}"));
        }
        faults
    }
}

/// Waits until nothing is in the private folder but the shell integration, which shells read; returns what stays.
/// Whoever reads a pane removes the name of its pipe when it sees that the server has ended.
async fn files_left(folder: &Path) -> Vec<String> {
    let start = Instant::now();
    loop {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let found: Vec<_> = entries
            .filter(|entry| !entry.file_name().to_string_lossy().starts_with("shell-"))
            .map(|entry| entry.path().display().to_string())
            .collect();
        if found.is_empty() || start.elapsed() > ENDING {
            return found;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn finished(mut command: tokio::process::Command, input: &[u8]) -> Finished {
    use tokio::io::AsyncWriteExt;
    let mut child = start(&mut command);
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    tokio::spawn(async move {
        // One that refuses does not read: that shows in its status.
        let _ = stdin.write_all(&input).await;
    });
    ended(&command, child).await
}

fn start(command: &mut tokio::process::Command) -> tokio::process::Child {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

async fn ended(command: &tokio::process::Command, child: tokio::process::Child) -> Finished {
    let output = tokio::time::timeout(LONG, child.wait_with_output())
        .await
        .unwrap_or_else(|_| panic!("{command:?} does not end"))
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    Finished {
        status: output.status.code(),
        out: output.stdout,
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Options by which a command that hangs is noticed.
pub fn options() -> RunOptions {
    RunOptions::new().timeout(LONG)
}

/// Runs a text to its end. Whatever the status, it has ended and all of its output is there.
#[track_caller]
pub fn run<'a>(window: &'a Window, text: &'a str) -> impl Future<Output = Output> + 'a {
    let caller = std::panic::Location::caller();
    async move {
        let output = window
            .run(text, options())
            .await
            .unwrap_or_else(|error| panic!("{caller}: {text:?}: {error:?}"));
        assert!(
            !output.timed_out && output.ended().is_final() && output.missing == 0,
            "{caller}: {text:?}: {output:?}"
        );
        output
    }
}

/// Runs a text that must exit with a status, and returns its clean output.
#[track_caller]
pub fn exits<'a>(
    window: &'a Window,
    text: &'a str,
    status: u8,
) -> impl Future<Output = String> + 'a {
    let caller = std::panic::Location::caller();
    let run = run(window, text);
    async move {
        let output = run.await;
        assert!(
            output.ended() == Ended::Exited && output.status() == Some(status),
            "{caller}: {text:?}: {output:?}"
        );
        output.text
    }
}

/// Looks until there is an answer. An `Err` is what is there instead; the last one is shown when time is up.
pub async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Result<T, String>) -> T {
    let start = Instant::now();
    loop {
        match look().await {
            Ok(answer) => return answer,
            Err(last) if start.elapsed() > LONG => {
                panic!("waited {LONG:?} for: {what}\nlast: {last}");
            }
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
}

/// Waits until the state of a window is such.
pub async fn until_state(window: &Window, what: &str, such: impl Fn(&State) -> bool) -> State {
    until(what, async || {
        let state = window.state().await.map_err(|error| format!("{error:?}"))?;
        match such(&state) {
            true => Ok(state),
            false => Err(format!("{state:?}")),
        }
    })
    .await
}

/// Waits until a program is in the foreground.
pub async fn until_foreground(window: &Window, program: &str) -> State {
    until_state(window, program, |state| state.foreground == program).await
}

/// Waits until the shell is at an empty prompt.
pub async fn until_prompt(window: &Window) -> State {
    until_state(window, "an empty prompt", |state| state.prompt_empty).await
}

/// Waits until a file of the home folder has contents that do.
pub async fn until_file<T>(case: &Case, name: &str, mut does: impl FnMut(&[u8]) -> Option<T>) -> T {
    until(name, async || {
        let bytes = std::fs::read(case.home().join(name)).map_err(|error| error.to_string())?;
        does(&bytes).ok_or_else(|| String::from_utf8_lossy(&bytes).into_owned())
    })
    .await
}

/// Reads what nobody has read, every byte as it came, and leaves it unread.
pub async fn unread(window: &Window) -> amux::Chunk {
    window
        .read(ReadOptions::new(Range::Unread).render(Render::Raw))
        .await
        .unwrap()
}

/// Finds bytes in others.
pub fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

/// Counts how often bytes are in others, without overlap.
pub fn count(mut bytes: &[u8], part: &[u8]) -> usize {
    let mut count = 0;
    while let Some(at) = find(bytes, part) {
        bytes = &bytes[at + part.len()..];
        count += 1;
    }
    count
}

/// Takes the marks out of raw bytes: a text of several lines has the shell's `C` before each of them.
pub fn without_marks(raw: &[u8]) -> Vec<u8> {
    let mut rest = raw;
    let mut out = Vec::with_capacity(raw.len());
    while let Some(at) = find(rest, b"\x1b]133;") {
        out.extend_from_slice(&rest[..at]);
        let end = find(&rest[at..], b"\x07").expect("a mark has an end");
        rest = &rest[at + end + 1..];
    }
    out.extend_from_slice(rest);
    out
}

/// Expects equal bytes; shows where they differ, and not all of them.
#[track_caller]
pub fn same(found: impl AsRef<[u8]>, expected: impl AsRef<[u8]>) {
    let (found, expected) = (found.as_ref(), expected.as_ref());
    if found == expected {
        return;
    }
    let at = found
        .iter()
        .zip(expected)
        .take_while(|(one, other)| one == other)
        .count();
    let show = |bytes: &[u8]| {
        let from = at.saturating_sub(100);
        let to = bytes.len().min(at + 200);
        String::from_utf8_lossy(&bytes[from.min(to)..to])
            .escape_debug()
            .to_string()
    };
    panic!(
        "bytes differ at {at}\nfound    {} bytes: …{}…\nexpected {} bytes: …{}…",
        found.len(),
        show(found),
        expected.len(),
        show(expected)
    );
}

/// Expects an error and returns its kind.
#[track_caller]
pub fn refused<T: Debug>(result: amux::Result<T>) -> amux::ErrorKind {
    match result {
        Err(error) => error.kind().clone(),
        Ok(value) => panic!("expected an error, got {value:?}"),
    }
}
