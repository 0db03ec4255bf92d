//! Hundreds of panes: the server's loop leaves quiet ones alone for a moment, and nothing is lost by that.

use crate::support::topic::topic;
use crate::support::{Build, Server};

topic!("panes":
    output_of_one_among_many_is_exact,
    one_among_many_is_resized,
    a_window_among_many_is_named_after_its_program,
);

/// More than are visited as ever.
const MANY: usize = 80;

fn many(build: &Build) -> Server {
    let server = Server::start(build);
    for _ in 1..MANY {
        server.window(&["exec sleep 1000"]);
    }
    server
}

fn output_of_one_among_many_is_exact(build: &Build) {
    let server = many(build);
    let pane = server.shell();
    let expected: String = (1..=20_000).map(|number| format!("{number}\n")).collect();
    for _ in 0..3 {
        let id = pane.submit("seq 1 20000");
        let read = server.tmux(&["read-pane", "-w", "-O", "-i", &id, "-t", &pane.id]);
        assert!(read == expected.trim_end(), "{} bytes", read.len());
    }
}

fn one_among_many_is_resized(build: &Build) {
    let server = many(build);
    let pane = server.shell();
    for (columns, rows) in [("100", "30"), ("70", "20")] {
        let size = ["-x", columns, "-y", rows, "-t", pane.id.as_str()];
        server.tmux(&[&["resize-window"], &size[..]].concat());
        server.wait_until("the terminal to have its size", || {
            let id = pane.submit("stty size");
            let read = server.tmux(&["read-pane", "-w", "-O", "-i", &id, "-t", &pane.id]);
            match read == format!("{rows} {columns}") {
                true => Ok(()),
                false => Err(read),
            }
        });
    }
}

fn a_window_among_many_is_named_after_its_program(build: &Build) {
    let server = many(build);
    let pane = server.shell();
    server.tmux(&["set-option", "-w", "-t", &pane.id, "automatic-rename", "on"]);
    pane.submit("sleep 1000");
    server.wait_until("the name", || {
        let name = server.tmux(&["display-message", "-p", "-t", &pane.id, "#{window_name}"]);
        match name.as_str() {
            "sleep" => Ok(()),
            _ => Err(name),
        }
    });
}
