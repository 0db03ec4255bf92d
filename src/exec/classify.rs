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

/// Reads a message of the tmux client or of one of its commands.
pub(crate) fn classify(stderr: &[u8]) -> Said {
    let text = String::from_utf8_lossy(stderr);
    let text = text.trim();
    // cmdq_error starts the line with a capital only for commands of a
    // configuration file, and ours never come from one.
    Said::Kind(if let Some(program) = after(text, "pane is not idle") {
        // cmd-write-pane.c -i: "pane is not idle: vim".
        ErrorKind::Busy { program }
    } else if let Some(program) = after(text, "timed out") {
        // cmd-write-pane.c -w -T: "timed out: vim"; cmd-read-pane.c: alone.
        match program.is_empty() {
            true => ErrorKind::Timeout,
            false => ErrorKind::Busy { program },
        }
    } else if starts(text, &["prompt is not empty"]) {
        ErrorKind::PromptNotEmpty
    } else if starts(text, &["line too long for the terminal"]) {
        ErrorKind::LineTooLong
    } else if starts(text, &["paste would end early"]) {
        ErrorKind::PasteEndsEarly
    } else if starts(text, &["too much unsent input"]) {
        ErrorKind::TooMuchInput
    } else if starts(text, &["pane input is off"]) {
        ErrorKind::InputOff
    } else if starts(text, &["pane is dead", "target pane has exited"]) {
        // The second: cmd-paste-buffer.c, cmd-pipe-pane.c.
        ErrorKind::PaneDead
    } else if starts(text, &["pane has gone"]) {
        ErrorKind::PaneGone
    } else if starts(text, &["no such command"]) {
        // cmd-read-pane.c -i.
        ErrorKind::NoSuchCommand
    } else if text.starts_with("command ") && text.ends_with(" is forgotten") {
        // cmd-read-pane.c -i: "command 7 is forgotten".
        ErrorKind::CommandForgotten
    } else if no_server(text) {
        ErrorKind::NoServer
    } else if starts(
        text,
        &[
            // cmd-find.c, 3.3a to 3.8; the last three once no session is left.
            "can't find session",
            "can't find window",
            "can't find pane",
            "no current target",
            "no current session",
            "no current client",
        ],
    ) {
        return Said::TargetMissing;
    } else {
        ErrorKind::Rejected {
            message: text.to_owned(),
        }
    })
}

fn no_server(text: &str) -> bool {
    // client.c, 3.3a to 3.8: nobody listens; the socket is not there.
    starts(text, &["no server running on "])
        || (text.starts_with("error connecting to ")
            && text.ends_with("(No such file or directory)"))
        // client.c: the server died, or was told to, while the command ran.
        || starts(text, &["server exited", "lost server"])
}

/// Does the text start with one of these, as whole words?
fn starts(text: &str, heads: &[&str]) -> bool {
    heads.iter().any(|head| text.starts_with(head))
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
            ("line too long for the terminal", ErrorKind::LineTooLong),
            ("paste would end early", ErrorKind::PasteEndsEarly),
            ("too much unsent input", ErrorKind::TooMuchInput),
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
