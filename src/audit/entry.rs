//! An entry of the audit log, and the two forms in which it is told: the fields
//! and forms of tmux-custom (audit.c in tmux-patches/files).

/// Most bytes of a payload.
pub(crate) const MAX_PAYLOAD: usize = 65_536;

/// What is told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    Write,
    Read,
    Command,
}

/// One entry. What is not known is `None`, or empty.
#[derive(Debug, Clone, Default)]
pub(crate) struct Entry {
    pub(crate) event: Option<Event>,
    /// Times are in microseconds since 1970.
    pub(crate) now: u64,
    pub(crate) socket: String,
    pub(crate) session: String,
    pub(crate) window: String,
    pub(crate) pane: String,
    pub(crate) bytes: Option<u64>,
    pub(crate) flags: String,
    pub(crate) id: Option<u64>,
    pub(crate) ended: &'static str,
    pub(crate) status: Option<u8>,
    pub(crate) pipe: Vec<u8>,
    pub(crate) start: Option<u64>,
    pub(crate) end: Option<u64>,
    pub(crate) duration_ms: Option<u64>,
    /// Process and user of the one who did it.
    pub(crate) client: Option<(u32, u32)>,
    pub(crate) payload: Option<Vec<u8>>,
    /// Entries before it that were dropped.
    pub(crate) dropped: u64,
}

impl Entry {
    /// One sentence for people.
    fn message(&self) -> String {
        let bytes = self.bytes.unwrap_or_default();
        let pane = &self.pane;
        let id = self.id.unwrap_or_default();
        match self.event {
            Some(Event::Read) => format!("read {bytes} bytes of {pane}"),
            Some(Event::Command) => {
                let how = match self.status {
                    Some(status) => format!("exited with status {status}"),
                    None => format!("ended without a status ({})", self.ended),
                };
                let took = self.duration_ms.map(|ms| format!(" after {ms} ms"));
                format!("command {id} in {pane} {how}{}", took.unwrap_or_default())
            }
            _ if self.id.is_none() => format!("wrote {bytes} bytes to {pane}"),
            _ => format!("submitted {bytes} bytes to {pane} as command {id}"),
        }
    }

    /// The fields that are known, in order.
    fn fields(&self) -> Vec<(&'static str, Vec<u8>)> {
        let number = |n: Option<u64>| n.map(|n| n.to_string());
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let pipe: Vec<_> = self.pipe.iter().map(u8::to_string).collect();
        let event = match self.event {
            Some(Event::Read) => "read",
            Some(Event::Command) => "command",
            _ => "write",
        };
        let texts = [
            ("MESSAGE", Some(self.message())),
            ("PRIORITY", text("6")),
            ("SYSLOG_IDENTIFIER", text("amux")),
            ("AMUX_EVENT", text(event)),
            ("AMUX_SOCKET", text(&self.socket)),
            ("AMUX_SESSION", text(&self.session)),
            ("AMUX_WINDOW", text(&self.window)),
            ("AMUX_PANE", text(&self.pane)),
            ("AMUX_BYTES", number(self.bytes)),
            ("AMUX_FLAGS", text(&self.flags)),
            ("AMUX_COMMAND_ID", number(self.id)),
            ("AMUX_ENDED", text(self.ended)),
            ("AMUX_EXIT_STATUS", number(self.status.map(u64::from))),
            ("AMUX_PIPE_STATUSES", text(&pipe.join(","))),
            ("AMUX_START_TIME", number(self.start)),
            ("AMUX_END_TIME", number(self.end)),
            ("AMUX_DURATION_MS", number(self.duration_ms)),
            ("AMUX_CLIENT_PID", number(self.client.map(|c| c.0.into()))),
            ("AMUX_CLIENT_UID", number(self.client.map(|c| c.1.into()))),
        ];
        let texts = texts.into_iter();
        let payload = self.payload.as_deref().map(|payload| {
            let cut = &payload[..payload.len().min(MAX_PAYLOAD)];
            ("AMUX_PAYLOAD", up_to_character(cut, payload).to_vec())
        });
        let dropped =
            (self.dropped != 0).then(|| ("AMUX_DROPPED", self.dropped.to_string().into_bytes()));
        texts
            .filter_map(|(name, value)| Some((name, value?.into_bytes())))
            .chain(payload)
            .chain(dropped)
            .collect()
    }

    /// Returns it as a datagram of the journal's native protocol.
    pub(crate) fn datagram(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for (name, value) in self.fields() {
            out.extend_from_slice(name.as_bytes());
            if value.contains(&b'\n') {
                out.push(b'\n');
                out.extend_from_slice(&(value.len() as u64).to_le_bytes());
            } else {
                out.push(b'=');
            }
            out.extend_from_slice(&value);
            out.push(b'\n');
        }
        out
    }

