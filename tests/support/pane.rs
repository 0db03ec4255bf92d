//! A pane of a server.

use super::client::{Client, Ended};
use super::server::Server;

/// A pane, by its id.
#[derive(Clone, Debug)]
pub struct Pane<'a> {
    /// Its server.
    pub server: &'a Server,
    /// Its id, such as `%0`.
    pub id: String,
}

/// What a command in the pane's shell gave.
#[derive(Debug, PartialEq, Eq)]
pub struct Ran {
    /// Its exit status.
    pub status: i32,
    /// Its output, clean.
    pub output: String,
}

impl<'a> Pane<'a> {
    /// Names a pane of a server.
    pub fn new(server: &'a Server, id: &str) -> Self {
        Self {
            server,
            id: id.to_owned(),
        }
    }

    /// Expands a format for this pane.
    #[track_caller]
    pub fn expand(&self, format: &str) -> String {
        self.server
            .tmux(&["display-message", "-p", "-t", &self.id, format])
    }

    /// Waits until a format expands to a value.
    #[track_caller]
    pub fn until(&self, format: &str, value: &str) {
        self.server
            .wait_until(&format!("{format} to be {value}"), || {
                let found = self.expand(format);
                if found == value { Ok(()) } else { Err(found) }
            });
    }

    /// Waits until its shell is at an empty prompt.
    #[track_caller]
    pub fn until_prompt(&self) {
        self.until("#{pane_prompt_empty}", "1");
    }

    /// Waits until a text is in its stream.
    #[track_caller]
    pub fn until_output(&self, text: &str) {
        self.server
            .wait_until(&format!("{text:?} in the output"), || {
                let bytes = self.server.run(&["read-pane", "-r", "-t", &self.id]).text();
                if bytes.contains(text) {
                    Ok(())
                } else {
                    Err(bytes)
                }
            });
    }

    /// Waits until the server has read the mark with which the newest command began: that the command stands at a
    /// gate does not say so.
    #[track_caller]
    pub fn until_started(&self) {
        self.server
            .wait_until("the newest command to have begun", || {
                let found = self.text(&["-s", "-F", "#{command_ended}"]);
                match found == "running\n" {
                    true => Ok(()),
                    false => Err(found),
                }
            });
    }

    /// Runs `read-pane` with these arguments.
    #[track_caller]
    pub fn read(&self, arguments: &[&str]) -> Ended {
        self.server.run(&self.read_arguments(arguments))
    }

    /// Runs `read-pane` that must succeed, and returns what it wrote as text.
    #[track_caller]
    pub fn text(&self, arguments: &[&str]) -> String {
        String::from_utf8(self.read(arguments).ok()).unwrap()
    }

    /// Starts `read-pane` with these arguments.
    pub fn start_read(&self, arguments: &[&str]) -> Client {
        self.server.spawn(&self.read_arguments(arguments))
    }

    /// Runs `write-pane` with these arguments and the bytes as its standard input.
    #[track_caller]
    pub fn write(&self, arguments: &[&str], bytes: &[u8]) -> Ended {
        self.server
            .run_with(&self.write_arguments(arguments), bytes)
    }

    /// Starts `write-pane` with these arguments and the bytes as its standard input.
    pub fn start_write(&self, arguments: &[&str], bytes: &[u8]) -> Client {
        self.server
            .spawn_with(&self.write_arguments(arguments), bytes)
    }

    /// Submits a text to its shell and returns the submission's id.
    #[track_caller]
    pub fn submit(&self, text: &str) -> String {
        let out = self.write(&["-e", "-P"], text.as_bytes()).ok();
        String::from_utf8(out).unwrap().trim_end().to_owned()
    }

    /// Runs a text in its shell, as soon as that is at an empty prompt.
    #[track_caller]
    pub fn run(&self, text: &str) -> Ran {
        let ended = self.server.run_with(
            &[
                "write-pane",
                "-e",
                "-w",
                "-T",
                "50",
                "-f",
                "-",
                "-t",
                &self.id,
                ";",
                "read-pane",
                "-w",
                "-O",
                "-E",
                "-t",
                &self.id,
            ],
            text.as_bytes(),
        );
        assert!(
            ended.err.is_empty(),
            "{text:?}: {} {:?}",
            ended.status,
            ended.err
        );
        Ran {
            status: ended.status,
            output: ended.text(),
        }
    }

    fn read_arguments<'b>(&'b self, arguments: &[&'b str]) -> Vec<&'b str> {
        let mut all = vec!["read-pane", "-t", self.id.as_str()];
        all.extend(arguments);
        all
    }

    fn write_arguments<'b>(&'b self, arguments: &[&'b str]) -> Vec<&'b str> {
        let mut all = vec!["write-pane", "-f", "-", "-t", self.id.as_str()];
        all.extend(arguments);
        all
    }
}
