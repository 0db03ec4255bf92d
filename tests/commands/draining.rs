//! What a process wrote last.

use crate::support::topic::topic;
use crate::support::{Build, Gate, Server};

topic!("draining":
    a_process_that_ends_loses_nothing,
    a_window_that_goes_has_given_everything,
    a_process_that_lives_on_does_not_hold_the_server,
);

fn a_process_that_ends_loses_nothing(build: &Build) {
    let server = Server::start(build);
    server.tmux(&["set-option", "-g", "remain-on-exit", "on"]);
    let pane = server.window(&["true"]);
    let expected: String = (1..=20_000).map(|n| format!("{n}\r\n")).collect();
    for turn in 0..30 {
        pane.until("#{pane_dead}", "1");
        pane.text(&["-C"]);
        server.tmux(&["respawn-pane", "-k", "-t", &pane.id, "seq 1 20000"]);
        pane.until("#{pane_dead}", "1");
        let raw = pane.read(&["-r"]).ok();
        assert!(
            raw == expected.as_bytes(),
            "turn {turn}: {} of {} bytes",
            raw.len(),
            expected.len()
        );
        let screen = server.tmux(&["capture-pane", "-p", "-S", "-100", "-t", &pane.id]);
        let lines: Vec<_> = screen.lines().filter(|line| !line.is_empty()).collect();
        let last = lines.iter().rposition(|line| *line == "20000");
        assert!(
            last.is_some_and(|at| lines[at - 1] == "19999"),
            "turn {turn}: {screen}"
        );
    }
}

fn a_window_that_goes_has_given_everything(build: &Build) {
    let server = Server::start(build);
    for _ in 0..5 {
        let pane = server.window(&["cat"]);
        let path = server.folder().join("all");
        let client = server.spawn_reached(
            &[
                "read-pane",
                "-w",
                "-E",
                "-O",
                "-o",
                path.to_str().unwrap(),
                "-t",
                &pane.id,
            ],
            b"",
        );
        server.tmux(&["kill-pane", "-t", &pane.id]);
        assert_eq!(client.ended().status, 125);
    }
    let pane = server.window(&[]);
    pane.until_prompt();
    // Whoever comes when the pane has gone finds no pane: it waits before.
    let gate = Gate::new(&server, "gate");
    let id = pane.submit(&format!("cat {}; exec seq 1 20000", gate.path()));
    let key = gate.reached();
    let client = server.spawn_reached(
        &["read-pane", "-w", "-O", "-r", "-i", &id, "-t", &pane.id],
        b"",
    );
    drop(key);
    let ended = client.ended();
    ended.failed(1, "pane is dead");
    assert!(
        ended.text().ends_with("19999\r\n20000\r\n"),
        "{} bytes",
        ended.out.len()
    );
}

fn a_process_that_lives_on_does_not_hold_the_server(build: &Build) {
    let server = Server::start(build);
    let shell = server.shell();
    server.tmux(&["set-option", "-g", "remain-on-exit", "on"]);
    // It goes on to write after its parent, the pane's process, is gone.
    let pane = server.window(&[
        "sh",
        "-c",
        "(trap '' HUP; exec yes) & echo $!; exec sh -c 'exit 0'",
    ]);
    pane.until("#{pane_dead}", "1");
    assert_eq!(shell.run("echo served").output, "served\n");
    assert_eq!(pane.expand("#{pane_command_state}"), "dead");
}
