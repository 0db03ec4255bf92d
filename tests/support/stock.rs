//! The stock tmux programs that are tested: what `vendor/fetch --stock` brought, and what `AMUX_TEST_TMUX` names.

use std::path::{Path, PathBuf};

use super::build;

/// The versions that must hold, and whether they must be there: the others come and go in Debian's suites.
pub const VERSIONS: [(&str, bool); 4] = [
    ("3.5a", true),
    ("3.3a", true),
    ("3.7c", false),
    ("3.8", false),
];

/// Whether a version may be missing even where nothing else may.
pub fn may_be_missing(version: &str) -> bool {
    VERSIONS.contains(&(version, false))
}

/// Finds the programs: for each version either one, or why there is none.
pub fn all() -> Vec<(String, Result<PathBuf, String>)> {
    let given = build::given().unwrap_or_default();
    let given: Vec<_> = build::named(&given).filter(|named| named.stock).collect();
    let fetched = VERSIONS
        .iter()
        .filter(|(version, _)| given.iter().all(|named| named.version != *version))
        .map(|(version, _)| {
            let program = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("vendor/stock")
                .join(version)
                .join("tmux");
            let found = match program.is_file() {
                true => Ok(program),
                false => Err("not there: vendor/fetch --stock brings it".to_owned()),
            };
            ((*version).to_owned(), found)
        });
    let given = given.iter().map(|named| {
        let found = match named.program.is_file() {
            true => Ok(named.program.clone()),
            false => Err(format!("{} does not exist", named.program.display())),
        };
        (named.version.clone(), found)
    });
    fetched.chain(given).collect()
}
