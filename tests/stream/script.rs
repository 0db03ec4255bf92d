//! Runs the cases in `data/*.txt`.

use std::fmt::Write as _;

use amux::stream::{
    AtPrompt, Ended, Event, Flags, PaneStream, Phase, Pool, Readiness, Record, Rendering, Scanner,
    Status,
};

use crate::file::{Case, Step, bytes};

fn show(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

/// How the bytes of a case come.
#[derive(Debug, Clone, Copy)]
pub enum Cut {
    Whole,
    EachByte,
    /// Once, after so many bytes of all.
    At(usize),
}

fn append(
    stream: &mut PaneStream,
    scanner: &mut Scanner,
    bytes: &[u8],
    cut: Cut,
    now: u64,
) -> Vec<Event> {
    let total = stream.total() as usize;
    let pieces: Vec<&[u8]> = match cut {
        Cut::EachByte => bytes.chunks(1).collect(),
        Cut::At(at) if (total..total + bytes.len()).contains(&at) => {
            let (first, second) = bytes.split_at(at - total);
            vec![first, second]
        }
        _ => vec![bytes],
    };
    let mut events = Vec::new();
    for piece in pieces {
        stream.append(piece, now);
        events.extend(scanner.scan(piece));
    }
    events
}

impl Case {
    /// How many bytes the case writes.
    pub fn len(&self) -> usize {
        let pushes = self.steps.iter().filter(|step| step.word == "push");
        pushes.map(|step| bytes(&step.rest).len()).sum()
    }

    /// Runs the case; panics where something is not as expected.
    pub fn run(&self, cut: Cut) {
        let mut stream = PaneStream::new(&Pool::default()).unwrap();
        let mut scanner = Scanner::new(0).unwrap();
        let mut events = Vec::new();
        let mut ids = Vec::new();
        for step in &self.steps {
            let now = step.line as u64;
            match step.word.as_str() {
                "push" => {
                    let bytes = bytes(&step.rest);
                    events.extend(append(&mut stream, &mut scanner, &bytes, cut, now));
                }
                "nonce" => stream.set_nonce(Some(step.rest.as_bytes())).unwrap(),
                "limit" => stream.set_limit(step.rest.parse().unwrap()),
                "submit" => {
                    let words: Vec<&str> = step.rest.split_whitespace().collect();
                    let lines = words.iter().find_map(|word| word.strip_prefix("lines="));
                    let lines = lines.map_or(1, |lines| lines.parse().unwrap());
                    let at = match words.contains(&"exact") {
                        false => AtPrompt::Unknown,
                        true if words.contains(&"line") => AtPrompt::EmptyForLine,
                        true => AtPrompt::Empty,
                    };
                    ids.push(stream.submit(lines, at, now).unwrap());
                }
                "settle" => stream.settle(*ids.last().unwrap(), now),
                "end" => {
                    stream.end(now);
                    scanner.reset();
                }
                "read" => stream.set_cursor(stream.total()),
                _ => {
                    let (expected, found) = step.ask(&stream, &ids, &events);
                    assert_eq!(
                        found, expected,
                        "case {}, line {}, {cut:?}: {} {}",
                        self.title, step.line, step.word, step.rest
                    );
                }
            }
        }
    }
}

impl Step {
    /// What is expected, and what there is.
    fn ask(&self, stream: &PaneStream, ids: &[u64], events: &[Event]) -> (String, String) {
        let rest = self.rest.as_str();
        let (first, second) = rest.split_once(' ').unwrap_or((rest, ""));
        let yes = |value: bool| if value { "yes" } else { "no" }.to_string();
        let record = || {
            let index: u32 = first.parse().unwrap();
            stream
                .record(index)
                .unwrap_or_else(|| panic!("no record {index}"))
        };
        let render = |record: &Record, how| {
            let part = stream.render(record.output(stream.total()), how, true);
            show(&part.unwrap().bytes)
        };
        let whole = |how, last| stream.render(0..stream.total(), how, last).unwrap();
        let found = match self.word.as_str() {
            "phase" => phase(stream.phase()).into(),
            "count" => stream.count().to_string(),
            "empty" => yes(stream.prompt_empty()),
            "foreign" => yes(stream.foreign()),
            "waiting" => yes(stream.waiting()),
            "continuation" => yes(stream.continuation()),
            "integrated" => yes(stream.integrated()),
            "alternate" => yes(stream.alternate()),
            "ready" => readiness(stream.ready(*ids.last().unwrap())).into(),
            "pending" => stream.pending().map_or("none".into(), |id| index(ids, id)),
            "submitted" => {
                let id = ids[first.parse::<usize>().unwrap()];
                return (second.into(), summary(&stream.find(id).unwrap()));
            }
            "record" => return (second.into(), summary(&record())),
            "last" => stream.last().as_ref().map_or("none".into(), summary),
            "last-ended" => stream.last_ended().as_ref().map_or("none".into(), summary),
            "output" => return (show(&bytes(second)), render(&record(), Rendering::Clean)),
            "output-of" => {
                let record = stream.find(ids[first.parse::<usize>().unwrap()]).unwrap();
                return (show(&bytes(second)), render(&record, Rendering::Clean));
            }
            "raw" => return (show(&bytes(second)), render(&record(), Rendering::Raw)),
            "line" => {
                let line = record().command_line;
                return (
                    show(&bytes(second)),
                    line.map_or("none".into(), |line| show(&line)),
                );
            }
            "typed" => {
                let record = record();
                let range = record.line_start.unwrap()..record.output_start.unwrap();
                let line = stream.render(range, Rendering::Clean, true).unwrap();
                return (show(&bytes(second)), show(&line.bytes));
            }
            "pipe" => {
                let pipe: Vec<String> = record().pipe.iter().map(u8::to_string).collect();
                return (second.into(), pipe.join(","));
            }
            "took" => {
                let record = record();
                return (
                    second.into(),
                    (record.finished.unwrap() - record.started.unwrap()).to_string(),
                );
            }
            "clean" => {
                return (
                    show(&bytes(rest)),
                    show(&whole(Rendering::Clean, true).bytes),
                );
            }
            "escapes" => {
                return (
                    show(&bytes(rest)),
                    show(&whole(Rendering::Escapes, true).bytes),
                );
            }
            "so-far" => {
                let part = whole(Rendering::Clean, false);
                let unused = stream.total() - part.end;
                return (
                    format!("{first} {}", show(&bytes(second))),
                    format!("{unused} {}", show(&part.bytes)),
                );
            }
            "left-out" => yes(whole(Rendering::Clean, true).alternate),
            "unread" => format!("{} dropped {}", stream.unread(), stream.dropped()),
            "events" => summaries(events),
            word => panic!("line {}: no such thing as {word}", self.line),
        };
        (rest.into(), found)
    }
}

fn index(ids: &[u64], id: u64) -> String {
    ids.iter()
        .position(|&known| known == id)
        .unwrap()
        .to_string()
}

fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::NoMarks => "no-marks",
        Phase::Prompt => "prompt",
        Phase::Input => "input",
        Phase::Output => "output",
        Phase::Between => "between",
    }
}

