//! The tmux programs that are tested.
//!
//! | variable | value |
//! |---|---|
//! | `AMUX_TEST_TMUX` | programs to test instead of the built ones: `3.5a=/path/tmux 3.3a=/path/tmux` |
//! | `AMUX_TEST_SANITIZED` | a `tmux-custom` built with AddressSanitizer and UBSan, tested beside the others |
//! | `AMUX_TEST_STRICT` | `1`: a version that is missing is a failure |

use std::path::PathBuf;

/// The versions that must hold.
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
}

/// Whether a missing version is a failure.
pub fn strict() -> bool {
    std::env::var_os("AMUX_TEST_STRICT").is_some_and(|value| value == "1")
}

/// Finds the programs: for each name either one, or why there is none.
pub fn all() -> Vec<(String, Result<Build, String>)> {
    let given = std::env::var("AMUX_TEST_TMUX").ok();
    let mut found: Vec<_> = VERSIONS
        .iter()
        .map(|version| {
            let program = match &given {
                Some(list) => given_program(list, version),
                None => built_program(version),
            };
            (
                (*version).to_owned(),
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

fn given_program(list: &str, version: &str) -> Result<PathBuf, String> {
    list.split_whitespace()
        .filter_map(|item| item.split_once('='))
        .find(|(name, _)| *name == version)
        .map(|(_, path)| PathBuf::from(path))
        .ok_or_else(|| "AMUX_TEST_TMUX does not name it".to_owned())
}

/// What the build script made; see the table at `run` in build/steps.rs.
fn built_program(version: &str) -> Result<PathBuf, String> {
    if let Some(folder) = option_env!("AMUX_BUILT_DIR") {
        let built = option_env!("AMUX_BUILT_VERSIONS").unwrap_or_default();
        if built.split_whitespace().any(|name| name == version) {
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
    let program = match std::env::var_os("AMUX_TEST_SANITIZED") {
        Some(path) if path.is_empty() => return None,
        Some(path) => PathBuf::from(path),
        None => PathBuf::from(option_env!("AMUX_BUILT_SANITIZED")?),
    };
    let version = std::process::Command::new(&program)
        .arg("-V")
        .env("ASAN_OPTIONS", "detect_leaks=0")
        .output()
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .and_then(|text| text.split_whitespace().nth(1).map(str::to_owned));
    Some((
        format!("{}-san", version.as_deref().unwrap_or("unknown")),
        program,
    ))
}
