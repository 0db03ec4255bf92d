//! The build's one configuration, read from the environment once, before any work.
//!
//! | variable | value | default |
//! |---|---|---|
//! | `AMUX_BUILD_TMUX` | a `tmux-custom` that exists: it is used, none is built (a relative path counts from the crate's folder) | build one |
//! | `AMUX_BUILD_VERSIONS` | the tmux releases to build, with spaces between; the first is the base version | the release marked `default` in `vendor/releases.toml` |
//! | `AMUX_BUILD_TARBALL_DIR` | folder with `tmux-<version>.tar.gz` (relative as above) | `vendor/` |
//! | `AMUX_BUILD_CFLAGS` | added to the compiler's flags of tmux, after ours | none |
//! | `AMUX_BUILD_LDFLAGS` | added to the linker's flags of tmux, after ours | none |
//! | `AMUX_BUILD_SANITIZE` | `1`: the base version once more, with AddressSanitizer and UBSan, for the tests | `0` |
//! | `AMUX_BUILD_JOBS` | jobs that make runs at once | what Cargo's jobserver gives |
//! | `AMUX_BUILD_ENGINE_CFLAGS` | added to the compiler's flags of the stream engine inside the crate | none |
//!
//! Any other name that begins with `AMUX_BUILD_` is an error, so that a slip of the pen does not pass unseen.
//! Further variables that are read: `CC`, `PKG_CONFIG` and `PKG_CONFIG_PATH` (tmux's `configure` looks at them),
//! `DOCS_RS` (set there: no tmux is built), and `CI` (set: warnings of the engine's C are errors, and a failed
//! `configure` shows its whole log). What Cargo itself sets is read without asking for a rerun, as Cargo
//! takes care of it.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::error::{Error, Result};

const PREFIX: &str = "AMUX_BUILD_";

const NAMES: [&str; 8] = [
    "AMUX_BUILD_TMUX",
    "AMUX_BUILD_VERSIONS",
    "AMUX_BUILD_TARBALL_DIR",
    "AMUX_BUILD_CFLAGS",
    "AMUX_BUILD_LDFLAGS",
    "AMUX_BUILD_SANITIZE",
    "AMUX_BUILD_JOBS",
    "AMUX_BUILD_ENGINE_CFLAGS",
];

/// What is passed on to `configure` by name, besides the flags.
const CONFIGURE_NAMES: [&str; 3] = ["CC", "PKG_CONFIG", "PKG_CONFIG_PATH"];

/// -O1 keeps the stacks that the sanitizers show readable, and is what their makers advise.
const SANITIZE_COMPILER: &str = "-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined";
const SANITIZE_LINKER: &str = "-fsanitize=address,undefined";

/// Which tmux the crate gets.
#[derive(Debug, PartialEq, Eq)]
pub enum Tmux {
    /// None: documentation is built where nothing can be compiled.
    None,
    /// One that exists.
    Given(PathBuf),
    /// Built from these releases, the base version first; none named: the default one.
    Built(Vec<String>),
}

/// Everything that the build depends on and that is not in the repository.
#[derive(Debug)]
pub struct Config {
    /// Which tmux the crate gets.
    pub tmux: Tmux,
    /// Where the releases' tarballs are.
    pub tarballs: PathBuf,
    /// Flags for tmux.
    pub flags: Flags,
    /// Flags for the base version once more, with sanitizers.
    pub sanitized: Option<Flags>,
    /// Variables of the environment that `configure` looks at, where they are set.
    pub configure: Vec<(&'static str, String)>,
    /// How make learns how many jobs it may run.
    pub jobs: Jobs,
    /// Further flags of the compiler for the engine, one each.
    pub engine_cflags: Vec<String>,
    /// Whether this is a build in CI.
    pub ci: bool,
    /// The crate's folder.
    pub manifest_dir: PathBuf,
    /// Where everything that is built goes.
    pub out_dir: PathBuf,
}

/// Flags that tmux is built with, all of them.
#[derive(Debug, PartialEq, Eq)]
pub struct Flags {
    /// Those of the compiler.
    pub compiler: String,
    /// Those of the linker.
    pub linker: String,
}

/// How make learns how many jobs it may run.
#[derive(Debug, PartialEq, Eq)]
pub enum Jobs {
    /// It shares Cargo's jobserver, by these flags.
    Jobserver(String),
    /// It runs that many.
    Count(usize),
}

/// The environment: looks a variable up, and tells Cargo so.
pub struct Environment<'a> {
    lookup: &'a dyn Fn(&str) -> Option<OsString>,
    track: &'a dyn Fn(&str),
}

impl<'a> Environment<'a> {
    /// Takes how a variable is looked up, and how Cargo is told that it matters.
    pub fn new(lookup: &'a dyn Fn(&str) -> Option<OsString>, track: &'a dyn Fn(&str)) -> Self {
        Self { lookup, track }
    }

    /// Reads a variable that a person sets; empty is the same as not set.
    fn read(&self, name: &str) -> Result<Option<String>> {
        (self.track)(name);
        self.raw(name)
    }

    /// Reads a variable that Cargo sets, or that a change of which asks for nothing.
    fn cargo(&self, name: &str) -> Result<String> {
        self.raw(name)?.ok_or_else(|| {
            Error::new(format!(
                "{name} is not set: a build script runs under Cargo"
            ))
        })
    }

