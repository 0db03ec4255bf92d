//! The time in which a tmux swallows output: nobody reads it back. What amux adds
//! to it is to be told apart from what tmux itself takes.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FileType, Mode};
use rustix::termios::{LocalModes, OptionalActions};

use crate::tmux::Tmux;
use crate::way::{Answer, Case, Way};

pub struct Swallow {
    /// Ends when dropped.
    _tmux: Tmux,
    to: File,
    from: File,
    took: Duration,
}

impl Swallow {
    pub fn new(folder: &Path, program: &Path) -> Self {
        let path = |name: &str| -> PathBuf {
            let path = folder.join(name);
            let mode = Mode::RUSR | Mode::WUSR;
            rustix::fs::mknodat(CWD, &path, FileType::Fifo, mode, 0).expect("a pipe");
            path
        };
        let (orders, answers) = (path("orders"), path("answers"));
        let own = std::env::current_exe().expect("this program");
        let shell = format!(
            "exec {} swallow {} {} {}",
            own.display(),
            folder.join("megabyte").display(),
            orders.display(),
            answers.display()
        );
        let tmux = Tmux::new(folder, program, "swallow", &shell);
        Self {
            _tmux: tmux,
            to: File::options().write(true).open(orders).expect("a pipe"),
            from: File::open(answers).expect("a pipe"),
            took: Duration::ZERO,
        }
    }
}

impl Way for Swallow {
    fn name(&self) -> &'static str {
        "stock tmux swallows it"
    }

    fn run(&mut self, case: &Case) -> Answer {
        self.to.write_all(b"x").expect("the pane");
        let mut nanoseconds = [0; 8];
        self.from.read_exact(&mut nanoseconds).expect("the pane");
        self.took = Duration::from_nanos(u64::from_ne_bytes(nanoseconds));
        // It gives nothing back that could be wrong.
        Answer {
            output: case.output.clone(),
            status: None,
        }
    }

    fn took(&self) -> Option<Duration> {
        Some(self.took)
    }
}

/// What runs in the pane: for each byte of the one pipe it has `cat` show the
/// file, asks the terminal where its cursor is, and says by the other how long it
/// was until the answer. tmux answers when it has taken what came before.
pub fn in_pane(file: &str, from: &Path, to: &Path) {
    let terminal = std::io::stdin();
    let mut modes = rustix::termios::tcgetattr(&terminal).expect("a terminal");
    modes.local_modes -= LocalModes::ECHO | LocalModes::ICANON;
    rustix::termios::tcsetattr(&terminal, OptionalActions::Now, &modes).expect("a terminal");
    let mut from = File::open(from).expect("a pipe");
    let mut to = File::options().write(true).open(to).expect("a pipe");
    while from.read_exact(&mut [0]).is_ok() {
        let since = Instant::now();
        let ended = Command::new("cat").arg(file).status().expect("cat");
        assert!(ended.success());
        print!("\x1b[6n");
        std::io::stdout().flush().expect("a terminal");
        let mut byte = [0];
        while byte != *b"R" {
            terminal.lock().read_exact(&mut byte).expect("a terminal");
        }
        let took = u64::try_from(since.elapsed().as_nanos()).expect("a short time");
        to.write_all(&took.to_ne_bytes())
            .expect("somebody who listens");
    }
}
