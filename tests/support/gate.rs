//! Holds a command in a pane until a trial lets it go on.

use std::fs::File;
use std::path::PathBuf;

use rustix::fs::{CWD, Mode, OFlags, open};
use rustix::io::Errno;

use super::server::Server;

/// A FIFO that a command reads.
#[derive(Debug)]
pub struct Gate<'a> {
    server: &'a Server,
    path: PathBuf,
}

impl<'a> Gate<'a> {
    /// Makes a closed gate of this name, which is a file in the folder of the server.
    pub fn new(server: &'a Server, name: &str) -> Self {
        let path = server.folder().join(name);
        rustix::fs::mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR).unwrap();
        Self { server, path }
    }

    /// Returns the path, for a command such as `cat`.
    pub fn path(&self) -> String {
        self.path.display().to_string()
    }

    /// Waits until a command stands at the gate, and returns its key. Dropped, it lets the command go on.
    #[track_caller]
    pub fn reached(&self) -> File {
        self.server.wait_until("a command at the gate", || {
            // Without a reader this fails at once.
            match open(
                &self.path,
                OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC,
                Mode::empty(),
            ) {
                Ok(file) => Ok(File::from(file)),
                Err(Errno::NXIO) => Err("nothing reads".to_owned()),
                Err(error) => panic!("{}: {error}", self.path.display()),
            }
        })
    }

    /// Lets the command that stands at the gate, or comes to it, go on.
    #[track_caller]
    pub fn open(&self) {
        drop(self.reached());
    }
}
