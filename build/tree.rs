//! The source tree of one release: unpacked, with our files and hooks, configured.
//!
//! It is kept from build to build. A stamp beside it holds a hash of everything that it was made
//! from; our own C files are left out of that hash, as make builds again what they change.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::config::{Config, Flags};
use crate::error::{Error, Result};
use crate::overlay::{self, File};
use crate::packages;
use crate::releases::Release;
use crate::run;
use crate::series::Patch;
use crate::tarball;

/// Lines of `config.log` that are shown where `configure` failed.
const LOG_LINES: usize = 100;

/// What a tree is made from.
pub struct Parts<'a> {
    /// The release.
    pub release: &'a Release,
    /// Our files.
    pub files: &'a [File],
    /// The hooks, in order.
    pub patches: &'a [Patch],
    /// What it is compiled with.
    pub flags: &'a Flags,
}

/// Returns a configured tree under `folder` that has all the parts, made now or before.
pub fn prepare(config: &Config, parts: &Parts<'_>, folder: &Path) -> Result<PathBuf> {
    let version = &parts.release.version;
    let tree = folder.join(format!("tmux-{version}"));
    let stamp = folder.join(format!("tmux-{version}.stamp"));
    // Read and checked each time: what is built is what is pinned, or nothing.
    let tarball = tarball::read(&config.tarballs, parts.release)?;
    let configure = configure_command(config, parts.flags, &tree);
    let key = key(parts, &configure);

    if std::fs::read_to_string(&stamp).is_ok_and(|found| found == key) {
        overlay::refresh(parts.files, &tree)?;
        return Ok(tree);
    }
    remove(&stamp)?;
    remove(&tree)?;
    std::fs::create_dir_all(folder).map_err(|error| Error::file("create", folder, &error))?;
    tarball::unpack(&tarball, version, folder).map_err(|error| error.during("unpack"))?;
    overlay::lay(parts.files, &tree)?;
    for patch in parts.patches {
        apply(patch, &tree)?;
    }
    run_configure(config, configure, &tree)?;
    std::fs::write(&stamp, key).map_err(|error| Error::file("write", &stamp, &error))?;
    Ok(tree)
}

/// Returns a hash of what makes a new tree necessary.
fn key(parts: &Parts<'_>, configure: &Command) -> String {
    // The tree's folder is among it: `configure` writes full paths into the Makefile.
    let mut text = format!("{}\n{configure:?}\n", parts.release.sha256);
    for patch in parts.patches {
        text.push_str(&format!(
            "{} {}\n",
            patch.path.display(),
            tarball::sha256(&patch.text)
        ));
    }
    for file in parts.files {
        text.push_str(&format!("{}\n", file.name));
    }
    tarball::sha256(text.as_bytes())
}

/// Applies one patch: no fuzz, no reversal, no reject files that could pass unseen.
fn apply(patch: &Patch, tree: &Path) -> Result<()> {
    let mut command = run::command("patch");
    command
        .current_dir(tree)
        .args([
            "-p1",
            "-F0",
            "-N",
            "--batch",
            "--no-backup-if-mismatch",
            "--reject-file=-",
            "-i",
        ])
        .arg(&patch.path);
    let name = patch.path.file_name().unwrap_or_default().to_string_lossy();
    run::succeed(&mut command).map_err(|error| error.during(&format!("hook {name}")))?;
    Ok(())
}

fn configure_command(config: &Config, flags: &Flags, tree: &Path) -> Command {
    let mut command = run::command("sh");
    command
        .current_dir(tree)
        // Releases bring cmd-parse.c, and no hook touches cmd-parse.y: yacc is asked for and not needed.
        .env("YACC", "true")
        // configure runs the programs that it compiles, and takes a leak report for a failure.
        .env("ASAN_OPTIONS", "detect_leaks=0")
        .env("CFLAGS", &flags.compiler)
        .env("LDFLAGS", &flags.linker)
        .envs(config.configure.iter().map(|(name, value)| (name, value)))
        // As Debian's tmux does: an /etc/tmux.conf that is there is read.
        .args(["./configure", "--sysconfdir=/etc"]);
    command
}

fn run_configure(config: &Config, mut command: Command, tree: &Path) -> Result<()> {
    let output = run::output(&mut command)?;
    if output.status.success() {
        return Ok(());
    }
    run::show(&output);
    let printed = [&output.stdout[..], &output.stderr[..]].concat();
    let log = std::fs::read_to_string(tree.join("config.log")).unwrap_or_default();
    let shown = if config.ci {
        log
    } else {
        run::tail(&log, LOG_LINES)
    };
    eprintln!("end of {}:\n{shown}", tree.join("config.log").display());
    let error = packages::missing_for_configure(&String::from_utf8_lossy(&printed))
        .unwrap_or_else(|| run::failure(&command, &output));
    Err(error.during("configure"))
}

fn remove(path: &Path) -> Result<()> {
    let removed = if path.is_dir() {
        std::fs::remove_dir_all(path)
    } else {
        std::fs::remove_file(path)
    };
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::file("remove", path, &error))
        }
        _ => Ok(()),
    }
}
