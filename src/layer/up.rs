//! Starts a layer: its server, its session, and the windows that show others.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::error::{Error, ErrorKind, Result};
use crate::exec::runtime_dir::RuntimeDir;
use crate::exec::tmux::{self, Configured, Sequence, Tmux};
use crate::layer::client::window_command;
use crate::layer::program::{self, RunningProgram};
use crate::layer::{Layer, SHOWN};
use crate::server::{DEFAULT_SESSION, Programs, setup};
use crate::version::Version;
use crate::wire::record::Fields;

/// How long a new server may take until it answers, with a configuration of the
/// user's that may run programs.
const START_LIMIT: Duration = Duration::from_secs(30);

/// How long a server that was told to end may still be in the way of a new one, and
/// how often it is looked whether it is.
const GOING_LIMIT: Duration = Duration::from_secs(5);
const GOING_INTERVAL: Duration = Duration::from_millis(20);

/// A layer that runs, as [`Builder::up`](crate::Builder::up) left it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LayerUp {
    /// Which one.
    pub layer: Layer,
    /// Process id of its server.
    pub pid: u32,
    /// Version of tmux that it runs.
    pub version: Version,
    /// The server was started now; else it ran already.
    pub started: bool,
    /// The files that it read when it started, separated by commas.
    pub configuration: String,
    /// One of them is the user's own.
    pub is_users: bool,
    /// Whether its program is the one that would be started now.
    pub program: RunningProgram,
}

/// What a server tells of itself.
struct Found {
    pid: u32,
    version: Version,
    configuration: String,
    has_session: bool,
}

/// Starts what is missing of a layer, and leaves the rest as it is.
pub(crate) async fn up(
    layer: Layer,
    tmux: &Tmux,
    programs: &Programs,
    limit: Duration,
) -> Result<LayerUp> {
    let runtime = RuntimeDir::of_user();
    // Between a look and what follows from it no other does the same.
    let _alone = runtime.lock(layer.name(), START_LIMIT).await?;
    let begun = Instant::now();
    let (found, started) = loop {
        match find(tmux, limit).await {
            Ok(found) => break (found, false),
            Err(error) if *error.kind() == ErrorKind::NoServer => {}
            Err(error) => return Err(error),
        }
        let result = start(layer, tmux, programs, &runtime).await;
        match (find(tmux, limit).await, result) {
            // Where the configuration has made the session, another of the name
            // was refused.
            (Ok(found), _) if found.has_session => break (found, true),
            // The client has met the one before, which is going.
            (Err(_), Err(error))
                if *error.kind() == ErrorKind::NoServer && begun.elapsed() < GOING_LIMIT =>
            {
                sleep(GOING_INTERVAL).await;
            }
            (_, Err(error)) => return Err(error),
            (found, Ok(())) => break (found?, true),
        }
    };
    if !found.has_session {
        let op = "create session";
        tmux.output(op, new_session(layer, tmux)?, limit).await?;
    }
    if layer == Layer::Outer {
        for shown in SHOWN {
            show(shown, tmux, limit).await?;
        }
    }
    let users = layer.user_configuration();
    let is_users = users.is_some_and(|path| {
        let path = path.to_string_lossy();
        found.configuration.split(',').any(|file| file == path)
    });
    Ok(LayerUp {
        layer,
        pid: found.pid,
        version: found.version,
        started,
        is_users,
        configuration: found.configuration,
        program: program::compare(
            (found.pid, found.version),
            (tmux.binary(), programs.tmux_version),
        ),
    })
}

async fn start(layer: Layer, tmux: &Tmux, programs: &Programs, runtime: &RuntimeDir) -> Result<()> {
    let op = "start server";
    let configuration = layer.configuration(runtime)?;
    let mut environment: Vec<(&'static str, OsString)> = vec![
        ("AMUX_LAYER_CONF", configuration.shipped.into()),
        ("AMUX_LAYER_SHELL", programs.shell_path.clone().into()),
    ];
    if layer == Layer::Agent {
        runtime.ensure_integration()?;
        let panes = setup::environment(tmux.binary(), programs.shell, runtime, |name| {
            std::env::var_os(name)
        });
        environment.extend(panes.into_iter().map(|(name, value)| (name, value.into())));
    }
    let configured = Configured {
        file: &configuration.path,
        environment,
    };
    let sequence = new_session(layer, tmux)?;
    let finished = tmux
        .start_configured(op, configured, sequence, START_LIMIT)
        .await?;
    tmux::success(op, finished)?;
    Ok(())
}

