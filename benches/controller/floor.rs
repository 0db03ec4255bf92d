//! The floor: a bash in a bare pseudo-terminal, whose prompt says where a command
//! begins, where it ends and how. No terminal is emulated, and nobody else can
//! look at it; whatever keeps a shell in a terminal does at least this.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use rustix::fs::{Mode, OFlags};
use rustix::pty::OpenptFlags;
use rustix::termios::Winsize;

use crate::way::{Answer, Case, Way, at_home};

/// Marks by OSC 133: prompt, its end, output, end with status.
const START_UP: &str = r#"
PROMPT_COMMAND='printf "\e]133;D;%s\a\e]133;A\a" "$?"'
PS1='$ \[\e]133;B\a\]'
PS0='\e]133;C\a'
"#;

const PROMPT_END: &[u8] = b"\x1b]133;B\x07";
const OUTPUT: &[u8] = b"\x1b]133;C\x07";
const END: &[u8] = b"\x1b]133;D;";

pub struct Floor {
    bash: Child,
    master: File,
    piece: Vec<u8>,
}

impl Floor {
    pub fn new(folder: &Path) -> Self {
        let start_up = folder.join("floor.bash");
        std::fs::write(&start_up, START_UP).expect("room for a file");
        let (master, slave) = pair();
        // It makes the terminal that it has the shell's own.
        let mut command = Command::new("setsid");
        at_home(&mut command, folder);
        let bash = command
            .args(["--ctty", "bash", "--rcfile"])
            .arg(&start_up)
            .arg("-i")
            .stdin(slave.try_clone().expect("a descriptor"))
            .stdout(slave.try_clone().expect("a descriptor"))
            .stderr(slave)
            .spawn()
            .expect("setsid, of util-linux");
        let mut floor = Self {
            bash,
            master,
            piece: vec![0; 64 * 1024],
        };
        floor.until_prompt();
        floor
    }

    /// Reads until the shell waits for a line.
    fn until_prompt(&mut self) -> Vec<u8> {
        let mut read = Vec::new();
        loop {
            let size = self.master.read(&mut self.piece).expect("the shell");
            read.extend_from_slice(&self.piece[..size]);
            // The prompt is the last that it prints.
            if read.ends_with(PROMPT_END) {
                return read;
            }
        }
    }
}

impl Way for Floor {
    fn name(&self) -> &'static str {
        "bare terminal, OSC 133"
    }

    fn run(&mut self, case: &Case) -> Answer {
        let line = format!("{}\r", case.text);
        self.master.write_all(line.as_bytes()).expect("the shell");
        let read = self.until_prompt();
        let begin = find(&read, OUTPUT).expect("the mark C") + OUTPUT.len();
        let end = begin + find(&read[begin..], END).expect("the mark D");
        let status = &read[end + END.len()..];
        let status = &status[..find(status, b"\x07").expect("the end of a mark")];
        Answer {
            output: String::from_utf8_lossy(&read[begin..end]).replace("\r\n", "\n"),
            status: String::from_utf8_lossy(status).parse().ok(),
        }
    }
}

impl Drop for Floor {
    fn drop(&mut self) {
        let _ = self.bash.kill();
        let _ = self.bash.wait();
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = bytes[from..].iter().position(|&byte| byte == what[0]) {
        if bytes[from + at..].starts_with(what) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}

/// Opens a pseudo-terminal of the size of amux's windows: master and slave.
fn pair() -> (File, File) {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = rustix::pty::openpt(flags).expect("a terminal");
    rustix::pty::grantpt(&master).expect("a terminal");
    rustix::pty::unlockpt(&master).expect("a terminal");
    let name = rustix::pty::ptsname(&master, Vec::new()).expect("its name");
    let path = PathBuf::from(std::ffi::OsString::from_vec(name.into_bytes()));
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let slave = rustix::fs::open(path, flags, Mode::empty()).expect("a terminal");
    let size = Winsize {
        ws_row: 24,
        ws_col: 200,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    rustix::termios::tcsetwinsize(&slave, size).expect("a terminal");
    (master.into(), slave.into())
}
