//! Marks that come otherwise than from our integration, through the commands.
//!
//! The pane runs a program that gives back what is written to it: so a trial says what the stream is.

use crate::support::topic::topic;
use crate::support::{Build, Pane, Server};

topic!("marks":
    start_up_is_no_command,
    a_prompt_tool_that_never_sends_c_is_understood,
    a_shell_that_tells_its_command_line_is_understood,
    a_prompt_without_d_closes_the_command,
    a_bare_d_is_cancelled_and_never_a_zero,
    a_status_that_is_none_is_not_known,
    every_end_of_a_mark_is_taken,
    marks_come_byte_by_byte,
    only_the_panes_own_marks_count_once_they_came,
);

/// A pane whose stream is what is written to it.
fn echoing(server: &Server) -> Pane<'_> {
    let pane = server.window(&["sh", "-c", "stty raw -echo; printf ready; exec cat"]);
    pane.until_output("ready");
    pane.until("#{pane_foreground}", "cat");
    pane.read(&["-C"]).ok();
    pane
}

/// Puts bytes into the stream; a mark is written as its letter and the rest in angle brackets.
#[track_caller]
fn put(pane: &Pane, text: &str) {
    let bytes = text.replace('<', "\x1b]133;").replace('>', "\x07");
    put_raw(pane, bytes.as_bytes());
}

#[track_caller]
fn put_raw(pane: &Pane, bytes: &[u8]) {
    let total = || {
        pane.expand("#{pane_stream_total}")
            .parse::<usize>()
            .unwrap()
    };
    let before = total();
    pane.write(&["-n"], bytes).ok();
    pane.until("#{pane_stream_total}", &(before + bytes.len()).to_string());
}

/// What is told of each command.
const FACTS: &str = "#{command_ended} #{command_status} #{command_flags} #{command_line}";

/// Case C1.
fn start_up_is_no_command(build: &Build) {
    let server = Server::start(build);
    let pane = echoing(&server);
    put(&pane, "<C><D;0><A><C><B><B>");
    assert_eq!(pane.text(&["-l"]), "");
    assert_eq!(
        pane.expand("#{pane_command_state} #{pane_command_id}#{pane_last_exit_code}"),
        "idle "
    );
}

/// Case C5.
fn a_prompt_tool_that_never_sends_c_is_understood(build: &Build) {
    let server = Server::start(build);
    let pane = echoing(&server);
    put(&pane, "<A>$ <B>");
    put(&pane, "ls\r\n");
    put(&pane, "out\r\n<D;0><A>$ <B>");
    assert_eq!(
        pane.text(&["-l", "-F", FACTS]),
        "exited 0 c-missing,finished \n"
    );
    assert_eq!(pane.text(&["-O"]), "out\n");
}

/// Case C6.
fn a_shell_that_tells_its_command_line_is_understood(build: &Build) {
    let server = Server::start(build);
    let pane = echoing(&server);
    put(&pane, "<A>$ ls<C;cmdline_url=ls%20-l>out\r\n<D;0><A>$ ");
    assert_eq!(pane.text(&["-l", "-F", FACTS]), "exited 0 finished ls -l\n");
    assert_eq!(pane.expand("#{pane_command_line}"), "ls -l");
    assert_eq!(pane.text(&["-O"]), "out\n");
}

/// Case T2.
fn a_prompt_without_d_closes_the_command(build: &Build) {
    let server = Server::start(build);
    let pane = echoing(&server);
    put(&pane, "<C>out\r\n");
    assert_eq!(pane.expand("#{pane_command_state}"), "running");
    put(&pane, "<A>$ <B>");
    assert_eq!(pane.expand("#{pane_command_state}"), "idle");
    assert_eq!(pane.text(&["-l", "-F", FACTS]), "lost  finished \n");
    pane.read(&["-E", "-O"])
        .failed(125, "command has no exit status: lost");
}

