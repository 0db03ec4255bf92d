//! Is the program of a server that runs the one that would be started now?

use std::cmp::Ordering;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::version::Version;

/// How the program of a server that runs compares with the one that would be
/// started now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RunningProgram {
    /// It is the same.
    Same,
    /// It is older: an update has replaced it since.
    Older,
    /// It is another one, and not older.
    Other,
    /// It cannot be told, as of another user's server.
    Unknown,
}

impl RunningProgram {
    /// Returns one word: `older`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Older => "older",
            Self::Other => "other",
            Self::Unknown => "unknown",
        }
    }
}

/// Compares the program of a server with the one that would be started now, each
/// with its version. The server's own is read through `/proc`, where it is whole
/// even when its file has been replaced.
pub(super) fn compare(
    (pid, running): (u32, Version),
    (binary, there): (&Path, Version),
) -> RunningProgram {
    match running.cmp(&there) {
        Ordering::Less => RunningProgram::Older,
        Ordering::Greater => RunningProgram::Other,
        Ordering::Equal => {
            let program = Path::new("/proc").join(pid.to_string()).join("exe");
            compare_files(&program, binary)
        }
    }
}

fn compare_files(running: &Path, there: &Path) -> RunningProgram {
    let (Ok(ours), Ok(other)) = (fs::metadata(running), fs::metadata(there)) else {
        return RunningProgram::Unknown;
    };
    if (ours.dev(), ours.ino()) == (other.dev(), other.ino()) {
        return RunningProgram::Same;
    }
    // A script that starts tmux is not what the process runs.
    if is_script(there) {
        return RunningProgram::Unknown;
    }
    // Installed again, or copied: the file is another, the program is not.
    if ours.len() == other.len() {
        match (fs::read(running), fs::read(there)) {
            (Ok(ours), Ok(other)) if ours == other => return RunningProgram::Same,
            (Ok(_), Ok(_)) => {}
            _ => return RunningProgram::Unknown,
        }
    }
    let time = |found: &fs::Metadata| (found.mtime(), found.mtime_nsec());
    match time(&ours) < time(&other) {
        true => RunningProgram::Older,
        false => RunningProgram::Other,
    }
}

fn is_script(path: &Path) -> bool {
    let mut begin = [0; 2];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut begin));
    read.is_ok() && begin == *b"#!"
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    #[test]
    fn programs_are_compared_by_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str, age: u64| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            let file = fs::File::options().write(true).open(&path).unwrap();
            let then = SystemTime::now() - Duration::from_secs(age);
            file.set_modified(then).unwrap();
            path
        };
        let there = write("there", "program 2", 60);
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&there, &link).unwrap();
        for (running, expected) in [
            (&link, RunningProgram::Same),
            (&write("copy", "program 2", 10), RunningProgram::Same),
            (&write("old", "program 1", 90), RunningProgram::Older),
            (&write("older", "program", 90), RunningProgram::Older),
            (&write("new", "program 3", 10), RunningProgram::Other),
            (&folder.path().join("none"), RunningProgram::Unknown),
        ] {
            assert_eq!(compare_files(running, &there), expected, "{running:?}");
        }
        let script = write("script", "#!/bin/sh", 60);
        assert_eq!(compare_files(&there, &script), RunningProgram::Unknown);
    }

    #[test]
    fn program_of_this_process_is_the_same() {
        let program = std::env::current_exe().unwrap();
        let pid = std::process::id();
        let (old, new) = (Version::new(3, 3), Version::new(3, 5));
        for (pid, running, there, expected) in [
            (pid, new, new, RunningProgram::Same),
            (0, new, new, RunningProgram::Unknown),
            (pid, old, new, RunningProgram::Older),
            (pid, new, old, RunningProgram::Other),
        ] {
            assert_eq!(compare((pid, running), (&program, there)), expected);
        }
    }
}
