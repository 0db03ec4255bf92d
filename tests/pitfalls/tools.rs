//! What several topics use.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use amux::{CaptureOptions, Snapshot, Window};

use crate::case::{Case, TENANT, find, unread, until};

/// Sends a signal to a process.
pub fn signal(pid: u32, name: &str) {
    let status = std::process::Command::new("kill")
        .args(["-s", name, &pid.to_string()])
        .status()
        .unwrap();
    assert!(status.success(), "kill -s {name} {pid}");
}

/// Stops a process; it goes on when this is dropped, so that it can be ended.
pub struct Stopped(u32);

impl Stopped {
    pub fn new(pid: u32) -> Self {
        signal(pid, "STOP");
        Self(pid)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        // It may have been killed.
        let _ = std::process::Command::new("kill")
            .args(["-s", "CONT", &self.0.to_string()])
            .stderr(std::process::Stdio::null())
            .status();
    }
}

/// Returns whether a process has ended.
pub fn has_ended(pid: u32) -> bool {
    match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        Err(_) => true,
        Ok(stat) => stat
            .rsplit_once(") ")
            .is_some_and(|(_, rest)| rest.starts_with('Z')),
    }
}

/// Writes a program into the home folder and returns its path.
pub fn program(case: &Case, name: &str, text: &str) -> PathBuf {
    let path = case.write(name, text);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// Connects to the trial's server and creates a window.
pub async fn window(case: &Case, name: &str) -> Window {
    let builder = amux::Server::builder()
        .tenant(TENANT)
        .binary(&case.target.binary);
    let window = builder.connect().await.unwrap().window(name).unwrap();
    window.create().await.unwrap();
    window
}

/// Captures the screen.
pub async fn screen(window: &Window) -> Snapshot {
    window.capture(CaptureOptions::new()).await.unwrap()
}

/// Waits until what the terminal shows is such.
pub async fn until_screen(
    window: &Window,
    what: &str,
    such: impl Fn(&Snapshot) -> bool,
) -> Snapshot {
    until(what, async || {
        let snapshot = screen(window).await;
        match such(&snapshot) {
            true => Ok(snapshot),
            false => Err(format!("{snapshot:?}")),
        }
    })
    .await
}

/// Returns what a tmux format expands to.
pub async fn expand(case: &Case, target: &str, format: &str) -> String {
    case.tmux_ok(&["display-message", "-p", "-t", target, format])
        .await
}

/// Waits until a tmux format expands to a value.
pub async fn until_expands(case: &Case, target: &str, format: &str, value: &str) {
    until(
        &format!("{format} of {target} to be {value:?}"),
        async || {
            let found = expand(case, target, format).await;
            match found == value {
                true => Ok(()),
                false => Err(found),
            }
        },
    )
    .await;
}

/// A program that says in a file that it is there, then copies what its terminal sends, byte by byte, to another.
/// Ends at `!`. `ask` is printed first: modes that it asks the terminal for.
pub async fn recorder(case: &Case, window: &Window, name: &str, ask: &str) {
    let text = format!(
        "import os, sys, termios, tty\n\
         old = termios.tcgetattr(0)\n\
         tty.setraw(0)\n\
         os.write(1, b'{ask}')\n\
         out = open('{name}', 'wb', buffering=0)\n\
         open('{name}.ready', 'w').close()\n\
         while True:\n\
         \u{20}   part = os.read(0, 65536)\n\
         \u{20}   out.write(part.split(b'!')[0])\n\
         \u{20}   if b'!' in part: break\n\
         termios.tcsetattr(0, termios.TCSADRAIN, old)\n\
         open('{name}.done', 'w').close()\n"
    );
    case.write(&format!("{name}.py"), text);
    let line = format!("python3 {name}.py");
    window
        .write(line.as_str(), amux::Submit::Yes)
        .await
        .unwrap();
    let ready = case.home().join(format!("{name}.ready"));
    until(name, async || {
        ready
            .exists()
            .then_some(())
            .ok_or_else(|| "it is not there".to_owned())
    })
    .await;
    if ask.is_empty() {
        return;
    }
    // Nobody may have read yet what it asks for; on stock it is this process that must. The shell asks for the same,
    // before the last C.
    until("what is asked for", async || {
        let raw = unread(window).await.bytes;
        let begun = raw.windows(7).rposition(|part| part == b"\x1b]133;C");
        let rest = &raw[begun.unwrap_or(raw.len())..];
        find(rest, b"\x1b[?2004h")
            .map(drop)
            .ok_or_else(|| String::from_utf8_lossy(rest).into_owned())
    })
    .await;
}

/// Ends a [`recorder`] and returns what it got.
pub async fn recorded(case: &Case, window: &Window, name: &str) -> Vec<u8> {
    window.write("!", amux::Submit::Never).await.unwrap();
    let done = case.home().join(format!("{name}.done"));
    until(name, async || {
        done.exists()
            .then_some(())
            .ok_or_else(|| "it goes on".to_owned())
    })
    .await;
    case.contents(name)
}

/// Runs `amux` on the trial's server with a locale that has no UTF-8.
pub async fn amux_without_utf8(case: &Case, arguments: &[&str]) -> std::process::Output {
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_amux"));
    command
        .args(["-L", TENANT])
        .args(arguments)
        .env("AMUX_TMUX", &case.target.binary)
        .env("LC_ALL", "C")
        .kill_on_drop(true);
    tokio::time::timeout(Duration::from_secs(60), command.output())
        .await
        .unwrap()
        .unwrap()
}
