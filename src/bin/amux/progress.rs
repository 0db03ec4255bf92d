//! A line on the terminal that says that a long wait lives.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::{Instant, interval_at};

/// How long nothing is shown.
const QUIET: Duration = Duration::from_secs(2);

/// How often the line is written again.
const TICK: Duration = Duration::from_secs(1);

/// The line; dropping it clears it. Where standard error is no terminal nothing
/// is ever shown.
pub struct Progress(Option<JoinHandle<()>>);

impl Progress {
    /// Begins to wait for something, named in few words.
    pub fn start(what: String) -> Self {
        if !io::stderr().is_terminal() {
            return Self(None);
        }
        Self(Some(tokio::spawn(async move {
            let begun = Instant::now();
            let mut ticks = interval_at(begun + QUIET, TICK);
            loop {
                ticks.tick().await;
                let seconds = begun.elapsed().as_secs();
                show(&format!("\r\x1b[Kamux: waiting for {what}, {seconds} s"));
            }
        })))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(task) = self.0.take() {
            task.abort();
            show("\r\x1b[K");
        }
    }
}

fn show(text: &str) {
    let mut stderr = io::stderr();
    // A terminal that has gone shows nothing.
    let _ = stderr.write_all(text.as_bytes());
    let _ = stderr.flush();
}
