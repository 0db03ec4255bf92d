//! An entry: from a line of JSON, through a filter, to what is printed.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};

use crate::args::Place;
use crate::args::log::{Event, Log};

/// Fields that are numbers, in their order.
const NUMBERS: [&str; 9] = [
    "AMUX_BYTES",
    "AMUX_COMMAND_ID",
    "AMUX_EXIT_STATUS",
    "AMUX_START_TIME",
    "AMUX_END_TIME",
    "AMUX_DURATION_MS",
    "AMUX_CLIENT_PID",
    "AMUX_CLIENT_UID",
    "AMUX_DROPPED",
];

/// Fields that are lists, with commas.
const LISTS: [&str; 2] = ["AMUX_FLAGS", "AMUX_PIPE_STATUSES"];

/// An entry, as journalctl and files of JSON lines have it.
pub struct Entry(Map<String, Value>);

/// Which entries are printed.
pub struct Filter {
    /// Name of the socket, of a tenant; or its path.
    server: Option<PathBuf>,
    window: Option<String>,
    pane: Option<String>,
    event: Option<Event>,
    failed: bool,
    /// Microseconds since 1970.
    since: u64,
}

impl Filter {
    pub fn new(place: &Place, args: &Log) -> Self {
        let tenant = place.tenant.as_deref().filter(|name| !name.is_empty());
        let since = args
            .since
            .and_then(|ago| SystemTime::now().checked_sub(ago));
        let since = since.and_then(|since| since.duration_since(UNIX_EPOCH).ok());
        Self {
            server: place
                .socket
                .as_ref()
                .map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()))
                .or_else(|| tenant.map(|name| PathBuf::from(format!("amux-{name}")))),
            window: args.window.clone(),
            pane: args.pane.clone(),
            event: args.event,
            failed: args.failed,
            since: since.map_or(0, |since| {
                u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
            }),
        }
    }

    pub fn takes(&self, entry: &Entry) -> bool {
        let server = |wanted: &PathBuf| {
            let path = entry.text("AMUX_SOCKET").unwrap_or_default();
            let path = Path::new(&path);
            path == wanted || path.file_name() == Some(wanted.as_os_str())
        };
        let is = |name, wanted: &str| entry.text(name).as_deref() == Some(wanted);
        let window = |wanted: &String| match wanted.split_once(':') {
            Some((session, window)) => is("AMUX_SESSION", session) && is("AMUX_WINDOW", window),
            None => is("AMUX_WINDOW", wanted),
        };
        let command = is("AMUX_EVENT", "command");
        self.server.as_ref().is_none_or(server)
            && self.window.as_ref().is_none_or(window)
            && self.pane.as_ref().is_none_or(|pane| is("AMUX_PANE", pane))
            && self
                .event
                .is_none_or(|event| is("AMUX_EVENT", event.as_str()))
            && (!self.failed || (command && entry.number("AMUX_EXIT_STATUS") != Some(0)))
            && entry.time() >= self.since
    }
}

impl Entry {
    /// Reads a line; `None` for what is no entry.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(line).ok()?;
        match value {
            Value::Object(map) if map.contains_key("AMUX_EVENT") => Some(Self(map)),
            _ => None,
        }
    }

    /// The bytes of a field: text, or an array of what is no text.
    fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        match self.0.get(name)? {
            Value::String(text) => Some(text.clone().into_bytes()),
            Value::Array(bytes) => bytes
                .iter()
                .map(|byte| u8::try_from(byte.as_u64()?).ok())
                .collect(),
            _ => None,
        }
    }

    fn text(&self, name: &str) -> Option<String> {
        let bytes = self.bytes(name)?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.0.get(name)?.as_str()?.parse().ok()
    }

    /// When it was, in microseconds since 1970.
    fn time(&self) -> u64 {
        self.number("__REALTIME_TIMESTAMP").unwrap_or_default()
    }

    /// Returns a line for people.
    pub fn line(&self) -> String {
        let text = |name| shown(&self.text(name).unwrap_or_default());
        let mut line = format!(
            "{} {}:{} {}",
            utc(self.time()),
            text("AMUX_SESSION"),
            text("AMUX_WINDOW"),
            text("MESSAGE")
        );
        if let Some(pid) = self.number("AMUX_CLIENT_PID") {
            line += &format!(" (pid {pid})");
        }
        if let Some(dropped) = self.number("AMUX_DROPPED") {
            line += &format!(" [{dropped} entries before it were dropped]");
        }
        for name in ["AMUX_PAYLOAD", "AMUX_COMMAND_LINE"] {
            if let Some(text) = self.text(name) {
                line += &format!(": {}", shown(&text));
            }
        }
        line
    }

    /// Returns it as an object: our fields alone, by shorter names.
    pub fn json(&self) -> Value {
        let mut object = Map::new();
        object.insert("time".to_owned(), json!(utc(self.time())));
        let fields = self.0.keys().filter(|name| name.starts_with("AMUX_"));
        for name in fields {
            let value = if NUMBERS.contains(&name.as_str()) {
                json!(self.number(name))
            } else if LISTS.contains(&name.as_str()) {
                let list = self.text(name).unwrap_or_default();
                let parts = list.split(',').filter(|part| !part.is_empty());
                match parts
                    .clone()
                    .map(str::parse::<u8>)
                    .collect::<Result<Vec<_>, _>>()
                {
                    Ok(numbers) if name == "AMUX_PIPE_STATUSES" => json!(numbers),
                    _ => json!(parts.collect::<Vec<_>>()),
                }
            } else {
                self.0[name].clone()
            };
            object.insert(name["AMUX_".len()..].to_lowercase(), value);
        }
        if let Some(message) = self.text("MESSAGE") {
            object.insert("message".to_owned(), json!(message));
        }
        Value::Object(object)
    }
}

