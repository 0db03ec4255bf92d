//! `amux install`

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use amux::Layer;

use crate::args::{GenerateShell, Install};
use crate::cmd::Result;
use crate::cmd::generate::{completions, manual};
use crate::output;

/// Where the shells look for completions, below a prefix.
const COMPLETIONS: [(GenerateShell, &str); 3] = [
    (
        GenerateShell::Bash,
        "share/bash-completion/completions/amux",
    ),
    (GenerateShell::Zsh, "share/zsh/site-functions/_amux"),
    (
        GenerateShell::Fish,
        "share/fish/vendor_completions.d/amux.fish",
    ),
];

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
    for (name, text) in amux::SHELL_INTEGRATION {
        let name = format!("share/amux/shell/{name}");
        put(&root, &name, text.as_bytes(), 0o644)?;
    }
    put(&root, "share/man/man1/amux.1", &manual()?, 0o644)?;
    for (shell, name) in COMPLETIONS {
        put(&root, name, &completions(shell), 0o644)?;
    }

    // Beside the binary, where the build puts it; none where AMUX_BUILD_TMUX
    // named a binary at the build.
    const MANUAL: &str = "share/man/man1/tmux-custom.1";
    let manual = tmux.parent().and_then(Path::parent).map(|p| p.join(MANUAL));
    match manual.filter(|path| path.is_file()) {
        Some(path) => put(&root, MANUAL, &read(&path)?, 0o644)?,
        None => output::complain(&format!("no manual page beside {}", tmux.display())),
    }
    for layer in Layer::ALL {
        let name = layer.configuration_name();
        let text = layer.shipped_configuration().as_bytes();
        put(
            &root,
            &format!("share/amux/layers/{name}.conf"),
            text,
            0o644,
        )?;
    }
    if !args.no_links {
        for layer in Layer::ALL {
            link(&root.join("bin").join(layer.command_name()))?;
        }
    }
    Ok(0)
}

/// Makes a link to amux. Another program of the name is left alone: they are
/// short.
fn link(path: &Path) -> Result<()> {
    const TARGET: &str = "amux";
    let shown = path.display();
    match fs::read_link(path) {
        Ok(target) if target == Path::new(TARGET) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            std::os::unix::fs::symlink(TARGET, path)
                .map_err(|error| format!("link {shown}: {error}"))?;
        }
        _ => {
            output::complain(&format!("{shown} is something else: not replaced"));
            return Ok(());
        }
    }
    output::line(&shown.to_string())?;
    Ok(())
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
