//! The terminal of a pane, looked at from outside: what tmux-custom reads off
//! its master is read off the slave here, and off the process table.
//!
//! The controller runs on the machine of the server and as its user, so the
//! terminal can be opened by its name.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::termios::LocalModes;

use super::stat::Stat;

/// The terminal of a pane's process.
#[derive(Debug, Clone)]
pub(crate) struct Terminal {
    path: PathBuf,
    pid: u32,
}

/// How a terminal takes input, and what waits there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Modes {
    /// It collects lines.
    pub(crate) canonical: bool,
    /// It shows what is typed.
    pub(crate) echo: bool,
    /// Bytes that nobody has read; in canonical mode, those of whole lines.
    pub(crate) waiting: u64,
}

impl Terminal {
    /// Takes the name of a terminal and the process that the pane was made for.
    pub(crate) fn new(path: &Path, pid: u32) -> Self {
        Self {
            path: path.to_owned(),
            pid,
        }
    }

    /// Returns how it takes input; `None` when it is gone.
    pub(crate) fn modes(&self) -> Option<Modes> {
        // Without NOCTTY it could become the terminal of this process.
        let flags = OFlags::RDONLY | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let terminal = rustix::fs::open(&self.path, flags, Mode::empty()).ok()?;
        let modes = rustix::termios::tcgetattr(&terminal).ok()?.local_modes;
        Some(Modes {
            canonical: modes.contains(LocalModes::ICANON),
            echo: modes.contains(LocalModes::ECHO),
            waiting: rustix::io::ioctl_fionread(&terminal).unwrap_or(0),
        })
    }

    /// Returns the process group in the foreground. Not by `tcgetpgrp`: Linux
    /// answers that on a slave to the processes of its own session alone.
    pub(crate) fn foreground(&self) -> Option<u32> {
        Stat::of(self.pid)?.foreground
    }
}

/// Returns whether a process has ended; one that nobody has waited for yet too.
pub(crate) fn has_ended(pid: u32) -> bool {
    Stat::of(pid).is_none_or(|stat| stat.state == b'Z')
}

/// Returns whether two processes have the same terminal, and go on.
pub(crate) fn share(one: u32, other: u32) -> bool {
    let of = |pid| {
        Stat::of(pid)
            .filter(|stat| stat.state != b'Z' && stat.terminal != 0)
            .map(|stat| stat.terminal)
    };
    of(one).is_some_and(|terminal| of(other) == Some(terminal))
}

/// Returns the name of a process; of the youngest of its group where it has
/// ended, as the first of a pipeline may. Empty where there is none. A login
/// shell is named without its dash.
pub(crate) fn name(group: u32) -> String {
    if let Some(stat) = Stat::of(group).filter(|stat| stat.state != b'Z') {
        // What it was called, as tmux does; the kernel's name of it is cut after
        // 15 bytes.
        let arguments = fs::read(format!("/proc/{group}/cmdline")).unwrap_or_default();
        let first = arguments.split(|&b| b == 0).next().unwrap_or_default();
        let called = String::from_utf8_lossy(first);
        let called = called.rsplit('/').next().unwrap_or_default();
        let name = if called.is_empty() {
            &stat.name
        } else {
            called
        };
        return name.trim_start_matches('-').to_owned();
    }
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|pid: u32| Some((pid, Stat::of(pid)?)))
        .filter(|(_, stat)| stat.group == group && stat.state != b'Z')
        .max_by_key(|(pid, _)| *pid)
        .map_or_else(String::new, |(_, stat)| stat.name)
}

/// Returns whether a process runs, or waits for a processor: a line editor shows
/// a long paste only when it has read all of it.
pub(crate) fn computes(pid: u32) -> bool {
    Stat::of(pid).is_some_and(|stat| stat.state == b'R')
}

/// Returns whether a process of this user has a variable with this value in the
/// environment that it was started with.
pub(crate) fn anyone_has(name: &str, value: &str) -> bool {
    let variable = format!("{name}={value}");
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes.into_iter().any(|entry| {
        fs::read(entry.path().join("environ"))
            .is_ok_and(|all| all.split(|&b| b == 0).any(|one| one == variable.as_bytes()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_found() {
        let pid = std::process::id();
        assert!(!name(pid).is_empty());
        assert_eq!(name(u32::MAX), "");
    }

    #[test]
    fn terminal_that_is_gone_tells_nothing() {
        let gone = Terminal::new(Path::new("/nonexistent"), u32::MAX);
        assert_eq!(gone.modes(), None);
        assert_eq!(gone.foreground(), None);
    }
}