async fn find(tmux: &Tmux, limit: Duration) -> Result<Found> {
    let op = "ask server";
    // Both sides padded with blanks: whole names are compared.
    let format = format!(
        "#{{pid}} #{{q:version}} #{{q:config_files}} \
         #{{m:* {DEFAULT_SESSION} *, #{{S:#{{session_name}} }}}}"
    );
    let sequence = Sequence::new().command("display-message", ["-p", &format]);
    let output = tmux.output(op, sequence, limit).await?;
    let line = output.split(|&b| b == b'\n').next().unwrap_or_default();
    // A server that shuts down lets its clients end in silence.
    if line.is_empty() {
        return Err(Error::new(ErrorKind::NoServer, op).on(tmux.socket()));
    }
    let mut fields = Fields::new(line);
    let pid = fields.number("pid")?;
    let text = fields.text("version")?;
    let version = Version::parse_tmux(&text)
        .ok_or_else(|| fields.error(format_args!("no version in {text:?}")))?;
    let configuration = fields.text("config_files")?;
    let has_session = fields.flag("session")?;
    fields.end()?;
    Ok(Found {
        pid,
        version,
        configuration,
        has_session,
    })
}

fn new_session(layer: Layer, tmux: &Tmux) -> Result<Sequence> {
    let mut arguments = words(&["-d", "-s", DEFAULT_SESSION]);
    let sequence = Sequence::new();
    Ok(match layer {
        Layer::Outer => {
            let [shown, ..] = SHOWN;
            arguments.extend(words(&["-n", shown.name()]));
            arguments.extend(window_command(shown, tmux.binary())?);
            sequence
                .command("new-session", arguments)
                .then(keep_dead(shown))
        }
        // The names of the user's windows are the user's, those of the agent's
        // are for programs to find.
        Layer::Inner => sequence.command("new-session", at_home(arguments)),
        Layer::Agent => {
            arguments.extend(words(&["-n", "main"]));
            sequence.command("new-session", at_home(arguments))
        }
    })
}

/// Sees to it that the outer layer has a window that shows another. One whose
/// client has ended, with its server or because the person has detached there,
/// is kept to be respawned: the outer layer would end with its last window.
async fn show(shown: Layer, tmux: &Tmux, limit: Duration) -> Result<()> {
    let op = "show layer";
    let (name, window) = (shown.name(), target(shown));
    let format = format!("#{{?#{{==:#{{window_name}},{name}}},#{{pane_dead}},}}");
    let list = ["-t", &format!("={DEFAULT_SESSION}:"), "-F", &format];
    let sequence = Sequence::new().command("list-windows", list);
    let output = tmux.output(op, sequence, limit).await?;
    let mut lines = output.split(|&b| b == b'\n');
    let sequence = match lines.find(|line| !line.is_empty()) {
        None => {
            let session = format!("={DEFAULT_SESSION}:");
            let mut arguments = words(&["-d", "-t", &session, "-n", name]);
            arguments.extend(window_command(shown, tmux.binary())?);
            Sequence::new()
                .command("new-window", arguments)
                .then(keep_dead(shown))
        }
        // With the command of now: the program may have moved.
        Some(b"1") => {
            let mut arguments = words(&["-t", &window]);
            arguments.extend(window_command(shown, tmux.binary())?);
            Sequence::new().command("respawn-pane", arguments)
        }
        Some(_) => return Ok(()),
    };
    tmux.output(op, sequence, limit).await?;
    Ok(())
}

fn keep_dead(shown: Layer) -> Sequence {
    let window = target(shown);
    Sequence::new().command("set-option", ["-w", "-t", &window, "remain-on-exit", "on"])
}

fn target(shown: Layer) -> String {
    format!("={DEFAULT_SESSION}:={}", shown.name())
}

/// The first window opens in the home folder, wherever amux was called.
fn at_home(mut arguments: Vec<String>) -> Vec<String> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    if let Some(home) = home.filter(|home| home.is_absolute()) {
        arguments.extend(["-c".to_owned(), home.to_string_lossy().into_owned()]);
    }
    arguments
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}
