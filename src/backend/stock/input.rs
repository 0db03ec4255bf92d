//! Input to a pane: what is refused, and the one invocation that sends it.

use crate::error::{Error, ErrorKind, Result};
use crate::exec::clock;
use crate::exec::tmux::Sequence;
use crate::names::WindowName;
use crate::wire::pane::{ID_DIGITS, Pane};

/// Longest line that a canonical terminal takes, its newline with it (n_tty.c).
const CANONICAL: usize = 4096;

/// Most that is written at once, as tmux-custom has it.
const MOST: usize = 16 * 1024 * 1024;

/// What ends a bracketed paste.
const PASTE_END: &[u8] = b"\x1b[201~";

/// Refuses bytes that would not arrive whole.
pub(super) fn check(op: &'static str, data: &[u8], canonical: bool, paste: bool) -> Result<()> {
    let kind = if canonical && longest_line(data) >= CANONICAL {
        ErrorKind::LineTooLong
    } else if paste && data.windows(PASTE_END.len()).any(|at| at == PASTE_END) {
        ErrorKind::PasteEndsEarly
    } else if data.len() > MOST {
        ErrorKind::TooMuchInput
    } else {
        return Ok(());
    };
    Err(Error::new(kind, op))
}

fn longest_line(data: &[u8]) -> usize {
    data.split(|&b| b == b'\n' || b == b'\r')
        .map(<[u8]>::len)
        .max()
        .unwrap_or(0)
}

/// Returns how many lines a shell can read from this.
pub(super) fn lines(data: &[u8]) -> u32 {
    let ends = data.iter().filter(|&&b| b == b'\n' || b == b'\r').count();
    u32::try_from(ends).unwrap_or(u32::MAX).max(1)
}

/// What goes to a pane.
pub(super) struct Input<'a> {
    pub(super) target: &'a WindowName,
    /// Name of the buffer that brings the bytes; `None`: there are none.
    pub(super) buffer: Option<&'a str>,
    /// Marked as a paste where the program asked for that.
    pub(super) bracketed: bool,
    /// `paste-buffer` rewrites control characters unless told not to.
    pub(super) keeps_bytes: bool,
    /// Whose Enter is pressed behind it; `None`: it is not.
    pub(super) enter: Option<&'static [&'static str]>,
    /// Id of the submission.
    pub(super) id: Option<u64>,
    /// What tells this input from others.
    pub(super) turn: &'a str,
    /// What the pane must be still.
    pub(super) only_if: Option<Still<'a>>,
}

/// How a pane was when it was last asked for.
pub(super) struct Still<'a> {
    pub(super) pane: &'a Pane,
    /// The pane, its newest input and those who type must be the same; else its
    /// process and the newest submission.
    pub(super) all: bool,
}

impl Still<'_> {
    /// A format that is true if it is.
    fn condition(&self) -> String {
        let pane = self.pane;
        let newest = match pane.last_id {
            // What somebody else wrote there counts as none, as in wire::pane.
            0 => {
                let digits = "[0-9]?".repeat(ID_DIGITS - 1);
                format!("#{{?#{{m/r:^[1-9]{digits}$,#{{@amux_id}}}},#{{@amux_id}},0}}")
            }
            _ => "#{@amux_id}".to_owned(),
        };
        let (mut now, mut then) = (
            format!("#{{pane_pid}}.{newest}"),
            format!("{}.{}", pane.key.1, pane.last_id),
        );
        if self.all {
            now += ".#{@amux_turn}.#{pane_id}.#{?pane_dead,1,0}.#{?pane_input_off,1,0}.\
                    #{session_activity}.#{?session_last_attached,#{session_last_attached},0}";
            let turn = pane.turn.as_deref().unwrap_or("-");
            let (dead, off) = (u8::from(pane.dead), u8::from(pane.input_off));
            let attached = pane.last_attached.unwrap_or_default();
            then += &format!(
                ".{turn}.{}.{dead}.{off}.{}.{attached}",
                pane.key.0, pane.activity
            );
        }
        format!("#{{==:{now},{then}}}")
    }
}

/// What the invocation prints when it was sent, and when it was not.
pub(super) const SENT: &[u8] = b"sent";
pub(super) const CHANGED: &[u8] = b"changed";

/// The invocation. tmux runs it whole, so no other input comes between; while it
/// reads the bytes nothing has been sent. Modes are left first: with copy mode
/// over the program a paste would not be marked (cmd-paste-buffer.c).
pub(super) fn sequence(input: &Input<'_>) -> Sequence {
    let name = input.target.target();
    let mut send = format!("copy-mode -q -t {name}");
    // First: where the buffer is not there (anybody may delete it), tmux does nothing
    // of the rest, and so nothing counts as sent that was not.
    if let Some(buffer) = input.buffer {
        // -r: newlines as they are. -d: the buffer goes.
        send += &format!(" ; paste-buffer -t {name} -b {buffer} -r -d");
        if input.bracketed {
            send += " -p";
        }
        if input.keeps_bytes {
            send += " -S";
        }
    }
    send += &format!(" ; {}", forget_prompt(&name, input.turn));
    if let Some(id) = input.id {
        send += &format!(" ; set-option -p -t {name} @amux_id {id}");
    }
    if let Some(client) = input.enter {
        send += &format!(" ; send-keys {} -t {name} Enter", client.join(" "));
    }
    // The empty line has the server send the one before it at once.
    send += " ; display-message -p sent ; display-message -p ''";
    let mut refuse = String::from("display-message -p changed");
    if let Some(buffer) = input.buffer {
        refuse = format!("delete-buffer -b {buffer} ; {refuse}");
    }
    let condition = match &input.only_if {
        Some(still) => still.condition(),
        None => "1".to_owned(),
    };
    let load = match input.buffer {
        Some(buffer) => Sequence::new().command("load-buffer", ["-b", buffer, "-"]),
        None => Sequence::new(),
    };
    load.command("if-shell", ["-F", "-t", &name, &condition, &send, &refuse])
}

/// The commands by which an input tells that the prompt shown so far is not the
/// one behind it, whose turn it is, and when it was sent. Unsetting what is not set
/// succeeds.
pub(super) fn forget_prompt(name: &str, turn: &str) -> String {
    let now = clock::unix();
    format!(
        "set-option -pu -t {name} @amux_prompt ; set-option -p -t {name} @amux_turn {turn} ; \
         set-option -p -t {name} @amux_input {now}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_and_measured() {
        assert_eq!(lines(b""), 1);
        assert_eq!(lines(b"a\nb\r"), 2);
        assert_eq!(longest_line(b"ab\rabc\n"), 3);
    }

    #[test]
    fn what_would_be_cut_is_refused() {
        let line = vec![b'x'; CANONICAL];
        let kind = |data: &[u8], canonical, paste| {
            check("t", data, canonical, paste)
                .unwrap_err()
                .kind()
                .clone()
        };
        assert_eq!(kind(&line, true, false), ErrorKind::LineTooLong);
        assert!(check("t", &line, false, false).is_ok());
        assert!(check("t", &line[1..], true, false).is_ok());
        assert_eq!(kind(b"a\x1b[201~b", false, true), ErrorKind::PasteEndsEarly);
        assert!(check("t", b"a\x1b[201~b", false, false).is_ok());
    }
}
