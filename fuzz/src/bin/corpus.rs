//! Turns the cases of the engine's tests into inputs: `corpus FOLDER DATA...`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use amux::stream::AtPrompt;
use amux_fuzz::input::{Input, Step};

#[path = "../../../tests/stream/file.rs"]
mod file;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let Some(folder) = arguments.next() else {
        eprintln!("usage: corpus FOLDER DATA...");
        return ExitCode::from(2);
    };
    match arguments.try_fold(0, |sum, data| {
        convert(&folder, &data).map(|count| sum + count)
    }) {
        Ok(count) => {
            println!("{count} cases are inputs now");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("corpus: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Writes a file for each case; returns how many there are.
fn convert(folder: &Path, data: &Path) -> std::io::Result<usize> {
    let cases = file::read(&std::fs::read_to_string(data)?);
    let file = data.file_stem().unwrap_or_default().to_string_lossy();
    for case in &cases {
        let steps = case.steps.iter().filter_map(step).collect();
        let input = Input { offset: 0, steps };
        let line = case.steps.first().map_or(0, |step| step.line);
        let title: String = case
            .title
            .split(|c: char| !c.is_alphanumeric())
            .collect::<Vec<_>>()
            .join("-");
        std::fs::write(
            folder.join(format!("{file}-{line}-{title}")),
            input.to_bytes(),
        )?;
    }
    Ok(cases.len())
}

/// What a line does, if it does anything.
fn step(line: &file::Step) -> Option<Step> {
    let has = |word: &str| line.rest.split_whitespace().any(|found| found == word);
    Some(match line.word.as_str() {
        "push" => Step::Append(file::bytes(&line.rest)),
        "nonce" => Step::Nonce(line.rest.bytes().next()),
        "submit" => {
            let lines = line
                .rest
                .split_whitespace()
                .find_map(|word| word.strip_prefix("lines="));
            let at = match (has("exact"), has("line")) {
                (false, _) => AtPrompt::Unknown,
                (true, false) => AtPrompt::Empty,
                (true, true) => AtPrompt::EmptyForLine,
            };
            Step::Submit(lines.and_then(|lines| lines.parse().ok()).unwrap_or(1), at)
        }
        "settle" => Step::Settle(0),
        "end" => Step::End,
        "limit" => Step::Limit(line.rest.parse().unwrap_or(0)),
        "read" => Step::Read(255),
        _ => return None,
    })
}
