//! A stream where memory runs out: it stays valid, and what is lost is counted.

use amux::stream::{Options, PaneStream, Pool, Renderer, Rendering, Scanner, memory};

use crate::input::{Input, Step};

/// Does all steps of an input; whatever fails, it goes on.
pub fn run(input: &Input) {
    let pool = Pool::default();
    let failing = input.steps.iter().find_map(|step| match step {
        Step::Fail(after) => Some(u64::from(*after)),
        _ => None,
    });
    // The first is there from the start, so that creating can fail too.
    memory::fail_at(failing);
    if let Ok(mut stream) = PaneStream::at(&pool, input.offset) {
        live(&mut stream, input);
    }
    memory::fail_at(failing);
    strings(input);
    memory::fail_at(None);
    assert_eq!(pool.used(), 0, "the pool has all bytes back");
}

fn live(stream: &mut PaneStream, input: &Input) {
    let (mut written, mut read) = (0, 0);
    let mut last = 0;
    for (time, step) in input.steps.iter().enumerate() {
        let now = time as u64;
        match step {
            Step::Append(bytes) => {
                stream.append(bytes, now);
                written += bytes.len() as u64;
            }
            Step::Nonce(aid) => {
                let _ = stream.set_nonce(aid.as_ref().map(std::slice::from_ref));
            }
            Step::Submit(lines, at) => {
                if let Some(id) = stream.submit(*lines, *at, now) {
                    assert_eq!(stream.find(id).map(|record| record.id), Some(id));
                    last = id;
                }
            }
            Step::Settle(back) => {
                stream.settle(last.saturating_sub(u64::from(*back)), now);
            }
            Step::SetMark => stream.set_mark(),
            Step::Read(part) => {
                let before = stream.cursor();
                stream.set_cursor(before + stream.unread() * u64::from(*part) / 255);
                read += stream.cursor() - before;
            }
            Step::Limit(limit) => stream.set_limit(*limit),
            Step::End => {
                stream.end(now);
                assert_eq!(stream.pending(), None);
            }
            Step::Fail(after) => memory::fail_at(Some(u64::from(*after))),
        }
        assert_eq!(stream.total() - input.offset, written);
        assert_eq!(read + stream.dropped() + stream.unread(), written);
        assert!(stream.oldest() <= stream.cursor());
        assert_eq!(stream.records().count(), stream.count() as usize);
        for record in stream.records() {
            assert!(record.output(stream.total()).end <= stream.total());
        }
        stream.prompt_empty();
        for how in [Rendering::Raw, Rendering::Escapes, Rendering::Clean] {
            if let Ok(part) =
                stream.render(input.offset..stream.total(), how, time.is_multiple_of(2))
            {
                assert!(part.end <= stream.total());
            }
        }
    }
}

/// A scanner and renderers.
fn strings(input: &Input) {
    let written = || {
        input.steps.iter().filter_map(|step| match step {
            Step::Append(bytes) => Some(bytes),
            _ => None,
        })
    };
    if let Ok(mut scanner) = Scanner::new(input.offset) {
        for bytes in written() {
            scanner.scan(bytes);
        }
    }
    for escapes in [false, true] {
        let options = Options {
            escapes,
            ..Options::default()
        };
        let Ok(mut renderer) = Renderer::new(options) else {
            continue;
        };
        let fed = written().try_for_each(|bytes| renderer.feed(bytes));
        assert_eq!(
            fed.is_err(),
            renderer.feed(b"").is_err(),
            "it goes on failing"
        );
        let ended = renderer.finish();
        assert!(fed.is_ok() || ended.is_err(), "it goes on failing");
    }
}
