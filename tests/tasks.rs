//! `amux task`, as a shell calls it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// How long what is waited for may take on a busy machine.
const LONG: Duration = Duration::from_secs(30);

const NAME: &str = "web-staging-deploy";
const WATCH: &str = "web-staging-watch";

/// Goes on until a file is there.
const UNTIL_GO: &str = "until [ -e go ]; do sleep 0.05; done";

/// A tenant of its own, whose sockets, files and home folder lie in a folder
/// that goes with it, and so does its server.
struct Tenant(TempDir);

#[derive(Debug)]
struct Outcome {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Tenant {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::write(&path, text).expect("a file");
        path
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
        let output = self.command(arguments).output().expect("amux runs");
        Outcome {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }

    fn task(&self, arguments: &[&str]) -> Outcome {
        let mut all = vec!["task"];
        all.extend(arguments);
        self.amux(&all)
    }

    /// The names in a list.
    fn listed(&self, arguments: &[&str]) -> Vec<String> {
        let list = self.task(arguments).json();
        let tasks = list.as_array().expect("an array");
        let name = |task: &Value| task["name"].as_str().expect("a name").to_owned();
        tasks.iter().map(name).collect()
    }

    /// Looks at the list until its first task is such.
    fn until(&self, such: impl Fn(&Value) -> bool) -> Value {
        let start = Instant::now();
        loop {
            let list = self.task(&["ls", "--json"]).json();
            if such(&list[0]) {
                return list[0].clone();
            }
            assert!(start.elapsed() < LONG, "it stays: {list}");
        }
    }
}

impl Drop for Tenant {
    fn drop(&mut self) {
        // The outcome of the test stands; a server that is left shows as a
        // process.
        let _ = self.command(&["stop"]).output();
    }
}

impl Outcome {
    /// Checks the status and the whole standard output; nothing else was said.
    #[track_caller]
    fn is(&self, status: i32, stdout: &str) {
        assert_eq!(self.stderr, "");
        assert_eq!((self.status, self.stdout.as_str()), (Some(status), stdout));
    }

