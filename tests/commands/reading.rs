//! What read-pane reads, and how it counts.

use crate::support::topic::topic;
use crate::support::{Build, Gate, Server};

topic!("reading":
    what_is_unread_is_counted_when_asked_for,
    everything_unread_is_thrown_away,
    the_output_of_each_command_is_found_by_its_id,
    the_output_so_far_is_read_while_a_command_runs,
    what_came_since_the_last_write_is_read,
    bytes_between_two_commands_belong_to_neither,
    output_of_a_background_job_does_not_look_typed,
    text_is_clean_coloured_or_raw,
    a_line_longer_than_the_screen_stays_one_line,
    clearing_the_screen_does_not_change_the_record,
    a_character_that_came_in_two_parts_is_read_whole,
    a_full_screen_program_is_left_out,
    marks_in_a_file_that_is_printed_end_nothing,
    flags_that_contradict_each_other_are_refused,
);

fn what_is_unread_is_counted_when_asked_for(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    pane.run("echo one");
    let all = pane.text(&[]);
    assert!(all.contains("one\n"), "{all:?}");
    // Reading alone counts nothing.
    assert_eq!(pane.text(&[]), all);
    let unread: u64 = pane.expand("#{pane_stream_bytes}").parse().unwrap();
    assert_eq!(pane.expand("#{pane_stream_total}"), unread.to_string());
    let raw = pane.read(&["-r", "-c"]).ok();
    assert_eq!(raw.len() as u64, unread);
    assert_eq!(pane.expand("#{pane_stream_bytes}"), "0");
    assert_eq!(pane.text(&["-r"]), "");

    pane.run("echo two");
    let fresh = pane.text(&["-c"]);
    assert!(
        fresh.contains("two\n") && !fresh.contains("one\n"),
        "{fresh:?}"
    );
    // -c with another range counts up to its end, and never back.
    pane.run("echo three");
    assert_eq!(pane.text(&["-O", "-c"]), "three\n");
    let rest = pane.text(&[]);
    assert!(!rest.contains("three"), "{rest:?}");
    let before = pane.expand("#{pane_stream_bytes}");
    let first = pane
        .text(&["-l", "-F", "#{command_id}"])
        .lines()
        .next()
        .unwrap()
        .to_owned();
    assert_eq!(pane.text(&["-O", "-c", "-i", &first]), "one\n");
    assert_eq!(pane.expand("#{pane_stream_bytes}"), before);
    assert_eq!(pane.expand("#{pane_stream_dropped}"), "0");
}

fn everything_unread_is_thrown_away(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    pane.run("echo one");
    assert_eq!(pane.text(&["-C"]), "");
    assert_eq!(
        pane.expand("#{pane_stream_bytes} #{pane_stream_dropped}"),
        "0 0"
    );
    assert_eq!(pane.text(&["-r"]), "");
    // The records are still there, and what they point at.
    assert_eq!(pane.text(&["-O"]), "one\n");
    pane.run("echo two");
    let fresh = pane.text(&[]);
    assert!(
        fresh.contains("two\n") && !fresh.contains("one\n"),
        "{fresh:?}"
    );
}

fn the_output_of_each_command_is_found_by_its_id(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    pane.read(&["-O"]).failed(1, "no command yet");
    pane.read(&["-O", "-E"]).failed(125, "no command yet");
    let mut ids = Vec::new();
    for n in 0..5 {
        ids.push(pane.submit(&format!("echo {n}; (exit {n})")));
        pane.until_prompt();
    }
    for (n, id) in ids.iter().enumerate().rev() {
        let ended = pane.read(&["-O", "-E", "-i", id]);
        assert_eq!(
            (ended.status, ended.text(), ended.err),
            (n as i32, format!("{n}\n"), String::new())
        );
    }
    assert_eq!(pane.text(&["-O"]), "4\n");
    // -i is a format.
    assert_eq!(pane.text(&["-O", "-i", "#{pane_command_id}"]), "4\n");
    // In the sequence of a write it is that write's.
    let sequence = [
        "write-pane",
        "-e",
        "-t",
        &pane.id,
        "echo mine",
        ";",
        "read-pane",
        "-O",
        "-w",
        "-t",
        &pane.id,
    ];
    assert_eq!(server.tmux(&sequence), "mine");
}

