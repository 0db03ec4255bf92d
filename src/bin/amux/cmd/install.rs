//! `amux install`

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::args::Install;
use crate::cmd::Result;
use crate::output;

pub fn install(args: Install) -> Result {
    let root = match &args.destdir {
        None => args.prefix.clone(),
        // `join` of an absolute path would leave the folder.
        Some(folder) => folder.join(args.prefix.strip_prefix("/").unwrap_or(&args.prefix)),
    };
    let tmux = tmux_custom()?;
    let amux = std::env::current_exe()?;
    put(&root, "bin/tmux-custom", &read(&tmux)?, 0o755)?;
    put(&root, "bin/amux", &read(&amux)?, 0o755)?;
    let integration = amux::BASH_INTEGRATION.as_bytes();
    put(&root, "share/amux/shell/amux.bash", integration, 0o644)?;

    // Beside the binary, where the build puts it; none where AMUX_BUILD_TMUX
    // named a binary at the build.
    const MANUAL: &str = "share/man/man1/tmux-custom.1";
    let manual = tmux.parent().and_then(Path::parent).map(|p| p.join(MANUAL));
    match manual.filter(|path| path.is_file()) {
        Some(path) => put(&root, MANUAL, &read(&path)?, 0o644)?,
        None => output::complain(&format!("no manual page beside {}", tmux.display())),
    }
    Ok(0)
}

/// The binary that was built with this program. Not what `AMUX_TMUX` names: in a
/// window that is the server's own, which may be older.
fn tmux_custom() -> Result<PathBuf> {
    match amux::BUILT_TMUX.map(PathBuf::from) {
        Some(built) if built.is_file() => Ok(built),
        _ => Ok(amux::find_tmux()?),
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| format!("read {}: {error}", path.display()).into())
}

/// Writes a file beside its place and renames it: a server that runs the old one
/// goes on with it.
fn put(root: &Path, name: &str, bytes: &[u8], mode: u32) -> Result<()> {
    let path = root.join(name);
    write(&path, bytes, mode).map_err(|error| format!("write {}: {error}", path.display()))?;
    output::line(&path.display().to_string())?;
    Ok(())
}

fn write(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    io::Write::write_all(&mut file, bytes)?;
    fs::set_permissions(file.path(), Permissions::from_mode(mode))?;
    file.persist(path)?;
    Ok(())
}
