//! Waiting for a command.

use std::time::Duration;

use crate::support::topic::topic;
use crate::support::{Build, Gate, Server, Setup};

topic!("waiting":
    a_wait_ends_with_the_command_and_its_status,
    a_late_wait_by_id_returns_at_once,
    a_command_that_never_was_is_refused,
    a_forgotten_command_is_told_from_one_that_never_was,
    each_waiter_keeps_its_own_mark,
    all_waiters_of_a_command_wake,
    a_timeout_gives_what_there_is_so_far,
    a_timeout_must_be_a_number_of_seconds,
    nothing_to_wait_for_is_no_wait,
    a_command_that_a_person_typed_is_waited_for,
    a_command_without_marks_is_waited_for,
    an_unfinished_line_ends_the_wait,
    a_write_waits_for_an_empty_prompt,
    a_write_that_fails_takes_its_read_with_it,
    wait_for_stands_in_the_same_sequence,
    a_lost_client_of_wait_for_is_left_to_it;
    not sanitized: a_lost_client_of_wait_for_is_left_to_it, "tmux itself never frees a killed client of wait-for";
);

/// Case B7.
fn a_wait_ends_with_the_command_and_its_status(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let gate = Gate::new(&server, "gate");
    let id = pane.submit(&format!("cat {}; sh -c 'exit 7'", gate.path()));
    let mut client = pane.start_read(&["-w", "-O", "-E", "-i", &id]);
    let key = gate.reached();
    assert!(client.runs());
    drop(key);
    let ended = client.ended();
    assert_eq!(
        (ended.status, ended.text(), ended.err),
        (7, String::new(), String::new())
    );
}

/// Case B19.
fn a_late_wait_by_id_returns_at_once(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let first = pane.submit("(exit 3)");
    pane.until_prompt();
    let second = pane.submit("true");
    pane.until_prompt();
    // One and the same request cannot wait longer than this.
    for (id, status) in [(&first, 3), (&second, 0), (&first, 3)] {
        let ended = pane.read(&["-w", "-T", "0", "-s", "-E", "-i", id]);
        assert_eq!((ended.status, ended.err.as_str()), (status, ""), "{id}");
    }
}

fn a_command_that_never_was_is_refused(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    pane.run("true");
    pane.read(&["-w", "-i", "999"])
        .failed(1, "no such command: 999");
    pane.read(&["-w", "-E", "-i", "999"])
        .failed(125, "no such command: 999");
    pane.read(&["-O", "-i", "999"])
        .failed(1, "no such command: 999");
    for id in ["0", "-1", "x", "99999999999999999999"] {
        pane.read(&["-w", "-E", "-i", id])
            .failed(125, "command id ");
    }
    // Ids are the server's: one of another pane is not this one's.
    let other = server.window(&[]);
    other.until_prompt();
    let id = other.submit("true");
    pane.read(&["-w", "-i", &id])
        .failed(1, &format!("no such command: {id}"));
}

fn a_forgotten_command_is_told_from_one_that_never_was(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let first = pane.submit("true");
    pane.until_prompt();
    // Lines that are not submitted are a person's: a record each.
    pane.write(&["-n"], ":\n".repeat(1030).as_bytes()).ok();
    server.wait_until("1,030 commands", || {
        let newest = pane.expand("#{pane_command_id}");
        if newest == (first.parse::<u64>().unwrap() + 1030).to_string() {
            Ok(())
        } else {
            Err(newest)
        }
    });
    assert_eq!(pane.text(&["-l"]).lines().count(), 1024);
    pane.read(&["-w", "-i", &first])
        .failed(1, &format!("command {first} is forgotten"));
    pane.read(&["-O", "-E", "-i", &first])
        .failed(125, &format!("command {first} is forgotten"));
}

fn each_waiter_keeps_its_own_mark(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let gate = Gate::new(&server, "gate");
    let wait = ["-w", "-O", "-E"];
    let first = pane.submit(&format!("cat {}; echo one; (exit 7)", gate.path()));
    let mut one = pane.start_read(&[&wait[..], &["-i", &first]].concat());
    let key = gate.reached();
    pane.until_started();
    let second = pane.submit("echo two; (exit 4)");
    let mut two = pane.start_read(&[&wait[..], &["-i", &second]].concat());
    assert_ne!(first, second);
    assert!(one.runs() && two.runs());
    drop(key);
    let (one, two) = (one.ended(), two.ended());
    // The terminal echoes what is typed ahead, in the middle of what runs.
    assert_eq!(
        (one.status, one.text()),
        (7, "echo two; (exit 4)\none\n".to_owned()),
        "{}",
        one.err
    );
    assert_eq!(
        (two.status, two.text()),
        (4, "two\n".to_owned()),
        "{}",
        two.err
    );
}

