//! What write-pane writes, and when it submits.

use std::path::Path;

use crate::support::topic::topic;
use crate::support::{Build, Gate, Pane, Server, Setup};

topic!("writing":
    bytes_go_out_as_they_are,
    words_are_joined_by_one_blank,
    base64_is_decoded,
    a_file_counts_from_the_folder_of_the_client,
    a_file_that_cannot_be_read_is_named,
    a_mebibyte_arrives_whole,
    a_long_line_runs_at_a_prompt,
    an_empty_submission_is_enter_alone,
    one_newline_at_the_end_is_the_enter,
    never_submits_whatever_it_ends_with,
    neither_flag_submits_by_the_last_byte,
    a_submission_is_a_paste_where_that_is_asked_for,
    what_the_shell_makes_of_a_text_is_what_a_person_gets,
    ids_only_grow_and_are_the_servers,
    the_id_is_known_to_the_rest_of_the_sequence,
    the_mark_is_set_without_a_submission_too,
);

/// Starts a program that notes every byte it gets in a file, its terminal raw, and waits until it does.
pub fn recorder<'a>(server: &'a Server, path: &Path) -> Pane<'a> {
    let script = format!("stty raw -echo; echo ready; exec cat >'{}'", path.display());
    let pane = server.window(&["sh", "-c", &script]);
    pane.until_output("ready");
    pane.until("#{pane_foreground}", "cat");
    pane
}

/// Waits until a file has so many bytes, and returns them.
fn received(server: &Server, path: &Path, size: usize) -> Vec<u8> {
    server.wait_until(&format!("{size} bytes in {}", path.display()), || {
        let bytes = std::fs::read(path).unwrap_or_default();
        if bytes.len() >= size {
            Ok(bytes)
        } else {
            Err(format!("{} bytes", bytes.len()))
        }
    })
}

/// Cases A10 and A11.
fn bytes_go_out_as_they_are(build: &Build) {
    let server = Server::start(build);
    let path = server.folder().join("got");
    let pane = recorder(&server, &path);
    let every: Vec<u8> = (0..=255).collect();
    let texts: [&[u8]; 9] = [
        b"echo a;",
        b";",
        b"a;;b",
        b"x\\;",
        b"-x --",
        b"--",
        b"#{pane_id} %% $HOME `id`",
        b"\xe2\x9c\x9c\xff",
        &every,
    ];
    let mut all = Vec::new();
    for text in texts {
        pane.write(&["-n"], text).ok();
        all.extend_from_slice(text);
        assert_eq!(received(&server, &path, all.len()), all);
    }
    // As arguments, where tmux's own parser leaves them alone.
    for text in ["-x --", "--", "$HOME #{pane_id}", "Enter C-c", "a b"] {
        server.tmux(&["write-pane", "-n", "-t", &pane.id, "--", text]);
        all.extend_from_slice(text.as_bytes());
        assert_eq!(received(&server, &path, all.len()), all);
    }
}

fn words_are_joined_by_one_blank(build: &Build) {
    let server = Server::start(build);
    let path = server.folder().join("got");
    let pane = recorder(&server, &path);
    server.tmux(&["write-pane", "-n", "-t", &pane.id, "a", "", " b ", "c"]);
    assert_eq!(received(&server, &path, 8), b"a   b  c");
    server.tmux(&["writep", "-n", "-t", &pane.id, "", "."]);
    assert_eq!(received(&server, &path, 10), b"a   b  c .");
}

