//! Compiles and links a configured tree.

use std::path::{Path, PathBuf};

use crate::config::{Config, Jobs};
use crate::error::Result;
use crate::{packages, run};

/// Makes tmux with our objects in it; returns the program.
pub fn tmux(config: &Config, tree: &Path, objects: &[String]) -> Result<PathBuf> {
    let ours = objects.join(" ");
    let mut command = run::command("make");
    match &config.jobs {
        // The jobserver's descriptors are inherited. A -j of our own beside it would make a second
        // pool of jobs: make then ignores the one it is given.
        Jobs::Jobserver(flags) => command.env("MAKEFLAGS", flags),
        Jobs::Count(count) => command.arg(format!("-j{count}")),
    };
    command
        .current_dir(tree)
        // Leaks of generators that are run during the build are nobody's concern here.
        .env("ASAN_OPTIONS", "detect_leaks=0")
        // The Makefile stays as it is. LDADD names what is linked beside the release's own objects,
        // and the dependencies make our objects by the same rule as those.
        .arg(format!("LDADD=$(LIBOBJS) {ours}"))
        .arg(format!("tmux_DEPENDENCIES=$(LIBOBJS) {ours}"))
        .arg("tmux");
    let output = run::output(&mut command)?;
    if output.status.success() {
        return Ok(tree.join("tmux"));
    }
    run::show(&output);
    let error = packages::missing_header(&String::from_utf8_lossy(&output.stderr))
        .unwrap_or_else(|| run::failure(&command, &output));
    Err(error.during("make"))
}
