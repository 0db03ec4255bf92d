//! `amux read`

use amux::{Range, ReadOptions, Record, Render, Window};
use serde_json::{Map, Value, json};

use crate::args::{Place, Read};
use crate::cmd::{Result, window};
use crate::output;

pub async fn read(place: &Place, args: Read) -> Result {
    let window = window(place, &args.window).await?;
    match args.range.records {
        true => records(&window, args.json).await?,
        false => bytes(&window, &args).await?,
    }
    Ok(0)
}

async fn bytes(window: &Window, args: &Read) -> Result<()> {
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
    let options = ReadOptions::new(range).render(render).consume(args.count);
    let chunk = window.read(options).await?;
    if !args.json {
        output::bytes(&chunk.bytes)?;
        if chunk.missing > 0 {
            let missing = chunk.missing;
            output::complain(&format!("the first {missing} bytes are no longer kept"));
        }
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
    output::put_raw(&mut object, &chunk.bytes);
    output::json(&Value::Object(object))?;
    Ok(())
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
