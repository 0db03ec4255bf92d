//! Whether the shells of a server's windows are as they must be.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::exec::check::{self, Answered, Shell};
use crate::exec::process::FOREIGN_ENVIRONMENT;
use crate::exec::runtime_dir::RuntimeDir;
use crate::exec::tmux::Sequence;
use crate::quote;
use crate::server::startup::{self, Startup};
use crate::server::{Builder, Server, setup};
use crate::shell::ShellKind;
use crate::wire::record::Fields;

/// How long the shell may take. Startup files that load much take seconds.
const CHECK_LIMIT: Duration = Duration::from_secs(20);

/// What the answer ends with, and what stands before each element of
/// `PROMPT_COMMAND` in it.
const END: &[u8] = b"amux:end\n";
const ELEMENT: &str = "amux:element ";

/// A line of the answer: what readline says where it takes pastes.
const PASTES: &str = "set enable-bracketed-paste on";

/// `TERM` of windows where no server says it: tmux's own default (options-table.c),
/// which every system with tmux knows.
const TERM: &str = "screen";

/// What a shell showed that was started as windows start theirs.
///
/// Startup files can undo what windows rely on; see
/// [`Server::check_terminals`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TerminalCheck {
    /// The shell came to its prompt and ran what was typed, in 20 s.
    pub answered: bool,
    /// It takes pastes: what is pasted runs with Enter and not before.
    pub bracketed_paste: bool,
    /// The shell integration shows where prompts are. Where it does not, a
    /// startup file replaced `PROMPT_COMMAND`.
    pub integrated: bool,
    /// The exit status of a command is told. Where it is not although the
    /// integration runs, something runs before it in a `PROMPT_COMMAND` that
    /// cannot be changed.
    pub status: bool,
    /// The statuses of a pipeline are told.
    pub pipe_statuses: bool,
    /// What `PROMPT_COMMAND` became, one element a line; for logs. With zsh
    /// `precmd_functions`; with fish it is empty.
    pub prompt_command: String,
    /// What it took the shell to start, show a prompt, run a pipeline and answer.
    /// Much of it are the startup files and the hooks.
    pub took: Duration,
    /// What the user's startup files made of it; with zsh and fish it says
    /// nothing.
    pub startup: Startup,
}

impl TerminalCheck {
    /// Returns true when all is as it must be.
    pub fn is_good(&self) -> bool {
        self.answered
            && self.bracketed_paste
            && self.integrated
            && self.status
            && self.pipe_statuses
    }

    fn read(answered: &Answered, files: &[PathBuf]) -> Self {
        let answer = answered.answer.as_deref().unwrap_or_default();
        let answer = String::from_utf8_lossy(answer.strip_suffix(END).unwrap_or(answer));
        let mut elements = answer.split(ELEMENT);
        let settings = elements.next().unwrap_or_default();
        let shows = |mark: &str| {
            let mark = format!("\x1b]133;{mark}");
            find(&answered.shown, mark.as_bytes())
        };
        Self {
            answered: answered.answer.is_some(),
            bracketed_paste: settings.lines().any(|line| line == PASTES),
            integrated: shows("A"),
            // The pipeline's: what was typed before it has another one.
            status: shows("D;7\x07") || shows("D;7;"),
            pipe_statuses: shows("D;7;pipe=6,7"),
            prompt_command: elements.collect::<String>().trim_end().to_owned(),
            took: answered.took,
            startup: Startup::read(settings, files, answered.opened.as_deref()),
        }
    }
}

impl Server {
    /// Runs a shell once as windows start theirs, types into it, and tells
    /// whether it is as it must be. No window is made.
    ///
    /// It is the server's shell, as a login shell at home in a terminal of its
    /// own, with the environment that the server started with and sets. What is
    /// typed: `unset HISTFILE; set +e`, a pipeline, and a line that answers.
    /// Nothing is written into the home folder by that. Startup files that change
    /// afterwards go unnoticed until the next check.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoServer`](crate::ErrorKind::NoServer),
    /// [`ErrorKind::Timeout`](crate::ErrorKind::Timeout) when the server does
    /// not answer, [`ErrorKind::Io`](crate::ErrorKind::Io) when the shell cannot
    /// be started. That it does not answer is no error: see
    /// [`TerminalCheck::answered`].
    ///
    /// # Cancel safety
    ///
    /// The shell is killed.
    pub async fn check_terminals(&self) -> Result<TerminalCheck> {
        let op = "check terminals";
        let (program, term) = self.shell_options(op).await?;
        let given = Given {
            environment: environment_of(self.pid()),
            kind: self.shell_kind(),
            program,
            term,
            tmux: format!("{},{},0", self.socket().display(), self.pid()),
        };
        given
            .check(op, self.binary(), &self.0.runtime)
            .await
            .map_err(|error| error.on(self.0.tmux.socket()))
    }

