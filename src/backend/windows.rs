//! Sessions and windows: made, found and killed by the same tmux commands
//! whatever the backend is.

use std::time::Duration;

use crate::capability::Capabilities;
use crate::error::{Error, ErrorKind, Result};
use crate::exec::tmux::{Sequence, Tmux};
use crate::names::WindowName;
use crate::wire::record::Fields;

/// Size of a window. Wide, as programs cut their lines to the terminal; and not
/// lower than 24, for which full-screen programs are made.
const WIDTH: u32 = 200;
const HEIGHT: u32 = 24;

/// How often what was cut is asked for again: from 3.7 on tmux gives up a format that
/// takes longer than 100 ms (FORMAT_TIME_LIMIT in format.c), which a busy machine
/// makes of any.
pub(crate) const CUT_TRIES: u32 = 5;

/// What is particular about a window that is created.
#[derive(Debug, Default)]
pub(crate) struct NewWindow {
    /// Commands before.
    pub(crate) before: Sequence,
    /// Variables for its shell; values of letters and digits.
    pub(crate) environment: Vec<(&'static str, String)>,
    /// Commands behind its creation, without single quotes; none where empty.
    pub(crate) then: String,
}

/// The windows of a server.
#[derive(Debug, Clone)]
pub(crate) struct Windows {
    tmux: Tmux,
    limit: Duration,
    watchers_refuse_keys: bool,
}

impl Windows {
    pub(crate) fn new(tmux: Tmux, capabilities: &Capabilities, limit: Duration) -> Self {
        Self {
            tmux,
            limit,
            watchers_refuse_keys: capabilities.watchers_refuse_keys,
        }
    }

    /// The arguments of `send-keys` that say whose keys they are: those of a
    /// client that is not there. Where none is named, tmux takes one that is
    /// attached, which may be read-only.
    pub(crate) fn keys_client(&self) -> &'static [&'static str] {
        match self.watchers_refuse_keys {
            true => &["-c", "none"],
            false => &[],
        }
    }

    /// Presses keys in a window. They would go to a mode that a person left it
    /// in: `-q` leaves every mode, and does nothing where there is none.
    pub(crate) fn keys(&self, name: &WindowName, keys: &[&str]) -> Sequence {
        let target = name.target();
        let mut arguments = self.keys_client().to_vec();
        arguments.extend(["-t", &target, "--"]);
        arguments.extend(keys);
        Sequence::new()
            .command("copy-mode", ["-q", "-t", &target])
            .command("send-keys", arguments)
    }

    /// Creates a window, and its session, unless it is there. Others may do the
    /// same at the same time: the server looks and creates in one go, so there
    /// is never a second window of the name. Returns what the commands behind
    /// its creation printed, or `None` when it was there.
    pub(crate) async fn ensure(
        &self,
        name: &WindowName,
        new: NewWindow,
    ) -> Result<Option<Vec<u8>>> {
        let op = "create window";
        let sequence = ensure_sequence(name, new);
        let mut tries = 0;
        loop {
            let output = self
                .tmux
                .output(op, sequence.clone(), self.limit)
                .await
                .map_err(|error| error.on(name))?;
            let mut lines = output.splitn(2, |&b| b == b'\n');
            match lines.next().unwrap_or_default() {
                b"new" => return Ok(Some(lines.next().unwrap_or_default().to_vec())),
                b"existed" => return Ok(None),
                // A server that shuts down lets its clients end in silence.
                _ if output.is_empty() => return Err(Error::new(ErrorKind::NoServer, op).on(name)),
                b"done" if tries < CUT_TRIES => tries += 1,
                other => return Err(Fields::new(other).error("neither new nor existed").on(name)),
            }
        }
    }

    /// Kills a window and what runs in it.
    pub(crate) async fn kill(&self, name: &WindowName) -> Result<()> {
        let op = "kill window";
        let sequence = Sequence::new().command("kill-window", ["-t", &name.target()]);
        match self.tmux.output(op, sequence, self.limit).await {
            Ok(_) => Ok(()),
            Err(error) => Err(self.explain(name, error).await),
        }
    }

    /// Says what a call on a window failed for. tmux's message on a missing
    /// target depends on what else there is, and a window whose name is there
    /// twice is reported as missing: so the server is asked what exists.
    pub(crate) async fn explain(&self, name: &WindowName, error: Error) -> Error {
        if *error.kind() != ErrorKind::WindowNotFound {
            return error.on(name);
        }
        let sequence = Sequence::new()
            .command("display-message", ["-p", "#{pid}"])
            .command(
                "list-windows",
                ["-a", "-F", "#{q:session_name} #{q:window_name}"],
            );
        let op = "find window";
        let answer = self.tmux.output(op, sequence, self.limit).await;
        let found = match answer {
            Ok(output) => count(&output, name),
            // list-windows fails where there is no session at all.
            Err(error) if *error.kind() == ErrorKind::WindowNotFound => Ok((0, 0)),
            Err(error) => Err(error),
        };
        match found {
            Ok((_, 2..)) => {
                let message = "more than one window has the name".to_owned();
                Error::new(ErrorKind::Rejected { message }, "find window").on(name)
            }
            Ok((0, _)) => Error::new(ErrorKind::SessionNotFound, "find window").on(name),
            Ok(_) => error.on(name),
            Err(error) => error.on(name),
        }
    }
}

