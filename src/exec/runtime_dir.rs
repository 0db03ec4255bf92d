//! A private folder for files that a shell reads: the shell integration, and
//! texts that are too long to be typed.

use std::fs::{self, DirBuilder};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};
use crate::quote;

/// The shell integration for bash: a script to source from a startup file, or
/// through `PROMPT_COMMAND`.
pub const BASH_INTEGRATION: &str = include_str!("../../tmux-patches/shell/amux.bash");

/// The folder: beside tmux's own, under `TMUX_TMPDIR` or `/tmp`. Not
/// `XDG_RUNTIME_DIR`, which goes when the user logs out while servers stay.
#[derive(Debug, Clone)]
pub(crate) struct RuntimeDir(PathBuf);

impl RuntimeDir {
    /// Finds the folder; nothing is created.
    pub(crate) fn of_user() -> Self {
        let base = std::env::var_os("TMUX_TMPDIR")
            .filter(|path| !path.is_empty())
            .map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
        let user = rustix::process::geteuid().as_raw();
        Self(base.join(format!("amux-{user}")))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Where the shell integration lies. The folder's name depends on the text:
    /// another version of amux writes another file, and the shells of servers
    /// that run keep theirs.
    fn integration(&self) -> PathBuf {
        let hash = fnv1a(BASH_INTEGRATION.as_bytes());
        self.0.join(format!("shell-{hash:016x}")).join("amux.bash")
    }

    /// The value of `PROMPT_COMMAND` that loads the shell integration.
    pub(crate) fn prompt_command(&self) -> String {
        let path = self.integration();
        format!(
            ". \"{}\"",
            quote::shell_double_quoted(&path.to_string_lossy())
        )
    }

    /// Makes sure that the shell integration is there and is what we wrote.
    /// Called whenever a shell may start: `/tmp` is cleaned on many systems.
    pub(crate) fn ensure_integration(&self) -> Result<()> {
        let path = self.integration();
        let wrap =
            |error: io::Error| Error::io("write the shell integration", error).on(path.display());
        if fs::read(&path).is_ok_and(|found| found == BASH_INTEGRATION.as_bytes()) {
            return Ok(());
        }
        private_dir(&self.0)?;
        let folder = path.parent().unwrap_or(&self.0);
        private_dir(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(wrap)?;
        file.write_all(BASH_INTEGRATION.as_bytes()).map_err(wrap)?;
        // Renamed into place: a shell that starts now reads all or the old one.
        file.persist(&path).map_err(|error| wrap(error.error))?;
        Ok(())
    }

    /// Writes a script of which the shell reads its text, and returns the line
    /// to type. The script removes its file first, which the shell has read by
    /// then; dropping the [`Script`] removes it where that never happened.
    pub(crate) fn script(&self, text: &str) -> Result<Script> {
        private_dir(&self.0)?;
        let wrap = |error| Error::io("write the script", error).on(self.0.display());
        let mut file = tempfile::Builder::new()
            .prefix("run-")
            .tempfile_in(&self.0)
            .map_err(wrap)?;
        let word = quote::shell_word(&file.path().to_string_lossy());
        // On the first line: the numbers of lines in messages stay right.
        write!(file, "\\command rm -f -- {word} 2>/dev/null || :; {text}").map_err(wrap)?;
        if !text.ends_with('\n') {
            file.write_all(b"\n").map_err(wrap)?;
        }
        file.flush().map_err(wrap)?;
        // The blank keeps the line out of a history with ignorespace.
        let line = format!(" . {word}");
        Ok(Script {
            line,
            path: file.into_temp_path(),
        })
    }
}

/// A script in a file. Dropping it removes the file.
#[derive(Debug)]
pub(crate) struct Script {
    line: String,
    path: tempfile::TempPath,
}

impl Script {
    /// The line that runs it in a shell.
    pub(crate) fn line(&self) -> &str {
        &self.line
    }

    /// Leaves the file to the shell that will read and remove it.
    pub(crate) fn leave(self) {
        // Cannot fail on Unix, where a temporary file is one like any other.
        let _ = self.path.keep();
    }
}

/// Creates a folder that only this user can enter, or checks that it is one:
/// `/tmp` belongs to everybody.
fn private_dir(path: &Path) -> Result<()> {
    let op = "use private folder";
    match DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(Error::io(op, error).on(path.display())),
    }
    let found = fs::symlink_metadata(path).map_err(|e| Error::io(op, e).on(path.display()))?;
    let private = found.is_dir()
        && found.uid() == rustix::process::geteuid().as_raw()
        && found.permissions().mode() & 0o077 == 0;
    match private {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::Io, op)
            .on(path.display())
            .because("it is not a folder of this user alone")),
    }
}

/// FNV-1a: names a file by its contents; no secret depends on it.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dir() -> (tempfile::TempDir, RuntimeDir) {
        let parent = tempfile::tempdir().unwrap();
        let dir = RuntimeDir(parent.path().join("amux-1"));
        (parent, dir)
    }

    #[test]
    fn integration_is_written_once_and_mended() {
        let (_parent, dir) = dir();
        dir.ensure_integration().unwrap();
        let path = dir.integration();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(&dir.0), 0o700);
        fs::write(&path, "other").unwrap();
        dir.ensure_integration().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), BASH_INTEGRATION);
    }

    #[test]
    fn folder_that_others_can_enter_is_refused() {
        let (_parent, dir) = dir();
        fs::create_dir(&dir.0).unwrap();
        fs::set_permissions(&dir.0, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(*dir.ensure_integration().unwrap_err().kind(), ErrorKind::Io);
    }

    #[test]
    fn script_runs_in_the_shell_and_removes_itself() {
        let (_parent, dir) = dir();
        let script = dir.script("v='it'\\''s'\necho \"$v\" $LINENO").unwrap();
        let path = script.path.to_path_buf();
        let output = std::process::Command::new("bash")
            .args(["--norc", "-c", script.line()])
            .output()
            .unwrap();
        assert_eq!(output.stdout, b"it's 2\n");
        assert!(!path.exists());
    }

    #[test]
    fn script_that_nobody_reads_is_removed() {
        let (_parent, dir) = dir();
        let script = dir.script("true").unwrap();
        let path = script.path.to_path_buf();
        drop(script);
        assert!(!path.exists());
        let script = dir.script("true").unwrap();
        let path = script.path.to_path_buf();
        script.leave();
        assert!(path.exists());
    }
}
