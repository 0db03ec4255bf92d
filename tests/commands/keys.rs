//! Keys of read-only clients: from 3.7 on tmux lets them use send-keys.

use std::process::Command;

use crate::support::topic::topic;
use crate::support::{Build, Client, Control, Pane, Server, Terminal};

topic!("keys":
    a_read_only_client_sends_no_keys,
    a_read_only_user_sends_no_keys,
    a_read_only_client_still_moves_in_copy_mode,
    a_writable_client_sends_keys,
);

/// Keys and commands of copy mode, for a pane and with another client to send them for.
fn attempts(pane: &Pane, other: &str) -> Vec<Vec<String>> {
    let keys: [&[&str]; 4] = [&["x"], &["-l", "x"], &["-H", "78"], &["-X", "cancel"]];
    let mut all = Vec::new();
    for keys in keys {
        let (flag, data) = keys.split_at(keys.len() - 1);
        for client in [&[][..], &["-c", other]] {
            let words = ["send-keys", "-t", &pane.id];
            let parts = [&words[..], client, flag, data].concat();
            all.push(parts.into_iter().map(str::to_owned).collect());
        }
    }
    all
}

/// Was a command refused, or (3.3a has no `-c` there) not understood?
fn refused(build: &Build, message: &str) -> bool {
    message.contains("client is read-only")
        || (build.is_3_3a() && message.contains("unknown flag -c"))
}

/// A pane that shows whether a key has come: in copy mode, in front of a program that reads keys.
fn watched(server: &Server) -> Pane<'_> {
    let pane = server.window(&["sh", "-c", "stty raw -echo; echo ready; cat"]);
    pane.until_output("ready");
    server.tmux(&["copy-mode", "-t", &pane.id]);
    pane
}

/// Expects that the pane is still in copy mode, and that behind it no key arrived.
fn untouched(server: &Server, pane: &Pane) {
    assert_eq!(pane.expand("#{pane_in_mode}"), "1");
    server.tmux(&["copy-mode", "-q", "-t", &pane.id]);
    // cat gives back what it gets, in the order in which it comes.
    pane.write(&["-n"], b"end").ok();
    pane.until_output("end");
    let shown = pane.text(&["-r"]);
    let behind = shown.rsplit("ready").next().unwrap_or_default();
    assert!(!behind.contains('x'), "{shown:?}");
}

fn a_read_only_client_sends_no_keys(build: &Build) {
    let server = Server::start(build);
    let pane = watched(&server);
    let terminal = Terminal::attach(&server, &[]);
    let other = terminal.name(&server);
    let mut control = Control::attach(&server, &["-r"]);
    for words in attempts(&pane, &other) {
        // In copy mode, commands of its own are what a read-only client may send from 3.7 on; to a client
        // without a terminal they do nothing but move.
        if words.contains(&"-X".to_owned()) && !words.contains(&"-c".to_owned()) {
            continue;
        }
        let reply = control.ask(&words.join(" "));
        let message = reply.lines.join("\n");
        assert!(
            reply.error && refused(build, &message),
            "{words:?}: {reply:?}"
        );
    }
    untouched(&server, &pane);
}

/// Another user is needed: `nobody`, whom only root can become. Others see that the user must exist.
fn a_read_only_user_sends_no_keys(build: &Build) {
    let server = Server::start(build);
    let pane = watched(&server);
    let terminal = Terminal::attach(&server, &[]);
    let other = terminal.name(&server);
    if !rustix::process::geteuid().is_root() {
        server
            .run(&["server-access", "-a", "-r", "no-such-user"])
            .failed(1, "unknown user: no-such-user");
        return;
    }
    server.tmux(&["server-access", "-a", "-r", "nobody"]);
    use std::os::unix::fs::PermissionsExt;
    for path in [server.folder().to_owned(), server.socket()] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o777)).unwrap();
    }
    for words in attempts(&pane, &other) {
        let program = server.command();
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid", "nobody", "--clear-groups"])
            .arg(program.get_program())
            .args(program.get_args());
        command.env_clear().envs(
            program
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
        let ended = Client::start(command.current_dir("/").args(&words), b"").ended();
        assert_eq!(ended.status, 1, "{words:?}: {ended:?}");
        assert!(refused(build, &ended.err), "{words:?}: {ended:?}");
    }
    untouched(&server, &pane);
}

fn a_read_only_client_still_moves_in_copy_mode(build: &Build) {
    if !build.lets_readers_send_keys() {
        // Before 3.7 copy mode is nothing for a read-only client at all.
        let server = Server::start(build);
        let reply = Control::attach(&server, &["-r"]).ask("copy-mode");
        assert!(reply.error, "{reply:?}");
        return;
    }
    let server = Server::start(build);
    let mut terminal = Terminal::attach(&server, &["-r"]);
    let pane = server.pane();
    server.tmux(&["bind-key", "-n", "M-c", "copy-mode"]);
    server.tmux(&[
        "bind-key",
        "-T",
        "copy-mode",
        "M-q",
        "send-keys",
        "-X",
        "cancel",
    ]);
    terminal.keys("\x1bc");
    pane.until("#{pane_in_mode}", "1");
    terminal.keys("\x1bq");
    pane.until("#{pane_in_mode}", "0");
}

fn a_writable_client_sends_keys(build: &Build) {
    let server = Server::start(build);
    let pane = server.window(&["sh", "-c", "stty raw -echo; echo ready; cat"]);
    pane.until_output("ready");
    server.tmux(&["send-keys", "-t", &pane.id, "x"]);
    pane.until_output("x");
    let mut control = Control::attach(&server, &[]);
    assert!(!control.ask(&format!("send-keys -t {} y", pane.id)).error);
    pane.until_output("xy");
}