fn base64_is_decoded(build: &Build) {
    let server = Server::start(build);
    let path = server.folder().join("got");
    let pane = recorder(&server, &path);
    let mut all: Vec<u8> = Vec::new();
    let pairs: [(&str, &[u8]); 6] = [
        ("", b""),
        ("QQ==", b"A"),
        ("QUI=", b"AB"),
        ("QUJD", b"ABC"),
        ("AP+A/w==", b"\x00\xff\x80\xff"),
        ("c28gbG9uZwo=", b"so long\n"),
    ];
    for (text, bytes) in pairs {
        server.tmux(&["write-pane", "-n", "-b", text, "-t", &pane.id]);
        all.extend_from_slice(bytes);
        assert_eq!(received(&server, &path, all.len()), all);
    }
    let wrong = [
        "Q",
        "QQ",
        "QQ=",
        "QUI",
        "=",
        "==",
        "===",
        "====",
        "Q===",
        "QQ==QQ==",
        "QU=I",
        "Q Q=",
        "QQ==\n",
        "QUJD\n",
        "QUJ\n",
        "QR==",
        "QUJ=",
        "QU-_",
        "Q\u{e9}==",
        "QUJDQ",
    ];
    for text in wrong {
        let ended = server.run(&["write-pane", "-e", "-b", text, "-t", &pane.id]);
        ended.failed(1, "invalid base64");
    }
    pane.write(&["-n"], b".").ok();
    all.push(b'.');
    assert_eq!(received(&server, &path, all.len()), all);
}

fn a_file_counts_from_the_folder_of_the_client(build: &Build) {
    let server = Server::start(build);
    let path = server.folder().join("got");
    let pane = recorder(&server, &path);
    // The server runs in its home folder, the client in the one above.
    std::fs::write(server.folder().join("text"), "the client's").unwrap();
    std::fs::write(server.folder().join("home/text"), "the server's").unwrap();
    server.tmux(&["write-pane", "-n", "-f", "text", "-t", &pane.id]);
    assert_eq!(received(&server, &path, 12), b"the client's");
    let absolute = server.folder().join("home/text").display().to_string();
    server.tmux(&["write-pane", "-n", "-f", &absolute, "-t", &pane.id]);
    assert_eq!(received(&server, &path, 24), b"the client'sthe server's");
}

fn a_file_that_cannot_be_read_is_named(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let total = pane.expand("#{pane_stream_total}");
    let ended = server.run(&[
        "write-pane",
        "-e",
        "-f",
        "missing",
        "-t",
        &pane.id,
        ";",
        "set",
        "-g",
        "@ran",
        "1",
    ]);
    assert_eq!(ended.status, 1);
    assert!(
        ended.err.contains("missing: No such file or directory"),
        "{:?}",
        ended.err
    );
    assert_eq!(server.option("@ran"), "");
    assert_eq!(pane.expand("#{pane_stream_total}"), total);
}

/// Case A7.
fn a_mebibyte_arrives_whole(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let path = server.folder().join("got");
    let line = |n: usize| format!("{n:063}\n");
    let text: String = (0..16384).map(line).collect();
    assert_eq!(text.len(), 1 << 20);
    pane.submit(&format!("cat >'{}'", path.display()));
    pane.until("#{pane_foreground}", "cat");
    pane.write(&["-n"], text.as_bytes()).ok();
    assert!(received(&server, &path, text.len()) == text.as_bytes());
    pane.write(&["-n"], b"\x04").ok();
    pane.until_prompt();

    // The same to a program that reads keys.
    let raw = server.folder().join("raw");
    let other = recorder(&server, &raw);
    other.write(&["-n"], text.as_bytes()).ok();
    assert!(received(&server, &raw, text.len()) == text.as_bytes());
}

/// Cases A5 and A9 (a).
fn a_long_line_runs_at_a_prompt(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    for size in [450, 5000, 100_000] {
        let word = "x".repeat(size);
        let ran = pane.run(&format!("printf %s {word} | wc -c"));
        assert_eq!((ran.status, ran.output), (0, format!("{size}\n")));
    }
}

fn an_empty_submission_is_enter_alone(build: &Build) {
    let server = Server::start(build);
    let path = server.folder().join("got");
    let pane = recorder(&server, &path);
    server.tmux(&["write-pane", "-e", "-t", &pane.id]);
    pane.write(&["-e"], b"").ok();
    server.tmux(&["write-pane", "-e", "-b", "", "-t", &pane.id]);
    assert_eq!(received(&server, &path, 3), b"\r\r\r");
}

