//! Clients that do not say who they are as tmux's own do: they end nobody but themselves.

use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::OpenptFlags;

use crate::raw::kind::*;
use crate::raw::*;
use crate::support::topic::topic;
use crate::support::{Build, Control, Gate, Server};

topic!("identifying":
    a_client_that_leaves_while_it_identifies_itself,
    a_control_client_that_never_says_who_it_is,
    a_server_exits_beside_a_client_that_never_says_who_it_is,
    a_client_that_identifies_itself_twice,
    messages_that_come_twice,
    a_client_that_leaves_something_out,
    a_client_in_a_terminal_of_which_it_says_nothing,
    a_control_client_without_a_descriptor,
    messages_of_a_client_that_has_not_identified_itself,
    flags_that_are_the_servers_own,
    a_first_client_that_leaves_while_the_configuration_is_read,
);

fn a_client_that_leaves_while_it_identifies_itself(build: &Build) {
    while_somebody_waits(build, |server| {
        for flags in [UTF8, UTF8 | CONTROL, u64::MAX] {
            let all = identity_with(flags);
            let mut ends: Vec<usize> = vec![0, 3];
            let mut at = 0;
            while at < all.len() {
                // The last byte of a message is missing, or none is.
                at += usize::from(all[at + 4]);
                ends.extend([at - 1, at]);
            }
            for end in ends {
                let what = format!("flags {flags:#x}, {end} bytes");
                let mut raw = Raw::connect(server, &what);
                raw.send(&all[..end]);
                drop(raw);
                alive(server, &what);
            }
        }
    });
}

/// What control clients are told of must not be told to one that is none yet.
fn a_control_client_that_never_says_who_it_is(build: &Build) {
    while_somebody_waits(build, |server| {
        for kind in [FLAGS, LONGFLAGS] {
            let mut raw = Raw::connect(server, "connecting");
            let flags = &(UTF8 | CONTROL).to_ne_bytes()[..if kind == FLAGS { 4 } else { 8 }];
            raw.send(&message(kind, flags));
            alive(server, "its flags");
            let name = format!("w{kind}");
            server.tmux(&["new-session", "-d", "-s", &name, "cat"]);
            alive(server, "a new session");
            server.tmux(&["rename-session", "-t", &name, "renamed"]);
            alive(server, "a session that was renamed");
            server.tmux(&["kill-session", "-t", "renamed"]);
            alive(server, "a session that is gone");
            drop(raw);
            alive(server, "it has left");
        }
    });
}

fn a_server_exits_beside_a_client_that_never_says_who_it_is(build: &Build) {
    let mut server = Server::start(build);
    let mut raw = Raw::connect(&server, "connecting");
    raw.send(&message(LONGFLAGS, &(UTF8 | CONTROL).to_ne_bytes()));
    alive(&server, "its flags");
    server.tmux(&["kill-server"]);
    raw.until(SHUTDOWN, "the end of the server");
    drop(raw);
    assert_eq!(server.ended(), Some(0));
}

fn a_client_that_identifies_itself_twice(build: &Build) {
    while_somebody_waits(build, |server| {
        dropped(server, "all of it", &identity().repeat(2));
        dropped(
            server,
            "the end of it",
            &[identity(), message(DONE, b"")].concat(),
        );
        let others = [
            (FLAGS, &[0; 4][..]),
            (FEATURES, &[0; 4]),
            (TERMINFO, b"a=b\0"),
            (STDIN, b""),
            (STDOUT, b""),
        ];
        for (kind, data) in IDENTITY.into_iter().chain(others) {
            let what = format!("type {kind}");
            dropped(server, &what, &[identity(), message(kind, data)].concat());
        }
        // With a command that waits, which goes with its client.
        let waits = [
            "read-pane",
            "-w",
            "-t",
            "%0",
            ";",
            "set-option",
            "-g",
            "@ran",
            "1",
        ];
        let bytes = [identity(), command(&waits), message(DONE, b"")].concat();
        dropped(server, "while it waits", &bytes);
        assert_eq!(server.option("@ran"), "");
    });
}

