//! A shell run once in a terminal of its own, and what it answered to typed
//! lines.
//!
//! A terminal, as the marks of the shell integration go to the shell's
//! terminal, and startup files ask for it.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::Stdio;
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::pty::OpenptFlags;
use rustix::termios::Winsize;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::exec::opened::Opened;

/// Between two looks at the file with the answer.
const INTERVAL: Duration = Duration::from_millis(20);

/// How long a shell that has answered may take to end.
const END_LIMIT: Duration = Duration::from_millis(500);

/// Most that is kept of what the shell shows.
const MAX_SHOWN: usize = 1024 * 1024;

/// A shell to run, and what to type into it.
#[derive(Debug)]
pub(crate) struct Shell {
    pub(crate) program: PathBuf,
    /// All of its environment.
    pub(crate) environment: Vec<(std::ffi::OsString, std::ffi::OsString)>,
    pub(crate) folder: PathBuf,
    /// Lines, typed before it reads: at most 4,095 bytes, which a terminal takes
    /// from a line and keeps for it.
    pub(crate) typed: String,
    /// File to which the typed lines write the answer.
    pub(crate) answer: PathBuf,
    /// How the answer ends.
    pub(crate) end: &'static [u8],
    /// Files that it may open.
    pub(crate) files: Vec<PathBuf>,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Answered {
    /// What the shell showed, with its escapes.
    pub(crate) shown: Vec<u8>,
    /// The answer; `None` when none came in time.
    pub(crate) answer: Option<Vec<u8>>,
    /// How long it took.
    pub(crate) took: Duration,
    /// The files that were opened meanwhile; `None` where that cannot be watched.
    pub(crate) opened: Option<Vec<PathBuf>>,
}

/// Runs the shell as a login shell in a terminal of 200 by 24, and waits for its
/// answer. Dropping the future kills it.
pub(crate) async fn ask(shell: Shell, limit: Duration) -> io::Result<Answered> {
    let (master, slave) = pair()?;
    let watched = Opened::watch(&shell.files).ok();
    let begun = Instant::now();
    let mut child = start(&shell, slave)?;
    File::from(master.try_clone()?).write_all(shell.typed.as_bytes())?;
    // A terminal is read as a pipe is; "unchecked" as it is none.
    let mut master = Receiver::from_owned_fd_unchecked(master)?;

    let deadline = begun + limit;
    let mut shown = Vec::new();
    let answer = {
        let answer = timeout_at(deadline, until_answer(&shell, &mut child));
        let mut answer = pin!(answer);
        tokio::select! {
            answer = &mut answer => answer,
            // Nobody has the terminal open any more: the answer is there or
            // never comes.
            () = read_all(&mut master, &mut shown) => answer.await,
        }
    };
    let answer = answer.ok().flatten();
    let took = begun.elapsed();
    let opened = watched.map(|watched| {
        let opened = watched.so_far().into_iter();
        opened.map(Path::to_owned).collect()
    });
    // Its marks came before its answer: they are there to be read.
    let ended = timeout(END_LIMIT, async {
        tokio::join!(read_all(&mut master, &mut shown), child.wait()).1
    });
    if ended.await.is_err() {
        // It may have ended meanwhile. What it left in the background gets
        // SIGHUP with its terminal.
        let _ = child.start_kill();
        let _ = timeout(END_LIMIT, child.wait()).await;
    }
    Ok(Answered {
        shown,
        answer,
        took,
        opened,
    })
}

/// Waits until the answer is whole, or the shell has ended without one.
async fn until_answer(shell: &Shell, child: &mut Child) -> Option<Vec<u8>> {
    loop {
        let ended = !matches!(child.try_wait(), Ok(None));
        let answer = std::fs::read(&shell.answer).unwrap_or_default();
        match (answer.ends_with(shell.end), ended) {
            (true, _) => return Some(answer),
            (false, true) => return None,
            (false, false) => sleep(INTERVAL).await,
        }
    }
}

/// Reads until nobody has the terminal open any more.
async fn read_all(master: &mut Receiver, shown: &mut Vec<u8>) {
    let mut part = [0; 4096];
    // The end is an error, EIO.
    while let Ok(size @ 1..) = master.read(&mut part).await {
        let room = MAX_SHOWN.saturating_sub(shown.len());
        shown.extend_from_slice(&part[..size.min(room)]);
    }
}

fn start(shell: &Shell, slave: OwnedFd) -> io::Result<Child> {
    let mut command = Command::new(&shell.program);
    command
        .arg0(login_name(&shell.program))
        .env_clear()
        .envs(shell.environment.iter().map(|(name, value)| (name, value)))
        .current_dir(&shell.folder)
        .stdin(Stdio::from(slave.try_clone()?))
        .stdout(Stdio::from(slave.try_clone()?))
        .stderr(Stdio::from(slave.try_clone()?))
        .kill_on_drop(true);
    let own_terminal = move || {
        rustix::process::setsid()?;
        rustix::process::ioctl_tiocsctty(slave.as_fd())?;
        Ok(())
    };
    // SAFETY: between fork and exec only what is async-signal-safe may run. The
    // closure makes two system calls and allocates nothing; its descriptor is
    // open, as the closure owns it.
    unsafe {
        command.pre_exec(own_terminal);
    }
    command.spawn()
}

/// The name by which a shell knows that it is a login shell.
fn login_name(program: &std::path::Path) -> std::ffi::OsString {
    let mut name = std::ffi::OsString::from("-");
    name.push(program.file_name().unwrap_or(program.as_os_str()));
    name
}

/// Opens a pseudo-terminal of the size that windows have: the master, which does
/// not block, and the slave.
fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = rustix::pty::openpt(flags)?;
    rustix::pty::grantpt(&master)?;
    rustix::pty::unlockpt(&master)?;
    let name = rustix::pty::ptsname(&master, Vec::new())?.into_bytes();
    let path = PathBuf::from(std::ffi::OsString::from_vec(name));
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let slave = rustix::fs::open(path, flags, Mode::empty())?;
    let size = Winsize {
        ws_row: 24,
        ws_col: 200,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    rustix::termios::tcsetwinsize(&slave, size)?;
    rustix::io::ioctl_fionbio(&master, true)?;
    Ok((master, slave))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(folder: &tempfile::TempDir, typed: &str) -> Shell {
        Shell {
            program: "/bin/sh".into(),
            environment: vec![("PATH".into(), std::env::var_os("PATH").unwrap())],
            folder: folder.path().to_owned(),
            typed: typed.to_owned(),
            answer: folder.path().join("answer"),
            end: b"end\n",
            files: vec![folder.path().join("read"), folder.path().join("other")],
        }
    }

    #[tokio::test]
    async fn answer_and_screen_come_back_from_a_terminal() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["read", "other"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let typed = "echo shown >/dev/tty; cat read; { stty size; echo end; } >answer; exit\n";
        let answered = ask(shell(&folder, typed), Duration::from_secs(20)).await;
        let answered = answered.unwrap();
        assert_eq!(answered.answer.as_deref(), Some(&b"24 200\nend\n"[..]));
        let shown = String::from_utf8_lossy(&answered.shown).into_owned();
        assert!(shown.contains("shown\r\n"), "{shown:?}");
        assert_eq!(answered.opened, Some(vec![folder.path().join("read")]));
    }

    #[tokio::test]
    async fn shell_that_does_not_answer_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let begun = Instant::now();
        let limit = Duration::from_millis(300);
        let answered = ask(shell(&folder, "sleep 60\n"), limit).await.unwrap();
        assert_eq!(answered.answer, None);
        assert!(begun.elapsed() < Duration::from_secs(10));
        // One that ends is not waited for.
        let begun = Instant::now();
        let answered = ask(shell(&folder, "exit 3\n"), Duration::from_secs(60)).await;
        assert_eq!(answered.unwrap().answer, None);
        assert!(begun.elapsed() < Duration::from_secs(10));
    }
}
