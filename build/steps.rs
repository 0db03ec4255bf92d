//! The steps of the build, in their order.

use std::path::{Path, PathBuf};

use crate::config::{Config, Environment, Flags, Tmux};
use crate::error::{Error, Result};
use crate::overlay::{self, File};
use crate::releases::{self, Release};
use crate::tree::Parts;
use crate::{check, engine, install, make, protocol, series, tarball, tree};

/// Builds everything that the crate is compiled against.
///
/// Cargo hands these to the crate and its tests:
///
/// | variable | value |
/// |---|---|
/// | `AMUX_BUILT_TMUX` | the program of the base version, or the one that `AMUX_BUILD_TMUX` names |
/// | `AMUX_BUILT_VERSION` | its version, such as `3.5a` |
/// | `AMUX_BUILT_VERSIONS` | all versions that were built, with spaces between |
/// | `AMUX_BUILT_DIR` | folder with `tmux-custom-<version>/bin/tmux-custom` for each of those |
/// | `AMUX_BUILT_SANITIZED` | the program of the base version with sanitizers, where `AMUX_BUILD_SANITIZE` is `1` |
///
/// With `AMUX_BUILD_TMUX` only the first two are set, on docs.rs none is.
pub fn run() -> Result<()> {
    let names: Vec<String> = std::env::vars_os()
        .filter_map(|(name, _)| name.into_string().ok())
        .collect();
    let track = |name: &str| println!("cargo::rerun-if-env-changed={name}");
    let config = Config::read(
        &Environment::new(&|name| std::env::var_os(name), &track),
        &names,
    )?;

    let set = PatchSet::read(config.manifest_dir.join("tmux-patches"))?;
    engine::build(&config, &set.files, &set.folder.join("files"))?;
    protocol::build(&config)?;
    match &config.tmux {
        Tmux::None => Ok(()),
        Tmux::Given(path) => given(path).map_err(|error| error.during("AMUX_BUILD_TMUX")),
        Tmux::Built(versions) => built(&config, &set, versions),
    }
}

/// What we add to a release.
struct PatchSet {
    folder: PathBuf,
    files: Vec<File>,
}

impl PatchSet {
    fn read(folder: PathBuf) -> Result<Self> {
        let path = folder.join("files");
        rerun_if_changed(&path);
        let files = overlay::read(&path)?;
        Ok(Self { folder, files })
    }
}

fn given(path: &Path) -> Result<()> {
    rerun_if_changed(path);
    let version = check::version(path)?;
    check::commands(path)?;
    export("AMUX_BUILT_TMUX", path.display());
    export("AMUX_BUILT_VERSION", version);
    Ok(())
}

fn built(config: &Config, set: &PatchSet, versions: &[String]) -> Result<()> {
    let list = config.manifest_dir.join("vendor/releases.toml");
    rerun_if_changed(&list);
    let known = releases::read(&list)?;
    let chosen = releases::choose(&known, versions)?;
    let folder = config.out_dir.join("plain");

    let mut programs: Vec<PathBuf> = Vec::new();
    for release in &chosen {
        let step = format!("tmux {}", release.version);
        let program = release_built(config, &config.flags, release, set, &folder);
        programs.push(program.map_err(|error| error.during(&step))?);
    }
    let (Some(base), Some(program)) = (chosen.first(), programs.first()) else {
        return Err(Error::new("no release was chosen"));
    };
    if let Some(flags) = &config.sanitized {
        let step = format!("tmux {} with sanitizers", base.version);
        let program = release_built(config, flags, base, set, &config.out_dir.join("sanitized"))
            .map_err(|error| error.during(&step))?;
        export("AMUX_BUILT_SANITIZED", program.display());
    }
    let all: Vec<&str> = chosen
        .iter()
        .map(|release| release.version.as_str())
        .collect();
    export("AMUX_BUILT_TMUX", program.display());
    export("AMUX_BUILT_VERSION", &base.version);
    export("AMUX_BUILT_VERSIONS", all.join(" "));
    export("AMUX_BUILT_DIR", folder.display());
    Ok(())
}

/// Builds, checks and installs one release; returns the installed program.
fn release_built(
    config: &Config,
    flags: &Flags,
    release: &Release,
    set: &PatchSet,
    folder: &Path,
) -> Result<PathBuf> {
    let hooks = set.folder.join("hooks").join(&release.version);
    rerun_if_changed(&hooks);
    rerun_if_changed(&tarball::path(&config.tarballs, &release.version));
    let patches = series::read(&hooks).map_err(|error| error.during("hooks"))?;
    let parts = Parts {
        release,
        files: &set.files,
        patches: &patches,
        flags,
    };
    let tree = tree::prepare(config, &parts, folder)?;
    let tmux = make::tmux(config, &tree, &overlay::objects(&set.files))?;
    check::commands(&tmux).map_err(|error| error.during("check"))?;
    let prefix = folder.join(format!("tmux-custom-{}", release.version));
    install::install(&tree, &set.folder.join("files/amux.1"), &prefix)
        .map_err(|error| error.during("install"))?;
    Ok(install::program(&prefix))
}

/// Has Cargo run the build again when a file changes, or anything in a folder.
fn rerun_if_changed(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}

fn export(name: &str, value: impl std::fmt::Display) {
    println!("cargo::rustc-env={name}={value}");
}
