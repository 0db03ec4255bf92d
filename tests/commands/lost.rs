//! Clients, panes and servers that go while somebody waits.

use std::process::Stdio;
use std::time::Duration;

use crate::support::topic::topic;
use crate::support::{Build, Client, Gate, Pane, Server};

topic!("lost":
    a_killed_client_leaves_nothing_behind,
    a_client_killed_while_its_input_is_read_writes_nothing,
    a_client_killed_while_it_writes_a_file_leaves_nothing_behind,
    a_killed_pane_ends_its_waits,
    a_respawned_pane_ends_its_waits_and_starts_afresh,
    a_shell_that_exits_ends_its_waits_and_its_pane_stays,
    a_shell_that_exits_ends_its_waits_and_its_pane_goes,
    a_pane_that_goes_while_input_is_read_is_not_written_to,
    a_wait_ends_with_a_failure_when_the_server_exits,
    a_wait_ends_with_a_failure_when_the_server_is_killed,
);

/// How many clients are killed at a time.
const CLIENTS: usize = 100;

/// Starts clients that wait for a command, and returns when all of them do.
fn waiters(server: &Server, pane: &Pane, id: &str) -> Vec<Client> {
    server.tmux(&["set-option", "-g", "@waits", ""]);
    let clients = (0..CLIENTS)
        .map(|_| {
            server.spawn(&[
                "set-option",
                "-ga",
                "@waits",
                "x",
                ";",
                "read-pane",
                "-w",
                "-i",
                id,
                "-T",
                "600",
                "-t",
                &pane.id,
                ";",
                "set-option",
                "-g",
                "@ran",
                "1",
            ])
        })
        .collect();
    server.until_option("@waits", &"x".repeat(CLIENTS));
    clients
}

/// Case B20.
fn a_killed_client_leaves_nothing_behind(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let gate = Gate::new(&server, "gate");
    let id = pane.submit(&format!("cat {}; echo out", gate.path()));
    let key = gate.reached();
    let files = server.open_files();
    let mut memory = Vec::new();
    for _ in 0..5 {
        for client in waiters(&server, &pane, &id) {
            client.kill();
        }
        server.until_open_files(files);
        memory.push(server.memory());
    }
    drop(key);
    assert_eq!(pane.read(&["-w", "-O", "-i", &id]).ok(), b"out\n");
    // What stood behind the wait of a lost client never runs, not even now.
    assert_eq!(server.option("@ran"), "");
    server.until_open_files(files);
    // Clients that stay would cost 4 KiB each, in each round.
    server.assert_grows_less(&memory, 2 * CLIENTS as u64);
}

