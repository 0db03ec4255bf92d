//! What is sent is what comes, and nothing that comes does harm.

use proptest::prelude::*;

use super::server::{self, Said};
use super::*;
use crate::wire::imsg::Decoder;
use crate::wire::imsg::tests::filled;
use crate::wire::protocol::PROTOCOL_VERSION;

/// Cuts one frame out of bytes and does something with it.
fn only<T>(bytes: &[u8], with: impl FnOnce(Frame<'_>) -> T) -> T {
    let mut decoder = Decoder::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let space = decoder.space();
        let count = space.len().min(rest.len());
        space[..count].copy_from_slice(&rest[..count]);
        decoder.filled(count);
        rest = &rest[count..];
    }
    let value = with(decoder.frame().unwrap().unwrap());
    assert_eq!(decoder.frame(), Ok(None));
    value
}

fn sent(message: &ToServer<'_>) -> Said {
    let mut out = Vec::new();
    message.put(&mut out).unwrap();
    only(&out, server::read)
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(1u8..=255, 0..300)
}

proptest! {
    #[test]
    fn servers_read_what_clients_say(
        flags: u64, number: i32, error: i32, one in text(), two in text(),
        data in filled(MAX_READ),
    ) {
        let stream = number;
        prop_assert_eq!(sent(&ToServer::Flags(flags)), Said::Flags(flags));
        prop_assert_eq!(sent(&ToServer::Term(&one)), Said::Term(one.clone()));
        prop_assert_eq!(sent(&ToServer::TtyName(&one)), Said::TtyName(one.clone()));
        prop_assert_eq!(sent(&ToServer::Cwd(&one)), Said::Cwd(one.clone()));
        prop_assert_eq!(sent(&ToServer::ClientPid(number)), Said::ClientPid(number));
        prop_assert_eq!(sent(&ToServer::Environ(&one)), Said::Environ(one.clone()));
        prop_assert_eq!(sent(&ToServer::IdentifyDone), Said::IdentifyDone);
        prop_assert_eq!(
            sent(&ToServer::Command(&[&one, b"", &two])),
            Said::Command(vec![one.clone(), Vec::new(), two.clone()])
        );
        prop_assert_eq!(sent(&ToServer::Command(&[])), Said::Command(Vec::new()));
        prop_assert_eq!(
            sent(&ToServer::Read { stream, data: &data }),
            Said::Read { stream, data: data.clone() }
        );
        prop_assert_eq!(
            sent(&ToServer::ReadDone { stream, error }),
            Said::ReadDone { stream, error }
        );
        prop_assert_eq!(
            sent(&ToServer::WriteReady { stream, error }),
            Said::WriteReady { stream, error }
        );
        prop_assert_eq!(sent(&ToServer::Exiting), Said::Exiting);
    }

    #[test]
    fn clients_read_what_servers_say(
        stream: i32, fd: i32, flags: i32, status: i32, version: u8, path in text(),
        data in filled(1000),
    ) {
        let path = &path[..];
        let data = &data[..];
        let message = path;
        for message in [
            ToClient::ReadOpen { stream, fd, path },
            ToClient::ReadCancel { stream },
            ToClient::WriteOpen { stream, fd, flags, path },
            ToClient::Write { stream, data },
            ToClient::WriteClose { stream },
            ToClient::Exit { status, message },
            ToClient::Shutdown { status, message },
            ToClient::Detach,
            ToClient::Exited,
            ToClient::Flags,
            ToClient::Version(version),
        ] {
            let mut out = Vec::new();
            message.put(&mut out);
            only(&out, |frame| assert_eq!(ToClient::read(frame), Ok(message)));
        }
    }

    #[test]
    fn any_data_is_read_or_refused(
        kind in prop_oneof![Just(12u32), 100u32..114, 200u32..220, 300u32..309, any::<u32>()],
        version: u8,
        data in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let _ = ToClient::read(Frame { kind, version, data: &data });
    }
}

#[test]
fn what_has_no_strings_is_read_too() {
    let read = |kind, data| {
        ToClient::read(Frame {
            kind,
            version: PROTOCOL_VERSION as u8,
            data,
        })
    };
    let message = &b""[..];
    // As file_print opens the standard output, and as a server ends.
    let open = [1i32, 1, 0].map(i32::to_ne_bytes).concat();
    let path = &b""[..];
    assert_eq!(
        read(MSG_WRITE_OPEN, &open),
        Ok(ToClient::WriteOpen {
            stream: 1,
            fd: 1,
            flags: 0,
            path
        })
    );
    let (status, exit) = (3, 3i32.to_ne_bytes());
    assert_eq!(
        read(MSG_EXIT, &exit),
        Ok(ToClient::Exit { status, message })
    );
    let status = 0;
    assert_eq!(read(MSG_EXIT, b""), Ok(ToClient::Exit { status, message }));
    assert_eq!(
        read(MSG_SHUTDOWN, b""),
        Ok(ToClient::Shutdown { status, message })
    );
    assert_eq!(read(MSG_EXIT, b"ab"), Err(Bad::Size(MSG_EXIT, 2)));
}

#[test]
fn what_does_not_fit_is_not_sent() {
    let mut out = Vec::new();
    let long = vec![b'x'; MAX_DATA];
    for (message, why) in [
        (ToServer::Environ(&long), Unsendable::TooLong),
        (ToServer::Cwd(b"/a\0b"), Unsendable::Nul),
        (ToServer::Command(&[b"a", b"\0"]), Unsendable::Nul),
        // Together one too many, with the count and the NULs.
        (
            ToServer::Command(&[b"a", &long[..MAX_DATA - 6]]),
            Unsendable::TooLong,
        ),
    ] {
        assert_eq!(message.put(&mut out), Err(why));
        assert!(out.is_empty());
    }
    ToServer::Command(&[b"a", &long[..MAX_DATA - 7]])
        .put(&mut out)
        .unwrap();
    assert_eq!(out.len(), MAX_DATA + 16);
}
