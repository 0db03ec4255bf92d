//! The subcommands, one file each.

mod doctor;
mod install;
mod keys;
mod kill;
mod ls;
mod read;
mod run;
mod start;
mod state;
mod stop;
mod wait;
mod write;

use std::error::Error;
use std::io::Read as _;
use std::path::Path;

use amux::{Builder, Record, Server, Window};

use crate::args::{self, Args, Command, Place};
use crate::output;
use crate::{FAILED, TIMED_OUT};

/// The exit status, or why amux failed.
pub type Result<T = u8> = std::result::Result<T, Box<dyn Error>>;

/// Does what was asked.
pub async fn dispatch(args: Args) -> Result {
    let place = &args.place;
    match args.command {
        Command::Run(args) => run::run(place, args).await,
        Command::Write(args) => write::write(place, args).await,
        Command::Keys(args) => keys::keys(place, args).await,
        Command::Read(args) => read::read(place, args).await,
        Command::Wait(args) => wait::wait(place, args).await,
        Command::State(args) => state::state(place, args).await,
        Command::Ls(args) => ls::ls(place, args).await,
        Command::Kill(args) => kill::kill(place, args).await,
        Command::Start(args) => start::start(place, args).await,
        Command::Stop => stop::stop(place).await,
        Command::Doctor(args) => doctor::doctor(place, args).await,
        Command::Install(args) => install::install(args),
    }
}

/// Returns settings of the server that is meant. A path given wins over a tenant
/// of the environment. An empty variable means no tenant; an empty argument is a
/// name that is refused, as `-L "$UNSET"` must not reach everybody's server.
fn builder(place: &Place) -> Builder {
    let unset = std::env::var_os("AMUX_TENANT").is_some_and(|value| value.is_empty());
    match (&place.socket, &place.tenant) {
        (Some(path), _) => Server::builder().socket_path(path),
        (None, Some(tenant)) if !(tenant.is_empty() && unset) => Server::builder().tenant(tenant),
        (None, _) => Server::builder(),
    }
}

/// Connects to the server that runs, and returns the window that is meant.
async fn window(place: &Place, window: &args::Window) -> Result<Window> {
    let server = builder(place).connect().await?;
    Ok(server.session(&window.session)?.window(&window.name)?)
}

/// Reads a file, or standard input for `-`.
fn read_file(path: &Path) -> Result<Vec<u8>> {
    let read = if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    read.map_err(|error| format!("read {}: {error}", path.display()).into())
}

/// Returns the exit status that tells how a command ended.
fn exit_status(record: &Record, timed_out: bool) -> u8 {
    if timed_out {
        let id = record.id;
        output::complain(&format!("timed out: command {id} goes on"));
        return TIMED_OUT;
    }
    if let Some(reason) = record.no_status_reason() {
        output::complain(&format!("no exit status: {reason}"));
    }
    record.status.unwrap_or(FAILED)
}
