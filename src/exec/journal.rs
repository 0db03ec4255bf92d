//! Where entries of the audit log go: the journal's socket, and a file of lines
//! of JSON. Neither is waited for and nothing is tried twice: what is not taken
//! at once is dropped and counted. As tmux-custom does it (audit-sink.c).

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, Mode, OFlags};

use crate::audit::Audit;
use crate::audit::entry::Entry;

/// Takes entries.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    socket: Option<UnixDatagram>,
    file: Option<Open>,
    /// Dropped since the last that was taken, by each.
    socket_dropped: u64,
    file_dropped: u64,
}

/// The file that is open.
#[derive(Debug)]
struct Open {
    file: File,
    path: PathBuf,
    device: u64,
    inode: u64,
    /// Its last line is not whole.
    torn: bool,
}

impl Sink {
    /// Tells an entry, as the settings say.
    pub(crate) fn tell(&mut self, audit: &Audit, entry: &mut Entry) {
        let (socket, file) = (audit.chosen_socket(), audit.chosen_file());
        if !file.as_os_str().is_empty() {
            entry.dropped = self.file_dropped;
            match self.append(file, audit.chosen_file_limit(), &entry.json()) {
                Ok(()) => self.file_dropped = 0,
                Err(_) => self.file_dropped += 1,
            }
        }
        if !socket.as_os_str().is_empty() {
            entry.dropped = self.socket_dropped;
            match self.send(socket, entry) {
                Ok(()) => self.socket_dropped = 0,
                Err(_) => self.socket_dropped += 1,
            }
        }
    }

    /// Not connected: so it serves when the journal has been started anew.
    fn send(&mut self, path: &Path, entry: &mut Entry) -> io::Result<()> {
        // Where there is none, nothing is made for it and nothing is opened.
        rustix::fs::access(path, rustix::fs::Access::WRITE_OK)?;
        let socket = match &mut self.socket {
            Some(socket) => socket,
            none => {
                let socket = UnixDatagram::unbound()?;
                socket.set_nonblocking(true)?;
                none.insert(socket)
            }
        };
        match socket.send_to(&entry.datagram(), path) {
            // The system takes less than usual: better that than nothing.
            Err(error)
                if rustix::io::Errno::from_io_error(&error) == Some(rustix::io::Errno::MSGSIZE)
                    && entry.payload.take().is_some() =>
            {
                socket.send_to(&entry.datagram(), path)
            }
            sent => sent,
        }
        .map(|_| ())
    }

    fn append(&mut self, path: &Path, limit: u64, line: &[u8]) -> io::Result<()> {
        let size = match self.file.as_ref().and_then(|open| open.size_at(path)) {
            Some(size) => size,
            None => self.open(path)?,
        };
        if limit != 0 && size > 0 && size.saturating_add(line.len() as u64) > limit {
            self.rotate(path)?;
        }
        let Some(open) = &mut self.file else {
            return Err(io::ErrorKind::NotFound.into());
        };
        // In one write, so that lines of several processes do not mix.
        let mut whole = Vec::with_capacity(line.len() + 1);
        if open.torn {
            whole.push(b'\n');
        }
        whole.extend_from_slice(line);
        let written = open.file.write(&whole)?;
        open.torn = written != whole.len();
        match open.torn {
            true => Err(io::ErrorKind::WriteZero.into()),
            false => Ok(()),
        }
    }

    /// Opens the file, or makes it, and returns its size.
    fn open(&mut self, path: &Path) -> io::Result<u64> {
        self.file = None;
        if !path.is_absolute() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        // NONBLOCK: no FIFO is waited for.
        let flags = OFlags::WRONLY
            | OFlags::APPEND
            | OFlags::CREATE
            | OFlags::NOFOLLOW
            | OFlags::NOCTTY
            | OFlags::NONBLOCK
            | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?);
        let found = file.metadata()?;
        let user = rustix::process::geteuid().as_raw();
        let ours =
            found.is_file() && found.nlink() == 1 && (found.uid() == user || found.uid() == 0);
        if !ours {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        self.file = Some(Open {
            file,
            path: path.to_owned(),
            device: found.dev(),
            inode: found.ino(),
            torn: false,
        });
        Ok(found.len())
    }

