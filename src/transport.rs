//! How commands reach a server.

/// How commands reach a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Transport {
    /// This process speaks to the server on its socket.
    Socket,
    /// A process of the tmux client is started for each.
    Process,
}

impl Transport {
    /// Returns one word: `socket`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Socket => "socket",
            Self::Process => "process",
        }
    }
}

impl std::fmt::Display for Transport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for Transport {
    type Err = crate::Error;

    /// Reads the word that [`Transport::as_str`] returns.
    fn from_str(text: &str) -> crate::Result<Self> {
        match text {
            "socket" => Ok(Self::Socket),
            "process" => Ok(Self::Process),
            _ => Err(
                crate::Error::new(crate::ErrorKind::InvalidArgument, "choose transport")
                    .on(text)
                    .because("either socket or process"),
            ),
        }
    }
}
