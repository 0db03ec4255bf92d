//! Records the prompts of a pane that is followed, in place of its shell's hook:
//! that would start two tmux clients for each, which take ten times as long as all
//! the rest. The hook looks for the sign that says so (exec/followed.rs), and leaves
//! the prompts to us that a command's mark comes before.
//!
//! As with the hook, input clears the record, and a record that comes behind later
//! input is dropped: each input leaves its own word in `@amux_turn`.

use std::fmt::Write as _;
use std::path::Path;
use std::pin::Pin;
use std::time::Duration;

use crate::command::Record;
use crate::error::Result;
use crate::exec::clock;
use crate::exec::followed::Followed;
use crate::exec::tmux::{Sequence, Tmux};
use crate::transport::Transport;
use crate::wire::pane::{self, Pane};

/// What became of a record.
pub(super) type Answer = Pin<Box<dyn Future<Output = Result<Vec<u8>>> + Send>>;

/// What is recorded of a pane, and how.
#[derive(Debug)]
pub(super) struct Recorder {
    tmux: Tmux,
    limit: Duration,
    pane: String,
    /// The newest input that is known of; `None`: it is not ours to say.
    turn: Option<String>,
    /// The newest command whose prompt was recorded.
    recorded: Option<u64>,
    /// There may be a prompt that nobody recorded.
    owed: bool,
    /// The shell has no hook.
    idle: bool,
    /// Whose turn it was when the record under way was sent, and whether it
    /// replaces another.
    sent: Option<(String, bool)>,
    sign: Option<Followed>,
}

impl Recorder {
    /// Puts the sign up. `None`: the hook does it all, as it does where no prompt
    /// could be recorded without a process.
    pub(super) fn new(tmux: &Tmux, limit: Duration, folder: &Path, pane: &Pane) -> Option<Self> {
        if tmux.transport() != Transport::Socket {
            return None;
        }
        Some(Self {
            tmux: tmux.clone(),
            limit,
            pane: pane.key.0.clone(),
            turn: pane.turn.clone(),
            recorded: None,
            owed: false,
            idle: false,
            sent: None,
            sign: Some(Followed::new(folder, pane.key.1).ok()?),
        })
    }

    /// Notes an input, which has this word.
    pub(super) fn note_input(&mut self, turn: &str) {
        self.turn = Some(turn.to_owned());
        self.owed = true;
        self.idle = false;
    }

    /// Is a prompt to be recorded, now that this is the newest command that has
    /// ended? `Some(true)`: the one behind that.
    pub(super) fn wants(&self, ended: Option<u64>) -> Option<bool> {
        let new = ended.is_some() && ended > self.recorded;
        let owed = self.owed && self.sent.is_none();
        (!self.idle && self.turn.is_some() && (new || owed)).then_some(new)
    }

    /// Takes the sign down: from the next prompt on the hook records them. Left is
    /// the one that it has left to us.
    pub(super) fn take_sign_down(&mut self) {
        self.sign = None;
        self.owed = false;
    }

    /// Records the prompt behind a command, or one of which nobody else has.
    pub(super) fn record(
        &mut self,
        last: Option<&Record>,
        ended: Option<u64>,
        new: bool,
    ) -> Answer {
        let turn = self.turn.clone().unwrap_or_default();
        let pane = &self.pane;
        // Behind a command what stands there is older, be it the mark of a prompt
        // that the hook has not recorded because a line waited.
        let free = match new {
            true => "1",
            false => "#{==:#{@amux_prompt},}",
        };
        let condition = format!(
            "#{{&&:#{{==:#{{@amux_turn}},{turn}}},#{{&&:#{{!=:#{{@amux_hooked}},}},{free}}}}}"
        );
        let set = format!("set-option -p -t {pane} @amux_prompt '{}'", value(last));
        let tell = format!("display-message -p -t {pane} '#{{q:@amux_turn}} #{{q:@amux_hooked}}'");
        let sequence =
            Sequence::new().command("if-shell", ["-F", "-t", pane, &condition, &set, &tell]);
        self.recorded = self.recorded.max(ended);
        self.sent = Some((turn, new));
        Box::pin(self.tmux.post("record prompt", sequence, self.limit))
    }

    /// Takes the answer. Returns true where somebody else's input came before.
    pub(super) fn take(&mut self, answer: Result<Vec<u8>>) -> bool {
        let Some((turn, new)) = self.sent.take() else {
            return false;
        };
        if self.turn.as_deref() != Some(&turn) {
            // A later input of ours.
            return false;
        }
        let Ok(answer) = answer else {
            self.owed = false;
            return false;
        };
        if answer.is_empty() {
            self.owed = false;
            return false;
        }
        let (found, hooked) = pane::parse_turn(&answer);
        self.idle = !hooked;
        // The question was cut: looked at once more.
        self.owed = new;
        if found == self.turn {
            return false;
        }
        self.turn = found;
        self.owed = true;
        true
    }
}

/// A prompt as the hook records it.
fn value(last: Option<&Record>) -> String {
    let status = last.and_then(|record| record.status);
    let mut value = status.map_or_else(|| "-".to_owned(), |status| status.to_string());
    // Writing to a string cannot fail.
    let _ = write!(value, " {}", clock::unix());
    let mut separator = ' ';
    for status in last.iter().flat_map(|record| &record.pipe_statuses) {
        let _ = write!(value, "{separator}{status}");
        separator = ',';
    }
    value
}
