//! The server's side of the messages: what tests play a server with.

use crate::wire::imsg::{self, Frame};
use crate::wire::message::{ToClient, string};
use crate::wire::protocol::*;

impl ToClient<'_> {
    /// Appends the message's frame as a server does. The strings of a message are
    /// short.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        let number = |number: &i32| number.to_ne_bytes();
        let result = match self {
            Self::ReadOpen { stream, fd, path } => {
                let parts: [&[u8]; 4] = [&number(stream), &number(fd), path, b"\0"];
                imsg::put(out, MSG_READ_OPEN, &parts)
            }
            Self::ReadCancel { stream } => imsg::put(out, MSG_READ_CANCEL, &[&number(stream)]),
            Self::WriteOpen {
                stream,
                fd,
                flags,
                path,
            } => {
                let numbers = [number(stream), number(fd), number(flags)].concat();
                imsg::put(out, MSG_WRITE_OPEN, &[&numbers, path, b"\0"])
            }
            Self::Write { stream, data } => imsg::put(out, MSG_WRITE, &[&number(stream), data]),
            Self::WriteClose { stream } => imsg::put(out, MSG_WRITE_CLOSE, &[&number(stream)]),
            Self::Exit { status, message } => {
                imsg::put(out, MSG_EXIT, &[&number(status), message, b"\0"])
            }
            Self::Shutdown { status, message } => {
                imsg::put(out, MSG_SHUTDOWN, &[&number(status), message, b"\0"])
            }
            Self::Detach => imsg::put(out, MSG_DETACH, &[b"session\0"]),
            Self::Exited => imsg::put(out, MSG_EXITED, &[]),
            Self::Flags => imsg::put(out, MSG_FLAGS, &[&[0; 8]]),
            Self::Version(version) => {
                let at = out.len();
                let result = imsg::put(out, MSG_VERSION, &[]);
                out[at + 8] = *version;
                result
            }
        };
        assert_eq!(result, Ok(()));
    }
}

/// What a client said, as the server sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Said {
    Flags(u64),
    Term(Vec<u8>),
    TtyName(Vec<u8>),
    Cwd(Vec<u8>),
    ClientPid(i32),
    Environ(Vec<u8>),
    IdentifyDone,
    Command(Vec<Vec<u8>>),
    Read { stream: i32, data: Vec<u8> },
    ReadDone { stream: i32, error: i32 },
    WriteReady { stream: i32, error: i32 },
    Exiting,
}

/// Reads a client's message as strictly as the servers that end on a wrong one.
pub(crate) fn read(frame: Frame<'_>) -> Said {
    let data = frame.data;
    let number = |at: usize| i32::from_ne_bytes(data[at..at + 4].try_into().unwrap());
    let text = || {
        assert_eq!(data.last(), Some(&0), "a string has its NUL");
        string(data).to_vec()
    };
    let size = |size: usize| assert_eq!(data.len(), size, "type {}", frame.kind);
    match frame.kind {
        MSG_IDENTIFY_LONGFLAGS => Said::Flags(u64::from_ne_bytes(data.try_into().unwrap())),
        MSG_IDENTIFY_TERM => Said::Term(text()),
        MSG_IDENTIFY_TTYNAME => Said::TtyName(text()),
        MSG_IDENTIFY_CWD => Said::Cwd(text()),
        MSG_IDENTIFY_CLIENTPID => {
            size(4);
            Said::ClientPid(number(0))
        }
        MSG_IDENTIFY_ENVIRON => Said::Environ(text()),
        MSG_IDENTIFY_DONE => {
            size(0);
            Said::IdentifyDone
        }
        MSG_COMMAND => {
            let arguments = &data[4..];
            assert!(arguments.is_empty() || arguments.ends_with(b"\0"));
            let mut all: Vec<_> = arguments.split(|&b| b == 0).map(<[u8]>::to_vec).collect();
            all.pop();
            assert_eq!(all.len(), usize::try_from(number(0)).unwrap());
            Said::Command(all)
        }
        MSG_READ => Said::Read {
            stream: number(0),
            data: data[4..].to_vec(),
        },
        MSG_READ_DONE => {
            size(8);
            Said::ReadDone {
                stream: number(0),
                error: number(4),
            }
        }
        MSG_WRITE_READY => {
            size(8);
            Said::WriteReady {
                stream: number(0),
                error: number(4),
            }
        }
        MSG_EXITING => {
            size(0);
            Said::Exiting
        }
        kind => panic!("type {kind}"),
    }
}
