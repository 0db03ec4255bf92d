//! The parts of the build script that decide something: configuration, releases, series, overlay.
//!
//! A build script cannot hold tests of its own, so its modules are included here.

#![allow(dead_code, reason = "the build script uses what is not tested here")]

#[path = "../../build/config.rs"]
mod config;
#[path = "../../build/error.rs"]
mod error;
#[path = "../../build/install.rs"]
mod install;
#[path = "../../build/overlay.rs"]
mod overlay;
#[path = "../../build/packages.rs"]
mod packages;
#[path = "../../build/releases.rs"]
mod releases;
#[path = "../../build/series.rs"]
mod series;
#[path = "../../build/tarball.rs"]
mod tarball;

mod configuration;
mod installing;
mod laying_files_over;
mod naming_what_is_missing;
mod patch_series;
mod pinned_releases;
mod release_tarball;

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use config::{Config, Environment};
use error::Result;

/// What Cargo sets for every build script.
const CARGO: [(&str, &str); 4] = [
    ("TARGET", "x86_64-unknown-linux-gnu"),
    ("HOST", "x86_64-unknown-linux-gnu"),
    ("CARGO_MANIFEST_DIR", "/crate"),
    ("OUT_DIR", "/out"),
];

/// Reads the configuration from these variables and Cargo's; those here win.
fn configure(variables: &[(&str, &str)]) -> Result<Config> {
    let map: HashMap<String, OsString> = CARGO
        .iter()
        .chain(variables)
        .map(|(name, value)| ((*name).to_owned(), OsString::from(value)))
        .collect();
    let names: Vec<String> = map.keys().cloned().collect();
    let lookup = |name: &str| map.get(name).cloned();
    Config::read(&Environment::new(&lookup, &|_| {}), &names)
}

fn message<T>(result: Result<T>) -> String {
    match result {
        Ok(_) => panic!("an error was expected"),
        Err(error) => error.to_string(),
    }
}

/// A folder of one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("build_script-{test}"));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
