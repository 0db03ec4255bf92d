//! A program in a pseudo-terminal, as a person has it.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};

use rustix::fs::{Mode, OFlags};
use rustix::pty::OpenptFlags;
use rustix::termios::Winsize;

/// A program whose terminal is this. Killed when dropped.
#[derive(Debug)]
pub struct Pty {
    child: Child,
    master: File,
    drawn: Arc<Mutex<Vec<u8>>>,
}

impl Pty {
    /// Starts a program in a terminal of so many columns and rows.
    pub fn spawn(command: &mut Command, size: (u16, u16)) -> Self {
        let (master, slave) = pair(size);
        let child = command
            .stdin(slave.try_clone().unwrap())
            .stdout(slave.try_clone().unwrap())
            .stderr(slave)
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let drawn = Arc::new(Mutex::new(Vec::new()));
        let (mut from, to) = (master.try_clone().unwrap(), Arc::clone(&drawn));
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(size) = from.read(&mut buffer) {
                to.lock().unwrap().extend_from_slice(&buffer[..size]);
            }
        });
        Self {
            child,
            master,
            drawn,
        }
    }

    /// Types keys.
    pub fn types(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).unwrap();
    }

    /// Returns all that was drawn so far, with its escapes.
    pub fn drawn(&self) -> String {
        String::from_utf8_lossy(&self.drawn.lock().unwrap()).into_owned()
    }

    /// Returns the process id of the program.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        // A client may have ended with its server.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Opens a pseudo-terminal: master and slave.
fn pair((columns, rows): (u16, u16)) -> (File, File) {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = rustix::pty::openpt(flags).unwrap();
    rustix::pty::grantpt(&master).unwrap();
    rustix::pty::unlockpt(&master).unwrap();
    let name = rustix::pty::ptsname(&master, Vec::new()).unwrap();
    let path = PathBuf::from(std::ffi::OsString::from_vec(name.into_bytes()));
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let slave = rustix::fs::open(path, flags, Mode::empty()).unwrap();
    let size = Winsize {
        ws_row: rows,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    rustix::termios::tcsetwinsize(&slave, size).unwrap();
    (File::from(master), File::from(slave))
}
