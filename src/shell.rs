//! The shells that windows can run, as values.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::error::{Error, ErrorKind, Result};
use crate::text;

/// What a shell is, and with it how its integration is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ShellKind {
    /// GNU bash.
    Bash,
    /// The Z shell.
    Zsh,
    /// The friendly interactive shell.
    Fish,
}

impl ShellKind {
    /// All of them.
    const ALL: [Self; 3] = [Self::Bash, Self::Zsh, Self::Fish];

    /// Returns the name of its program: `zsh`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Zsh => "zsh",
            Self::Fish => "fish",
        }
    }

    /// Longest text in bytes to type into it as one paste. What its line editor
    /// takes in a second: fish 3.6 draws a paste again for each character, 4 KiB
    /// in 25 s, and 1 KiB in 0.3 s.
    pub(crate) fn max_paste(self) -> usize {
        match self {
            Self::Bash | Self::Zsh => text::MAX_PASTE,
            Self::Fish => 1024,
        }
    }

    /// Tells what a program is by its file's name, as in `/usr/bin/zsh` or
    /// `/opt/bash-5.2`; `None` where that says nothing.
    pub fn of(program: &Path) -> Option<Self> {
        let name = program.file_name()?.to_str()?;
        Self::ALL.into_iter().find(|kind| {
            name.strip_prefix(kind.as_str())
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphabetic()))
        })
    }
}

impl fmt::Display for ShellKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A shell for windows to run: what it is, and where.
///
/// ```
/// use amux::{Shell, ShellKind};
///
/// let shell: Shell = "zsh".parse()?;
/// assert_eq!(shell, Shell::new(ShellKind::Zsh));
/// let shell: Shell = "/opt/fish/bin/fish".parse()?;
/// assert_eq!(shell.kind(), ShellKind::Fish);
/// # Ok::<(), amux::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Shell {
    kind: ShellKind,
    path: Option<PathBuf>,
}

impl Shell {
    /// The one that `PATH` has.
    pub const fn new(kind: ShellKind) -> Self {
        Self { kind, path: None }
    }

    /// The one at this path, whatever its file's name.
    pub fn at(kind: ShellKind, path: impl Into<PathBuf>) -> Self {
        Self {
            kind,
            path: Some(path.into()),
        }
    }

    /// Returns what it is.
    pub fn kind(&self) -> ShellKind {
        self.kind
    }

    /// Returns where it is; `None` for the one in `PATH`.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }
}

impl From<ShellKind> for Shell {
    fn from(kind: ShellKind) -> Self {
        Self::new(kind)
    }
}

impl FromStr for Shell {
    type Err = Error;

    /// Reads a name, `zsh`, or a path, `/usr/bin/zsh`.
    fn from_str(text: &str) -> Result<Self> {
        let path = Path::new(text);
        let Some(kind) = ShellKind::of(path) else {
            return Err(Error::new(ErrorKind::InvalidArgument, "choose shell")
                .on(text)
                .because("it is neither bash, zsh nor fish"));
        };
        Ok(match text == kind.as_str() {
            true => Self::new(kind),
            false => Self::at(kind, path),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_is_told_by_the_name_of_the_file() {
        let of = |path: &str| ShellKind::of(Path::new(path));
        assert_eq!(of("/bin/bash"), Some(ShellKind::Bash));
        assert_eq!(of("/opt/bash-4.4.18"), Some(ShellKind::Bash));
        assert_eq!(of("zsh-5.9"), Some(ShellKind::Zsh));
        assert_eq!(of("fish"), Some(ShellKind::Fish));
        for other in ["", "/", "/bin/sh", "dash", "bashful", "xzsh"] {
            assert_eq!(of(other), None, "{other}");
        }
    }

    #[test]
    fn name_or_path_is_read() {
        let shell: Shell = "fish".parse().unwrap();
        assert_eq!((shell.kind(), shell.path()), (ShellKind::Fish, None));
        let shell: Shell = "/usr/bin/zsh".parse().unwrap();
        assert_eq!(shell, Shell::at(ShellKind::Zsh, "/usr/bin/zsh"));
        let error = "tcsh".parse::<Shell>().unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::InvalidArgument);
    }
}
