//! `hooks/<version>/series`: the patches of one base version and their order.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// One patch of a series.
#[derive(Debug, PartialEq, Eq)]
pub struct Patch {
    /// Its file.
    pub path: PathBuf,
    /// What the file holds.
    pub text: Vec<u8>,
}

/// Reads the series in a folder, and its patches.
pub fn read(folder: &Path) -> Result<Vec<Patch>> {
    let path = folder.join("series");
    let text = std::fs::read_to_string(&path).map_err(|error| {
        Error::file("read", &path, &error)
            .help("a release is patched by the series of its own version")
    })?;
    let names = parse(&text).map_err(|error| error.during(&path.display().to_string()))?;
    refuse_strays(&names, &files(folder)?)
        .map_err(|error| error.during(&path.display().to_string()))?;
    names
        .iter()
        .map(|name| {
            let path = folder.join(name);
            let text = std::fs::read(&path).map_err(|error| Error::file("read", &path, &error))?;
            Ok(Patch { path, text })
        })
        .collect()
}

/// Reads a series: one file name a line; what follows a `#` and blank lines mean nothing.
pub fn parse(text: &str) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let number = index + 1;
        if line.contains(['/', ' ', '\t']) {
            return Err(Error::new(format!(
                "line {number}: {line:?} is not the name of a file beside it"
            )));
        }
        if names.iter().any(|name| name == line) {
            return Err(Error::new(format!("line {number}: {line} is listed twice")));
        }
        names.push(line.to_owned());
    }
    Ok(names)
}

/// Refuses a name without a file, and a patch that is not listed, which would be left out in silence.
pub fn refuse_strays(names: &[String], files: &BTreeSet<String>) -> Result<()> {
    if let Some(name) = names.iter().find(|name| !files.contains(*name)) {
        return Err(Error::new(format!(
            "{name} is listed, and there is no such file"
        )));
    }
    match files
        .iter()
        .find(|file| file.ends_with(".patch") && !names.contains(file))
    {
        None => Ok(()),
        Some(file) => Err(Error::new(format!("{file} is there, and is not listed"))),
    }
}

fn files(folder: &Path) -> Result<BTreeSet<String>> {
    let failed = |error: std::io::Error| Error::file("list", folder, &error);
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        names.insert(
            entry
                .map_err(failed)?
                .file_name()
                .to_string_lossy()
                .into_owned(),
        );
    }
    Ok(names)
}
