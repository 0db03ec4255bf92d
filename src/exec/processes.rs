//! The processes that belong to a pane, wherever they went.
//!
//! What a command starts leaves its process group, its session (setsid) and its
//! parent (a second fork) as it likes. What it keeps are the variables that tmux
//! gave the pane's process, in the environment with which it was started, unless
//! that was emptied; then it still has its parents or its terminal.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::time::Duration;

use super::stat::Stat;

/// Variables of which tmux gives each pane its own values.
const OF_PANE: [&str; 2] = ["TMUX", "TMUX_PANE"];

/// The process of a pane, and when what is looked for began.
#[derive(Debug)]
pub(crate) struct Tree {
    root: u32,
    environment: Option<Vec<Vec<u8>>>,
    terminal: i32,
    since: u64,
}

impl Tree {
    /// Means what a pane's process has started since a time after boot. `None`
    /// when there is no such process.
    pub(crate) fn new(root: u32, since: Duration) -> Option<Self> {
        Some(Self {
            root,
            environment: of_pane(root),
            terminal: Stat::of(root)?.terminal,
            since: super::clock::ticks(since),
        })
    }

    /// Returns the processes, without the pane's own, and without those that
    /// have ended and that nobody waits for.
    pub(crate) fn find(&self) -> Vec<u32> {
        let all: HashMap<u32, Stat> = fs::read_dir("/proc")
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .filter_map(|pid| Some((pid, Stat::of(pid)?)))
            .collect();
        let server = all.get(&self.root).map(|stat| stat.parent);
        let mut found: HashSet<u32> = all
            .iter()
            .filter(|(pid, stat)| self.is_marked(**pid, stat))
            .map(|(pid, _)| *pid)
            .collect();
        found.insert(self.root);
        // Children of those that were found, and their children.
        loop {
            let more: Vec<u32> = all
                .iter()
                .filter(|(pid, stat)| !found.contains(pid) && found.contains(&stat.parent))
                .map(|(pid, _)| *pid)
                .collect();
            if more.is_empty() {
                break;
            }
            found.extend(more);
        }
        let myself = std::process::id();
        found.retain(|pid| {
            *pid != self.root
                && *pid != myself
                && Some(*pid) != server
                && all
                    .get(pid)
                    .is_some_and(|stat| stat.state != b'Z' && stat.start >= self.since)
        });
        found.into_iter().collect()
    }

    /// Whether a process has the pane's terminal or the pane's variables.
    fn is_marked(&self, pid: u32, stat: &Stat) -> bool {
        if self.terminal != 0 && stat.terminal == self.terminal {
            return true;
        }
        // What began before need not be read.
        stat.start >= self.since && self.environment.is_some() && of_pane(pid) == self.environment
    }
}

/// Returns what a process was started with, of the pane's variables; `None`
/// where one is missing or may not be read.
fn of_pane(pid: u32) -> Option<Vec<Vec<u8>>> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    OF_PANE
        .iter()
        .map(|name| {
            let mut variables = environment.split(|&b| b == 0);
            let found = variables.find(|variable| {
                variable
                    .strip_prefix(name.as_bytes())
                    .is_some_and(|rest| rest.first() == Some(&b'='))
            })?;
            Some(found.to_vec())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn child_of_a_child_is_found_and_what_was_there_before_is_not() {
        let mut parent = Command::new("sh")
            .args(["-c", "sleep 100 & echo $!; wait"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let out = parent.stdout.take().unwrap();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line).unwrap();
        let sleep: u32 = line.trim().parse().unwrap();
        let recent = Tree::new(parent.id(), Duration::ZERO).unwrap();
        assert_eq!(recent.find(), [sleep]);
        let future = Tree {
            since: u64::MAX,
            ..recent
        };
        assert_eq!(future.find(), [0; 0]);
        assert!(super::super::signal::kill(sleep));
        parent.wait().unwrap();
    }

    #[test]
    fn process_that_is_gone_has_no_tree() {
        assert!(Tree::new(u32::MAX, Duration::ZERO).is_none());
    }
}
