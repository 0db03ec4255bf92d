//! Frames of the protocol between tmux's client and server (compat/imsg.h).
//!
//! A header of 16 bytes in the machine's order, then the data. The second word
//! of the header is a length and flags of 16 bits each up to 3.5a, a length with
//! one flag from 3.6 on. Without a descriptor that comes along, and none ever
//! comes to a client, both have the same bytes on a little-endian machine; only
//! there is the protocol spoken.

use std::fmt;

use crate::wire::protocol::{MAX_IMSGSIZE, MSG_VERSION, PROTOCOL_VERSION, msgtype};

const HEADER: usize = 16;

const LONGEST: usize = MAX_IMSGSIZE as usize;

/// Most data in a frame.
pub(crate) const MAX_DATA: usize = LONGEST - HEADER;

/// What the buffer of a [`Decoder`] begins with, for the many short answers, and
/// the most that it takes, for the few long ones.
const FIRST_BUFFER: usize = 4096;
const MAX_BUFFER: usize = 4 * LONGEST;

/// A frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frame<'a> {
    pub(crate) kind: msgtype,
    /// Version of the protocol that the sender speaks.
    pub(crate) version: u8,
    pub(crate) data: &'a [u8],
}

/// What a server sent that no server sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bad {
    /// A header whose length is none.
    Length(u32),
    /// Another version of the protocol.
    Version(u8),
    /// A message of a type that is not sent to a client like this one.
    Type(msgtype),
    /// A message of a type that never has so many bytes.
    Size(msgtype, usize),
    /// Data for a stream that is not open, or more streams than there are.
    Stream(i32),
    /// Messages without end that bring nothing.
    Endless,
}

impl fmt::Display for Bad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length(word) => write!(f, "a message of length {word:#x}"),
            Self::Version(version) => {
                write!(
                    f,
                    "version {version} of the protocol, not {PROTOCOL_VERSION}"
                )
            }
            Self::Type(kind) => write!(f, "a message of type {kind}"),
            Self::Size(kind, size) => write!(f, "a message of type {kind} with {size} bytes"),
            Self::Stream(stream) => write!(f, "a message about stream {stream}"),
            Self::Endless => f.write_str("messages without end"),
        }
    }
}

/// A message is longer than a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLong;

/// Appends a frame whose data are these parts.
pub(crate) fn put(out: &mut Vec<u8>, kind: msgtype, parts: &[&[u8]]) -> Result<(), TooLong> {
    let size: usize = parts.iter().map(|part| part.len()).sum();
    let length = u16::try_from(HEADER + size).map_err(|_| TooLong)?;
    if size > MAX_DATA {
        return Err(TooLong);
    }
    out.reserve(HEADER + size);
    for word in [kind, u32::from(length), PROTOCOL_VERSION, u32::MAX] {
        out.extend_from_slice(&word.to_ne_bytes());
    }
    for part in parts {
        out.extend_from_slice(part);
    }
    Ok(())
}

/// Cuts what a server sends into frames.
#[derive(Debug)]
pub(crate) struct Decoder {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl Decoder {
    pub(crate) fn new() -> Self {
        Self {
            buffer: vec![0; FIRST_BUFFER],
            start: 0,
            end: 0,
        }
    }

