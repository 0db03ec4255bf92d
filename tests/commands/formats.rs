//! Formats, states and options.

use crate::support::topic::topic;
use crate::support::{Build, Control, Gate, Server, Setup};

topic!("formats":
    the_header_describes_what_follows,
    every_command_has_its_line,
    the_state_follows_the_command,
    the_state_without_marks_follows_the_terminal,
    the_input_mode_says_what_the_terminal_wants,
    a_pane_tells_its_newest_command,
    a_duration_is_in_milliseconds,
    an_empty_line_is_no_command,
    a_new_pane_knows_nothing_yet,
    the_options_are_the_servers,
    the_commands_are_listed,
);

fn the_header_describes_what_follows(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    pane.run("true");
    let from = pane.expand("#{pane_stream_total}");
    let id = pane.submit("printf 'a\\033[1mb\\033[m\\n'; sh -c 'exit 3' | cat");
    pane.until_prompt();
    let format = "#{command_id} #{command_ended} #{command_status} #{command_pipestatus} #{command_flags} \
        #{read_bytes} #{read_missing} #{read_alternate} #{pane_id}";
    let text = pane.text(&["-O", "-F", format]);
    assert_eq!(
        text,
        format!(
            "{id} exited 0 3,0 by-program,finished 3 0 0 {}\nab\n",
            pane.id
        )
    );
    let text = pane.text(&["-O", "-r", "-F", "#{read_bytes}"]);
    assert_eq!(text, "11\na\u{1b}[1mb\u{1b}[m\r\n");

    // Offsets: of the range, of the command; and the line that was typed lies before its output.
    let facts = "#{read_start} #{read_end} #{command_output_start} #{command_output_end} #{command_output_bytes} \
        #{command_line_start} #{command_mark} #{command_duration_ns} #{command_duration_ms}";
    let text = pane.text(&["-O", "-r", "-F", facts]);
    let numbers: Vec<u64> = text
        .lines()
        .next()
        .unwrap()
        .split(' ')
        .map(|number| number.parse().unwrap())
        .collect();
    let [
        start,
        end,
        output_start,
        output_end,
        bytes,
        line_start,
        mark,
        ns,
        ms,
    ] = numbers[..]
    else {
        panic!("{text:?}");
    };
    assert_eq!((start, end, bytes), (output_start, output_end, 11));
    assert_eq!(end - start, bytes);
    assert_eq!(ns / 1_000_000, ms);
    assert_eq!(mark.to_string(), from);
    assert!(line_start <= mark && mark < output_start, "{text:?}");

    // The whole stream is told by offsets too.
    let text = pane.text(&["-r", "-F", "#{read_start} #{read_end} #{read_bytes}"]);
    let total = pane.expand("#{pane_stream_total}");
    assert_eq!(
        text.lines().next(),
        Some(format!("0 {total} {total}").as_str())
    );
    // With nothing to read there is still the header.
    pane.text(&["-C"]);
    assert_eq!(pane.text(&["-F", "#{read_bytes}"]), "0\n");
    // A format may be empty, and a header is one line.
    assert_eq!(pane.text(&["-O", "-F", ""]), "\nab\n");
}

fn every_command_has_its_line(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let gate = Gate::new(&server, "gate");
    assert_eq!(pane.text(&["-l"]), "");
    assert_eq!(
        pane.text(&[
            "-s",
            "-F",
            "[#{command_id}#{command_ended}#{command_status}#{command_flags}]"
        ]),
        "[]\n"
    );
    let first = pane.submit("echo one; (exit 3)");
    pane.until_prompt();
    let second = pane.submit(&format!("cat {}", gate.path()));
    let key = gate.reached();
    pane.until_started();
    let lines = pane.text(&["-l"]);
    let fields: Vec<Vec<&str>> = lines
        .lines()
        .map(|line| line.split(' ').collect())
        .collect();
    assert_eq!(fields.len(), 2, "{lines:?}");
    assert_eq!((fields[0].len(), fields[1].len()), (5, 5), "{lines:?}");
    assert_eq!(fields[0][..3], [first.as_str(), "exited", "3"]);
    assert_eq!(fields[0][4], "5");
    assert_eq!(fields[1][..3], [second.as_str(), "running", "-"]);
    assert_eq!(fields[1][4], "0");
    assert!(
        fields.iter().all(|line| line[3].parse::<u64>().is_ok()),
        "{lines:?}"
    );
    assert_eq!(
        pane.text(&["-l", "-F", "#{command_id}:#{command_status}:#{pane_id}"]),
        format!("{first}:3:{0}\n{second}::{0}\n", pane.id)
    );
    drop(key);
}