fn a_client_killed_while_its_input_is_read_writes_nothing(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let total = pane.expand("#{pane_stream_total}");
    let files = server.open_files();
    for _ in 0..20 {
        server.tmux(&["set-option", "-g", "@reads", ""]);
        let mut child = server
            .command()
            .args([
                "set-option",
                "-g",
                "@reads",
                "1",
                ";",
                "write-pane",
                "-e",
                "-f",
                "-",
                "-t",
                &pane.id,
            ])
            .args([";", "set-option", "-g", "@ran", "1"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        use std::io::Write;
        // It never comes to the end of its input.
        child
            .stdin
            .as_ref()
            .unwrap()
            .write_all(b"echo never\n")
            .unwrap();
        server.until_option("@reads", "1");
        child.kill().unwrap();
        child.wait().unwrap();
        server.until_open_files(files);
    }
    assert_eq!(pane.expand("#{pane_stream_total}"), total);
    assert_eq!(server.option("@ran"), "");
    assert_eq!(pane.run("echo next").output, "next\n");
}

fn a_client_killed_while_it_writes_a_file_leaves_nothing_behind(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    pane.run("echo out");
    let files = server.open_files();
    // Nobody reads this FIFO, so the client stands in its open(2), which the server waits for.
    let stuck = Gate::new(&server, "stuck");
    for flags in [&["-O"][..], &["-O", "-w"], &["-E"], &["-c"]] {
        let behind = [";", "set-option", "-g", "@ran", "1"];
        let read = ["read-pane", "-t", &pane.id, "-o", "stuck"];
        let client = server.spawn_reached(&[&read, flags, &behind[..]].concat(), b"");
        // The server is not held by it.
        assert_eq!(pane.text(&["-O"]), "out\n");
        client.kill();
        server.until_open_files(files);
    }
    drop(stuck);
    assert_eq!(server.option("@ran"), "");
    assert_eq!(pane.text(&["-O", "-o", "-"]), "out\n");
}

fn a_killed_pane_ends_its_waits(build: &Build) {
    let server = Server::start(build);
    let pane = server.window(&[]);
    pane.until_prompt();
    let gate = Gate::new(&server, "gate");
    let id = pane.submit(&format!("echo out; cat {}", gate.path()));
    let _key = gate.reached();
    let read = server.spawn_reached(&["read-pane", "-w", "-O", "-i", &id, "-t", &pane.id], b"");
    let status = server.spawn_reached(
        &[
            "read-pane",
            "-w",
            "-E",
            "-i",
            &id,
            "-t",
            &pane.id,
            ";",
            "set-option",
            "-g",
            "@ran",
            "1",
        ],
        b"",
    );
    let write = server.spawn_reached(&["write-pane", "-e", "-w", "-t", &pane.id, "true"], b"");
    server.tmux(&["kill-pane", "-t", &pane.id]);
    let read = read.ended();
    read.failed(1, "pane is dead");
    assert_eq!(read.text(), "out\n");
    status.ended().failed(125, "pane is dead");
    write.ended().failed(1, "pane has gone");
    assert_eq!(server.option("@ran"), "");
}

/// Case T7.
fn a_respawned_pane_ends_its_waits_and_starts_afresh(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let nonce = pane.expand("#{pane_nonce}");
    let gate = Gate::new(&server, "gate");
    let id = pane.submit(&format!("echo out; cat {}", gate.path()));
    let _key = gate.reached();
    let read = server.spawn_reached(
        &["read-pane", "-w", "-O", "-E", "-i", &id, "-t", &pane.id],
        b"",
    );
    let write = server.spawn_reached(&["write-pane", "-e", "-w", "-t", &pane.id, "true"], b"");
    server.tmux(&["respawn-pane", "-k", "-t", &pane.id]);
    let read = read.ended();
    read.failed(125, "pane is dead");
    assert_eq!(read.text(), "out\n");
    write.ended().failed(1, "pane has gone");
    assert_ne!(pane.expand("#{pane_nonce}"), nonce);

    // The new shell's commands are not mixed up with those before.
    pane.until_prompt();
    assert_eq!(pane.expand("#{pane_command_state}"), "idle");
    let ran = pane.run("echo new; (exit 9)");
    assert_eq!((ran.status, ran.output.as_str()), (9, "new\n"));
    let records = pane.text(&[
        "-l",
        "-F",
        "#{command_ended} #{command_status} #{command_flags}",
    ]);
    assert_eq!(
        records,
        "lost  by-program,finished,pane-ended\nexited 9 by-program,finished\n"
    );
    // A late wait for what ended with the pane does not hang.
    pane.read(&["-w", "-E", "-i", &id])
        .failed(125, "pane is dead");
}

/// Case B8.
fn a_shell_that_exits_ends_its_waits_and_its_pane_stays(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    server.tmux(&["set-option", "-g", "remain-on-exit", "on"]);
    assert_eq!(pane.run("set -euo pipefail").status, 0);
    let ran = pane.run("echo ok");
    assert_eq!((ran.status, ran.output.as_str()), (0, "ok\n"));
    let id = pane.submit("echo last; false");
    let ended = pane.read(&["-w", "-O", "-E", "-i", &id]);
    ended.failed(125, "pane is dead");
    assert!(ended.text().starts_with("last\n"), "{:?}", ended.text());

    pane.until("#{pane_dead}", "1");
    assert_eq!(
        pane.expand("#{pane_command_state} #{pane_prompt_empty} #{pane_input_mode}"),
        "dead 0 "
    );
    // It can still be read, and it ends nothing late.
    assert!(pane.text(&["-O"]).starts_with("last\n"));
    assert!(pane.text(&[]).contains("ok\n"));
    pane.read(&["-w", "-i", &id]).failed(1, "pane is dead");
    pane.write(&["-e"], b"true").failed(1, "pane is dead");
    pane.write(&["-e", "-w"], b"true").failed(1, "pane is dead");
    assert_eq!(pane.text(&["-s"]), "dead\n");
}

fn a_shell_that_exits_ends_its_waits_and_its_pane_goes(build: &Build) {
    let server = Server::start(build);
    let pane = server.window(&[]);
    pane.until_prompt();
    let gate = Gate::new(&server, "gate");
    let id = pane.submit(&format!("cat {}; echo last; exit 3", gate.path()));
    let key = gate.reached();
    let read = server.spawn_reached(
        &["read-pane", "-w", "-O", "-E", "-i", &id, "-t", &pane.id],
        b"",
    );
    let write = server.spawn_reached(&["write-pane", "-e", "-w", "-t", &pane.id, "true"], b"");
    drop(key);
    let read = read.ended();
    read.failed(125, "pane is dead");
    assert!(read.text().starts_with("last\n"), "{:?}", read.text());
    write.ended().failed(1, "pane has gone");
    server.wait_until("the pane to go", || {
        let panes = server.tmux(&["list-panes", "-a", "-F", "#{pane_id}"]);
        if panes.contains(&pane.id) {
            Err(panes)
        } else {
            Ok(())
        }
    });
}

fn a_pane_that_goes_while_input_is_read_is_not_written_to(build: &Build) {
    use std::io::Write;
    let server = Server::start(build);
    let pane = server.window(&[]);
    pane.until_prompt();
    let mut child = server
        .command()
        .args([
            "set-option",
            "-g",
            "@reads",
            "1",
            ";",
            "write-pane",
            "-e",
            "-f",
            "-",
            "-t",
            &pane.id,
        ])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"echo half").unwrap();
    server.until_option("@reads", "1");
    server.tmux(&["kill-pane", "-t", &pane.id]);
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "pane has gone\n");
}

