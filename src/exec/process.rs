//! Runs a program to its end. The only place that spawns.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::{Instant, timeout, timeout_at};

/// How long the pipes of a program that has exited are still read. A tmux
/// client hands its descriptors to the server; a server that does not answer
/// keeps them open in the socket's queue after the client has gone (measured on
/// 3.7c).
const WAIT_DELAY: Duration = Duration::from_secs(1);

/// Most output that is taken, against a server that never stops sending. The
/// stream of a pane is 16 MiB unless the user set another `stream-limit`.
pub(crate) const MAX_OUTPUT: u64 = 256 * 1024 * 1024;

/// Most of a standard error that is kept.
pub(crate) const MAX_STDERR: u64 = 4096;

/// Variables that name another server or pane, or that belong to the shell of
/// the pane in which the caller runs. A server would hand them to its panes.
pub(crate) const FOREIGN_ENVIRONMENT: [&str; 5] = [
    "TMUX",
    "TMUX_PANE",
    "AMUX_NONCE",
    "AMUX_SHELL_PID",
    "AMUX_SHELL_PANE",
];

/// A program to run.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<OsString>,
    /// Variables of its environment, beside the caller's.
    pub(crate) environment: Vec<(&'static str, OsString)>,
    /// What it reads from its standard input; `None` for nothing.
    pub(crate) stdin: Option<Vec<u8>>,
    /// When it is killed.
    pub(crate) deadline: Option<Instant>,
}

/// A program that has ended.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    /// The first [`MAX_STDERR`] bytes.
    pub(crate) stderr: Vec<u8>,
}

/// Why there is no [`Finished`].
#[derive(Debug)]
pub(crate) enum Failure {
    /// It could not be started.
    Spawn(io::Error),
    /// Its end or its output could not be had.
    Io(io::Error),
    /// It did not end in time and was killed, or its pipes stayed open.
    Deadline,
    /// It wrote more than is taken.
    TooMuchOutput,
}

/// Runs a program and waits for its end.
///
/// Returns at the deadline, whatever the program, or whoever holds its pipes,
/// does. Dropping the future kills the program.
pub(crate) async fn run(job: Job) -> Result<Finished, Failure> {
    let mut command = command(job.program, job.arguments);
    command
        .envs(job.environment)
        .stdin(match job.stdin {
            Some(_) => Stdio::piped(),
            None => Stdio::null(),
        })
        .stdout(Stdio::piped());
    let mut child = command.spawn().map_err(Failure::Spawn)?;
    let finished = collect(&mut child, job.stdin.unwrap_or_default());
    let finished = match job.deadline {
        None => finished.await,
        Some(deadline) => timeout_at(deadline, finished)
            .await
            .unwrap_or(Err(Failure::Deadline)),
    };
    if finished.is_err() {
        // It may have ended meanwhile: then there is nobody to kill.
        let _ = child.start_kill();
        let _ = timeout(WAIT_DELAY, child.wait()).await;
    }
    finished
}

/// Starts a program that runs until [`Child`] is dropped, with its standard
/// error piped and its own process group, so that Ctrl-C at the caller's
/// terminal does not reach it.
pub(crate) fn start(program: PathBuf, arguments: Vec<OsString>) -> io::Result<Child> {
    let mut command = command(program, arguments);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    // Not in a folder that somebody wants to unmount or remove.
    command.current_dir("/").process_group(0);
    command.spawn()
}

fn command(program: PathBuf, arguments: Vec<OsString>) -> Command {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    for name in FOREIGN_ENVIRONMENT {
        command.env_remove(name);
    }
    command
}

