//! A client in control mode.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

use super::deadline::LONG;
use super::server::Server;

/// A control client that is attached. Killed when dropped.
#[derive(Debug)]
pub struct Control {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

/// What came between `%begin` and `%end` or `%error`.
#[derive(Debug, PartialEq, Eq)]
pub struct Reply {
    /// Whether it ended with `%error`.
    pub error: bool,
    /// The lines between.
    pub lines: Vec<String>,
}

impl Control {
    /// Attaches to the session `main`, with these further arguments of `attach-session`.
    pub fn attach(server: &Server, arguments: &[&str]) -> Self {
        let mut child = server
            .command()
            .args(["-C", "attach-session", "-t", "main"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.split(b'\n').map_while(Result::ok) {
                if sender
                    .send(String::from_utf8_lossy(&line).into_owned())
                    .is_err()
                {
                    break;
                }
            }
        });
        let mut control = Self {
            child,
            input,
            lines,
        };
        let attached = control.reply();
        assert!(!attached.error, "{attached:?}");
        control
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) {
        self.input
            .write_all(format!("{line}\n").as_bytes())
            .unwrap();
    }

    /// Returns the next line, or `None` when the client has ended.
    #[track_caller]
    pub fn line(&mut self) -> Option<String> {
        match self.lines.recv_timeout(LONG) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => {
                panic!("waited {LONG:?} for a line of a control client")
            }
        }
    }

    /// Returns the next reply; notifications before it are passed over.
    #[track_caller]
    pub fn reply(&mut self) -> Reply {
        let mut lines = None::<Vec<String>>;
        loop {
            let line = self.line().expect("the control client ended");
            match &mut lines {
                None if line.starts_with("%begin ") => lines = Some(Vec::new()),
                None => {}
                Some(lines) if line.starts_with("%end ") || line.starts_with("%error ") => {
                    return Reply {
                        error: line.starts_with("%error "),
                        lines: std::mem::take(lines),
                    };
                }
                Some(lines) => lines.push(line),
            }
        }
    }

    /// Sends a line and returns its reply.
    #[track_caller]
    pub fn ask(&mut self, line: &str) -> Reply {
        self.send(line);
        self.reply()
    }

    /// Returns the next line that is no notification of another kind than these commands' own output.
    #[track_caller]
    pub fn line_that(&mut self, fits: impl Fn(&str) -> bool) -> String {
        loop {
            let line = self.line().expect("the control client ended");
            if fits(&line) {
                return line;
            }
        }
    }

    /// Returns its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
