//! A named pipe by which `pipe-pane` hands over what a pane prints.

use std::fs::DirEntry;
use std::io;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode};
use tempfile::TempPath;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::{OpenOptions, Receiver};

use crate::exec::signal;
use crate::quote;

/// Variable in the environment of the process that copies, by which it is told
/// from a pipe of somebody else's.
pub(crate) const OWNER: &str = "AMUX_PIPE";

/// How the names of pipes begin; those of their owners follow.
const PREFIX: &str = "pipe-";

/// Removes the pipe of a process that was killed before the other end was open.
pub(crate) fn sweep(entry: &DirEntry) {
    let name = entry.file_name();
    let owner = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
    let pid = owner.and_then(|owner| owner.split_once('.')?.0.parse().ok());
    if pid.is_some_and(|pid| !signal::exists(pid)) {
        let path = entry.path();
        // The writer waits for a reader. With one it goes on, to its end.
        let reader = OpenOptions::new().open_receiver(&path);
        // Somebody else may have been faster.
        let _ = std::fs::remove_file(&path);
        drop(reader);
    }
}

/// The reading end. Dropping it ends the process at the other end with the next
/// byte that the pane prints.
#[derive(Debug)]
pub(crate) struct Pipe {
    /// Removed as soon as the writer has opened it, or with the pipe: before the
    /// reading end goes, without which a writer would wait for another for ever.
    path: Option<TempPath>,
    receiver: Receiver,
    command: String,
}

impl Pipe {
    /// Makes one in a folder of the user's alone.
    pub(crate) fn new(folder: &Path, owner: &str) -> io::Result<Self> {
        // Both ends find it by a name that nobody else has.
        let path = folder.join(format!("{PREFIX}{owner}"));
        rustix::fs::mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
        let path = TempPath::try_from_path(&path)?;
        let receiver = OpenOptions::new().open_receiver(&path)?;
        // Not `cat >name`: where this process has ended meanwhile the shell
        // would make an ordinary file of that name, and fill it.
        let command = format!(
            "{OWNER}={owner} exec dd of={word} bs=64k conv=nocreat,notrunc 2>/dev/null",
            word = quote::shell_word(&path.to_string_lossy()),
        );
        Ok(Self {
            path: Some(path),
            receiver,
            command,
        })
    }

    /// The command for `pipe-pane`, for a shell.
    pub(crate) fn command(&self) -> &str {
        &self.command
    }

    /// Waits for bytes of the pane. 0: the other end is closed.
    ///
    /// Cancel safe.
    pub(crate) async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.receiver.read(buffer).await?;
        self.path = None;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::stat::Stat;

    #[tokio::test]
    async fn bytes_come_through_and_the_name_goes() {
        let folder = tempfile::tempdir().unwrap();
        let mut pipe = Pipe::new(folder.path(), "me").unwrap();
        let mut child = std::process::Command::new("/bin/sh")
            .args(["-c", pipe.command()])
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut buffer = [0; 64];
        io::Write::write_all(&mut stdin, b"abc").unwrap();
        let read = pipe.read(&mut buffer).await.unwrap();
        assert_eq!(&buffer[..read], b"abc");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        drop(stdin);
        assert_eq!(pipe.read(&mut buffer).await.unwrap(), 0);
        assert!(child.wait().unwrap().success());
    }

    #[tokio::test]
    async fn pipe_of_a_process_that_was_killed_goes_and_its_writer_ends() {
        let folder = tempfile::tempdir().unwrap();
        let entry = || std::fs::read_dir(folder.path()).unwrap().next();
        let pipe = Pipe::new(folder.path(), &format!("{}.ab", std::process::id())).unwrap();
        sweep(&entry().unwrap().unwrap());
        assert!(entry().is_some(), "it is in use");
        drop(pipe);
        // No process has that number: it is the most that there may be.
        let mut pipe = Pipe::new(folder.path(), "4194304.ab").unwrap();
        let command = pipe.command().to_owned();
        let _ = pipe.path.take().map(|path| path.keep());
        drop(pipe);
        let mut writer = std::process::Command::new("/bin/sh")
            .args(["-c", &command])
            .stdin(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let waits = |stat: Stat| stat.name == "dd" && stat.state == b'S';
        while !Stat::of(writer.id()).is_some_and(waits) {
            std::thread::yield_now();
        }
        sweep(&entry().unwrap().unwrap());
        assert!(entry().is_none());
        assert!(
            writer.wait().unwrap().success(),
            "nothing was left to write"
        );
    }

    #[tokio::test]
    async fn writer_of_a_pipe_that_has_gone_ends() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = Pipe::new(folder.path(), "me").unwrap();
        let command = pipe.command().to_owned();
        drop(pipe);
        let status = std::process::Command::new("/bin/sh")
            .args(["-c", &command])
            .stdin(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .status();
        assert!(!status.unwrap().success());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
