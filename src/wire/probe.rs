//! What a server says about itself.

use std::path::PathBuf;

use crate::error::Result;
use crate::version::Version;
use crate::wire::record::Fields;

/// Format that each invocation which must not be silent prints first: a server
/// that shuts down lets its clients exit with status 0 and no output.
pub(crate) const PID: &str = "#{pid}";

/// Format of a server's identity. `@amux` is the option that our setup sets
/// last.
pub(crate) const IDENTITY: &str =
    "#{pid} #{q:version} #{q:socket_path} #{q:default-shell} #{?#{@amux},1,0}";

/// Who answers on a socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) pid: u32,
    pub(crate) version: Version,
    pub(crate) socket: String,
    /// What its windows run.
    pub(crate) shell: PathBuf,
    /// Its options are as we set them.
    pub(crate) set_up: bool,
}

/// Reads a line of [`IDENTITY`].
pub(crate) fn parse_identity(line: &[u8]) -> Result<Identity> {
    let mut fields = Fields::new(line);
    let pid = fields.number("pid")?;
    let text = fields.text("version")?;
    let version = Version::parse_tmux(&text)
        .ok_or_else(|| fields.error(format_args!("no version in {text:?}")))?;
    let socket = fields.text("socket_path")?;
    let shell = PathBuf::from(fields.text("default-shell")?);
    let set_up = fields.flag("@amux")?;
    fields.end()?;
    Ok(Identity {
        pid,
        version,
        socket,
        shell,
        set_up,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identity() {
        let identity = parse_identity(br"12 3.5a /tmp/a\ b /bin/zsh 1").unwrap();
        assert_eq!(identity.pid, 12);
        assert_eq!(identity.version, Version::with_letter(3, 5, 'a'));
        assert_eq!(identity.socket, "/tmp/a b");
        assert_eq!(identity.shell, PathBuf::from("/bin/zsh"));
        assert!(identity.set_up);
        assert!(parse_identity(b"12 soon /tmp /bin/sh 0").is_err());
    }
}
