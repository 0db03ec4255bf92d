//! Clients whose messages are not as tmux's own: whatever they send, they end nobody but themselves.

use std::io::Write;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use rustix::process::{Pid, Signal, kill_process};

use crate::raw::kind::*;
use crate::raw::*;
use crate::support::topic::topic;
use crate::support::{Build, Control, Pane, Server, Terminal};

topic!("malformed":
    messages_of_a_wrong_size,
    strings_without_their_nul,
    lengths_that_no_message_has,
    commands_with_other_arguments_than_they_say,
    a_client_without_a_terminal_that_says_it_was_resized,
    files_that_end_twice,
    descriptors_that_nobody_asked_for,
    what_comes_behind_a_malformed_message_is_not_done,
    dropped_clients_leave_nothing_behind,
    messages_of_types_that_the_server_does_not_know_are_passed_over,
    clients_of_tmux_itself_are_served,
    random_messages,
);

fn messages_of_a_wrong_size(build: &Build) {
    while_somebody_waits(build, |server| {
        let fixed = [
            (FLAGS, 4),
            (LONGFLAGS, 8),
            (FEATURES, 4),
            (CLIENTPID, 4),
            (STDIN, 0),
            (STDOUT, 0),
            (DONE, 0),
        ];
        for (kind, right) in fixed {
            for size in [0, 1, right.max(1) - 1, right + 1, 1000] {
                if size != right {
                    let what = format!("type {kind} with {size} bytes");
                    dropped(server, &what, &message(kind, &vec![0; size]));
                }
            }
        }
        let later = [
            (COMMAND, 4, false),
            (EXITING, 0, true),
            (RESIZE, 0, true),
            (SHELL, 0, true),
            (UNLOCK, 0, true),
            (WAKEUP, 0, true),
            (READ, 4, false),
            (READ_DONE, 8, true),
            (WRITE_READY, 8, true),
        ];
        for (kind, right, longest) in later {
            let sizes = [0, 1, 3, 7, 9, 1000];
            for size in sizes
                .into_iter()
                .filter(|size| *size < right || (longest && *size > right))
            {
                let what = format!("type {kind} with {size} bytes");
                dropped(
                    server,
                    &what,
                    &[identity(), message(kind, &vec![0; size])].concat(),
                );
            }
        }
    });
}

fn strings_without_their_nul(build: &Build) {
    while_somebody_waits(build, |server| {
        for kind in [TERM, TERMINFO, TTYNAME, CWD, ENVIRON] {
            for string in [&b""[..], b"a", b"A=b", b"\0a", &[b'x'; 16_368]] {
                let what = format!("type {kind}, {} bytes", string.len());
                dropped(server, &what, &message(kind, string));
            }
        }
        dropped(
            server,
            "an argument",
            &[identity(), counted(1, b"list-sessions")].concat(),
        );
        dropped(
            server,
            "the last argument",
            &[identity(), counted(2, b"display-message\0-p")].concat(),
        );
    });
}

fn lengths_that_no_message_has(build: &Build) {
    while_somebody_waits(build, |server| {
        for length in [0, 1, 15, 16_385, 65_535] {
            for before in [
                &b""[..],
                &message(LONGFLAGS, &CONTROL.to_ne_bytes()),
                &identity(),
            ] {
                let what = format!("length {length} behind {} bytes", before.len());
                let bytes = [before, &with_length(TERM, length, b"a\0")].concat();
                dropped(server, &what, &bytes);
            }
        }
    });
}

fn commands_with_other_arguments_than_they_say(build: &Build) {
    while_somebody_waits(build, |server| {
        for count in [-1, i32::MIN, 1, 2, 3, 1000, 100_000, i32::MAX] {
            let what = format!("{count} arguments that are not there");
            dropped(server, &what, &[identity(), counted(count, b"")].concat());
            if count != 1 {
                let bytes = [identity(), counted(count, b"list-sessions\0")].concat();
                dropped(server, &what, &bytes);
            }
        }
        // As many as fit into a message, all of them empty: no such command, and no fault.
        let mut raw = Raw::connect(server, "empty arguments");
        raw.send(&[identity(), counted(16_364, &[0; 16_364])].concat());
        let said = raw.answer("empty arguments");
        assert!(!said.is_empty());
    });
}