/// Case C15.
fn a_bare_d_is_cancelled_and_never_a_zero(build: &Build) {
    let server = Server::start(build);
    let pane = echoing(&server);
    put(&pane, "<A>$ <B>sleep 9\r\n<C>^C<D><A>$ <B>");
    let ended = pane.read(&["-E", "-O"]);
    ended.failed(125, "command has no exit status: cancelled");
    assert_eq!(ended.text(), "^C");
    assert_eq!(pane.text(&["-l", "-F", FACTS]), "cancelled  finished \n");
    assert_eq!(
        pane.expand("#{pane_command_status}#{pane_last_exit_code}"),
        ""
    );
}

/// Case T8.
fn a_status_that_is_none_is_not_known(build: &Build) {
    let server = Server::start(build);
    let pane = echoing(&server);
    put(&pane, "<A>$ <B>");
    for status in ["-1", "300", "256", "x", "99999999999999999999", "1x", " 1"] {
        put(&pane, &format!("<C>out<D;{status}><A>$ <B>"));
        pane.read(&["-E", "-O"])
            .failed(125, "command has no exit status: exited");
        assert_eq!(pane.expand("#{pane_command_status}"), "", "{status}");
    }
    put(&pane, "<C>out<D;255><A>$ <B>");
    assert_eq!(pane.read(&["-E", "-O"]).status, 255);
}

/// Case C17.
fn every_end_of_a_mark_is_taken(build: &Build) {
    let server = Server::start(build);
    let pane = echoing(&server);
    for end in [&b"\x07"[..], b"\x1b\\", b"\x9c"] {
        let mut bytes = Vec::new();
        for part in ["A", "B", "C", "", "D;3", "A", "B"] {
            if part.is_empty() {
                // The last byte of this end is inside a character, and ends nothing.
                bytes.extend_from_slice(b"\xe2\x9c\x9c ok\r\n");
            } else {
                bytes.extend_from_slice(b"\x1b]133;");
                bytes.extend_from_slice(part.as_bytes());
                bytes.extend_from_slice(end);
            }
        }
        put_raw(&pane, &bytes);
        assert_eq!(pane.text(&["-O"]), "\u{271c} ok\n", "{end:?}");
        assert_eq!(pane.expand("#{pane_command_status}"), "3");
    }
    assert_eq!(pane.text(&["-l"]).lines().count(), 3);
}

/// Case C18.
fn marks_come_byte_by_byte(build: &Build) {
    let server = Server::start(build);
    let pane = echoing(&server);
    for byte in b"\x1b]133;A\x07$ \x1b]133;B\x1b\\\x1b]133;C\x07o\x1b]133;D;4\x07\x1b]133;A\x07" {
        put_raw(&pane, &[*byte]);
    }
    assert_eq!(pane.text(&["-l", "-F", FACTS]), "exited 4 finished \n");
    assert_eq!(pane.text(&["-O"]), "o");
}

/// Cases C13 (b) and C22.
fn only_the_panes_own_marks_count_once_they_came(build: &Build) {
    let server = Server::start(build);
    let pane = echoing(&server);
    let nonce = pane.expand("#{pane_nonce}");
    assert_eq!(nonce.len(), 32);
    assert_eq!(pane.expand("#{pane_integrated}"), "0");
    let ours = |text: &str| text.replace('>', &format!(";aid={nonce}>"));
    put(&pane, &ours("<A>$ <B>"));
    assert_eq!(
        pane.expand("#{pane_integrated} #{pane_command_state}"),
        "1 idle"
    );
    put(&pane, &ours("ssh there\r\n<C>"));
    put(&pane, "<A>$ <B>ls\r\n<C>out\r\n<D;9><A>$ <B>");
    put(&pane, "<C;aid=another>more<D;8;aid=another>\r\n");
    assert_eq!(
        pane.expand("#{pane_command_state} #{pane_nested}"),
        "running 1"
    );
    put(&pane, &ours("<D;2><A>$ <B>"));
    assert_eq!(
        pane.text(&["-l", "-F", FACTS]),
        "exited 2 foreign,finished \n"
    );
    assert_eq!(pane.text(&["-O"]), "$ ls\nout\n$ more\n");
}
