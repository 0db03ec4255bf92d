//! A client that speaks over the socket, and says what it likes.

use std::io::{IoSlice, Read, Write};
use std::os::fd::BorrowedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

use crate::support::deadline::LONG;
use crate::support::{Build, Gate, Server};

/// Types of messages, as tmux-protocol.h has them.
pub mod kind {
    pub const FLAGS: u32 = 100;
    pub const TERM: u32 = 101;
    pub const TTYNAME: u32 = 102;
    pub const STDIN: u32 = 104;
    pub const ENVIRON: u32 = 105;
    pub const DONE: u32 = 106;
    pub const CLIENTPID: u32 = 107;
    pub const CWD: u32 = 108;
    pub const FEATURES: u32 = 109;
    pub const STDOUT: u32 = 110;
    pub const LONGFLAGS: u32 = 111;
    pub const TERMINFO: u32 = 112;
    pub const COMMAND: u32 = 200;
    pub const EXIT: u32 = 203;
    pub const EXITING: u32 = 205;
    pub const RESIZE: u32 = 208;
    pub const SHELL: u32 = 209;
    pub const SHUTDOWN: u32 = 210;
    pub const UNLOCK: u32 = 215;
    pub const WAKEUP: u32 = 216;
    pub const READ_OPEN: u32 = 300;
    pub const READ: u32 = 301;
    pub const READ_DONE: u32 = 302;
    pub const WRITE_OPEN: u32 = 303;
    pub const WRITE: u32 = 304;
    pub const WRITE_READY: u32 = 305;
}
use kind::{
    CLIENTPID, COMMAND, CWD, DONE, ENVIRON, EXIT, LONGFLAGS, TERM, TTYNAME, WRITE, WRITE_OPEN,
    WRITE_READY,
};

/// Flags of a client: it understands UTF-8; it is in control mode.
pub const UTF8: u64 = 0x10000;
pub const CONTROL: u64 = 0x2000;

/// What a client says of itself, in order, without the message that ends it.
pub const IDENTITY: [(u32, &[u8]); 6] = [
    (LONGFLAGS, &UTF8.to_ne_bytes()),
    (TERM, b"\0"),
    (TTYNAME, b"\0"),
    (CWD, b"/\0"),
    (CLIENTPID, &1_i32.to_ne_bytes()),
    (ENVIRON, b"NAME=value\0"),
];

/// Makes a message; its length is said to be this.
pub fn with_length(kind: u32, length: u32, data: &[u8]) -> Vec<u8> {
    let header = [kind, length, 8, u32::MAX];
    let mut bytes: Vec<u8> = header.iter().flat_map(|word| word.to_ne_bytes()).collect();
    bytes.extend_from_slice(data);
    bytes
}

/// Makes a message.
pub fn message(kind: u32, data: &[u8]) -> Vec<u8> {
    with_length(kind, 16 + u32::try_from(data.len()).unwrap(), data)
}

/// Makes the messages of a client that identifies itself, without those of a kind.
pub fn identity_without(kind: u32) -> Vec<u8> {
    let parts = IDENTITY.iter().filter(|(found, _)| *found != kind);
    let mut bytes: Vec<u8> = parts
        .flat_map(|(kind, data)| message(*kind, data))
        .collect();
    bytes.extend(message(DONE, b""));
    bytes
}

pub fn identity() -> Vec<u8> {
    identity_without(0)
}

/// Makes the messages of a client with these flags.
pub fn identity_with(flags: u64) -> Vec<u8> {
    [
        message(LONGFLAGS, &flags.to_ne_bytes()),
        identity_without(LONGFLAGS),
    ]
    .concat()
}

/// Makes a command that says how many arguments it has.
pub fn counted(count: i32, arguments: &[u8]) -> Vec<u8> {
    message(COMMAND, &[&count.to_ne_bytes(), arguments].concat())
}

pub fn command(arguments: &[&str]) -> Vec<u8> {
    let count = i32::try_from(arguments.len()).unwrap();
    let bytes: Vec<u8> = arguments
        .iter()
        .flat_map(|argument| [argument.as_bytes(), b"\0"].concat())
        .collect();
    counted(count, &bytes)
}

/// Makes a message about a stream with an error number, which is how a file ends.
pub fn about(kind: u32, stream: i32, error: i32) -> Vec<u8> {
    message(kind, &[stream.to_ne_bytes(), error.to_ne_bytes()].concat())
}

/// A client that speaks over the socket.
pub struct Raw {
    /// The connection.
    pub stream: UnixStream,
    buffer: Vec<u8>,
}

impl Raw {
    pub fn connect(server: &Server, what: &str) -> Self {
        Self::connect_to(&server.socket(), what)
    }

    pub fn connect_to(socket: &Path, what: &str) -> Self {
        let stream = UnixStream::connect(socket)
            .unwrap_or_else(|error| panic!("{what}: the server is gone: {error}"));
        stream.set_read_timeout(Some(LONG)).unwrap();
        Self {
            stream,
            buffer: Vec::new(),
        }
    }

