//! Records the prompts of a pane that is followed, in place of its shell's hook:
//! that would start two tmux clients for each, which take ten times as long as all
//! the rest. The hook looks for the sign that says so (exec/followed.rs), and leaves
//! the prompts to us that come behind a command.
//!
//! As with the hook, input clears the record, and a record that comes behind later
//! input is dropped: each input leaves its own word in `@amux_turn`.

use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::time::Duration;

use crate::error::Result;
use crate::exec::followed::Followed;
use crate::exec::tmux::{Sequence, Tmux};
use crate::transport::Transport;
use crate::wire::pane::{self, Pane, Prompt, TURN};

/// What became of a record.
pub(super) type Answer = Pin<Box<dyn Future<Output = Result<Vec<u8>>> + Send>>;

/// How often the server is asked to record one prompt.
const TRIES: u32 = 3;

/// What is recorded of a pane, and how.
#[derive(Debug)]
pub(super) struct Recorder {
    tmux: Tmux,
    limit: Duration,
    pane: String,
    /// The newest input that is known of, and the one before; `None`: it is not ours
    /// to say.
    turn: Option<String>,
    former: Option<String>,
    /// The newest command whose prompt was recorded.
    recorded: Option<u64>,
    /// There was input: the prompt behind it may be one that nobody records.
    owed: bool,
    /// Somebody else's input was met, before the prompt or at it.
    careful: bool,
    /// The shell has no hook.
    idle: bool,
    /// The record under way.
    sent: Option<Sent>,
    tries: u32,
    sign: Sign,
}

/// Whether the hook leaves prompts to us.
#[derive(Debug)]
enum Sign {
    /// In this folder, for this shell.
    ToCome(PathBuf, u32),
    #[expect(dead_code, reason = "it is held")]
    Up(Followed),
    Down,
}

/// A record that the server has been told of.
#[derive(Debug)]
struct Sent {
    turn: String,
    ended: Option<u64>,
}

/// A prompt that is to be recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The one behind a command that has ended, which the hook has left to us.
    Next,
    /// The same, where somebody else's input may have come behind it.
    NextIfEmpty,
    /// One that may not be recorded yet.
    Other,
}

impl Recorder {
    /// `None`: the hook does it all, as it does where no prompt could be recorded
    /// without a process. The sign is not up yet.
    pub(super) fn new(tmux: &Tmux, limit: Duration, folder: &Path, pane: &Pane) -> Option<Self> {
        if tmux.transport() != Transport::Socket {
            return None;
        }
        Some(Self {
            tmux: tmux.clone(),
            limit,
            pane: pane.key.0.clone(),
            turn: pane.turn.clone(),
            former: None,
            recorded: None,
            owed: false,
            careful: false,
            idle: false,
            sent: None,
            tries: 0,
            sign: Sign::ToCome(folder.to_owned(), pane.key.1),
        })
    }

    /// Puts the sign up, once. Not while the shell may have printed the end of a
    /// command before the pipe was open, and is about to look for the sign.
    pub(super) fn put_sign_up(&mut self) {
        if let Sign::ToCome(folder, pid) = &self.sign {
            self.sign = match Followed::new(folder, *pid) {
                Ok(sign) => Sign::Up(sign),
                Err(_) => Sign::Down,
            };
        }
    }

    /// Takes the sign down: from the next prompt on the hook records them.
    pub(super) fn take_sign_down(&mut self) {
        self.sign = Sign::Down;
    }

    /// Notes an input of ours, which has this word.
    pub(super) fn note_input(&mut self, turn: &str) {
        self.former = self.turn.replace(turn.to_owned());
        self.owed = true;
        self.careful = false;
        self.idle = false;
        self.tries = 0;
    }

    /// Takes an input back that was refused.
    pub(super) fn take_back(&mut self, turn: &str) {
        if self.turn.as_deref() == Some(turn) {
            self.turn = self.former.take();
        }
    }

    /// Is a prompt to be recorded, now that this is the newest command that has
    /// ended?
    pub(super) fn wants(&self, ended: Option<u64>) -> Option<Wanted> {
        if self.idle || self.turn.is_none() {
            return None;
        }
        let told = self.sent.as_ref().and_then(|sent| sent.ended);
        let open = !matches!(self.sign, Sign::Down);
        let owed = self.owed && open && self.sent.is_none();
        match self.careful {
            _ if ended <= self.recorded.max(told) => owed.then_some(Wanted::Other),
            false => Some(Wanted::Next),
            true => Some(Wanted::NextIfEmpty),
        }
    }

    /// Is the answer to come?
    pub(super) fn is_recording(&self) -> bool {
        self.sent.is_some()
    }

    /// Records a prompt, of which this is the status, if no other input has come.
    pub(super) fn record(&mut self, wanted: Wanted, status: &Prompt, ended: Option<u64>) -> Answer {
        let turn = self.turn.clone().unwrap_or_default();
        let pane = &self.pane;
        let free = match wanted {
            Wanted::Other => "#{==:#{@amux_prompt},}",
            // What stands there is older, be it the mark of a prompt that the hook
            // has not recorded because a line waited.
            Wanted::Next | Wanted::NextIfEmpty => "1",
        };
        let condition = format!(
            "#{{&&:#{{==:#{{@amux_turn}},{turn}}},#{{&&:#{{!=:#{{@amux_hooked}},}},{free}}}}}"
        );
        let set = format!("set-option -p -t {pane} @amux_prompt '{status}'");
        let tell = format!("display-message -p -t {pane} '{TURN}'");
        let sequence =
            Sequence::new().command("if-shell", ["-F", "-t", pane, &condition, &set, &tell]);
        self.sent = Some(Sent { turn, ended });
        Box::pin(self.tmux.post("record prompt", sequence, self.limit))
    }

