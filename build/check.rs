//! Asks a new tmux what it can do.

use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::run;

/// Commands that tell our build from a release: an object that was left out is left out in silence.
const COMMANDS: [&str; 2] = ["read-pane", "write-pane"];

/// How long the server that answers may take to go away.
const GONE: Duration = Duration::from_secs(10);

/// Fails unless the program has our commands.
pub fn commands(tmux: &Path) -> Result<()> {
    let printed = list_commands(tmux)?;
    let missing: Vec<&str> = COMMANDS
        .into_iter()
        .filter(|command| !printed.lines().any(|line| line == *command))
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(Error::new(format!(
            "{} has no {}",
            tmux.display(),
            missing.join(", no ")
        ))
        .help("an object or a hook was left out of it"))
    }
}

/// Returns what `tmux -V` says behind the name, such as `3.5a`.
pub fn version(tmux: &Path) -> Result<String> {
    let output = run::succeed(run::command(tmux).arg("-V"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    match printed.trim().split_once(' ') {
        Some((_, version)) if !version.is_empty() => Ok(version.to_owned()),
        _ => Err(Error::new(format!(
            "{} -V says {:?}",
            tmux.display(),
            printed.trim()
        ))),
    }
}

/// Lists the commands. It takes a server, which ends by itself as it never has a session.
fn list_commands(tmux: &Path) -> Result<String> {
    let folder = Scratch::new()?;
    let socket = folder.0.join("s");
    let mut command = run::command(tmux);
    command
        .env_remove("TMUX")
        // What a sanitizer thinks of the server's end is for the tests to say.
        .env("ASAN_OPTIONS", "detect_leaks=0")
        .args(["-f", "/dev/null", "-S"])
        .arg(&socket)
        .args(["list-commands", "-F", "#{command_list_name}"]);
    let output = run::succeed(&mut command)?;

    // The socket's file stays. Nobody listens on it once the server is gone.
    let deadline = Instant::now() + GONE;
    while UnixStream::connect(&socket).is_ok() {
        if Instant::now() > deadline {
            run::succeed(run::command(tmux).arg("-S").arg(&socket).arg("kill-server"))?;
            return Err(Error::new(format!(
                "the server that answered list-commands was still there after {} s",
                GONE.as_secs()
            )));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A folder of our own for a socket, removed at the end.
///
/// Not in `OUT_DIR`: a socket's path holds 107 bytes at most.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self> {
        let path = std::env::temp_dir().join(format!("amux-build-{}", std::process::id()));
        // Fails where somebody else made it before us, as it should.
        std::fs::DirBuilder::new()
            .mode(0o700)
            .create(&path)
            .map_err(|error| Error::file("create", &path, &error))?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // An empty folder that stays behind in the temporary folder harms nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
