//! What there is to work with. The only place that compares versions.

use std::path::Path;
use std::time::Duration;

use crate::capability::Capabilities;
use crate::error::{Error, ErrorKind, Result};
use crate::exec::locate;
use crate::exec::tmux::{Sequence, Tmux};
use crate::shell::ShellKind;
use crate::version::Version;
use crate::wire::probe::{self, IDENTITY, Identity};

/// The oldest tmux that is tested. Needed of it: `-N` (3.2), `resize-window`
/// without a crash, `#{W:}` and `#{S:}` (3.1).
const OLDEST_TMUX: Version = Version::with_letter(3, 3, 'a');

/// The first tmux whose `paste-buffer` rewrites control characters.
const PASTE_REWRITES: Version = Version::new(3, 7);

/// The first tmux whose `send-keys` takes whoever is attached for the one who
/// presses the keys.
const WATCHERS_REFUSE_KEYS: Version = Version::new(3, 7);

/// The oldest bash: `PS0`, `${var@P}` and bracketed paste came with 4.4.
const OLDEST_BASH: Version = Version::new(4, 4);

/// The oldest zsh: what the integration uses came with 5.3; 5.8 is the oldest in
/// wide use.
const OLDEST_ZSH: Version = Version::new(5, 8);

/// The oldest fish: `path` came with 3.5; 3.6 is the oldest that is tested.
const OLDEST_FISH: Version = Version::new(3, 6);

/// Checks a tmux binary before a server is started from it.
pub(crate) async fn check_tmux(binary: &Path) -> Result<Version> {
    let op = "check tmux";
    let text = locate::version_text(op, binary, "-V").await?;
    let version = Version::parse_tmux(&text).ok_or_else(|| {
        Error::new(ErrorKind::VersionTooOld, op)
            .on(binary.display())
            .because(format!("it tells no version: {:?}", text.trim()))
    })?;
    at_least(op, version, OLDEST_TMUX).map_err(|error| error.on(binary.display()))
}

/// Checks the shell that panes will run.
pub(crate) async fn check_shell(kind: ShellKind, program: &Path) -> Result<Version> {
    let op = "check shell";
    // Not a script that prints the version: it would run startup files.
    let text = locate::version_text(op, program, "--version").await?;
    let (version, oldest) = match kind {
        ShellKind::Bash => (Version::parse_bash(&text), OLDEST_BASH),
        ShellKind::Zsh => (Version::parse_zsh(&text), OLDEST_ZSH),
        ShellKind::Fish => (Version::parse_fish(&text), OLDEST_FISH),
    };
    let version = version.ok_or_else(|| {
        Error::new(ErrorKind::VersionTooOld, op)
            .on(program.display())
            .because(format!("it tells no version of {kind}"))
    })?;
    at_least(op, version, oldest).map_err(|error| error.on(program.display()))
}

fn at_least(op: &'static str, found: Version, oldest: Version) -> Result<Version> {
    match found >= oldest {
        true => Ok(found),
        false => Err(Error::new(ErrorKind::VersionTooOld, op)
            .because(format!("{found} is older than {oldest}"))),
    }
}

/// Asks the server who it is and what it can do.
pub(crate) async fn probe(tmux: &Tmux, limit: Duration) -> Result<(Identity, Capabilities)> {
    let op = "ask server";
    // All of them: asked for one that it does not have, tmux prints nothing
    // before 3.7, and fails from there on.
    let sequence = Sequence::new()
        .command("display-message", ["-p", IDENTITY])
        .command("list-commands", ["-F", "#{command_list_name}"]);
    let output = tmux
        .output(op, sequence, limit)
        .await
        .map_err(|error| error.on(tmux.socket()))?;
    read_probe(&output).map_err(|error| error.on(tmux.socket()))
}

fn read_probe(output: &[u8]) -> Result<(Identity, Capabilities)> {
    let mut lines = output.split(|&b| b == b'\n');
    let first = lines.next().filter(|line| !line.is_empty());
    // A server that shuts down lets its clients end with status 0, in silence.
    let first = first.ok_or_else(|| Error::new(ErrorKind::NoServer, "ask server"))?;
    let identity = probe::parse_identity(first)?;
    let commands: Vec<&[u8]> = lines.collect();
    let has = |name: &[u8]| commands.contains(&name);
    let capabilities = Capabilities {
        version: identity.version,
        write_pane: has(b"write-pane"),
        read_pane: has(b"read-pane"),
        paste_rewrites: identity.version >= PASTE_REWRITES,
        watchers_refuse_keys: identity.version >= WATCHERS_REFUSE_KEYS,
    };
    Ok((identity, capabilities))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_tell_the_capabilities() {
        let (identity, found) =
            read_probe(b"5 3.5a /s /bin/bash 0\nattach-session\nread-pane\nwrite-pane\n").unwrap();
        assert_eq!(identity.pid, 5);
        assert!(found.write_pane && found.read_pane);
        let (_, found) =
            read_probe(b"5 3.3a /s /bin/bash 0\nattach-session\nresize-pane\n").unwrap();
        assert!(!found.write_pane && !found.read_pane);
    }

    #[test]
    fn silence_is_no_server() {
        assert_eq!(*read_probe(b"").unwrap_err().kind(), ErrorKind::NoServer);
    }

    #[test]
    fn what_is_older_is_refused() {
        assert!(at_least("t", Version::new(3, 4), OLDEST_TMUX).is_ok());
        let error = at_least("t", Version::new(3, 3), OLDEST_TMUX).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::VersionTooOld);
    }
}
