//! What write-pane refuses, before a byte is written.

use crate::support::topic::topic;
use crate::support::{Build, Client, Control, Gate, Pane, Server, Terminal};

topic!("refusing":
    more_than_one_source_is_refused,
    a_line_that_the_terminal_would_cut_is_refused,
    a_program_in_the_foreground_is_named,
    a_line_that_somebody_typed_is_left_alone,
    a_nested_shell_is_not_the_panes,
    a_pane_with_its_input_off_is_not_written_to,
    too_much_unsent_input_is_refused,
    an_endless_file_is_refused,
    attached_clients_and_hooks_name_no_files,
    a_read_only_client_in_a_terminal_is_refused,
    a_read_only_control_client_is_refused,
    a_client_that_became_read_only_stays_so,
    a_read_only_user_is_refused,
);

/// Expects that a refusal leaves the pane as it was.
#[track_caller]
fn nothing_written<T>(pane: &Pane, refusal: impl FnOnce() -> T) -> T {
    let facts = "#{pane_stream_total} #{pane_command_id} #{pane_prompt_empty}";
    let before = pane.expand(facts);
    let answer = refusal();
    assert_eq!(pane.expand(facts), before);
    answer
}

fn more_than_one_source_is_refused(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let only = "only one of -b, -f and data may be given";
    nothing_written(&pane, || {
        for flags in [
            &["-b", "QQ==", "-f", "-"][..],
            &["-b", "QQ==", "x"],
            &["-f", "-", "x"],
        ] {
            let arguments = [&["write-pane", "-t", &pane.id][..], flags].concat();
            server.run_with(&arguments, b"y").failed(1, only);
        }
        server
            .run(&["write-pane", "-t", &pane.id])
            .failed(1, "nothing to write");
        server
            .run(&["write-pane", "-n", "-t", &pane.id])
            .failed(1, "nothing to write");
        server
            .run(&["write-pane", "-q", "-t", &pane.id])
            .failed(1, "command write-pane: unknown flag -q");
        server
            .run(&["write-pane", "-t", "%99", "x"])
            .failed(1, "can't find pane: %99");
    });
}

/// Case A9 (b) and (c).
fn a_line_that_the_terminal_would_cut_is_refused(build: &Build) {
    let server = Server::start(build);
    let shell = server.shell();
    let dash = server.window(&["dash"]);
    dash.until(
        "#{pane_foreground} #{!=:#{pane_stream_bytes},0} #{pane_command_state}",
        "dash 1 unknown",
    );
    let gate = Gate::new(&server, "gate");
    shell.submit(&format!("cat {}", gate.path()));
    let key = gate.reached();
    shell.until_started();

    for pane in [&shell, &dash] {
        nothing_written(pane, || {
            for text in [
                "x".repeat(4096),
                "x".repeat(5000),
                format!("true\n{}\ntrue", "x".repeat(4096)),
            ] {
                for flag in ["-e", "-n"] {
                    pane.write(&[flag], text.as_bytes())
                        .failed(1, "line too long for the terminal");
                }
            }
        });
    }
    // One byte less is not cut.
    let name = server.folder().join("size").display().to_string();
    let size = 4095 - format!("printf %s '' | wc -c >{name}").len();
    let text = format!("printf %s '{}' | wc -c >{name}", "y".repeat(size));
    dash.write(&["-e"], text.as_bytes()).ok();
    server.wait_until("the longest line to run", || {
        let found = std::fs::read_to_string(&name).unwrap_or_default();
        if found.trim() == size.to_string() {
            Ok(())
        } else {
            Err(found)
        }
    });
    drop(key);
}

/// Case A18.
fn a_program_in_the_foreground_is_named(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    pane.submit("cat");
    pane.until("#{pane_foreground}", "cat");
    nothing_written(&pane, || {
        pane.write(&["-e", "-i"], b"ls")
            .failed(1, "pane is not idle: cat");
        pane.write(&["-n", "-i"], b"ls")
            .failed(1, "pane is not idle: cat");
    });
    // Without -i it is what one wants.
    pane.write(&[], b"text\n").ok();
    pane.until_output("text\r\ntext\r\n");
    pane.write(&["-n"], b"\x04").ok();
    pane.until_prompt();
    pane.write(&["-e", "-i"], b"true").ok();
}

/// Case A19.
fn a_line_that_somebody_typed_is_left_alone(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    server.tmux(&["send-keys", "-t", &pane.id, "-l", "echo half"]);
    pane.until("#{pane_prompt_empty}", "0");
    pane.until_output("echo half");
    nothing_written(&pane, || {
        pane.write(&["-e", "-i"], b"ls")
            .failed(1, "prompt is not empty");
        pane.write(&["-e", "-w", "-T", "0.2"], b"ls")
            .failed(124, "timed out: bash");
    });
    server.tmux(&["send-keys", "-t", &pane.id, "Enter"]);
    pane.until_output("half\r\n");
    pane.until_prompt();
    assert_eq!(pane.run("echo next").output, "next\n");
}

