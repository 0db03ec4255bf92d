//! What makes a window that of a task: user options of the window, set and read
//! by the same tmux commands whatever the backend is.

use std::time::Duration;

use crate::backend::Windows;
use crate::capability::BackendKind;
use crate::command::CommandId;
use crate::error::{Error, ErrorKind, Result};
use crate::exec::clock;
use crate::exec::tmux::{Sequence, Tmux};
use crate::names::WindowName;
use crate::wire::record::Fields;

/// What became of the closing of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Closing {
    Closed,
    /// It is no task's.
    NoTask,
    /// It is used for something else: another pane, another command.
    InUse,
}

/// The facts on the windows of a server.
#[derive(Debug)]
pub(crate) struct Tasks<'a> {
    tmux: &'a Tmux,
    windows: &'a Windows,
    limit: Duration,
    kind: BackendKind,
}

impl<'a> Tasks<'a> {
    pub(crate) fn new(
        tmux: &'a Tmux,
        windows: &'a Windows,
        limit: Duration,
        kind: BackendKind,
    ) -> Self {
        Self {
            tmux,
            windows,
            limit,
            kind,
        }
    }

    /// Makes a window that of a task, unless it is one's already.
    pub(crate) async fn claim(&self, name: &WindowName) -> Result<()> {
        let (target, task) = (name.target(), name.window());
        // -o leaves what is set; -q says nothing of that, nor of a window that is
        // missing.
        let set = ["-w", "-o", "-q", "-t", &target, "@amux_task", task];
        let sequence = present(&target).command("set-option", set);
        self.output("claim window", name, sequence).await.map(drop)
    }

    /// Returns whether a window is a task's.
    pub(crate) async fn is_claimed(&self, name: &WindowName) -> Result<bool> {
        // Not by display-message, which describes another window where the one
        // meant is missing.
        let (target, yes) = (name.target(), "#{?@amux_task,task,none}");
        let list = ["-t", &target, "-f", "#{pane_active}", "-F", yes];
        let sequence = Sequence::new().command("list-panes", list);
        let answer = self.answer("look at window", name, sequence).await?;
        Ok(answer == "task")
    }

    /// Notes that a command has ended, and when: now.
    pub(crate) async fn note_end(&self, name: &WindowName, id: CommandId) -> Result<()> {
        let target = name.target();
        let ended = format!("{id} {}", clock::unix());
        let set = ["-w", "-t", &target, "@amux_task_ended", &ended];
        let sequence = Sequence::new().command("set-option", set);
        self.output("note end in", name, sequence).await.map(drop)
    }

    /// Makes what runs in a window a watch, and renames the window. False, and
    /// nothing is changed, where there is a window of that name already: the
    /// server looks and renames in one go.
    pub(crate) async fn watch(
        &self,
        name: &WindowName,
        newest: Option<CommandId>,
        new_name: &str,
    ) -> Result<bool> {
        let target = name.target();
        let newest = newest.map_or(u64::MAX, CommandId::get);
        let mut change = format!("set-option -w -t {target} @amux_task_watch {newest}");
        let mut taken = String::from("0");
        if name.window() != new_name {
            change += &format!(" ; rename-window -t {target} {new_name}");
            // Both sides padded with blanks: whole names are compared.
            taken = format!("#{{m:* {new_name} *, #{{W:#{{window_name}} }}}}");
        }
        change += " ; display-message -p renamed";
        let sequence = present(&target).command(
            "if-shell",
            [
                "-F",
                "-t",
                &target,
                &taken,
                "display-message -p taken",
                &change,
            ],
        );
        let answer = self.answer("watch", name, sequence).await?;
        match answer.as_str() {
            "renamed" => Ok(true),
            "taken" => Ok(false),
            other => Err(unexpected(other, name)),
        }
    }

    /// Closes the window of a task, unless something else than a command that
    /// has ended is in it: another pane, or a command behind that one. The
    /// server looks and closes in one go.
    pub(crate) async fn close(&self, name: &WindowName, last: CommandId) -> Result<Closing> {
        let target = name.target();
        let newest = match self.kind {
            BackendKind::Patched => "pane_command_id",
            BackendKind::Stock => "@amux_id",
        };
        let unused = format!("#{{&&:#{{==:#{{window_panes}},1}},#{{==:#{{{newest}}},{last}}}}}");
        let close = format!("display-message -p closed ; kill-window -t {target}");
        let in_task =
            format!("if-shell -F -t {target} '{unused}' '{close}' 'display-message -p used'");
        let sequence = present(&target).command(
            "if-shell",
            [
                "-F",
                "-t",
                &target,
                "#{?@amux_task,1,0}",
                &in_task,
                "display-message -p none",
            ],
        );
        let answer = self.answer("close", name, sequence).await?;
        match answer.as_str() {
            "closed" => Ok(Closing::Closed),
            "none" => Ok(Closing::NoTask),
            "used" => Ok(Closing::InUse),
            other => Err(unexpected(other, name)),
        }
    }

    /// Runs a sequence that prints one word. A server that shuts down lets its
    /// clients end in silence.
    async fn answer(
        &self,
        op: &'static str,
        name: &WindowName,
        sequence: Sequence,
    ) -> Result<String> {
        let output = self.output(op, name, sequence).await?;
        let text = String::from_utf8_lossy(&output);
        match text.trim_end() {
            "" => Err(Error::new(ErrorKind::NoServer, op).on(name)),
            word => Ok(word.to_owned()),
        }
    }

    async fn output(
        &self,
        op: &'static str,
        name: &WindowName,
        sequence: Sequence,
    ) -> Result<Vec<u8>> {
        match self.tmux.output(op, sequence, self.limit).await {
            Ok(output) => Ok(output),
            Err(error) => Err(self.windows.explain(name, error).await),
        }
    }
}

/// Fails where the window is missing, and prints nothing: `if-shell` then goes on
/// without a target (cmd-if-shell.c).
fn present(target: &str) -> Sequence {
    Sequence::new().command("list-panes", ["-t", target, "-f", "0"])
}

fn unexpected(answer: &str, name: &WindowName) -> Error {
    Fields::new(answer.as_bytes())
        .error("an answer that is not known")
        .on(name)
}