/// Starts one client of each kind that waits.
fn every_kind(server: &Server, pane: &Pane) -> Vec<(Client, i32)> {
    let target = ["-t", &pane.id];
    let kinds: [(&[&str], i32); 4] = [
        (&["read-pane", "-w", "-O"], 1),
        (&["read-pane", "-w", "-E"], 125),
        (&["read-pane", "-w", "-o", "-"], 1),
        (&["write-pane", "-e", "-w", "-b", "dHJ1ZQ=="], 1),
    ];
    let start = |(kind, status): (&[&str], i32)| {
        let behind = [";", "set-option", "-g", "@ran", "1"];
        (
            server.spawn_reached(&[kind, &target, &behind].concat(), b""),
            status,
        )
    };
    kinds.into_iter().map(start).collect()
}

/// Case B20.
fn a_wait_ends_with_a_failure_when_the_server_exits(build: &Build) {
    let mut server = Server::start(build);
    let pane = server.shell();
    let gate = Gate::new(&server, "gate");
    pane.submit(&format!("echo part; cat {}", gate.path()));
    let key = gate.reached();
    let clients = every_kind(&server, &pane);
    // This one is sent nothing more: it stands in the middle of its input.
    let mut reading = server
        .command()
        .args([
            "set-option",
            "-g",
            "@reads",
            "1",
            ";",
            "write-pane",
            "-f",
            "-",
            "-t",
            &pane.id,
        ])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let stdin = reading.stdin.take();
    server.until_option("@reads", "1");
    server.tmux(&["kill-server"]);
    for (client, status) in clients {
        client
            .ended_within(Duration::from_secs(20))
            .failed(status, "server exited");
    }
    let output = reading.wait_with_output().unwrap();
    assert_eq!(
        output.status.code(),
        Some(1),
        "{:?}",
        String::from_utf8_lossy(&output.stderr)
    );
    drop((stdin, key));
    assert_eq!(server.ended(), Some(0));
}

fn a_wait_ends_with_a_failure_when_the_server_is_killed(build: &Build) {
    let mut server = Server::start(build);
    let pane = server.shell();
    let gate = Gate::new(&server, "gate");
    pane.submit(&format!("cat {}", gate.path()));
    let key = gate.reached();
    let clients = every_kind(&server, &pane);
    server.kill();
    for (client, _) in clients {
        client
            .ended_within(Duration::from_secs(20))
            .failed(1, "server exited unexpectedly");
    }
    drop(key);
}
