//! `amux log`

mod entry;
mod source;

use std::collections::VecDeque;
use std::io::{self, Write};

use crate::args::Place;
use crate::args::log::Log;
use crate::cmd::Result;

use entry::{Entry, Filter};
use source::Source;

pub async fn log(place: &Place, args: Log) -> Result {
    let filter = Filter::new(place, &args);
    let mut source = match (&args.file, &args.namespace) {
        (Some(path), None) if !path.as_os_str().is_empty() => Source::file(path)?,
        _ => Source::journal(&args)?,
    };
    let mut last = VecDeque::new();
    while let Some(line) = source.next_old().await? {
        // What is no entry is the rest of a line that a full disk has cut.
        let Some(entry) = Entry::parse(&line).filter(|entry| filter.takes(entry)) else {
            continue;
        };
        last.push_back(entry);
        if last.len() > args.lines {
            last.pop_front();
        }
    }
    for entry in &last {
        if !print(entry, args.json)? {
            return Ok(0);
        }
    }
    if !args.follow {
        return Ok(0);
    }
    loop {
        let line = source.next_new().await?;
        if let Some(entry) = Entry::parse(&line).filter(|entry| filter.takes(entry))
            && !print(&entry, args.json)?
        {
            return Ok(0);
        }
    }
}

/// Prints an entry. False: whoever read has gone, and has what it wanted.
fn print(entry: &Entry, json: bool) -> Result<bool> {
    let line = match json {
        true => entry.json().to_string(),
        false => entry.line(),
    };
    let mut stdout = io::stdout().lock();
    match writeln!(stdout, "{line}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        written => Ok(written.map(|()| true)?),
    }
}
