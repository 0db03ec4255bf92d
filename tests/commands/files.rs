//! Control clients whose input or output is a file: epoll takes none, so each is behind a socket.

use std::fs::File;
use std::process::{Command, ExitStatus, Stdio};

use crate::support::topic::topic;
use crate::support::{Build, Server};

topic!("files":
    an_input_that_is_empty_ends_a_control_client,
    what_a_control_client_writes_is_in_its_file_when_it_has_ended,
    what_is_left_when_the_server_is_killed_is_in_the_file_too,
    a_file_does_not_stay_open,
);

/// So many that they take several reads, and their answers several writes.
const LINES: usize = 2000;

fn control(server: &Server) -> Command {
    let mut command = server.command();
    command.args(["-C", "attach-session", "-t", "main"]);
    command
}

/// Waits until a client has ended.
fn ended(server: &Server, mut command: Command) -> ExitStatus {
    let mut child = command.stderr(Stdio::inherit()).spawn().unwrap();
    server.wait_until("a control client to end", || {
        child
            .try_wait()
            .unwrap()
            .ok_or_else(|| "it runs".to_owned())
    })
}

/// Writes a file of commands and opens it.
fn commands(server: &Server, last: &str) -> File {
    let path = server.folder().join("commands");
    let mut text: String = (0..LINES)
        .map(|number| format!("display-message -p 'line {number} of many that are written'\n"))
        .collect();
    text += last;
    std::fs::write(&path, text).unwrap();
    File::open(path).unwrap()
}

/// The answers, in order and none missing.
#[track_caller]
fn all(output: &str) {
    let lines: Vec<_> = output
        .lines()
        .filter(|line| line.starts_with("line "))
        .collect();
    let expected: Vec<_> = (0..LINES)
        .map(|number| format!("line {number} of many that are written"))
        .collect();
    assert_eq!(lines, expected);
}

fn an_input_that_is_empty_ends_a_control_client(build: &Build) {
    let server = Server::start(build);
    let mut command = control(&server);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    assert!(ended(&server, command).success());
}

fn what_a_control_client_writes_is_in_its_file_when_it_has_ended(build: &Build) {
    let server = Server::start(build);
    let path = server.folder().join("output");
    let mut command = control(&server);
    command
        .stdin(commands(&server, ""))
        .stdout(File::create(&path).unwrap());
    assert!(ended(&server, command).success());
    let output = std::fs::read_to_string(path).unwrap();
    all(&output);
    assert!(output.ends_with("%exit\n"), "{output:?}");
}

fn what_is_left_when_the_server_is_killed_is_in_the_file_too(build: &Build) {
    let mut server = Server::start(build);
    let path = server.folder().join("output");
    let mut command = control(&server);
    command
        .stdin(commands(&server, "kill-server\n"))
        .stdout(File::create(&path).unwrap());
    assert!(ended(&server, command).success());
    assert_eq!(server.ended(), Some(0));
    all(&std::fs::read_to_string(path).unwrap());
}

fn a_file_does_not_stay_open(build: &Build) {
    let server = Server::start(build);
    let before = server.open_files();
    for _ in 0..5 {
        let mut command = control(&server);
        command
            .stdin(commands(&server, ""))
            .stdout(File::create(server.folder().join("output")).unwrap());
        assert!(ended(&server, command).success());
    }
    server.until_open_files(before);
}
