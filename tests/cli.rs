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
    let outcome = tenant.amux(&["run", "w", "--timeout", "0.3", "--", text]);
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
    assert_eq!(json["server"]["version"], json["tmux_version"]);
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
        assert!(root.join("share/amux/shell/amux.bash").is_file());
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
