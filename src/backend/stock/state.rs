//! What a pane is doing, as others see it.

use crate::command::CommandId;
use crate::error::Result;
use crate::state::{Activity, InputMode, State};
use crate::stream::Pool;
use crate::wire::pane::{Hooked, Pane};

use super::follow::{self, Earlier, Follow};
use super::{no_memory, open};

/// Returns the state of a pane that is followed.
pub(super) fn state_of(follow: &mut Follow, pane: &Pane) -> State {
    follow.note_sent(pane.last_id);
    follow.update();
    let stream = &follow.stream;
    let last = stream.last().map(|found| follow.told(found));
    let ended = stream.last_ended();
    let earlier = follow.earlier.as_ref();
    let prompt = earlier.and_then(Earlier::prompt);
    State {
        activity: match pane.dead {
            true => Activity::Dead,
            false => follow.glance().activity(),
        },
        input: match follow.glance().input() {
            follow::Input::Known(input) => input,
            // As read-pane's formats name it: none of the modes.
            follow::Input::Continuation => InputMode::Unknown,
        },
        foreground: follow.glance().foreground(),
        prompt_empty: follow.glance().at_empty_prompt(),
        integrated: stream.integrated(),
        nested: stream.foreign(),
        last_status: match ended {
            Some(record) => record.status,
            None => prompt.and_then(|prompt| prompt.status),
        },
        command: last
            .as_ref()
            .map(|record| record.id)
            .or_else(|| earlier.map(|earlier| CommandId::new(earlier.id))),
        duration: last.and_then(|record| record.duration),
        unread: stream.unread(),
        total: stream.total(),
        dropped: stream.dropped(),
        pid: Some(pane.key.1),
    }
}

/// Returns what can be told of a pane that is not followed: no pipe is opened
/// for a look.
pub(super) fn state_from_outside(pane: &Pane) -> Result<State> {
    // Its own marks are made from its options; nothing of it is kept.
    let mut follow = open::follow(&Pool::default(), pane, open::reads_keys(pane))
        .map_err(|error| no_memory("ask state of", error))?;
    follow.trust_terminal();
    follow.note_typists(pane.into());
    let mut state = state_of(&mut follow, pane);
    (state.unread, state.total) = (0, 0);
    state.integrated = pane.hooked != Hooked::No && !open::replaced(pane);
    Ok(state)
}
