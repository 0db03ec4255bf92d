//! What tmux 3.8 has of its own for commands of a shell: its names mean ours, its events go on.

use crate::support::topic::topic;
use crate::support::{Build, Server};

topic!("upstream":
    a_bare_end_has_no_status_on_any_version,
    each_format_is_listed_once,
    hooks_of_commands_go_on,
    waits_for_events_of_commands_go_on,
);

/// The hook that 3.8 runs when a command ends.
const FINISHED: &str = "pane-command-finished";

/// On a version without that hook, it is an error to set it; this sees that the version is such a one.
#[track_caller]
fn has_no_such_hook(server: &Server) {
    server
        .run(&["set-hook", "-g", FINISHED, "set -g @finished 1"])
        .failed(1, "invalid option: pane-command-finished");
}

fn a_bare_end_has_no_status_on_any_version(build: &Build) {
    let server = Server::start(build);
    let marks =
        "printf '\\033]133;A\\007\\033]133;B\\007\\033]133;C\\007out\\033]133;D\\007'; exec cat";
    let pane = server.window(&["sh", "-c", marks]);
    pane.until_output("out");
    pane.until("#{pane_command_running} [#{pane_command_status}]", "1 []");
    // 3.8 gives it the status 0, and calls it ended though what sent the marks still runs.
    let listed = server.tmux(&["display-message", "-a", "-t", &pane.id]);
    assert!(
        listed.lines().any(|line| line == "pane_command_status="),
        "{listed}"
    );
}

fn each_format_is_listed_once(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    pane.run("(exit 3)");
    let listed = server.tmux(&["display-message", "-a", "-t", &pane.id]);
    for name in ["running", "status", "duration"] {
        let start = format!("pane_command_{name}=");
        let found: Vec<&str> = listed
            .lines()
            .filter(|line| line.starts_with(&start))
            .collect();
        assert_eq!(found.len(), 1, "{found:?}");
    }
    assert!(listed.lines().any(|line| line == "pane_command_status=3"));
}

fn hooks_of_commands_go_on(build: &Build) {
    let server = Server::start(build);
    if !build.has_command_events() {
        return has_no_such_hook(&server);
    }
    let pane = server.shell();
    server.tmux(&["set-hook", "-g", FINISHED, "set -g @finished 1"]);
    pane.run("true");
    server.until_option("@finished", "1");
}

fn waits_for_events_of_commands_go_on(build: &Build) {
    let server = Server::start(build);
    if !build.has_command_events() {
        return has_no_such_hook(&server);
    }
    let pane = server.shell();
    let mut client = server.spawn(&["wait-for", "-E", FINISHED]);
    // It may begin to wait only after the first of these.
    server.wait_until("the wait to end", || {
        pane.run("true");
        if client.runs() {
            Err("it waits".to_owned())
        } else {
            Ok(())
        }
    });
    let ended = client.ended();
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
}
