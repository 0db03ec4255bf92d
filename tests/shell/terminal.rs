//! An interactive bash on a terminal of its own, and the marks that come out of it.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcgetpgrp, tcsetwinsize};
use tempfile::TempDir;

use crate::marks::{Mark, Piece, split};

/// The nonce that the terminal gives to its shell, as tmux-custom does.
pub const NONCE: &str = "0123456789abcdef0123456789abcdef";

/// How long a test waits for something that must come.
const PATIENCE: Duration = Duration::from_secs(30);

/// The script under test.
pub fn script() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/tmux-patches/shell/amux.bash").to_owned()
}

/// The element of `PROMPT_COMMAND` by which the script is injected.
pub fn injection() -> String {
    format!(". \"{}\"", script())
}

/// The bash to test: `AMUX_TEST_BASH`, or the one in `PATH`.
fn bash() -> PathBuf {
    match std::env::var_os("AMUX_TEST_BASH") {
        Some(path) => PathBuf::from(path),
        None => std::env::split_paths(&std::env::var_os("PATH").expect("PATH is set"))
            .map(|folder| folder.join("bash"))
            .find(|path| path.exists())
            .expect("bash is in PATH"),
    }
}

/// Major and minor version of the bash under test, as in 502 for 5.2.
pub fn bash_version() -> u32 {
    let output = Command::new(bash())
        .args([
            "-c",
            "printf %d%02d ${BASH_VERSINFO[0]} ${BASH_VERSINFO[1]}",
        ])
        .output()
        .expect("bash runs");
    String::from_utf8_lossy(&output.stdout)
        .parse()
        .expect("bash prints its version")
}

/// What a shell is started with.
pub struct Setup {
    rc: String,
    inject: bool,
    env: Vec<(String, String)>,
    args: Vec<String>,
}

/// Starts to describe a shell: the script injected, an empty startup file, `> ` as the prompt.
pub fn shell() -> Setup {
    Setup {
        rc: "PS1='> '\n".to_owned(),
        inject: true,
        env: vec![("AMUX_NONCE".to_owned(), NONCE.to_owned())],
        args: Vec::new(),
    }
}

impl Setup {
    /// Adds lines to the startup file.
    pub fn rc(mut self, lines: &str) -> Self {
        self.rc.push_str(lines);
        self.rc.push('\n');
        self
    }

    /// Loads the script from the startup file instead of the environment.
    pub fn sourced(mut self) -> Self {
        self.inject = false;
        self.rc(&injection())
    }

    /// Sets a variable of the environment.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.retain(|(known, _)| known != name);
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Leaves a variable out of the environment.
    pub fn without(mut self, name: &str) -> Self {
        self.env.retain(|(known, _)| known != name);
        self
    }

    /// Adds an argument.
    pub fn arg(mut self, arg: &str) -> Self {
        self.args.push(arg.to_owned());
        self
    }

    /// Starts the shell; its first prompt is still to come.
    pub fn start(self) -> Shell {
        let home = tempfile::tempdir().expect("a temporary folder");
        fs::write(home.path().join(".bashrc"), &self.rc).expect("the startup file");
        let bin = home.path().join("bin");
        fs::create_dir(&bin).expect("a folder for bash");
        symlink(bash(), bin.join("bash")).expect("a link to bash");

        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)
            .expect("a terminal");
        grantpt(&master).expect("a terminal of our own");
        unlockpt(&master).expect("an unlocked terminal");
        let size = Winsize {
            ws_row: 24,
            ws_col: 80,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&master, size).expect("a size");
        let name = ptsname(&master, Vec::new()).expect("the terminal's name");
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let slave = File::from(rustix::fs::open(name, flags, Mode::empty()).expect("its far end"));

