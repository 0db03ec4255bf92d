//! The command `amux`, as a shell calls it.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A tenant of its own: the sockets, the files and the home folder lie in a
/// folder that goes with it, and so does its server.
struct Tenant(TempDir);

impl Tenant {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_amux"));
        command
            .args(arguments)
            .env("HOME", self.path())
            .env("TMUX_TMPDIR", self.path())
            .env("AMUX_TMUX", env!("AMUX_BUILT_TMUX"))
            .env_remove("AMUX_TENANT")
            .stdin(Stdio::null());
        command
    }

    /// Runs what amux said to type.
    fn shell(&self, text: &str) -> Outcome {
        let folder = Path::new(env!("CARGO_BIN_EXE_amux")).parent().unwrap();
        let path = std::env::var("PATH").unwrap();
        let like = self.command(&[]);
        let set = like
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?)));
        let mut shell = Command::new("/bin/sh");
        shell
            .args(["-c", text])
            .envs(set)
            .env_remove("AMUX_TENANT")
            .env("PATH", format!("{}:{path}", folder.display()))
            .stdin(Stdio::null());
        Outcome::of(shell.output().expect("a shell runs"))
    }

    fn amux(&self, arguments: &[&str]) -> Outcome {
        Outcome::of(self.command(arguments).output().expect("amux runs"))
    }

    fn amux_with_input(&self, arguments: &[&str], input: &str) -> Outcome {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("amux runs");
        let mut stdin = child.stdin.take().expect("its standard input");
        stdin.write_all(input.as_bytes()).expect("it reads");
        drop(stdin);
        Outcome::of(child.wait_with_output().expect("it ends"))
    }
}

impl Drop for Tenant {
    fn drop(&mut self) {
        // The outcome of the test stands; a server that is left shows as a
        // process.
        let _ = self.command(&["stop"]).output();
    }
}

