//! `vendor/releases.toml`: the tmux releases that are known, and their hashes.

use std::path::Path;

use crate::error::{Error, Result};

/// One release of tmux.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// As in the tarball's name, such as `3.5a`.
    pub version: String,
    /// Hash of upstream's tarball, in lower case hex digits.
    pub sha256: String,
    /// Whether it is built where none is named.
    pub default: bool,
}

/// Reads the file.
pub fn read(path: &Path) -> Result<Vec<Release>> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::file("read", path, &error))?;
    parse(&text).map_err(|error| error.during(&path.display().to_string()))
}

/// Reads the file's text.
pub fn parse(text: &str) -> Result<Vec<Release>> {
    let table: toml::Table = text
        .parse()
        .map_err(|error: toml::de::Error| Error::new("not TOML").help(error.to_string()))?;
    let entries = table
        .get("release")
        .and_then(toml::Value::as_array)
        .ok_or_else(|| Error::new("no [[release]] in it"))?;
    let releases = entries.iter().map(release).collect::<Result<Vec<_>>>()?;
    match releases.iter().filter(|release| release.default).count() {
        1 => Ok(releases),
        count => Err(Error::new(format!(
            "{count} releases say default = true: one must"
        ))),
    }
}

fn release(entry: &toml::Value) -> Result<Release> {
    let text = |key: &str| {
        entry
            .get(key)
            .and_then(toml::Value::as_str)
            .map(str::to_owned)
            .ok_or_else(|| Error::new(format!("a [[release]] without {key}")))
    };
    let version = text("version")?;
    let sha256 = text("sha256")?;
    if sha256.len() != 64
        || !sha256
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    {
        return Err(Error::new(format!(
            "the sha256 of {version} is not 64 hex digits in lower case"
        )));
    }
    let default = entry
        .get("default")
        .and_then(toml::Value::as_bool)
        .unwrap_or(false);
    Ok(Release {
        version,
        sha256,
        default,
    })
}

/// Picks the releases that are named, in that order; none named: the default one.
pub fn choose<'a>(releases: &'a [Release], versions: &[String]) -> Result<Vec<&'a Release>> {
    if versions.is_empty() {
        return Ok(releases.iter().filter(|release| release.default).collect());
    }
    versions
        .iter()
        .map(|version| {
            releases
                .iter()
                .find(|release| release.version == *version)
                .ok_or_else(|| {
                    let known: Vec<&str> = releases
                        .iter()
                        .map(|release| release.version.as_str())
                        .collect();
                    Error::new(format!("tmux {version} is not in vendor/releases.toml"))
                        .help(format!("known are {}", known.join(", ")))
                })
        })
        .collect()
}
