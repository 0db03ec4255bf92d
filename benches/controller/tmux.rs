//! The tmux client: keys, a `wait-for` channel, and the screen with its history.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::way::{Answer, Case, Way, at_home};

/// A server of our own with one window, `main:0`, of 200 by 24.
pub struct Tmux {
    server: Child,
    program: PathBuf,
    pub socket: PathBuf,
    folder: PathBuf,
}

impl Tmux {
    pub fn new(folder: &Path, program: &Path, name: &str, shell: &str) -> Self {
        let socket = folder.join(name);
        let mut command = Command::new(program);
        at_home(&mut command, folder);
        let server = command
            .args(["-D", "-f", "/dev/null", "-S"])
            .arg(&socket)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("tmux");
        let tmux = Self {
            server,
            program: program.to_owned(),
            socket,
            folder: folder.to_owned(),
        };
        while std::os::unix::net::UnixStream::connect(&tmux.socket).is_err() {
            std::thread::yield_now();
        }
        // Room for the longest output.
        tmux.call(&["set-option", "-g", "history-limit", "50000"]);
        tmux.call(&[
            "new-session",
            "-d",
            "-s",
            "main",
            "-x",
            "200",
            "-y",
            "24",
            shell,
        ]);
        tmux
    }

    /// Runs a client, and returns what it prints.
    pub fn call(&self, arguments: &[&str]) -> String {
        let mut command = Command::new(&self.program);
        at_home(&mut command, &self.folder);
        let ended = command
            .args(["-N", "-u", "-S"])
            .arg(&self.socket)
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .expect("tmux");
        assert!(ended.status.success(), "{arguments:?}: {ended:?}");
        String::from_utf8_lossy(&ended.stdout).into_owned()
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.call(&["kill-server"]);
        let _ = self.server.wait();
    }
}

/// What scripts do with tmux alone, at its best: no polling, and two clients.
pub struct WaitFor {
    tmux: Tmux,
    signal: String,
}

impl WaitFor {
    pub fn new(folder: &Path, program: &Path) -> Self {
        let tmux = Tmux::new(folder, program, "wait-for", "exec bash --norc -i");
        let signal = format!(
            "{} -S {} wait-for -S ended",
            program.display(),
            tmux.socket.display()
        );
        let mut way = Self { tmux, signal };
        // Its prompt is there then.
        way.type_line("true");
        way
    }

    /// Clears what was, types a line, and waits for its end.
    fn type_line(&mut self, text: &str) {
        let line = format!("{text}; echo \"status=$?\"; {}", self.signal);
        self.tmux.call(&[
            "send-keys",
            "-R",
            "-t",
            "main:0",
            ";",
            "clear-history",
            "-t",
            "main:0",
            ";",
            "send-keys",
            "-l",
            "-t",
            "main:0",
            "--",
            &line,
            ";",
            "send-keys",
            "-t",
            "main:0",
            "Enter",
            ";",
            "wait-for",
            "ended",
        ]);
    }
}

impl Way for WaitFor {
    fn name(&self) -> &'static str {
        "tmux client, wait-for"
    }

    fn run(&mut self, case: &Case) -> Answer {
        self.type_line(&case.text);
        let captured = ["capture-pane", "-p", "-J", "-S", "-", "-t", "main:0"];
        let captured = self.tmux.call(&captured);
        let mut answer = Answer {
            output: String::new(),
            status: Some(-1),
        };
        // The first is the line that was typed.
        for line in captured.lines().skip(1) {
            if let Some(status) = line.trim_end().strip_prefix("status=") {
                answer.status = status.parse().ok();
                break;
            }
            answer.output += line.trim_end();
            answer.output.push('\n');
        }
        answer
    }
}
