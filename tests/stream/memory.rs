//! The engine's memory: nothing is left, and nothing breaks where there is none.

use amux::stream::{AtPrompt, Options, PaneStream, Pool, Renderer, Rendering, Scanner, memory};
use proptest::prelude::*;

use crate::generate::{any_bytes, shell};

/// A life of everything there is; whatever fails, it goes on.
fn live(bytes: &[&[u8]]) {
    if let Ok(mut scanner) = Scanner::new(0) {
        for bytes in bytes {
            scanner.scan(bytes);
        }
    }
    for escapes in [false, true] {
        let options = Options {
            escapes,
            ..Options::default()
        };
        if let Ok(mut renderer) = Renderer::new(options) {
            let fed = bytes.iter().try_for_each(|bytes| renderer.feed(bytes));
            assert_eq!(
                fed.is_err(),
                renderer.feed(b"").is_err(),
                "a renderer that failed goes on failing"
            );
            let _ = renderer.finish();
        }
    }
    let pool = Pool::default();
    if let Ok(mut stream) = PaneStream::new(&pool) {
        let _ = stream.set_nonce(Some(b"n"));
        stream.set_limit(2048);
        let mut total = 0;
        for (time, bytes) in bytes.iter().enumerate() {
            let at = if time % 2 == 0 {
                AtPrompt::EmptyForLine
            } else {
                AtPrompt::Unknown
            };
            let id = stream.submit(1, at, time as u64);
            stream.append(bytes, time as u64);
            total += bytes.len() as u64;
            // What is lost is counted.
            assert_eq!(stream.total(), total);
            assert_eq!(stream.dropped() + stream.unread(), total);
            if let Some(id) = id {
                assert_eq!(stream.find(id).unwrap().id, id);
                stream.ready(id);
            }
            for how in [Rendering::Raw, Rendering::Escapes, Rendering::Clean] {
                let _ = stream.render(0..total, how, time % 3 == 0);
            }
            stream.records().for_each(drop);
            stream.prompt_empty();
            if time % 4 == 3 {
                stream.settle(u64::MAX, time as u64);
                assert_eq!(stream.pending(), None);
                stream.set_limit(512 << (time % 5));
            }
        }
        stream.end(99);
        assert_eq!(stream.pending(), None);
    }
    assert_eq!(pool.used(), 0);
}

const COMMAND: &[u8] = b"\x1b]133;A;aid=n\x07$ \x1b]133;B;aid=n\x07ls\r\n\x1b]133;C;aid=n;cmdline_url=ls\x07\x1b[?1049h\
    some \xe4\xb8\xad output\x1b[?1049l\tand more\r\x1b[3Cof it e\xcc\x81\x1b]133;D;0;aid=n;pipe=1,0\x07";

#[test]
fn each_allocation_can_fail() {
    let long = [
        b"\x1b]133;C;cmdline_url=".to_vec(),
        vec![b'x'; 5000],
        b"\x07".to_vec(),
    ]
    .concat();
    let bytes: Vec<&[u8]> = vec![
        COMMAND,
        b"\x1b]133;A;aid=x\x07",
        &long,
        COMMAND,
        COMMAND,
        b"\x1b]133",
        COMMAND,
    ];
    let before = memory::live();
    let calls = memory::calls();
    live(&bytes);
    let calls = memory::calls() - calls;
    assert!(calls > 50, "the functions that count are in place");
    assert_eq!(memory::live(), before);
    for n in 0..calls {
        memory::fail_at(Some(n));
        live(&bytes);
        memory::fail_at(None);
        assert_eq!(memory::live(), before, "after request {n} failed");
    }
}

proptest! {
    #[test]
    fn nothing_is_left(bytes in prop::collection::vec(prop_oneof![any_bytes(), shell()], 0..8), fail in 0u64..200) {
        let bytes: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
        let before = memory::live();
        live(&bytes);
        prop_assert_eq!(memory::live(), before);
        memory::fail_at(Some(fail));
        live(&bytes);
        memory::fail_at(None);
        prop_assert_eq!(memory::live(), before);
    }
}
