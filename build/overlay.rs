//! The whole C files of ours that are laid over a release.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// One file of the overlay.
#[derive(Debug)]
pub struct File {
    /// Its name, which is also its place in the release.
    pub name: String,
    /// What it holds.
    pub text: Vec<u8>,
}

/// Reads all `.c` and `.h` files of a folder, by name, so that every build links in the same order.
pub fn read(folder: &Path) -> Result<Vec<File>> {
    let failed = |error: std::io::Error| Error::file("list", folder, &error);
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        paths.push(entry.map_err(failed)?.path());
    }
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "c" || extension == "h")
    });
    paths.sort();
    paths
        .iter()
        .map(|path| {
            let text = std::fs::read(path).map_err(|error| Error::file("read", path, &error))?;
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            Ok(File { name, text })
        })
        .collect()
}

/// Returns the objects that the files are compiled to.
pub fn objects(files: &[File]) -> Vec<String> {
    files
        .iter()
        .filter_map(|file| file.name.strip_suffix(".c"))
        .map(|stem| format!("{stem}.o"))
        .collect()
}

/// Lays the files over a release that was just unpacked: none may hide a file of its own.
pub fn lay(files: &[File], tree: &Path) -> Result<()> {
    if let Some(file) = files.iter().find(|file| tree.join(&file.name).exists()) {
        return Err(Error::new(format!(
            "tmux-patches/files/{0} would hide the release's own {0}",
            file.name
        )));
    }
    refresh(files, tree)
}

/// Brings the files of a tree up to date; those that did not change keep their time, for make.
///
/// make knows which headers an object of the release includes, but not so for ours, which are not
/// in its Makefile. So all of ours are made again where one changed; and they are removed first,
/// so that an interrupted build does not leave an old one that looks new.
pub fn refresh(files: &[File], tree: &Path) -> Result<()> {
    let changed: Vec<&File> = files
        .iter()
        .filter(|file| std::fs::read(tree.join(&file.name)).ok().as_ref() != Some(&file.text))
        .collect();
    if changed.is_empty() {
        return Ok(());
    }
    for object in objects(files) {
        let path = tree.join(object);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::file("remove", &path, &error));
            }
            _ => {}
        }
    }
    for file in changed {
        let path = tree.join(&file.name);
        std::fs::write(&path, &file.text).map_err(|error| Error::file("write", &path, &error))?;
    }
    Ok(())
}
