//! The tmux client of a layer, for any command, and where a terminal is.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Error, ErrorKind, Result};
use crate::exec::locate;
use crate::layer::Layer;
use crate::server::DEFAULT_SESSION;

impl Layer {
    /// Returns the path of its socket.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`] where tmux would refuse the folder of the sockets:
    /// others can enter it.
    pub fn socket_path(self) -> Result<PathBuf> {
        self.socket()
            .path()
            .map_err(|why| Error::new(ErrorKind::Io, "find socket").because(why))
    }

    /// Returns the layer of which this process's terminal is a window; the
    /// innermost. `None` elsewhere, in a window of another tmux too.
    pub fn of_terminal() -> Option<Self> {
        let socket = terminal_socket(&env::var_os("TMUX")?)?
            .canonicalize()
            .ok()?;
        Self::ALL
            .into_iter()
            .find(|layer| layer.socket_path().is_ok_and(|path| path == socket))
    }

    /// Returns whether this process's terminal may show the layer: not one that
    /// is in it, as a server cannot show itself, nor one in a layer behind it,
    /// which it may be showing.
    pub fn is_attachable(self) -> bool {
        Self::of_terminal().is_none_or(|here| here < self)
    }

    /// Returns the tmux client with these arguments, to be run in place of this
    /// process: it never starts a server.
    ///
    /// In a window of the layer itself a command without a target acts on the
    /// window's session, as it does without amux; in one of another server, tmux
    /// would take that server's pane for one of this.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::BinaryNotFound`], and those of [`Layer::socket_path`].
    pub fn client<I>(self, arguments: I) -> Result<Command>
    where
        I: IntoIterator,
        I::Item: AsRef<OsStr>,
    {
        let mut command = Command::new(locate::find_tmux()?);
        command
            .args(["-N", "-S"])
            .arg(self.socket_path()?)
            .args(arguments);
        match Self::of_terminal() {
            Some(here) if here == self => {}
            Some(here) if here < self => {
                command.env_remove("TMUX").env_remove("TMUX_PANE");
            }
            // tmux refuses to attach where TMUX is set, as it should here.
            _ => {
                command.env_remove("TMUX_PANE");
            }
        }
        Ok(command)
    }

    /// Returns the tmux client that attaches this process's terminal to the
    /// layer's session.
    ///
    /// # Errors
    ///
    /// As [`Layer::client`].
    pub fn attach(self) -> Result<Command> {
        self.client(["attach-session", "-t", &format!("={DEFAULT_SESSION}")])
    }
}

/// The socket in the value of `TMUX`: path, process id and session, separated by
/// commas, of which the path may hold more.
fn terminal_socket(value: &OsStr) -> Option<&Path> {
    use std::os::unix::ffi::OsStrExt;
    let mut parts = value.as_bytes().rsplitn(3, |&b| b == b',');
    let path = parts.nth(2)?;
    Some(Path::new(OsStr::from_bytes(path)))
}

/// A client as the words of a window's command that shows the layer.
pub(super) fn window_command(layer: Layer, binary: &Path) -> Result<Vec<String>> {
    let words = [
        "env",
        "-u",
        "TMUX",
        "-u",
        "TMUX_PANE",
        &binary.to_string_lossy(),
        // The outer layer's windows are UTF-8 whatever the locale is.
        "-u",
        "-N",
        "-S",
        &layer.socket_path()?.to_string_lossy(),
        "attach-session",
        "-t",
        &format!("={DEFAULT_SESSION}"),
    ]
    .map(str::to_owned);
    Ok(words.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn socket_of_a_terminal_may_hold_commas() {
        let find = |value: &'static str| terminal_socket(OsStr::new(value));
        assert_eq!(find("/tmp/a,b/s,12,0"), Some(Path::new("/tmp/a,b/s")));
        assert_eq!(find("/s,12"), None);
        assert_eq!(find(""), None);
    }
}
