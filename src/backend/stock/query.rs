//! Asking tmux about panes, and giving them a pipe.

use crate::error::{Error, ErrorKind, Result};
use crate::exec::tmux::Sequence;
use crate::names::WindowName;
use crate::wire::pane::{self, PANE, Pane};

/// Option that hands the command of a pipe over: `pipe-pane` expands it, so a
/// path needs no quotes of tmux's.
const NEW_PIPE: &str = "@amux_new";

/// Asks for the active pane. Not by `display-message`, which describes another
/// window where the one meant is missing.
pub(super) fn active_pane(target: &WindowName) -> Sequence {
    let target = target.target();
    Sequence::new()
        .command(
            "list-panes",
            ["-t", &target, "-f", "#{pane_active}", "-F", PANE],
        )
        // With a second line the server sends the first one at once.
        .command("display-message", ["-p", ""])
}

/// Reads the answer to [`active_pane`]. A server that shuts down lets its
/// clients end in silence.
pub(super) fn read_pane(op: &'static str, output: &[u8]) -> Result<Pane> {
    let line = output.split(|&b| b == b'\n').next().unwrap_or_default();
    match line {
        b"" => Err(Error::new(ErrorKind::NoServer, op)),
        line => pane::parse_pane(line),
    }
}

/// Opens a pane's pipe, unless it is another pane by now or somebody has one: a
/// pipe that is there already may be replaced where `replaces` is its owner.
/// Prints `taken`, or the pane as it is at that moment. `pipe-pane -o` would
/// close a pipe that is there.
pub(super) fn open_pipe(
    target: &WindowName,
    pane: &Pane,
    command: &str,
    owner: &str,
    replaces: Option<&str>,
) -> Sequence {
    let name = target.target();
    let replaces = replaces.unwrap_or("-");
    // An answer that is cut is no.
    let free = format!(
        "#{{&&:#{{==:#{{pane_pid}},{pid}}},#{{||:#{{==:#{{pane_pipe}},0}},#{{==:#{{@amux_owner}},{replaces}}}}}}}",
        pid = pane.key.1,
    );
    let open = format!(
        "{} ; display-message -p -t {name} \"{PANE}\"",
        attach(&name, owner)
    );
    Sequence::new()
        .command("set-option", ["-s", NEW_PIPE, command])
        .command(
            "if-shell",
            ["-F", "-t", &name, &free, &open, "display-message -p taken"],
        )
        .command("set-option", ["-su", NEW_PIPE])
}

/// Hands the command of a pipe over, for what [`prepare`] returns.
pub(super) fn before_new(command: &str) -> Sequence {
    Sequence::new().command("set-option", ["-s", NEW_PIPE, command])
}

/// The commands that open the pipe of a window that was just created, before
/// its shell has printed anything, and print its pane.
pub(super) fn prepare(target: &WindowName, nonce: &str, owner: &str) -> String {
    let name = target.target();
    format!(
        "set-option -p -t {name} @amux_nonce {nonce} ; {} ; \
         display-message -p -t {name} \"{PANE}\"",
        attach(&name, owner)
    )
}

fn attach(name: &str, owner: &str) -> String {
    format!(
        "set-option -p -t {name} @amux_owner {owner} ; \
         pipe-pane -O -t {name} \"#{{{NEW_PIPE}}}\""
    )
}

/// Closes a pipe of ours.
pub(super) fn close_pipe(pane: &str, owner: &str) -> Sequence {
    let ours = format!("#{{&&:#{{pane_pipe}},#{{==:#{{@amux_owner}},{owner}}}}}");
    let close = format!("pipe-pane -t {pane} ; set-option -pu -t {pane} @amux_owner");
    Sequence::new().command("if-shell", ["-F", "-t", pane, &ours, &close])
}
