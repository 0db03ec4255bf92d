//! Which files were opened while something ran, as the kernel tells it.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};

/// Room for the events of one call: each has 16 bytes, and the name of a file
/// only where a folder is watched.
const ROOM: usize = 4096;

/// Files that are watched.
#[derive(Debug)]
pub(crate) struct Opened {
    watcher: OwnedFd,
    /// Two names of one file have one number.
    files: Vec<(i32, PathBuf)>,
}

impl Opened {
    /// Begins to watch; files that are not there, or cannot be read, are left out.
    pub(crate) fn watch(paths: &[PathBuf]) -> io::Result<Self> {
        let watcher = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        let mut files = Vec::new();
        for path in paths {
            if let Ok(number) = inotify::add_watch(&watcher, path, WatchFlags::OPEN) {
                files.push((number, path.clone()));
            }
        }
        Ok(Self { watcher, files })
    }

    /// Returns the files that were opened since, by whatever process.
    pub(crate) fn so_far(&self) -> Vec<&Path> {
        let mut room = [MaybeUninit::uninit(); ROOM];
        let mut events = Reader::new(&self.watcher, &mut room);
        let mut numbers = Vec::new();
        // The end is an error, EAGAIN.
        while let Ok(event) = events.next() {
            if event.events().contains(ReadFlags::OPEN) {
                numbers.push(event.wd());
            }
        }
        let files = self.files.iter();
        files
            .filter(|(number, _)| numbers.contains(number))
            .map(|(_, path)| path.as_path())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_opened_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let [read, other, link, missing] =
            ["read", "other", "link", "missing"].map(|name| folder.path().join(name));
        std::fs::write(&read, "").unwrap();
        std::fs::write(&other, "").unwrap();
        std::os::unix::fs::symlink(&read, &link).unwrap();
        let opened = Opened::watch(&[other, read.clone(), missing, link.clone()]).unwrap();
        assert!(opened.so_far().is_empty());
        // That it is there is seen without opening it.
        assert!(read.is_file());
        assert!(opened.so_far().is_empty());
        std::fs::read(&link).unwrap();
        assert_eq!(opened.so_far(), [&*read, &*link]);
    }
}
