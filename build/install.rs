//! Puts what was built where the crate finds it.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Returns where the program is put under `prefix`.
pub fn program(prefix: &Path) -> PathBuf {
    prefix.join("bin/tmux-custom")
}

/// Installs the program and its manual page, and nothing else:
/// `bin/tmux-custom` and `share/man/man1/tmux-custom.1`.
///
/// `section` is the file with our section of the page.
pub fn install(tree: &Path, section: &Path, prefix: &Path) -> Result<()> {
    let binary = tree.join("tmux");
    let bytes = std::fs::read(&binary).map_err(|error| Error::file("read", &binary, &error))?;
    put(&program(prefix), &bytes, 0o755)?;

    let manual = tree.join("tmux.1");
    let page = with_section(&read(&manual)?, &read(section)?)
        .map_err(|error| error.during(&manual.display().to_string()))?;
    // What the release's own `make install` fills in, with what configure was given.
    let page = page.replace("@SYSCONFDIR@", "/etc");
    put(
        &prefix.join("share/man/man1/tmux-custom.1"),
        page.as_bytes(),
        0o644,
    )
}

/// Puts our section into the release's manual page: behind its commands, options and formats.
///
/// A hook would do so too, but its context moves from release to release, and this heading stays.
pub fn with_section(page: &str, section: &str) -> Result<String> {
    const NEXT: &str = "\n.Sh ENVIRONMENT\n";
    match page.split_once(NEXT) {
        Some((before, after)) if !after.contains(NEXT) => {
            Ok(format!("{before}\n{}{NEXT}{after}", section.trim_end()))
        }
        _ => Err(Error::new(
            "not one section ENVIRONMENT, before which ours belongs",
        )),
    }
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|error| Error::file("read", path, &error))
}

/// Writes a file beside its place and moves it there: a server that runs the old one goes on.
/// A file that is the same already keeps its time.
fn put(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    if std::fs::read(path).is_ok_and(|found| found == bytes) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(folder).map_err(|error| Error::file("create", folder, &error))?;
    let new = path.with_extension("new");
    std::fs::write(&new, bytes).map_err(|error| Error::file("write", &new, &error))?;
    std::fs::set_permissions(&new, std::fs::Permissions::from_mode(mode))
        .and_then(|()| std::fs::rename(&new, path))
        .map_err(|error| Error::file("write", path, &error))
}
