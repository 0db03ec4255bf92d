//! The layers: three tmux servers of a user, one shown in another, each on a
//! socket of its own and with its own configuration.
//!
//! Values and names here; `configuration` finds the files, `up` starts what is
//! missing, `program` compares a server that runs with the program that is
//! there, `client` is the way to one for any tmux command.

mod client;
mod configuration;
mod program;
pub(crate) mod up;

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, ErrorKind, Result};
use crate::exec::tmux::Socket;

pub use configuration::Configuration;
pub use program::RunningProgram;
pub use up::LayerUp;

/// One of the three tmux servers in which a person and an agent work on the same
/// machine: the outer one shows the two others, each in a window.
///
/// Each listens on a socket of its own in tmux's folder of the user's sockets,
/// and has a session [`DEFAULT_SESSION`](crate::DEFAULT_SESSION).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// `mtx`: shows the others.
    Outer,
    /// `stx`: where the user works.
    Inner,
    /// `atx`: where the agent works.
    Agent,
}

/// The layers that the outer one shows, each in a window of its name.
pub(crate) const SHOWN: [Layer; 2] = [Layer::Inner, Layer::Agent];

impl Layer {
    /// All layers; one may be shown in those before it.
    pub const ALL: [Self; 3] = [Self::Outer, Self::Inner, Self::Agent];

    /// Returns the name: `atx`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Outer => "mtx",
            Self::Inner => "stx",
            Self::Agent => "atx",
        }
    }

    /// Returns the name of the command that passes tmux commands to it: `ax`.
    pub fn command_name(self) -> &'static str {
        match self {
            Self::Outer => "mx",
            Self::Inner => "sx",
            Self::Agent => "ax",
        }
    }

    /// Returns the layers that it shows, and itself behind them.
    pub(crate) fn with_shown(self) -> Vec<Self> {
        let shown: &[Self] = match self {
            Self::Outer => &SHOWN,
            Self::Inner | Self::Agent => &[],
        };
        shown.iter().copied().chain([self]).collect()
    }

    /// Returns the name of its socket: not one that a tenant can have.
    pub(crate) fn socket_name(self) -> String {
        format!("amux_{}", self.name())
    }

    pub(crate) fn socket(self) -> Socket {
        Socket::Name(self.socket_name())
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Layer {
    type Err = Error;

    /// Reads the name that [`Layer::name`] returns.
    fn from_str(text: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|layer| layer.name() == text)
            .ok_or_else(|| {
                Error::new(ErrorKind::InvalidArgument, "choose layer")
                    .on(format_args!("{text:?}"))
                    .because("mtx, stx or atx")
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names;
    use crate::server::setup::tenant_socket;

    #[test]
    fn names_are_read_back() {
        for layer in Layer::ALL {
            assert_eq!(layer.to_string().parse::<Layer>().unwrap(), layer);
        }
        let error = "btx".parse::<Layer>().unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::InvalidArgument);
    }

    #[test]
    fn no_tenant_has_the_socket_of_a_layer() {
        for layer in Layer::ALL {
            let name = layer.socket_name();
            assert!(names::check_name(&name).is_ok());
            let tenant = name.strip_prefix(&tenant_socket(Some("")));
            assert_eq!(tenant, None);
            assert_ne!(name, tenant_socket(None));
        }
    }
}