    /// Sends bytes. A server that has dropped this client reads no more of them, which is no fault here.
    pub fn send(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes);
    }

    /// Sends a message with a descriptor; as `send` does.
    pub fn send_with(&mut self, build: &Build, kind: u32, data: &[u8], descriptor: BorrowedFd<'_>) {
        // From 3.6 on the length has 31 bits, and one says that a descriptor comes along.
        let old = ["3.3a", "3.5a"]
            .iter()
            .any(|old| build.name.starts_with(old));
        let mark = if old { 1 << 16 } else { 1 << 31 };
        let length = 16 + u32::try_from(data.len()).unwrap();
        let bytes = with_length(kind, length | mark, data);
        let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        let descriptors = [descriptor];
        assert!(control.push(SendAncillaryMessage::ScmRights(&descriptors)));
        let _ = sendmsg(
            &self.stream,
            &[IoSlice::new(&bytes)],
            &mut control,
            SendFlags::NOSIGNAL,
        );
    }

    /// Returns the next message, or `None` when the server has closed the connection.
    #[track_caller]
    pub fn next(&mut self, what: &str) -> Option<(u32, Vec<u8>)> {
        let word =
            |bytes: &[u8], at: usize| u32::from_ne_bytes(bytes[at..at + 4].try_into().unwrap());
        loop {
            if self.buffer.len() >= 16 {
                let length = word(&self.buffer, 4) as usize;
                assert!((16..=16_384).contains(&length), "{what}: length {length}");
                if self.buffer.len() >= length {
                    let rest = self.buffer.split_off(length);
                    let whole = std::mem::replace(&mut self.buffer, rest);
                    return Some((word(&whole, 0), whole[16..].to_vec()));
                }
            }
            let mut space = [0; 4096];
            match self.stream.read(&mut space) {
                Ok(0) => return None,
                Ok(size) => self.buffer.extend_from_slice(&space[..size]),
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return None,
                Err(error) => panic!("{what}: waited {LONG:?} for an answer: {error}"),
            }
        }
    }

    /// Waits for a message of a kind and returns its data.
    #[track_caller]
    pub fn until(&mut self, wanted: u32, what: &str) -> Vec<u8> {
        loop {
            match self.next(what) {
                Some((kind, data)) if kind == wanted => return data,
                Some(_) => {}
                None => panic!("{what}: the server closed the connection"),
            }
        }
    }

    /// Waits for the end of its command, and returns what was written meanwhile, to both streams.
    #[track_caller]
    pub fn answer(&mut self, what: &str) -> String {
        let mut written = Vec::new();
        loop {
            match self.next(what) {
                Some((WRITE_OPEN, data)) => {
                    let stream = i32::from_ne_bytes(data[..4].try_into().unwrap());
                    self.send(&about(WRITE_READY, stream, 0));
                }
                Some((WRITE, data)) => written.extend_from_slice(&data[4..]),
                Some((EXIT, _)) => return String::from_utf8(written).unwrap(),
                Some(_) => {}
                None => panic!("{what}: the server closed the connection"),
            }
        }
    }

    /// Waits until the server has closed the connection.
    #[track_caller]
    pub fn until_dropped(mut self, what: &str) {
        while self.next(what).is_some() {}
    }
}

/// Fails unless the server answers a client.
#[track_caller]
pub fn alive(server: &Server, what: &str) {
    let mut raw = Raw::connect(server, what);
    raw.send(&[identity(), command(&["display-message", "-p", "good"])].concat());
    assert_eq!(raw.answer(what), "good\n", "{what}");
}

/// Sends bytes as a client, which must be dropped for it; nothing else may happen.
#[track_caller]
pub fn dropped(server: &Server, what: &str, bytes: &[u8]) {
    let mut raw = Raw::connect(server, what);
    raw.send(bytes);
    raw.until_dropped(what);
    alive(server, what);
}

/// Starts a server on which a client waits for a command that runs, and looks afterwards that this client gets
/// its answer, that tmux's own clients are served, and that no file is left open.
pub fn while_somebody_waits(build: &Build, provoke: impl FnOnce(&Server)) {
    let server = Server::start(build);
    let pane = server.shell();
    let gate = Gate::new(&server, "gate");
    let id = pane.submit(&format!("cat {}; echo out", gate.path()));
    let key = gate.reached();
    let wait = server.spawn_reached(&["read-pane", "-w", "-O", "-i", &id, "-t", &pane.id], b"");
    let files = server.open_files();
    provoke(&server);
    server.until_open_files(files);
    let pid = server.tmux(&["display-message", "-p", "#{pid}"]);
    assert_eq!(pid, server.pid().to_string());
    drop(key);
    assert_eq!(wait.ended().ok(), b"out\n");
}