    fn raw(&self, name: &str) -> Result<Option<String>> {
        match (self.lookup)(name).map(OsString::into_string) {
            None => Ok(None),
            Some(Ok(value)) => Ok(Some(value).filter(|value| !value.is_empty())),
            Some(Err(_)) => Err(Error::new(format!("{name} is not UTF-8"))),
        }
    }
}

impl Config {
    /// Reads the whole configuration and refuses what makes no sense.
    ///
    /// `names` are the names of all variables that are set.
    pub fn read(environment: &Environment<'_>, names: &[String]) -> Result<Self> {
        refuse_unknown(names)?;
        let cross = environment.cargo("TARGET")? != environment.cargo("HOST")?;
        let manifest_dir = PathBuf::from(environment.cargo("CARGO_MANIFEST_DIR")?);

        let given = environment.read("AMUX_BUILD_TMUX")?;
        let versions = environment.read("AMUX_BUILD_VERSIONS")?;
        let sanitize = flag(
            "AMUX_BUILD_SANITIZE",
            environment.read("AMUX_BUILD_SANITIZE")?,
        )?;
        let docs = environment.read("DOCS_RS")?.is_some();
        if given.is_some() && (versions.is_some() || sanitize) {
            return Err(Error::new("AMUX_BUILD_TMUX names a tmux that exists")
                .help("with it, AMUX_BUILD_VERSIONS and AMUX_BUILD_SANITIZE have nothing to act on: unset one or the other"));
        }
        let tmux = match given {
            _ if docs => Tmux::None,
            Some(path) => Tmux::Given(manifest_dir.join(path)),
            None if cross => {
                return Err(Error::new("tmux-custom cannot be built for another machine than this")
                    .help("its commands are checked by running it; name a tmux-custom of the target by AMUX_BUILD_TMUX"));
            }
            None => Tmux::Built(parse_versions(versions.as_deref().unwrap_or_default())?),
        };

        let cflags = environment.read("AMUX_BUILD_CFLAGS")?;
        let ldflags = environment.read("AMUX_BUILD_LDFLAGS")?;
        let flags = |compiler: &str, linker: &str| Flags {
            compiler: join_flags(compiler, cflags.as_deref()),
            linker: join_flags(linker, ldflags.as_deref()),
        };
        let mut configure = Vec::new();
        for name in CONFIGURE_NAMES {
            configure.extend(environment.read(name)?.map(|value| (name, value)));
        }
        let tarballs = environment.read("AMUX_BUILD_TARBALL_DIR")?;
        Ok(Self {
            tmux,
            tarballs: manifest_dir.join(tarballs.as_deref().unwrap_or("vendor")),
            flags: flags("-O2", ""),
            sanitized: sanitize.then(|| flags(SANITIZE_COMPILER, SANITIZE_LINKER)),
            configure,
            jobs: jobs(environment)?,
            engine_cflags: environment
                .read("AMUX_BUILD_ENGINE_CFLAGS")?
                .unwrap_or_default()
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
            ci: environment.read("CI")?.is_some(),
            out_dir: PathBuf::from(environment.cargo("OUT_DIR")?),
            manifest_dir,
        })
    }
}

/// Refuses names that look like ours and are not.
fn refuse_unknown(names: &[String]) -> Result<()> {
    let mut unknown: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|name| name.starts_with(PREFIX) && !NAMES.contains(name))
        .collect();
    unknown.sort_unstable();
    match unknown.first() {
        None => Ok(()),
        Some(name) => Err(Error::new(format!("{name} is no variable of this build"))
            .help(format!("those are {}", NAMES.join(", ")))),
    }
}

/// Splits the list of releases; a version that comes twice is built once.
fn parse_versions(value: &str) -> Result<Vec<String>> {
    let mut versions: Vec<String> = Vec::new();
    for version in value.split_whitespace() {
        // It becomes a part of paths.
        if !version
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))
            || !version.starts_with(|c: char| c.is_ascii_alphanumeric())
        {
            return Err(Error::new(format!(
                "AMUX_BUILD_VERSIONS: {version:?} is no tmux release"
            )));
        }
        if !versions.iter().any(|known| known == version) {
            versions.push(version.to_owned());
        }
    }
    Ok(versions)
}

fn flag(name: &str, value: Option<String>) -> Result<bool> {
    match value.as_deref() {
        None | Some("0") => Ok(false),
        Some("1") => Ok(true),
        Some(other) => Err(Error::new(format!(
            "{name} is {other:?}: 1 or 0 is expected"
        ))),
    }
}

fn join_flags(ours: &str, added: Option<&str>) -> String {
    [ours, added.unwrap_or_default().trim()]
        .join(" ")
        .trim()
        .to_owned()
}

/// A number that a person gives goes before Cargo's jobserver, which goes before Cargo's own number.
fn jobs(environment: &Environment<'_>) -> Result<Jobs> {
    let name = "AMUX_BUILD_JOBS";
    if let Some(value) = environment.read(name)? {
        return match value.parse() {
            Ok(count) if count > 0 => Ok(Jobs::Count(count)),
            _ => Err(Error::new(format!(
                "{name} is {value:?}: a number from 1 is expected"
            ))),
        };
    }
    if let Some(flags) = environment.raw("CARGO_MAKEFLAGS")? {
        return Ok(Jobs::Jobserver(flags));
    }
    let count = environment
        .raw("NUM_JOBS")?
        .and_then(|value| value.parse().ok());
    Ok(Jobs::Count(count.unwrap_or(1)))
}
