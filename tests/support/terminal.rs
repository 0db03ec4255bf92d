//! A client that is attached in a terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::process::Child;
use std::sync::{Arc, Mutex};

use rustix::fs::{Mode, OFlags};
use rustix::pty::OpenptFlags;
use rustix::termios::Winsize;

use super::server::Server;

/// An attached client in a pseudo-terminal of 80 by 24. Killed when dropped.
#[derive(Debug)]
pub struct Terminal {
    child: Child,
    master: File,
    screen: Arc<Mutex<Vec<u8>>>,
}

impl Terminal {
    /// Attaches to the session `main`, with these further arguments of `attach-session`, and waits until
    /// the server has drawn something.
    pub fn attach(server: &Server, arguments: &[&str]) -> Self {
        // Else keys that come within a millisecond are a paste, and no key of tmux is looked for.
        server.tmux(&["set-option", "-g", "assume-paste-time", "0"]);
        let (master, slave) = pair();
        let mut child = server.command();
        child
            .args(["attach-session", "-t", "main"])
            .args(arguments)
            .stdin(slave.try_clone().unwrap())
            .stdout(slave.try_clone().unwrap())
            .stderr(slave);
        let child = child.spawn().unwrap();

        let screen = Arc::new(Mutex::new(Vec::new()));
        let mut from = master.try_clone().unwrap();
        let drawn = Arc::clone(&screen);
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(size) = from.read(&mut buffer) {
                drawn.lock().unwrap().extend_from_slice(&buffer[..size]);
            }
        });
        let terminal = Self {
            child,
            master,
            screen,
        };
        let pid = terminal.child.id().to_string();
        server.wait_until("the client to be attached and drawn", || {
            let clients = server.tmux(&["list-clients", "-F", "#{client_pid}"]);
            let drawn = terminal.drawn();
            if clients.lines().any(|line| line == pid) && !drawn.is_empty() {
                Ok(())
            } else {
                Err(format!("clients {clients:?}, drawn {drawn:?}"))
            }
        });
        terminal
    }

    /// Types keys.
    pub fn keys(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).unwrap();
    }

    /// Has the attached client run a tmux command, by a key that is bound to it.
    pub fn tmux_command(&mut self, server: &Server, command: &str) {
        server.tmux(&["bind-key", "-n", "C-g", command]);
        self.keys("\x07");
    }

    /// Returns all that was drawn so far, with its escapes.
    pub fn drawn(&self) -> String {
        String::from_utf8_lossy(&self.screen.lock().unwrap()).into_owned()
    }

    /// Returns the process id of the client.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Returns the name of the client.
    pub fn name(&self, server: &Server) -> String {
        let pid = self.pid().to_string();
        let clients = server.tmux(&["list-clients", "-F", "#{client_pid} #{client_name}"]);
        clients
            .lines()
            .filter_map(|line| line.split_once(' '))
            .find(|(found, _)| *found == pid)
            .map(|(_, name)| name.to_owned())
            .expect("the client is attached")
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Opens a pseudo-terminal: master and slave.
fn pair() -> (File, File) {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = rustix::pty::openpt(flags).unwrap();
    rustix::pty::grantpt(&master).unwrap();
    rustix::pty::unlockpt(&master).unwrap();
    let name = rustix::pty::ptsname(&master, Vec::new())
        .unwrap()
        .into_bytes();
    let path = std::path::PathBuf::from(std::ffi::OsString::from_vec(name));
    let slave = rustix::fs::open(
        path,
        OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC,
        Mode::empty(),
    )
    .unwrap();
    let size = Winsize {
        ws_row: 24,
        ws_col: 80,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    rustix::termios::tcsetwinsize(&slave, size).unwrap();
    (File::from(master), File::from(slave))
}