/// The table of states in the manual, with marks.
fn the_state_follows_the_command(build: &Build) {
    let server = Server::start(build);
    server.tmux(&["set-option", "-g", "remain-on-exit", "on"]);
    let pane = server.shell();
    let facts = "#{pane_command_state} #{pane_command_running} #{pane_prompt_empty} #{pane_integrated} #{pane_input_mode}";
    assert_eq!(pane.expand(facts), "idle 0 1 1 prompt");

    let gate = Gate::new(&server, "gate");
    let id = pane.submit(&format!("cat {}", gate.path()));
    assert_eq!(
        pane.expand("#{pane_command_state} #{pane_command_running} #{pane_prompt_empty}"),
        "running 1 0"
    );
    let key = gate.reached();
    assert_eq!(pane.expand(facts), "running 1 0 1 canonical");
    assert_eq!(pane.expand("#{pane_foreground}"), "cat");
    assert_eq!(pane.text(&["-s"]), "running\n");
    drop(key);
    pane.read(&["-w", "-i", &id]).ok();
    assert_eq!(pane.expand(facts), "idle 0 1 1 prompt");
    assert_eq!(pane.expand("#{pane_foreground}"), "bash");

    // Half a line typed: idle, and not empty.
    server.tmux(&["send-keys", "-t", &pane.id, "-l", "half"]);
    pane.until("#{pane_prompt_empty}", "0");
    assert_eq!(pane.expand("#{pane_command_state}"), "idle");
    server.tmux(&["send-keys", "-t", &pane.id, "C-u"]);
    pane.until("#{pane_prompt_empty}", "1");

    // A program that the shell runs at its prompt.
    server.tmux(&["send-keys", "-t", &pane.id, "C-d"]);
    pane.until("#{pane_command_state}", "dead");
    assert_eq!(
        pane.expand(
            "#{pane_command_running} #{pane_prompt_empty} #{pane_foreground}#{pane_input_mode}"
        ),
        "0 0 "
    );
}

/// The table of states in the manual, without marks.
fn the_state_without_marks_follows_the_terminal(build: &Build) {
    let server = Server::with(
        build,
        &Setup {
            integration: false,
            ..Setup::default()
        },
    );
    let facts = "#{pane_command_state} #{pane_command_running} #{pane_integrated}";
    let pane = server.shell();
    assert_eq!(pane.expand(facts), "idle 0 0");
    let gate = Gate::new(&server, "gate");
    server.tmux(&[
        "send-keys",
        "-t",
        &pane.id,
        "-l",
        &format!("cat {}", gate.path()),
    ]);
    server.tmux(&["send-keys", "-t", &pane.id, "Enter"]);
    let key = gate.reached();
    assert_eq!(pane.expand(facts), "running 1 0");
    drop(key);
    pane.until("#{pane_command_state}", "idle");

    // Programs without a shell.
    let canonical = server.window(&["cat"]);
    canonical.until("#{pane_foreground}", "cat");
    assert_eq!(canonical.expand(facts), "unknown 0 0");
    let raw = server.window(&["sh", "-c", "stty raw -echo; printf ready; exec cat"]);
    raw.until_output("ready");
    raw.until("#{pane_foreground}", "cat");
    assert_eq!(raw.expand(facts), "idle 0 0");
}

