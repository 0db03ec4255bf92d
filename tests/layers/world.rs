//! A user of one trial, with a home folder and sockets that go with it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use crate::support::deadline::{LONG, wait_until};
use crate::support::folder::Folder;

/// The tmux that the layers run.
#[derive(Clone, Debug)]
pub struct Target {
    pub tmux: PathBuf,
    pub patched: bool,
}

/// A home folder, a folder for sockets, and the servers that listen there. They end with it.
pub struct World {
    pub target: Target,
    folder: Folder,
}

/// What a program has said.
#[derive(Debug)]
pub struct Said {
    pub status: Option<i32>,
    pub out: String,
    pub err: String,
}

impl World {
    pub fn new(target: Target) -> Self {
        let folder = Folder::new();
        fs::create_dir(folder.path().join("home")).unwrap();
        let world = Self { target, folder };
        world.write(".bash_profile", "PS1='$ '\n");
        world
    }

    /// Returns its folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file in the home folder.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.path().join("home").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Returns a program with the environment of this user and no arguments.
    pub fn program(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path().join("home"))
            .env("SHELL", "/bin/bash")
            .env("TERM", "xterm-256color")
            .env("TMUX_TMPDIR", self.path())
            .env("AMUX_TMUX", &self.target.tmux)
            .current_dir(self.path())
            .stdin(Stdio::null());
        command
    }

    /// Returns the command amux.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = self.program(env!("CARGO_BIN_EXE_amux"));
        command.args(words);
        command
    }

    /// Runs amux to its end.
    #[track_caller]
    pub fn amux(&self, words: &[&str]) -> Said {
        Said::of(self.command(words).output().unwrap())
    }

    /// Runs amux, which must end well and say nothing but its output.
    #[track_caller]
    pub fn ok(&self, words: &[&str]) -> String {
        self.amux(words).ok()
    }

    /// Runs amux with this standard input.
    #[track_caller]
    pub fn with_input(&self, words: &[&str], input: &[u8]) -> Said {
        let mut child = piped(&mut self.command(words));
        child.stdin.take().unwrap().write_all(input).unwrap();
        Said::of(child.wait_with_output().unwrap())
    }

    /// Starts a layer and returns the process id of its server.
    #[track_caller]
    pub fn up(&self, layer: &str) -> u32 {
        pid_in(self.ok(&["up", layer, "-d"]).lines().last().unwrap())
    }

    /// Ends the server of a layer, and waits until its process has gone: the client that asked for it ends before.
    #[track_caller]
    pub fn end(&self, layer: &str) {
        let pid = self.ok(&[layer, "display-message", "-p", "#{pid}"]);
        self.ok(&[layer, "kill-server"]);
        let stat = format!("/proc/{}/stat", pid.trim_end());
        wait_until(
            LONG,
            "the server to have gone",
            || match fs::read_to_string(&stat) {
                Ok(stat) if !stat.contains(") Z ") => Err(stat),
                _ => Ok(()),
            },
            String::new,
        );
    }

    /// Waits until a command says something that is wanted.
    #[track_caller]
    pub fn until(&self, words: &[&str], what: &str, is_it: impl Fn(&str) -> bool) {
        wait_until(
            LONG,
            &format!("{words:?} to say {what}"),
            || {
                let said = self.amux(words);
                match is_it(&said.out) {
                    true => Ok(()),
                    false => Err(format!("{said:?}")),
                }
            },
            String::new,
        );
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // The outcome of the trial stands. The outer layer first: it shows the others.
        for layer in ["mx", "sx", "ax"] {
            let _ = self.command(&[layer, "kill-server"]).output();
        }
    }
}

impl Said {
    #[track_caller]
    pub fn of(output: Output) -> Self {
        Self {
            status: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!((self.status, &*self.err), (Some(0), ""), "{self:?}");
        self.out
    }

    /// Checks the status, and that words stand in the complaint.
    #[track_caller]
    pub fn fails(&self, status: i32, words: &str) {
        assert_eq!(self.status, Some(status), "{self:?}");
        assert!(self.err.contains(words), "{self:?}");
    }
}

/// Starts a program with pipes.
pub fn piped(command: &mut Command) -> Child {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The process id in a line of `amux up`.
#[track_caller]
pub fn pid_in(line: &str) -> u32 {
    let mut words = line.split_whitespace().skip_while(|word| *word != "pid");
    words.nth(1).unwrap().parse().unwrap()
}