    /// Returns it as a line of JSON, as journalctl writes it: a string, or where
    /// the bytes cannot be one, an array of them.
    pub(crate) fn json(&self) -> Vec<u8> {
        let mut out = format!("{{\"__REALTIME_TIMESTAMP\":\"{}\"", self.now);
        for (name, value) in self.fields() {
            out.push_str(&format!(",\"{name}\":"));
            match std::str::from_utf8(&value) {
                Ok(text) => put_string(&mut out, text),
                Err(_) => {
                    let bytes: Vec<_> = value.iter().map(u8::to_string).collect();
                    out.push_str(&format!("[{}]", bytes.join(",")));
                }
            }
        }
        out.push_str("}\n");
        out.into_bytes()
    }
}

fn put_string(out: &mut String, text: &str) {
    out.push('"');
    for ch in text.chars() {
        match ch {
            '\0'..='\x1f' | '"' | '\\' | '\x7f' => out.push_str(&format!("\\u{:04x}", ch as u32)),
            ch => out.push(ch),
        }
    }
    out.push('"');
}

/// Leaves out the part of a character that a cut has left.
fn up_to_character<'a>(cut: &'a [u8], whole: &[u8]) -> &'a [u8] {
    let continues = |at: usize| whole.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    let end = (cut.len().saturating_sub(3)..=cut.len())
        .rev()
        .find(|&end| !continues(end));
    &cut[..end.unwrap_or(cut.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Entry {
        Entry {
            event: Some(Event::Write),
            now: 7,
            pane: "%3".to_owned(),
            bytes: Some(2),
            ..Entry::default()
        }
    }

    #[test]
    fn value_with_a_newline_comes_with_its_length() {
        let mut entry = entry();
        let before = "MESSAGE=wrote 2 bytes to %3\nPRIORITY=6\nSYSLOG_IDENTIFIER=amux\n\
            AMUX_EVENT=write\nAMUX_PANE=%3\nAMUX_BYTES=2\n";
        assert_eq!(entry.datagram(), before.as_bytes());
        entry.payload = Some(b"a\nb".to_vec());
        entry.dropped = 12;
        let rest = b"AMUX_PAYLOAD\n\x03\0\0\0\0\0\0\0a\nb\nAMUX_DROPPED=12\n";
        assert_eq!(entry.datagram(), [before.as_bytes(), rest].concat());
    }

    #[test]
    fn json_is_one_line_of_any_bytes() {
        let mut entry = entry();
        let json = |entry: &Entry| {
            let line = String::from_utf8(entry.json()).unwrap();
            assert!(line.ends_with("}\n") && line.matches('\n').count() == 1);
            line.split_once("\"AMUX_BYTES\":\"2\"")
                .unwrap()
                .1
                .to_owned()
        };
        entry.payload = Some("\"\\\n\u{7f}é".into());
        assert_eq!(
            json(&entry),
            ",\"AMUX_PAYLOAD\":\"\\u0022\\u005c\\u000a\\u007fé\"}\n"
        );
        entry.payload = Some(b"a\xff".to_vec());
        assert_eq!(json(&entry), ",\"AMUX_PAYLOAD\":[97,255]}\n");
    }

    #[test]
    fn long_payload_is_cut_between_characters() {
        let mut entry = entry();
        entry.payload = Some("é".repeat(MAX_PAYLOAD).into_bytes());
        let fields = entry.fields();
        assert_eq!(fields.last().unwrap().1.len(), MAX_PAYLOAD);
        entry.payload = Some(("a".to_owned() + &"é".repeat(MAX_PAYLOAD)).into_bytes());
        assert_eq!(entry.fields().last().unwrap().1.len(), MAX_PAYLOAD - 1);
    }

    #[test]
    fn command_tells_how_it_ended() {
        let mut entry = Entry {
            event: Some(Event::Command),
            id: Some(4),
            status: Some(3),
            pipe: vec![0, 3],
            duration_ms: Some(12),
            client: Some((10, 0)),
            ..entry()
        };
        let datagram = String::from_utf8(entry.datagram()).unwrap();
        assert!(datagram.starts_with("MESSAGE=command 4 in %3 exited with status 3 after 12 ms\n"));
        assert!(datagram.contains("\nAMUX_EXIT_STATUS=3\nAMUX_PIPE_STATUSES=0,3\n"));
        assert!(datagram.ends_with("\nAMUX_CLIENT_PID=10\nAMUX_CLIENT_UID=0\n"));
        (entry.status, entry.ended) = (None, "lost");
        assert!(
            entry
                .message()
                .starts_with("command 4 in %3 ended without a status (lost)")
        );
    }
}
