//! Starts a server, or connects to one.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, watch};
use tokio::time::{Instant, sleep};

use crate::audit::Audit;
use crate::backend::detect;
use crate::backend::screen::Screens;
use crate::backend::{Backend, Settings, Windows};
use crate::capability::{BackendKind, Capabilities};
use crate::error::{Error, ErrorKind, Result};
use crate::exec::child::ServerChild;
use crate::exec::locate;
use crate::exec::runtime_dir::RuntimeDir;
use crate::exec::tmux::{self, Sequence, Socket, Tmux};
use crate::layer::{Layer, LayerUp, up};
use crate::names;
use crate::server::{Inner, Sent, Server, setup};
use crate::shell::{Shell, ShellKind};
use crate::transport::Transport;
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

/// How often a server that ended at once is started again.
const START_TRIES: u32 = 2;

/// Settings of a [`Server`] to start or connect to; made by
/// [`Server::builder`].
#[derive(Debug, Clone, Default)]
pub struct Builder {
    tenant: Option<String>,
    socket: Option<PathBuf>,
    layer: Option<Layer>,
    binary: Option<PathBuf>,
    shell: Option<Shell>,
    call_limit: Option<Duration>,
    backend: Option<BackendKind>,
    stream_limit: Option<u64>,
    transport: Option<Transport>,
    audit: Option<Audit>,
}

