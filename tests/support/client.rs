//! A client process: it runs, and it ends.

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use super::deadline::{LONG, wait_until};

/// How a client ended, and what it wrote.
#[derive(Debug)]
pub struct Ended {
    /// Its exit status; 128 and more where a signal ended it, as a shell has it.
    pub status: i32,
    /// Its standard output.
    pub out: Vec<u8>,
    /// Its standard error, without the last newline.
    pub err: String,
}

impl Ended {
    /// Returns its standard output as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.out).into_owned()
    }

    /// Expects that it succeeded without a word, and returns its standard output.
    #[track_caller]
    pub fn ok(self) -> Vec<u8> {
        assert!(
            self.status == 0 && self.err.is_empty(),
            "status {}, {:?}, output {:?}",
            self.status,
            self.err,
            self.text()
        );
        self.out
    }

    /// Expects a failure: the status, and the message, which may go on.
    #[track_caller]
    pub fn failed(&self, status: i32, message: &str) {
        assert!(
            self.status == status && self.err.starts_with(message),
            "expected {status} {message:?}, got {} {:?}, output {:?}",
            self.status,
            self.err,
            self.text()
        );
    }
}

/// A client that runs. Killed when dropped.
#[derive(Debug)]
pub struct Client {
    child: Child,
    out: Option<JoinHandle<Vec<u8>>>,
    err: Option<JoinHandle<Vec<u8>>>,
}

impl Client {
    /// Starts it with these bytes as its standard input.
    pub fn start(command: &mut Command, input: &[u8]) -> Self {
        let mut child = command
            .stdin(if input.is_empty() {
                Stdio::null()
            } else {
                Stdio::piped()
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        if let Some(mut stdin) = child.stdin.take() {
            let input = input.to_vec();
            // A client that refuses does not read: that it is gone shows in its status.
            std::thread::spawn(move || stdin.write_all(&input));
        }
        let out = child.stdout.take().map(collect);
        let err = child.stderr.take().map(collect);
        Self { child, out, err }
    }

    /// Returns its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Returns whether it still runs.
    pub fn runs(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Ends it by SIGKILL and waits for that.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits until it has ended.
    #[track_caller]
    pub fn ended(self) -> Ended {
        self.ended_within(LONG)
    }

    /// Waits so long until it has ended.
    #[track_caller]
    pub fn ended_within(mut self, within: Duration) -> Ended {
        let status = wait_until(
            within,
            "a client to end",
            || {
                self.child
                    .try_wait()
                    .unwrap()
                    .ok_or_else(|| "it runs".to_owned())
            },
            String::new,
        );
        let text = |thread: Option<JoinHandle<Vec<u8>>>| {
            thread.map_or_else(Vec::new, |thread| thread.join().unwrap())
        };
        let (out, err) = (text(self.out.take()), text(self.err.take()));
        Ended {
            status: status
                .code()
                .unwrap_or_else(|| 128 + status.signal().unwrap_or(0)),
            out,
            err: String::from_utf8_lossy(&err)
                .trim_end_matches('\n')
                .to_owned(),
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn collect(mut from: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // An error ends what there is.
        let _ = from.read_to_end(&mut bytes);
        bytes
    })
}