fn readiness(readiness: Readiness) -> &'static str {
    match readiness {
        Readiness::Finished => "finished",
        Readiness::NotReady => "not-ready",
        Readiness::Ready => "ready",
        Readiness::IfCalm => "if-calm",
        Readiness::IfQuiet => "if-quiet",
        Readiness::Unmarked => "unmarked",
    }
}

/// How a record ended, its status, and its flags.
fn summary(record: &Record) -> String {
    let mut text = match record.ended {
        Ended::Submitted => "submitted",
        Ended::Running => "running",
        Ended::Exited => "exited",
        Ended::Cancelled => "cancelled",
        Ended::Lost => "lost",
        Ended::Nothing => "nothing",
    }
    .to_string();
    if let Some(status) = record.status {
        write!(text, " {status}").unwrap();
    }
    let Flags {
        c_missing,
        alternate,
        foreign,
        overwritten,
        by_program,
        finished,
        pane_ended,
        merged,
        unmarked,
    } = record.flags;
    for (set, name) in [
        (c_missing, "c-missing"),
        (alternate, "alternate"),
        (foreign, "foreign"),
        (overwritten, "overwritten"),
        (by_program, "by-program"),
        (finished, "finished"),
        (pane_ended, "pane-ended"),
        (merged, "merged"),
        (unmarked, "unmarked"),
    ] {
        if set {
            write!(text, " {name}").unwrap();
        }
    }
    text
}

/// Marks with where they are; switches of the screen.
fn summaries(events: &[Event]) -> String {
    let texts = events.iter().map(|event| match event {
        Event::Alternate { on, offset } => {
            format!("{}@{offset}", if *on { "alternate" } else { "main" })
        }
        Event::Mark(mark) => {
            let mut text = format!("{:?}@{}-{}", mark.kind, mark.bytes.start, mark.bytes.end);
            match mark.status {
                Status::Absent => {}
                Status::Invalid => text += ",invalid",
                Status::Code(code) => write!(text, ",{code}").unwrap(),
            }
            if let Some(prompt) = mark.prompt {
                write!(text, ",{prompt:?}").unwrap();
            }
            if let Some(aid) = &mark.aid {
                write!(text, ",aid={}", show(aid)).unwrap();
            }
            if let Some(line) = &mark.command_line {
                write!(text, ",line={}", show(line)).unwrap();
            }
            if !mark.pipe.is_empty() {
                write!(text, ",pipe={:?}", mark.pipe).unwrap();
            }
            for (set, name) in [
                (mark.cut, "cut"),
                (mark.waiting, "waiting"),
                (mark.error, "error"),
            ] {
                if set {
                    write!(text, ",{name}").unwrap();
                }
            }
            text
        }
    });
    texts.collect::<Vec<_>>().join(" | ")
}
