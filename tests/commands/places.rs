//! Waiting from everywhere that a command can come from.

use crate::support::topic::topic;
use crate::support::{Build, Control, Gate, Server, Setup, Terminal};

topic!("places":
    the_configuration_file_does_not_wait,
    a_sourced_file_waits,
    a_hook_of_the_server_does_not_wait,
    a_hook_of_a_command_waits,
    run_shell_waits,
    a_control_client_gets_the_output_after_the_reply,
    a_control_client_that_times_out_goes_on,
    a_killed_control_client_leaves_nothing_behind,
    an_attached_client_does_not_wait,
);

fn the_configuration_file_does_not_wait(build: &Build) {
    let server = Server::with(
        build,
        &Setup {
            config: "new-session -d -s early 'cat'\n\
            read-pane -w -t early: ; set -g @same 1\n\
            write-pane -w -e -t early: 'text' ; set -g @same 1\n\
            set -g @after 1\n"
                .to_owned(),
            ..Setup::default()
        },
    );
    assert_eq!(server.option("@after"), "1");
    assert_eq!(server.option("@same"), "");
    let total = server.tmux(&[
        "display-message",
        "-p",
        "-t",
        "early:",
        "#{pane_stream_total}",
    ]);
    assert_eq!(total, "0");
}

fn a_sourced_file_waits(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let gate = Gate::new(&server, "gate");
    let id = pane.submit(&format!("cat {}; echo out", gate.path()));
    let key = gate.reached();
    let text = format!(
        "set -g @before 1\nread-pane -w -O -i {id} -t {}\nset -g @after 1\n",
        pane.id
    );
    let path = server.folder().join("commands");
    std::fs::write(&path, text).unwrap();
    let client = server.spawn(&["source-file", path.to_str().unwrap()]);
    server.until_option("@before", "1");
    // Others are served meanwhile.
    assert_eq!(server.option("@after"), "");
    drop(key);
    assert_eq!(client.ended().ok(), b"out\n");
    assert_eq!(server.option("@after"), "1");
}

fn a_hook_of_the_server_does_not_wait(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let gate = Gate::new(&server, "gate");
    let id = pane.submit(&format!("cat {}", gate.path()));
    let key = gate.reached();
    let waits = format!(
        "set -g @before 1 ; read-pane -w -i {id} -t {} ; set -g @same 1",
        pane.id
    );
    let writes = format!("write-pane -w -e -t {} text ; set -g @same 1", pane.id);
    server.tmux(&["set-hook", "-g", "window-renamed[0]", &waits]);
    server.tmux(&["set-hook", "-g", "window-renamed[1]", &writes]);
    server.tmux(&["set-hook", "-g", "window-renamed[2]", "set -g @after 1"]);
    server.tmux(&["rename-window", "-t", "main:", "other"]);
    // A hook that waited would hold all that come after it.
    server.until_option("@after", "1");
    assert_eq!(server.option("@before"), "1");
    assert_eq!(server.option("@same"), "");
    drop(key);
    pane.until_prompt();
    assert_eq!(server.option("@same"), "");
}

fn a_hook_of_a_command_waits(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let gate = Gate::new(&server, "gate");
    let id = pane.submit(&format!("cat {}", gate.path()));
    let key = gate.reached();
    let waits = format!(
        "set -g @before 1 ; read-pane -w -i {id} -t {} ; set -g @after 1",
        pane.id
    );
    server.tmux(&["set-hook", "-g", "after-rename-window", &waits]);
    // Such a hook runs in the queue of the client, which alone is held.
    let client = server.spawn(&["rename-window", "-t", "main:", "other"]);
    server.until_option("@before", "1");
    assert_eq!(server.option("@after"), "");
    drop(key);
    assert_eq!(client.ended().status, 0);
    assert_eq!(server.option("@after"), "1");
}

