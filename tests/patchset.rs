//! The patch set: its form, and that every series applies to its release.
//!
//! A release is taken from `vendor/tmux-<version>.tar.gz`, or unpacked from the folder that
//! `AMUX_TEST_TREES` names, as `tmux-<version>`. One that is in neither is named in the output.

#![allow(dead_code, reason = "the build script's modules are included whole")]

#[path = "../build/error.rs"]
mod error;
#[path = "../build/releases.rs"]
mod releases;
#[path = "../build/series.rs"]
mod series;
#[path = "../build/tarball.rs"]
mod tarball;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The most lines that a hook may add at a place.
const LINES: usize = 3;

/// The version that the others are compared with.
const REFERENCE: &str = "3.5a";

/// Files that hooks leave alone: those that autoconf, automake or yacc make others from.
const FORBIDDEN: [&str; 3] = ["Makefile.am", "configure.ac", "cmd-parse.y"];

/// One patch, taken apart.
#[derive(Debug)]
struct Patch {
    /// Its file's name.
    name: String,
    /// What stands before the first `diff --git`.
    header: String,
    /// The changed files, each with its places, each with its added lines.
    files: Vec<(String, Vec<Vec<String>>)>,
    /// What is wrong with its form.
    faults: Vec<String>,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Names the entries of a folder.
fn entries(folder: &Path) -> BTreeSet<String> {
    std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

fn releases() -> Vec<releases::Release> {
    match releases::read(&root().join("vendor/releases.toml")) {
        Ok(found) => found,
        Err(error) => panic!("{error}"),
    }
}

/// Reads the series of a version; a patch that is listed and missing, or there and not listed, is a failure.
fn raw_series(version: &str) -> Vec<series::Patch> {
    match series::read(&root().join("tmux-patches/hooks").join(version)) {
        Ok(found) => found,
        Err(error) => panic!("{version}: {error}"),
    }
}

/// The patches of every version, taken apart.
fn all() -> BTreeMap<String, Vec<Patch>> {
    entries(&root().join("tmux-patches/hooks"))
        .into_iter()
        .map(|version| {
            let patches = raw_series(&version).iter().map(take_apart).collect();
            (version, patches)
        })
        .collect()
}

fn take_apart(raw: &series::Patch) -> Patch {
    let text = String::from_utf8(raw.text.clone()).unwrap();
    let start = text.find("diff --git ").unwrap_or(text.len());
    let (header, diff) = text.split_at(start);
    let mut patch = Patch {
        name: raw.path.file_name().unwrap().to_string_lossy().into_owned(),
        header: header.to_owned(),
        files: Vec::new(),
        faults: Vec::new(),
    };
    let mut before = ' ';
    let mut context = 0;
    for line in diff.lines() {
        if let Some(names) = line.strip_prefix("diff --git ") {
            let (old, new) = names.split_once(' ').unwrap_or((names, ""));
            let name = old.strip_prefix("a/").unwrap_or(old).to_owned();
            if new != format!("b/{name}") {
                patch.faults.push(format!("{line:?} renames"));
            }
            patch.files.push((name, Vec::new()));
            before = ' ';
            continue;
        }
        let Some((name, places)) = patch.files.last_mut() else {
            continue;
        };
        if let Some(rest) = line.strip_prefix("--- ") {
            if rest != format!("a/{name}") {
                patch.faults.push(format!("{line:?} is not {name}"));
            }
            continue;
        }
        if let Some(rest) = line.strip_prefix("+++ ") {
            if rest != format!("b/{name}") {
                patch.faults.push(format!("{line:?} is not {name}"));
            }
            continue;
        }
        match line.chars().next().unwrap_or(' ') {
            '@' => {
                if !line.ends_with(" @@") {
                    patch
                        .faults
                        .push(format!("{line:?} quotes more than it needs"));
                }
                before = '@';
                context = 0;
                continue;
            }
            '+' => {
                if before != '+' {
                    places.push(Vec::new());
                }
                if let Some(place) = places.last_mut() {
                    place.push(line[1..].to_owned());
                }
                before = '+';
                context = 0;
            }
            ' ' => {
                before = ' ';
                context += 1;
                // One behind a place, and one before the next.
                if context > 2 {
                    patch
                        .faults
                        .push(format!("{line:?}: more context than it needs"));
                }
            }
            _ => patch.faults.push(format!("{line:?} does not add")),
        }
    }
    patch
}

/// Collects what is wrong in every patch of every version.
fn faults(look: impl Fn(&str, &Patch) -> Vec<String>) -> Vec<String> {
    let mut found = Vec::new();
    for (version, patches) in all() {
        for patch in patches {
            let faults = look(&version, &patch);
            found.extend(
                faults
                    .into_iter()
                    .map(|fault| format!("{version}/{}: {fault}", patch.name)),
            );
        }
    }
    found
}

#[track_caller]
fn none(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn every_pinned_release_has_a_series_and_every_series_a_pin() {
    let pinned: BTreeSet<String> = releases().into_iter().map(|one| one.version).collect();
    assert_eq!(entries(&root().join("tmux-patches/hooks")), pinned);
    for version in pinned {
        assert!(!raw_series(&version).is_empty(), "{version}");
    }
}

#[test]
fn headers_are_complete() {
    none(&faults(|version, patch| {
        let base = format!("Base: tmux {version}");
        let needed = [
            "From: ",
            "Date: ",
            "Subject: [PATCH] ",
            "Author: ",
            "Forwarded: ",
            base.as_str(),
            "Last-Update: ",
            "Signed-off-by: ",
            "On a rebase: ",
        ];
        let lines: Vec<&str> = patch.header.lines().collect();
        let mut missing: Vec<String> = needed
            .iter()
            .filter(|field| {
                !lines.iter().any(|line| {
                    line.strip_prefix(**field)
                        .is_some_and(|rest| !rest.is_empty() || **field == base)
                })
            })
            .map(|field| format!("no {field:?}"))
            .collect();
        let subject = lines.iter().position(|line| line.starts_with("Subject: "));
        let body = subject.and_then(|at| lines.get(at + 2));
        if body.is_none_or(|line| line.trim().is_empty()) {
            missing.push("nothing says what it is for".to_owned());
        }
        if lines.last() != Some(&"---") {
            missing.push("no --- before the diff".to_owned());
        }
        missing
    }));
}

#[test]
fn a_hook_only_adds_and_carries_no_more_than_it_needs() {
    none(&faults(|_, patch| {
        let mut faults = patch.faults.clone();
        if patch.files.is_empty() {
            faults.push("changes no file".to_owned());
        }
        faults
    }));
}

#[test]
fn a_hook_adds_few_lines_at_a_place() {
    none(&faults(|_, patch| {
        let places = patch.files.iter().flat_map(|(name, places)| {
            places
                .iter()
                .filter(|place| place.len() > LINES)
                .map(move |place| format!("{} lines at a place in {name}", place.len()))
        });
        places.collect()
    }));
}

#[test]
fn a_hook_has_no_condition_of_the_preprocessor() {
    none(&faults(|_, patch| {
        let lines = patch.files.iter().flat_map(|(_, places)| places).flatten();
        lines
            .filter(|line| line.trim_start().starts_with("#if"))
            .map(|line| format!("{line:?}"))
            .collect()
    }));
}

#[test]
fn what_the_build_is_made_from_is_left_alone() {
    none(&faults(|_, patch| {
        let names = patch.files.iter().map(|(name, _)| name);
        names
            .filter(|name| FORBIDDEN.contains(&name.as_str()) || !name.ends_with(".c"))
            .map(|name| format!("changes {name}"))
            .collect()
    }));
}

/// What a patch that is not there for every version says: `Versions: 3.7c and 3.8 only. …`.
fn declared_versions(patch: &Patch) -> Option<BTreeSet<String>> {
    let line = patch
        .header
        .lines()
        .find_map(|line| line.strip_prefix("Versions: "))?;
    let names = line.split(" only").next()?;
    Some(
        names
            .split([' ', ','])
            .filter(|name| !name.is_empty() && *name != "and")
            .map(str::to_owned)
            .collect(),
    )
}

#[test]
fn versions_have_the_same_lines_or_say_why_not() {
    let all = all();
    let versions: BTreeSet<&String> = all.keys().collect();
    let mut names: BTreeMap<&str, BTreeMap<&str, &Patch>> = BTreeMap::new();
    for (version, patches) in &all {
        for patch in patches {
            names.entry(&patch.name).or_default().insert(version, patch);
        }
    }
    let mut faults = Vec::new();
    for (name, having) in names {
        let there: BTreeSet<String> = having.keys().map(|version| (*version).to_owned()).collect();
        let everywhere = there.len() == versions.len();
        let reference = having.get(REFERENCE).or_else(|| having.values().next());
        for (version, patch) in &having {
            match declared_versions(patch) {
                None if everywhere => {}
                Some(said) if !everywhere && said == there => {}
                said => faults.push(format!("{version}/{name}: is for {there:?}, says {said:?}")),
            }
            let differs = reference.is_some_and(|reference| reference.files != patch.files);
            let explains = patch
                .header
                .lines()
                .any(|line| line.starts_with("Differs: "));
            if differs != explains {
                faults.push(format!(
                    "{version}/{name}: lines differ from {REFERENCE}: {differs}; explained: {explains}"
                ));
            }
        }
    }
    none(&faults);
}

/// Unpacks a release, or finds it unpacked and copies it; `None` where it is not there.
fn tree(release: &releases::Release, into: &Path) -> Option<PathBuf> {
    let folder = format!("tmux-{}", release.version);
    let tree = into.join(&folder);
    let vendor = root().join("vendor");
    if tarball::path(&vendor, &release.version).exists() {
        let bytes = tarball::read(&vendor, release).unwrap_or_else(|error| panic!("{error}"));
        tarball::unpack(&bytes, &release.version, into).unwrap_or_else(|error| panic!("{error}"));
        return Some(tree);
    }
    let given = PathBuf::from(std::env::var_os("AMUX_TEST_TREES")?).join(&folder);
    if !given.is_dir() {
        return None;
    }
    std::fs::create_dir(&tree).unwrap();
    for name in entries(&given) {
        let file = given.join(&name);
        if file.is_file() {
            std::fs::copy(file, tree.join(&name)).unwrap();
        }
    }
    Some(tree)
}

/// Applies a patch; returns what patch said where it failed or guessed.
fn apply(patch: &series::Patch, tree: &Path) -> Result<(), String> {
    let mut child = Command::new("patch")
        .args(["-p1", "-F0", "-N", "--no-backup-if-mismatch", "-d"])
        .arg(tree)
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("patch: {error}"));
    child.stdin.take().unwrap().write_all(&patch.text).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() && !said.contains("fuzz") {
        Ok(())
    } else {
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(format!("{}:\n{said}{error}", patch.path.display()))
    }
}

#[test]
fn every_series_applies_without_fuzz_and_no_name_of_ours_is_upstreams() {
    let files = entries(&root().join("tmux-patches/files"));
    let mut faults = Vec::new();
    let mut checked = Vec::new();
    for release in releases() {
        let version = &release.version;
        let scratch = tempfile::tempdir().unwrap();
        let Some(tree) = tree(&release, scratch.path()) else {
            // Written past the harness, which keeps the output of a test that passes.
            let line = format!("tests/patchset.rs: {version}: not checked, no release is there\n");
            std::io::stderr().write_all(line.as_bytes()).unwrap();
            continue;
        };
        checked.push(version.clone());
        for name in entries(&tree).intersection(&files) {
            faults.push(format!("{version}: upstream has a {name} too"));
        }
        faults.extend(
            raw_series(version)
                .iter()
                .filter_map(|patch| apply(patch, &tree).err()),
        );
    }
    none(&faults);
    // Without one release, nothing was looked at: `vendor/fetch` brings them.
    assert!(!checked.is_empty(), "no release is there");
}
