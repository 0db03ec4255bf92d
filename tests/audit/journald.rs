//! A journald of a trial's own, by a namespace.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

use crate::support::deadline::{LONG, wait_until};
use crate::tenant::Tenant;

/// Why there is none.
pub enum Cannot {
    NotRoot,
    Missing,
}

/// Where distributions put it.
const PROGRAMS: [&str; 2] = [
    "/usr/lib/systemd/systemd-journald",
    "/lib/systemd/systemd-journald",
];

/// Says whether one can be started.
pub fn usable() -> Result<(), Cannot> {
    if !rustix::process::geteuid().is_root() {
        return Err(Cannot::NotRoot);
    }
    let journalctl = Command::new("journalctl")
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    match (program(), journalctl.is_ok_and(|status| status.success())) {
        (Some(_), true) => Ok(()),
        _ => Err(Cannot::Missing),
    }
}

fn program() -> Option<&'static str> {
    PROGRAMS.into_iter().find(|path| Path::new(path).exists())
}

/// A journald that ends with this, and its files with it.
struct Journald {
    namespace: String,
    child: Child,
}

impl Journald {
    fn start() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let n = NEXT.fetch_add(1, Ordering::Relaxed);
        let namespace = format!("amux-t{}-{n}", std::process::id());
        std::fs::create_dir_all("/run/systemd").unwrap();
        let child = spawn(&namespace);
        let journald = Self { namespace, child };
        journald.until_it_listens();
        journald
    }

    fn folder(&self) -> PathBuf {
        format!("/run/systemd/journal.{}", self.namespace).into()
    }

    fn socket(&self) -> PathBuf {
        self.folder().join("socket")
    }

    fn until_it_listens(&self) {
        wait(&format!("{} to be taken", self.socket().display()), || {
            let socket = std::os::unix::net::UnixDatagram::unbound().unwrap();
            socket
                .connect(self.socket())
                .map_err(|error| error.to_string())
        });
    }

    /// Ends it, as its service would.
    fn end(&mut self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        self.child.wait().unwrap();
    }

    fn start_again(&mut self) {
        self.child = spawn(&self.namespace);
        self.until_it_listens();
    }

    /// Returns our entries, in their order, as journalctl has them.
    fn entries(&self) -> Vec<Value> {
        let output = Command::new("journalctl")
            .arg(format!("--namespace={}", self.namespace))
            .args(["-o", "json", "--all", "SYSLOG_IDENTIFIER=amux"])
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    fn until_there_are(&self, count: usize) -> Vec<Value> {
        wait(&format!("{count} entries"), || {
            let entries = self.entries();
            match entries.len() == count {
                true => Ok(entries),
                false => Err(format!("{entries:#?}")),
            }
        })
    }
}

impl Drop for Journald {
    fn drop(&mut self) {
        self.end();
        let _ = std::fs::remove_dir_all(self.folder());
        for folder in ["/run/log/journal", "/var/log/journal"] {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                if name.ends_with(&format!(".{}", self.namespace)) {
                    let _ = std::fs::remove_dir_all(entry.path());
                }
            }
        }
    }
}

fn spawn(namespace: &str) -> Child {
    let program = program().expect("it was looked for");
    Command::new(program)
        .arg(namespace)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("{program}: {error}"))
}

fn wait<T>(what: &str, look: impl FnMut() -> Result<T, String>) -> T {
    wait_until(LONG, what, look, String::new)
}

/// Writes, runs and reads; journald has it, and `amux log` shows it.
pub fn has_what_was_done(program: &Path, patched: bool) {
    let mut journald = Journald::start();
    let tenant = Tenant::new(program, &journald.socket());
    assert_eq!(tenant.run("echo one; (exit 3) | (exit 4)"), 4);
    assert_eq!(tenant.run("echo é"), 0);
    let entries = journald.until_there_are(6);
    let text = |n: usize, name: &str| entries[n][name].as_str().unwrap_or_default().to_owned();
    for n in 0..6 {
        assert_eq!(
            text(n, "AMUX_EVENT"),
            ["write", "command", "read"][n % 3],
            "{entries:#?}"
        );
        assert_eq!(text(n, "AMUX_WINDOW"), "w");
        assert_eq!(text(n, "AMUX_SESSION"), "amux");
        assert!(text(n, "AMUX_SOCKET").ends_with("/amux-t"));
        assert_eq!(
            text(n, "AMUX_COMMAND_ID"),
            text(n / 3 * 3, "AMUX_COMMAND_ID")
        );
        // What journald itself says of whoever has sent it.
        assert_eq!(text(n, "_TRANSPORT"), "journal");
        assert_eq!(text(n, "_UID"), "0");
    }
    assert_eq!(text(0, "AMUX_PAYLOAD"), "echo one; (exit 3) | (exit 4)");
    assert_eq!(text(1, "AMUX_EXIT_STATUS"), "4");
    assert_eq!(text(1, "AMUX_PIPE_STATUSES"), "3,4");
    assert_eq!(text(2, "AMUX_BYTES"), "5");
    assert_eq!(text(3, "AMUX_PAYLOAD"), "echo é");
    let number = |name: &str| text(1, name).parse::<u64>().unwrap();
    assert!(number("AMUX_START_TIME") <= number("AMUX_END_TIME"));
    assert!(number("AMUX_END_TIME") <= number("__REALTIME_TIMESTAMP"));

    let namespace = format!("--namespace={}", journald.namespace);
    let log = |arguments: &[&str]| {
        let arguments = [&["log", &namespace], arguments].concat();
        String::from_utf8(tenant.amux(&arguments).ok()).unwrap()
    };
    let all = log(&[]);
    assert_eq!(all.lines().count(), 6, "{all}");
    assert!(all.lines().nth(3).unwrap().ends_with(": echo é"), "{all}");
    let failed = log(&["--failed"]);
    assert_eq!(failed.lines().count(), 1);
    assert!(failed.contains(" amux:w command ") && failed.contains("exited with status 4"));
    assert_eq!(
        log(&["--event", "read", "--window", "w"]).lines().count(),
        2
    );
    assert_eq!(log(&["--window", "x"]), "");
    assert_eq!(log(&["-n", "1", "--since", "1h"]).lines().count(), 1);
    let json: Value = serde_json::from_str(&log(&["--failed", "--json"])).unwrap();
    assert_eq!(json["exit_status"], 4);
    assert_eq!(json["pipe_statuses"], serde_json::json!([3, 4]));

    // New ones as they come.
    let mut follow = tenant.command(&["log", &namespace, "--follow", "--event=command", "-n", "1"]);
    let mut follow = follow.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(follow.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("status 0"));
    assert_eq!(tenant.run("(exit 7)"), 7);
    assert!(lines.next().unwrap().unwrap().contains("status 7"));
    follow.kill().unwrap();
    follow.wait().unwrap();

    // While it is away everything goes on; once it is back, it is told.
    journald.until_there_are(9);
    journald.end();
    assert_eq!(tenant.run("true"), 0);
    journald.start_again();
    assert_eq!(tenant.run("true"), 0);
    let entries = journald.until_there_are(12);
    // A server counts what it has dropped; on a stock tmux another process did it.
    let dropped = if patched { Some("3") } else { None };
    assert_eq!(entries[9]["AMUX_DROPPED"].as_str(), dropped);
}