    /// Takes the answer. Returns true where somebody else's input came before.
    pub(super) fn take(&mut self, answer: Result<Vec<u8>>) -> bool {
        let Some(sent) = self.sent.take() else {
            return false;
        };
        if self.turn.as_deref() != Some(&sent.turn) {
            // A later input of ours has cleared it by now.
            self.done(sent.ended);
            return false;
        }
        let found = match answer {
            Ok(answer) if answer.is_empty() => {
                self.owed = false;
                self.done(sent.ended);
                return false;
            }
            Ok(answer) => pane::parse_turn(&answer),
            Err(_) => None,
        };
        match found {
            // No answer, or a question that was cut.
            None if self.tries < TRIES => self.tries += 1,
            Some((turn, _)) if turn != self.turn => {
                self.turn = turn;
                self.careful = true;
                return true;
            }
            found => {
                self.idle = found.is_some_and(|(_, hooked)| !hooked);
                self.owed = false;
                self.done(sent.ended);
            }
        }
        false
    }

    fn done(&mut self, ended: Option<u64>) {
        self.recorded = self.recorded.max(ended);
        self.tries = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Error, ErrorKind};
    use crate::exec::tmux::Socket;

    const PROMPT: Prompt = Prompt {
        status: Some(3),
        time: 1_790_000_000,
        pipe_statuses: Vec::new(),
    };

    /// Of a pane whose newest input has the word `1.1`. No server listens.
    fn recorder(folder: &Path) -> Recorder {
        let socket = Socket::Path(folder.join("socket"));
        let tmux = Tmux::new("/nonexistent".into(), socket, Some(Transport::Socket));
        let line = br"%1 12 /dev/pts/3 0 1 0 1790000000 0 7 1790000001 1.1  paste\ 12 9.ab n";
        let pane = pane::parse_pane(line).unwrap();
        Recorder::new(&tmux, Duration::from_secs(1), folder, &pane).unwrap()
    }

    fn told(recorder: &mut Recorder, ended: u64, answer: &[u8]) -> bool {
        let wanted = recorder.wants(Some(ended)).unwrap();
        drop(recorder.record(wanted, &PROMPT, Some(ended)));
        assert_eq!(recorder.wants(Some(ended)), None, "it is under way");
        recorder.take(Ok(answer.to_vec()))
    }

    #[test]
    fn prompt_behind_each_command_is_recorded_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut recorder = recorder(folder.path());
        assert_eq!(recorder.wants(None), None);
        assert_eq!(recorder.wants(Some(5)), Some(Wanted::Next));
        assert!(!told(&mut recorder, 5, b""));
        assert_eq!(recorder.wants(Some(5)), None);
        assert_eq!(recorder.wants(Some(6)), Some(Wanted::Next));
    }

    #[test]
    fn record_that_other_input_came_before_is_tried_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut recorder = recorder(folder.path());
        assert!(told(&mut recorder, 5, br"2.7 paste\ 12 ."));
        assert_eq!(recorder.wants(Some(5)), Some(Wanted::NextIfEmpty));
        assert!(!told(&mut recorder, 5, b""));
        assert_eq!(recorder.wants(Some(5)), None);
    }

    #[test]
    fn input_of_ours_clears_what_was_under_way() {
        let folder = tempfile::tempdir().unwrap();
        let mut recorder = recorder(folder.path());
        drop(recorder.record(Wanted::Next, &PROMPT, Some(5)));
        recorder.note_input("3.1");
        assert!(!recorder.take(Ok(br"3.1 paste\ 12 .".to_vec())));
        assert_eq!(recorder.wants(Some(5)), Some(Wanted::Other));
        // It was refused: the prompt before is still the one behind the command.
        recorder.note_input("3.2");
        recorder.take_back("3.2");
        assert_eq!(recorder.turn.as_deref(), Some("3.1"));
        recorder.take_sign_down();
        assert_eq!(recorder.wants(Some(5)), None, "the hook does it");
    }

    #[test]
    fn server_that_does_not_answer_is_asked_some_times() {
        let folder = tempfile::tempdir().unwrap();
        let mut recorder = recorder(folder.path());
        for _ in 0..=TRIES {
            assert_eq!(recorder.wants(Some(5)), Some(Wanted::Next));
            drop(recorder.record(Wanted::Next, &PROMPT, Some(5)));
            assert!(!recorder.take(Err(Error::new(ErrorKind::Timeout, "test"))));
        }
        assert_eq!(recorder.wants(Some(5)), None);
    }

    #[test]
    fn shell_without_a_hook_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let mut recorder = recorder(folder.path());
        assert!(!told(&mut recorder, 5, b"1.1  ."));
        assert_eq!(recorder.wants(Some(6)), None);
        recorder.note_input("3.1");
        assert_eq!(recorder.wants(Some(6)), Some(Wanted::Next));
    }
}