    /// The shell of the server's windows, and their `TERM`.
    async fn shell_options(&self, op: &'static str) -> Result<(PathBuf, String)> {
        let inner = &self.0;
        let format = "#{q:default-shell} #{q:default-terminal}";
        let sequence = Sequence::new().command("display-message", ["-p", format]);
        let output = inner
            .tmux
            .output(op, sequence, inner.limit)
            .await
            .map_err(|error| error.on(inner.tmux.socket()))?;
        let line = output.strip_suffix(b"\n").unwrap_or(&output);
        if line.is_empty() {
            let kind = crate::error::ErrorKind::NoServer;
            return Err(Error::new(kind, op).on(inner.tmux.socket()));
        }
        let mut fields = Fields::new(line);
        let shell = PathBuf::from(fields.text("default-shell")?);
        let term = fields.text("default-terminal")?;
        fields.end()?;
        Ok((shell, term))
    }
}

impl Builder {
    /// Does as [`Server::check_terminals`] with the shell of a server that is yet
    /// to be started: in this process's environment. No server is started.
    ///
    /// # Errors
    ///
    /// As [`Builder::programs`]; [`ErrorKind::Io`](crate::ErrorKind::Io) when the
    /// shell cannot be started.
    ///
    /// # Cancel safety
    ///
    /// The shell is killed.
    pub async fn check_terminals(&self) -> Result<TerminalCheck> {
        let programs = self.programs().await?;
        let given = Given {
            environment: std::env::vars_os().collect(),
            kind: programs.shell,
            program: programs.shell_path,
            term: TERM.to_owned(),
            // There is none: whoever asks it gets no answer.
            tmux: "/nonexistent,0,0".to_owned(),
        };
        let runtime = RuntimeDir::of_user();
        given
            .check("check terminals", &programs.tmux, &runtime)
            .await
    }
}

/// What the shell of a check is given.
struct Given {
    /// The environment of the server.
    environment: BTreeMap<OsString, OsString>,
    kind: ShellKind,
    program: PathBuf,
    term: String,
    /// `TMUX` is there, as startup files start tmux where it is not; `TMUX_PANE`
    /// is not, as the integration would write on the pane that it names.
    tmux: String,
}

impl Given {
    async fn check(
        self,
        op: &'static str,
        binary: &Path,
        runtime: &RuntimeDir,
    ) -> Result<TerminalCheck> {
        runtime.ensure_integration()?;
        let io = |error| Error::io(op, error);
        let answer = tempfile::Builder::new()
            .prefix("check-")
            .tempfile_in(runtime.path())
            .map_err(io)?;
        let (kind, program) = (self.kind, self.program.clone());
        let environment = self.environment(binary, runtime);
        let home = environment.get(OsStr::new("HOME")).cloned();
        let home_of_bash = home.as_ref().filter(|_| kind == ShellKind::Bash);
        let files = home_of_bash.map_or_else(Vec::new, |home| startup::files(&PathBuf::from(home)));
        let shell = Shell {
            program,
            environment: environment.into_iter().collect(),
            folder: home.map_or_else(|| PathBuf::from("/"), PathBuf::from),
            typed: typed(kind, answer.path()),
            answer: answer.path().to_owned(),
            end: END,
            files: files.clone(),
        };
        let answered = check::ask(shell, CHECK_LIMIT).await.map_err(io)?;
        Ok(TerminalCheck::read(&answered, &files))
    }

    /// The environment of a window's shell. Not asked by show-environment: from
    /// tmux 3.4 on it escapes `$`.
    fn environment(self, binary: &Path, runtime: &RuntimeDir) -> BTreeMap<OsString, OsString> {
        let mut environment = self.environment;
        environment.retain(|name, _| !FOREIGN_ENVIRONMENT.iter().any(|foreign| name == foreign));
        let inherited = environment.clone();
        let ours = setup::environment(binary, self.kind, runtime, |name| {
            inherited.get(OsStr::new(name)).cloned()
        });
        let ours = ours
            .into_iter()
            .map(|(name, value)| (name, OsString::from(value)));
        let panes = [
            ("SHELL", self.program.into_os_string()),
            ("TERM", self.term.into()),
            ("TMUX", self.tmux.into()),
        ];
        environment.extend(
            ours.chain(panes)
                .map(|(name, value)| (OsString::from(name), value)),
        );
        environment
    }
}

