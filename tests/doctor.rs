//! What `amux doctor` finds in startup files, by homes that have them.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A home folder of its own, and a server only where a test starts one.
struct Home(TempDir);

impl Home {
    fn with(files: &[(&str, &str)]) -> Self {
        let home = Self(tempfile::tempdir().expect("a temporary folder"));
        for (name, text) in files {
            std::fs::write(home.path().join(name), text).expect("a startup file");
        }
        home
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn amux(&self, arguments: &[&str]) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_amux"))
            .args(arguments)
            .env("HOME", self.path())
            .env("TMUX_TMPDIR", self.path())
            .env("AMUX_TMUX", env!("AMUX_BUILT_TMUX"))
            .env_remove("AMUX_TENANT")
            .env_remove("PROMPT_COMMAND")
            .stdin(Stdio::null())
            .output()
            .expect("amux runs");
        assert!(output.status.success(), "{output:?}");
        assert!(output.stderr.is_empty(), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    }

    fn doctor(&self) -> Value {
        let printed = self.amux(&["doctor", "--json"]);
        serde_json::from_str(&printed).expect("JSON")
    }

    /// The lines for people that are about startup files.
    fn lines(&self) -> Vec<String> {
        let printed = self.amux(&["doctor"]);
        let lines = printed
            .lines()
            .skip_while(|line| !line.starts_with("startup "));
        lines.map(str::to_owned).collect()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // There may be none.
        let _ = Command::new(env!("CARGO_BIN_EXE_amux"))
            .arg("stop")
            .env("TMUX_TMPDIR", self.path())
            .env("AMUX_TMUX", env!("AMUX_BUILT_TMUX"))
            .env_remove("AMUX_TENANT")
            .output();
    }
}

#[test]
fn plain_home_has_nothing_to_do() {
    let home = Home::with(&[]);
    let json = home.doctor();
    assert_eq!(json["server"], Value::Null);
    assert_eq!(json["shell"]["good"], true, "{json}");
    assert_eq!(json["shell"]["files"], Value::Array(vec![]));
    assert_eq!(
        home.lines(),
        [
            "startup no startup file of yours: all is exact without one",
            "shell   is as it must be"
        ]
    );
    // The same with a server, in whose windows the shells are.
    home.amux(&["start"]);
    let with = home.doctor();
    assert_ne!(with["server"], Value::Null);
    assert_eq!(with["shell"]["good"], true, "{with}");
    assert_eq!(with["findings"], json["findings"]);
}

#[test]
fn files_that_are_read_are_told_from_those_that_are_not() {
    let home = Home::with(&[
        (".bash_profile", ". ~/.bashrc\n"),
        (".profile", "exit 1\n"),
        (".bashrc", "set -u\n"),
    ]);
    let json = home.doctor();
    let read: Vec<_> = json["shell"]["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| (file["path"].as_str().unwrap(), file["read"].as_bool()))
        .collect();
    let path = |name: &str| home.path().join(name).to_string_lossy().into_owned();
    assert_eq!(
        read,
        [
            (&*path(".bash_profile"), Some(true)),
            (&*path(".profile"), Some(false)),
            (&*path(".bashrc"), Some(true)),
        ]
    );
    assert_eq!(json["shell"]["nounset"], true);
    assert_eq!(json["shell"]["good"], true, "{json}");
    assert_eq!(
        home.lines(),
        [
            "startup ~/.bash_profile, ~/.bashrc: read",
            "        set -u: all is exact",
            "shell   is as it must be"
        ]
    );

    let home = Home::with(&[(".profile", ":\n"), (".bashrc", ":\n")]);
    assert_eq!(
        home.lines()[..3],
        [
            "startup ~/.profile: read",
            "        ~/.bashrc: not read, as windows have login shells",
            "          to have it read: echo '. ~/.bashrc' >>~/.profile",
        ]
    );
}

/// What it says to do is done, and helps.
#[test]
fn assigned_prompt_command_gets_advice_that_helps() {
    let home = Home::with(&[(".bash_profile", "PROMPT_COMMAND='history -a'\n")]);
    let json = home.doctor();
    assert_eq!(json["shell"]["good"], false);
    assert_eq!(json["shell"]["integrated"], false);
    assert_eq!(json["shell"]["prompt_command_is"], "text");
    assert_eq!(json["shell"]["integration"], Value::Null);
    let findings = json["findings"].as_array().unwrap();
    let advice = findings.last().unwrap()["do"].as_str().unwrap();
    let line = advice.strip_prefix("keep what it holds: ").unwrap();
    let line = line.split("; or load").next().unwrap();
    assert_eq!(
        line,
        "PROMPT_COMMAND=\"history -a${PROMPT_COMMAND:+;$PROMPT_COMMAND}\""
    );
    std::fs::write(home.path().join(".bash_profile"), format!("{line}\n")).unwrap();
    let json = home.doctor();
    assert_eq!(json["shell"]["good"], true, "{json}");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tmux-patches/shell/amux.bash");
    let text = format!("PROMPT_COMMAND='history -a'\n. '{}'\n", script.display());
    std::fs::write(home.path().join(".bash_profile"), text).unwrap();
    let json = home.doctor();
    assert_eq!(json["shell"]["good"], true, "{json}");
    assert_eq!(json["shell"]["integration"], *script.to_string_lossy());

    let home = Home::with(&[(
        ".bash_profile",
        "set -u; unset PROMPT_COMMAND; PROMPT_COMMAND=(a b)\n",
    )]);
    let json = home.doctor();
    assert_eq!(json["shell"]["prompt_command_is"], "array");
    let lines = home.lines();
    for part in ["PROMPT_COMMAND+=(YOURS)", "set -u: no hindrance"] {
        let found = lines.iter().any(|line| line.contains(part));
        assert!(found, "{part}: {lines:?}");
    }
}

#[test]
fn hooks_options_and_traps_are_told() {
    let home = Home::with(&[(
        ".bash_profile",
        "PROMPT_COMMAND+=(':')\nset -e\ntrap ':' DEBUG\n\
         _direnv_hook() { :; }; starship_precmd() { :; }; __bp_precmd_invoke_cmd() { :; }\n",
    )]);
    let json = home.doctor();
    let shell = &json["shell"];
    assert_eq!(shell["good"], true, "{json}");
    assert_eq!(shell["prompt_command_is"], "array");
    assert_eq!(shell["errexit"], true);
    assert_eq!(shell["debug_trap"], true);
    let tools = ["bash-preexec", "direnv", "starship"];
    assert_eq!(shell["tools"], serde_json::json!(tools));
    let lines = home.lines();
    for part in [
        "bash-preexec: ",
        "direnv: ",
        "starship: ",
        "set -e: ",
        "an array: all",
    ] {
        let count = lines.iter().filter(|line| line.contains(part)).count();
        assert_eq!(count, 1, "{part}: {lines:?}");
    }
}

#[test]
fn readonly_and_pastes_get_advice() {
    let home = Home::with(&[(
        ".bash_profile",
        "PROMPT_COMMAND=\"history -a; $PROMPT_COMMAND\"; readonly PROMPT_COMMAND\n",
    )]);
    let json = home.doctor();
    assert_eq!(json["shell"]["status"], false, "{json}");
    assert_eq!(json["shell"]["readonly"][0], "PROMPT_COMMAND");
    let lines = home.lines();
    assert!(
        lines.contains(&"          take out: readonly PROMPT_COMMAND".to_owned()),
        "{lines:?}"
    );
    let home = Home::with(&[(
        ".bash_profile",
        "PROMPT_COMMAND=\"$PROMPT_COMMAND; bind 'set enable-bracketed-paste off'\"\n",
    )]);
    let lines = home.lines();
    assert!(
        lines
            .iter()
            .any(|line| line.contains("bracketed paste is turned off")),
        "{lines:?}"
    );
}

/// A shell that ends is told at once, and nothing of the home folder changes.
#[test]
fn shell_that_ends_is_told_and_files_stay() {
    let files = [(".bash_profile", "exit 3\n"), (".bash_history", "one\n")];
    let home = Home::with(&files);
    let json = home.doctor();
    assert_eq!(json["shell"]["answered"], false);
    assert_eq!(json["shell"]["files"][0]["read"], true);
    let lines = home.lines();
    assert!(
        lines.iter().any(|line| line.contains("no answer: ")),
        "{lines:?}"
    );
    for (name, text) in files {
        let found = std::fs::read_to_string(home.path().join(name)).unwrap();
        assert_eq!(found, text);
    }
}
