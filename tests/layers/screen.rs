//! A terminal in which a program runs, as a person has it.

use std::process::Command;

use crate::support::deadline::{LONG, wait_until};
use crate::support::pty::Pty;

/// A program in a terminal of 100 by 24.
pub struct Screen(Pty);

impl Screen {
    /// Starts a program.
    pub fn of(command: &mut Command) -> Self {
        Self(Pty::spawn(command, (100, 24)))
    }

    /// Types keys.
    pub fn types(&mut self, keys: &str) {
        self.0.types(keys);
    }

    /// Returns what was drawn so far, with its escapes.
    pub fn drawn(&self) -> String {
        self.0.drawn()
    }

    /// Waits until what was drawn behind an offset is as wanted, and returns the offset of its end.
    #[track_caller]
    pub fn until(&self, from: usize, what: &str, is_it: impl Fn(&str) -> bool) -> usize {
        wait_until(
            LONG,
            &format!("{what} to be drawn"),
            || {
                let drawn = self.drawn();
                match is_it(&drawn[from..]) {
                    true => Ok(drawn.len()),
                    false => Err(format!("{drawn:?}")),
                }
            },
            String::new,
        )
    }

    /// Waits until a text was drawn behind an offset, and returns the offset of the end of all.
    #[track_caller]
    pub fn until_drawn(&self, from: usize, text: &str) -> usize {
        self.until(from, &format!("{text:?}"), |drawn| drawn.contains(text))
    }
}