/// The programs that a server runs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Programs {
    /// Path of the tmux binary.
    pub tmux: PathBuf,
    /// Its version.
    pub tmux_version: Version,
    /// What shell windows run.
    pub shell: ShellKind,
    /// Path of its binary.
    pub shell_path: PathBuf,
    /// Its version; the third number is left out.
    pub shell_version: Version,
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

    /// Sets a layer as the server, instead of a tenant.
    ///
    /// One that runs is taken as it is: [`Builder::connect_or_start`] sets no
    /// option of it, and starts one that does not run as [`Builder::up`] does.
    pub fn layer(mut self, layer: Layer) -> Self {
        self.layer = Some(layer);
        self
    }

    /// Sets the tmux binary. Default: what [`find_tmux`](crate::find_tmux)
    /// finds.
    pub fn binary(mut self, path: impl Into<PathBuf>) -> Self {
        self.binary = Some(path.into());
        self
    }

    /// Sets the bash that windows run, 4.4 or later. Default: the one in `PATH`.
    pub fn bash(self, path: impl Into<PathBuf>) -> Self {
        self.shell(Shell::at(ShellKind::Bash, path))
    }

    /// Sets the shell that windows run: bash 4.4, zsh 5.8, fish 3.6 or later.
    /// Default: the bash in `PATH`.
    ///
    /// zsh and fish need [`BackendKind::Patched`]. A server that runs keeps its
    /// shell: [`Builder::connect`] fails where that is of another kind.
    pub fn shell(mut self, shell: impl Into<Shell>) -> Self {
        self.shell = Some(shell.into());
        self
    }

    /// Sets how long the server may take to answer a call, beside the time that
    /// the call waits for a command. Default: 10 s.
    pub fn call_timeout(mut self, limit: Duration) -> Self {
        self.call_limit = Some(limit);
        self
    }

    /// Sets how the server is driven. Default: [`BackendKind::Patched`] where
    /// the server can, else [`BackendKind::Stock`].
    pub fn backend(mut self, kind: BackendKind) -> Self {
        self.backend = Some(kind);
        self
    }

    /// Sets how many bytes of a pane's output are kept: the newest. Default:
    /// 16 MiB. A server of [`BackendKind::Patched`] that runs already keeps its
    /// own limit; with [`BackendKind::Stock`] it is this process that keeps them.
    pub fn stream_limit(mut self, bytes: u64) -> Self {
        self.stream_limit = Some(bytes);
        self
    }

    /// Sets how commands reach the server. Default: what the variable
    /// `AMUX_TRANSPORT` says, `socket` or `process`; where it is not set,
    /// [`Transport::Socket`] if the server answers there as expected, else
    /// [`Transport::Process`].
    pub fn transport(mut self, transport: Transport) -> Self {
        self.transport = Some(transport);
        self
    }

    /// Sets what goes into the audit log, and where that goes. Default: what the
    /// variables `AMUX_AUDIT` (`off`, `on` or `full`), `AMUX_AUDIT_SOCKET` and
    /// `AMUX_AUDIT_FILE` say; where they are not set, as [`Audit`] describes.
    pub fn audit(mut self, audit: Audit) -> Self {
        self.audit = Some(audit);
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
    /// [`ErrorKind::Unsupported`] for a backend that it lacks,
    /// [`ErrorKind::InvalidName`], [`ErrorKind::InvalidArgument`],
    /// [`ErrorKind::Timeout`], [`ErrorKind::NoServer`] when it ended while
    /// starting.
    ///
    /// # Cancel safety
    ///
    /// The server is terminated.
    pub async fn start(self) -> Result<Server> {
        if self.layer.is_some() {
            return Err(Error::new(ErrorKind::InvalidArgument, "start server")
                .because("a layer is no child: it goes on"));
        }
        let tmux = self.tmux()?;
        let setup = self.setup(&tmux).await?;
        let mut tries = 0;
        let child = loop {
            let child = ServerChild::start(&tmux)?;
            match self.wait_until_ready(&tmux, &child).await {
                Ok(()) => break child,
                // It may have met the server before it, which was about to end:
                // then tmux became a client of that, and ended with it.
                Err(error) if *error.kind() == ErrorKind::NoServer && tries < START_TRIES => {
                    tries += 1;
                }
                Err(error) => return Err(error),
            }
        };
        tmux.output("set up server", setup, self.call_limit())
            .await
            .map_err(|error| error.on(tmux.socket()))?;
        let (identity, capabilities) = self.probe(&tmux).await?;
        let server = self.server(tmux, identity, capabilities, Some(child))?;
        server.limit_streams().await?;
        Ok(server)
    }

    /// Connects to a server that runs. It is not owned: dropping the handles
    /// leaves it running.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoServer`], [`ErrorKind::Timeout`],
    /// [`ErrorKind::Unsupported`] for a backend that it lacks,
    /// [`ErrorKind::BinaryNotFound`], [`ErrorKind::InvalidName`],
    /// [`ErrorKind::InvalidArgument`].
    ///
    /// # Cancel safety
    ///
    /// Nothing changes.
    pub async fn connect(self) -> Result<Server> {
        let tmux = self.tmux()?;
        let (identity, capabilities) = self.probe(&tmux).await?;
        self.running(tmux, identity, capabilities)
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
        if self.layer.is_some() {
            let started = self.up().await?.last().is_some_and(|up| up.started);
            let (identity, capabilities) = self.probe(&tmux).await?;
            return Ok((self.server(tmux, identity, capabilities, None)?, started));
        }
        let found = match self.probe(&tmux).await {
            Ok(found) if found.0.set_up => Some(found),
            Ok(_) => None,
            Err(error) if *error.kind() == ErrorKind::NoServer => None,
            Err(error) => return Err(error),
        };
        if let Some((identity, capabilities)) = found {
            let server = self.running(tmux, identity, capabilities)?;
            return Ok((server, false));
        }
        let op = "start server";
        let sequence = setup::start_sequence(self.setup(&tmux).await?);
        let finished = tmux.start(op, sequence, START_LIMIT).await?;
        tmux::success(op, finished).map_err(|error| error.on(tmux.socket()))?;
        let (identity, capabilities) = self.probe(&tmux).await?;
        let limit = self.call_limit();
        match self.server(tmux.clone(), identity, capabilities, None) {
            Ok(server) => {
                server.limit_streams().await?;
                Ok((server, true))
            }
            Err(error) => {
                // It cannot do what is asked for, and goes again.
                let sequence = Sequence::new().command("kill-server", [""; 0]);
                let _ = tmux.output(op, sequence, limit).await;
                Err(error)
            }
        }
    }

    /// Starts the layer of [`Builder::layer`], in the background, and its session,
    /// where they are missing; with [`Layer::Outer`] the others before it, and
    /// its windows that show them. Tells what there is now, in that order.
    ///
    /// What runs already is left as it is. Several processes may do so at the same
    /// time: one server comes of it.
    ///
    /// # Errors
    ///
    /// As [`Builder::start`]; [`ErrorKind::InvalidArgument`] without a layer.
    ///
    /// # Cancel safety
    ///
    /// Some of it may run afterwards.
    pub async fn up(&self) -> Result<Vec<LayerUp>> {
        let Some(layer) = self.layer else {
            return Err(
                Error::new(ErrorKind::InvalidArgument, "start layer").because("no layer is given")
            );
        };
        let mut all = Vec::new();
        for layer in layer.with_shown() {
            all.push(self.clone().layer(layer).up_one(layer).await?);
        }
        Ok(all)
    }

    async fn up_one(&self, layer: Layer) -> Result<LayerUp> {
        let tmux = self.tmux()?;
        let programs = self.programs().await?;
        up::up(layer, &tmux, &programs, self.call_limit())
            .await
            .map_err(|error| error.on(layer))
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
        let shell = self.shell_kind();
        let shell_path = match self.shell.as_ref().and_then(Shell::path) {
            Some(path) => path.to_owned(),
            None => locate::find_shell(shell.as_str())?,
        };
        let (tmux_version, shell_version) = tokio::try_join!(
            detect::check_tmux(&tmux),
            detect::check_shell(shell, &shell_path)
        )?;
        Ok(Programs {
            tmux,
            tmux_version,
            shell,
            shell_path,
            shell_version,
        })
    }

    fn tmux(&self) -> Result<Tmux> {
        let binary = match &self.binary {
            Some(path) => path.clone(),
            None => locate::find_tmux()?,
        };
        let socket = match (&self.socket, self.layer, &self.tenant) {
            (Some(path), None, None) => Socket::Path(path.clone()),
            (None, Some(layer), None) => layer.socket(),
            (None, None, tenant) => {
                tenant.as_deref().map(names::check_name).transpose()?;
                Socket::Name(setup::tenant_socket(tenant.as_deref()))
            }
            _ => {
                return Err(Error::new(ErrorKind::InvalidArgument, "choose socket")
                    .because("either a tenant, a layer or a path"));
            }
        };
        let path = match &socket {
            Socket::Path(path) => path.clone(),
            // With a long TMUX_TMPDIR: tmux would say so with each command.
            Socket::Name(name) => setup::socket_folder().join(name),
        };
        if path.as_os_str().len() > MAX_SOCKET_PATH {
            return Err(Error::new(ErrorKind::InvalidArgument, "choose socket")
                .on(path.display())
                .because("longer than 107 bytes"));
        }
        let transport = match self.transport {
            Some(transport) => Some(transport),
            None => match std::env::var_os("AMUX_TRANSPORT") {
                Some(word) if !word.is_empty() => Some(word.to_string_lossy().parse()?),
                _ => None,
            },
        };
        Ok(Tmux::new(binary, socket, transport))
    }

    fn shell_kind(&self) -> ShellKind {
        self.shell.as_ref().map_or(ShellKind::Bash, Shell::kind)
    }

    fn call_limit(&self) -> Duration {
        self.call_limit.unwrap_or(CALL_LIMIT)
    }

    /// Checks the programs and returns the commands that set the server up.
    async fn setup(&self, tmux: &Tmux) -> Result<Sequence> {
        let programs = self.programs().await?;
        let runtime = RuntimeDir::of_user();
        runtime.ensure_integration()?;
        let shell = (programs.shell, programs.shell_path.as_path());
        Ok(setup::sequence(tmux.binary(), shell, &runtime))
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

    /// A server that was there: it has its shell.
    fn running(self, tmux: Tmux, identity: Identity, capabilities: Capabilities) -> Result<Server> {
        let wanted = self.shell.as_ref().map(Shell::kind);
        let server = self.server(tmux, identity, capabilities, None)?;
        if let Some(wanted) = wanted {
            let found = server.shell().to_owned();
            if ShellKind::of(&found) != Some(wanted) {
                return Err(Error::new(ErrorKind::InvalidArgument, "choose shell")
                    .on(wanted)
                    .because(format!("the server that runs has {}", found.display())));
            }
        }
        Ok(server)
    }

    fn server(
        self,
        tmux: Tmux,
        identity: Identity,
        capabilities: Capabilities,
        child: Option<ServerChild>,
    ) -> Result<Server> {
        let (call_limit, shell) = (self.call_limit(), self.shell_kind());
        let settings = Settings {
            kind: self.backend,
            call_limit,
            stream_limit: self.stream_limit,
            audit: match self.audit {
                Some(audit) => audit,
                None => Audit::from_environment()?,
            },
            socket: identity.socket.clone(),
        };
        let backend = Backend::choose(&tmux, &capabilities, &settings)?;
        if backend.kind() == BackendKind::Stock && shell != ShellKind::Bash {
            let capability = "read_pane";
            return Err(
                Error::new(ErrorKind::Unsupported { capability }, "choose shell")
                    .on(shell)
                    .because("without it bash alone leaves records of its prompts"),
            );
        }
        let windows = Windows::new(tmux.clone(), &capabilities, call_limit);
        Ok(Server::new(Arc::new(Inner {
            screens: Screens::new(tmux.clone(), windows.clone(), call_limit),
            windows,
            limit: call_limit,
            runtime: RuntimeDir::of_user(),
            stop: Mutex::new(()),
            sent: watch::Sender::new(Sent::Nothing),
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
                builder().tenant("a").layer(Layer::Agent),
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
        let tmux = builder().layer(Layer::Agent).tmux().unwrap();
        assert_eq!(*tmux.socket(), Socket::Name("amux_atx".into()));
    }
}