async fn collect(child: &mut Child, stdin: Vec<u8>) -> Result<Finished, Failure> {
    let feed = feed(child.stdin.take(), stdin);
    let stdout = read(child.stdout.take(), MAX_OUTPUT, false);
    let stderr = read(child.stderr.take(), MAX_STDERR, true);
    let mut pipes = pin!(async { tokio::join!(feed, stdout, stderr) });
    let mut read = None;
    let status = loop {
        tokio::select! {
            done = &mut pipes, if read.is_none() => read = Some(done),
            status = child.wait() => break status.map_err(Failure::Io)?,
        }
    };
    let ((), stdout, stderr) = match read {
        Some(read) => read,
        None => timeout(WAIT_DELAY, pipes)
            .await
            .map_err(|_| Failure::Deadline)?,
    };
    Ok(Finished {
        status,
        stdout: stdout?,
        stderr: stderr?,
    })
}

/// Writes all and closes. A program that ends before it has read all tells why
/// by its status: the broken pipe adds nothing.
async fn feed(stdin: Option<ChildStdin>, data: Vec<u8>) {
    if let Some(mut stdin) = stdin {
        let _ = stdin.write_all(&data).await;
        let _ = stdin.shutdown().await;
    }
}

/// Reads to the end. What is over the limit is an error, or dropped.
async fn read(
    pipe: Option<impl AsyncRead + Unpin>,
    limit: u64,
    drop_rest: bool,
) -> Result<Vec<u8>, Failure> {
    let mut data = Vec::new();
    let Some(mut pipe) = pipe else {
        return Ok(data);
    };
    (&mut pipe)
        .take(limit)
        .read_to_end(&mut data)
        .await
        .map_err(Failure::Io)?;
    let mut rest = [0; 4096];
    while data.len() as u64 == limit {
        match pipe.read(&mut rest).await.map_err(Failure::Io)? {
            0 => break,
            _ if drop_rest => {}
            _ => return Err(Failure::TooMuchOutput),
        }
    }
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str, stdin: Option<&[u8]>, deadline: Option<Duration>) -> Job {
        Job {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into()],
            environment: Vec::new(),
            stdin: stdin.map(<[u8]>::to_vec),
            deadline: deadline.map(|d| Instant::now() + d),
        }
    }

    #[tokio::test]
    async fn output_and_status_come_back() {
        let job = sh("cat; echo e >&2; exit 3", Some(b"in"), None);
        let finished = run(job).await.unwrap();
        assert_eq!(finished.status.code(), Some(3));
        assert_eq!(finished.stdout, b"in");
        assert_eq!(finished.stderr, b"e\n");
    }

    #[tokio::test]
    async fn input_that_nobody_reads_is_no_error() {
        let finished = run(sh("exit 0", Some(&vec![b'x'; 1 << 20]), None)).await;
        assert!(finished.unwrap().status.success());
    }

    #[tokio::test]
    async fn long_stderr_is_cut_and_does_not_block() {
        let script = "head -c 1000000 /dev/zero >&2; echo done";
        let finished = run(sh(script, None, None)).await.unwrap();
        assert_eq!(finished.stderr.len() as u64, MAX_STDERR);
        assert_eq!(finished.stdout, b"done\n");
    }

    #[tokio::test]
    async fn deadline_holds_though_a_child_keeps_the_pipes() {
        let begun = Instant::now();
        let job = sh(
            "sleep 20 & sleep 20",
            None,
            Some(Duration::from_millis(100)),
        );
        assert!(matches!(run(job).await, Err(Failure::Deadline)));
        assert!(begun.elapsed() < Duration::from_secs(10));
    }

    #[tokio::test]
    async fn pipes_of_a_program_that_has_gone_do_not_hold_the_call() {
        let begun = Instant::now();
        let job = sh("sleep 20 & exit 0", None, None);
        assert!(matches!(run(job).await, Err(Failure::Deadline)));
        assert!(begun.elapsed() < Duration::from_secs(10));
    }

    #[tokio::test]
    async fn missing_program_is_told() {
        let job = Job {
            program: "/nonexistent/tmux".into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            stdin: None,
            deadline: None,
        };
        match run(job).await {
            Err(Failure::Spawn(error)) => assert_eq!(error.kind(), io::ErrorKind::NotFound),
            other => panic!("{other:?}"),
        }
    }
}
