//! The release's tarball: found, checked, unpacked.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::releases::Release;

/// Finds the tarball of a release and checks its hash; returns what it holds.
pub fn read(folder: &Path, release: &Release) -> Result<Vec<u8>> {
    let path = path(folder, &release.version);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(Error::new(format!("{} is missing", path.display())).help(format!(
                "run `vendor/fetch {}`, or name the folder that has it by AMUX_BUILD_TARBALL_DIR, \
                 or a tmux-custom that exists by AMUX_BUILD_TMUX",
                release.version
            )));
        }
        Err(error) => return Err(Error::file("read", &path, &error)),
    };
    let found = sha256(&bytes);
    if found == release.sha256 {
        Ok(bytes)
    } else {
        Err(
            Error::new(format!("{} is not the release that is pinned", path.display())).help(format!(
                "its SHA-256 is {found}\nvendor/releases.toml says {}\nremove it and run `vendor/fetch {}`",
                release.sha256, release.version
            )),
        )
    }
}

/// Returns where the tarball of a release is expected.
pub fn path(folder: &Path, version: &str) -> PathBuf {
    folder.join(format!("tmux-{version}.tar.gz"))
}

/// Unpacks a tarball whose one top folder is `tmux-<version>` into `folder`.
///
/// The files' times are kept: make would run autoconf and yacc again otherwise.
pub fn unpack(bytes: &[u8], version: &str, folder: &Path) -> Result<()> {
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(bytes));
    archive
        .unpack(folder)
        .map_err(|error| Error::file("unpack into", folder, &error))?;
    let configure = folder.join(format!("tmux-{version}/configure"));
    if configure.is_file() {
        Ok(())
    } else {
        Err(Error::new(format!(
            "no tmux-{version}/configure in it: a release's tarball has one, a checkout's has not"
        )))
    }
}

/// Returns the SHA-256 of bytes in lower case hex digits.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
