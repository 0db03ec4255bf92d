//! Opening a pane's pipe, and what a controller that comes late can know.

use std::io;
use std::path::Path;

use crate::exec::pipe::Pipe;
use crate::exec::terminal::{self, Terminal};
use crate::exec::{pipe, signal};
use crate::stream::{OutOfMemory, PaneStream, Pool};
use crate::wire::pane::{Hooked, Pane};

use super::follow::{Earlier, Follow, Left};

/// A pipe that nobody writes to yet, and how its owner is called.
pub(super) struct Unopened {
    pub(super) pipe: Pipe,
    pub(super) owner: String,
}

/// Makes a pipe in the private folder.
pub(super) fn unopened(folder: &Path) -> io::Result<Unopened> {
    let owner = format!("{}.{}", std::process::id(), random()?);
    let pipe = Pipe::new(folder, &owner)?;
    Ok(Unopened { pipe, owner })
}

/// Returns 128 random bits, in hexadecimal.
pub(super) fn random() -> io::Result<String> {
    let mut bytes = [0u8; 16];
    rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns whether the pane's pipe is one that a controller left that has ended.
/// The process that copies outlives it until the pane prints.
pub(super) fn left_behind(pane: &Pane) -> bool {
    let Some((pid, _)) = pane.owner.split_once('.') else {
        return false;
    };
    let ended = pid.parse().is_ok_and(|pid| !signal::exists(pid));
    ended && terminal::anyone_has(pipe::OWNER, &pane.owner)
}

/// Returns whether the pane's process has the terminal and reads each key: a
/// shell at a prompt.
pub(super) fn reads_keys(pane: &Pane) -> bool {
    let terminal = Terminal::new(&pane.tty, pane.key.1);
    let canonical = terminal.modes().is_none_or(|modes| modes.canonical);
    terminal.foreground() == Some(pane.key.1) && !canonical
}

/// Returns whether what was sent last may run, by what the shell's hook has told.
pub(super) fn may_run_on(pane: &Pane) -> bool {
    let told = pane.prompt.is_some() || pane.recording;
    !told && pane.last_id != 0 && pane.hooked != Hooked::No && !replaced(pane)
}

/// Returns whether the end of the next command comes through the pipe before the
/// shell looks for who records its prompt: it is at one, or starts. Else it may be
/// between the two, in a hook of its own or the user's.
pub(super) fn will_tell(pane: &Pane) -> bool {
    pane.prompt.is_some() || pane.hooked == Hooked::No
}

/// Returns whether the options of a pane tell of a shell that another one has
/// taken the place of since: `respawn-pane` keeps them. The one that was there may
/// take a moment to end, without its terminal.
pub(super) fn replaced(pane: &Pane) -> bool {
    let shell = |pid| terminal::share(pid, pane.key.1);
    !pane.dead && pane.hooked_by.is_some_and(|pid| !shell(pid))
}

/// Starts to follow a pane whose pipe has just been opened. Marks tell what has
/// happened before, by what its options said at that moment.
pub(super) fn follow(pool: &Pool, pane: &Pane, reads_keys: bool) -> Result<Follow, OutOfMemory> {
    pool.skip_to(pane.last_id);
    let mut stream = PaneStream::new(pool)?;
    let terminal = Terminal::new(&pane.tty, pane.key.1);
    let mut aid = String::new();
    if !pane.nonce.is_empty() {
        stream.set_nonce(Some(pane.nonce.as_bytes()))?;
        aid = format!(";aid={}", pane.nonce);
    }
    let replaced = replaced(pane);
    let prompt = pane.prompt.as_ref().filter(|_| !replaced);
    let hooked = if replaced { Hooked::No } else { pane.hooked };
    let paste = hooked == Hooked::Paste && prompt.is_some();
    let mut follow = Follow::new(stream, terminal, pane.key.1, paste);
    // A shell sends a C before its first prompt, of which nothing comes: so none
    // without a prompt before.
    let shown = format!("\x1b]133;A{aid}\x07\x1b]133;B{aid}\x07");
    let runs = format!("{shown}\x1b]133;C{aid}\x07");
    let front = Terminal::new(&pane.tty, pane.key.1).foreground();
    let typed_away = front.is_some() && pane.hooked_by.is_some() && front != pane.hooked_by;
    match (prompt, hooked) {
        // A person has sent what was typed at its prompt.
        (Some(_), _) if typed_away => follow.append(runs.as_bytes()),
        // It shows its prompt; what is typed there shows when it is sent.
        (Some(_), _) => follow.append(shown.as_bytes()),
        // Something was sent since its last prompt, and runs. Where the shell reads
        // keys, its quiet will tell. What keys began has no id; a later look could
        // give another command the one of before.
        (None, Hooked::Paste | Hooked::Plain)
            if match pane.last_id {
                0 => typed_away,
                _ => !reads_keys,
            } =>
        {
            follow.append(runs.as_bytes());
        }
        // It starts, or has no hook.
        (None, _) => {}
    }
    follow.shown = shown;
    follow.skip();
    follow.earlier = (pane.last_id != 0).then(|| Earlier {
        id: pane.last_id,
        left: match prompt {
            Some(prompt) => Left::Prompt(prompt.clone()),
            None if replaced => Left::Nothing,
            None => follow
                .stream
                .last()
                .map_or(Left::Unknown, |first| Left::Runs(first.id)),
        },
    });
    Ok(follow)
}
