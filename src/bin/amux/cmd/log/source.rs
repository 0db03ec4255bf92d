//! Where lines come from: journalctl, or a file.

use std::error::Error;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::args::log::Log;

/// How often it is looked whether a file has grown; nothing tells.
const INTERVAL: Duration = Duration::from_millis(200);

/// Gives lines: those that are there, and then those that come.
pub enum Source {
    Journal {
        child: Box<Child>,
        lines: Lines<BufReader<ChildStdout>>,
        follow: bool,
    },
    File(Followed),
}

/// A file that grows, and is begun anew now and then.
pub struct Followed {
    path: PathBuf,
    file: File,
    /// What was read and not given yet.
    text: Vec<u8>,
    /// How much of it was given.
    given: usize,
}

impl Source {
    /// Starts journalctl, which knows the fields of the journal.
    pub fn journal(args: &Log) -> Result<Self, Box<dyn Error>> {
        let mut command = Command::new("journalctl");
        // --all: without it a long field is left out.
        command.args(["--output=json", "--all", "--no-pager"]);
        if let Some(namespace) = &args.namespace {
            command.arg(format!("--namespace={namespace}"));
        }
        if let Some(ago) = args.since {
            let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
            command.arg(format!("--since=@{}", now.saturating_sub(ago).as_secs()));
        }
        if args.follow {
            // It does not tell where what is there ends.
            command.args(["--follow", &format!("--lines={}", args.lines)]);
        }
        command.arg("SYSLOG_IDENTIFIER=amux");
        if let Some(pane) = &args.pane {
            command.arg(format!("AMUX_PANE={pane}"));
        }
        if let Some(event) = args.event {
            command.arg(format!("AMUX_EVENT={}", event.as_str()));
        }
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => {
                    "there is no journalctl: name a file that is logged to with --file".to_owned()
                }
                _ => format!("start journalctl: {error}"),
            })?;
        let stdout = child.stdout.take().ok_or("journalctl has no output")?;
        Ok(Self::Journal {
            child: Box::new(child),
            lines: BufReader::new(stdout).lines(),
            follow: args.follow,
        })
    }

    /// Opens a file, with what was moved away when it was begun anew.
    pub fn file(path: &Path) -> Result<Self, Box<dyn Error>> {
        let wrap = |error| format!("read {}: {error}", path.display());
        let mut old = path.as_os_str().to_owned();
        old.push(".1");
        let mut text = match std::fs::read(&old) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            read => read.map_err(|error| format!("read {}: {error}", Path::new(&old).display()))?,
        };
        let mut file = File::open(path).map_err(wrap)?;
        file.read_to_end(&mut text).map_err(wrap)?;
        Ok(Self::File(Followed {
            path: path.to_owned(),
            file,
            text,
            given: 0,
        }))
    }

    /// Returns the next line of those that are there.
    pub async fn next_old(&mut self) -> Result<Option<Vec<u8>>, Box<dyn Error>> {
        match self {
            Self::Journal { follow: true, .. } => Ok(None),
            Self::Journal { child, lines, .. } => match lines.next_line().await? {
                Some(line) => Ok(Some(line.into_bytes())),
                None => ended(child).await.map(|()| None),
            },
            Self::File(followed) => Ok(followed.line()),
        }
    }

    /// Waits for the next line that comes.
    pub async fn next_new(&mut self) -> Result<Vec<u8>, Box<dyn Error>> {
        match self {
            Self::Journal { child, lines, .. } => match lines.next_line().await? {
                Some(line) => Ok(line.into_bytes()),
                None => {
                    ended(child).await?;
                    Err("journalctl has ended".into())
                }
            },
            Self::File(followed) => loop {
                if let Some(line) = followed.line() {
                    return Ok(line);
                }
                followed.read()?;
                if !followed.has_line() {
                    tokio::time::sleep(INTERVAL).await;
                }
            },
        }
    }
}

/// Says why journalctl has failed, if it has.
async fn ended(child: &mut Child) -> Result<(), Box<dyn Error>> {
    let mut said = String::new();
    if let Some(stderr) = &mut child.stderr {
        stderr.read_to_string(&mut said).await?;
    }
    let status = child.wait().await?;
    match status.success() || said.trim().is_empty() {
        true => Ok(()),
        false => Err(format!("journalctl: {}", said.trim()).into()),
    }
}

impl Followed {
    fn has_line(&self) -> bool {
        self.text[self.given..].contains(&b'\n')
    }

    fn line(&mut self) -> Option<Vec<u8>> {
        let rest = &self.text[self.given..];
        let end = rest.iter().position(|&b| b == b'\n')?;
        let line = rest[..end].to_vec();
        self.given += end + 1;
        Some(line)
    }

    /// Reads what has come: the rest of the file that is open, and of the one that
    /// is there by its name now.
    fn read(&mut self) -> Result<(), Box<dyn Error>> {
        self.text.drain(..self.given);
        self.given = 0;
        // Asked before: what is written until it was moved away is read then.
        let there = std::fs::metadata(&self.path).ok();
        self.file.read_to_end(&mut self.text)?;
        let open = self.file.metadata()?;
        let same =
            |found: &std::fs::Metadata| (found.dev(), found.ino()) == (open.dev(), open.ino());
        if there.is_some_and(|found| !same(&found))
            && let Ok(file) = File::open(&self.path)
        {
            self.file = file;
            self.file.read_to_end(&mut self.text)?;
        }
        Ok(())
    }
}
