//! What is printed: bytes, JSON, complaints.

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use amux::{Amount, Excerpt, Record, State};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

/// Puts bytes into a file, which is that very one whatever its name holds, or
/// prints them.
pub fn put(file: Option<&Path>, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    match file {
        Some(path) => std::fs::write(path, bytes)
            .map_err(|error| format!("write {}: {error}", path.display()).into()),
        None => Ok(self::bytes(bytes)?),
    }
}

/// Prints bytes to standard output. A reader that has gone is no error: it has
/// what it wanted.
pub fn bytes(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Prints a line to standard output.
pub fn line(line: &str) -> io::Result<()> {
    bytes(format!("{line}\n").as_bytes())
}

/// Prints a value as one line of JSON.
pub fn json(value: &Value) -> io::Result<()> {
    line(&value.to_string())
}

/// Prints a line to standard error.
pub fn complain(text: &str) {
    // Where nobody can be told, nobody is.
    let _ = writeln!(io::stderr(), "amux: {text}");
}

/// Adds raw bytes to an object, in base64, where they are no UTF-8: a string
/// cannot hold them.
pub fn put_raw(object: &mut Map<String, Value>, raw: &[u8]) {
    if std::str::from_utf8(raw).is_err() {
        object.insert("raw_base64".to_owned(), json!(STANDARD.encode(raw)));
    }
}

/// Returns the name of a signal, as kill(1) lists it.
pub fn signal_name(number: u8) -> String {
    // signal(7), the numbers of Linux on x86 and ARM.
    const NAMES: [&str; 15] = [
        "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
        "PIPE", "ALRM", "TERM",
    ];
    match NAMES.get(usize::from(number).wrapping_sub(1)) {
        Some(name) => format!("SIG{name}"),
        None => format!("signal {number}"),
    }
}

/// Returns a command's record.
pub fn record(record: &Record) -> Map<String, Value> {
    let value = json!({
        "id": record.id.get(),
        "ended": record.ended.as_str(),
        "status": record.status,
        "signal": record.signal(),
        "pipe_statuses": record.pipe_statuses,
        "duration_ms": record.duration.map(milliseconds),
        "flags": record.flags.names(),
    });
    object(value)
}

/// Returns what was left out.
pub fn excerpt(excerpt: &Excerpt) -> Value {
    let amount = |amount: Amount| json!({ "bytes": amount.bytes, "lines": amount.lines });
    let pieces = excerpt.pieces.iter().map(|piece| {
        json!({
            "start": piece.start,
            "end": piece.end,
            "line": piece.line,
            "omitted_before": amount(piece.omitted_before),
        })
    });
    json!({
        "total": amount(excerpt.total),
        "omitted": amount(excerpt.omitted),
        "omitted_after": amount(excerpt.omitted_after),
        "cut_lines": excerpt.cut_lines,
        "hits": excerpt.hits.as_ref().map(|hits| json!({
            "total": hits.total,
            "lines": hits.lines,
        })),
        "pieces": pieces.collect::<Vec<_>>(),
    })
}

/// Returns a pane's state.
pub fn state(state: &State) -> Map<String, Value> {
    let value = json!({
        "state": state.activity.as_str(),
        "input": state.input.as_str(),
        "foreground": state.foreground,
        "prompt_empty": state.prompt_empty,
        "integrated": state.integrated,
        "nested": state.nested,
        "last_status": state.last_status,
        "id": state.command.map(|id| id.get()),
        "duration_ms": state.duration.map(milliseconds),
        "unread": state.unread,
        "total": state.total,
        "dropped": state.dropped,
        "pid": state.pid,
    });
    object(value)
}

/// Milliseconds with fractions, as far as microseconds.
pub fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bytes_that_are_no_text_come_in_base64() {
        let mut map = Map::new();
        put_raw(&mut map, "é".as_bytes());
        assert_eq!(map.len(), 0);
        put_raw(&mut map, b"\xff");
        assert_eq!(Value::Object(map), json!({ "raw_base64": "/w==" }));
    }

    #[test]
    fn milliseconds_keep_three_digits() {
        assert_eq!(milliseconds(Duration::from_nanos(1_234_567)), 1.235);
    }
}
