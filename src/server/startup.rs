//! What a shell tells of its startup files.

use std::path::{Path, PathBuf};

/// The files of a user that a login shell may read, and the one that these
/// usually source, in the order in which bash looks for them.
const FILES: [&str; 4] = [".bash_profile", ".bash_login", ".profile", ".bashrc"];

/// What stands before each fact in the shell's answer.
const FACT: &str = "amux:fact ";

/// What the startup files of a user made of the shell; see
/// [`TerminalCheck::startup`](crate::TerminalCheck::startup).
///
/// All of it is what was found in the shell once it had read them. Where it did
/// not answer, only [`files`](Self::files) tells something.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Startup {
    /// The user's startup files that are there, in the order in which bash looks
    /// for them.
    pub files: Vec<StartupFile>,
    /// Version of the shell, as bash says it; empty when it did not answer.
    pub bash_version: String,
    /// What `PROMPT_COMMAND` is.
    pub prompt_command: PromptCommand,
    /// Variables of the prompt that cannot be changed: among `PROMPT_COMMAND`,
    /// `PS0`, `PS1` and `PS2`.
    pub readonly: Vec<String>,
    /// `set -u` is on.
    pub nounset: bool,
    /// `set -e` is on: the first command that fails ends the shell.
    pub errexit: bool,
    /// There is a trap on DEBUG, of whatever tool.
    pub debug_trap: bool,
    /// Prompt tools that are loaded.
    pub tools: Vec<PromptTool>,
    /// The file from which the shell integration was loaded; `None` where it was
    /// not.
    pub integration: Option<PathBuf>,
}

/// A startup file that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StartupFile {
    /// Its path.
    pub path: PathBuf,
    /// Whether it was opened while the shell started: by the shell, as far as can
    /// be told. `None` where that could not be watched.
    pub read: Option<bool>,
}

/// What `PROMPT_COMMAND` is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum PromptCommand {
    /// There is none.
    #[default]
    Unset,
    /// A string.
    Text,
    /// An array, of which bash runs each element from 5.1 on.
    Array,
}

impl PromptCommand {
    /// Its name: `unset`, `text` or `array`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unset => "unset",
            Self::Text => "text",
            Self::Array => "array",
        }
    }
}

/// A tool that does something at each prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PromptTool {
    /// bash-preexec: functions before and after each command.
    BashPreexec,
    /// direnv: an environment for each folder.
    Direnv,
    /// starship: a prompt.
    Starship,
}

impl PromptTool {
    /// Each of them, with a function that it defines.
    const ALL: [(Self, &'static str); 3] = [
        (Self::BashPreexec, "__bp_precmd_invoke_cmd"),
        (Self::Direnv, "_direnv_hook"),
        (Self::Starship, "starship_precmd"),
    ];

    /// Its name, as its people write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BashPreexec => "bash-preexec",
            Self::Direnv => "direnv",
            Self::Starship => "starship",
        }
    }
}

/// The command to type before others: `set -e` would end the shell with what
/// fails.
pub(super) const PREPARE: &str = "__amux_options=$-; \\builtin set +e";

/// The commands that print the facts, one each line, to be typed in one line.
/// Options that would end it are off by the end of the first.
pub(super) fn commands() -> String {
    let functions: Vec<_> = PromptTool::ALL.iter().map(|(_, name)| *name).collect();
    format!(
        "\\builtin printf '{FACT}options %s\\n' \"${{__amux_options:-$-}}\"; \
         \\builtin set +eu; IFS=' '$'\\n'; \
         \\builtin printf '{FACT}version %s\\n' \"$BASH_VERSION\"; \
         \\builtin printf '{FACT}declared %s\\n' \"$(\\builtin declare -p PROMPT_COMMAND)\"; \
         \\builtin printf '{FACT}readonly %s\\n' \
         PROMPT_COMMAND:${{PROMPT_COMMAND@a}} PS0:${{PS0@a}} PS1:${{PS1@a}} PS2:${{PS2@a}}; \
         \\builtin printf '{FACT}trap %s\\n' \"$(\\builtin trap -p DEBUG)\"; \
         \\builtin printf '{FACT}function %s\\n' $(\\builtin declare -F {}); \
         \\builtin printf '{FACT}loads %s\\n' \"${{__amux_loads-}}\"; ",
        functions.join(" ")
    )
}

/// The paths of the startup files in a home folder, whether they are there or
/// not.
pub(super) fn files(home: &Path) -> Vec<PathBuf> {
    FILES.iter().map(|name| home.join(name)).collect()
}

