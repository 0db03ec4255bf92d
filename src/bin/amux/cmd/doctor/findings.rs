//! What startup files do, what works with it, and what to do.

use std::time::Duration;

use amux::{Programs, PromptCommand, PromptTool, ShellKind, TerminalCheck, Version};
use serde_json::{Value, json};

/// A shell that takes longer to its prompt is worth a line.
const SLOW: Duration = Duration::from_secs(2);

/// Longest value that is shown within a line.
const SHORT: usize = 60;

/// Something that startup files do.
#[derive(Debug, PartialEq, Eq)]
pub struct Finding {
    /// What was found.
    what: String,
    /// What works with it, and what does not.
    works: String,
    /// What to do about it; `None` where all is well.
    advice: Option<String>,
}

impl Finding {
    fn new(what: impl Into<String>, works: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            works: works.into(),
            advice: None,
        }
    }

    fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    /// As a person reads it.
    pub fn lines(&self) -> Vec<String> {
        let advice = self.advice.as_ref();
        std::iter::once(format!("{}: {}", self.what, self.works))
            .chain(advice.map(|advice| format!("  {advice}")))
            .collect()
    }

    /// As one of a list.
    pub fn json(&self) -> Value {
        json!({"what": self.what, "works": self.works, "do": self.advice})
    }
}

/// Returns what was found, that which hinders most at the end: it is read first.
pub fn of(check: &TerminalCheck, programs: &Programs) -> Vec<Finding> {
    let mut findings = vec![files(check)];
    findings.extend(unread(check));
    if !check.answered {
        findings.push(silent());
        return findings;
    }
    let startup = &check.startup;
    let fine = fine(check);
    let tools = startup.tools.iter();
    findings.extend(tools.map(|tool| self::tool(*tool, programs, fine)));
    if startup.debug_trap && !startup.tools.contains(&PromptTool::BashPreexec) {
        findings.push(Finding::new(
            "a trap on DEBUG",
            format!("{fine}; what it prints is the output of the command"),
        ));
    }
    if startup.nounset {
        findings.push(Finding::new("set -u", fine));
    }
    if startup.errexit {
        findings.push(
            Finding::new(
                "set -e",
                "the first command that fails ends the shell, and its window",
            )
            .advise("leave it out of startup files: (set -e; COMMANDS) has it for those alone"),
        );
    }
    findings.extend(slow(check));
    findings.extend(pastes(check, programs));
    findings.extend(prompt_command(check));
    findings
}

/// The startup files that are read.
fn files(check: &TerminalCheck) -> Finding {
    let files = &check.startup.files;
    let read: Vec<_> = files
        .iter()
        .filter(|file| file.read != Some(false))
        .map(|file| shown(&file.path))
        .collect();
    match read.is_empty() {
        true => Finding::new("no startup file of yours", "all is exact without one"),
        false if files.iter().any(|file| file.read.is_none()) => Finding::new(
            read.join(", "),
            "there; bash reads the first, and ~/.bashrc if told to",
        ),
        false => Finding::new(read.join(", "), "read"),
    }
}

/// A `.bashrc` that is there and is not read, as windows have login shells.
fn unread(check: &TerminalCheck) -> Option<Finding> {
    let mut files = check.startup.files.iter();
    let bashrc = files.find(|file| file.path.ends_with(".bashrc"))?;
    if bashrc.read != Some(false) {
        return None;
    }
    let mut profiles = check.startup.files.iter();
    let profile = profiles.find(|file| file.read == Some(true));
    let profile = profile.map_or_else(|| "~/.bash_profile".to_owned(), |file| shown(&file.path));
    Some(
        Finding::new("~/.bashrc", "not read, as windows have login shells")
            .advise(format!("to have it read: echo '. ~/.bashrc' >>{profile}")),
    )
}

/// A path as a person writes it.
fn shown(path: &std::path::Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    format!("~/{name}")
}