#[derive(Debug)]
struct Outcome {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Outcome {
    fn of(output: Output) -> Self {
        Self {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }

    /// Checks the status and the whole standard output; nothing else was said.
    #[track_caller]
    fn is(&self, status: i32, stdout: &str) {
        assert_eq!(self.stderr, "");
        assert_eq!(self.stdout, stdout);
        assert_eq!(self.status, Some(status));
    }

    /// Checks that amux failed with one line, and nothing on standard output.
    #[track_caller]
    fn fails(&self, words: &str) {
        assert_eq!(self.status, Some(125), "{self:?}");
        assert_eq!(self.stdout, "");
        assert_eq!(self.stderr.lines().count(), 1, "{self:?}");
        assert!(self.stderr.starts_with("amux: "), "{self:?}");
        assert!(self.stderr.contains(words), "{self:?}");
    }

    /// Returns the command behind the words in the one line that was said.
    #[track_caller]
    fn said(&self, words: &str) -> &str {
        assert_eq!(self.status, Some(0), "{self:?}");
        assert_eq!(self.stderr.lines().count(), 1, "{self:?}");
        self.stderr
            .trim_end()
            .strip_prefix(&format!("amux: {words}: "))
            .unwrap_or_else(|| panic!("{self:?}"))
    }

    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

#[test]
fn run_prints_the_output_alone_and_exits_with_the_status() {
    let tenant = Tenant::new();
    tenant
        .amux(&["run", "w", "--", "echo", "one;", "(exit 7)"])
        .is(7, "one\n");
    tenant.amux(&["run", "w", "--", "printf abc"]).is(0, "abc");
}

#[test]
fn run_keeps_the_shell() {
    let tenant = Tenant::new();
    let text = "cd /usr; export V='a  b'";
    tenant.amux(&["run", "w", "--", text]).is(0, "");
    tenant
        .amux(&["run", "w", "--", "pwd; echo \"$V\""])
        .is(0, "/usr\na  b\n");
    // Another window is another shell.
    tenant
        .amux(&["run", "other", "--", "echo \"[$V]\""])
        .is(0, "[]\n");
}

#[test]
fn script_comes_from_a_file_or_standard_input() {
    let tenant = Tenant::new();
    let script = "cat <<'EOF'\n$x \"and\" 'more'\nEOF\nfalse\n";
    let path = tenant.path().join("script");
    fs::write(&path, script).unwrap();
    let path = path.to_str().unwrap();
    tenant
        .amux(&["run", "w", "-f", path])
        .is(1, "$x \"and\" 'more'\n");
    tenant
        .amux_with_input(&["run", "w", "-f", "-"], script)
        .is(1, "$x \"and\" 'more'\n");
}

#[test]
fn long_script_runs_whole_and_leaves_no_file() {
    let tenant = Tenant::new();
    let mut script = String::from("n=0\n");
    for i in 0..4000 {
        script.push_str(&format!("v='it'\\''s \"{i}\"'; n=$((n + 1))\n"));
    }
    script.push_str("cd /usr; echo \"$n $v\"; (exit 9)\n");
    assert!(script.len() > 100_000);
    tenant
        .amux_with_input(&["run", "w", "-f", "-"], &script)
        .is(9, "4000 it's \"3999\"\n");
    tenant.amux(&["run", "w", "--", "pwd"]).is(0, "/usr\n");
    let left: Vec<_> = fs::read_dir(tenant.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .starts_with("amux-")
        })
        .flat_map(|folder| fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with("shell-"))
        .collect();
    assert_eq!(left, [""; 0]);
}

#[test]
fn json_has_output_status_pipe_statuses_and_duration() {
    let tenant = Tenant::new();
    let outcome = tenant.amux(&["run", "w", "--json", "--", "echo é; (exit 3) | cat"]);
    assert_eq!(outcome.status, Some(0));
    let json = outcome.json();
    assert_eq!(json["output"], "é\n");
    assert_eq!(json["status"], 0);
    assert_eq!(json["ended"], "exited");
    assert_eq!(json["pipe_statuses"], serde_json::json!([3, 0]));
    assert_eq!(json["missing"], 0);
    assert_eq!(json["timed_out"], false);
    assert!(json["duration_ms"].as_f64().unwrap() >= 0.0);
    assert!(json["id"].as_u64().unwrap() > 0);
}

#[test]
fn bytes_that_are_no_text_come_whole() {
    let tenant = Tenant::new();
    let text = r"printf 'a\377b'";
    let raw = ["run", "w", "--raw", "--", text];
    let output = tenant.command(&raw).output().unwrap();
    assert_eq!(output.stdout, b"a\xffb");
    tenant.amux(&["run", "w", "--", text]).is(0, "a\u{fffd}b");
    let json = tenant.amux(&["run", "w", "--json", "--", text]).json();
    assert_eq!(json["output"], "a\u{fffd}b");
    assert_eq!(json["raw_base64"], "Yf9i");
}

#[test]
fn raw_keeps_every_byte() {
    let tenant = Tenant::new();
    let text = r"printf '1%%\r2%%\n\033[1mx\033[m\n'";
    tenant.amux(&["run", "w", "--", text]).is(0, "2%\nx\n");
    tenant
        .amux(&["run", "w", "--raw", "--", text])
        .is(0, "1%\r2%\r\n\x1b[1mx\x1b[m\r\n");
}

#[test]
fn time_that_is_over_exits_with_124_and_the_command_goes_on() {
    let tenant = Tenant::new();
    let text = "echo begun; read -r line; echo \"got $line\"; (exit 4)";
    let outcome = tenant.amux(&["run", "w", "--timeout", "2", "--", text]);
    assert_eq!(outcome.status, Some(124));
    assert_eq!(outcome.stdout, "begun\n");
    assert_eq!(outcome.stderr.lines().count(), 1);

    let outcome = tenant.amux(&["wait", "w", "--timeout", "0.1"]);
    assert_eq!(outcome.status, Some(124));
    let state = tenant.amux(&["state", "w", "--json"]).json();
    assert_eq!(state["state"], "running");
    assert_eq!(state["input"], "canonical");

    tenant.amux(&["run", "w", "--", "ls"]).fails("busy");
    let outcome = tenant.amux(&["write", "w", "--", "it\n"]);
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    let id = state["id"].to_string();
    let outcome = tenant.amux(&["wait", "w", "--id", &id, "--json"]);
    assert_eq!(outcome.status, Some(4), "{outcome:?}");
    assert_eq!(outcome.json()["status"], 4);
    tenant
        .amux(&["read", "w", "--id", &id])
        .is(0, "begun\nit\ngot it\n");
}

#[test]
fn shell_that_exits_is_told_at_once() {
    let tenant = Tenant::new();
    let outcome = tenant.amux(&["run", "w", "--", "set -e; echo last; (exit 3)"]);
    assert_eq!(outcome.status, Some(125));
    assert_eq!(outcome.stdout, "last\n");
    assert_eq!(outcome.stderr, "amux: no exit status: the shell exited\n");
    // The window went with its shell; the next run makes a new one.
    tenant
        .amux(&["run", "w", "--", "echo again"])
        .is(0, "again\n");
}

#[test]
fn bad_input_gets_one_line() {
    let tenant = Tenant::new();
    tenant.amux(&["run"]).fails("<NAME>");
    tenant.amux(&["run", "w"]).fails("nothing to run");
    tenant
        .amux(&["run", "w", "ls"])
        .fails("unexpected argument");
    tenant.amux(&["frob"]).fails("frob");
    tenant
        .amux(&["run", "a:b", "--", "ls"])
        .fails("invalid name");
    tenant.amux(&["run", "7", "--", "ls"]).fails("invalid name");
    tenant.amux(&["-L", "../x", "ls"]).fails("invalid name");
    tenant
        .amux(&["run", "w", "-f", "/nonexistent"])
        .fails("/nonexistent");
    tenant
        .amux(&["run", "w", "--", "a\x1bb"])
        .fails("0x1b at byte 1");
    tenant
        .amux(&["run", "w", "--timeout", "-1", "--", "ls"])
        .fails("timeout");
    tenant.amux(&["keys", "w", "Ctrl-C"]).fails("unknown key");
}

#[test]
fn what_is_missing_is_named() {
    let tenant = Tenant::new();
    tenant.amux(&["state", "w"]).fails("no server is running");
    tenant.amux(&["ls"]).is(0, "");
    tenant.amux(&["stop"]).is(0, "");
    tenant.amux(&["start"]).is(0, "");
    tenant.amux(&["ls"]).is(0, "");
    tenant.amux(&["state", "w"]).fails("no such session");
    tenant.amux(&["run", "w", "--", "true"]).is(0, "");
    tenant.amux(&["kill", "other"]).fails("no such window");
    tenant
        .amux(&["read", "w", "--id", "999"])
        .fails("no such command");
    let mut command = tenant.command(&["start"]);
    let output = command.env("AMUX_TMUX", "/nonexistent").output().unwrap();
    Outcome::of(output).fails("/nonexistent");
}

#[test]
fn windows_are_listed_and_killed() {
    let tenant = Tenant::new();
    tenant.amux(&["run", "a", "--", "(exit 3)"]).is(3, "");
    let outcome = tenant.amux(&["run", "b", "--session", "s", "--", "true"]);
    outcome.is(0, "");
    let json = tenant.amux(&["ls", "--json"]).json();
    let mut names: Vec<_> = json
        .as_array()
        .unwrap()
        .iter()
        .map(|w| format!("{}:{} {}", w["session"], w["name"], w["state"]))
        .collect();
    names.sort();
    assert_eq!(names, [r#""amux":"a" "idle""#, r#""s":"b" "idle""#]);
    tenant.amux(&["kill", "a"]).is(0, "");
    let outcome = tenant.amux(&["ls"]);
    assert!(outcome.stdout.starts_with("s:b  idle"), "{outcome:?}");
    tenant.amux(&["kill", "b", "--session", "s"]).is(0, "");
    tenant.amux(&["ls"]).is(0, "");
}

#[test]
fn records_and_unread_output_are_read() {
    let tenant = Tenant::new();
    tenant.amux(&["run", "w", "--", "echo one"]).is(0, "one\n");
    tenant.amux(&["run", "w", "--", "(exit 5)"]).is(5, "");
    let records = tenant.amux(&["read", "w", "--records"]).stdout;
    let words: Vec<Vec<_>> = records.lines().map(|l| l.split(' ').collect()).collect();
    assert_eq!(words.len(), 2, "{records}");
    assert_eq!(words[0][1..3], ["exited", "0"]);
    assert_eq!(words[1][1..3], ["exited", "5"]);
    tenant.amux(&["read", "w", "--output"]).is(0, "");
    let id = words[0][0];
    tenant.amux(&["read", "w", "--id", id]).is(0, "one\n");
    // Reading counts only where it was asked for.
    let unread = |arguments: &[&str]| tenant.amux(arguments).stdout;
    assert!(unread(&["read", "w"]).contains("one"));
    assert!(unread(&["read", "w", "--count"]).contains("one"));
    assert!(!unread(&["read", "w"]).contains("one"));
}

#[test]
fn what_is_left_out_is_said_with_the_command_that_shows_it() {
    let tenant = Tenant::new();
    let seq = |from: u32, to: u32| (from..=to).map(|n| format!("{n}\n")).collect::<String>();
    let run = |arguments: &[&str]| {
        let mut all = vec!["-L", "it", "run", "w", "--session", "s"];
        all.extend(arguments);
        tenant.amux(&[&all[..], &["--", "seq 1000"]].concat())
    };
    let outcome = run(&["--max-bytes", "20"]);
    assert_eq!(outcome.stdout, seq(1, 5) + &seq(999, 1000));
    let command = outcome.said("left out 3874 of 3893 bytes, 993 of 1000 lines; the rest");
    assert!(command.ends_with(" --bytes 10..3884"), "{command}");
    // The tenant and the session are in it; it prints the rest and tells the same of it.
    let rest = tenant.shell(command);
    assert_eq!(rest.stdout, seq(6, 998));
    rest.said("left out 19 of 3893 bytes, 7 of 1000 lines; all of it");

    let outcome = run(&["--max-line", "2"]);
    assert_eq!(outcome.stdout.lines().count(), 1000);
    let command =
        outcome.said("left out 902 of 3893 bytes, 0 of 1000 lines, and cut 901; all of it");
    tenant.shell(command).is(0, &seq(1, 1000));
    run(&["--max-line", "4", "--max-bytes", "4000"]).is(0, &seq(1, 1000));

    let json = run(&["--max-bytes", "20", "--json"]).json();
    assert_eq!(json["output"], seq(1, 5) + &seq(999, 1000));
    let amount = |bytes, lines| serde_json::json!({ "bytes": bytes, "lines": lines });
    let excerpt = &json["excerpt"];
    assert_eq!(excerpt["omitted"], amount(3874, 993));
    assert_eq!(excerpt["total"], amount(3893, 1000));
    assert_eq!(excerpt["omitted_after"], amount(0, 0));
    let second = &excerpt["pieces"][1];
    assert_eq!(second["omitted_before"], amount(3874, 993));
    assert_eq!(
        (&second["start"], &second["line"]),
        (&3884.into(), &999.into())
    );
    let rest = tenant.shell(json["rest"].as_str().unwrap());
    assert_eq!(rest.stdout, seq(6, 998));
    let json = run(&["--json"]).json();
    assert_eq!(json["rest"], Value::Null);
    assert_eq!(json["excerpt"]["omitted"], amount(0, 0));
    tenant.amux(&["-L", "it", "stop"]).is(0, "");
}

#[test]
fn parts_of_an_output_are_read_by_id() {
    let tenant = Tenant::new();
    let text = "for i in {1..300}; do echo \"it's $i\"; done";
    let json = tenant.amux(&["run", "w", "--json", "--", text]).json();
    let id = json["id"].to_string();
    tenant.amux(&["run", "w", "--", "true"]).is(0, "");
    let read =
        |arguments: &[&str]| tenant.amux(&[&["read", "w", "--id", &id][..], arguments].concat());
    assert_eq!(read(&["--head", "2"]).stdout, "it's 1\nit's 2\n");
    assert_eq!(read(&["--tail", "1"]).stdout, "it's 300\n");
    assert_eq!(read(&["--lines", "99-100"]).stdout, "it's 99\nit's 100\n");
    assert_eq!(read(&["--lines", "300-"]).stdout, "it's 300\n");
    assert_eq!(read(&["--bytes", "5..9"]).stdout, "1\nit");
    let head = read(&["--head", "299"]);
    let command = head.said("left out 9 of 2592 bytes, 1 of 300 lines; the rest");
    assert_eq!(tenant.shell(command).stdout, "it's 300\n");

    let search = ["--search", "s 10", "--max-hits", "2"];
    let found = read(&search);
    assert_eq!(found.stdout, "it's 10\nit's 100\n");
    let words = "2 of 11 hits; left out 2575 of 2592 bytes, 298 of 300 lines; the other hits";
    let others = tenant.shell(found.said(words));
    assert!(others.stdout.starts_with("it's 101\n"), "{others:?}");
    assert_eq!(others.stdout.lines().count(), 9);
    let around = read(&["--search", "'s 300", "--around", "1"]);
    assert_eq!(around.stdout, "it's 299\nit's 300\n");
    let json = read(&[&search[..], &["--json"]].concat()).json();
    assert_eq!(json["excerpt"]["hits"]["total"], 11);
    assert_eq!(
        json["excerpt"]["hits"]["lines"],
        serde_json::json!([10, 100])
    );
    let none = read(&["--search", "-nothing"]);
    assert_eq!(none.stdout, "");
    let words = "0 of 0 hits; left out 2592 of 2592 bytes, 300 of 300 lines; the rest";
    none.said(words);

    for wrong in [
        &["--lines", "0-1"][..],
        &["--bytes", "3"],
        &["--head", "-1"],
        &["--head", "1", "--tail", "1"],
        &["--around", "1"],
        &["--search", "a\nb"],
    ] {
        read(wrong).fails("");
    }
    // What nobody has read is not lost by halves.
    let both = ["read", "w", "--count", "--max-bytes", "3"];
    tenant.amux(&both).fails("would count as read");
}

#[test]
fn screen_is_captured_with_its_scrollback() {
    let tenant = Tenant::new();
    tenant.amux(&["capture", "w"]).fails("no server is running");
    // `clear` would clear the scrollback as well.
    let text = r"seq 100; printf '\033[H\033[2Jend\n'; read -r line";
    let run = ["run", "w", "--", text];
    let mut child = tenant.command(&run).stdout(Stdio::null()).spawn().unwrap();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while tenant.amux(&["capture", "w"]).stdout != "end\n" {
        assert!(std::time::Instant::now() < deadline);
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let json = tenant
        .amux(&["capture", "w", "--history", "3", "--json"])
        .json();
    assert_eq!((&json["rows"], &json["columns"]), (&24.into(), &200.into()));
    assert_eq!(json["history_rows"], 3);
    assert_eq!(json["screen_bytes"], 4);
    assert_eq!(json["full_screen"], false);
    assert_eq!(json["cursor"], Value::Null);
    let text = json["text"].as_str().unwrap();
    assert_eq!(text.lines().count(), 4, "{text:?}");
    let outcome = tenant.amux(&["capture", "w", "--history", "3"]);
    outcome.is(0, text);
    tenant.amux(&["capture", "other"]).fails("no such window");
    tenant.amux(&["keys", "w", "Enter"]).is(0, "");
    child.wait().unwrap();
}

#[test]
fn two_that_start_at_once_share_one_server_and_one_window() {
    let tenant = Tenant::new();
    let children: Vec<_> = (0..4)
        .map(|i| {
            let text = format!("echo {i}");
            let arguments = ["run", "w", "--wait-idle", "30", "--json", "--", &text];
            let mut command = tenant.command(&arguments);
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    for (i, child) in children.into_iter().enumerate() {
        let outcome = Outcome::of(child.wait_with_output().unwrap());
        assert_eq!(outcome.status, Some(0), "{outcome:?}");
        assert_eq!(outcome.json()["output"], format!("{i}\n"));
    }
    let json = tenant.amux(&["ls", "--json"]).json();
    assert_eq!(json.as_array().unwrap().len(), 1, "{json}");
}

#[test]
fn doctor_names_the_programs_and_the_server() {
    let tenant = Tenant::new();
    let json = tenant.amux(&["doctor", "--json"]).json();
    assert_eq!(json["tmux"], env!("AMUX_BUILT_TMUX"));
    assert_eq!(json["server"], Value::Null);
    tenant.amux(&["start"]).is(0, "");
    let json = tenant.amux(&["doctor", "--json"]).json();
    assert_eq!(json["server"]["backend"], "patched");
    assert_eq!(json["server"]["transport"], "socket");
    assert_eq!(json["server"]["version"], json["tmux_version"]);
    assert_eq!(json["shell"]["good"], true, "{json}");
    assert!(tenant.amux(&["doctor"]).stdout.ends_with("as it must be\n"));

    // Read by the shells that start from now on.
    fs::write(tenant.path().join(".bash_profile"), "PROMPT_COMMAND=:\n").unwrap();
    let json = tenant.amux(&["doctor", "--json"]).json();
    let shell = &json["shell"];
    assert_eq!(shell["prompt_command"], ":");
    assert_eq!(shell["good"], false);
    for (name, found) in [
        ("answered", true),
        ("bracketed_paste", true),
        ("integrated", false),
        ("status", false),
        ("pipe_statuses", false),
    ] {
        assert_eq!(shell[name], found, "{name}");
    }
    let told = tenant.amux(&["doctor"]).stdout;
    assert!(told.contains("lacks the shell integration"), "{told}");
}

#[test]
fn install_puts_the_files_in_place_and_replaces_them() {
    let tenant = Tenant::new();
    let folder = tenant.path().join("dest");
    let arguments = [
        "install",
        "--prefix",
        "/opt/amux",
        "--destdir",
        folder.to_str().unwrap(),
    ];
    let root = folder.join("opt/amux");
    for _ in 0..2 {
        let outcome = tenant.amux(&arguments);
        assert_eq!(outcome.status, Some(0), "{outcome:?}");
        for (name, text) in amux::SHELL_INTEGRATION {
            let path = root.join("share/amux/shell").join(name);
            assert_eq!(fs::read_to_string(path).unwrap(), text);
        }
        // A profile loads what was installed.
        let mut init = Command::new(root.join("bin/amux"));
        init.args(["init", "--print"]);
        let profile = String::from_utf8(init.output().unwrap().stdout).unwrap();
        let script = root.join("share/amux/shell/amux.zsh");
        assert!(profile.contains(script.to_str().unwrap()), "{profile}");
        // What was installed works, from where it is.
        let mut installed = Command::new(root.join("bin/amux"));
        installed
            .args(["doctor", "--json"])
            .env_remove("AMUX_TMUX")
            .env("TMUX_TMPDIR", tenant.path());
        let json = Outcome::of(installed.output().unwrap()).json();
        let tmux = root.join("bin/tmux-custom");
        assert_eq!(json["tmux"], tmux.to_str().unwrap());
    }
}

#[test]
fn reader_that_has_gone_is_no_failure() {
    let tenant = Tenant::new();
    let mut child = tenant
        .command(&["run", "w", "--", "seq 1 100000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let outcome = Outcome::of(child.wait_with_output().unwrap());
    assert_eq!(outcome.stderr, "");
    assert_eq!(outcome.status, Some(0));
}
