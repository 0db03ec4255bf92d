//! A tmux server that is a child of this process: one task waits for it.

use std::process::ExitStatus;
use std::time::Duration;

use tokio::process::Child;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use crate::error::{Error, ErrorKind, Result};
use crate::exec::process::MAX_STDERR;
use crate::exec::signal;
use crate::exec::tmux::Tmux;

/// How long a server that was told to terminate has to clean up.
pub(crate) const TERMINATE_LIMIT: Duration = Duration::from_secs(2);

/// How a server ended.
#[derive(Debug, Clone)]
pub(crate) struct Exit {
    pub(crate) status: Option<ExitStatus>,
    /// The start of what it wrote to standard error, which it does only when
    /// it fails while starting.
    pub(crate) stderr: String,
}

enum Order {
    Terminate,
    Kill,
}

/// A handle on the server. Dropping it terminates the server.
#[derive(Debug)]
pub(crate) struct ServerChild {
    pid: u32,
    orders: mpsc::UnboundedSender<Order>,
    exit: watch::Receiver<Option<Exit>>,
}

impl ServerChild {
    /// Starts a server in the foreground. It does not answer yet.
    pub(crate) fn start(tmux: &Tmux) -> Result<Self> {
        let op = "start server";
        let program = tmux.binary().to_owned();
        let child = crate::exec::process::start(program, tmux.server_arguments())
            .map_err(|error| Error::io(op, error).on(tmux.binary().display()))?;
        let pid = child
            .id()
            .ok_or_else(|| Error::new(ErrorKind::Io, op).because("the server has no process id"))?;
        let (orders, inbox) = mpsc::unbounded_channel();
        let (tell, exit) = watch::channel(None);
        tokio::spawn(attend(child, pid, inbox, tell));
        Ok(Self { pid, orders, exit })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// Sends SIGTERM, if it still runs.
    pub(crate) fn terminate(&self) {
        // A closed channel: it has ended.
        let _ = self.orders.send(Order::Terminate);
    }

    /// Sends SIGKILL, if it still runs.
    pub(crate) fn kill(&self) {
        let _ = self.orders.send(Order::Kill);
    }

    /// Returns how it ended, if it has.
    pub(crate) fn exited(&self) -> Option<Exit> {
        self.exit.borrow().clone()
    }

    /// Waits until it has ended. Cancel safe.
    pub(crate) async fn wait(&self) -> Exit {
        let mut exit = self.exit.clone();
        let ended = match exit.wait_for(Option::is_some).await {
            Ok(exit) => exit.clone(),
            // The task went with its runtime, and the server with it.
            Err(_) => None,
        };
        ended.unwrap_or(Exit {
            status: None,
            stderr: String::new(),
        })
    }
}

/// Waits for the server: the only one that may, so that its process id is its
/// own until it is told here.
async fn attend(
    mut child: Child,
    pid: u32,
    mut orders: mpsc::UnboundedReceiver<Order>,
    tell: watch::Sender<Option<Exit>>,
) {
    let stderr = tokio::spawn(read_stderr(child.stderr.take()));
    let status = loop {
        tokio::select! {
            status = child.wait() => break status.ok(),
            order = orders.recv() => match order {
                Some(Order::Terminate) => {
                    signal::terminate(pid);
                }
                Some(Order::Kill) => {
                    // Fails when it has ended, which wait() tells.
                    let _ = child.start_kill();
                }
                None => {
                    signal::terminate(pid);
                    if timeout(TERMINATE_LIMIT, child.wait()).await.is_err() {
                        let _ = child.start_kill();
                    }
                    break child.wait().await.ok();
                }
            },
        }
    };
    // Its panes' processes may hold the pipe; what matters came before the end.
    let stderr = timeout(Duration::from_millis(100), stderr).await;
    let stderr = stderr.ok().and_then(|read| read.ok()).unwrap_or_default();
    tell.send_replace(Some(Exit { status, stderr }));
}

async fn read_stderr(pipe: Option<tokio::process::ChildStderr>) -> String {
    use tokio::io::AsyncReadExt;
    let mut text = Vec::new();
    let Some(mut pipe) = pipe else {
        return String::new();
    };
    let limit = MAX_STDERR as usize;
    let mut part = [0; 512];
    // An error ends it as the end of the pipe does. Read on past the limit: a
    // full pipe would stop the server.
    while let Ok(n @ 1..) = pipe.read(&mut part).await {
        text.extend_from_slice(&part[..n.min(limit.saturating_sub(text.len()))]);
    }
    String::from_utf8_lossy(&text).trim().to_owned()
}
