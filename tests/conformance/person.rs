//! A person who is attached to the server in a terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};

use rustix::fs::{Mode, OFlags};
use rustix::pty::OpenptFlags;
use rustix::termios::Winsize;

use crate::case::{Case, until};

/// A client attached in a pseudo-terminal. Killed when dropped.
pub struct Person {
    client: Child,
    master: File,
    drawn: Arc<Mutex<Vec<u8>>>,
}

impl Person {
    /// Attaches to a session and waits until something is drawn.
    pub async fn attach(case: &Case, session: &str) -> Self {
        let (master, slave) = pair();
        let client = Command::new(&case.target.binary)
            .args(["-u", "-N", "-S"])
            .arg(case.socket())
            .args(["attach-session", "-t", session])
            .env("TERM", "screen")
            .stdin(slave.try_clone().unwrap())
            .stdout(slave.try_clone().unwrap())
            .stderr(slave)
            .spawn()
            .unwrap();
        let drawn = Arc::new(Mutex::new(Vec::new()));
        let (mut from, to) = (master.try_clone().unwrap(), Arc::clone(&drawn));
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(size) = from.read(&mut buffer) {
                to.lock().unwrap().extend_from_slice(&buffer[..size]);
            }
        });
        let person = Self {
            client,
            master,
            drawn,
        };
        person.until_drawn("[").await;
        person
    }

    /// Types keys.
    pub fn types(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until a text was drawn.
    pub async fn until_drawn(&self, text: &str) {
        until(&format!("{text:?} to be drawn"), async || {
            let drawn = String::from_utf8_lossy(&self.drawn.lock().unwrap()).into_owned();
            match drawn.contains(text) {
                true => Ok(()),
                false => Err(drawn),
            }
        })
        .await;
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        // It may have ended with its server.
        let _ = self.client.kill();
        let _ = self.client.wait();
    }
}

/// Opens a pseudo-terminal of 80 by 24: master and slave.
fn pair() -> (File, File) {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = rustix::pty::openpt(flags).unwrap();
    rustix::pty::grantpt(&master).unwrap();
    rustix::pty::unlockpt(&master).unwrap();
    let name = rustix::pty::ptsname(&master, Vec::new()).unwrap();
    let path = PathBuf::from(std::ffi::OsString::from_vec(name.into_bytes()));
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let slave = rustix::fs::open(path, flags, Mode::empty()).unwrap();
    let size = Winsize {
        ws_row: 24,
        ws_col: 80,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    rustix::termios::tcsetwinsize(&slave, size).unwrap();
    (File::from(master), File::from(slave))
}