    /// Returns where the next bytes go. Never empty once [`Decoder::frame`] has
    /// said that no whole frame is left.
    pub(crate) fn space(&mut self) -> &mut [u8] {
        let was_full = self.end == self.buffer.len();
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if was_full && self.buffer.len() < MAX_BUFFER {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        self.buffer.get_mut(self.end..).unwrap_or_default()
    }

    /// Takes the bytes that were put at the beginning of the space.
    pub(crate) fn filled(&mut self, count: usize) {
        self.end = self.buffer.len().min(self.end + count);
    }

    /// Returns the next frame; `None` where it is not whole yet.
    pub(crate) fn frame(&mut self) -> Result<Option<Frame<'_>>, Bad> {
        let unread = &self.buffer[self.start..self.end];
        let word = |at: usize| {
            let bytes = unread.get(at..at + 4)?;
            Some(u32::from_ne_bytes(bytes.try_into().ok()?))
        };
        let (Some(kind), Some(length), Some(peer), Some(_)) = (word(0), word(4), word(8), word(12))
        else {
            return Ok(None);
        };
        let size = match usize::try_from(length) {
            Ok(size) if (HEADER..=LONGEST).contains(&size) => size,
            _ => return Err(Bad::Length(length)),
        };
        let Some(data) = unread.get(HEADER..size) else {
            return Ok(None);
        };
        let [version, ..] = peer.to_le_bytes();
        // A server of another version says so in that one's frame.
        if kind != MSG_VERSION && u32::from(version) != PROTOCOL_VERSION {
            return Err(Bad::Version(version));
        }
        self.start += size;
        Ok(Some(Frame {
            kind,
            version,
            data,
        }))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Any number of bytes up to one, each different from those beside it. Where
    /// they are only handed through, to draw each by itself takes a second for
    /// every few megabytes.
    pub(crate) fn filled(most: usize) -> impl Strategy<Value = Vec<u8>> {
        (0..=most, any::<u8>())
            .prop_map(|(size, first)| (0..size).map(|at| first.wrapping_add(at as u8)).collect())
    }

    /// What a decoder says of bytes that come in pieces, until it refuses.
    fn decode(bytes: &[u8], cuts: &[usize]) -> (Vec<(msgtype, Vec<u8>)>, Option<Bad>) {
        let mut decoder = Decoder::new();
        let mut frames = Vec::new();
        let mut rest = bytes;
        let mut cuts = cuts.iter().copied().cycle();
        while !rest.is_empty() {
            let space = decoder.space();
            assert!(!space.is_empty());
            let count = cuts
                .next()
                .unwrap_or(usize::MAX)
                .min(space.len())
                .min(rest.len());
            space[..count].copy_from_slice(&rest[..count]);
            decoder.filled(count);
            rest = &rest[count..];
            loop {
                match decoder.frame() {
                    Ok(Some(frame)) => frames.push((frame.kind, frame.data.to_vec())),
                    Ok(None) => break,
                    Err(bad) => return (frames, Some(bad)),
                }
            }
            assert!(decoder.buffer.len() <= MAX_BUFFER);
        }
        (frames, None)
    }

    proptest! {
        #[test]
        fn frames_come_back_in_any_pieces(
            sent in prop::collection::vec((0u32..400, filled(MAX_DATA)), 0..12),
            cuts in prop::collection::vec(1usize..40_000, 1..8),
        ) {
            let mut bytes = Vec::new();
            for (kind, data) in &sent {
                let (head, tail) = data.split_at(data.len() / 2);
                put(&mut bytes, *kind, &[head, tail]).unwrap();
            }
            prop_assert_eq!(decode(&bytes, &cuts), (sent, None));
        }

        #[test]
        fn any_bytes_in_any_pieces_end_well(
            bytes in prop::collection::vec(any::<u8>(), 0..500),
            cuts in prop::collection::vec(1usize..100, 1..4),
        ) {
            decode(&bytes, &cuts);
        }

        /// Headers that are nearly right, so that more than the first is read.
        #[test]
        fn pieces_make_no_difference(
            headers in prop::collection::vec((0u32..400, 0u32..20_000, 7u32..9), 1..20),
            cuts in prop::collection::vec(1usize..5_000, 1..4),
        ) {
            let mut bytes = Vec::new();
            for (kind, length, version) in headers {
                for word in [kind, length, version, u32::MAX] {
                    bytes.extend_from_slice(&word.to_ne_bytes());
                }
                bytes.resize(bytes.len() + (length as usize).saturating_sub(HEADER), 7);
            }
            prop_assert_eq!(decode(&bytes, &cuts), decode(&bytes, &[usize::MAX]));
        }
    }

    #[test]
    fn too_much_is_not_put() {
        let mut out = Vec::new();
        let data = vec![0; MAX_DATA];
        assert_eq!(put(&mut out, 1, &[&data, b"x"]), Err(TooLong));
        assert_eq!(put(&mut out, 1, &[&vec![0; 1 << 20]]), Err(TooLong));
        assert!(out.is_empty());
        put(&mut out, 1, &[&data]).unwrap();
        assert_eq!(out.len(), LONGEST);
    }

    #[test]
    fn lies_about_lengths_are_seen() {
        for length in [0, 15, 16_385, 1 << 16 | 16, 1 << 31 | 16, u32::MAX] {
            let mut bytes = Vec::new();
            for word in [203, length, PROTOCOL_VERSION, u32::MAX] {
                bytes.extend_from_slice(&word.to_ne_bytes());
            }
            assert_eq!(decode(&bytes, &[usize::MAX]).1, Some(Bad::Length(length)));
        }
    }
}
