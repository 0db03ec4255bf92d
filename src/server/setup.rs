//! How a server is set up: the same for one in the foreground and one in the
//! background, and the only place that says it.

use std::path::Path;

use crate::exec::runtime_dir::RuntimeDir;
use crate::exec::tmux::{Sequence, Socket};

/// Socket name of the default tenant; the others' begins with it.
const SOCKET: &str = "amux";

/// Variables of the panes' environment, whatever the caller's is.
const ENVIRONMENT: [(&str, &str); 5] = [
    // Without UTF-8 bash takes é for two meta keys. C gives English messages
    // and stable formats, and LC_ALL overrides every other locale variable.
    ("LC_ALL", "C.UTF-8"),
    // A pager would wait for a key. The three others come before PAGER where
    // they are set.
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
];

/// The socket of a tenant.
pub(crate) fn tenant_socket(tenant: Option<&str>) -> Socket {
    Socket::Name(match tenant {
        None => SOCKET.to_owned(),
        Some(tenant) => format!("{SOCKET}-{tenant}"),
    })
}

/// The commands that set a server up. Running them again changes nothing.
pub(crate) fn sequence(binary: &Path, bash: &Path, runtime: &RuntimeDir) -> Sequence {
    let bash = bash.to_string_lossy();
    let binary = binary.to_string_lossy();
    let prompt_command = runtime.prompt_command();
    let options: [(&str, &str, &str); 6] = [
        // A server without windows goes on: closing the last one must not stop
        // the tenant.
        ("-s", "exit-empty", "off"),
        // One shell on every machine; the login shell of a service's user is
        // often nologin.
        ("-g", "default-shell", &bash),
        ("-g", "history-limit", "10000"),
        // For a window that others create; ours are sized one by one.
        ("-g", "default-size", "200x24"),
        // A window is found by its name: programs must not rename it.
        ("-wg", "allow-rename", "off"),
        // Last: says that all of it was done. See wire::probe.
        ("-s", "@amux", "1"),
    ];
    let environment = ENVIRONMENT.into_iter().chain([
        ("PROMPT_COMMAND", prompt_command.as_str()),
        // The shell integration of `exec bash` asks this tmux for the nonce.
        ("AMUX_TMUX", &binary),
    ]);
    let sequence = environment.fold(Sequence::new(), |sequence, (name, value)| {
        sequence.command("set-environment", ["-g", name, value])
    });
    options
        .iter()
        .fold(sequence, |sequence, (scope, name, value)| {
            sequence.command("set-option", [scope, name, value])
        })
}

/// The sequence behind the command that starts a server in the background. The
/// server of `start-server` goes at once unless `exit-empty` is off by then.
pub(crate) fn start_sequence(setup: Sequence) -> Sequence {
    Sequence::new().command("start-server", [""; 0]).then(setup)
}