/// Cases B16 and B17.
fn the_input_mode_says_what_the_terminal_wants(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let id = pane.submit("read -s -p 'Password: ' p; echo len=${#p}");
    pane.until_output("Password: ");
    pane.until("#{pane_input_mode}", "secret");
    assert_eq!(pane.expand("#{pane_command_state}"), "running");
    pane.write(&["-n"], b"hunter2\n").ok();
    assert_eq!(pane.text(&["-w", "-O", "-i", &id]), "Password: len=7\n");
    // The text came by standard input: it is nowhere in the server's messages, which one sees who is
    // attached.
    let mut control = Control::attach(&server, &["-f", "no-output"]);
    let messages = control.ask("show-messages").lines;
    assert!(
        messages.iter().any(|line| line.contains("write-pane")),
        "{messages:?}"
    );
    assert!(
        messages.iter().all(|line| !line.contains("hunter2")),
        "{messages:?}"
    );

    let id = pane.submit("read -r line; echo got=$line");
    pane.until(
        "#{pane_command_state} #{pane_input_mode}",
        "running canonical",
    );
    pane.write(&[], b"text\n").ok();
    pane.read(&["-w", "-i", &id]).ok();
    pane.until_prompt();

    let id = pane.submit("stty raw -echo; printf ready; head -c 1 >/dev/null; stty sane");
    pane.until("#{pane_input_mode}", "raw");
    pane.until_output("ready");
    pane.write(&["-n"], b"q").ok();
    pane.read(&["-w", "-E", "-i", &id]).ok();
}

fn a_pane_tells_its_newest_command(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let facts = "#{pane_command_id} #{pane_command_status} #{pane_last_exit_code} #{pane_command_pipestatus}";
    assert_eq!(pane.expand(facts), "   ");
    let first = pane.submit("sh -c 'exit 3' | sh -c 'exit 4'");
    pane.until_prompt();
    assert_eq!(pane.expand(facts), format!("{first} 4 4 3,4"));
    assert_eq!(
        server.tmux(&["list-panes", "-a", "-F", facts]),
        format!("{first} 4 4 3,4")
    );
    // While the next one runs, the status is still that of the last that ended.
    let gate = Gate::new(&server, "gate");
    let second = pane.submit(&format!("cat {}", gate.path()));
    let key = gate.reached();
    assert_eq!(pane.expand(facts), format!("{second} 4 4 3,4"));
    drop(key);
    pane.read(&["-w", "-i", &second]).ok();
    assert_eq!(pane.expand(facts), format!("{second} 0 0 "));
    // Sizes: what is kept is what was written, and memory is not less.
    let sizes = pane.expand(
        "#{pane_stream_total} #{pane_stream_bytes} #{pane_stream_dropped} #{pane_stream_size}",
    );
    let sizes: Vec<u64> = sizes.split(' ').map(|size| size.parse().unwrap()).collect();
    assert!(
        sizes[0] == sizes[1] && sizes[2] == 0 && sizes[3] >= sizes[1],
        "{sizes:?}"
    );
}

/// Case T11.
fn a_duration_is_in_milliseconds(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let took = |text: &str| {
        pane.run(text);
        let text = pane.expand("#{pane_command_duration_ms} #{pane_command_duration}");
        let (ms, seconds) = text.split_once(' ').unwrap();
        let ms: u64 = ms.parse().unwrap();
        assert_eq!(seconds, (ms / 1000).to_string());
        ms
    };
    // The start is when its mark was read: a starved server reads it late, or together with the end.
    for (text, range) in [("sleep 0.04", 20..5000), ("sleep 1.2", 1000..20000)] {
        server.wait_until("a duration of its length", || {
            let ms = took(text);
            match range.contains(&ms) {
                true => Ok(()),
                false => Err(format!("{text}: {ms} ms")),
            }
        });
    }
    // While it runs it grows.
    let gate = Gate::new(&server, "gate");
    pane.submit(&format!("cat {}", gate.path()));
    let key = gate.reached();
    let now = || {
        pane.expand("#{pane_command_duration_ms}")
            .parse::<u64>()
            .unwrap()
    };
    let first = now();
    server.wait_until("the duration to grow", || {
        let later = now();
        if later > first + 20 {
            Ok(())
        } else {
            Err(format!("{first} {later}"))
        }
    });
    drop(key);
}

