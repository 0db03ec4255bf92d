//! `amux task ls`

use std::time::Duration;

use amux::{ErrorKind, TaskInfo};
use serde_json::{Value, json};

use crate::args::Place;
use crate::args::task::Ls;
use crate::cmd::{Result, builder};
use crate::output;

pub async fn ls(place: &Place, args: Ls) -> Result {
    let mut tasks = match builder(place)?.connect().await {
        Ok(server) => server.tasks().await?,
        // No server has no tasks.
        Err(error) if *error.kind() == ErrorKind::NoServer => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    if let Some(age) = args.stale {
        tasks.retain(|task| task.lingers(age));
    }
    if args.json {
        let tasks: Vec<_> = tasks.iter().map(object).collect();
        output::json(&json!(tasks))?;
    } else {
        output::bytes(table(&tasks).as_bytes())?;
    }
    Ok(0)
}

fn object(task: &TaskInfo) -> Value {
    json!({
        "session": task.session,
        "name": task.name,
        "began_as": task.began_as,
        "state": task.state.as_str(),
        "age_s": task.age.map(|age| age.as_secs()),
        "stale": task.lingers(Duration::ZERO),
        "last_status": task.window.last_status,
        "foreground": task.window.foreground,
    })
}

/// Name, state, foreground program, last status and age, in columns; then the
/// name that it began under, where it has another by now. A task of the default
/// session goes by its own name.
fn table(tasks: &[TaskInfo]) -> String {
    let rows: Vec<[String; 6]> = tasks
        .iter()
        .map(|task| {
            let status = task.window.last_status;
            [
                match task.session.as_str() {
                    amux::DEFAULT_SESSION => task.name.clone(),
                    session => format!("{session}:{}", task.name),
                },
                task.state.to_string(),
                task.window.foreground.clone(),
                status.map_or("-".to_owned(), |status| status.to_string()),
                task.age.map_or("-".to_owned(), age),
                match task.began_as == task.name {
                    true => String::new(),
                    false => format!("was {}", task.began_as),
                },
            ]
        })
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths = [0, 1, 2, 3, 4].map(|column| width(column).unwrap_or_default());
    rows.iter()
        .map(|[name, state, program, status, age, was]| {
            let line = format!(
                "{name:0$}  {state:1$}  {program:2$}  {status:3$}  {age:4$}  {was}",
                widths[0], widths[1], widths[2], widths[3], widths[4]
            );
            format!("{}\n", line.trim_end())
        })
        .collect()
}

/// `45s`, `12m`, `3h`, `2d`.
fn age(age: Duration) -> String {
    let seconds = age.as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_short() {
        for (seconds, text) in [
            (0, "0s"),
            (59, "59s"),
            (60, "1m"),
            (3_599, "59m"),
            (3_600, "1h"),
            (172_800, "2d"),
        ] {
            assert_eq!(age(Duration::from_secs(seconds)), text);
        }
    }
}
