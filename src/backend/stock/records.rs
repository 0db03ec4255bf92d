//! Records of the stream engine as records of commands.

use std::time::Duration;

use crate::command::{CommandFlags, CommandId, Ended, Record};
use crate::exec::clock;
use crate::stream;
use crate::wire::pane::Prompt;

/// Turns a record of the engine into one of a command.
pub(super) fn record(found: stream::Record) -> Record {
    let flags = found.flags;
    let duration = found.started.map(|started| {
        let end = found.finished.unwrap_or_else(clock::monotonic);
        Duration::from_nanos(end.saturating_sub(started))
    });
    Record {
        id: CommandId::new(found.id),
        ended: match found.ended {
            stream::Ended::Submitted => Ended::Submitted,
            stream::Ended::Running => Ended::Running,
            stream::Ended::Exited => Ended::Exited,
            stream::Ended::Cancelled => Ended::Cancelled,
            stream::Ended::Lost if flags.pane_ended => Ended::PaneEnded,
            stream::Ended::Lost => Ended::Lost,
            stream::Ended::Nothing => Ended::Nothing,
        },
        status: found.status,
        pipe_statuses: found.pipe,
        duration,
        flags: CommandFlags {
            c_missing: flags.c_missing,
            alternate: flags.alternate,
            foreign: flags.foreign,
            overwritten: flags.overwritten,
            by_program: flags.by_program,
            merged: flags.merged,
            unmarked: flags.unmarked,
        },
        output_start: found.output_start,
        output_end: found.output_end,
    }
}

/// The record of a command that ended before this controller came: nothing but
/// what the prompt behind it tells.
pub(super) fn earlier(id: u64, prompt: &Prompt) -> Record {
    Record {
        id: CommandId::new(id),
        ended: match prompt.status {
            Some(_) => Ended::Exited,
            None => Ended::Nothing,
        },
        status: prompt.status,
        pipe_statuses: prompt.pipe_statuses.clone(),
        duration: None,
        flags: CommandFlags {
            by_program: true,
            overwritten: true,
            ..CommandFlags::default()
        },
        output_start: None,
        output_end: None,
    }
}
