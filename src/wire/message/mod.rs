//! The messages between tmux's client and server, as values
//! (tmux-protocol.h). Those of a client that runs one command: it never
//! attaches, is no control client, and passes no descriptor.

#[cfg(test)]
pub(crate) mod server;

use crate::wire::imsg::{self, Bad, Frame, MAX_DATA};
use crate::wire::protocol::{
    MSG_COMMAND, MSG_DETACH, MSG_DETACHKILL, MSG_EXIT, MSG_EXITED, MSG_EXITING, MSG_FLAGS,
    MSG_IDENTIFY_CLIENTPID, MSG_IDENTIFY_CWD, MSG_IDENTIFY_DONE, MSG_IDENTIFY_ENVIRON,
    MSG_IDENTIFY_LONGFLAGS, MSG_IDENTIFY_TERM, MSG_IDENTIFY_TTYNAME, MSG_READ, MSG_READ_CANCEL,
    MSG_READ_DONE, MSG_READ_OPEN, MSG_SHUTDOWN, MSG_VERSION, MSG_WRITE, MSG_WRITE_CLOSE,
    MSG_WRITE_OPEN, MSG_WRITE_READY,
};

/// Most bytes in one [`ToServer::Read`].
pub(crate) const MAX_READ: usize = MAX_DATA - 4;

/// What a client says.
///
/// A server up to 3.5a ends on a message of a wrong size, on a string without
/// its last NUL, and on a message about the client behind
/// [`ToServer::IdentifyDone`]; one up to 3.6 also where no name of a terminal
/// came. All but the order is right here by construction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ToServer<'a> {
    Flags(u64),
    Term(&'a [u8]),
    TtyName(&'a [u8]),
    Cwd(&'a [u8]),
    ClientPid(i32),
    /// `name=value`.
    Environ(&'a [u8]),
    IdentifyDone,
    /// A command and its arguments.
    Command(&'a [&'a [u8]]),
    /// Bytes for a stream that the server reads; at most [`MAX_READ`].
    Read {
        stream: i32,
        data: &'a [u8],
    },
    /// There is no more, or none: then an errno.
    ReadDone {
        stream: i32,
        error: i32,
    },
    /// A stream that the server writes is open, or is not: then an errno.
    WriteReady {
        stream: i32,
        error: i32,
    },
    Exiting,
}

/// Why a message cannot be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unsendable {
    TooLong,
    /// A string has a NUL in it, which ends strings.
    Nul,
}

impl From<imsg::TooLong> for Unsendable {
    fn from(_: imsg::TooLong) -> Self {
        Self::TooLong
    }
}

impl ToServer<'_> {
    /// Appends the message's frame; nothing where that is an error.
    pub(crate) fn put(&self, out: &mut Vec<u8>) -> Result<(), Unsendable> {
        let number = |stream: &i32| stream.to_ne_bytes();
        match self {
            Self::Flags(flags) => {
                imsg::put(out, MSG_IDENTIFY_LONGFLAGS, &[&flags.to_ne_bytes()])?;
            }
            Self::Term(text) => put_string(out, MSG_IDENTIFY_TERM, text)?,
            Self::TtyName(text) => put_string(out, MSG_IDENTIFY_TTYNAME, text)?,
            Self::Cwd(text) => put_string(out, MSG_IDENTIFY_CWD, text)?,
            Self::ClientPid(pid) => imsg::put(out, MSG_IDENTIFY_CLIENTPID, &[&number(pid)])?,
            Self::Environ(text) => put_string(out, MSG_IDENTIFY_ENVIRON, text)?,
            Self::IdentifyDone => imsg::put(out, MSG_IDENTIFY_DONE, &[])?,
            Self::Command(arguments) => put_command(out, arguments)?,
            Self::Read { stream, data } => imsg::put(out, MSG_READ, &[&number(stream), data])?,
            Self::ReadDone { stream, error } => {
                imsg::put(out, MSG_READ_DONE, &[&number(stream), &number(error)])?;
            }
            Self::WriteReady { stream, error } => {
                imsg::put(out, MSG_WRITE_READY, &[&number(stream), &number(error)])?;
            }
            Self::Exiting => imsg::put(out, MSG_EXITING, &[])?,
        }
        Ok(())
    }
}