fn all_waiters_of_a_command_wake(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let gate = Gate::new(&server, "gate");
    let id = pane.submit(&format!("cat {}; echo out", gate.path()));
    let id = id.as_str();
    let wait = ["read-pane", "-t", &pane.id, "-w", "-O"];
    let by_id = server.spawn_reached(&[&wait[..], &["-i", id]].concat(), b"");
    let newest = server.spawn_reached(&wait, b"");
    gate.open();
    for client in [by_id, newest] {
        assert_eq!(String::from_utf8(client.ended().ok()).unwrap(), "out\n");
    }
}

fn a_timeout_gives_what_there_is_so_far(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let gate = Gate::new(&server, "gate");
    let id = pane.submit(&format!("echo part; cat {}", gate.path()));
    let key = gate.reached();
    for status in [&["-E"][..], &[]] {
        let ended = pane.read(&[&["-w", "-T", "0.2", "-O", "-i", &id], status].concat());
        ended.failed(124, "timed out");
        assert_eq!(ended.text(), "part\n");
    }
    let ended = pane.read(&[
        "-w",
        "-T",
        "0",
        "-s",
        "-F",
        "#{command_ended} #{command_status}",
    ]);
    ended.failed(124, "timed out");
    assert_eq!(ended.text(), "running \n");
    drop(key);
    pane.read(&["-w", "-E", "-i", &id]).failed(0, "");
}

fn a_timeout_must_be_a_number_of_seconds(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    for wrong in ["", "x", "1x", "-1", "inf", "nan", "1e10"] {
        pane.read(&["-w", "-T", wrong])
            .failed(1, &format!("invalid timeout: {wrong}"));
        pane.read(&["-w", "-E", "-T", wrong])
            .failed(125, &format!("invalid timeout: {wrong}"));
        pane.write(&["-e", "-w", "-T", wrong], b"true")
            .failed(1, &format!("invalid timeout: {wrong}"));
    }
    pane.read(&["-T", "1"]).failed(1, "-T needs -w");
}

fn nothing_to_wait_for_is_no_wait(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    assert_eq!(pane.text(&["-w", "-T", "0", "-s"]), "idle\n");
    pane.read(&["-w", "-E", "-s"]).failed(125, "no command yet");
}

fn a_command_that_a_person_typed_is_waited_for(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let gate = Gate::new(&server, "gate");
    pane.run("echo before");
    server.tmux(&[
        "send-keys",
        "-t",
        &pane.id,
        "-l",
        &format!("cat {}; (exit 6)", gate.path()),
    ]);
    server.tmux(&["send-keys", "-t", &pane.id, "Enter"]);
    let key = gate.reached();
    pane.until_started();
    let mut client = server.spawn_reached(&["read-pane", "-t", &pane.id, "-w", "-E"], b"");
    assert!(client.runs());
    drop(key);
    assert_eq!(client.ended().status, 6);
}

fn a_command_without_marks_is_waited_for(build: &Build) {
    let server = Server::with(
        build,
        &Setup {
            integration: false,
            ..Setup::default()
        },
    );
    let pane = server.shell();
    let gate = Gate::new(&server, "gate");

    // Typed by a person.
    server.tmux(&[
        "send-keys",
        "-t",
        &pane.id,
        "-l",
        &format!("cat {}", gate.path()),
    ]);
    server.tmux(&["send-keys", "-t", &pane.id, "Enter"]);
    let key = gate.reached();
    let mut client = server.spawn_reached(&["read-pane", "-t", &pane.id, "-w", "-s"], b"");
    assert!(client.runs());
    drop(key);
    assert_eq!(String::from_utf8(client.ended().ok()).unwrap(), "idle\n");

    // Submitted: it ends, and the status is not known.
    pane.until_prompt();
    let id = pane.submit(&format!("cat {}; echo out", gate.path()));
    let key = gate.reached();
    let client = server.spawn_reached(
        &["read-pane", "-t", &pane.id, "-w", "-E", "-O", "-i", &id],
        b"",
    );
    drop(key);
    let ended = client.ended();
    ended.failed(125, "command has no exit status: exited");
    assert!(ended.text().starts_with("out\n"), "{:?}", ended.text());
    assert_eq!(
        pane.text(&["-l", "-F", "#{command_id} #{command_flags}"]),
        format!("{id} by-program,finished,unmarked\n")
    );
}