/// The environment that a process started with; this one's where that cannot be
/// read.
fn environment_of(pid: u32) -> BTreeMap<OsString, OsString> {
    let Ok(block) = std::fs::read(format!("/proc/{pid}/environ")) else {
        return std::env::vars_os().collect();
    };
    block
        .split(|&byte| byte == 0)
        .filter_map(|variable| {
            let at = variable.iter().position(|&byte| byte == b'=')?;
            let (name, value) = (&variable[..at], &variable[at + 1..]);
            let owned = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
            (!name.is_empty()).then(|| (owned(name), owned(value)))
        })
        .collect()
}

/// The lines to type. bash and zsh save their history in the user's file when
/// they end, so that comes first. The status of the pipeline is one that the hooks of
/// others do not leave, unlike 0 and 1.
fn typed(kind: ShellKind, answer: &Path) -> String {
    let answer = String::from_utf8_lossy(answer.as_os_str().as_bytes()).into_owned();
    let file = quote::shell_word(&answer);
    let end = String::from_utf8_lossy(END);
    let end = end.trim_end();
    match kind {
        ShellKind::Bash => {}
        ShellKind::Zsh => {
            return format!(
                " unset HISTFILE; setopt no_err_exit\n\
                 (exit 6) | (exit 7)\n \
                 {{ [[ -z ${{zle_bracketed_paste-}} ]] || \\builtin print -r -- '{PASTES}'; \
                 \\builtin print -rl -- '{ELEMENT}'$^precmd_functions {end}; \
                 }} >|{file} 2>/dev/null; \\builtin exit\n"
            );
        }
        ShellKind::Fish => {
            return format!(
                " set -g fish_history ''\n\
                 sh -c 'exit 6' | sh -c 'exit 7'\n \
                 begin; echo '{PASTES}'; echo {end}; end >{file} 2>/dev/null; exit\n"
            );
        }
    }
    let facts = startup::commands();
    let prepare = startup::PREPARE;
    format!(
        " unset HISTFILE; {prepare}\n\
         (exit 6) | (exit 7)\n \
         {{ {facts}\\builtin bind -v; \\builtin printf '{ELEMENT}%s\\n' \"${{PROMPT_COMMAND[@]-}}\"; \
         \\builtin printf '%s\\n' {end}; }} >|{file} 2>/dev/null; \\builtin exit\n"
    )
}

fn find(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(shown: &str, answer: Option<&str>) -> TerminalCheck {
        let answered = Answered {
            shown: shown.as_bytes().to_vec(),
            answer: answer.map(|text| text.as_bytes().to_vec()),
            took: Duration::ZERO,
            opened: None,
        };
        TerminalCheck::read(&answered, &[])
    }

    const GOOD: &str =
        "set enable-bracketed-paste on\namux:element a\nb\namux:element c\namux:end\n";

    #[test]
    fn all_is_well() {
        let shown = "\x1b]133;A\x07$ \x1b]133;D;0\x07\x1b]133;A\x07\x1b]133;D;7;pipe=6,7\x07";
        let check = answered(shown, Some(GOOD));
        assert!(check.is_good());
        assert_eq!(check.prompt_command, "a\nb\nc");
    }

    #[test]
    fn what_is_missing_is_told() {
        let check = answered("$ ", None);
        assert!(!check.answered && !check.integrated && !check.is_good());
        let shown = "\x1b]133;A\x07\x1b]133;D;7\x07";
        let check = answered(shown, Some(&GOOD.replace("paste on", "paste off")));
        assert!(check.integrated && check.status);
        assert!(!check.pipe_statuses && !check.bracketed_paste);
        let check = answered("\x1b]133;A\x07\x1b]133;D;70\x07", Some(GOOD));
        assert!(!check.status);
    }

    /// A terminal keeps no more of what nobody reads yet.
    #[test]
    fn typed_lines_fit_into_a_terminal() {
        for kind in [ShellKind::Bash, ShellKind::Zsh, ShellKind::Fish] {
            let typed = typed(kind, Path::new(&"x".repeat(200)));
            assert!(typed.len() < 4095 - 1024, "{kind}: {}", typed.len());
        }
    }

    #[test]
    fn environment_of_a_process_is_read() {
        let environment = environment_of(std::process::id());
        assert_eq!(
            environment.get(OsStr::new("PATH")),
            std::env::var_os("PATH").as_ref()
        );
    }
}
