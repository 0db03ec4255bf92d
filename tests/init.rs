//! `amux init`: the profile that it writes, in real shells of a tmux-custom that nothing else sets up.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// How long a shell may take to its prompt.
const LIMIT: Duration = Duration::from_secs(30);

/// A home folder of its own, and a server in it.
struct Home {
    folder: TempDir,
}

impl Home {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a file at home");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").expect("PATH"))
            .env("HOME", self.folder.path())
            .env("LANG", "C")
            .stdin(Stdio::null());
        command
    }

    fn amux(&self, arguments: &[&str]) -> Output {
        self.command(env!("CARGO_BIN_EXE_amux"))
            .args(arguments)
            .output()
            .expect("amux runs")
    }

    fn tmux(&self, arguments: &[&str]) -> Output {
        self.command(env!("AMUX_BUILT_TMUX"))
            .arg("-S")
            .arg(self.path("socket"))
            .args(["-f", "/dev/null"])
            .args(arguments)
            .output()
            .expect("tmux-custom runs")
    }

    /// Starts a server whose one pane runs a command, and waits for the prompt of the shell in it.
    fn start(&self, command: &str) {
        let started = self.tmux(&["new-session", "-d", "-x", "100", "-y", "24", command]);
        assert!(started.status.success(), "{started:?}");
        let begun = Instant::now();
        loop {
            let asked = self.tmux(&[
                "display-message",
                "-p",
                "#{pane_integrated} #{pane_command_state}",
            ]);
            let answer = String::from_utf8_lossy(&asked.stdout).into_owned();
            if answer == "1 idle\n" {
                return;
            }
            let screen = self.tmux(&["capture-pane", "-p"]);
            assert!(begun.elapsed() < LIMIT, "{answer:?} {asked:?} {screen:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Runs a line in the pane: its output, and its status.
    fn run(&self, line: &str) -> (String, Option<i32>) {
        let ran = self.tmux(&[
            "write-pane",
            "-e",
            "-w",
            "-T",
            "30",
            line,
            ";",
            "read-pane",
            "-w",
            "-T",
            "30",
            "-O",
            "-E",
        ]);
        let output = String::from_utf8(ran.stdout).expect("text");
        (output, ran.status.code())
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = self.tmux(&["kill-server"]);
    }
}

/// What each shell must do with the profile, whose variables it prints by the same line.
fn works(home: &Home) {
    let variables = "echo $PAGER $GIT_PAGER $MANPAGER $SYSTEMD_PAGER $LC_ALL";
    let (text, status) = home.run(variables);
    assert_eq!(
        (text.trim_end().rsplit_once(' '), status),
        (Some(("cat cat cat cat", locale())), Some(0))
    );
    assert_eq!(home.run("sh -c 'exit 3'"), (String::new(), Some(3)));
    assert_eq!(home.run("printf abc"), ("abc".to_owned(), Some(0)));
}

/// The locale of this system that the profile takes.
fn locale() -> &'static str {
    "C.UTF-8"
}

#[test]
fn profile_is_the_startup_file_of_bash() {
    let home = Home::new();
    home.write(
        ".bashrc",
        "export FROM_BASHRC=yes\nPS1='user> '\n. ~/.agent_profile\n",
    );
    assert!(home.amux(&["init"]).status.success());
    home.start("bash --rcfile ~/.agent_profile");
    works(&home);
    assert_eq!(home.run("echo $FROM_BASHRC"), ("yes\n".to_owned(), Some(0)));
    assert_eq!(home.run("(exit 4) | (exit 5)"), (String::new(), Some(5)));
}

#[test]
fn profile_is_read_from_zshrc() {
    let home = Home::new();
    home.write(".zshrc", "PS1='user> '\n. ~/.agent_profile\n");
    assert!(home.amux(&["init"]).status.success());
    home.start("zsh");
    works(&home);
    assert_eq!(home.run("exec zsh").1, Some(125));
    works(&home);
}

#[test]
fn fish_has_a_profile_of_its_own() {
    let home = Home::new();
    // Else fish reads every manual page there is, in the background.
    fs::create_dir_all(home.path(".local/share/fish/generated_completions")).unwrap();
    assert!(home.amux(&["init", "--shell", "fish"]).status.success());
    assert!(!home.path(".agent_profile").exists());
    home.start("fish --init-command 'source ~/.agent_profile.fish'");
    works(&home);
}

#[test]
fn profile_that_is_there_is_left_alone() {
    let home = Home::new();
    home.write(".agent_profile", "mine\n");
    let kept = home.amux(&["init"]);
    assert_eq!((kept.status.code(), &*kept.stdout), (Some(0), &b""[..]));
    let said = String::from_utf8_lossy(&kept.stderr).into_owned();
    assert!(said.contains("is there already"), "{said}");
    assert_eq!(home.read(".agent_profile"), "mine\n");
    // A link to nowhere is not followed either.
    std::os::unix::fs::symlink(home.path("elsewhere"), home.path("link")).unwrap();
    let link = home.path("link");
    home.amux(&["init", link.to_str().unwrap()]);
    assert!(!home.path("elsewhere").exists());
}

#[test]
fn profile_can_be_printed_and_be_elsewhere() {
    let home = Home::new();
    let printed = home.amux(&["init", "--print"]);
    assert!(printed.status.success() && !home.path(".agent_profile").exists());
    let path = home.path("it's here");
    let written = home.amux(&["init", path.to_str().unwrap()]);
    assert_eq!(written.stdout, format!("{}\n", path.display()).into_bytes());
    assert_eq!(fs::read(&path).unwrap(), printed.stdout);
    let nowhere = home.amux(&["init", "/nonexistent/profile"]);
    assert_eq!(nowhere.status.code(), Some(125), "{nowhere:?}");
}

/// The shells' own checks, and shellcheck where it is.
#[test]
fn profile_is_clean() {
    let home = Home::new();
    home.amux(&["init"]);
    home.amux(&["init", "--shell", "fish"]);
    for (program, options, name) in [
        ("bash", &["-n"][..], ".agent_profile"),
        ("zsh", &["-n"], ".agent_profile"),
        ("fish", &["--no-execute"], ".agent_profile.fish"),
    ] {
        let checked = home
            .command(program)
            .args(options)
            .arg(home.path(name))
            .output()
            .unwrap();
        assert!(
            checked.status.success() && checked.stderr.is_empty(),
            "{program}: {checked:?}"
        );
    }
    // A shell that is no terminal's gets the variables and nothing else.
    for program in ["bash", "zsh"] {
        let script = ". ~/.agent_profile; echo $PAGER; typeset -f | grep -c __amux";
        let ran = home.command(program).args(["-c", script]).output().unwrap();
        assert_eq!(
            String::from_utf8_lossy(&ran.stdout),
            "cat\n0\n",
            "{program}: {ran:?}"
        );
    }
    if let Some(shellcheck) = found("shellcheck") {
        let checked = home
            .command(shellcheck.to_str().unwrap())
            .arg(home.path(".agent_profile"))
            .output()
            .unwrap();
        assert!(
            checked.status.success(),
            "{}",
            String::from_utf8_lossy(&checked.stdout)
        );
    }
}

fn found(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).map(|folder| folder.join(program));
    found.into_iter().find(|path: &PathBuf| Path::is_file(path))
}
