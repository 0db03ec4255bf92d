//! Starts a server, or connects to one.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::backend::detect;
use crate::backend::{Backend, Windows};
use crate::capability::Capabilities;
use crate::error::{Error, ErrorKind, Result};
use crate::exec::child::ServerChild;
use crate::exec::locate;
use crate::exec::runtime_dir::RuntimeDir;
use crate::exec::tmux::{self, Sequence, Socket, Tmux};
use crate::names;
use crate::server::{Inner, Server, setup};
use crate::version::Version;
use crate::wire::probe::Identity;

/// Longest path of a socket: `sun_path` has 108 bytes, with its end.
const MAX_SOCKET_PATH: usize = 107;

/// How long a server may take to answer what does not wait, unless told
/// otherwise. Long, as a busy machine is no reason to fail.
const CALL_LIMIT: Duration = Duration::from_secs(10);

/// How long a new server may take until it answers.
const START_LIMIT: Duration = Duration::from_secs(10);

/// How often a new server is asked. Its socket appears after a few milliseconds.
const PROBE_INTERVAL: Duration = Duration::from_millis(20);

/// Settings of a [`Server`] to start or connect to; made by
/// [`Server::builder`].
#[derive(Debug, Clone, Default)]
pub struct Builder {
    tenant: Option<String>,
    socket: Option<PathBuf>,
    binary: Option<PathBuf>,
    bash: Option<PathBuf>,
    call_limit: Option<Duration>,
}

/// The programs that a server runs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Programs {
    /// Path of the tmux binary.
    pub tmux: PathBuf,
    /// Its version.
    pub tmux_version: Version,
    /// Path of the bash that windows run.
    pub bash: PathBuf,
    /// Its version; bash's third number is left out.
    pub bash_version: Version,
}

impl Builder {
    /// Sets the tenant: a server with a socket of its own, `amux-<tenant>` in
    /// tmux's folder of the user's sockets. Default: `amux`.
    pub fn tenant(mut self, name: impl Into<String>) -> Self {
        self.tenant = Some(name.into());
        self
    }

    /// Sets the path of the socket, instead of a tenant. At most 107 bytes.
    pub fn socket_path(mut self, path: impl Into<PathBuf>) -> Self {
        self.socket = Some(path.into());
        self
    }

    /// Sets the tmux binary. Default: what [`find_tmux`](crate::find_tmux)
    /// finds.
    pub fn binary(mut self, path: impl Into<PathBuf>) -> Self {
        self.binary = Some(path.into());
        self
    }

    /// Sets the bash that windows run, 4.4 or later. Default: the one in `PATH`.
    pub fn bash(mut self, path: impl Into<PathBuf>) -> Self {
        self.bash = Some(path.into());
        self
    }

    /// Sets how long the server may take to answer a call, beside the time that
    /// the call waits for a command. Default: 10 s.
    pub fn call_timeout(mut self, limit: Duration) -> Self {
        self.call_limit = Some(limit);
        self
    }

    /// Starts a server as a child of this process. It ends when the last handle
    /// on it is dropped, and is killed with the runtime; [`Server::stop`] ends
    /// it in order.
    ///
    /// A socket that a dead server left is taken over.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::SocketInUse`] with the process id of the server that is
    /// there, [`ErrorKind::BinaryNotFound`], [`ErrorKind::VersionTooOld`],
    /// [`ErrorKind::Unsupported`] for an unpatched tmux,
    /// [`ErrorKind::InvalidName`], [`ErrorKind::InvalidArgument`],
    /// [`ErrorKind::Timeout`], [`ErrorKind::NoServer`] when it ended while
    /// starting.
    ///
    /// # Cancel safety
    ///
    /// The server is terminated.
    pub async fn start(self) -> Result<Server> {
        let tmux = self.tmux()?;
        let setup = self.setup(&tmux).await?;
        let child = ServerChild::start(&tmux)?;
        self.wait_until_ready(&tmux, &child).await?;
        tmux.output("set up server", setup, self.call_limit())
            .await
            .map_err(|error| error.on(tmux.socket()))?;
        let (identity, capabilities) = self.probe(&tmux).await?;
        self.server(tmux, identity, capabilities, Some(child))
    }

    /// Connects to a server that runs. It is not owned: dropping the handles
    /// leaves it running.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoServer`], [`ErrorKind::Timeout`],
    /// [`ErrorKind::Unsupported`] for an unpatched tmux,
    /// [`ErrorKind::BinaryNotFound`], [`ErrorKind::InvalidName`],
    /// [`ErrorKind::InvalidArgument`].
    ///
    /// # Cancel safety
    ///
    /// Nothing changes.
    pub async fn connect(self) -> Result<Server> {
        let tmux = self.tmux()?;
        let (identity, capabilities) = self.probe(&tmux).await?;
        self.server(tmux, identity, capabilities, None)
    }

    /// Connects to a server that runs; where none does, starts one in the
    /// background, which goes on after this process. Returns true with it when
    /// it was started.
    ///
    /// Several processes may do so at the same time: one server comes of it.
    ///
    /// # Errors
    ///
    /// As [`Builder::start`] and [`Builder::connect`].
    ///
    /// # Cancel safety
    ///
    /// The server may or may not run afterwards.
    pub async fn connect_or_start(self) -> Result<(Server, bool)> {
        let tmux = self.tmux()?;
        let found = match self.probe(&tmux).await {
            Ok(found) if found.0.set_up => Some(found),
            // Somebody's own server on our socket, or another's half way.
            Ok(found) if !found.1.read_pane => Some(found),
            Ok(_) => None,
            Err(error) if *error.kind() == ErrorKind::NoServer => None,
            Err(error) => return Err(error),
        };
        let started = found.is_none();
        let (identity, capabilities) = match found {
            Some(found) => found,
            None => {
                let op = "start server";
                let sequence = setup::start_sequence(self.setup(&tmux).await?);
                let finished = tmux.start(op, sequence, START_LIMIT).await?;
                tmux::success(op, finished).map_err(|error| error.on(tmux.socket()))?;
                self.probe(&tmux).await?
            }
        };
        let server = self.server(tmux, identity, capabilities, None)?;
        Ok((server, started))
    }

