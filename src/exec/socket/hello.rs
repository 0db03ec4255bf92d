//! What a client says first: who it is, and its command.

use std::env;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::exec::process::FOREIGN_ENVIRONMENT;
use crate::wire::message::{MAX_READ, ToServer, Unsendable};
use crate::wire::protocol::CLIENT_UTF8;

/// Most of an environment that is told: what is over it is left out, as the tmux
/// client leaves out a variable that is too long. So the socket takes all at
/// once: a stock server up to 3.5a ends when a client leaves in the middle.
const MAX_ENVIRONMENT: usize = 128 * 1024;

/// The commands of ours that start processes.
const CREATING: [&str; 4] = ["new-session", "new-window", "respawn-", "run-shell"];

/// The stream that standard input is sent to which nobody has asked for yet, see
/// amux-input.c in tmux-patches.
const EARLY: i32 = 0;

/// Returns it, to be written at once. What `write-pane` will ask for of the standard
/// input comes along, where one message holds it: tmux-custom then need not ask.
///
/// The tmux client says the same, but hands its terminal over. Without that its
/// terminal's type matters to nobody, and the name of the terminal is empty.
pub(super) fn hello(arguments: &[String], stdin: &[u8]) -> Result<Vec<u8>, Unsendable> {
    let mut out = Vec::with_capacity(8192);
    ToServer::Flags(u64::from(CLIENT_UTF8)).put(&mut out)?;
    ToServer::Term(b"").put(&mut out)?;
    ToServer::TtyName(b"").put(&mut out)?;
    ToServer::Cwd(folder().as_os_str().as_bytes()).put(&mut out)?;
    let pid = i32::try_from(std::process::id()).unwrap_or_default();
    ToServer::ClientPid(pid).put(&mut out)?;
    if arguments.iter().any(|argument| creates(argument)) {
        put_environment(&mut out);
    }
    ToServer::IdentifyDone.put(&mut out)?;
    let bytes: Vec<&[u8]> = arguments
        .iter()
        .map(|argument| argument.as_bytes())
        .collect();
    ToServer::Command(&bytes).put(&mut out)?;
    let writes = arguments.first().is_some_and(|name| name == "write-pane");
    if writes && stdin.len() <= MAX_READ {
        let read = ToServer::Read {
            stream: EARLY,
            data: stdin,
        };
        read.put(&mut out)?;
    }
    Ok(out)
}

/// The server looks there for commands whose folder is not told.
fn folder() -> PathBuf {
    env::current_dir()
        .ok()
        .or_else(env::home_dir)
        .unwrap_or_else(|| PathBuf::from("/"))
}

/// Returns whether this is, or holds, a command that starts a process. For all
/// others the server would take in each variable and throw it away again.
fn creates(argument: &str) -> bool {
    CREATING.iter().any(|name| argument.contains(name))
}

/// The session that a command creates takes from it what `update-environment`
/// names, and its first window `PATH`.
fn put_environment(out: &mut Vec<u8>) {
    const PATH: &str = "PATH";
    if let Some(value) = env::var_os(PATH) {
        put_variable(out, OsStr::new(PATH), &value);
    }
    for (name, value) in env::vars_os() {
        let foreign = FOREIGN_ENVIRONMENT.iter().any(|&foreign| name == foreign);
        if !foreign && name != PATH && out.len() + name.len() + value.len() < MAX_ENVIRONMENT {
            put_variable(out, &name, &value);
        }
    }
}

fn put_variable(out: &mut Vec<u8>, name: &OsStr, value: &OsStr) {
    let variable = [name.as_bytes(), b"=", value.as_bytes()].concat();
    // One that is too long for a message is left out.
    let _ = ToServer::Environ(&variable).put(out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environment_comes_with_what_starts_processes_alone() {
        let size = |words: &[&str]| {
            let words: Vec<_> = words.iter().map(|&word| word.to_owned()).collect();
            hello(&words, b"").unwrap().len() - words.concat().len() - words.len()
        };
        assert!(size(&["if-shell", "-F", "1", "new-window -d"]) > size(&["list-panes"]));
        assert_eq!(size(&["read-pane", "-w"]), size(&["list-panes"]));
        assert!(size(&["new-session"]) > size(&["list-panes"]) + std::env::vars_os().count() * 16);
    }

    #[test]
    fn input_comes_along_where_it_is_asked_for_and_fits() {
        let early = |name: &str, size| {
            let without = hello(&[name.to_owned()], b"").unwrap().len();
            let with = hello(&[name.to_owned()], &vec![b'x'; size]).unwrap();
            with.len() - without
        };
        assert_eq!(early("write-pane", 5), 5);
        assert_eq!(early("write-pane", MAX_READ), MAX_READ);
        assert_eq!(early("load-buffer", 5), 0);
        let long = hello(&["write-pane".to_owned()], &vec![b'x'; MAX_READ + 1]).unwrap();
        assert!(long.len() < MAX_READ);
    }

    #[test]
    fn command_that_is_too_long_is_refused() {
        let words = |count: usize| vec!["x".repeat(count)];
        let longest = crate::wire::imsg::MAX_DATA - 5;
        assert!(hello(&words(longest), b"").is_ok());
        assert_eq!(hello(&words(longest + 1), b""), Err(Unsendable::TooLong));
        assert_eq!(hello(&["a\0b".to_owned()], b""), Err(Unsendable::Nul));
    }
}
