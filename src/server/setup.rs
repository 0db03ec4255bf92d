//! How a server is set up: the same for one in the foreground and one in the
//! background, and the only place that says it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::backend::screen::HISTORY_LIMIT;
use crate::exec::runtime_dir::RuntimeDir;
use crate::exec::tmux::Sequence;
use crate::shell::ShellKind;

/// Socket name of the default tenant; the others' begins with it.
const SOCKET: &str = "amux";

/// Variables of the panes' environment, whatever the caller's is: English
/// messages in UTF-8, and no pager, which would wait for a key.
pub const PANE_ENVIRONMENT: [(&str, &str); 5] = [
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

/// Where programs look for data where `XDG_DATA_DIRS` does not say.
const DATA_DIRS: &str = "/usr/local/share:/usr/share";

/// Keys behind the prefix that change the window, and where they lead. A client
/// that is attached read-only may use no other keys than those of switch-client
/// and detach-client, so a person who watches could see one window only.
/// Within a session switch-client does what next-window and the others do; from
/// 3.3a on, also for those who are not read-only.
const WINDOW_KEYS: [(&str, &str); 13] = [
    ("n", ":+"),
    ("p", ":-"),
    ("l", ":!"),
    ("0", ":=0"),
    ("1", ":=1"),
    ("2", ":=2"),
    ("3", ":=3"),
    ("4", ":=4"),
    ("5", ":=5"),
    ("6", ":=6"),
    ("7", ":=7"),
    ("8", ":=8"),
    ("9", ":=9"),
];

/// The name of a tenant's socket.
pub(crate) fn tenant_socket(tenant: Option<&str>) -> String {
    match tenant {
        None => SOCKET.to_owned(),
        Some(tenant) => format!("{SOCKET}-{tenant}"),
    }
}

/// The folder in which tmux puts sockets that have a name: of this user alone,
/// below the first of these that is there (tmux.c, make_label).
pub(crate) fn socket_folder() -> PathBuf {
    let given = std::env::var_os("TMUX_TMPDIR").filter(|path| !path.is_empty());
    let base = given.and_then(|path| std::fs::canonicalize(path).ok());
    let base = base.unwrap_or_else(|| PathBuf::from("/tmp"));
    base.join(format!("tmux-{}", rustix::process::getuid().as_raw()))
}

/// The variables that the server sets in the environment of its panes; those
/// that lead a shell to the integration hide the ones that it would inherit.
pub(crate) fn environment(
    binary: &Path,
    shell: ShellKind,
    runtime: &RuntimeDir,
    inherited: impl Fn(&str) -> Option<OsString>,
) -> Vec<(&'static str, String)> {
    let binary = binary.to_string_lossy().into_owned();
    let inherited = |name| inherited(name).map(|value| value.to_string_lossy().into_owned());
    let leads = match shell {
        ShellKind::Bash => Vec::new(),
        ShellKind::Zsh => {
            let folder = runtime.zsh_folder();
            hiding(
                ("ZDOTDIR", folder.to_string_lossy().into_owned()),
                ("AMUX_ZDOTDIR", inherited("ZDOTDIR")),
            )
        }
        ShellKind::Fish => {
            let found = inherited("XDG_DATA_DIRS").filter(|folders| !folders.is_empty());
            let folders = found.as_deref().unwrap_or(DATA_DIRS);
            let folders = format!("{}:{folders}", runtime.data_folder().display());
            hiding(("XDG_DATA_DIRS", folders), ("AMUX_XDG_DATA_DIRS", found))
        }
    };
    PANE_ENVIRONMENT
        .into_iter()
        .map(|(name, value)| (name, value.to_owned()))
        .chain(leads)
        .chain([
            // bash's, whatever the shell: `exec bash` finds it there.
            ("PROMPT_COMMAND", runtime.prompt_command()),
            // The shell integration of `exec bash` asks this tmux for the nonce.
            ("AMUX_TMUX", binary),
            // And records each prompt on the pane, unless it finds here that a
            // controller does. tmux-custom takes this out again, as it keeps
            // records itself.
            ("AMUX_RECORD", runtime.path().display().to_string()),
        ])
        .collect()
}

/// A variable, and where it was set already what it was, under another name.
fn hiding(
    set: (&'static str, String),
    kept: (&'static str, Option<String>),
) -> Vec<(&'static str, String)> {
    let (name, value) = kept;
    let kept = value.map(|value| (name, value));
    std::iter::once(set).chain(kept).collect()
}

/// The commands that set a server up. Running them again changes nothing.
pub(crate) fn sequence(
    binary: &Path,
    (kind, shell): (ShellKind, &Path),
    runtime: &RuntimeDir,
) -> Sequence {
    let shell = shell.to_string_lossy();
    let history_limit = HISTORY_LIMIT.to_string();
    let options: [(&str, &str, &str); 6] = [
        // A server without windows goes on: closing the last one must not stop
        // the tenant.
        ("-s", "exit-empty", "off"),
        // One shell on every machine; the login shell of a service's user is
        // often nologin.
        ("-g", "default-shell", &shell),
        ("-g", "history-limit", &history_limit),
        // For a window that others create; ours are sized one by one, which also
        // makes their size manual. Not window-size for all: where that is
        // manual, tmux 3.3 to 3.6 crash at the next new-session.
        ("-g", "default-size", "200x24"),
        // A window is found by its name: programs must not rename it.
        ("-wg", "allow-rename", "off"),
        // Last: says that all of it was done. See wire::probe.
        ("-s", "@amux", "1"),
    ];
    let sequence = environment(binary, kind, runtime, |name| std::env::var_os(name))
        .iter()
        .fold(Sequence::new(), |sequence, (name, value)| {
            sequence.command("set-environment", ["-g", name, value])
        });
    let sequence = WINDOW_KEYS
        .iter()
        .fold(sequence, |sequence, (key, target)| {
            sequence.command("bind-key", [key, "switch-client", "-t", target])
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