        let path = std::env::var("PATH").expect("PATH is set");
        let mut command = Command::new("setsid");
        command
            .arg("--ctty")
            // A run in the background of a script has SIGINT ignored, and so would all below it.
            .args(["env", "--default-signal=INT,QUIT", "bash"])
            .args(&self.args)
            .current_dir(home.path())
            .env_clear()
            .env("PATH", format!("{}:{path}", bin.display()))
            .env("HOME", home.path())
            .env("TERM", "xterm")
            .env("LC_ALL", "C.UTF-8")
            .stdin(slave.try_clone().expect("a descriptor"))
            .stdout(slave.try_clone().expect("a descriptor"))
            .stderr(slave);
        if self.inject {
            command.env("PROMPT_COMMAND", injection());
        }
        command.envs(self.env);
        let child = command.spawn().expect("the shell starts");
        Shell {
            child,
            master: File::from(master),
            seen: Vec::new(),
            _home: home,
        }
    }

    /// Starts the shell and waits for its first prompt, which follows no command.
    pub fn ready(self) -> Shell {
        let mut shell = self.start();
        let cycle = shell.prompt();
        assert_eq!(cycle.marks(), ["A"], "the first prompt: {cycle:?}");
        shell
    }
}

/// A running shell. Dropping it closes the terminal, which ends the shell.
pub struct Shell {
    child: Child,
    master: File,
    seen: Vec<u8>,
    /// Removed with the shell.
    _home: TempDir,
}

/// What came from one prompt to the next.
#[derive(Debug)]
pub struct Cycle {
    /// The bytes, from the end of the last prompt to the end of this one.
    pub raw: String,
    pieces: Vec<Piece>,
}