fn a_client_without_a_terminal_that_says_it_was_resized(build: &Build) {
    while_somebody_waits(build, |server| {
        dropped(
            server,
            "at once",
            &[identity(), message(RESIZE, b"")].concat(),
        );
        let waits = command(WAITS);
        dropped(
            server,
            "while it waits",
            &[identity(), waits, message(RESIZE, b"")].concat(),
        );
    });
}

/// Waits for the command that runs. A client that goes meanwhile is forgotten, which `wait-for` would not do.
const WAITS: &[&str] = &["read-pane", "-w", "-t", "%0"];

/// Opens a pane that takes any bytes and does nothing with them.
fn sink(server: &Server) -> Pane<'_> {
    let pane = server.window(&[
        "sh",
        "-c",
        "stty raw -echo; echo ready; exec cat >/dev/null",
    ]);
    pane.until_output("ready");
    pane
}

/// Each end of a file frees it. The rest of the connection's bytes come in one read, before the first is freed.
fn files_that_end_twice(build: &Build) {
    while_somebody_waits(build, |server| {
        let path = server.folder().join("saved").display().to_string();
        server.tmux(&["set-buffer", "-b", "kept", "text"]);
        let sink = sink(server);
        let load = command(&["load-buffer", "-b", "loaded", "-"]);
        let write = command(&["write-pane", "-f", "-", "-t", &sink.id]);
        let save = command(&["save-buffer", "-b", "kept", &path]);
        let bad = with_length(READ, 3, b"");
        let ends = [
            (READ_DONE, 0),
            (READ_DONE, 5),
            (WRITE_READY, 0),
            (WRITE_READY, 5),
        ];
        let opened_by = [
            ("load", READ_OPEN, &load),
            ("write", READ_OPEN, &write),
            ("save", WRITE_OPEN, &save),
        ];
        for (name, opens, bytes) in opened_by {
            for first in ends {
                let seconds = ends.map(Some).into_iter().chain([None]);
                for second in seconds {
                    // tmux itself leaks a client that goes while load-buffer or save-buffer waits for it.
                    if second.is_none() && name != "write" && build.sanitized {
                        continue;
                    }
                    let what = format!("{name}: {first:?} and {second:?}");
                    let mut raw = Raw::connect(server, &what);
                    raw.send(&[&identity()[..], bytes].concat());
                    let opened = raw.until(opens, &what);
                    let stream = i32::from_ne_bytes(opened[..4].try_into().unwrap());
                    let mut both = about(first.0, stream, first.1);
                    match second {
                        Some((kind, error)) => both.extend(about(kind, stream, error)),
                        None => both.extend_from_slice(&bad),
                    }
                    raw.send(&both);
                    if second.is_some() {
                        raw.answer(&what);
                    } else {
                        raw.until_dropped(&what);
                    }
                    alive(server, &what);
                }
            }
        }
        server.tmux(&["kill-pane", "-t", &sink.id]);
        // A file that does end once.
        let mut raw = Raw::connect(server, "a good file");
        raw.send(&[identity(), load].concat());
        let opened = raw.until(READ_OPEN, "a good file");
        let stream = i32::from_ne_bytes(opened[..4].try_into().unwrap());
        raw.send(&message(
            READ,
            &[&stream.to_ne_bytes()[..], b"loaded"].concat(),
        ));
        raw.send(&about(READ_DONE, stream, 0));
        assert_eq!(raw.answer("a good file"), "");
        assert_eq!(server.tmux(&["show-buffer", "-b", "loaded"]), "loaded");
    });
}

