//! A person who watches: a client attached in a terminal, read-only or not.

use std::process::Command;

use crate::case::{Case, until};
use crate::support::pty::Pty;

/// An attached client.
pub struct Watcher(Pty);

impl Watcher {
    /// Attaches to a session in a terminal of so many columns and rows, and waits until the server knows the client
    /// and has drawn.
    pub async fn attach(case: &Case, session: &str, size: (u16, u16), read_only: bool) -> Self {
        // Else keys that come within a millisecond are a paste, and no key of tmux is looked for.
        case.tmux_ok(&["set-option", "-g", "assume-paste-time", "0"])
            .await;
        let mut client = Command::new(&case.target.binary);
        client
            .args(["-u", "-N", "-S"])
            .arg(case.socket())
            .args(["attach-session", "-t", session])
            .args(read_only.then_some("-r"))
            .env("TERM", "screen");
        let watcher = Self(Pty::spawn(&mut client, size));
        until("the client to be attached", async || {
            let shown = watcher.window(case).await;
            match shown.is_empty() || watcher.drawn().is_empty() {
                true => Err(watcher.drawn()),
                false => Ok(()),
            }
        })
        .await;
        watcher
    }

    /// Types keys.
    pub fn types(&mut self, keys: &str) {
        self.0.types(keys);
    }

    /// Returns the window that it shows; empty while it is not attached.
    pub async fn window(&self, case: &Case) -> String {
        let format = "#{client_pid} #{client_session}:#{window_name}";
        let clients = case.tmux_ok(&["list-clients", "-F", format]).await;
        let pid = self.0.pid().to_string();
        clients
            .lines()
            .filter_map(|line| line.split_once(' '))
            .find(|(found, _)| *found == pid)
            .map_or(String::new(), |(_, window)| window.to_owned())
    }

    /// Waits until it shows a window.
    pub async fn until_window(&self, case: &Case, window: &str) {
        until(&format!("{window} to be shown"), async || {
            let shown = self.window(case).await;
            match shown == window {
                true => Ok(()),
                false => Err(format!("{shown}\n{}", self.drawn())),
            }
        })
        .await;
    }

    /// Returns all that was drawn so far, with its escapes.
    pub fn drawn(&self) -> String {
        self.0.drawn()
    }

    /// Waits until a text was drawn.
    pub async fn until_drawn(&self, text: &str) {
        until(&format!("{text:?} to be drawn"), async || {
            let drawn = self.drawn();
            match drawn.contains(text) {
                true => Ok(()),
                false => Err(drawn),
            }
        })
        .await;
    }
}
