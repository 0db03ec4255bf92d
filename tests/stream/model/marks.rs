//! Events of a stream, found in all of its bytes at once.

use amux::stream::Event;

use super::parse::{Item, parse, switches_screen};
use super::payload;

/// What a scanner finds, each with the number of bytes after which it is known.
pub fn events(bytes: &[u8], offset: u64) -> Vec<(usize, Event)> {
    let mut events = Vec::new();
    for found in parse(bytes) {
        let end = offset + found.bytes.end as u64;
        let event = match &found.item {
            Item::Osc(payload, true) => payload
                .strip_prefix(b"133;")
                .and_then(|payload| payload::mark(payload, offset + found.bytes.start as u64..end))
                .map(Event::Mark),
            Item::Csi(parameters, last) => {
                switches_screen(parameters, *last).map(|on| Event::Alternate { on, offset: end })
            }
            Item::Escape(b'c') => Some(Event::Alternate {
                on: false,
                offset: end,
            }),
            _ => None,
        };
        events.extend(event.map(|event| (found.bytes.end, event)));
    }
    events
}
