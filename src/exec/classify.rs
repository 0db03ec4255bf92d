//! What tmux says on standard error, as kinds of error. The only place that
//! reads its messages; what is not known here is [`ErrorKind::Rejected`] with
//! the text kept.

use crate::error::ErrorKind;

/// What a message means.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Said {
    Kind(ErrorKind),
    /// The target does not exist. Whether its session or its window is missing
    /// is asked, not read: the message depends on what else there is.
    TargetMissing,
}

/// Messages by how they begin, and what they mean.
const MESSAGES: [(&str, ErrorKind); 15] = [
    // cmd-write-pane.c.
    ("prompt is not empty", ErrorKind::PromptNotEmpty),
    ("line too long for the terminal", ErrorKind::LineTooLong),
    ("paste would end early", ErrorKind::PasteEndsEarly),
    // cmd-write-pane.c -i -e: several lines.
    ("no bracketed paste", ErrorKind::NoBracketedPaste),
    ("too much unsent input", ErrorKind::TooMuchInput),
    // cmd-write-pane.c -f -: more than a pane takes at once.
    ("-: File too large", ErrorKind::TooMuchInput),
    ("pane input is off", ErrorKind::InputOff),
    // cmd-read-pane.c: -w, when a continuation prompt came; -i; -O of a pane
    // without any command.
    ("the shell waits for more input", ErrorKind::Incomplete),
    ("no such command", ErrorKind::NoSuchCommand),
    ("no command yet", ErrorKind::NoSuchCommand),
    // Both; cmd-paste-buffer.c and cmd-pipe-pane.c have the third.
    ("pane has gone", ErrorKind::PaneGone),
    // cmd-read-pane.c -a: the stream is that of another pane by now.
    ("offset beyond the end", ErrorKind::PaneGone),
    ("pane is dead", ErrorKind::PaneDead),
    ("target pane has exited", ErrorKind::PaneDead),
    // client.c, 3.3a to 3.8: nobody listens. More of these in no_server.
    ("no server running on ", ErrorKind::NoServer),
];

/// What cmd-find.c says of a missing target, 3.3a to 3.8, and options.c of a
/// window; the last three once no session is left.
const MISSING: [&str; 7] = [
    "no such window",
    "can't find session",
    "can't find window",
    "can't find pane",
    "no current target",
    "no current session",
    "no current client",
];

/// Reads a message of the tmux client or of one of its commands.
pub(crate) fn classify(stderr: &[u8]) -> Said {
    let text = String::from_utf8_lossy(stderr);
    let text = text.trim();
    let known = MESSAGES.iter().find(|(head, _)| text.starts_with(head));
    if let Some((_, kind)) = known {
        return Said::Kind(kind.clone());
    }
    if MISSING.iter().any(|head| text.starts_with(head)) {
        return Said::TargetMissing;
    }
    Said::Kind(if let Some(program) = after(text, "pane is not idle") {
        // cmd-write-pane.c -i: "pane is not idle: vim".
        ErrorKind::Busy { program }
    } else if let Some(program) = after(text, "timed out") {
        // cmd-write-pane.c -w -T: "timed out: vim"; cmd-read-pane.c: alone.
        match program.is_empty() {
            true => ErrorKind::Timeout,
            false => ErrorKind::Busy { program },
        }
    } else if text.starts_with("command ") && text.ends_with(" is forgotten") {
        // cmd-read-pane.c -i: "command 7 is forgotten".
        ErrorKind::CommandForgotten
    } else if no_server(text) {
        ErrorKind::NoServer
    } else {
        ErrorKind::Rejected {
            message: text.to_owned(),
        }
    })
}

fn no_server(text: &str) -> bool {
    // client.c, 3.3a to 3.8: the socket is not there; the server died, or was
    // told to, while the command ran.
    let no_socket =
        text.starts_with("error connecting to ") && text.ends_with("(No such file or directory)");
    no_socket || text.starts_with("server exited") || text.starts_with("lost server")
}

/// What stands behind `head` or `head: `.
fn after(text: &str, head: &str) -> Option<String> {
    let rest = text.strip_prefix(head)?;
    match rest.strip_prefix(':') {
        Some(rest) => Some(rest.trim().to_owned()),
        None if rest.is_empty() => Some(String::new()),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_seen() {
        let busy = |program: &str| ErrorKind::Busy {
            program: program.to_owned(),
        };
        for (text, kind) in [
            ("pane is not idle: cat\n", busy("cat")),
            ("pane is not idle: a: b", busy("a: b")),
            ("timed out: sleep", busy("sleep")),
            ("timed out", ErrorKind::Timeout),
            ("prompt is not empty", ErrorKind::PromptNotEmpty),
            ("the shell waits for more input", ErrorKind::Incomplete),
            ("no command yet", ErrorKind::NoSuchCommand),
            ("line too long for the terminal", ErrorKind::LineTooLong),
            ("no bracketed paste", ErrorKind::NoBracketedPaste),
            ("paste would end early", ErrorKind::PasteEndsEarly),
            ("too much unsent input", ErrorKind::TooMuchInput),
            ("-: File too large", ErrorKind::TooMuchInput),
            ("pane input is off", ErrorKind::InputOff),
            ("pane is dead", ErrorKind::PaneDead),
            ("pane has gone", ErrorKind::PaneGone),
            ("no such command: 9", ErrorKind::NoSuchCommand),
            ("command 9 is forgotten", ErrorKind::CommandForgotten),
            // tmux 3.3a and 3.5a.
            ("no server running on /tmp/tmux-0/x", ErrorKind::NoServer),
            (
                "error connecting to /tmp/tmux-0/x (No such file or directory)",
                ErrorKind::NoServer,
            ),
            ("server exited unexpectedly", ErrorKind::NoServer),
            ("server exited", ErrorKind::NoServer),
        ] {
            assert_eq!(classify(text.as_bytes()), Said::Kind(kind), "{text}");
        }
        for text in [
            "can't find window: x",
            "can't find session: x",
            "no such window: =s:=x",
            "no current target",
        ] {
            assert_eq!(classify(text.as_bytes()), Said::TargetMissing, "{text}");
        }
    }

    #[test]
    fn unknown_text_is_kept() {
        for text in [
            "create window failed: fork failed",
            "error connecting to /tmp/x (Permission denied)",
            "timed outwards",
            "",
        ] {
            let message = text.to_owned();
            let kind = ErrorKind::Rejected { message };
            assert_eq!(classify(text.as_bytes()), Said::Kind(kind));
        }
    }
}