/// Case C13 (a).
fn a_nested_shell_is_not_the_panes(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    pane.submit("bash --norc --noprofile");
    pane.until("#{pane_input_mode}", "raw");
    pane.until("#{pane_foreground}", "bash");
    // Its prompt: the terminal is raw before that comes.
    pane.until_output("bash-");
    nothing_written(&pane, || {
        pane.write(&["-e", "-i"], b"ls")
            .failed(1, "pane is not idle: bash");
    });
    pane.write(&["-n"], b"exit 3\r").ok();
    pane.until_prompt();
    assert_eq!(pane.expand("#{pane_command_status}"), "3");
}

fn a_pane_with_its_input_off_is_not_written_to(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    server.tmux(&["select-pane", "-d", "-t", &pane.id]);
    nothing_written(&pane, || {
        pane.write(&["-e"], b"true").failed(1, "pane input is off");
        pane.write(&["-n"], b"true").failed(1, "pane input is off");
        pane.write(&["-e", "-w"], b"true")
            .failed(1, "pane input is off");
    });
    assert_eq!(pane.text(&["-s"]), "idle\n");
    server.tmux(&["select-pane", "-e", "-t", &pane.id]);
    assert_eq!(pane.run("echo on").output, "on\n");
}

fn too_much_unsent_input_is_refused(build: &Build) {
    let server = Server::start(build);
    let pane = server.window(&[
        "sh",
        "-c",
        "stty raw -echo; echo ready; exec tail -f /dev/null",
    ]);
    pane.until_output("ready");
    let block = vec![b'x'; 1 << 20];
    // The terminal takes a little of it, the rest waits.
    for _ in 0..16 {
        pane.write(&["-n"], &block).ok();
    }
    for _ in 0..3 {
        pane.write(&["-n"], &block)
            .failed(1, "too much unsent input");
    }
    // Other panes and clients are served.
    assert_eq!(server.shell().run("echo here").output, "here\n");
}

fn an_endless_file_is_refused(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let files = server.open_files();
    let before = server.memory();
    nothing_written(&pane, || {
        for flag in ["-e", "-n", "-w"] {
            let ended = server.run(&["write-pane", flag, "-f", "/dev/zero", "-t", &pane.id]);
            ended.failed(1, "/dev/zero: File too large");
        }
    });
    server.until_open_files(files);
    // A sanitizer keeps what was freed.
    let grown = server.memory().saturating_sub(before);
    assert!(build.sanitized || grown < 100 * 1024, "{grown} KiB");
    assert_eq!(pane.run("echo here").output, "here\n");
}

fn attached_clients_and_hooks_name_no_files(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let mut terminal = Terminal::attach(&server, &[]);
    let mut control = Control::attach(&server, &["-f", "no-output"]);
    let file = server.folder().join("file");
    std::fs::write(&file, "echo from a file\n").unwrap();
    let file = file.display();
    let message = "the server does not open files";
    for command in [
        format!("write-pane -f {file} -t {}", pane.id),
        format!("write-pane -f - -t {}", pane.id),
        format!("read-pane -o {file} -t {}", pane.id),
        format!("read-pane -f {file} -t {}", pane.id),
    ] {
        let reply = control.ask(&command);
        assert!(reply.error && reply.lines == [message], "{reply:?}");
        server.tmux(&[
            "set-hook",
            "-g",
            "window-renamed[0]",
            &format!("set -g @hook 1; {command} ; set -g @ran 1"),
        ]);
        server.tmux(&["rename-window", "-t", "main:", "other"]);
        server.until_option("@hook", "1");
        server.tmux(&["set-option", "-gu", "@hook"]);
        terminal.tmux_command(&server, &format!("{command} ; set -g @ran 1"));
        server.wait_until("the refusal to be shown", || {
            let drawn = terminal.drawn();
            if drawn.contains("The server does not open files") {
                Ok(())
            } else {
                Err(drawn)
            }
        });
        terminal.tmux_command(&server, "set -g @keys 1");
        server.until_option("@keys", "1");
        server.tmux(&["set-option", "-gu", "@keys"]);
    }
    assert_eq!(server.option("@ran"), "");
    assert_eq!(
        std::fs::read_to_string(server.folder().join("file")).unwrap(),
        "echo from a file\n"
    );
    assert!(!pane.text(&["-r"]).contains("from a file"));
}

