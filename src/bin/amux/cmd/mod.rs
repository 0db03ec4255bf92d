//! The subcommands, one file each.

mod capture;
mod doctor;
mod generate;
mod init;
mod install;
mod keys;
mod kill;
pub mod layer;
mod log;
mod ls;
mod read;
mod run;
mod start;
mod state;
mod stop;
mod task;
mod up;
mod wait;
mod write;

use std::error::Error;
use std::io::Read as _;
use std::path::Path;

use amux::{Builder, Layer, Record, Server, Window};

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
        Command::Capture(args) => capture::capture(place, args).await,
        Command::Wait(args) => wait::wait(place, args).await,
        Command::State(args) => state::state(place, args).await,
        Command::Ls(args) => ls::ls(place, args).await,
        Command::Kill(args) => kill::kill(place, args).await,
        Command::Task(args) => task::task(place, args).await,
        Command::Log(args) => log::log(place, args).await,
        Command::Start(args) => start::start(place, args).await,
        Command::Stop => stop::stop(place).await,
        Command::Up(args) => up::up(args).await,
        Command::Mx(args) => layer::pass(Layer::Outer, args.words),
        Command::Sx(args) => layer::pass(Layer::Inner, args.words),
        Command::Ax(args) => layer::pass(Layer::Agent, args.words),
        Command::Doctor(args) => doctor::doctor(place, args).await,
        Command::Init(args) => init::init(place, args),
        Command::Install(args) => install::install(args),
        Command::Generate(args) => generate::generate(args),
    }
}

/// Returns settings of the server that is meant. What is given wins over what the
/// environment says: there a layer wins over a tenant. An empty variable says
/// nothing; an empty argument is a name that is refused, as `-L "$UNSET"` must not
/// reach everybody's server.
fn builder(place: &Place) -> Result<Builder> {
    let builder = place_builder(place)?;
    Ok(match &place.shell {
        Some(shell) => builder.shell(shell.clone()),
        None => builder,
    })
}

fn place_builder(place: &Place) -> Result<Builder> {
    Ok(match meant(place)? {
        Meant::Socket(path) => Server::builder().socket_path(path),
        Meant::Tenant(tenant) => Server::builder().tenant(tenant),
        Meant::Layer(layer) => Server::builder().layer(layer.parse()?),
        Meant::Default => Server::builder(),
    })
}

/// The server that is meant.
pub enum Meant<'a> {
    Socket(&'a Path),
    Tenant(&'a str),
    Layer(&'a str),
    Default,
}

/// Returns which server is meant, by what was given and what the environment says.
pub fn meant(place: &Place) -> Result<Meant<'_>> {
    if let Some(path) = &place.socket {
        return Ok(Meant::Socket(path));
    }
    let set = |variable: &str| std::env::var(variable).ok();
    let (tenant, layer) = (place.tenant.as_ref(), place.layer.as_ref());
    // An argument that says the same as its variable is as good as none.
    let (tenant_set, layer_set) = (set("AMUX_TENANT"), set("AMUX_LAYER"));
    let given_tenant = tenant.filter(|name| Some(*name) != tenant_set.as_ref());
    let given_layer = layer.filter(|name| Some(*name) != layer_set.as_ref());
    let set_layer = layer.filter(|name| !name.is_empty());
    let set_tenant = tenant.filter(|name| !name.is_empty());
    Ok(match (given_tenant, given_layer) {
        (Some(_), Some(_)) => return Err("either a tenant or a layer".into()),
        (Some(tenant), None) => Meant::Tenant(tenant),
        (None, Some(layer)) => Meant::Layer(layer),
        (None, None) => match (set_layer, set_tenant) {
            (Some(layer), _) => Meant::Layer(layer),
            (None, Some(tenant)) => Meant::Tenant(tenant),
            (None, None) => Meant::Default,
        },
    })
}

/// Connects to the server that runs, and returns the window that is meant.
async fn window(place: &Place, window: &args::Window) -> Result<Window> {
    let server = builder(place)?.connect().await?;
    Ok(server.session(&window.session)?.window(&window.name)?)
}

/// Connects to the server that runs, does something with the window that is
/// meant, and gives back what it held of the server.
async fn with_window<T>(
    place: &Place,
    window: &args::Window,
    act: impl AsyncFnOnce(&Window) -> Result<T>,
) -> Result<T> {
    let server = builder(place)?.connect().await?;
    let window = server.session(&window.session)?.window(&window.name)?;
    let result = act(&window).await;
    server.disconnect().await;
    result
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
        // A command that was late may have been killed.
        if !record.ended.is_final() {
            output::complain(&format!("timed out: command {id} goes on"));
        }
        return TIMED_OUT;
    }
    if let Some(reason) = record.no_status_reason() {
        output::complain(&format!("no exit status: {reason}"));
    }
    record.status.unwrap_or(FAILED)
}
