//! The sign by which a shell sees that a process follows its pane.

use std::fs::DirEntry;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

/// How the names of signs begin; the shell's process id follows.
const PREFIX: &str = "followed-";

/// A link of the shell's own name in the private folder, to that very folder by
/// way of a descriptor of this process: it leads there for as long as this process
/// lives and has the sign. A shell asks by `[[ folder -ef link ]]`, which starts no
/// process. Dropping it takes the sign away.
#[derive(Debug)]
pub(crate) struct Followed {
    link: PathBuf,
    leads_to: PathBuf,
    _folder: OwnedFd,
}

impl Followed {
    /// Puts the sign up for the shell with this process id.
    pub(crate) fn new(folder: &Path, pid: u32) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = rustix::fs::open(folder, flags, Mode::empty())?;
        let own = std::process::id();
        let leads_to = PathBuf::from(format!("/proc/{own}/fd/{}", opened.as_raw_fd()));
        let link = folder.join(format!("{PREFIX}{pid}"));
        // One that followed it before.
        match std::fs::remove_file(&link) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        std::os::unix::fs::symlink(&leads_to, &link)?;
        Ok(Self {
            link,
            leads_to,
            _folder: opened,
        })
    }
}

/// Removes the sign of a process that was killed: it leads nowhere.
pub(crate) fn sweep(entry: &DirEntry) {
    let is_sign = entry
        .file_name()
        .as_encoded_bytes()
        .starts_with(PREFIX.as_bytes());
    if is_sign && entry.path().metadata().is_err() {
        // Somebody else may have been faster.
        let _ = std::fs::remove_file(entry.path());
    }
}

impl Drop for Followed {
    fn drop(&mut self) {
        // Not where another has taken its place: the number of the descriptor is
        // this one's until then.
        if std::fs::read_link(&self.link).is_ok_and(|found| found == self.leads_to) {
            let _ = std::fs::remove_file(&self.link);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the shell integration asks.
    fn seen(folder: &Path) -> bool {
        let status = std::process::Command::new("bash")
            .args(["-c", r#"[[ "$1" -ef "$1/followed-7" ]]"#, "bash"])
            .arg(folder)
            .status();
        status.unwrap().success()
    }

    #[test]
    fn sign_is_seen_while_it_is_up() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!seen(folder.path()));
        let sign = Followed::new(folder.path(), 7).unwrap();
        assert!(seen(folder.path()));
        drop(sign);
        assert!(!seen(folder.path()));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn sign_of_one_that_was_killed_does_not_count_and_goes() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join(format!("{PREFIX}7"));
        let entry = || std::fs::read_dir(folder.path()).unwrap().next();
        // No process has that many descriptors.
        std::os::unix::fs::symlink("/proc/self/fd/999999", &link).unwrap();
        assert!(!seen(folder.path()));
        sweep(&entry().unwrap().unwrap());
        assert!(entry().is_none());
        let first = Followed::new(folder.path(), 7).unwrap();
        let second = Followed::new(folder.path(), 7).unwrap();
        drop(first);
        assert!(seen(folder.path()));
        sweep(&entry().unwrap().unwrap());
        assert!(seen(folder.path()));
        drop(second);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
