//! What a trial leaves behind.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, set_child_subreaper};

/// How long what is ending may take to be gone.
const ENDING: Duration = Duration::from_secs(10);

/// A process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    pub pid: i32,
    /// Its arguments, with blanks between.
    pub line: String,
}

/// Makes this process the parent of every process below it whose own parent ends, so that none gets away.
pub fn adopt() {
    if let Err(error) = set_child_subreaper(Some(rustix::process::getpid())) {
        panic!("cannot adopt processes: {error}");
    }
}

/// Lists the processes whose parent this one is and that have not ended.
pub fn children() -> Vec<Process> {
    let own = std::process::id().to_string();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else {
            continue;
        };
        // The name, the second field, may hold anything; it ends at the last parenthesis.
        let mut after = stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .split_whitespace();
        let state = after.next();
        if after.next() == Some(own.as_str()) && !matches!(state, Some("Z" | "X")) {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            found.push(Process { pid, line });
        }
    }
    found
}

/// Waits until no process is there but the expected ones; returns what stays.
pub async fn processes_but(expected: &[u32]) -> Vec<Process> {
    let start = Instant::now();
    loop {
        let mut found = children();
        found.retain(|process| !expected.iter().any(|pid| *pid as i32 == process.pid));
        if found.is_empty() || start.elapsed() > ENDING {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Kills a process that is below this one.
pub fn kill(process: &Process) {
    if let Some(pid) = Pid::from_raw(process.pid) {
        // It may have ended by itself.
        let _ = kill_process(pid, Signal::KILL);
    }
}
