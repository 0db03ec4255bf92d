//! A client that is attached in a terminal.

use super::pty::Pty;
use super::server::Server;

/// An attached client in a terminal of 80 by 24.
#[derive(Debug)]
pub struct Terminal(Pty);

impl Terminal {
    /// Attaches to the session `main`, with these further arguments of `attach-session`, and waits until
    /// the server has drawn something.
    pub fn attach(server: &Server, arguments: &[&str]) -> Self {
        // Else keys that come within a millisecond are a paste, and no key of tmux is looked for.
        server.tmux(&["set-option", "-g", "assume-paste-time", "0"]);
        let mut client = server.command();
        client
            .args(["attach-session", "-t", "main"])
            .args(arguments);
        let terminal = Self(Pty::spawn(&mut client, (80, 24)));
        let pid = terminal.pid().to_string();
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
        self.0.types(keys);
    }

    /// Has the attached client run a tmux command, by a key that is bound to it.
    pub fn tmux_command(&mut self, server: &Server, command: &str) {
        server.tmux(&["bind-key", "-n", "C-g", command]);
        self.keys("\x07");
    }

    /// Returns all that was drawn so far, with its escapes.
    pub fn drawn(&self) -> String {
        self.0.drawn()
    }

    /// Returns the process id of the client.
    pub fn pid(&self) -> u32 {
        self.0.pid()
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
