//! The tmux programs that are tested.
//!
//! | variable | value |
//! |---|---|
//! | `AMUX_TEST_TMUX` | programs to test instead of the built ones, of any version: paths, or `3.5a=/path`, `3.6b/stock=/path` |
//! | `AMUX_TEST_SANITIZED` | a `tmux-custom` built with AddressSanitizer and UBSan, tested beside the others |
//! | `AMUX_TEST_STRICT` | `1`: a version that is missing is a failure |

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The versions that must hold. Others are tested where they were built, or are named.
pub const VERSIONS: [&str; 2] = ["3.5a", "3.3a"];

/// One program that is tested.
#[derive(Clone, Debug)]
pub struct Build {
    /// Its version, such as `3.5a`; `3.5a-san` if it is sanitized.
    pub name: String,
    /// Where it is.
    pub program: PathBuf,
    /// Whether it reports faults of memory and leaks.
    pub sanitized: bool,
}

impl Build {
    /// Is this tmux 3.3a, which lacks some of what the newer ones have?
    pub fn is_3_3a(&self) -> bool {
        self.name.starts_with("3.3a")
    }

    /// Does it have events of its own for the commands of a shell, as it has from 3.8 on?
    pub fn has_command_events(&self) -> bool {
        self.lets_readers_send_keys() && !self.name.starts_with("3.7c")
    }

    /// May a read-only client use `send-keys` at all, as it may from 3.7 on?
    pub fn lets_readers_send_keys(&self) -> bool {
        !["3.3a", "3.5a", "3.6b"]
            .iter()
            .any(|version| self.name.starts_with(version))
    }
}

/// Whether a missing version is a failure.
pub fn strict() -> bool {
    std::env::var_os("AMUX_TEST_STRICT").is_some_and(|value| value == "1")
}

/// Finds the programs: for each name either one, or why there is none.
pub fn all() -> Vec<(String, Result<Build, String>)> {
    let given = given();
    let mut names: Vec<&str> = VERSIONS.to_vec();
    let given: Option<Vec<Named>> = given.map(|list| named(&list).collect());
    let others = match &given {
        Some(given) => patched(given).map(|named| &*named.version).collect(),
        None => built_versions(),
    };
    for version in others {
        if !names.contains(&version) {
            names.push(version);
        }
    }
    let mut found: Vec<_> = names
        .into_iter()
        .map(|version| {
            let program = match &given {
                Some(given) => given_program(given, version),
                None => built_program(version),
            };
            (
                version.to_owned(),
                program.and_then(|program| exists(version, program, false)),
            )
        })
        .collect();
    if let Some((name, program)) = sanitized() {
        let build = exists(&name, program, true);
        found.push((name, build));
    }
    found
}

fn exists(name: &str, program: PathBuf, sanitized: bool) -> Result<Build, String> {
    if !program.is_file() {
        return Err(format!("{} does not exist", program.display()));
    }
    Ok(Build {
        name: name.to_owned(),
        program,
        sanitized,
    })
}

/// A program that `AMUX_TEST_TMUX` names.
pub struct Named {
    pub version: String,
    pub stock: bool,
    pub program: PathBuf,
}

/// What `AMUX_TEST_TMUX` names. A program without a name is asked for it, and is a stock one where it has no
/// `write-pane`: the names of the trials show what was found.
pub fn named(list: &str) -> impl Iterator<Item = Named> {
    list.split_whitespace()
        .map(|item| match item.split_once('=') {
            Some((name, path)) => {
                let (version, backend) = name.split_once('/').unwrap_or((name, "patched"));
                Named {
                    version: version.to_owned(),
                    stock: backend == "stock",
                    program: PathBuf::from(path),
                }
            }
            None => asked(Path::new(item)),
        })
}

/// The value of `AMUX_TEST_TMUX` with a name for each program, so that none has to be asked again.
pub fn given() -> Option<String> {
    static GIVEN: OnceLock<Option<String>> = OnceLock::new();
    let given = GIVEN.get_or_init(|| {
        let list = std::env::var("AMUX_TEST_TMUX").ok()?;
        let items = named(&list).map(|named| {
            let backend = if named.stock { "stock" } else { "patched" };
            format!("{}/{backend}={}", named.version, named.program.display())
        });
        Some(items.collect::<Vec<_>>().join(" "))
    });
    given.clone()
}

/// Asks a program what it is.
fn asked(program: &Path) -> Named {
    let version = version_of(program).unwrap_or_else(|| program.display().to_string());
    // It reads no configuration, and needs a server to ask: one that ends with the question.
    let socket = std::env::temp_dir().join(format!("amux-asked-{}", std::process::id()));
    let commands = Command::new(program)
        .args(["-f", "/dev/null", "-S"])
        .arg(&socket)
        .args(["start-server", ";", "list-commands", ";", "kill-server"])
        .env_remove("TMUX")
        .output();
    let _ = std::fs::remove_file(&socket);
    Named {
        version,
        stock: !commands.is_ok_and(|output| {
            String::from_utf8_lossy(&output.stdout).contains("write-pane (writep)")
        }),
        program: program.to_owned(),
    }
}

/// What `tmux -V` says: `3.5a`.
fn version_of(program: &Path) -> Option<String> {
    let output = Command::new(program)
        .arg("-V")
        .env("ASAN_OPTIONS", "detect_leaks=0")
        .output();
    let text = String::from_utf8(output.ok()?.stdout).ok()?;
    text.split_whitespace().nth(1).map(str::to_owned)
}

fn patched(given: &[Named]) -> impl Iterator<Item = &Named> {
    given.iter().filter(|named| !named.stock)
}

fn given_program(given: &[Named], version: &str) -> Result<PathBuf, String> {
    patched(given)
        .find(|named| named.version == version)
        .map(|named| named.program.clone())
        .ok_or_else(|| "AMUX_TEST_TMUX does not name it".to_owned())
}

/// The versions that the build script made into a folder of its own each.
fn built_versions() -> Vec<&'static str> {
    option_env!("AMUX_BUILT_VERSIONS")
        .map(|built| built.split_whitespace().collect())
        .unwrap_or_default()
}

/// What the build script made; see the table at `run` in build/steps.rs.
fn built_program(version: &str) -> Result<PathBuf, String> {
    if let Some(folder) = option_env!("AMUX_BUILT_DIR") {
        if built_versions().contains(&version) {
            return Ok(PathBuf::from(format!(
                "{folder}/tmux-custom-{version}/bin/tmux-custom"
            )));
        }
    } else if option_env!("AMUX_BUILT_VERSION") == Some(version)
        && let Some(program) = option_env!("AMUX_BUILT_TMUX")
    {
        return Ok(PathBuf::from(program));
    }
    Err(format!(
        "not built: AMUX_BUILD_VERSIONS=\"{}\" builds it",
        VERSIONS.join(" ")
    ))
}

/// The sanitized program and its name.
fn sanitized() -> Option<(String, PathBuf)> {
    let (version, program) = match std::env::var_os("AMUX_TEST_SANITIZED") {
        Some(path) if path.is_empty() => return None,
        Some(path) => {
            let program = PathBuf::from(path);
            (version_of(&program), program)
        }
        // Each trial's process comes here: it is not asked what is known.
        None => (
            option_env!("AMUX_BUILT_VERSION").map(str::to_owned),
            PathBuf::from(option_env!("AMUX_BUILT_SANITIZED")?),
        ),
    };
    let version = version.as_deref().unwrap_or("unknown");
    Some((format!("{version}-san"), program))
}
