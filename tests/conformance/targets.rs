//! What is tested: a tmux program and the backend that drives it.

use std::path::PathBuf;

use amux::{BackendKind, Transport};

use crate::support::{build, stock};

/// What a target must be able to do.
///
/// Written by hand: a probe that finds less than there is would else shrink the suite unseen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    pub write_pane: bool,
    pub read_pane: bool,
}

/// A tmux program and the backend that drives it.
#[derive(Clone, Debug)]
pub struct Target {
    /// The version of tmux, such as `3.5a`.
    pub version: String,
    /// The backend that drives it.
    pub backend: BackendKind,
    /// The program.
    pub binary: PathBuf,
    /// How commands reach its servers.
    pub transport: Transport,
    /// What it must be able to do.
    pub expected: Expected,
}

/// A target, or the reason why there is none.
pub struct Found {
    /// `<version>/<backend>`; `<version>/<backend>+process` where each command is a process of the tmux client.
    pub name: String,
    /// Whether it may be missing even where nothing else may.
    pub optional: bool,
    pub target: Result<Target, String>,
}

/// The transports that `AMUX_TRANSPORT` leaves.
pub fn transports() -> Vec<Transport> {
    match std::env::var("AMUX_TRANSPORT") {
        Ok(word) => vec![word.parse().expect("AMUX_TRANSPORT")],
        Err(_) => vec![Transport::Socket, Transport::Process],
    }
}

/// Lists every target that the suite knows, those first whose commands go by the socket.
pub fn all(transports: &[Transport]) -> Vec<Found> {
    // A sanitized program is for the tests of the commands: it is slower than some of the waits here allow.
    let built = build::all()
        .into_iter()
        .filter(|(_, build)| !build.as_ref().is_ok_and(|build| build.sanitized))
        .map(|(version, build)| {
            let binary = build.map(|build| build.program);
            (version, BackendKind::Patched, binary)
        });
    let stock = stock::all()
        .into_iter()
        .map(|(version, binary)| (version, BackendKind::Stock, binary));
    let programs: Vec<_> = built.chain(stock).collect();
    transports
        .iter()
        .flat_map(|transport| {
            let programs = programs.clone().into_iter();
            programs.map(|(version, backend, binary)| found(version, backend, binary, *transport))
        })
        .collect()
}

fn found(
    version: String,
    backend: BackendKind,
    binary: Result<PathBuf, String>,
    transport: Transport,
) -> Found {
    let patched = backend == BackendKind::Patched;
    let by = match transport {
        Transport::Socket => String::new(),
        other => format!("+{other}"),
    };
    Found {
        name: format!("{version}/{backend}{by}"),
        optional: !patched && stock::may_be_missing(&version),
        target: binary.map(|binary| Target {
            version,
            backend,
            binary,
            transport,
            expected: Expected {
                write_pane: patched,
                read_pane: patched,
            },
        }),
    }
}
