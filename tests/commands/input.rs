//! Standard input that comes behind the command, before it is asked for.

use std::path::Path;

use crate::raw::kind::*;
use crate::raw::*;
use crate::support::topic::topic;
use crate::support::{Build, Server};
use crate::writing::recorder;

topic!("input":
    input_behind_the_command_is_written_without_a_question,
    what_comes_twice_counts_once,
    a_second_command_asks,
    what_comes_behind_the_question_is_thrown_away,
    commands_of_tmux_ask_as_ever,
    clients_that_go_leave_nothing_behind,
);

/// Makes the message of a client that was not asked.
fn early(data: &[u8]) -> Vec<u8> {
    message(READ, &[&[0; 4], data].concat())
}

/// Waits until a file ends with these bytes, and returns all of it.
fn received(server: &Server, path: &Path, end: &[u8]) -> Vec<u8> {
    server.wait_until(&format!("the end of {}", path.display()), || {
        let bytes = std::fs::read(path).unwrap_or_default();
        if bytes.ends_with(end) {
            Ok(bytes)
        } else {
            Err(format!("{bytes:?}"))
        }
    })
}

/// Fails where the client is asked for its input before its command ends. Returns what was written.
#[track_caller]
fn unasked(raw: &mut Raw, what: &str) -> Vec<u8> {
    let mut written = Vec::new();
    loop {
        match raw.next(what) {
            Some((EXIT, data)) => {
                assert_eq!(data, 0_i32.to_ne_bytes(), "{what}: its status");
                return written;
            }
            Some((READ_OPEN, _)) => panic!("{what}: it is asked"),
            Some((WRITE, data)) => written.extend_from_slice(&data[4..]),
            Some(_) => {}
            None => panic!("{what}: the server closed the connection"),
        }
    }
}

/// Waits for the question for the standard input, and returns the stream that it is to come by.
fn asked(raw: &mut Raw, what: &str) -> i32 {
    let open = raw.until(READ_OPEN, what);
    i32::from_ne_bytes(open[..4].try_into().unwrap())
}

/// Answers that question.
fn answer(raw: &mut Raw, stream: i32, data: &[u8]) {
    raw.send(&message(READ, &[&stream.to_ne_bytes(), data].concat()));
    raw.send(&about(READ_DONE, stream, 0));
}

fn input_behind_the_command_is_written_without_a_question(build: &Build) {
    let server = Server::start(build);
    let path = server.folder().join("got");
    let pane = recorder(&server, &path);
    let every: Vec<u8> = (0..=255).collect();
    let longest = vec![b'x'; 16_364];
    let texts: [&[u8]; 5] = [&every, b"", b";", &longest, b"a\nb"];
    let mut all = Vec::new();
    for text in texts {
        let what = format!("{} bytes", text.len());
        let mut raw = Raw::connect(&server, &what);
        let write = ["write-pane", "-n", "-f", "-", "-t", &pane.id];
        raw.send(&[identity(), command(&write), early(text)].concat());
        unasked(&mut raw, &what);
        all.extend_from_slice(text);
    }
    assert_eq!(received(&server, &path, b"a\nb"), all);

    // A submission, as `run` sends it.
    let shell = server.shell();
    let mut raw = Raw::connect(&server, "run");
    let run = [
        "write-pane",
        "-e",
        "-i",
        "-f",
        "-",
        "-t",
        &shell.id,
        ";",
        "read-pane",
        "-w",
        "-O",
        "-t",
        &shell.id,
    ];
    raw.send(&[identity(), command(&run), early(b"echo one;")].concat());
    assert_eq!(unasked(&mut raw, "run"), b"one\n");
}

fn what_comes_twice_counts_once(build: &Build) {
    let server = Server::start(build);
    let path = server.folder().join("got");
    let pane = recorder(&server, &path);
    let mut raw = Raw::connect(&server, "twice");
    let write = ["write-pane", "-n", "-f", "-", "-t", &pane.id];
    raw.send(
        &[
            identity(),
            command(&write),
            early(b"first."),
            early(b"second"),
        ]
        .concat(),
    );
    unasked(&mut raw, "twice");
    server.tmux(&["write-pane", "-n", "-t", &pane.id, "end"]);
    assert_eq!(received(&server, &path, b"end"), b"first.end");
}

fn a_second_command_asks(build: &Build) {
    let server = Server::start(build);
    let path = server.folder().join("got");
    let pane = recorder(&server, &path);
    let mut raw = Raw::connect(&server, "two");
    let write = ["write-pane", "-n", "-f", "-", "-t", &pane.id];
    let both = [&write[..], &[";"], &write[..]].concat();
    raw.send(&[identity(), command(&both), early(b"first.")].concat());
    let stream = asked(&mut raw, "two");
    answer(&mut raw, stream, b"second.");
    unasked(&mut raw, "two");
    assert_eq!(received(&server, &path, b"second."), b"first.second.");
}

/// A message that was sent in time may come in two parts.
fn what_comes_behind_the_question_is_thrown_away(build: &Build) {
    let server = Server::start(build);
    let path = server.folder().join("got");
    let pane = recorder(&server, &path);
    let mut raw = Raw::connect(&server, "late");
    let write = ["write-pane", "-n", "-f", "-", "-t", &pane.id];
    let both = [&write[..], &[";"], &write[..]].concat();
    raw.send(&[identity(), command(&both)].concat());
    let stream = asked(&mut raw, "late");
    raw.send(&early(b"late."));
    answer(&mut raw, stream, b"first.");
    let stream = asked(&mut raw, "late");
    answer(&mut raw, stream, b"second.");
    unasked(&mut raw, "late");
    assert_eq!(received(&server, &path, b"second."), b"first.second.");
}

fn commands_of_tmux_ask_as_ever(build: &Build) {
    let server = Server::start(build);
    let mut raw = Raw::connect(&server, "load-buffer");
    let load = ["load-buffer", "-b", "b", "-", ";", "show-buffer", "-b", "b"];
    raw.send(&[identity(), command(&load), early(b"early")].concat());
    let stream = asked(&mut raw, "load-buffer");
    answer(&mut raw, stream, b"asked");
    assert_eq!(raw.answer("load-buffer"), "asked");
}

fn clients_that_go_leave_nothing_behind(build: &Build) {
    const CLIENTS: usize = 200;
    let server = Server::start(build);
    let files = server.open_files();
    let text = vec![b'x'; 16_000];
    let mut memory = Vec::new();
    for _ in 0..5 {
        for _ in 0..CLIENTS {
            let mut raw = Raw::connect(&server, "a client that goes");
            raw.send(&[identity(), command(&["display-message"]), early(&text)].concat());
        }
        server.until_open_files(files);
        memory.push(server.memory());
    }
    alive(&server, "clients that have gone");
    // What was kept would be 16 KiB each, in each round.
    server.assert_grows_less(&memory, 8 * CLIENTS as u64);
}