    /// Checks the status, the standard output, and the one line that was said.
    #[track_caller]
    fn says(&self, status: i32, stdout: &str, words: &str) {
        assert_eq!(self.status, Some(status), "{self:?}");
        assert_eq!(self.stdout, stdout, "{self:?}");
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
fn run_creates_the_window_and_gives_output_and_status() {
    let tenant = Tenant::new();
    let script = "cat <<'EOF'\nit's \"quoted\" $x `y` \\\nEOF\ncd /usr\n(exit 7)\n";
    let path = tenant.write("job.sh", script);
    let path = path.to_str().unwrap();
    tenant
        .task(&["run", NAME, "-f", path])
        .is(7, "it's \"quoted\" $x `y` \\\n");
    // Used again, and it is a window as any other.
    tenant.task(&["run", NAME, "--", "pwd"]).is(0, "/usr\n");
    tenant.amux(&["run", NAME, "--", "pwd"]).is(0, "/usr\n");
    let run = ["run", NAME, "--json", "--", "echo one; false | true"];
    let json = tenant.task(&run).json();
    assert_eq!(json["output"], "one\n");
    assert_eq!(json["pipe_statuses"], serde_json::json!([1, 0]));
    let long = ["run", NAME, "--max-bytes", "10", "--", "seq 1000"];
    let long = tenant.task(&long);
    assert!(
        long.stdout.starts_with("1\n") && long.stdout.len() <= 10,
        "{long:?}"
    );
    assert!(long.stderr.contains("left out"), "{long:?}");
    tenant
        .task(&["run", NAME, "--timeout", "0.1", "--", "cd; ", UNTIL_GO])
        .says(124, "", "goes on");
    tenant
        .task(&["run", NAME, "--", "echo no"])
        .says(125, "", "busy");
    tenant.write("go", "");
    tenant.amux(&["wait", NAME, "--timeout", "30"]).is(0, "");
}

#[test]
fn names_are_refused_before_a_server_is_started() {
    let tenant = Tenant::new();
    for name in [
        "build",
        "a-b",
        "a--c",
        "a-b-c.d",
        "a-b-",
        "12345678901234567890123456-b-c",
    ] {
        for words in [
            &["run", name, "--", "true"][..],
            &["watch", name],
            &["done", name, "--", "true"],
        ] {
            tenant.task(words).says(125, "", "invalid name");
        }
    }
    tenant.task(&["run", NAME]).says(125, "", "nothing to run");
    tenant.task(&["ls"]).is(0, "");
    tenant.task(&["ls", "--json"]).is(0, "[]\n");
    tenant
        .task(&["done", NAME, "--", "true"])
        .says(125, "", "no server");
    let doctor = tenant.amux(&["doctor", "--json"]).json();
    assert_eq!(doctor["server"], Value::Null);
}

#[test]
fn watch_renames_what_stays() {
    let tenant = Tenant::new();
    // One process to interrupt: between those of a loop the terminal is nobody's for a
    // moment, and the key is lost.
    let text = "echo begun; sleep 600";
    tenant.task(&["run", NAME, "--", "true"]).is(0, "");
    tenant
        .task(&["watch", NAME])
        .says(125, "", "nothing runs in it");
    tenant
        .task(&["watch", NAME, "--", "echo no log; (exit 4)"])
        .says(125, "no log\n", "exited with status 4");
    tenant
        .task(&["watch", NAME, "--settle", "0.2", "--", text])
        .is(0, &format!("{WATCH}\n"));
    let task = tenant.until(|task| task["state"] == "watch");
    assert_eq!(
        (&task["name"], &task["began_as"]),
        (&WATCH.into(), &NAME.into())
    );
    assert_eq!(task["stale"], false);
    let json = tenant.task(&["watch", WATCH, "--json"]).json();
    assert_eq!(
        json,
        serde_json::json!({ "name": WATCH, "session": "amux" })
    );
    tenant
        .task(&["done", WATCH, "--", "true"])
        .says(125, "", "busy");
    tenant.amux(&["keys", WATCH, "C-c"]).is(0, "");
    tenant
        .task(&["done", WATCH, "--wait-idle", "30", "--", "echo checked"])
        .is(0, "checked\n");
    tenant.task(&["ls"]).is(0, "");
}

#[test]
fn done_closes_the_window_when_the_verification_passes() {
    let tenant = Tenant::new();
    tenant.task(&["run", NAME, "--", "out=result"]).is(0, "");
    tenant
        .task(&["done", NAME, "--", "echo look; [ -e \"$out\" ]"])
        .says(1, "look\n", "the verification exited with status 1");
    let late = ["done", NAME, "--timeout", "0.1", "--", UNTIL_GO];
    let late = tenant.task(&late);
    assert_eq!(late.status, Some(124), "{late:?}");
    assert!(late.stderr.contains("did not end in time"), "{late:?}");
    tenant.write("go", "");
    tenant.amux(&["wait", NAME, "--timeout", "30"]).is(0, "");
    let json = tenant
        .task(&["done", NAME, "--json", "--", "(exit 3)"])
        .json();
    assert_eq!(
        (&json["status"], &json["closed"]),
        (&3.into(), &false.into())
    );
    assert_eq!(tenant.listed(&["ls", "--json"]), [NAME]);

    tenant.write("result", "");
    let json = tenant
        .task(&["done", NAME, "--json", "--", "ls $out"])
        .json();
    assert_eq!(
        (&json["output"], &json["closed"]),
        (&"result\n".into(), &true.into())
    );
    assert_eq!(tenant.listed(&["ls", "--json"]), [""; 0]);
    tenant.amux(&["ls"]).is(0, "");
    // A window of no task stays, whatever is verified.
    tenant.amux(&["run", NAME, "--", "true"]).is(0, "");
    tenant
        .task(&["done", NAME, "--", "true"])
        .says(125, "", "not that of a task");
    assert_eq!(tenant.amux(&["ls", "--json"]).json()[0]["name"], NAME);
}

#[test]
fn list_of_stale_ones_has_what_ended_and_nothing_that_runs() {
    let tenant = Tenant::new();
    tenant.task(&["run", "a-b-ok", "--", "true"]).is(0, "");
    tenant
        .task(&["run", "a-b-bad", "--session", "s", "--", "(exit 3)"])
        .is(3, "");
    let runs = ["run", "a-b-runs", "--timeout", "0.1", "--", UNTIL_GO];
    assert_eq!(tenant.task(&runs).status, Some(124));
    tenant.amux(&["run", "plain", "--", "true"]).is(0, "");
    assert_eq!(
        tenant.listed(&["ls", "--json"]),
        ["a-b-ok", "a-b-runs", "a-b-bad"]
    );
    assert_eq!(
        tenant.listed(&["ls", "--stale", "--json"]),
        ["a-b-ok", "a-b-bad"]
    );
    assert_eq!(tenant.listed(&["ls", "--stale", "3600", "--json"]), [""; 0]);
    let table = tenant.task(&["ls"]);
    assert_eq!((table.status, &*table.stderr), (Some(0), ""));
    let lines: Vec<Vec<&str>> = table
        .stdout
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(lines[0][..4], ["a-b-ok", "finished", "bash", "0"]);
    assert_eq!((lines[1][1], lines[1][4]), ("running", "-"));
    assert_eq!(lines[2][..4], ["s:a-b-bad", "failed", "bash", "3"]);
    assert_eq!(lines.len(), 3, "{table:?}");
    tenant.write("go", "");
    tenant
        .amux(&["wait", "a-b-runs", "--timeout", "30"])
        .is(0, "");
    assert_eq!(tenant.listed(&["ls", "--stale", "--json"]).len(), 3);
}
