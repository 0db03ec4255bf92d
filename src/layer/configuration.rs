//! The configuration of a layer: the user's own file, or the one that comes with
//! amux.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::exec::runtime_dir::RuntimeDir;
use crate::layer::Layer;

/// Folder of the shipped files, seen from that of the program.
const INSTALLED: &str = "../share/amux/layers";

/// A file that a layer's server reads when it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Configuration {
    /// The file.
    pub path: PathBuf,
    /// The user wrote it; else it came with amux.
    pub is_users: bool,
    /// The file that came with amux: in the server's environment as
    /// `AMUX_LAYER_CONF`, for the user's to begin with.
    pub shipped: PathBuf,
}

impl Layer {
    /// Returns the name of its configuration: `agent`.
    pub fn configuration_name(self) -> &'static str {
        match self {
            Self::Outer => "outer",
            Self::Inner => "inner",
            Self::Agent => "agent",
        }
    }

    /// Returns the text of the configuration that comes with amux.
    pub fn shipped_configuration(self) -> &'static str {
        match self {
            Self::Outer => include_str!("../../share/layers/outer.conf"),
            Self::Inner => include_str!("../../share/layers/inner.conf"),
            Self::Agent => include_str!("../../share/layers/agent.conf"),
        }
    }

    /// Returns the file where the user's own configuration is looked for:
    /// `amux/<name>.conf` in `XDG_CONFIG_HOME` or `~/.config`. `None` without a
    /// home folder.
    pub fn user_configuration(self) -> Option<PathBuf> {
        self.in_home(env::var_os("XDG_CONFIG_HOME"), env::var_os("HOME"))
    }

    fn in_home(self, config: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
        // A relative path is no valid one there (XDG Base Directory).
        let absolute = |path: OsString| Some(PathBuf::from(path)).filter(|path| path.is_absolute());
        let config = config
            .and_then(absolute)
            .or_else(|| home.and_then(absolute).map(|home| home.join(".config")))?;
        Some(config.join("amux").join(self.file_name()))
    }

    /// Returns which configuration a server that starts now would read. Writes
    /// the shipped one where it is not installed.
    pub(crate) fn configuration(self, runtime: &RuntimeDir) -> Result<Configuration> {
        let shipped = match self.installed() {
            Some(path) => path,
            None => runtime.ensure_file(&self.file_name(), self.shipped_configuration())?,
        };
        let users = self.user_configuration().filter(|path| path.is_file());
        Ok(Configuration {
            is_users: users.is_some(),
            path: users.unwrap_or_else(|| shipped.clone()),
            shipped,
        })
    }

    fn file_name(self) -> String {
        format!("{}.conf", self.configuration_name())
    }

    /// The installed file of this very version of amux.
    fn installed(self) -> Option<PathBuf> {
        let program = env::current_exe().ok()?;
        let folder = program.parent()?.join(INSTALLED).canonicalize().ok()?;
        let path: PathBuf = folder.join(self.file_name());
        is_text(&path, self.shipped_configuration()).then_some(path)
    }
}

fn is_text(path: &Path, text: &str) -> bool {
    std::fs::read(path).is_ok_and(|found| found == text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_configuration_lies_in_the_home_folder() {
        let find = |config: Option<&str>, home: Option<&str>| {
            Layer::Agent.in_home(config.map(Into::into), home.map(Into::into))
        };
        let of = |path: &str| Some(PathBuf::from(path));
        assert_eq!(find(Some("/c"), Some("/h")), of("/c/amux/agent.conf"));
        assert_eq!(find(Some(""), Some("/h")), of("/h/.config/amux/agent.conf"));
        assert_eq!(
            find(Some("c"), Some("/h")),
            of("/h/.config/amux/agent.conf")
        );
        assert_eq!(find(None, None), None);
    }
}