/// Control characters would do something to the terminal.
fn shown(text: &str) -> String {
    let escaped = text.chars().map(|ch| match ch.is_control() {
        true => ch.escape_default().to_string(),
        false => ch.to_string(),
    });
    escaped.collect()
}

/// A time in microseconds since 1970 as `2026-11-30T18:05:32.878Z`.
fn utc(micros: u64) -> String {
    let seconds = micros / 1_000_000;
    let mut days = seconds / 86_400;
    let mut year = 1970;
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    // No entry is of a time that makes this long.
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!(
        "{year}-{month:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
        days + 1,
        seconds / 3600 % 24,
        seconds / 60 % 60,
        seconds % 60,
        micros / 1000 % 1000
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMAND: &str = r#"{"__REALTIME_TIMESTAMP":"1796062616892884",
        "MESSAGE":"command 1 in %0 exited with status 3 after 13 ms","_PID":"7",
        "AMUX_EVENT":"command","AMUX_SOCKET":"/tmp/tmux-0/amux-t","AMUX_SESSION":"amux",
        "AMUX_WINDOW":"w","AMUX_PANE":"%0","AMUX_EXIT_STATUS":"3","AMUX_PIPE_STATUSES":"0,3",
        "AMUX_FLAGS":"by-program,finished","AMUX_CLIENT_PID":"12"}"#;

    fn entry() -> Entry {
        Entry::parse(COMMAND.as_bytes()).unwrap()
    }

    fn filter(words: &str) -> Filter {
        use clap::Parser;
        let words = format!("amux {words}");
        let args = crate::args::Args::try_parse_from(words.split_whitespace()).unwrap();
        match args.command {
            crate::args::Command::Log(log) => Filter::new(&args.place, &log),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn filters_take_what_all_of_them_ask_for() {
        for words in [
            "log",
            "log --window w --pane %0 --event command --failed",
            "log --window amux:w",
            "-L t log",
            "-S /tmp/tmux-0/amux-t log",
        ] {
            assert!(filter(words).takes(&entry()), "{words}");
        }
        for words in [
            "log --window v",
            "log --window other:w",
            "log --pane %1",
            "log --event read",
            "-L u log",
            "-S /tmp/tmux-0/amux-u log",
        ] {
            assert!(!filter(words).takes(&entry()), "{words}");
        }
        let mut well = entry();
        well.0.insert("AMUX_EXIT_STATUS".to_owned(), json!("0"));
        assert!(!filter("log --failed").takes(&well));
        well.0.remove("AMUX_EXIT_STATUS");
        assert!(filter("log --failed").takes(&well));
        let mut old = entry();
        old.0.insert("__REALTIME_TIMESTAMP".to_owned(), json!("5"));
        assert!(!filter("log --since 1h").takes(&old));
    }

    #[test]
    fn people_get_a_line_and_programs_numbers() {
        let mut entry = entry();
        assert_eq!(
            entry.line(),
            "2026-11-30T18:16:56.892Z amux:w command 1 in %0 exited with status 3 after 13 ms (pid 12)"
        );
        let json = entry.json();
        assert_eq!(json["exit_status"], 3);
        assert_eq!(json["pipe_statuses"], json!([0, 3]));
        assert_eq!(json["flags"], json!(["by-program", "finished"]));
        assert_eq!(json.get("_pid"), None);
        entry
            .0
            .insert("AMUX_PAYLOAD".to_owned(), json!([27, 97, 255]));
        assert!(entry.line().ends_with(": \\u{1b}a\u{fffd}"));
    }

    #[test]
    fn what_is_no_entry_is_passed_over() {
        for line in ["", "{", "[1]", "{\"MESSAGE\":\"x\"}"] {
            assert!(Entry::parse(line.as_bytes()).is_none(), "{line}");
        }
    }

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(utc(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(utc(951_782_400_000_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(utc(1_798_761_599_999_999), "2026-12-31T23:59:59.999Z");
    }
}
