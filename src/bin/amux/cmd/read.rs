//! `amux read`

use amux::{Chunk, Part, Range, ReadOptions, Record, Render, Search, Window};
use serde_json::{Map, Value, json};

use crate::args::{Place, Read};
use crate::cmd::{Result, with_window};
use crate::output;
use crate::rest::Rest;

pub async fn read(place: &Place, args: Read) -> Result {
    with_window(place, &args.window, async |window| {
        match args.range.records {
            true => records(window, args.json).await?,
            false => bytes(place, window, &args).await?,
        }
        Ok(0)
    })
    .await
}

async fn bytes(place: &Place, window: &Window, args: &Read) -> Result<()> {
    let range = match &args.range {
        range if range.output => Range::LastCommand,
        range if range.since_write => Range::SinceWrite,
        range => range.id.map_or(Range::Unread, Range::Command),
    };
    let render = match (args.raw, args.escapes) {
        (true, _) => Render::Raw,
        (_, true) => Render::Escapes,
        _ => Render::Clean,
    };
    let options = ReadOptions::new(range)
        .render(render)
        .consume(args.count)
        .part(part(args))
        .limits(args.limits.given());
    let chunk = window.read(options).await?;
    let rest = Rest {
        excerpt: &chunk.excerpt,
        place,
        window: &args.window,
        range: again(args, &chunk),
        search: args.part.search.as_ref().map(|text| (text, &args.search)),
        kept: true,
    };
    if !args.json {
        output::put(args.to.as_deref(), &chunk.bytes)?;
        if chunk.missing > 0 {
            let missing = chunk.missing;
            output::complain(&format!("the first {missing} bytes are no longer kept"));
        }
        rest.complain();
        return Ok(());
    }
    let mut object = match &chunk.record {
        Some(record) => output::record(record),
        None => Map::new(),
    };
    object.insert("start".to_owned(), json!(chunk.start));
    object.insert("end".to_owned(), json!(chunk.end));
    object.insert("missing".to_owned(), json!(chunk.missing));
    object.insert("alternate".to_owned(), json!(chunk.alternate));
    object.insert("output".to_owned(), json!(chunk.text()));
    rest.put(&mut object);
    output::put_raw(&mut object, &chunk.bytes);
    output::json(&Value::Object(object))?;
    Ok(())
}

fn part(args: &Read) -> Part {
    let part = &args.part;
    if let Some(lines) = part.head {
        Part::Head(lines)
    } else if let Some(lines) = part.tail {
        Part::Tail(lines)
    } else if let Some(lines) = &part.lines {
        Part::Lines(lines.clone())
    } else if let Some(bytes) = &part.bytes {
        Part::Bytes(bytes.clone())
    } else if let Some(text) = &part.search {
        let search = Search::new(text)
            .around(args.search.around)
            .skip(args.search.skip);
        Part::Search(match args.search.max_hits {
            Some(hits) => search.max(hits),
            None => search,
        })
    } else {
        Part::Whole
    }
}

/// Returns the options by which the same range is read again, also when another
/// command has run.
fn again(args: &Read, chunk: &Chunk) -> Vec<String> {
    let mut words = Vec::new();
    match &chunk.record {
        Some(record) if args.range.output || args.range.id.is_some() => {
            words.extend(["--id".to_owned(), record.id.to_string()]);
        }
        _ if args.range.since_write => words.push("--since-write".to_owned()),
        _ => {}
    }
    if args.raw {
        words.push("--raw".to_owned());
    }
    if args.escapes {
        words.push("--escapes".to_owned());
    }
    words
}

async fn records(window: &Window, json: bool) -> Result<()> {
    let records = window.records().await?;
    if json {
        let records: Vec<_> = records.iter().map(output::record).collect();
        output::json(&json!(records))?;
    } else {
        let lines: String = records.iter().map(line).collect();
        output::bytes(lines.as_bytes())?;
    }
    Ok(())
}

/// `7 exited 0 12`, with `-` for what there is none of.
fn line(record: &Record) -> String {
    let or_dash = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    format!(
        "{} {} {} {}\n",
        record.id,
        record.ended,
        or_dash(record.status.map(|status| status.to_string())),
        or_dash(record.duration.map(|d| d.as_millis().to_string())),
    )
}