/// They must be closed, while their client stays.
fn descriptors_that_nobody_asked_for(build: &Build) {
    while_somebody_waits(build, |server| {
        let file = std::fs::File::open("/dev/null").unwrap();
        let mut raw = Raw::connect(server, "connecting");
        alive(server, "connected");
        let files = server.open_files();
        for (kind, data) in IDENTITY {
            raw.send_with(build, kind, data, file.as_fd());
        }
        for kind in [1, DONE, 999] {
            raw.send_with(build, kind, b"", file.as_fd());
        }
        server.until_open_files(files);
        let arguments = [&2_i32.to_ne_bytes()[..], b"display-message\0-p\0"].concat();
        raw.send_with(build, COMMAND, &arguments, file.as_fd());
        assert!(raw.answer("a command").starts_with("[main] "));
    });
}

fn what_comes_behind_a_malformed_message_is_not_done(build: &Build) {
    while_somebody_waits(build, |server| {
        let sets = command(&["set-option", "-g", "@ran", "1"]);
        let bytes = [message(LONGFLAGS, b""), identity(), sets.clone()].concat();
        dropped(server, "at the beginning", &bytes);
        let bytes = [identity(), message(RESIZE, b"1"), sets.clone()].concat();
        dropped(server, "in the middle", &bytes);
        dropped(
            server,
            "in front",
            &[identity(), sets, message(RESIZE, b"1")].concat(),
        );
        assert_eq!(server.option("@ran"), "");
        // Without a client that is attached, 3.3a shows no messages.
        let mut control = Control::attach(server, &["-f", "no-output"]);
        let messages = control.ask("show-messages").lines.join("\n");
        for told in [
            "client unknown dropped: malformed message 111",
            "client client-1 dropped: malformed message 208",
        ] {
            assert!(messages.contains(told), "{messages}");
        }
    });
}

fn dropped_clients_leave_nothing_behind(build: &Build) {
    /// How many at a time.
    const CLIENTS: usize = 200;
    while_somebody_waits(build, |server| {
        // Who was dropped is told in a log that has an end.
        server.tmux(&["set-option", "-s", "message-limit", "10"]);
        let terminfo = message(TERMINFO, &[&[b'x'; 4000][..], b"\0"].concat());
        let bytes = [terminfo, identity(), message(DONE, b"")].concat();
        let mut memory = Vec::new();
        for _ in 0..6 {
            for _ in 0..CLIENTS {
                dropped(server, "one of many", &bytes);
            }
            memory.push(server.memory());
        }
        // A client that stays would cost 8 KiB and more, in each round.
        server.assert_grows_less(&memory, 2 * CLIENTS as u64);
    });
}

fn messages_of_types_that_the_server_does_not_know_are_passed_over(build: &Build) {
    while_somebody_waits(build, |server| {
        let mut raw = Raw::connect(server, "unknown types");
        for kind in [0, 1, 13, 99, 103, 113, 219, 299, 310, 1000, u32::MAX] {
            raw.send(&message(kind, b"anything"));
        }
        raw.send(&identity());
        for kind in [0, 1, 13, 99, 113, 219, 299, 310, 1000, u32::MAX] {
            raw.send(&message(kind, b"anything"));
        }
        // A stream that is not open is not theirs to know either.
        for kind in [READ, READ_DONE, WRITE_READY] {
            raw.send(&about(kind, 12_345, 0));
        }
        raw.send(&command(&["display-message", "-p", "served"]));
        assert_eq!(raw.answer("unknown types"), "served\n");
    });
}

