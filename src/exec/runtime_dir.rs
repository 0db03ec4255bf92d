//! A private folder for files that a shell reads: the shell integration, and
//! texts that are too long to be typed.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::FlockOperation;
use rustix::io::Errno;
use tokio::time::{Instant, sleep};

use crate::error::{Error, ErrorKind, Result};
use crate::exec::{followed, pipe};
use crate::quote;

/// The shell integration for bash: a script to source from a startup file, or
/// through `PROMPT_COMMAND`.
pub const BASH_INTEGRATION: &str = include_str!("../../tmux-patches/shell/amux.bash");

/// The shell integration of every shell: files by their path in a folder of
/// their own. `amux.bash`, `amux.zsh` and `amux.fish` are to be sourced from a
/// startup file; the others load them where no startup file does, zsh's by
/// `ZDOTDIR` and fish's by `XDG_DATA_DIRS`.
pub const SHELL_INTEGRATION: [(&str, &str); 5] = [
    ("amux.bash", BASH_INTEGRATION),
    (
        "amux.zsh",
        include_str!("../../tmux-patches/shell/amux.zsh"),
    ),
    (
        "zsh/.zshenv",
        include_str!("../../tmux-patches/shell/zsh/.zshenv"),
    ),
    (
        "amux.fish",
        include_str!("../../tmux-patches/shell/amux.fish"),
    ),
    (
        "fish/vendor_conf.d/amux.fish",
        include_str!("../../tmux-patches/shell/fish/vendor_conf.d/amux.fish"),
    ),
];

/// Between two looks at a lock that another process has.
const LOCK_INTERVAL: Duration = Duration::from_millis(20);

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

    /// Makes sure that it is there and that nobody else can enter it.
    pub(crate) fn ensure(&self) -> Result<()> {
        private_dir(&self.0)
    }

    /// Removes what processes that were killed have left there.
    pub(crate) fn sweep(&self) {
        for entry in fs::read_dir(&self.0).into_iter().flatten().flatten() {
            pipe::sweep(&entry);
            followed::sweep(&entry);
        }
    }

    /// Where the shell integration lies. The folder's name depends on the text:
    /// another version of amux writes other files, and the shells of servers
    /// that run keep theirs.
    fn integration(&self) -> PathBuf {
        let texts = SHELL_INTEGRATION.map(|(_, text)| text);
        let hash = fnv1a(texts.concat().as_bytes());
        self.0.join(format!("shell-{hash:016x}"))
    }

    /// The value of `PROMPT_COMMAND` that loads the shell integration.
    pub(crate) fn prompt_command(&self) -> String {
        let path = self.integration().join("amux.bash");
        format!(
            ". \"{}\"",
            quote::shell_double_quoted(&path.to_string_lossy())
        )
    }

    /// The value of `ZDOTDIR` that does.
    pub(crate) fn zsh_folder(&self) -> PathBuf {
        self.integration().join("zsh")
    }

    /// The folder that does in `XDG_DATA_DIRS`, for fish.
    pub(crate) fn data_folder(&self) -> PathBuf {
        self.integration()
    }

    /// Makes sure that the shell integration is there and is what we wrote.
    /// Called whenever a shell may start: `/tmp` is cleaned on many systems.
    pub(crate) fn ensure_integration(&self) -> Result<()> {
        let root = self.integration();
        for (name, text) in SHELL_INTEGRATION {
            self.ensure_text("write the shell integration", &root.join(name), text)?;
        }
        Ok(())
    }

    /// Makes sure that a file of this name has this text, and returns its path,
    /// which depends on the text too.
    pub(crate) fn ensure_file(&self, name: &str, text: &str) -> Result<PathBuf> {
        let hash = fnv1a(text.as_bytes());
        let path = self.0.join(format!("files-{hash:016x}")).join(name);
        self.ensure_text("write file", &path, text)?;
        Ok(path)
    }

    fn ensure_text(&self, op: &'static str, path: &Path, text: &str) -> Result<()> {
        let wrap = |error: io::Error| Error::io(op, error).on(path.display());
        if fs::read(path).is_ok_and(|found| found == text.as_bytes()) {
            return Ok(());
        }
        let folder = path.parent().unwrap_or(&self.0);
        let mut missing: Vec<_> = folder.ancestors().collect();
        missing.retain(|folder| folder.starts_with(&self.0));
        for folder in missing.into_iter().rev() {
            private_dir(folder)?;
        }
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(wrap)?;
        file.write_all(text.as_bytes()).map_err(wrap)?;
        // Renamed into place: a shell that starts now reads all or the old one.
        file.persist(path).map_err(|error| wrap(error.error))?;
        Ok(())
    }

    /// Takes the lock of this name, which one process at a time has, until it is
    /// dropped. The process that has it may be gone: then so is its lock.
    pub(crate) async fn lock(&self, name: &str, limit: Duration) -> Result<File> {
        let op = "wait for another amux";
        private_dir(&self.0)?;
        let path = self.0.join(format!("{name}.lock"));
        let wrap = |error| Error::io(op, error).on(path.display());
        // Never removed: one who waits has the old file open.
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(wrap)?;
        let deadline = Instant::now() + limit;
        loop {
            match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(file),
                Err(Errno::WOULDBLOCK | Errno::INTR) => {}
                Err(error) => return Err(wrap(error.into())),
            }
            if Instant::now() >= deadline {
                return Err(Error::new(ErrorKind::Timeout, op).on(path.display()));
            }
            sleep(LOCK_INTERVAL).await;
        }
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
        // On the first line: the numbers of lines in messages stay right. Quoted
        // against aliases, in a way that fish takes as well.
        write!(file, "'command' rm -f -- {word} 2>/dev/null || :; {text}").map_err(wrap)?;
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
        let path = dir.integration().join("zsh/.zshenv");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(&dir.0), 0o700);
        fs::write(&path, "other").unwrap();
        dir.ensure_integration().unwrap();
        for (name, text) in SHELL_INTEGRATION {
            let path = dir.integration().join(name);
            assert_eq!(fs::read_to_string(&path).unwrap(), text, "{name}");
        }
    }

    #[tokio::test]
    async fn lock_is_had_by_one() {
        let (_parent, dir) = dir();
        let limit = Duration::from_millis(100);
        let first = dir.lock("x", limit).await.unwrap();
        let error = dir.lock("x", limit).await.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Timeout);
        dir.lock("y", limit).await.unwrap();
        drop(first);
        dir.lock("x", limit).await.unwrap();
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
