//! The audit log of what this process does and sees: the server has none.

use std::sync::{Arc, Mutex, PoisonError};

use crate::audit::entry::{Entry, Event, MAX_PAYLOAD};
use crate::audit::{Audit, AuditLevel};
use crate::backend::ReadRequest;
use crate::command::CommandFlags;
use crate::exec::clock;
use crate::exec::journal::Sink;
use crate::names::WindowName;
use crate::read::{Range, Render};
use crate::stream::{Ended, Record};
use crate::wire::command::Reading;

use super::records;

/// Writes entries.
#[derive(Debug)]
pub(super) struct Auditor {
    audit: Audit,
    /// Path of the server's socket.
    server: String,
    sink: Mutex<Sink>,
}

/// A pane, and who logs what happens there.
#[derive(Debug, Clone)]
pub(super) struct Log {
    pub(super) auditor: Arc<Auditor>,
    pub(super) target: WindowName,
    /// Its id.
    pub(super) pane: String,
}

/// Something that was written.
pub(super) struct Written<'a> {
    pub(super) size: usize,
    /// What was written, where [`Log::wants`] it.
    pub(super) payload: Option<&'a [u8]>,
    pub(super) id: Option<u64>,
    pub(super) enter: bool,
    pub(super) paste: bool,
    /// The terminal's echo was off.
    pub(super) hides: bool,
}

impl Auditor {
    pub(super) fn new(audit: Audit, server: String) -> Self {
        Self {
            audit,
            server,
            sink: Mutex::default(),
        }
    }

    fn is_off(&self) -> bool {
        self.audit.chosen_level() == AuditLevel::Off
    }
}

impl Log {
    fn entry(&self, event: Event) -> Entry {
        Entry {
            event: Some(event),
            now: clock::unix_micros(),
            socket: self.auditor.server.clone(),
            session: self.target.session().to_owned(),
            window: self.target.window().to_owned(),
            pane: self.pane.clone(),
            ..Entry::default()
        }
    }

    fn tell(&self, mut entry: Entry) {
        let sink = &self.auditor.sink;
        let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
        sink.tell(&self.auditor.audit, &mut entry);
    }

    /// Is what is written to be told, too?
    pub(super) fn wants(&self, hides: bool) -> bool {
        self.auditor.audit.chosen_level() == AuditLevel::Full && !hides
    }

    pub(super) fn write(&self, written: &Written<'_>) {
        if self.auditor.is_off() {
            return;
        }
        let full = self.auditor.audit.chosen_level() == AuditLevel::Full;
        let payload = written.payload.filter(|_| full && !written.hides);
        let flags = [
            (written.id.is_some(), "submit"),
            (written.enter, "enter"),
            (written.paste, "paste"),
            (full && written.hides, "hidden"),
            (payload.is_some() && written.size > MAX_PAYLOAD, "cut"),
        ];
        self.tell(Entry {
            bytes: Some(written.size as u64),
            flags: join(flags),
            id: written.id,
            client: Some(this_process()),
            payload: payload.map(<[u8]>::to_vec),
            ..self.entry(Event::Write)
        });
    }

    pub(super) fn read(&self, request: &ReadRequest<'_>, reading: &Reading) {
        let (what, id) = match request.range {
            Range::Unread => ("unread", None),
            Range::SinceWrite => ("since-write", None),
            Range::LastCommand | Range::Command(_) => (
                "output",
                reading.record.as_ref().map(|record| record.id.get()),
            ),
        };
        self.read_of(what, request.render, request.consume, id, reading);
    }

    pub(super) fn read_of(
        &self,
        what: &'static str,
        render: Render,
        count: bool,
        id: Option<u64>,
        reading: &Reading,
    ) {
        if self.auditor.is_off() {
            return;
        }
        let render = match render {
            Render::Clean => "clean",
            Render::Escapes => "escapes",
            Render::Raw => "raw",
        };
        self.tell(Entry {
            bytes: Some(reading.bytes.len() as u64),
            flags: join([(true, what), (true, render), (count, "count")]),
            id,
            client: Some(this_process()),
            ..self.entry(Event::Read)
        });
    }

    /// Tells of a command that has ended.
    pub(super) fn command(&self, found: Record) {
        if self.auditor.is_off() || found.ended == Ended::Nothing {
            return;
        }
        let now = clock::unix_micros();
        let monotonic = clock::monotonic();
        let time = |at: u64| now.saturating_sub(monotonic.saturating_sub(at) / 1000);
        let record = records::record(found.clone());
        let CommandFlags { by_program, .. } = record.flags;
        let output = found.output_start.zip(found.output_end);
        let ran = found.started.zip(found.finished);
        let finished = record.flags.names().into_iter().chain(["finished"]);
        self.tell(Entry {
            bytes: output.map(|(start, end)| end.saturating_sub(start)),
            flags: finished.collect::<Vec<_>>().join(","),
            id: Some(found.id),
            ended: record.ended.as_str(),
            status: found.status,
            pipe: record.pipe_statuses,
            start: found.started.map(time),
            end: found.finished.map(time),
            duration_ms: ran.map(|(start, end)| end.saturating_sub(start) / 1_000_000),
            // Whoever typed anything else is not known.
            client: by_program.then(this_process),
            ..self.entry(Event::Command)
        });
    }
}

/// Process and user.
fn this_process() -> (u32, u32) {
    (std::process::id(), rustix::process::getuid().as_raw())
}

fn join<const N: usize>(flags: [(bool, &'static str); N]) -> String {
    let flags = flags.into_iter();
    let set: Vec<_> = flags
        .filter_map(|(set, name)| set.then_some(name))
        .collect();
    set.join(",")
}