fn put_string(out: &mut Vec<u8>, kind: u32, text: &[u8]) -> Result<(), Unsendable> {
    match text.contains(&0) {
        true => Err(Unsendable::Nul),
        false => Ok(imsg::put(out, kind, &[text, b"\0"])?),
    }
}

fn put_command(out: &mut Vec<u8>, arguments: &[&[u8]]) -> Result<(), Unsendable> {
    let count = i32::try_from(arguments.len()).map_err(|_| Unsendable::TooLong)?;
    if arguments.iter().any(|argument| argument.contains(&0)) {
        return Err(Unsendable::Nul);
    }
    let count = count.to_ne_bytes();
    let mut parts: Vec<&[u8]> = Vec::with_capacity(1 + 2 * arguments.len());
    parts.push(&count);
    for argument in arguments {
        parts.extend([argument, &b"\0"[..]]);
    }
    Ok(imsg::put(out, MSG_COMMAND, &parts)?)
}

/// What a server says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToClient<'a> {
    /// The server wants to read: what has the descriptor here, or the file,
    /// where that is −1.
    ReadOpen {
        stream: i32,
        fd: i32,
        path: &'a [u8],
    },
    ReadCancel {
        stream: i32,
    },
    /// The server wants to write, as above. The flags are those of open(2).
    WriteOpen {
        stream: i32,
        fd: i32,
        flags: i32,
        path: &'a [u8],
    },
    Write {
        stream: i32,
        data: &'a [u8],
    },
    WriteClose {
        stream: i32,
    },
    /// The command has ended. A message is always about a failure, whatever the
    /// status: one who may not use the server is told 0 up to 3.5a.
    Exit {
        status: i32,
        message: &'a [u8],
    },
    /// The server ends; with a status where it knows one.
    Shutdown {
        status: i32,
        message: &'a [u8],
    },
    Detach,
    Exited,
    /// Flags of the client have changed.
    Flags,
    /// The server speaks this version of the protocol, and not the client's.
    Version(u8),
}

impl<'a> ToClient<'a> {
    pub(crate) fn read(frame: Frame<'a>) -> Result<Self, Bad> {
        let data = frame.data;
        let bad = Bad::Size(frame.kind, data.len());
        let number = |at: usize| {
            let bytes = data.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
            bytes.map(i32::from_ne_bytes).ok_or(bad)
        };
        let only_stream = || match data.len() {
            4 => number(0),
            _ => Err(bad),
        };
        let nothing = |message: Self| match data.is_empty() {
            true => Ok(message),
            false => Err(bad),
        };
        match frame.kind {
            MSG_READ_OPEN => Ok(Self::ReadOpen {
                stream: number(0)?,
                fd: number(4)?,
                path: string(&data[8..]),
            }),
            MSG_READ_CANCEL => only_stream().map(|stream| Self::ReadCancel { stream }),
            MSG_WRITE_OPEN => Ok(Self::WriteOpen {
                stream: number(0)?,
                fd: number(4)?,
                flags: number(8)?,
                path: string(&data[12..]),
            }),
            MSG_WRITE => Ok(Self::Write {
                stream: number(0)?,
                data: &data[4..],
            }),
            MSG_WRITE_CLOSE => only_stream().map(|stream| Self::WriteClose { stream }),
            MSG_EXIT | MSG_SHUTDOWN => {
                let (status, message) = match data.is_empty() {
                    true => (0, data),
                    false => (number(0)?, string(&data[4..])),
                };
                Ok(match frame.kind {
                    MSG_EXIT => Self::Exit { status, message },
                    _ => Self::Shutdown { status, message },
                })
            }
            MSG_DETACH | MSG_DETACHKILL => Ok(Self::Detach),
            MSG_EXITED => nothing(Self::Exited),
            MSG_FLAGS => match data.len() {
                8 => Ok(Self::Flags),
                _ => Err(bad),
            },
            MSG_VERSION => nothing(Self::Version(frame.version)),
            kind => Err(Bad::Type(kind)),
        }
    }
}

/// A string up to its NUL.
fn string(data: &[u8]) -> &[u8] {
    data.split(|&byte| byte == 0).next().unwrap_or_default()
}

#[cfg(test)]
mod tests;
