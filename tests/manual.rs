//! What is generated of the command line: the manual page, and completions that
//! real shells take.

use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;

fn text(command: &mut Command) -> String {
    let output = ended(command);
    assert!(output.status.success(), "{command:?}: {output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{command:?}");
    String::from_utf8(output.stdout).expect("text")
}

fn ended(command: &mut Command) -> Output {
    command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn amux(arguments: &[&str]) -> String {
    text(Command::new(env!("CARGO_BIN_EXE_amux")).args(arguments))
}

/// What is generated, in a file.
fn generated(what: &[&str]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("generated");
    let mut arguments = vec!["generate"];
    arguments.extend(what);
    std::fs::write(&path, amux(&arguments)).expect("a file");
    (folder, path)
}

/// The flags that the help of a command names.
fn flags(help: &str) -> Vec<String> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let mut flags = Vec::new();
    for line in help.lines().map(str::trim_start) {
        if line.starts_with('-') {
            let names = line.split("  ").next().unwrap_or_default();
            let names = names.split([' ', ',', '[', '=']);
            flags.extend(
                names
                    .filter(|name| name.starts_with('-') && name.chars().all(word))
                    .map(str::to_owned),
            );
        }
    }
    flags
}

/// The commands that the help of another names.
fn commands(help: &str) -> Vec<String> {
    help.lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn manual_has_every_command_and_flag() {
    // As it is read: without hyphens at the ends of lines.
    let page = amux(&["generate", "man"]).replace("\\-", "-");
    let mut paths: Vec<Vec<String>> = vec![Vec::new()];
    let mut seen = 0;
    while let Some(path) = paths.pop() {
        let mut arguments: Vec<&str> = path.iter().map(String::as_str).collect();
        arguments.push("--help");
        let help = amux(&arguments);
        let below = commands(&help);
        if below.is_empty() {
            let heading = format!("\n.SS amux {}\n", path.join(" "));
            assert_eq!(page.matches(&heading).count(), 1, "{heading:?}");
        }
        for flag in flags(&help) {
            assert!(page.contains(&format!("fB{flag}\\fR")), "{path:?} {flag}");
            seen += 1;
        }
        paths.extend(below.into_iter().map(|name| {
            let mut longer = path.clone();
            longer.push(name);
            longer
        }));
    }
    assert!(seen > 100, "{seen} flags were found in the helps");
    assert!(!page.contains("generate"), "it is no command of users");
}

#[test]
fn manual_is_without_fault() {
    let (_folder, path) = generated(&["man"]);
    let mut mandoc = Command::new("mandoc");
    mandoc.args(["-T", "lint", "-W", "warning"]).arg(&path);
    let output = ended(&mut mandoc);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    assert!(output.status.success(), "{output:?}");
    let page = text(Command::new("mandoc").args(["-T", "ascii"]).arg(&path));
    // Bold is a letter over itself.
    let mut plain = String::new();
    for c in page.chars() {
        match c {
            '\x08' => drop(plain.pop()),
            c => plain.push(c),
        }
    }
    for words in [
        "NAME",
        "amux task done",
        "--wait-idle",
        "EXIT STATUS",
        "SEE ALSO",
    ] {
        assert!(plain.contains(words), "{words:?} in {plain}");
    }
}

/// What a shell completes behind these words.
fn bash(words: &[&str]) -> Vec<String> {
    let (_folder, path) = generated(&["completions", "bash"]);
    let script = "set -u; . \"$1\"; shift
        complete -p amux >/dev/null || exit 1
        COMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1)) COMP_LINE=\"$*\" COMP_POINT=${#COMP_LINE}
        _amux amux \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD - 1]}\"
        printf '%s\\n' \"${COMPREPLY[@]}\"";
    let mut command = Command::new("bash");
    command.args(["--norc", "-c", script, "bash"]).arg(path);
    let found = text(command.args(words));
    found.lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_and_flags() {
    assert_eq!(bash(&["amux", "ru"]), ["run"]);
    assert_eq!(bash(&["amux", "task", "wa"]), ["watch"]);
    assert_eq!(bash(&["amux", "run", "w", "--time"]), ["--timeout"]);
    assert_eq!(bash(&["amux", "task", "ls", "--st"]), ["--stale"]);
    let all = bash(&["amux", ""]);
    for name in commands(&amux(&["--help"])) {
        assert!(all.contains(&name), "{name} in {all:?}");
    }
}

#[test]
fn fish_completes_commands_and_flags() {
    let (folder, path) = generated(&["completions", "fish"]);
    let completed = |line: &str| -> Vec<String> {
        let mut command = Command::new("fish");
        command
            .env("HOME", folder.path())
            .env("XDG_CONFIG_HOME", folder.path())
            .args(["--no-config", "-c", "source $argv[1]; complete -C $argv[2]"])
            .arg(&path)
            .arg(line);
        let found = text(&mut command);
        found
            .lines()
            .filter_map(|line| line.split('\t').next())
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(completed("amux ru"), ["run"]);
    assert_eq!(completed("amux task wa"), ["watch"]);
    assert_eq!(completed("amux run w --time"), ["--timeout"]);
}

#[test]
fn zsh_takes_the_completions() {
    let (folder, path) = generated(&["completions", "zsh"]);
    std::fs::rename(path, folder.path().join("_amux")).expect("a file of that name");
    let script = "fpath=($1 $fpath); autoload -Uz compinit && compinit -u -D
        print -r -- $_comps[amux]; autoload +X _amux && whence -w _amux";
    let mut command = Command::new("zsh");
    command
        .env("HOME", folder.path())
        .env_remove("ZDOTDIR")
        .args(["-f", "-c", script, "zsh"])
        .arg(folder.path());
    let found = text(&mut command);
    assert!(found.starts_with("_amux\n"), "{found}");
    assert!(found.contains("_amux: function"), "{found}");
}

#[test]
fn install_puts_them_where_man_and_the_shells_look() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut install = Command::new(env!("CARGO_BIN_EXE_amux"));
    install
        .args(["install", "--prefix", "/usr", "--destdir"])
        .arg(folder.path());
    let output = ended(&mut install);
    assert!(output.status.success(), "{output:?}");
    for (path, what) in [
        ("man/man1/amux.1", &["man"][..]),
        ("bash-completion/completions/amux", &["completions", "bash"]),
        ("zsh/site-functions/_amux", &["completions", "zsh"]),
        (
            "fish/vendor_completions.d/amux.fish",
            &["completions", "fish"],
        ),
    ] {
        let path = folder.path().join("usr/share").join(path);
        let found = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut arguments = vec!["generate"];
        arguments.extend(what);
        assert!(found == amux(&arguments), "{}", path.display());
    }
}
