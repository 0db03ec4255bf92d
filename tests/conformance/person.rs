//! A person who is attached to the server in a terminal.

use std::process::Command;

use crate::case::{Case, until};
use crate::support::pty::Pty;

/// A client attached in a terminal of 80 by 24.
pub struct Person(Pty);

impl Person {
    /// Attaches to a session and waits until something is drawn.
    pub async fn attach(case: &Case, session: &str) -> Self {
        let mut client = Command::new(&case.target.binary);
        client
            .args(["-u", "-N", "-S"])
            .arg(case.socket())
            .args(["attach-session", "-t", session])
            .env("TERM", "screen");
        let person = Self(Pty::spawn(&mut client, (80, 24)));
        person.until_drawn("[").await;
        person
    }

    /// Types keys.
    pub fn types(&mut self, keys: &str) {
        self.0.types(keys);
    }

    /// Waits until a text was drawn.
    pub async fn until_drawn(&self, text: &str) {
        until(&format!("{text:?} to be drawn"), async || {
            let drawn = self.0.drawn();
            match drawn.contains(text) {
                true => Ok(()),
                false => Err(drawn),
            }
        })
        .await;
    }
}
