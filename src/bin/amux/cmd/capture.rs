//! `amux capture`

use amux::CaptureOptions;
use serde_json::json;

use crate::args::{Capture, Place};
use crate::cmd::{Result, window};
use crate::output;

pub async fn capture(place: &Place, args: Capture) -> Result {
    let window = window(place, &args.window).await?;
    let options = CaptureOptions::new().history(args.history);
    let snapshot = window.capture(options).await?;
    if !args.json {
        output::bytes(snapshot.text.as_bytes())?;
        return Ok(0);
    }
    let cursor = snapshot
        .cursor
        .map(|cursor| json!({ "row": cursor.row, "column": cursor.column }));
    output::json(&json!({
        "text": snapshot.text,
        "rows": snapshot.rows,
        "columns": snapshot.columns,
        "history_rows": snapshot.history_rows,
        "screen_bytes": snapshot.screen_bytes,
        "full_screen": snapshot.full_screen,
        "cursor": cursor,
    }))?;
    Ok(0)
}