/// What a client has said would stay behind when it says something else.
fn messages_that_come_twice(build: &Build) {
    while_somebody_waits(build, |server| {
        for kind in [TERM, TTYNAME, CWD] {
            let what = format!("type {kind}");
            dropped(server, &what, &message(kind, b"/\0").repeat(2));
        }
        let file = std::fs::File::open("/dev/null").unwrap();
        for kind in [STDIN, STDOUT] {
            let what = format!("type {kind}");
            let mut raw = Raw::connect(server, &what);
            raw.send_with(build, kind, b"", file.as_fd());
            raw.send_with(build, kind, b"", file.as_fd());
            raw.until_dropped(&what);
            alive(server, &what);
        }
    });
}

/// What a client is called stands in the log, before its command.
fn a_client_that_leaves_something_out(build: &Build) {
    while_somebody_waits(build, |server| {
        for (missing, name) in [
            (TTYNAME, "client-1"),
            (TERM, "client-1"),
            (CWD, "client-1"),
            (ENVIRON, "client-1"),
            (LONGFLAGS, "client-1"),
            (CLIENTPID, "client-0"),
        ] {
            let what = format!("without type {missing}");
            let text = format!("left-out-{missing}");
            let mut raw = Raw::connect(server, &what);
            raw.send(&identity_without(missing));
            raw.send(&command(&["display-message", "-p", &text]));
            assert_eq!(raw.answer(&what), format!("{text}\n"), "{what}");
            drop(raw);
            alive(server, &what);
            let mut control = Control::attach(server, &["-f", "no-output"]);
            let messages = control.ask("show-messages").lines.join("\n");
            let told = format!("{name} command: display-message -p {text}");
            assert!(messages.contains(&told), "{told}: {messages}");
        }
        let mut raw = Raw::connect(server, "nothing");
        let ask = command(&["display-message", "-p", "served"]);
        raw.send(&[message(DONE, b""), ask].concat());
        assert_eq!(raw.answer("nothing"), "served\n");
    });
}

fn a_client_in_a_terminal_of_which_it_says_nothing(build: &Build) {
    while_somebody_waits(build, |server| {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = rustix::pty::openpt(flags).unwrap();
        rustix::pty::grantpt(&master).unwrap();
        rustix::pty::unlockpt(&master).unwrap();
        let name = rustix::pty::ptsname(&master, Vec::new()).unwrap();
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let slave = open(&name, flags, Mode::empty()).unwrap();
        for missing in [TTYNAME, TERM] {
            let what = format!("without type {missing}");
            let mut raw = Raw::connect(server, &what);
            raw.send_with(build, STDIN, b"", slave.as_fd());
            raw.send_with(build, STDOUT, b"", slave.as_fd());
            raw.send(&identity_without(missing));
            raw.send(&command(&["attach-session", "-t", "main"]));
            let said = raw.answer(&what);
            assert!(said.contains("open terminal failed: "), "{what}: {said}");
            drop(raw);
            alive(server, &what);
        }
    });
}

fn a_control_client_without_a_descriptor(build: &Build) {
    while_somebody_waits(build, |server| {
        let attach = command(&["attach-session", "-t", "main"]);
        dropped(
            server,
            "in control mode",
            &[identity_with(UTF8 | CONTROL), attach].concat(),
        );
        server.tmux(&["rename-session", "-t", "main", "renamed"]);
        alive(server, "a session that was renamed");
    });
}

fn messages_of_a_client_that_has_not_identified_itself(build: &Build) {
    while_somebody_waits(build, |server| {
        let early = [
            (
                COMMAND,
                command(&["display-message", "-p", "#{client_name}"]),
            ),
            (EXITING, message(EXITING, b"")),
            (RESIZE, message(RESIZE, b"")),
            (SHELL, message(SHELL, b"")),
            (UNLOCK, message(UNLOCK, b"")),
            (WAKEUP, message(WAKEUP, b"")),
            (READ, about(READ, 3, 0)),
            (READ_DONE, about(READ_DONE, 3, 0)),
            (WRITE_READY, about(WRITE_READY, 3, 0)),
        ];
        for (kind, bytes) in early {
            let what = format!("type {kind}");
            dropped(server, &what, &bytes);
            let flags = message(LONGFLAGS, &(UTF8 | CONTROL).to_ne_bytes());
            dropped(server, &what, &[flags, bytes, identity()].concat());
        }
    });
}

