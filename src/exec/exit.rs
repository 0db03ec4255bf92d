//! Learning that a process has ended which is no child of this one.

use std::future::pending;
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Waits until a process has ended, asleep (pidfd_open(2), Linux 5.3). Where the
/// system cannot tell, it never returns.
///
/// Cancel safe.
pub(crate) async fn of(pid: u32) {
    match open(pid) {
        Ok(process) => {
            if process.readable().await.is_err() {
                pending::<()>().await;
            }
        }
        // There is none any more.
        Err(error) if error.raw_os_error() == Some(Errno::SRCH.raw_os_error()) => {}
        Err(_) => pending::<()>().await,
    }
}

fn open(pid: u32) -> std::io::Result<AsyncFd<OwnedFd>> {
    let pid = i32::try_from(pid)
        .ok()
        .and_then(Pid::from_raw)
        .ok_or(Errno::SRCH)?;
    let process = pidfd_open(pid, PidfdFlags::NONBLOCK)?;
    // SAFETY: an OwnedFd keeps its descriptor open, and the same, until it is
    // dropped; this one is never taken out again.
    let process = unsafe { AsyncFd::register_with_interest(process, Interest::READABLE) };
    process.map_err(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn process_that_ends_is_noticed() {
        let mut child = std::process::Command::new("sleep")
            .arg("100")
            .spawn()
            .unwrap();
        let early = tokio::time::timeout(Duration::from_millis(50), of(child.id())).await;
        assert!(early.is_err());
        child.kill().unwrap();
        tokio::time::timeout(Duration::from_secs(30), of(child.id()))
            .await
            .unwrap();
        child.wait().unwrap();
        of(child.id()).await;
    }

    #[tokio::test]
    async fn process_that_never_was_has_ended() {
        of(u32::MAX).await;
    }
}
