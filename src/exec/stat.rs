//! What Linux tells of a process in `/proc/<pid>/stat` (proc(5)).

use std::fs::File;
use std::io::Read;

/// More than the line can have: some fifty numbers, and a name of 64 bytes at most.
const LONGEST: usize = 2048;

/// A process, at one moment.
#[derive(Debug)]
pub(crate) struct Stat {
    pub(crate) name: String,
    /// One letter; `Z` has ended.
    pub(crate) state: u8,
    pub(crate) parent: u32,
    pub(crate) group: u32,
    /// Number of its terminal; 0 without one.
    pub(crate) terminal: i32,
    /// The process group in the foreground of its terminal.
    pub(crate) foreground: Option<u32>,
    /// When it was started, in ticks since boot.
    pub(crate) start: u64,
}

impl Stat {
    /// Asks for a process; `None` when there is none.
    pub(crate) fn of(pid: u32) -> Option<Self> {
        let mut file = File::open(format!("/proc/{pid}/stat")).ok()?;
        // In one piece: it has no size, and is asked for all the time.
        let mut line = [0; LONGEST];
        let length = file.read(&mut line).ok()?;
        Self::parse(line.get(..length)?)
    }

    /// The name, in brackets, may hold anything, brackets too.
    fn parse(line: &[u8]) -> Option<Self> {
        let open = line.iter().position(|&b| b == b'(')?;
        let close = line.iter().rposition(|&b| b == b')')?;
        let name = String::from_utf8_lossy(line.get(open + 1..close)?).into_owned();
        let rest = std::str::from_utf8(line.get(close + 1..)?).ok()?;
        // State, parent, group, session, terminal, foreground group; the start
        // is the 22nd field of the line.
        let mut fields = rest.split_ascii_whitespace();
        let state = fields.next()?.bytes().next()?;
        let parent = fields.next()?.parse().ok()?;
        let group = fields.next()?.parse().ok()?;
        let terminal = fields.nth(1)?.parse().ok()?;
        let foreground = fields.next()?.parse().ok();
        let start = fields.nth(13)?.parse().ok()?;
        Some(Self {
            name,
            state,
            parent,
            group,
            terminal,
            foreground,
            start,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stat_is_read_whatever_the_name_is() {
        let rest = "4194304 1 2 3 4 5 6 7 8 20 0 1 0 98765 0 0\n";
        let stat = Stat::parse(format!("12 (a) (b 7) S 1 34 5 1026 56 {rest}").as_bytes());
        let stat = stat.unwrap();
        assert_eq!(stat.name, "a) (b 7");
        assert_eq!((stat.state, stat.parent, stat.group), (b'S', 1, 34));
        assert_eq!((stat.terminal, stat.foreground), (1026, Some(56)));
        assert_eq!(stat.start, 98765);
        let none = Stat::parse(format!("12 (x) R 1 34 5 0 -1 {rest}").as_bytes()).unwrap();
        assert_eq!((none.terminal, none.foreground), (0, None));
        assert!(Stat::parse(b"12 (x").is_none());
    }

    #[test]
    fn this_process_has_a_parent_and_a_start() {
        let stat = Stat::of(std::process::id()).unwrap();
        assert!(stat.parent > 0 && stat.start > 0);
    }
}