/// Runs what must be refused to a read-only terminal, each with a mark that must not be set.
fn read_only_keys(server: &Server, terminal: &mut Terminal, pane: &Pane) {
    let name = terminal.name(server);
    nothing_written(pane, || {
        for (number, command) in [
            "write-pane -e true",
            "write-pane -n x",
            "read-pane",
            "read-pane -C",
        ]
        .into_iter()
        .enumerate()
        {
            terminal.tmux_command(server, &format!("{command} ; set -g @ran 1"));
            // A read-only client may choose its table of keys, on every version; that this was done shows
            // that its keys were taken.
            let table = format!("table-{number}");
            // The table must be there; a key that is not in it is looked up in the first one again.
            server.tmux(&["bind-key", "-T", &table, "F12", "list-clients"]);
            server.tmux(&["bind-key", "-n", "C-t", "switch-client", "-T", &table]);
            terminal.keys("\x14");
            server.wait_until("the table of keys to change", || {
                let clients =
                    server.tmux(&["list-clients", "-F", "#{client_name} #{client_key_table}"]);
                if clients
                    .lines()
                    .any(|line| line == format!("{name} {table}"))
                {
                    Ok(())
                } else {
                    Err(clients)
                }
            });
        }
    });
    assert_eq!(server.option("@ran"), "");
}

fn a_read_only_client_in_a_terminal_is_refused(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    // Without it the pane keeps its size; else the shell draws its prompt again, at some time.
    server.tmux(&["set-option", "-g", "status", "off"]);
    let mut terminal = Terminal::attach(&server, &["-r"]);
    let flags = server.tmux(&["list-clients", "-F", "#{client_readonly}"]);
    assert_eq!(flags, "1");
    read_only_keys(&server, &mut terminal, &pane);
}

fn a_read_only_control_client_is_refused(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    for flags in [&["-r"][..], &["-f", "read-only"]] {
        let mut control = Control::attach(&server, flags);
        nothing_written(&pane, || {
            for command in [
                "write-pane -e true",
                "writep -n x",
                "read-pane -s",
                "read-pane -C",
                "send-keys x",
                "set -g @ran 1",
                "display-message -p x ; write-pane -e true",
                "run-shell 'true'",
                "kill-server",
                "if-shell -F 1 'write-pane -e true'",
            ] {
                let reply = control.ask(command);
                assert!(
                    reply.error && reply.lines == ["client is read-only"],
                    "{command}: {reply:?}"
                );
            }
        });
        assert_eq!(server.option("@ran"), "");
        // What changes nothing is still there, and so are errors of the parser.
        assert!(!control.ask("list-clients").error);
        let reply = control.ask("no-such-command");
        assert!(
            reply.error && reply.lines[0].contains("unknown command"),
            "{reply:?}"
        );
    }
}

fn a_client_that_became_read_only_stays_so(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let mut terminal = Terminal::attach(&server, &[]);
    let name = terminal.name(&server);
    server.tmux(&["switch-client", "-r", "-c", &name]);
    let flags = || server.tmux(&["list-clients", "-F", "#{client_readonly}"]);
    assert_eq!(flags(), "1");
    // switch-client may be run by a read-only client, but not to become writable.
    terminal.tmux_command(&server, "switch-client -r");
    read_only_keys(&server, &mut terminal, &pane);
    assert_eq!(flags(), "1");
    // Another client may give the right back.
    server.tmux(&["switch-client", "-r", "-c", &name]);
    assert_eq!(flags(), "0");
    terminal.tmux_command(
        &server,
        &format!("write-pane -e -t {} true ; set -g @ran 1", pane.id),
    );
    server.until_option("@ran", "1");
    drop(terminal);

    let mut control = Control::attach(&server, &["-r"]);
    let reply = control.ask("switch-client -r");
    assert!(
        reply.error && reply.lines == ["client is read-only"],
        "{reply:?}"
    );
    let reply = control.ask("refresh-client -f '!read-only'");
    let write = control.ask(&format!("write-pane -e -t {} true", pane.id));
    assert!(
        write.error && write.lines == ["client is read-only"],
        "{reply:?} {write:?}"
    );
}

/// A user whom server-access lets in for reading only. Another user is needed for it: `nobody`, whom only
/// root can become.
fn a_read_only_user_is_refused(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    if !rustix::process::geteuid().is_root() {
        // Then at least the command itself says that it is there.
        server
            .run(&["server-access", "-a", "-r", "no-such-user"])
            .failed(1, "unknown user: no-such-user");
        return;
    }
    server.tmux(&["server-access", "-a", "-r", "nobody"]);
    // That user's client must come to the socket, and write its reports.
    use std::os::unix::fs::PermissionsExt;
    for path in [server.folder().to_owned(), server.socket()] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o777)).unwrap();
    }
    let nobody = |arguments: &[&str]| {
        let program = server.command();
        let mut command = std::process::Command::new("setpriv");
        command
            .args(["--reuid", "nobody", "--clear-groups"])
            .arg(program.get_program())
            .args(program.get_args());
        command.env_clear().envs(
            program
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
        command.current_dir("/").args(arguments);
        Client::start(&mut command, b"x").ended()
    };
    assert_eq!(nobody(&["list-clients"]).ok(), b"");
    nothing_written(&pane, || {
        nobody(&["write-pane", "-e", "-t", &pane.id, "true"]).failed(1, "client is read-only");
        nobody(&["write-pane", "-f", "-", "-t", &pane.id]).failed(1, "client is read-only");
        nobody(&["read-pane", "-s", "-t", &pane.id]).failed(1, "client is read-only");
    });
}
