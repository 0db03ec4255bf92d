//! Where read-pane puts what it has read, and the status it exits with.

use crate::support::topic::topic;
use crate::support::{Build, Gate, Server};

topic!("destinations":
    standard_output_is_the_default,
    a_file_is_written_anew_or_appended_to,
    a_file_name_is_taken_as_it_is,
    a_file_that_cannot_be_written_is_named,
    a_paste_buffer_takes_every_byte,
    a_large_output_arrives_whole,
    the_status_of_the_command_is_the_clients,
    the_status_waits_for_the_file,
);

fn standard_output_is_the_default(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    pane.run("echo out");
    for flags in [
        &["-O"][..],
        &["-O", "-p"],
        &["-O", "-o", "-"],
        &["-O", "-f", "-"],
    ] {
        assert_eq!(pane.text(flags), "out\n", "{flags:?}");
    }
}

fn a_file_is_written_anew_or_appended_to(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let file = server.folder().join("file");
    let read = || std::fs::read_to_string(&file).unwrap();
    for (text, flag, whole) in [
        ("one", "-o", "one\n"),
        ("two", "-o", "two\n"),
        ("three", "-f", "two\nthree\n"),
        ("four", "-f", "two\nthree\nfour\n"),
        ("five", "-o", "five\n"),
    ] {
        pane.run(&format!("echo {text}"));
        // Counted from the folder of the client.
        assert_eq!(pane.text(&["-O", flag, "file"]), "");
        assert_eq!(read(), whole);
    }
    let absolute = server.folder().join("other");
    pane.run("printf none >/dev/null");
    assert_eq!(
        pane.text(&[
            "-O",
            "-o",
            absolute.to_str().unwrap(),
            "-F",
            "#{command_status}"
        ]),
        ""
    );
    assert_eq!(std::fs::read_to_string(absolute).unwrap(), "0\n");
    // Nothing read: an empty file.
    pane.text(&["-O", "-o", "file"]);
    assert_eq!(read(), "");
}

/// Case D14.
fn a_file_name_is_taken_as_it_is(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    pane.run("echo out");
    for name in [
        "#Session 100%done.log",
        "#{pane_id}",
        "%H:%M",
        "~",
        "$HOME",
        "-x",
    ] {
        for (flag, text) in [("-o", "out\n"), ("-f", "out\nout\n")] {
            pane.text(&["-O", flag, name]);
            let found = std::fs::read_to_string(server.folder().join(name));
            assert_eq!(
                found.unwrap_or_else(|error| panic!("{name}: {error}")),
                text
            );
        }
    }
}

fn a_file_that_cannot_be_written_is_named(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    pane.run("(exit 3)");
    let ended = pane.read(&["-O", "-o", "missing/file"]);
    assert_eq!(ended.status, 1);
    assert!(
        ended
            .err
            .ends_with("missing/file: No such file or directory"),
        "{:?}",
        ended.err
    );
    let ended = pane.read(&["-O", "-E", "-f", "home"]);
    assert_eq!(ended.status, 125);
    assert!(
        ended.err.ends_with("home: Is a directory"),
        "{:?}",
        ended.err
    );
    let behind = ["-t", &pane.id, ";", "set-option", "-g", "@ran", "1"];
    assert_eq!(
        server
            .run(&[&["read-pane", "-o", "missing/file"], &behind[..]].concat())
            .status,
        1
    );
    assert_eq!(server.option("@ran"), "");
}

fn a_paste_buffer_takes_every_byte(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    pane.run("printf 'a\\000\\377 \\n'");
    assert_eq!(pane.text(&["-O", "-r", "-b", "mine"]), "");
    assert_eq!(
        server.run(&["save-buffer", "-b", "mine", "-"]).ok(),
        b"a\0\xff \r\n"
    );
    pane.run("echo other");
    pane.text(&["-O", "-b", "mine"]);
    assert_eq!(server.tmux(&["show-buffer", "-b", "mine"]), "other");
    // With a wait, and from a control client or a hook, which may name no files.
    let gate = Gate::new(&server, "gate");
    pane.submit(&format!("cat {}; echo late", gate.path()));
    let client = server.spawn_reached(
        &["read-pane", "-w", "-O", "-b", "late", "-t", &pane.id],
        b"",
    );
    gate.open();
    client.ended().ok();
    assert_eq!(server.tmux(&["show-buffer", "-b", "late"]), "late");
    server.tmux(&[
        "set-hook",
        "-g",
        "window-renamed",
        &format!("read-pane -O -b hook -t {} ; set -g @ran 1", pane.id),
    ]);
    server.tmux(&["rename-window", "-t", "main:", "other"]);
    server.until_option("@ran", "1");
    assert_eq!(server.tmux(&["show-buffer", "-b", "hook"]), "late");
}

fn a_large_output_arrives_whole(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let ran = pane.run("seq 1 300000");
    let expected: String = (1..=300_000).map(|n| format!("{n}\n")).collect();
    assert!(
        ran.output == expected,
        "{} of {} bytes",
        ran.output.len(),
        expected.len()
    );
    pane.text(&["-O", "-r", "-o", "file"]);
    let file = std::fs::read_to_string(server.folder().join("file")).unwrap();
    assert!(
        file == expected.replace('\n', "\r\n"),
        "{} bytes",
        file.len()
    );
    pane.text(&["-O", "-b", "all"]);
    let buffer = server.run(&["save-buffer", "-b", "all", "-"]).ok();
    assert!(buffer == expected.as_bytes(), "{} bytes", buffer.len());
}

fn the_status_of_the_command_is_the_clients(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    for status in [0, 1, 7, 124, 125, 130, 255] {
        let id = pane.submit(&format!("(exit {status})"));
        assert_eq!(pane.read(&["-w", "-E", "-i", &id]).status, status);
        assert_eq!(pane.read(&["-s", "-E"]).status, status);
        assert_eq!(pane.read(&["-O"]).status, 0);
    }
    // A failure of the command is none of read-pane: what stands behind it runs.
    let ended = server.run(&[
        "read-pane",
        "-E",
        "-s",
        "-t",
        &pane.id,
        ";",
        "set-option",
        "-g",
        "@ran",
        "1",
    ]);
    assert_eq!((ended.status, server.option("@ran").as_str()), (255, "1"));
}

fn the_status_waits_for_the_file(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let gate = Gate::new(&server, "gate");
    let id = pane.submit(&format!("cat {}; echo late; (exit 9)", gate.path()));
    let client = server.spawn_reached(
        &[
            "read-pane",
            "-w",
            "-E",
            "-O",
            "-o",
            "file",
            "-i",
            &id,
            "-t",
            &pane.id,
        ],
        b"",
    );
    gate.open();
    assert_eq!(client.ended().status, 9);
    assert_eq!(
        std::fs::read_to_string(server.folder().join("file")).unwrap(),
        "late\n"
    );
    let ended = pane.read(&["-E", "-O", "-f", "file"]);
    assert_eq!((ended.status, ended.err.as_str()), (9, ""));
    assert_eq!(
        std::fs::read_to_string(server.folder().join("file")).unwrap(),
        "late\nlate\n"
    );
}