    /// Finds the programs that a server would run, and checks their versions.
    /// Nothing is started.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::BinaryNotFound`], [`ErrorKind::VersionTooOld`],
    /// [`ErrorKind::InvalidName`], [`ErrorKind::InvalidArgument`].
    ///
    /// # Cancel safety
    ///
    /// Nothing changes.
    pub async fn programs(&self) -> Result<Programs> {
        let tmux = self.tmux()?.binary().to_owned();
        let bash = match &self.bash {
            Some(path) => path.clone(),
            None => locate::find_bash()?,
        };
        let (tmux_version, bash_version) =
            tokio::try_join!(detect::check_tmux(&tmux), detect::check_bash(&bash))?;
        Ok(Programs {
            tmux,
            tmux_version,
            bash,
            bash_version,
        })
    }

    fn tmux(&self) -> Result<Tmux> {
        let binary = match &self.binary {
            Some(path) => path.clone(),
            None => locate::find_tmux()?,
        };
        let socket = match (&self.socket, &self.tenant) {
            (Some(_), Some(_)) => {
                return Err(Error::new(ErrorKind::InvalidArgument, "choose socket")
                    .because("either a tenant or a path"));
            }
            (Some(path), None) if path.as_os_str().len() > MAX_SOCKET_PATH => {
                return Err(Error::new(ErrorKind::InvalidArgument, "choose socket")
                    .on(path.display())
                    .because("longer than 107 bytes"));
            }
            (Some(path), None) => Socket::Path(path.clone()),
            (None, tenant) => {
                tenant.as_deref().map(names::check_name).transpose()?;
                setup::tenant_socket(tenant.as_deref())
            }
        };
        Ok(Tmux::new(binary, socket))
    }

    fn call_limit(&self) -> Duration {
        self.call_limit.unwrap_or(CALL_LIMIT)
    }

    /// Checks the programs and returns the commands that set the server up.
    async fn setup(&self, tmux: &Tmux) -> Result<Sequence> {
        let programs = self.programs().await?;
        let runtime = RuntimeDir::of_user();
        runtime.ensure_integration()?;
        Ok(setup::sequence(tmux.binary(), &programs.bash, &runtime))
    }

    async fn probe(&self, tmux: &Tmux) -> Result<(Identity, Capabilities)> {
        detect::probe(tmux, self.call_limit()).await
    }

    /// Waits until the server that answers on the socket is the one that was
    /// started. Checking the socket before would not do: it could be taken right
    /// after.
    async fn wait_until_ready(&self, tmux: &Tmux, child: &ServerChild) -> Result<()> {
        let op = "start server";
        let deadline = Instant::now() + START_LIMIT;
        loop {
            let gone = child.exited();
            let answer = self.probe(tmux).await;
            match answer {
                Ok((identity, _)) if identity.pid == child.pid() => return Ok(()),
                // tmux -D on a socket in use becomes a client and fails with a
                // message that says nothing of the cause.
                Ok((identity, _)) if gone.is_some() => {
                    let kind = ErrorKind::SocketInUse { pid: identity.pid };
                    return Err(Error::new(kind, op).on(tmux.socket()));
                }
                Ok(_) => {}
                Err(error) if *error.kind() == ErrorKind::NoServer => {
                    if let Some(exit) = gone {
                        return Err(Error::new(ErrorKind::NoServer, op)
                            .on(tmux.socket())
                            .because(format!("it ended at once: {}", exit.stderr)));
                    }
                }
                Err(error) => return Err(error),
            }
            if Instant::now() >= deadline {
                return Err(Error::new(ErrorKind::Timeout, op)
                    .on(tmux.socket())
                    .because("it does not answer"));
            }
            tokio::select! {
                _ = child.wait(), if child.exited().is_none() => {}
                () = sleep(PROBE_INTERVAL) => {}
            }
        }
    }

    fn server(
        self,
        tmux: Tmux,
        identity: Identity,
        capabilities: Capabilities,
        child: Option<ServerChild>,
    ) -> Result<Server> {
        let call_limit = self.call_limit();
        let backend = Backend::choose(&tmux, &capabilities, call_limit)?;
        Ok(Server::new(Arc::new(Inner {
            windows: Windows::new(tmux.clone(), call_limit),
            runtime: RuntimeDir::of_user(),
            stopping: false.into(),
            backend,
            capabilities,
            identity,
            child,
            tmux,
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn socket_is_checked_before_anything_runs() {
        let builder = || Server::builder().binary("/nonexistent");
        for (builder, kind) in [
            (builder().tenant("../x"), ErrorKind::InvalidName),
            (
                builder().tenant("a").socket_path("/s"),
                ErrorKind::InvalidArgument,
            ),
            (
                builder().socket_path("/".repeat(108)),
                ErrorKind::InvalidArgument,
            ),
        ] {
            assert_eq!(*builder.tmux().unwrap_err().kind(), kind);
        }
        let tmux = builder().tenant("t").tmux().unwrap();
        assert_eq!(*tmux.socket(), Socket::Name("amux-t".into()));
    }
}
