//! The rest of a conversation: what the server asks for and what it tells, up to
//! its exit.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;

use crate::exec::process::{Finished, MAX_OUTPUT, MAX_STDERR};
use crate::exec::socket::Failure;
use crate::wire::imsg::{Bad, Decoder};
use crate::wire::message::{MAX_READ, ToClient, ToServer};

/// Most messages that bring no data, and most streams: a server sends a handful.
const MAX_OTHER: u32 = 10_000;
const MAX_STREAMS: usize = 64;

/// Sizes at which an output's memory is made four times as large, instead of twice:
/// it is copied then, and a megabyte takes the client a third less time. What is
/// not written to costs no memory.
const GROWS_FAST: std::ops::Range<usize> = 64 * 1024..4 * 1024 * 1024;

/// How many messages of standard input are made at once.
const AT_ONCE: usize = 3;

const STDIN: i32 = 0;
const STDOUT: i32 = 1;
const STDERR: i32 = 2;

/// Where the data of a stream go.
#[derive(Debug, Clone, Copy)]
enum Sink {
    Stdout,
    Stderr,
}

/// Standard input on its way to the server.
#[derive(Debug)]
struct Feed {
    stream: i32,
    data: Vec<u8>,
    at: usize,
}

/// What is known of a conversation.
struct Talk {
    /// Whole messages for the server, of which some bytes are sent.
    out: Vec<u8>,
    sent: usize,
    /// Until the server asks for it.
    stdin: Option<Vec<u8>>,
    feed: Option<Feed>,
    streams: Vec<(i32, Sink)>,
    /// Messages without data.
    others: u32,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

/// Answers the server until it tells how the command ended.
pub(super) async fn talk(mut stream: UnixStream, stdin: Vec<u8>) -> Result<Finished, Failure> {
    let mut talk = Talk::new(stdin);
    let mut decoder = Decoder::new();
    let (mut reader, writer) = stream.split();
    loop {
        while let Some(frame) = decoder.frame().map_err(Failure::Bad)? {
            let message = ToClient::read(frame).map_err(Failure::Bad)?;
            if let Some(status) = talk.take(message)? {
                return Ok(talk.finished(status));
            }
        }
        talk.fill();
        // Nearly always there is room: no need to ask first.
        if talk.pending() {
            let written = writer.try_write(talk.unsent());
            talk.wrote(written);
        }
        let more = talk.pending() || talk.feed.is_some();
        tokio::select! {
            read = reader.read(decoder.space()) => match read {
                Ok(count @ 1..) => decoder.filled(count),
                // It may have closed with our data unread, which is an error.
                Ok(0) | Err(_) => return Err(Failure::Lost),
            },
            // An error shows in the write that follows.
            _ = writer.writable(), if more => {}
        }
    }
}

impl Talk {
    fn new(stdin: Vec<u8>) -> Self {
        Self {
            out: Vec::new(),
            sent: 0,
            stdin: Some(stdin),
            feed: None,
            streams: Vec::new(),
            others: 0,
            stdout: Vec::new(),
            stderr: Vec::new(),
        }
    }

    /// Takes a message. Returns the status where it was the last.
    fn take(&mut self, message: ToClient<'_>) -> Result<Option<i32>, Failure> {
        match message {
            ToClient::Write { stream, data } if !data.is_empty() => {
                self.write(stream, data)?;
                return Ok(None);
            }
            // It would end here, whatever came before.
            ToClient::Exit { status, message } | ToClient::Shutdown { status, message } => {
                return Ok(Some(self.exit(status, message)));
            }
            _ => {}
        }
        self.others += 1;
        if self.others > MAX_OTHER {
            return Err(Failure::Bad(Bad::Endless));
        }
        match message {
            ToClient::ReadOpen { stream, fd, .. } => self.read_open(stream, fd),
            ToClient::ReadCancel { stream } => {
                if self.feed.as_ref().is_some_and(|feed| feed.stream == stream) {
                    self.feed = None;
                    self.put(&ToServer::ReadDone { stream, error: 0 });
                }
            }
            ToClient::WriteOpen { stream, fd, .. } => self.write_open(stream, fd)?,
            ToClient::WriteClose { stream } => {
                self.sink(stream)?;
                self.streams.retain(|(open, _)| *open != stream);
            }
            ToClient::Write { stream, .. } => {
                self.sink(stream)?;
            }
            ToClient::Detach => self.put(&ToServer::Exiting),
            ToClient::Exited => return Ok(Some(0)),
            ToClient::Flags => {}
            ToClient::Version(version) => {
                return Err(Failure::Bad(Bad::Version(version)));
            }
            ToClient::Exit { .. } | ToClient::Shutdown { .. } => {}
        }
        Ok(None)
    }