impl Shell {
    /// Types bytes as they are.
    pub fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.master
            .write_all(bytes.as_ref())
            .expect("the terminal takes bytes");
    }

    /// Types a line with Enter, and returns what came until the next prompt.
    pub fn run(&mut self, line: &str) -> Cycle {
        self.write(format!("{line}\n"));
        self.prompt()
    }

    /// Waits for the next prompt, to its end.
    pub fn prompt(&mut self) -> Cycle {
        self.until("a prompt", |pieces| {
            let start = pieces.iter().position(|piece| piece.is('A'))?;
            let end = pieces[start..].iter().position(|piece| piece.is('B'))?;
            Some(length(&pieces[..=start + end]))
        })
    }

    /// Presses Ctrl-C at the prompt, once the shell waits for a key: readline looks at a signal
    /// that comes while it is getting ready only after the next key.
    pub fn interrupt(&mut self) -> Cycle {
        let end = Instant::now() + PATIENCE;
        while self.stat(0) != "S" {
            assert!(Instant::now() < end, "the shell does not wait for a key");
            std::thread::yield_now();
        }
        self.write("\x03");
        self.prompt()
    }

    /// Presses Ctrl-C once this program runs in the foreground. A shell that is still starting it
    /// may take the signal for itself.
    pub fn interrupt_program(&mut self, name: &str) {
        let end = Instant::now() + PATIENCE;
        loop {
            let front = tcgetpgrp(&self.master).expect("the terminal has a foreground group");
            let comm = fs::read_to_string(format!("/proc/{}/comm", front.as_raw_nonzero()));
            if comm.is_ok_and(|comm| comm.trim_end() == name) {
                break;
            }
            assert!(
                Instant::now() < end,
                "{name} does not run in the foreground"
            );
            std::thread::yield_now();
        }
        self.write("\x03");
    }

    /// Waits for the next A alone.
    pub fn a(&mut self) -> Cycle {
        self.mark('A')
    }

    /// Waits for the mark that a command's output begins.
    pub fn c(&mut self) -> Cycle {
        self.mark('C')
    }

    /// Waits until the text is there, and returns what came up to its end.
    pub fn text(&mut self, text: &str) -> Cycle {
        self.until(text, |pieces| {
            let (at, start) = pieces.iter().enumerate().find_map(|(at, piece)| {
                let Piece::Text(seen) = piece else {
                    return None;
                };
                Some((at, seen.find(text)?))
            })?;
            Some(length(&pieces[..at]) + start + text.len())
        })
    }

    /// Waits for a mark of this kind.
    fn mark(&mut self, kind: char) -> Cycle {
        self.until("a mark", |pieces| {
            let at = pieces.iter().position(|piece| piece.is(kind))?;
            Some(length(&pieces[..=at]))
        })
    }

    /// Waits until the shell has ended.
    pub fn ended(&mut self) {
        let end = Instant::now() + PATIENCE;
        while self.child.try_wait().expect("the shell's state").is_none() {
            assert!(Instant::now() < end, "the shell is still there");
            self.receive(Duration::from_millis(20));
        }
    }

    /// One of the fields that `/proc` has on the shell, counted from the state, which is 0.
    pub fn stat(&self, field: usize) -> String {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).expect("stat");
        let fields = stat.rsplit(") ").next().expect("fields after the name");
        let field = fields.split(' ').nth(field);
        field.expect("one more field").to_owned()
    }

    /// Reads until `enough` finds as many bytes as it wants, and takes these.
    fn until(&mut self, what: &str, enough: impl Fn(&[Piece]) -> Option<usize>) -> Cycle {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(count) = enough(&split(&self.seen)) {
                let raw = self.seen.drain(..count).collect::<Vec<u8>>();
                return Cycle {
                    raw: String::from_utf8_lossy(&raw).into_owned(),
                    pieces: split(&raw),
                };
            }
            let left = end.saturating_duration_since(Instant::now());
            let seen = String::from_utf8_lossy(&self.seen).into_owned();
            assert!(!left.is_zero(), "no {what:?} came, only {seen:?}");
            assert!(
                self.receive(left),
                "the shell ended before {what:?}: {seen:?}"
            );
        }
    }

    /// Reads what is there, waiting up to `patience` for it; false when the shell has closed
    /// its terminal.
    fn receive(&mut self, patience: Duration) -> bool {
        let mut ready = [PollFd::new(&self.master, PollFlags::IN)];
        let timeout = Timespec::try_from(patience).expect("a short time");
        if poll(&mut ready, Some(&timeout)).expect("poll") == 0 {
            return true;
        }
        let mut buffer = [0; 4096];
        match self.master.read(&mut buffer) {
            Ok(count) if count > 0 => self.seen.extend_from_slice(&buffer[..count]),
            _ => return false,
        }
        true
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Cycle {
    /// The marks without the nonce, B left out; one that has not our nonce is told.
    pub fn marks(&self) -> Vec<String> {
        let marks = self.pieces.iter().filter_map(Piece::mark);
        marks
            .filter(|mark| mark.kind != 'B')
            .map(Mark::shown)
            .collect()
    }

    /// What the command printed: the text from the first C to the last D.
    pub fn output(&self) -> String {
        let start = self.pieces.iter().position(|piece| piece.is('C'));
        let end = self.pieces.iter().rposition(|piece| piece.is('D'));
        let (Some(start), Some(end)) = (start, end) else {
            panic!("no C and D in {self:?}");
        };
        text_of(&self.pieces[start..end])
    }

    /// What was printed between the last D, or the start, and A.
    pub fn hooks(&self) -> String {
        let start = self.pieces.iter().rposition(|piece| piece.is('D'));
        let end = self.pieces.iter().rposition(|piece| piece.is('A'));
        text_of(&self.pieces[start.unwrap_or(0)..end.expect("an A")])
    }

    /// What is shown between A and B.
    pub fn shown(&self) -> String {
        let start = self.pieces.iter().rposition(|piece| piece.is('A'));
        text_of(&self.pieces[start.expect("an A")..])
    }
}

/// How many bytes the pieces have.
fn length(pieces: &[Piece]) -> usize {
    pieces.iter().map(Piece::len).sum()
}

/// The texts among the pieces, without what switches bracketed paste on.
fn text_of(pieces: &[Piece]) -> String {
    let texts = pieces.iter().filter_map(|piece| match piece {
        Piece::Text(text) => Some(text.as_str()),
        Piece::Mark(_) => None,
    });
    texts.collect::<String>().replace("\x1b[?2004h", "")
}