/// Counts the windows of the name's session, and those that have the name.
fn count(output: &[u8], name: &WindowName) -> Result<(usize, usize)> {
    let mut lines = output.split(|&b| b == b'\n');
    if lines.next().is_none_or(<[u8]>::is_empty) {
        return Err(Error::new(ErrorKind::NoServer, "find window"));
    }
    let mut counts = (0, 0);
    for line in lines.filter(|line| !line.is_empty()) {
        let mut fields = Fields::new(line);
        if fields.text("session_name")? == name.session() {
            counts.0 += 1;
            counts.1 += usize::from(fields.text("window_name")? == name.window());
        }
    }
    Ok(counts)
}

/// One invocation that looks for the window and creates what is missing. The first
/// line that it prints is `new`, `existed` or, where a question was cut and nothing
/// was done, `done`. The conditions are formats: no shell runs, nothing waits, and what `if-shell`
/// chooses follows it at once (cmd-if-shell.c). Names are letters, digits, `_`
/// and `-`, so they are no patterns and need no quotes.
fn ensure_sequence(name: &WindowName, new: NewWindow) -> Sequence {
    let (session, window) = (name.session(), name.window());
    // Both sides padded with blanks: whole names are compared.
    let session_found = format!("#{{m:* {session} *, #{{S:#{{session_name}} }}}}");
    let window_found = format!("#{{m:* {window} *, #{{W:#{{window_name}} }}}}");
    // What is cut is neither there nor missing: what a condition comes to is
    // expanded last.
    let there = |found: &str| format!("#{{?{found},1,}}");
    let missing = |found: &str| format!("#{{?{found},,1}}");
    let mut settings = String::from("-c ~");
    for (variable, value) in &new.environment {
        settings += &format!(" -e {variable}={value}");
    }
    // The size of each window is set by itself, which also makes it manual: a
    // person's terminal must not resize it. Setting window-size to manual for
    // all makes tmux 3.3 to 3.6 crash at the next new-session.
    let mut finish = format!(
        "resize-window -t ={session}:={window} -x {WIDTH} -y {HEIGHT} ; display-message -p new"
    );
    if !new.then.is_empty() {
        finish += &format!(" ; {}", new.then);
    }
    // The home folder: the client's own would be inherited otherwise.
    let new_window = format!("new-window -d -t ={session}: -n {window} {settings} ; {finish}");
    let new_session = format!("new-session -d -s {session} -n {window} {settings} ; {finish}");
    let in_session = format!(
        "if-shell -F -t ={session}: '{}' '{new_window}' ; \
         if-shell -F -t ={session}: '{}' 'display-message -p existed'",
        missing(&window_found),
        there(&window_found),
    );
    new.before
        .command("if-shell", ["-F", &missing(&session_found), &new_session])
        .command("if-shell", ["-F", &there(&session_found), &in_session])
        .command("display-message", ["-p", "done"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::Stage;
    use crate::exec::tmux::Socket;
    use crate::transport::Transport;

    /// What a server says, from call to call, and what comes of it.
    async fn ensured(answers: &[&str]) -> Result<Option<Vec<u8>>> {
        let stage = Stage::new();
        let socket = Socket::Path(stage.path());
        let windows = Windows {
            tmux: Tmux::new("/nonexistent".into(), socket, Some(Transport::Socket)),
            limit: Duration::from_secs(20),
            watchers_refuse_keys: false,
        };
        let play = async {
            for answer in answers {
                let mut player = stage.accept().await;
                player.hear_hello().await;
                player.print(answer).await;
            }
        };
        let name = WindowName::new("s", "w").unwrap();
        let (ensured, ()) = tokio::join!(windows.ensure(&name, NewWindow::default()), play);
        ensured
    }

    #[tokio::test]
    async fn question_that_was_cut_is_asked_again() {
        let made = ensured(&["done\n", "done\n", "new\npane\ndone\n"]).await;
        assert_eq!(made.unwrap().unwrap(), b"pane\ndone\n");
        let there = ensured(&["done\n", "existed\ndone\n"]).await;
        assert_eq!(there.unwrap(), None);
        let always = ensured(&["done\n"; 6]).await.unwrap_err();
        assert_eq!(*always.kind(), ErrorKind::Protocol);
        let silent = ensured(&[""]).await.unwrap_err();
        assert_eq!(*silent.kind(), ErrorKind::NoServer);
    }

    #[test]
    fn windows_are_counted_by_whole_names() {
        let name = WindowName::new("s", "w").unwrap();
        let output = b"12\ns w\ns ww\nss w\ns my\\ w\n";
        assert_eq!(count(output, &name).unwrap(), (3, 1));
        assert_eq!(count(b"12\n", &name).unwrap(), (0, 0));
        let silent = count(b"", &name).unwrap_err();
        assert_eq!(*silent.kind(), ErrorKind::NoServer);
    }
}