fn one_newline_at_the_end_is_the_enter(build: &Build) {
    let server = Server::start(build);
    let path = server.folder().join("got");
    let pane = recorder(&server, &path);
    let mut all = Vec::new();
    for (text, bytes) in [
        ("a", "a\r"),
        ("b\n", "b\r"),
        ("c\r\n", "c\r"),
        ("d\n\n", "d\n\r"),
        ("\n", "\r"),
        ("e\r", "e\r\r"),
    ] {
        pane.write(&["-e"], text.as_bytes()).ok();
        all.extend_from_slice(bytes.as_bytes());
        assert_eq!(received(&server, &path, all.len()), all);
    }
}

fn never_submits_whatever_it_ends_with(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let out = pane.write(&["-n", "-P"], b"echo typed\n").ok();
    assert_eq!(out, b"");
    pane.until_output("typed\r\n");
    pane.until_prompt();
    assert_eq!(
        pane.text(&["-l", "-F", "#{command_status} #{command_flags}"]),
        "0 finished\n"
    );
    pane.write(&["-e", "-n"], b"x")
        .failed(1, "-e and -n do not go together");
}

fn neither_flag_submits_by_the_last_byte(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    assert_eq!(pane.write(&["-P"], b"echo ha").ok(), b"");
    assert_eq!(pane.write(&["-P"], b"lf").ok(), b"");
    for end in ["\n", "\r"] {
        let id = String::from_utf8(
            pane.write(&["-P"], format!("; echo {}{end}", end.len()).as_bytes())
                .ok(),
        )
        .unwrap();
        let id = id.trim_end();
        assert_ne!(id, "");
        pane.read(&["-w", "-E", "-i", id])
            .failed(if end == "\n" { 0 } else { 2 }, "");
        pane.until_prompt();
    }
    assert_eq!(pane.text(&["-l", "-F", "#{command_status}"]), "0\n2\n");
}

fn a_submission_is_a_paste_where_that_is_asked_for(build: &Build) {
    let server = Server::start(build);
    let path = server.folder().join("got");
    let pane = recorder(&server, &path);
    // No paste where the program has not asked for it.
    pane.write(&["-e"], b"a\nb\n").ok();
    let mut all = b"a\nb\r".to_vec();
    assert_eq!(received(&server, &path, all.len()), all);
    server.tmux(&["kill-pane", "-t", &pane.id]);

    let path = server.folder().join("pasted");
    let script = format!(
        "stty raw -echo; printf '\\033[?2004hready'; exec cat >'{}'",
        path.display()
    );
    let pane = server.window(&["sh", "-c", &script]);
    pane.until_output("ready");
    pane.until("#{pane_foreground}", "cat");
    all.clear();
    let pairs = [
        (&["-e"][..], "a\nb\n", "\x1b[200~a\nb\x1b[201~\r"),
        (&["-e"], "one\n", "\x1b[200~one\x1b[201~\r"),
        (&["-e"], "\ttab", "\x1b[200~\ttab\x1b[201~\r"),
        (&["-e"], "", "\r"),
        (&[], "a\nb\n", "a\nb\n"),
        (&["-n"], "a\nb\n", "a\nb\n"),
    ];
    for (flags, text, bytes) in pairs {
        pane.write(flags, text.as_bytes()).ok();
        all.extend_from_slice(bytes.as_bytes());
        assert_eq!(received(&server, &path, all.len()), all);
    }
    // A text that would end its own paste would run what follows.
    pane.write(&["-e"], b"a\x1b[201~\nid")
        .failed(1, "paste would end early");
    pane.write(&["-e"], b"a\n\x1b[201~")
        .failed(1, "paste would end early");
    pane.write(&["-e"], b"\x1b[201~")
        .failed(1, "paste would end early");
    // Without -e it is no paste, and half the sequence ends none.
    pane.write(&["-n"], b"\x1b[201~").ok();
    pane.write(&["-e"], b"a\nb\x1b[201").ok();
    all.extend_from_slice(b"\x1b[201~\x1b[200~a\nb\x1b[201\x1b[201~\r");
    assert_eq!(received(&server, &path, all.len()), all);
}