fn run_shell_waits(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let gate = Gate::new(&server, "gate");
    let id = pane.submit(&format!("cat {}; echo out; (exit 5)", gate.path()));
    let key = gate.reached();
    let socket = server.socket().display().to_string();
    let target = format!("-t {}", pane.id);
    // Into a file, as 3.3a shows what a job prints in a pane.
    let file = server.folder().join("out");
    let line = format!(
        "(\"$AMUX_TMUX\" -S {socket} read-pane -w -O -E -i {id} {target}; echo status $?) >{}",
        file.display()
    );
    let job = server.spawn_reached(&["run-shell", &line], b"");
    let line = format!(
        "\"$AMUX_TMUX\" -S {socket} read-pane -w -i {id} {target}; \
        \"$AMUX_TMUX\" -S {socket} set -g @background 1"
    );
    server.tmux(&["run-shell", "-b", &line]);
    // -C takes commands of tmux, which wait in the queue of the client.
    let command = format!("read-pane -w -O -i {id} {target} ; set -g @command 1");
    let commands = server.spawn_reached(&["run-shell", "-C", &command], b"");
    assert_eq!(server.option("@background"), "");
    assert_eq!(server.option("@command"), "");
    drop(key);
    job.ended().ok();
    assert_eq!(std::fs::read_to_string(file).unwrap(), "out\nstatus 5\n");
    assert_eq!(String::from_utf8(commands.ended().ok()).unwrap(), "out\n");
    assert_eq!(server.option("@command"), "1");
    server.until_option("@background", "1");
}

fn a_control_client_gets_the_output_after_the_reply(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    // Else the output of the pane comes too, as notifications.
    let mut control = Control::attach(&server, &["-f", "no-output"]);
    let gate = Gate::new(&server, "gate");
    let id = pane.submit(&format!("cat {}; echo one; printf two", gate.path()));
    let key = gate.reached();
    let reply = control.ask(&format!("read-pane -w -O -i {id} -t {}", pane.id));
    assert!(!reply.error && reply.lines.is_empty(), "{reply:?}");
    control.send("display-message -p behind");
    drop(key);
    assert_eq!(control.line_that(|line| !line.starts_with('%')), "one");
    assert_eq!(control.line_that(|_| true), "two");
    // What was sent meanwhile comes after.
    let reply = control.reply();
    assert!(!reply.error && reply.lines == ["behind"], "{reply:?}");
    // Without a wait it is in the reply.
    let reply = control.ask(&format!("read-pane -O -i {id} -t {}", pane.id));
    assert!(!reply.error && reply.lines == ["one", "two"], "{reply:?}");
}

fn a_control_client_that_times_out_goes_on(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let mut control = Control::attach(&server, &["-f", "no-output"]);
    let gate = Gate::new(&server, "gate");
    let id = pane.submit(&format!("cat {}", gate.path()));
    let _key = gate.reached();
    control.send(&format!(
        "read-pane -w -T 0.1 -O -i {id} -t {} ; set -g @ran 1",
        pane.id
    ));
    assert!(!control.reply().error);
    assert_eq!(
        control.line_that(|line| !line.starts_with('%')),
        "timed out"
    );
    let reply = control.ask("display-message -p next");
    assert!(!reply.error && reply.lines == ["next"], "{reply:?}");
    assert_eq!(server.option("@ran"), "");
}

fn a_killed_control_client_leaves_nothing_behind(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let gate = Gate::new(&server, "gate");
    let id = pane.submit(&format!("cat {}", gate.path()));
    let key = gate.reached();
    let files = server.open_files();
    for _ in 0..10 {
        let mut control = Control::attach(&server, &[]);
        control.send(&format!(
            "read-pane -w -i {id} -t {} ; set -g @ran 1",
            pane.id
        ));
        control.reply();
        control.send("set -g @ran 1");
        drop(control);
        server.until_open_files(files);
    }
    drop(key);
    pane.read(&["-w", "-i", &id]).ok();
    assert_eq!(server.option("@ran"), "");
}

fn an_attached_client_does_not_wait(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let mut terminal = Terminal::attach(&server, &[]);
    let gate = Gate::new(&server, "gate");
    let id = pane.submit(&format!("cat {}", gate.path()));
    let _key = gate.reached();
    for command in [
        format!("read-pane -w -i {id}"),
        "write-pane -w -e true".to_owned(),
    ] {
        terminal.tmux_command(&server, &command);
        server.wait_until("the refusal to be shown", || {
            let drawn = terminal.drawn();
            if drawn.contains("Not able to wait from an attached client") {
                Ok(())
            } else {
                Err(drawn)
            }
        });
        // Its keys go on.
        terminal.tmux_command(&server, "set -g @keys 1");
        server.until_option("@keys", "1");
        server.tmux(&["set-option", "-gu", "@keys"]);
    }
}