/// Before 5.1 bash does some things otherwise.
fn is_old_bash(programs: &Programs) -> bool {
    programs.shell == ShellKind::Bash && programs.shell_version < Version::new(5, 1)
}

/// A shell that did not come to its prompt.
fn silent() -> Finding {
    Finding::new(
        "no answer",
        "a startup file waits, ends the shell or runs something in its place",
    )
    .advise("let it do that where there is no tmux alone: [ -n \"$TMUX\" ] || …")
}

/// What is said of things that hinder nothing.
fn fine(check: &TerminalCheck) -> &'static str {
    match check.is_good() {
        true => "all is exact",
        false => "no hindrance",
    }
}

fn tool(tool: PromptTool, programs: &Programs, fine: &str) -> Finding {
    let more = match tool {
        PromptTool::BashPreexec if is_old_bash(programs) => {
            ", but for the statuses of pipelines, which bash has wrong before 5.1"
        }
        PromptTool::Direnv => "; what it says is no command's output",
        _ => "",
    };
    Finding::new(tool.as_str(), format!("{fine}{more}"))
}

fn slow(check: &TerminalCheck) -> Option<Finding> {
    let seconds = check.took.as_secs_f64();
    (check.took > SLOW).then(|| {
        Finding::new(
            format!("{seconds:.1} s to start and show three prompts"),
            "the first command of each window waits for it",
        )
        .advise("see what takes the time: PS4='+ $EPOCHREALTIME ' bash -lixc exit")
    })
}

fn pastes(check: &TerminalCheck, programs: &Programs) -> Option<Finding> {
    if check.bracketed_paste {
        return None;
    }
    let works = "a text of several lines is refused, or goes by a file";
    Some(match is_old_bash(programs) {
        true => Finding::new("an old bash without bracketed paste", works)
            .advise("use bash 5.1 or later"),
        false => Finding::new("bracketed paste is turned off at each prompt", works)
            .advise("take out what does it: bind 'set enable-bracketed-paste off'"),
    })
}

/// What became of the hooks in `PROMPT_COMMAND`, ours among them.
fn prompt_command(check: &TerminalCheck) -> Option<Finding> {
    let startup = &check.startup;
    let value = check.prompt_command.trim();
    if let Some(variable) = startup.readonly.first()
        && !(check.integrated && check.status)
    {
        return Some(
            Finding::new(
                format!("{variable} is readonly"),
                "output comes; the exit status does not",
            )
            .advise(format!("take out: readonly {variable}")),
        );
    }
    if check.integrated {
        let what = match startup.prompt_command {
            PromptCommand::Array => "PROMPT_COMMAND, an array",
            _ if value.lines().count() > LINES_OF_OURS => "PROMPT_COMMAND with hooks of yours",
            _ => return None,
        };
        return Some(Finding::new(what, fine(check)));
    }
    let (what, advice) = match startup.prompt_command {
        PromptCommand::Unset => (
            "PROMPT_COMMAND is unset by a startup file".to_owned(),
            "leave it".to_owned(),
        ),
        PromptCommand::Array => (
            "PROMPT_COMMAND is assigned by a startup file".to_owned(),
            "keep what it holds: PROMPT_COMMAND+=(YOURS)".to_owned(),
        ),
        _ => {
            let yours = match value.len() <= SHORT && !value.contains(['\n', '"', '`', '$', '\\']) {
                true => value,
                false => "YOURS",
            };
            (
                "PROMPT_COMMAND is assigned by a startup file".to_owned(),
                format!(
                    "keep what it holds: PROMPT_COMMAND=\"{yours}${{PROMPT_COMMAND:+;$PROMPT_COMMAND}}\""
                ),
            )
        }
    };
    Some(
        Finding::new(
            what,
            "output comes, its end is told by quiet; the exit status does not come",
        )
        .advise(format!(
            "{advice}; or load PREFIX/share/amux/shell/amux.bash behind it"
        )),
    )
}

/// How many lines `PROMPT_COMMAND` has where there are no other hooks.
const LINES_OF_OURS: usize = 3;