/// Case C16.
fn an_empty_line_is_no_command(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    pane.run("(exit 3)");
    for _ in 0..3 {
        let prompts = pane.text(&["-r"]).matches("]133;A").count();
        server.tmux(&["send-keys", "-t", &pane.id, "Enter"]);
        server.wait_until("the next prompt", || {
            let found = pane.text(&["-r"]).matches("]133;A").count();
            if found > prompts {
                Ok(())
            } else {
                Err(format!("{found} prompts"))
            }
        });
        // To its end: before the line editor has the terminal, Ctrl-C may do nothing.
        pane.until_prompt();
    }
    let prompts = pane.text(&["-r"]).matches("]133;A").count();
    server.tmux(&["send-keys", "-t", &pane.id, "C-c"]);
    server.wait_until("the next prompt", || {
        let found = pane.text(&["-r"]).matches("]133;A").count();
        if found > prompts {
            Ok(())
        } else {
            Err(format!("{found} prompts"))
        }
    });
    pane.until_prompt();
    assert_eq!(pane.text(&["-l", "-F", "#{command_status}"]), "3\n");
    assert_eq!(pane.expand("#{pane_last_exit_code}"), "3");

    // Submitted ones end too, as nothing.
    for text in ["", "# a comment", "   "] {
        let id = pane.submit(text);
        pane.read(&["-w", "-E", "-i", &id])
            .failed(125, "command has no exit status: nothing");
    }
    assert_eq!(pane.text(&["-l", "-F", "#{command_status}"]), "3\n");
    assert_eq!(pane.expand("#{pane_last_exit_code}"), "3");
    assert_eq!(pane.run("echo next").output, "next\n");
}

fn a_new_pane_knows_nothing_yet(build: &Build) {
    let server = Server::start(build);
    let pane = server.window(&["cat"]);
    let facts = "[#{pane_command_id}#{pane_command_status}#{pane_last_exit_code}#{pane_command_duration}\
        #{pane_command_duration_ms}#{pane_command_pipestatus}#{pane_command_line}] #{pane_stream_total} \
        #{pane_stream_bytes} #{pane_stream_dropped} #{pane_nested} #{pane_integrated}";
    assert_eq!(pane.expand(facts), "[] 0 0 0 0 0");
    let size: u64 = pane.expand("#{pane_stream_size}").parse().unwrap();
    assert!(size < 4096, "{size} bytes for nothing");
    // Each process has a nonce of its own.
    let nonces = server.tmux(&["list-panes", "-a", "-F", "#{pane_nonce}"]);
    let mut nonces: Vec<_> = nonces.lines().collect();
    assert!(
        nonces
            .iter()
            .all(|nonce| nonce.len() == 32 && nonce.bytes().all(|byte| byte.is_ascii_hexdigit()))
    );
    nonces.dedup();
    assert_eq!(nonces.len(), 2);
}

fn the_options_are_the_servers(build: &Build) {
    let server = Server::start(build);
    let all = server.tmux(&["show-options", "-s"]);
    for line in ["stream-limit 16777216", "stream-total-limit 536870912"] {
        assert!(all.lines().any(|found| found == line), "{line} in {all}");
    }
    server.tmux(&["set-option", "-s", "stream-limit", "65536"]);
    assert_eq!(
        server.tmux(&["show-options", "-sv", "stream-limit"]),
        "65536"
    );
    server.tmux(&["set-option", "-su", "stream-limit"]);
    assert_eq!(
        server.tmux(&["show-options", "-sv", "stream-limit"]),
        "16777216"
    );
    server
        .run(&["set-option", "-s", "stream-limit", "-1"])
        .failed(1, "value is too small: -1");
    server
        .run(&["set-option", "-s", "stream-total-limit", "x"])
        .failed(1, "value is invalid: x");
}

fn the_commands_are_listed(build: &Build) {
    let server = Server::start(build);
    for (name, alias) in [("read-pane", "readp"), ("write-pane", "writep")] {
        let line = server.tmux(&["list-commands", name]);
        assert!(line.starts_with(&format!("{name} ({alias}) [-")), "{line}");
    }
    // Those of tmux are what they were.
    assert!(
        server
            .tmux(&["list-commands"])
            .lines()
            .any(|line| line.starts_with("wait-for (wait) "))
    );
}
