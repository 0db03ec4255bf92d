//! The state of panes, as the pane formats tell it.

use crate::command::CommandId;
use crate::error::Result;
use crate::state::{Activity, InputMode, State, WindowInfo};
use crate::wire::record::Fields;
use crate::wire::task::take_facts;

/// Format of a pane's state.
pub(crate) const STATE: &str = concat!(
    "#{pane_command_state} #{pane_input_mode} #{q:pane_foreground} ",
    "#{pane_prompt_empty} #{pane_integrated} #{pane_nested} ",
    "#{pane_last_exit_code} #{pane_command_id} #{pane_command_duration_ms} ",
    "#{pane_stream_bytes} #{pane_stream_total} #{pane_stream_dropped} #{pane_pid}"
);

/// Format of a window, the facts of a task and the state of its active pane.
pub(crate) const WINDOW: &str = concat!(
    "#{q:session_name} #{q:window_name} ",
    "#{q:@amux_task} #{q:@amux_task_ended} #{q:@amux_task_watch} #{window_activity} ",
    "#{pane_command_state} #{pane_input_mode} #{q:pane_foreground} ",
    "#{pane_prompt_empty} #{pane_integrated} #{pane_nested} ",
    "#{pane_last_exit_code} #{pane_command_id} #{pane_command_duration_ms} ",
    "#{pane_stream_bytes} #{pane_stream_total} #{pane_stream_dropped} #{pane_pid}"
);

/// Reads a line of [`STATE`].
pub(crate) fn parse_state(line: &[u8]) -> Result<State> {
    let mut fields = Fields::new(line);
    let state = take_state(&mut fields)?;
    fields.end()?;
    Ok(state)
}

/// Reads a line of [`WINDOW`].
pub(crate) fn parse_window(line: &[u8]) -> Result<WindowInfo> {
    let mut fields = Fields::new(line);
    let info = WindowInfo {
        session: fields.text("session_name")?,
        name: fields.text("window_name")?,
        task: take_facts(&mut fields)?,
        state: take_state(&mut fields)?,
    };
    fields.end()?;
    Ok(info)
}

fn take_state(fields: &mut Fields<'_>) -> Result<State> {
    let activity = match fields.word("pane_command_state")? {
        "running" => Activity::Running,
        "idle" => Activity::Idle,
        "dead" => Activity::Dead,
        "unknown" => Activity::Unknown,
        other => return Err(fields.error(format_args!("pane_command_state {other:?}"))),
    };
    let input = match fields.text("pane_input_mode")?.as_str() {
        "prompt" => InputMode::Prompt,
        "canonical" => InputMode::Canonical,
        "raw" => InputMode::Raw,
        "secret" => InputMode::Secret,
        // Empty for a dead pane.
        _ => InputMode::Unknown,
    };
    Ok(State {
        activity,
        input,
        foreground: fields.text("pane_foreground")?,
        prompt_empty: fields.flag("pane_prompt_empty")?,
        integrated: fields.flag("pane_integrated")?,
        nested: fields.flag("pane_nested")?,
        last_status: fields.optional("pane_last_exit_code")?,
        command: fields.optional("pane_command_id")?.map(CommandId::new),
        duration: fields
            .optional("pane_command_duration_ms")?
            .map(std::time::Duration::from_millis),
        unread: fields.number("pane_stream_bytes")?,
        total: fields.number("pane_stream_total")?,
        dropped: fields.number("pane_stream_dropped")?,
        pid: fields.optional("pane_pid")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::task::TASK;
    use std::time::Duration;

    #[test]
    fn idle_pane() {
        let state = parse_state(b"idle prompt bash 1 1 0 3 7 1500 10 20 0 99").unwrap();
        assert_eq!(state.activity, Activity::Idle);
        assert_eq!(state.input, InputMode::Prompt);
        assert_eq!(state.foreground, "bash");
        assert!(state.prompt_empty && state.integrated && !state.nested);
        assert_eq!(state.last_status, Some(3));
        assert_eq!(state.command, Some(CommandId::new(7)));
        assert_eq!(state.duration, Some(Duration::from_millis(1500)));
        assert_eq!((state.unread, state.total, state.dropped), (10, 20, 0));
        assert_eq!(state.pid, Some(99));
    }

    #[test]
    fn window_of_a_fresh_pane_with_odd_names() {
        let info =
            parse_window(br"s my\ win    5 unknown canonical a\ b 0 0 0    0 0 0 1").unwrap();
        assert_eq!((info.session.as_str(), info.name.as_str()), ("s", "my win"));
        assert_eq!(info.state.foreground, "a b");
        assert_eq!((info.state.command, info.task), (None, None));
    }

    #[test]
    fn formats_agree() {
        assert!(WINDOW.ends_with(&format!("{TASK}{STATE}")));
    }
}
