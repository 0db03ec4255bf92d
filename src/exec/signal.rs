//! Signals, and whether a process is there.

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

/// Sends SIGTERM. Returns false when there is no such process, or none that
/// this user may signal.
pub(crate) fn terminate(pid: u32) -> bool {
    send(pid, Signal::TERM)
}

/// Sends SIGKILL.
pub(crate) fn kill(pid: u32) -> bool {
    send(pid, Signal::KILL)
}

/// Sends SIGCONT: one that is stopped does not see SIGTERM.
pub(crate) fn resume(pid: u32) -> bool {
    send(pid, Signal::CONT)
}

/// Tells whether a process exists and has not ended. One that has ended stays
/// as a zombie where nobody reaps it, as in a container without an init.
pub(crate) fn exists(pid: u32) -> bool {
    let there = to_pid(pid).is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH));
    there && !is_zombie(pid)
}

fn is_zombie(pid: u32) -> bool {
    // "12 (name) Z ...": the name may hold anything, the state comes behind its
    // last parenthesis. Where there is no /proc, nothing is known.
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .ok()
        .and_then(|stat| Some(stat.rsplit_once(") ")?.1.starts_with('Z')))
        .unwrap_or(false)
}

fn send(pid: u32, signal: Signal) -> bool {
    to_pid(pid).is_some_and(|pid| kill_process(pid, signal).is_ok())
}

/// 0 and negative numbers would mean groups of processes.
fn to_pid(pid: u32) -> Option<Pid> {
    i32::try_from(pid)
        .ok()
        .filter(|&pid| pid > 0)
        .and_then(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_never_meant() {
        assert!(!exists(0));
        assert!(!terminate(0) && !kill(u32::MAX));
        assert!(exists(std::process::id()));
    }

    #[test]
    fn zombie_has_ended() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while exists(child.id()) {
            assert!(std::time::Instant::now() < deadline);
            std::thread::yield_now();
        }
        child.wait().unwrap();
    }
}