/// A client says what it understands. Where it stands, and what it may do, the server knows.
fn flags_that_are_the_servers_own(build: &Build) {
    while_somebody_waits(build, |server| {
        for flags in (0..64).map(|bit| 1_u64 << bit).chain([u64::MAX]) {
            for kind in [FLAGS, LONGFLAGS] {
                let what = format!("flags {flags:#x} in type {kind}");
                let size = if kind == FLAGS { 4 } else { 8 };
                let mut raw = Raw::connect(server, &what);
                raw.send(&message(kind, &flags.to_ne_bytes()[..size]));
                raw.send(&identity());
                // A client that may only read could not set it; one that is gone or attached had no answer.
                let set = ["set-option", "-g", "@set", &what, ";"];
                raw.send(&command(
                    &[&set[..], &["display-message", "-p", "#{@set}"]].concat(),
                ));
                // Control mode is theirs to ask for, but not without a descriptor.
                if flags & CONTROL != 0 {
                    raw.until_dropped(&what);
                } else {
                    assert_eq!(raw.answer(&what), format!("{what}\n"));
                }
                alive(server, &what);
            }
        }
    });
}

/// A server that is killed when it is dropped.
struct Second(Child);

impl Drop for Second {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The configuration is read in the folder of the first client, on a server of its own here.
fn a_first_client_that_leaves_while_the_configuration_is_read(build: &Build) {
    let server = Server::start(build);
    for missing in [0, CWD] {
        let what = format!("without type {missing}");
        let file = |name: &str| server.folder().join(format!("{name}{missing}"));
        let (socket, begun, done) = (file("socket"), file("begun"), file("done"));
        let gate = Gate::new(&server, &format!("gate{missing}"));
        let config = format!(
            "run-shell 'touch {}; read -r line < {}'\nrun-shell 'touch {}'\nnew-session -d cat\n",
            begun.display(),
            gate.path(),
            done.display()
        );
        std::fs::write(file("config"), config).unwrap();
        let client = server.command();
        let environment = || {
            client
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?)))
        };
        let second = Command::new(&build.program)
            .args(["-D", "-S"])
            .arg(&socket)
            .arg("-f")
            .arg(file("config"))
            .env_clear()
            .envs(environment())
            .current_dir(server.folder())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut second = Second(second);
        server.wait_until("the socket", || {
            UnixStream::connect(&socket).map_err(|error| error.to_string())
        });
        let files =
            || std::fs::read_dir(format!("/proc/{}/fd", second.0.id())).map(Iterator::count);
        let mut raw = Raw::connect_to(&socket, &what);
        raw.send(&identity_without(missing));
        server.wait_until("the configuration to be read", || {
            if begun.exists() {
                Ok(())
            } else {
                Err("it is not".to_owned())
            }
        });
        let with_client = files().unwrap();
        drop(raw);
        server.wait_until("the client to be lost", || {
            match files() {
                Ok(count) if count >= with_client => Err(format!("{count} files")),
                // A server that is gone is found below.
                _ => Ok(()),
            }
        });
        // Whoever comes now has the configuration read once more, so the gate stays open.
        let key = open(gate.path(), OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()).unwrap();
        rustix::io::write(&key, &[b'\n'; 100]).unwrap();
        server.wait_until("the configuration to be read on", || {
            if done.exists() {
                Ok(())
            } else {
                Err("it is not".to_owned())
            }
        });
        let mut raw = Raw::connect_to(&socket, &what);
        raw.send(&[identity(), command(&["kill-server"])].concat());
        // It may be told of its own end or of the server's.
        let told = raw.next(&what).map(|(kind, _)| kind);
        assert!([Some(EXIT), Some(SHUTDOWN)].contains(&told), "{told:?}");
        drop(raw);
        let ended = server.wait_until("the server to end", || {
            let ended = second.0.try_wait().unwrap();
            ended.ok_or_else(|| "it runs".to_owned())
        });
        assert_eq!(ended.code(), Some(0), "{what}");
    }
}
