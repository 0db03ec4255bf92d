//! `vendor/releases.toml` and the choice from it.

use super::message;
use crate::releases;
use std::path::Path;

fn entry(version: &str, sha256: &str, more: &str) -> String {
    format!("[[release]]\nversion = \"{version}\"\nsha256 = \"{sha256}\"\n{more}\n")
}

#[test]
fn the_file_of_the_repository_is_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("vendor/releases.toml");
    let known = releases::read(&path).unwrap();
    let default = releases::choose(&known, &[]).unwrap();
    assert_eq!(
        default
            .iter()
            .map(|release| release.version.as_str())
            .collect::<Vec<_>>(),
        ["3.5a"]
    );
    assert!(known.iter().any(|release| release.version == "3.3a"));
}

#[test]
fn releases_are_chosen_in_the_order_asked_for() {
    let hash = "0a".repeat(32);
    let text = entry("1", &hash, "default = true") + &entry("2", &hash, "");
    let known = releases::parse(&text).unwrap();
    let chosen = releases::choose(&known, &["2".into(), "1".into()]).unwrap();
    assert_eq!(chosen, [&known[1], &known[0]]);
    let text = message(releases::choose(&known, &["3".into()]));
    assert!(
        text.contains("tmux 3 is not in") && text.contains("known are 1, 2"),
        "{text}"
    );
}

#[test]
fn faults_of_the_file_are_named() {
    let hash = "0a".repeat(32);
    let one = entry("1", &hash, "default = true");
    for (text, said) in [
        ("release = [", "not TOML"),
        ("", "no [[release]]"),
        ("[[release]]\nversion = \"1\"\n", "without sha256"),
        (&entry("1", &hash, ""), "0 releases say default"),
        (&(one.clone() + &one), "2 releases say default"),
        (&entry("1", "12", "default = true"), "the sha256 of 1"),
        (
            &entry("1", &"0A".repeat(32), "default = true"),
            "the sha256 of 1",
        ),
    ] {
        let found = message(releases::parse(text));
        assert!(found.contains(said), "{text}: {found}");
    }
}