impl Startup {
    /// Reads what the commands printed. `opened` are the files that were opened,
    /// where that is known.
    pub(super) fn read(answer: &str, files: &[PathBuf], opened: Option<&[PathBuf]>) -> Self {
        let mut startup = Self {
            files: files
                .iter()
                .filter(|path| path.is_file())
                .map(|path| StartupFile {
                    path: path.clone(),
                    read: opened.map(|opened| opened.contains(path)),
                })
                .collect(),
            ..Self::default()
        };
        let facts = answer.lines().filter_map(|line| line.strip_prefix(FACT));
        for (name, value) in facts.filter_map(|fact| fact.split_once(' ')) {
            startup.take(name, value);
        }
        startup
    }

    /// Takes a fact. A value of several lines has only its first.
    fn take(&mut self, name: &str, value: &str) {
        match name {
            "options" => {
                self.nounset = value.contains('u');
                self.errexit = value.contains('e');
            }
            "version" => self.bash_version = value.to_owned(),
            "declared" => {
                let mut words = value.split(' ').skip(1);
                self.prompt_command = match words.next() {
                    Some(attributes) if attributes.contains('a') => PromptCommand::Array,
                    Some(_) => PromptCommand::Text,
                    None => PromptCommand::Unset,
                };
            }
            "readonly" => {
                if let Some((variable, attributes)) = value.split_once(':')
                    && attributes.contains('r')
                {
                    self.readonly.push(variable.to_owned());
                }
            }
            "trap" => self.debug_trap = !value.is_empty(),
            "function" => {
                let mut tools = PromptTool::ALL.iter();
                let found = tools.find(|(_, function)| *function == value);
                self.tools.extend(found.map(|(tool, _)| *tool));
            }
            "loads" => {
                let path = value.strip_prefix(". \"");
                let path = path.and_then(|path| path.strip_suffix('"'));
                self.integration = path.map(PathBuf::from);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// What a bash says after these lines.
    fn after(lines: &str) -> Startup {
        let text = format!("{lines}\n{{ {} }} 2>/dev/null", commands());
        let output = Command::new("bash")
            .args(["--norc", "--noprofile", "-c", &text])
            .output()
            .unwrap();
        let answer = String::from_utf8(output.stdout).unwrap();
        Startup::read(&answer, &[], None)
    }

    #[test]
    fn plain_shell_has_nothing() {
        let startup = after("unset PROMPT_COMMAND");
        assert!(!startup.bash_version.is_empty());
        let plain = Startup {
            bash_version: startup.bash_version.clone(),
            ..Startup::default()
        };
        assert_eq!(startup, plain);
    }

    #[test]
    fn settings_are_told() {
        let startup = after("set -eu; PROMPT_COMMAND=$'a\\nb'; trap 'x=1' DEBUG; readonly PS0=x");
        assert!(startup.errexit && startup.nounset && startup.debug_trap);
        assert_eq!(startup.prompt_command, PromptCommand::Text);
        assert_eq!(startup.readonly, ["PS0"]);
        let startup = after("PROMPT_COMMAND=(a 'b c'); readonly PROMPT_COMMAND");
        assert_eq!(startup.prompt_command, PromptCommand::Array);
        assert_eq!(startup.readonly, ["PROMPT_COMMAND"]);
        assert!(!startup.errexit && !startup.nounset && !startup.debug_trap);
    }

    #[test]
    fn tools_are_told_by_their_functions() {
        let startup = after("starship_precmd() { :; }; __bp_precmd_invoke_cmd() { :; }");
        let tools = [PromptTool::BashPreexec, PromptTool::Starship];
        assert_eq!(startup.tools, tools);
        assert_eq!(startup.integration, None);
        let startup = after("__amux_loads=('. \"/a b/amux.bash\"' x); _direnv_hook() { :; }");
        assert_eq!(startup.tools, [PromptTool::Direnv]);
        assert_eq!(startup.integration, Some("/a b/amux.bash".into()));
    }

    #[test]
    fn files_that_are_there_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        let [profile, bashrc] = [".profile", ".bashrc"].map(|name| home.join(name));
        std::fs::write(&profile, "").unwrap();
        std::fs::write(&bashrc, "").unwrap();
        let opened = [profile.clone()];
        let startup = Startup::read("", &files(home), Some(&opened));
        let found: Vec<_> = startup
            .files
            .iter()
            .map(|file| (&file.path, file.read))
            .collect();
        assert_eq!(found, [(&profile, Some(true)), (&bashrc, Some(false))]);
        let startup = Startup::read("", &files(home), None);
        assert!(startup.files.iter().all(|file| file.read.is_none()));
    }
}
