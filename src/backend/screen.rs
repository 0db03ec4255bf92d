//! What a window's terminal shows, by the same tmux commands whatever the
//! backend is.

use std::time::Duration;

use crate::backend::windows::Windows;
use crate::capture::{CaptureOptions, Snapshot};
use crate::error::{Error, ErrorKind, Result};
use crate::exec::tmux::{Sequence, Tmux};
use crate::names::WindowName;
use crate::wire::probe::PID;
use crate::wire::screen::{SCREEN_STATE, parse_screen};

/// Rows of scrollback that our servers keep for each pane.
pub(crate) const HISTORY_LIMIT: u32 = 10_000;

/// The screens of a server's windows.
#[derive(Debug, Clone)]
pub(crate) struct Screens {
    tmux: Tmux,
    windows: Windows,
    limit: Duration,
}

impl Screens {
    pub(crate) fn new(tmux: Tmux, windows: Windows, limit: Duration) -> Self {
        Self {
            tmux,
            windows,
            limit,
        }
    }

    /// Captures the active pane's screen.
    pub(crate) async fn capture(
        &self,
        name: &WindowName,
        options: &CaptureOptions,
    ) -> Result<Snapshot> {
        let op = "capture";
        // For a number beyond a C int tmux captures no scrollback at all, in
        // silence (cmd-capture-pane.c); there is never more than the limit.
        let history = options.history.min(HISTORY_LIMIT);
        let sequence = sequence(name, history);
        let output = match self.tmux.output(op, sequence, self.limit).await {
            Ok(output) => output,
            Err(error) => return Err(self.windows.explain(name, error).await),
        };
        // A server that shuts down lets its clients end in silence.
        if output.is_empty() {
            return Err(Error::new(ErrorKind::NoServer, op).on(name));
        }
        match parse_screen(&output, history) {
            Ok(snapshot) => Ok(snapshot),
            Err(error) => Err(self.cut_short(op, error).await.on(name)),
        }
    }

    /// Says why an answer could not be understood: what a client had not printed
    /// yet when the server shut down is lost, and its status is 0.
    async fn cut_short(&self, op: &'static str, error: Error) -> Error {
        let sequence = Sequence::new().command("display-message", ["-p", PID]);
        match self.tmux.output(op, sequence, self.limit).await {
            Ok(answer) if answer.is_empty() => Error::new(ErrorKind::NoServer, op),
            Err(gone) if *gone.kind() == ErrorKind::NoServer => gone,
            _ => error,
        }
    }
}

/// State and screen in one invocation, so that they are of one moment: nothing
/// here waits, and tmux reads the pane's program between invocations alone. The
/// screen first by itself, where rows are lines; then with the scrollback.
///
/// `display-message` takes a missing window for another one; the captures then
/// fail, and the invocation with them.
fn sequence(name: &WindowName, history: u32) -> Sequence {
    let target = name.target();
    let screen = format!("capture-pane -p -t {target}");
    let above = match history {
        0 => String::new(),
        rows => format!(" -S -{rows}"),
    };
    let both = format!("{screen} ; capture-pane -p -J{above} -t {target}");
    Sequence::new()
        .command("display-message", ["-p", "-t", &target, SCREEN_STATE])
        .command(
            "if-shell",
            ["-F", "-t", &target, "#{alternate_on}", &screen, &both],
        )
}