fn an_unfinished_line_ends_the_wait(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let id = pane.submit("echo 'abc");
    pane.read(&["-w", "-E", "-i", &id])
        .failed(125, "the shell waits for more input");
    assert_eq!(pane.expand("#{pane_input_mode}"), "continuation");
    pane.write(&["-n"], b"def'\r").ok();
    assert_eq!(pane.read(&["-w", "-O", "-i", &id]).ok(), b"abc\ndef\n");
}

/// Case A3.
fn a_write_waits_for_an_empty_prompt(build: &Build) {
    let server = Server::with(
        build,
        &Setup {
            home: vec![(
                ".bash_profile".to_owned(),
                "PS1='$ '; cat \"$HOME/../gate\"\n".to_owned(),
            )],
            ..Setup::default()
        },
    );
    // The shell of the first window is past it before there is a gate: only the next one stands at it.
    server.shell();
    let gate = Gate::new(&server, "gate");
    let pane = server.window(&[]);
    let key = gate.reached();
    let sequence = [
        "write-pane",
        "-e",
        "-i",
        "-w",
        "-f",
        "-",
        "-t",
        &pane.id,
        ";",
        "read-pane",
        "-w",
        "-O",
        "-E",
        "-t",
        &pane.id,
    ];
    let mut client = server.spawn_reached(&sequence, b"echo OK");
    // Without job control yet, what runs is in the group of the shell.
    pane.write(&["-e", "-w", "-T", "0.1"], b"echo LATE")
        .failed(124, "timed out: bash");
    pane.write(&["-e", "-i"], b"echo BUSY")
        .failed(1, "pane is not idle: bash");
    assert!(client.runs());
    drop(key);
    assert_eq!(String::from_utf8(client.ended().ok()).unwrap(), "OK\n");
    let all = pane.text(&["-r"]);
    assert!(!all.contains("LATE") && !all.contains("BUSY"), "{all:?}");
}

fn a_write_that_fails_takes_its_read_with_it(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    for write in [
        &["write-pane", "-b", "x"][..],
        &["write-pane", "-e", "-w", "-T", "0", "-f", "-"],
    ] {
        let gate = Gate::new(&server, &format!("gate{}", write.len()));
        pane.submit(&format!("cat {}", gate.path()));
        let key = gate.reached();
        let rest = [
            "-t",
            &pane.id,
            ";",
            "read-pane",
            "-w",
            "-t",
            &pane.id,
            ";",
            "set-option",
            "-g",
            "@ran",
            "1",
        ];
        let ended = server
            .spawn_with(&[write, &rest].concat(), b"true")
            .ended_within(Duration::from_secs(20));
        assert_ne!(ended.status, 0);
        assert_eq!(ended.text(), "");
        assert_eq!(server.option("@ran"), "");
        drop(key);
        pane.until_prompt();
    }
}

fn wait_for_stands_in_the_same_sequence(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let gate = Gate::new(&server, "gate");
    let text = format!(
        "\"$AMUX_TMUX\" wait-for -S here; cat {}; echo out; (exit 2)",
        gate.path()
    );
    let client = server.spawn_with(
        &[
            "write-pane",
            "-e",
            "-f",
            "-",
            "-t",
            &pane.id,
            ";",
            "wait-for",
            "here",
            ";",
            "set-option",
            "-g",
            "@between",
            "1",
            ";",
            "read-pane",
            "-w",
            "-O",
            "-E",
            "-t",
            &pane.id,
        ],
        text.as_bytes(),
    );
    server.until_option("@between", "1");
    gate.open();
    let ended = client.ended();
    assert_eq!(
        (ended.status, ended.text()),
        (2, "out\n".to_owned()),
        "{}",
        ended.err
    );
}

/// The channel of wait-for holds the item of a client that is gone; it must not be freed under it.
fn a_lost_client_of_wait_for_is_left_to_it(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let before = server.open_files();
    let lost = server.spawn_reached(
        &["wait-for", "never", ";", "read-pane", "-w", "-t", &pane.id],
        b"",
    );
    lost.kill();
    server.until_open_files(before);
    server.tmux(&["wait-for", "-S", "never"]);
    assert_eq!(pane.run("true").status, 0);
}