    /// The standard input is read once; files are not opened.
    fn read_open(&mut self, stream: i32, fd: i32) {
        let data = match fd {
            STDIN => self.stdin.take(),
            _ => None,
        };
        match data {
            Some(data) => {
                let at = 0;
                self.feed = Some(Feed { stream, data, at });
            }
            None => {
                let error = refusal(fd);
                self.put(&ToServer::ReadDone { stream, error });
            }
        }
    }

    fn write_open(&mut self, stream: i32, fd: i32) -> Result<(), Failure> {
        let known = self.streams.iter().any(|(open, _)| *open == stream);
        let sink = match fd {
            STDOUT if !known => Some(Sink::Stdout),
            STDERR if !known => Some(Sink::Stderr),
            _ => None,
        };
        if self.streams.len() >= MAX_STREAMS {
            return Err(Failure::Bad(Bad::Stream(stream)));
        }
        let error = match sink {
            Some(sink) => {
                self.streams.push((stream, sink));
                0
            }
            None => refusal(fd),
        };
        self.put(&ToServer::WriteReady { stream, error });
        Ok(())
    }

    fn sink(&self, stream: i32) -> Result<Sink, Failure> {
        self.streams
            .iter()
            .find(|(open, _)| *open == stream)
            .map(|(_, sink)| *sink)
            .ok_or(Failure::Bad(Bad::Stream(stream)))
    }

    fn write(&mut self, stream: i32, data: &[u8]) -> Result<(), Failure> {
        match self.sink(stream)? {
            Sink::Stdout if (self.stdout.len() + data.len()) as u64 > MAX_OUTPUT => {
                return Err(Failure::TooMuchOutput);
            }
            Sink::Stdout => {
                let stdout = &mut self.stdout;
                let full = stdout.capacity() - stdout.len() < data.len();
                if full && GROWS_FAST.contains(&stdout.len()) {
                    stdout.reserve(3 * stdout.capacity());
                }
                stdout.extend_from_slice(data);
            }
            Sink::Stderr => self.complain(data),
        }
        Ok(())
    }

    /// Adds to the standard error, of which the beginning is kept.
    fn complain(&mut self, data: &[u8]) {
        let limit = usize::try_from(MAX_STDERR).unwrap_or(usize::MAX);
        let room = limit.saturating_sub(self.stderr.len());
        self.stderr.extend_from_slice(&data[..room.min(data.len())]);
    }

    /// The message is about a failure, which status 0 would hide.
    fn exit(&mut self, status: i32, message: &[u8]) -> i32 {
        if message.is_empty() {
            return status;
        }
        self.complain(message);
        self.complain(b"\n");
        if status == 0 { 1 } else { status }
    }

    fn put(&mut self, message: &ToServer<'_>) {
        let put = message.put(&mut self.out);
        // Nothing that is answered with is long or has a string.
        debug_assert_eq!(put, Ok(()));
    }

    /// Makes messages of the standard input, when those before are sent.
    fn fill(&mut self) {
        if self.pending() {
            return;
        }
        let Some(mut feed) = self.feed.take() else {
            return;
        };
        let stream = feed.stream;
        for _ in 0..AT_ONCE {
            let rest = feed.data.get(feed.at..).unwrap_or_default();
            let Some(data) = rest
                .get(..MAX_READ.min(rest.len()))
                .filter(|d| !d.is_empty())
            else {
                self.put(&ToServer::ReadDone { stream, error: 0 });
                return;
            };
            self.put(&ToServer::Read { stream, data });
            feed.at += data.len();
        }
        self.feed = Some(feed);
    }

    fn pending(&self) -> bool {
        self.sent < self.out.len()
    }

    fn unsent(&self) -> &[u8] {
        self.out.get(self.sent..).unwrap_or_default()
    }

    /// Notes what was written.
    fn wrote(&mut self, written: io::Result<usize>) {
        match written {
            Ok(count) => self.sent += count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            // The server has closed. What it said before is still to be read.
            Err(_) => {
                self.feed = None;
                self.sent = self.out.len();
            }
        }
        if !self.pending() {
            self.out.clear();
            self.sent = 0;
        }
    }

    fn finished(self, status: i32) -> Finished {
        Finished {
            // As a process ends: of its status eight bits are left.
            status: ExitStatus::from_raw((status & 0xff) << 8),
            stdout: self.stdout,
            stderr: self.stderr,
        }
    }
}

/// The errno for what is not opened: a descriptor that is none here, or a file.
fn refusal(fd: i32) -> i32 {
    match fd {
        -1 => rustix::io::Errno::ACCESS.raw_os_error(),
        _ => rustix::io::Errno::BADF.raw_os_error(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_without_end_is_refused() {
        let mut talk = Talk::new(Vec::new());
        talk.write_open(1, STDOUT).unwrap();
        // Pages that nobody touches take no memory.
        talk.stdout = vec![0; usize::try_from(MAX_OUTPUT).unwrap() - 1];
        talk.write(1, b"x").unwrap();
        assert!(matches!(talk.write(1, b"x"), Err(Failure::TooMuchOutput)));
    }
}
