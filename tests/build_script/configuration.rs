//! The environment becomes one configuration, or one clear refusal.

use super::{CARGO, configure, message};
use crate::config::{Config, Environment, Jobs, Tmux};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

#[test]
fn nothing_set_builds_the_default_release_from_vendor() {
    let config = configure(&[]).unwrap();
    assert_eq!(config.tmux, Tmux::Built(Vec::new()));
    assert_eq!(config.tarballs, Path::new("/crate/vendor"));
    assert_eq!(
        (config.flags.compiler.as_str(), config.flags.linker.as_str()),
        ("-O2", "")
    );
    assert_eq!(config.jobs, Jobs::Count(1));
    assert!(config.sanitized.is_none() && !config.ci);
}

#[test]
fn empty_is_the_same_as_not_set() {
    let config = configure(&[
        ("AMUX_BUILD_TMUX", ""),
        ("AMUX_BUILD_SANITIZE", ""),
        ("DOCS_RS", ""),
    ]);
    assert_eq!(config.unwrap().tmux, Tmux::Built(Vec::new()));
}

#[test]
fn every_name_in_the_table_is_read_and_tracked() {
    let tracked = RefCell::new(BTreeSet::new());
    let lookup = |name: &str| {
        CARGO
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| OsString::from(value))
    };
    let track = |name: &str| {
        tracked.borrow_mut().insert(name.to_owned());
    };
    Config::read(&Environment::new(&lookup, &track), &[]).unwrap();

    let table = include_str!("../../build/config.rs");
    let documented: BTreeSet<String> = table
        .lines()
        .filter_map(|line| line.strip_prefix("//! | `")?.split('`').next())
        .map(str::to_owned)
        .collect();
    assert_eq!(documented.len(), 8, "{documented:?}");
    let ours: BTreeSet<String> = tracked
        .borrow()
        .iter()
        .filter(|name| name.starts_with("AMUX_BUILD_"))
        .cloned()
        .collect();
    assert_eq!(ours, documented);
    // Where Cargo's own were tracked, each build would run the script again.
    assert!(
        !tracked
            .borrow()
            .iter()
            .any(|name| name.starts_with("CARGO") || name == "OUT_DIR")
    );
}

#[test]
fn versions_keep_their_order_and_come_once() {
    let config = configure(&[("AMUX_BUILD_VERSIONS", " 3.3a 3.5a  3.3a ")]).unwrap();
    assert_eq!(config.tmux, Tmux::Built(vec!["3.3a".into(), "3.5a".into()]));
}

#[test]
fn a_version_that_is_a_path_is_refused() {
    for version in ["../3.5a", "3.5a/..", ".", "-3"] {
        let text = message(configure(&[("AMUX_BUILD_VERSIONS", version)]));
        assert!(text.contains("is no tmux release"), "{version}: {text}");
    }
}

#[test]
fn a_given_tmux_leaves_nothing_to_build() {
    let config = configure(&[("AMUX_BUILD_TMUX", "/opt/tmux-custom")]).unwrap();
    assert_eq!(config.tmux, Tmux::Given("/opt/tmux-custom".into()));
    let config = configure(&[("AMUX_BUILD_TMUX", "bin/tmux-custom")]).unwrap();
    assert_eq!(config.tmux, Tmux::Given("/crate/bin/tmux-custom".into()));
}

#[test]
fn a_given_tmux_and_something_to_build_contradict_each_other() {
    for other in [
        ("AMUX_BUILD_VERSIONS", "3.3a"),
        ("AMUX_BUILD_SANITIZE", "1"),
    ] {
        let text = message(configure(&[("AMUX_BUILD_TMUX", "/opt/tmux-custom"), other]));
        assert!(text.contains("unset one or the other"), "{text}");
    }
}

#[test]
fn docs_need_no_tmux() {
    let config = configure(&[("DOCS_RS", "1"), ("TARGET", "aarch64-apple-darwin")]).unwrap();
    assert_eq!(config.tmux, Tmux::None);
}

#[test]
fn another_machine_needs_a_tmux_that_is_given() {
    let target = ("TARGET", "aarch64-unknown-linux-gnu");
    assert!(message(configure(&[target])).contains("AMUX_BUILD_TMUX"));
    let config = configure(&[target, ("AMUX_BUILD_TMUX", "/opt/tmux-custom")]).unwrap();
    assert_eq!(config.tmux, Tmux::Given("/opt/tmux-custom".into()));
}

#[test]
fn flags_are_added_behind_ours() {
    let config = configure(&[
        ("AMUX_BUILD_SANITIZE", "1"),
        ("AMUX_BUILD_CFLAGS", " -DX=1"),
        ("AMUX_BUILD_LDFLAGS", "-s"),
        ("AMUX_BUILD_ENGINE_CFLAGS", "-g  -O0"),
    ])
    .unwrap();
    assert_eq!(config.flags.compiler, "-O2 -DX=1");
    assert_eq!(config.flags.linker, "-s");
    let sanitized = config.sanitized.unwrap();
    assert_eq!(
        sanitized.compiler,
        "-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -DX=1"
    );
    assert_eq!(sanitized.linker, "-fsanitize=address,undefined -s");
    assert_eq!(config.engine_cflags, ["-g", "-O0"]);
}

#[test]
fn sanitizers_leave_the_engine_alone() {
    assert!(
        configure(&[("AMUX_BUILD_SANITIZE", "1")])
            .unwrap()
            .engine_cflags
            .is_empty()
    );
}

#[test]
fn a_number_goes_before_the_jobserver_and_that_before_cargos_number() {
    let server = ("CARGO_MAKEFLAGS", "-j --jobserver-auth=8,9");
    let number = ("NUM_JOBS", "4");
    let jobs = |variables: &[(&str, &str)]| configure(variables).unwrap().jobs;
    assert_eq!(
        jobs(&[server, number, ("AMUX_BUILD_JOBS", "3")]),
        Jobs::Count(3)
    );
    assert_eq!(
        jobs(&[server, number]),
        Jobs::Jobserver("-j --jobserver-auth=8,9".into())
    );
    assert_eq!(jobs(&[number]), Jobs::Count(4));
}

#[test]
fn values_that_mean_nothing_are_refused() {
    for (name, value) in [
        ("AMUX_BUILD_JOBS", "0"),
        ("AMUX_BUILD_JOBS", "many"),
        ("AMUX_BUILD_SANITIZE", "yes"),
    ] {
        let text = message(configure(&[(name, value)]));
        assert!(text.contains(name) && text.contains(value), "{text}");
    }
}

#[test]
fn a_name_that_is_misspelt_is_refused() {
    let text = message(configure(&[("AMUX_BUILD_VERSION", "3.3a")]));
    assert!(
        text.starts_with("AMUX_BUILD_VERSION is no variable"),
        "{text}"
    );
    assert!(text.contains("AMUX_BUILD_VERSIONS"), "{text}");
}

#[test]
fn a_value_that_is_not_utf8_is_named() {
    use std::os::unix::ffi::OsStringExt;
    let lookup = |name: &str| match name {
        "AMUX_BUILD_CFLAGS" => Some(OsString::from_vec(vec![0xff])),
        _ => CARGO
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| OsString::from(value)),
    };
    let text = message(Config::read(&Environment::new(&lookup, &|_| {}), &[]));
    assert_eq!(text, "AMUX_BUILD_CFLAGS is not UTF-8");
}