fn the_output_so_far_is_read_while_a_command_runs(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let gate = Gate::new(&server, "gate");
    let id = pane.submit(&format!("echo first; cat {}; printf second", gate.path()));
    let key = gate.reached();
    pane.until_output("first\r\n");
    assert_eq!(pane.text(&["-O"]), "first\n");
    pane.read(&["-O", "-E", "-i", &id])
        .failed(125, "command has no exit status: running");
    let line = pane.text(&[
        "-O",
        "-F",
        "#{command_ended} #{command_output_end} #{read_bytes}",
    ]);
    assert_eq!(line, "running  6\nfirst\n");
    drop(key);
    assert_eq!(pane.text(&["-w", "-O"]), "first\nsecond");
}

fn what_came_since_the_last_write_is_read(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    pane.run("echo one");
    pane.run("echo two");
    let since = pane.text(&["-S"]);
    assert!(
        since.contains("two\n") && !since.contains("one\n"),
        "{since:?}"
    );
    assert_eq!(pane.text(&["-S"]), since);
}

/// Case B15.
fn bytes_between_two_commands_belong_to_neither(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let gate = Gate::new(&server, "gate");
    assert_eq!(
        pane.run(&format!("(cat {}; echo LATE) & disown", gate.path()))
            .status,
        0
    );
    gate.open();
    pane.until_output("LATE\r\n");
    let id = pane.submit("echo now");
    assert_eq!(pane.text(&["-w", "-O", "-i", &id]), "now\n");
    let outputs: Vec<_> = pane
        .text(&["-l", "-F", "#{command_id}"])
        .lines()
        .map(|id| pane.text(&["-O", "-i", id]))
        .collect();
    assert!(
        outputs.iter().all(|output| !output.contains("LATE")),
        "{outputs:?}"
    );
    assert!(pane.text(&[]).contains("LATE\n"));
}

/// Case B15.
fn output_of_a_background_job_does_not_look_typed(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let gate = Gate::new(&server, "gate");
    pane.run(&format!("(cat {}; echo LATE) & disown", gate.path()));
    gate.open();
    pane.until_output("LATE\r\n");
    assert_eq!(pane.run("echo now").output, "now\n");
}

/// Cases D1 and B10.
fn text_is_clean_coloured_or_raw(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    assert_eq!(
        pane.run("printf '1%%\\r50%%\\r100%%\\nok\\n'").output,
        "100%\nok\n"
    );
    assert_eq!(pane.read(&["-O", "-r"]).ok(), b"1%\r50%\r100%\r\nok\r\n");
    assert_eq!(pane.run("printf 'first\\rsec\\n'").output, "secst\n");
    assert_eq!(pane.run("printf 'ab\\bc\\n'").output, "ac\n");
    assert_eq!(
        pane.run("printf '\\033[31mred\\033[0m \\033]0;title\\007end\\n'")
            .output,
        "red end\n"
    );
    assert_eq!(
        pane.text(&["-O", "-e"]),
        "\u{1b}[31mred\u{1b}[0m \u{1b}]0;title\u{7}end\r\n"
    );
    assert_eq!(
        pane.text(&["-O", "-r"]),
        "\u{1b}[31mred\u{1b}[0m \u{1b}]0;title\u{7}end\r\n"
    );

    // Marks are in what is raw alone.
    assert!(pane.text(&["-r"]).contains("\u{1b}]133;"));
    assert!(!pane.text(&["-e"]).contains("\u{1b}]133;"));
    assert!(pane.text(&["-e"]).contains("\u{1b}["));
    assert!(!pane.text(&[]).contains('\u{1b}'));
    // Bytes that are no text are kept in raw.
    pane.run("printf '\\377\\200x\\n'");
    assert_eq!(pane.read(&["-O", "-r"]).ok(), b"\xff\x80x\r\n");
}

/// Case D9.
fn a_line_longer_than_the_screen_stays_one_line(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    assert_eq!(
        pane.run("printf '%0500d\\n' 0").output,
        format!("{}\n", "0".repeat(500))
    );
}

/// Cases C10 and C11.
fn clearing_the_screen_does_not_change_the_record(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    for clear in ["[J", "[2J", "[3J", "c"] {
        let ran = pane.run(&format!("printf 'before\\n\\033{clear}after\\n'; (exit 3)"));
        assert_eq!(ran.status, 3);
        let raw = format!("before\r\n\u{1b}{clear}after\r\n");
        assert_eq!(pane.text(&["-O", "-r"]), raw);
        assert!(
            ran.output.starts_with("before\n") && ran.output.ends_with("after\n"),
            "{:?}",
            ran.output
        );
    }
    pane.run("echo kept");
    assert_eq!(pane.run("clear").output.trim(), "");
    let records = pane.text(&["-l", "-F", "#{command_id}"]);
    let kept = records.lines().rev().nth(1).unwrap();
    assert_eq!(pane.text(&["-O", "-i", kept]), "kept\n");
}