/// Cases A13, A14, A17, B3, B5, B10, B14, B21.
fn what_the_shell_makes_of_a_text_is_what_a_person_gets(build: &Build) {
    let server = Server::with(
        build,
        &Setup {
            home: vec![(
                ".bash_profile".to_owned(),
                "PS1='$ '; set -o histexpand\n".to_owned(),
            )],
            ..Setup::default()
        },
    );
    let pane = server.shell();
    let texts: [(&str, i32, &str); 14] = [
        ("echo hello", 0, "hello\n"),
        ("printf abc", 0, "abc"),
        ("echo a; (exit 4); echo b; (exit 3)", 3, "a\nb\n"),
        ("echo a\n(exit 3)\n", 3, "a\n"),
        ("cd /tmp\npwd\nfalse", 1, "/tmp\n"),
        ("pwd", 0, "/tmp\n"),
        ("printf %s ' != '", 0, " != "),
        (
            "cat <<'EOF'\n$x `id` ' \" C:\\\\U\nEOF\n",
            0,
            "$x `id` ' \" C:\\\\U\n",
        ),
        ("false|true; { echo b; }", 0, "b\n"),
        ("echo c # a comment", 0, "c\n"),
        ("echo d \\\ne", 0, "d e\n"),
        ("sh -c 'exit 3' | cat", 0, ""),
        ("yes | head -n 1", 0, "y\n"),
        ("A=1; export B=2\necho $A$B", 0, "12\n"),
    ];
    for (text, status, output) in texts {
        let ran = pane.run(text);
        assert_eq!(
            (ran.status, ran.output.as_str()),
            (status, output),
            "{text:?}"
        );
        match text {
            "yes | head -n 1" => assert_eq!(pane.expand("#{pane_command_pipestatus}"), "141,0"),
            "sh -c 'exit 3' | cat" => assert_eq!(pane.expand("#{pane_command_pipestatus}"), "3,0"),
            _ => {}
        }
    }
    assert_eq!(pane.run("echo $A$B").output, "12\n");
}

fn ids_only_grow_and_are_the_servers(build: &Build) {
    let server = Server::start(build);
    let first = server.shell();
    let second = server.window(&[]);
    second.until_prompt();
    let mut last = 0;
    for pane in [&first, &second, &first, &second] {
        let id: u64 = pane.submit("true").parse().unwrap();
        assert!(id > last, "{id} after {last}");
        last = id;
        pane.until_prompt();
        assert_eq!(pane.expand("#{pane_command_id}"), id.to_string());
    }
}

fn the_id_is_known_to_the_rest_of_the_sequence(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let gate = Gate::new(&server, "gate");
    let out = server.tmux(&[
        "write-pane",
        "-P",
        "-e",
        "-t",
        &pane.id,
        &format!("cat {}", gate.path()),
        ";",
        "display-message",
        "-p",
        "#{write_pane_id}",
        ";",
        // Another client's submission, or another pane's, is not what it names.
        "read-pane",
        "-s",
        "-F",
        "#{command_id} #{command_ended}",
        "-t",
        &pane.id,
    ]);
    let lines: Vec<_> = out.lines().collect();
    assert_eq!(lines.len(), 3, "{out:?}");
    assert_eq!(lines[0], lines[1]);
    assert!(
        lines[2] == format!("{} submitted", lines[0])
            || lines[2] == format!("{} running", lines[0]),
        "{out:?}"
    );
    gate.open();
    pane.until_prompt();
    assert_eq!(
        server.tmux(&["display-message", "-p", "#{write_pane_id}"]),
        ""
    );
}

fn the_mark_is_set_without_a_submission_too(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    pane.run("echo before");
    pane.write(&["-n"], b"echo since\r").ok();
    pane.until_output("since\r\n");
    pane.until_prompt();
    let since = pane.text(&["-S"]);
    assert!(
        since.contains("since\n") && !since.contains("before"),
        "{since:?}"
    );
}
