//! The constants of the protocol between tmux's client and server.
//!
//! They are bound from the headers of the release that is the default one, whichever tmux the crate gets: the
//! numbers are the same from 3.3a to 3.8, and what a server does not know of it is not asked for. Where that
//! release's tarball is missing (on docs.rs, or with `AMUX_BUILD_TMUX` and nothing in `vendor/`) there must be
//! constants all the same: the table that lies in the repository is used. A unit test compares the table with
//! what was bound.

use std::io::Read;
use std::path::Path;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::packages;
use crate::releases::{self, Release};
use crate::tarball;

/// The table, in the crate's folder.
pub const TABLE: &str = "src/wire/protocol/table.rs";

/// What is read of a release. `imsg.h` takes the macros of `queue.h` for there.
const HEADERS: [&str; 4] = [
    "tmux-protocol.h",
    "compat/imsg.h",
    "compat/queue.h",
    "tmux.h",
];

/// The flag that we set in `tmux.h`, which as a whole needs all that tmux needs: its line alone is taken.
const FLAG: &str = "#define CLIENT_UTF8 ";

/// What is bound.
const TYPES: [&str; 1] = ["msgtype"];
const MACROS: [&str; 3] = ["PROTOCOL_VERSION", "MAX_IMSGSIZE", "CLIENT_UTF8"];

/// Writes the constants to `OUT_DIR/protocol.rs`.
pub fn build(config: &Config) -> Result<()> {
    write(config).map_err(|error| error.during("constants of the protocol"))
}

fn write(config: &Config) -> Result<()> {
    let target = config.out_dir.join("protocol.rs");
    let known = releases::read(&config.manifest_dir.join("vendor/releases.toml"))?;
    let release = releases::choose(&known, &[])?.into_iter().next();
    let release = release.filter(|release| {
        let path = tarball::path(&config.tarballs, &release.version);
        println!("cargo::rerun-if-changed={}", path.display());
        path.is_file()
    });
    match release {
        Some(release) => bind(config, release, &target),
        None => {
            let table = config.manifest_dir.join(TABLE);
            println!("cargo::rerun-if-changed={}", table.display());
            std::fs::copy(&table, &target)
                .map(|_| ())
                .map_err(|error| Error::file("copy", &table, &error))
        }
    }
}

fn bind(config: &Config, release: &Release, target: &Path) -> Result<()> {
    let folder = config.out_dir.join("protocol");
    let flag = unpack(
        &tarball::read(&config.tarballs, release)?,
        &release.version,
        &folder,
    )?;
    // bindgen panics where it finds no libclang.
    clang_sys::load().map_err(|reason| packages::missing_libclang(&reason))?;
    let includes = format!(
        "#include <stdint.h>\n#include \"queue.h\"\n#include \"imsg.h\"\n#include \"tmux-protocol.h\"\n{flag}\n"
    );
    let mut builder = bindgen::builder()
        .clang_arg("-std=c99")
        .clang_arg("-D_DEFAULT_SOURCE")
        .clang_arg(format!("-I{}", folder.display()))
        .header_contents("amux-protocol.h", &includes)
        .prepend_enum_name(false)
        .use_core();
    for name in TYPES {
        builder = builder.allowlist_type(name);
    }
    for name in MACROS {
        builder = builder.allowlist_var(name);
    }
    builder
        .generate()
        .map_err(|error| Error::new(error.to_string()))?
        .write_to_file(target)
        .map_err(|error| Error::file("write", target, &error))
}

/// Writes the headers into the folder, all but `tmux.h`, of which the line with the flag is returned.
fn unpack(bytes: &[u8], version: &str, folder: &Path) -> Result<String> {
    std::fs::create_dir_all(folder).map_err(|error| Error::file("create", folder, &error))?;
    let broken = |error: std::io::Error| Error::new(error.to_string()).during("unpack");
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(bytes));
    let mut flag = None;
    let mut left = HEADERS.len();
    for entry in archive.entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        let path = entry.path().map_err(broken)?.into_owned();
        let Some(header) = HEADERS
            .iter()
            .map(Path::new)
            .find(|header| path == Path::new(&format!("tmux-{version}")).join(header))
        else {
            continue;
        };
        let mut text = String::new();
        entry.read_to_string(&mut text).map_err(broken)?;
        left -= 1;
        if header == Path::new("tmux.h") {
            flag = text
                .lines()
                .find(|line| line.starts_with(FLAG))
                .map(str::to_owned);
        } else if let Some(name) = header.file_name() {
            let target = folder.join(name);
            std::fs::write(&target, text).map_err(|error| Error::file("write", &target, &error))?;
        }
        if left == 0 {
            break;
        }
    }
    match flag {
        Some(flag) if left == 0 => Ok(flag),
        _ => Err(Error::new(format!(
            "tmux {version} has not all of {}, or no line {FLAG:?}",
            HEADERS.join(", ")
        ))),
    }
}