    /// Moves a full file away and opens another. Others may write to it as well:
    /// whoever has the lock moves it, and only if nobody has yet. Where it cannot
    /// be moved it does not grow any more.
    fn rotate(&mut self, path: &Path) -> io::Result<()> {
        let Some(open) = &self.file else {
            return Ok(());
        };
        match rustix::fs::flock(&open.file, FlockOperation::NonBlockingLockExclusive) {
            // Somebody moves it just now.
            Err(rustix::io::Errno::WOULDBLOCK) => return Ok(()),
            locked => locked?,
        }
        if open.size_at(path).is_some() {
            let mut old = path.as_os_str().to_owned();
            old.push(".1");
            let moved = std::fs::rename(path, old);
            if moved.is_err() {
                rustix::fs::flock(&open.file, FlockOperation::Unlock)?;
            }
            moved?;
        }
        self.open(path).map(|_| ())
    }
}

impl Open {
    /// Returns the size of the file, if it is still the one at the path.
    fn size_at(&self, path: &Path) -> Option<u64> {
        let found = std::fs::symlink_metadata(path).ok()?;
        let same = self.path == path && found.dev() == self.device && found.ino() == self.inode;
        same.then_some(found.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::entry::Event;

    fn entry() -> Entry {
        Entry {
            event: Some(Event::Write),
            pane: "%1".to_owned(),
            ..Entry::default()
        }
    }

    fn received(socket: &UnixDatagram) -> String {
        let mut bytes = [0; 4096];
        let size = socket.recv(&mut bytes).unwrap();
        String::from_utf8(bytes[..size].to_vec()).unwrap()
    }

    #[test]
    fn what_a_socket_does_not_take_is_counted_and_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let audit = Audit::new().socket(&path);
        let mut sink = Sink::default();
        // Missing; then dead: the name is there and nobody listens.
        sink.tell(&audit, &mut entry());
        assert!(sink.socket.is_none());
        drop(UnixDatagram::bind(&path).unwrap());
        sink.tell(&audit, &mut entry());
        std::fs::remove_file(&path).unwrap();
        let journal = UnixDatagram::bind(&path).unwrap();
        sink.tell(&audit, &mut entry());
        assert!(received(&journal).ends_with("AMUX_DROPPED=2\n"));
        // Full: nobody reads.
        let mut taken = 0;
        while sink.socket_dropped == 0 {
            sink.tell(&audit, &mut entry());
            taken += 1;
            assert!(taken < 1_000_000);
        }
        sink.tell(&audit, &mut entry());
        for _ in 1..taken {
            assert!(!received(&journal).contains("DROPPED"));
        }
        sink.tell(&audit, &mut entry());
        assert!(received(&journal).ends_with("AMUX_DROPPED=2\n"));
    }

    #[test]
    fn file_is_private_and_follows_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let audit = Audit::new().socket("").file(&path);
        let mut sink = Sink::default();
        sink.tell(&audit, &mut entry());
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        let lines = |path: &Path| std::fs::read_to_string(path).unwrap().lines().count();
        std::fs::rename(&path, folder.path().join("moved")).unwrap();
        sink.tell(&audit, &mut entry());
        sink.tell(&audit, &mut entry());
        assert_eq!((lines(&folder.path().join("moved")), lines(&path)), (1, 2));
        std::fs::remove_file(&path).unwrap();
        sink.tell(&audit, &mut entry());
        assert_eq!(lines(&path), 1);
    }

    #[test]
    fn file_is_begun_anew_at_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let line = entry().json().len() as u64;
        let audit = Audit::new().socket("").file(&path).file_limit(3 * line);
        let mut sink = Sink::default();
        for _ in 0..8 {
            sink.tell(&audit, &mut entry());
        }
        let size = |name| std::fs::metadata(folder.path().join(name)).unwrap().len();
        assert_eq!((size("log"), size("log.1")), (2 * line, 3 * line));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn anything_but_a_file_of_ours_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("log"), folder.path().join("other"));
        let audit = Audit::new().socket("").file(&path);
        let mut sink = Sink::default();
        let mut refused = |what: &str| {
            let before = sink.file_dropped;
            sink.tell(&audit, &mut entry());
            assert_eq!(sink.file_dropped, before + 1, "{what}");
            std::fs::remove_file(&path).unwrap();
        };
        std::fs::write(&other, "").unwrap();
        std::os::unix::fs::symlink(&other, &path).unwrap();
        refused("a symbolic link");
        std::fs::hard_link(&other, &path).unwrap();
        refused("a file with another name");
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, Mode::RUSR | Mode::WUSR).unwrap();
        refused("a FIFO");
        drop(UnixDatagram::bind(&path).unwrap());
        refused("a socket");
        assert_eq!(std::fs::read(&other).unwrap(), b"");
        sink.tell(&audit, &mut entry());
        let line = std::fs::read_to_string(&path).unwrap();
        assert!(line.contains("\"AMUX_DROPPED\":\"4\""), "{line}");
    }
}
