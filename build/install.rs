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
pub fn install(tree: &Path, prefix: &Path) -> Result<()> {
    let binary = tree.join("tmux");
    let bytes = std::fs::read(&binary).map_err(|error| Error::file("read", &binary, &error))?;
    put(&program(prefix), &bytes, 0o755)?;

    let manual = tree.join("tmux.1");
    let text =
        std::fs::read_to_string(&manual).map_err(|error| Error::file("read", &manual, &error))?;
    // What the release's own `make install` fills in, with what configure was given.
    let text = text.replace("@SYSCONFDIR@", "/etc");
    put(
        &prefix.join("share/man/man1/tmux-custom.1"),
        text.as_bytes(),
        0o644,
    )
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
