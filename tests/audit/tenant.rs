//! The command `amux`, with a home folder and a server of its own.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::client::{Client, Ended};
use crate::support::folder::Folder;

/// A folder with all that a server has; the server ends with it.
pub struct Tenant {
    folder: Folder,
    program: PathBuf,
    socket: PathBuf,
}

impl Tenant {
    /// A tenant whose server will be this tmux, and log to this socket.
    pub fn new(program: &Path, socket: &Path) -> Self {
        Self {
            folder: Folder::new(),
            program: program.to_owned(),
            socket: socket.to_owned(),
        }
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_amux"));
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.path())
            .env("TMUX_TMPDIR", self.folder.path())
            .env("AMUX_TMUX", &self.program)
            .env("AMUX_AUDIT", "full")
            .env("AMUX_AUDIT_SOCKET", &self.socket)
            .args(["-L", "t"])
            .args(arguments)
            .current_dir(self.folder.path());
        command
    }

    /// Runs `amux` to its end.
    #[track_caller]
    pub fn amux(&self, arguments: &[&str]) -> Ended {
        Client::start(&mut self.command(arguments), b"").ended()
    }

    /// Runs a script in the window `w`, and returns its status.
    #[track_caller]
    pub fn run(&self, script: &str) -> i32 {
        let mut command = self.command(&["run", "w", "-f", "-"]);
        let ended = Client::start(&mut command, script.as_bytes()).ended();
        assert!(!ended.err.contains("amux: "), "{script:?}: {}", ended.err);
        ended.status
    }
}

impl Drop for Tenant {
    fn drop(&mut self) {
        // Where none runs there is none to stop.
        let _ = self.command(&["stop"]).output();
    }
}
