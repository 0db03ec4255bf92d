//! `amux write`

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use amux::Submit;
use serde_json::json;

use crate::args::{Place, Write};
use crate::cmd::{Result, read_file, with_window};
use crate::output;

pub async fn write(place: &Place, args: Write) -> Result {
    let data = match &args.file {
        Some(path) => read_file(path)?,
        None => args.data.join(&OsString::from(" ")).into_vec(),
    };
    let submit = match (args.enter, args.never) {
        (true, _) => Submit::Yes,
        (_, true) => Submit::Never,
        _ => Submit::Auto,
    };
    if data.is_empty() && submit != Submit::Yes {
        return Err("nothing to write".into());
    }
    let id = with_window(place, &args.window, async |window| {
        Ok(window.write(data, submit).await?)
    })
    .await?;
    if args.json {
        output::json(&json!({ "id": id.map(|id| id.get()) }))?;
    } else if let Some(id) = id {
        output::line(&id.to_string())?;
    }
    Ok(0)
}