fn clients_of_tmux_itself_are_served(build: &Build) {
    while_somebody_waits(build, |server| {
        assert_eq!(
            server
                .run_with(&["load-buffer", "-b", "b", "-"], b"text")
                .ok(),
            b""
        );
        let saved = server.folder().join("saved");
        server.tmux(&["save-buffer", "-b", "b", &saved.display().to_string()]);
        server.tmux(&["save-buffer", "-a", "-b", "b", &saved.display().to_string()]);
        assert_eq!(std::fs::read_to_string(saved).unwrap(), "texttext");
        assert_eq!(server.run(&["save-buffer", "-b", "b", "-"]).ok(), b"text");
        let missing = server.run(&["load-buffer", "/nonexistent/file"]);
        assert_eq!(missing.status, 1);
        assert!(missing.err.contains("/nonexistent/file"), "{}", missing.err);
        // The shell is the client's own from then on.
        assert_eq!(server.tmux(&["-c", "echo from a shell"]), "from a shell");

        let mut control = Control::attach(server, &[]);
        assert_eq!(
            control
                .ask("display-message -p '#{client_control_mode}'")
                .lines,
            ["1"]
        );
        let terminal = Terminal::attach(server, &[]);
        let name = terminal.name(server);
        let pid = Pid::from_raw(i32::try_from(terminal.pid()).unwrap()).unwrap();
        for signal in [Signal::WINCH, Signal::CONT, Signal::WINCH] {
            kill_process(pid, signal).unwrap();
        }
        server.tmux(&["suspend-client", "-t", &name]);
        server.tmux(&["set-option", "-g", "lock-command", "true"]);
        server.tmux(&["lock-client", "-t", &name]);
        server.wait_until("the client to draw again", || {
            // It stops when it comes to that, which may be after it was told to go on.
            kill_process(pid, Signal::CONT).unwrap();
            let drawn = terminal.drawn().len();
            server.tmux(&["refresh-client", "-t", &name]);
            if terminal.drawn().len() > drawn {
                Ok(())
            } else {
                Err("nothing".to_owned())
            }
        });
        server.tmux(&["detach-client", "-t", &name]);
        server.wait_until("the client to be detached", || {
            kill_process(pid, Signal::CONT).unwrap();
            let clients = server.tmux(&["list-clients", "-F", "#{client_name}"]);
            if clients.lines().any(|line| line == name) {
                Err(clients)
            } else {
                Ok(())
            }
        });
        let messages = control.ask("show-messages").lines.join("\n");
        assert!(!messages.contains("malformed"), "{messages}");
    });
}

/// Messages as they come in order, and worse.
fn anything(sink: &Pane<'_>) -> impl Strategy<Value = Vec<u8>> + use<> {
    let kinds = (100..=113_u32)
        .chain(200..=218)
        .chain(300..=309)
        .chain([0, 12]);
    let kind = select(kinds.collect::<Vec<_>>());
    let data = prop_oneof![
        vec(any::<u8>(), 0..40),
        (1..40_i32, 0..2_i32).prop_map(|(stream, error)| about(0, stream, error)[16..].to_vec()),
        select(vec![&b"\0"[..], b"a\0", b"A=b\0", &[0; 4], &[0; 8]]).prop_map(<[u8]>::to_vec),
    ];
    let whole = (kind.clone(), data.clone()).prop_map(|(kind, data)| message(kind, &data));
    let lying = (kind, 0..20_000_u32, data)
        .prop_map(|(kind, length, data)| with_length(kind, length, &data));
    let good = select(vec![
        identity(),
        identity_with(UTF8 | CONTROL),
        message(DONE, b""),
        command(&["display-message", "-p", "text"]),
        command(&["list-sessions"]),
        command(&["write-pane", "-f", "-", "-t", &sink.id]),
        command(&["save-buffer", "-b", "random", "-"]),
        command(WAITS),
    ]);
    prop_oneof![4 => whole, 1 => lying, 4 => good]
}

fn random_messages(build: &Build) {
    while_somebody_waits(build, |server| {
        // The same messages each time: what fails here fails again.
        let config = Config {
            cases: 400,
            max_shrink_iters: 0,
            failure_persistence: None,
            ..Config::default()
        };
        let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
        let mut runner = TestRunner::new_with_rng(config, rng);
        let sink = sink(server);
        let client = (any::<bool>(), vec(anything(&sink), 1..12));
        let result = runner.run(&client, |(identified, messages)| {
            let what = format!("{messages:?}");
            let mut raw = UnixStream::connect(server.socket())
                .map_err(|error| TestCaseError::fail(format!("the server is gone: {error}")))?;
            if identified {
                let _ = raw.write_all(&identity());
            }
            for bytes in messages {
                let _ = raw.write_all(&bytes);
            }
            drop(raw);
            alive(server, &what);
            Ok(())
        });
        if let Err(error) = result {
            panic!("{error}");
        }
        server.tmux(&["kill-pane", "-t", &sink.id]);
    });
}