/// Case D7.
fn a_character_that_came_in_two_parts_is_read_whole(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let gate = Gate::new(&server, "gate");
    let id = pane.submit(&format!(
        "printf 'a\\344\\270'; cat {}; printf '\\255\\n'",
        gate.path()
    ));
    let key = gate.reached();
    server.wait_until("the first part", || {
        let raw = pane.read(&["-O", "-r"]).ok();
        if raw.ends_with(b"a\xe4\xb8") {
            Ok(())
        } else {
            Err(format!("{raw:?}"))
        }
    });
    let first = pane.read(&["-O", "-c"]).ok();
    assert_eq!(first, b"a");
    assert_eq!(pane.expand("#{pane_stream_bytes}"), "2");
    drop(key);
    pane.read(&["-w", "-i", &id]).ok();
    let second = pane.text(&["-c"]);
    assert!(second.starts_with("\u{4e2d}\n"), "{second:?}");
    assert_eq!(pane.text(&["-O"]), "a\u{4e2d}\n");
    // What will never be whole is no reason to wait for it.
    pane.run("printf '\\344\\270'");
    assert_eq!(pane.read(&["-O", "-r"]).ok(), b"\xe4\xb8");
    assert_eq!(pane.text(&["-O"]), "\u{fffd}");
}

/// Case D11.
fn a_full_screen_program_is_left_out(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let facts = "#{command_flags} #{read_alternate}";
    pane.run("echo before");
    let ran = pane.run("printf 'in\\n\\033[?1049hSCREEN\\033[?1049lout\\n'");
    assert_eq!(ran.output, "in\nout\n");
    assert_eq!(
        pane.text(&["-O", "-F", facts]),
        "alternate,by-program,finished 1\nin\nout\n"
    );
    assert!(pane.text(&["-O", "-r"]).contains("SCREEN"));
    pane.run("echo after");
    assert_eq!(
        pane.text(&["-O", "-F", facts]),
        "by-program,finished 0\nafter\n"
    );
    assert_eq!(
        pane.text(&["-l", "-F", "#{command_flags}"]),
        "by-program,finished\nalternate,by-program,finished\nby-program,finished\n"
    );
}

/// Case C22.
fn marks_in_a_file_that_is_printed_end_nothing(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let gate = Gate::new(&server, "gate");
    let file = server.folder().join("marks");
    std::fs::write(
        &file,
        "\x1b]133;D;0\x07\x1b]133;A\x07$ \x1b]133;B\x07x\n\x1b]133;C\x07text\n\x1b]133;D;1\x07",
    )
    .unwrap();
    let id = pane.submit(&format!(
        "cat {}; cat {}; (exit 6)",
        file.display(),
        gate.path()
    ));
    let key = gate.reached();
    pane.until("#{pane_command_state} #{pane_nested}", "running 1");
    let mut client = pane.start_read(&["-w", "-O", "-E", "-i", &id]);
    assert!(client.runs());
    drop(key);
    let ended = client.ended();
    assert_eq!((ended.status, ended.text().as_str()), (6, "$ x\ntext\n"));
    assert_eq!(
        pane.text(&["-l", "-F", "#{command_flags}"]),
        "foreign,by-program,finished\n"
    );
    assert_eq!(pane.run("true").status, 0);
    assert_eq!(pane.expand("#{pane_nested}"), "0");
}

fn flags_that_contradict_each_other_are_refused(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    pane.run("echo one");
    let ranges = ["-C", "-l", "-O", "-S", "-s"];
    for (n, one) in ranges.iter().enumerate() {
        for other in &ranges[n + 1..] {
            let ended = pane.read(&[one, other]);
            ended.failed(1, "only one of -a, -C, -l, -O, -S and -s may be given");
        }
    }
    pane.read(&["-e", "-r"])
        .failed(1, "-e and -r do not go together");
    for two in [
        &["-b", "b", "-p"][..],
        &["-o", "o", "-f", "f"],
        &["-o", "o", "-p"],
        &["-f", "f", "-b", "b"],
    ] {
        pane.read(two)
            .failed(1, "only one of -b, -f, -o and -p may be given");
        pane.read(&[two, &["-E"]].concat())
            .failed(125, "only one of -b, -f, -o and -p may be given");
    }
    pane.read(&["x"])
        .failed(1, "command read-pane: too many arguments");
    pane.read(&["-q"])
        .failed(1, "command read-pane: unknown flag -q");
    server
        .run(&["read-pane", "-t", "%99"])
        .failed(1, "can't find pane: %99");
    assert!(!server.folder().join("o").exists() && !server.folder().join("f").exists());
    assert!(pane.text(&["-r"]).contains("one"));
}
