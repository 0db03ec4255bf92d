//! The formats of a pane say what the calls of a window say. A stock tmux has none of them.

use amux::{InputMode, Record, State, Submit, Window};

use crate::case::{Case, exits, run, until, until_prompt, until_state};
use crate::runner::topic;

topic!("formats":
    state_and_input_mode,
    last_command,
    running_command,
    bytes_of_the_stream,
    several_panes_at_once,
);

/// Expands a format for a window.
async fn expand(case: &Case, window: &Window, format: &str) -> String {
    let target = format!("={}:={}", window.session(), window.name());
    case.tmux_ok(&["display-message", "-p", "-t", &target, format])
        .await
}

async fn modes(case: &Case, window: &Window) -> String {
    expand(case, window, "#{pane_command_state} #{pane_input_mode}").await
}

/// `pane_command_state` and `pane_input_mode`, in each of the states that a pane can be in.
async fn state_and_input_mode(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    assert_eq!(modes(case, &window).await, "idle prompt");
    for (text, program, input, word) in [
        ("cat", "cat", InputMode::Canonical, "canonical"),
        ("(stty raw -echo; exec cat)", "cat", InputMode::Raw, "raw"),
        ("read -s secret", "bash", InputMode::Secret, "secret"),
    ] {
        window.write(text, Submit::Yes).await.unwrap();
        until_state(&window, text, |state| {
            state.foreground == program && state.input == input
        })
        .await;
        assert_eq!(modes(case, &window).await, format!("running {word}"));
        match input {
            InputMode::Raw => {
                window.kill_command().await.unwrap();
            }
            _ => window.interrupt().await.unwrap(),
        }
        until_prompt(&window).await;
        exits(&window, "stty sane", 0).await;
    }
    case.tmux_ok(&["set-option", "-g", "remain-on-exit", "on"])
        .await;
    run(&window, "exit").await;
    until("a dead pane", async || match modes(case, &window).await {
        state if state.starts_with("dead ") => Ok(()),
        other => Err(other),
    })
    .await;
}

const LAST: &str = "#{pane_command_id}|#{pane_command_running}|#{pane_last_exit_code}|\
    #{pane_command_status}|#{pane_command_pipestatus}|#{pane_command_duration_ms}|\
    #{pane_command_duration}";

fn last(record: &Record) -> String {
    let status = record.status.map_or(String::new(), |s| s.to_string());
    let pipe: Vec<_> = record.pipe_statuses.iter().map(u8::to_string).collect();
    let duration = record.duration.unwrap();
    format!(
        "{}|0|{status}|{status}|{}|{}|{}",
        record.id,
        pipe.join(","),
        duration.as_millis(),
        duration.as_secs(),
    )
}

/// The formats of the last command are those of its record.
async fn last_command(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let none = "#{pane_last_exit_code}#{pane_command_status}#{pane_command_pipestatus}";
    assert_eq!(expand(case, &window, none).await, "");
    for text in ["true", "(exit 3)", "false | true", "sleep 0.04"] {
        let output = run(&window, text).await;
        let expected = last(&output.record);
        assert_eq!(expand(case, &window, LAST).await, expected);
    }
}

/// While a command runs, the exit status is still that of the one before.
async fn running_command(case: &Case) {
    let window = case.window().await;
    run(&window, "(exit 3)").await;
    let id = window
        .write("sleep 999", Submit::Yes)
        .await
        .unwrap()
        .unwrap();
    until_state(&window, "the command", |state| {
        state.foreground == "sleep" && state.command == Some(id)
    })
    .await;
    let format = "#{pane_command_id} #{pane_command_running} #{pane_last_exit_code}";
    assert_eq!(expand(case, &window, format).await, format!("{id} 1 3"));
    window.interrupt().await.unwrap();
    until_prompt(&window).await;
    assert_eq!(expand(case, &window, format).await, format!("{id} 0 130"));
}

/// What the state counts, the formats count.
async fn bytes_of_the_stream(case: &Case) {
    let window = case.window().await;
    let output = run(&window, "seq 1 1000").await;
    until_prompt(&window).await;
    let format = "#{pane_stream_bytes} #{pane_stream_total} #{pane_stream_dropped}";
    let counts = |state: &State| format!("{} {} {}", state.unread, state.total, state.dropped);
    let state = window.state().await.unwrap();
    assert_eq!(expand(case, &window, format).await, counts(&state));
    assert!(state.total > output.raw.len() as u64);
}

/// One `list-panes` tells of all of them.
async fn several_panes_at_once(case: &Case) {
    let server = case.server().await;
    for (name, text) in [
        ("one", "(exit 1)"),
        ("two", "(exit 2)"),
        ("three", "(exit 3)"),
    ] {
        let window = server.window(name).unwrap();
        window.create().await.unwrap();
        run(&window, text).await;
    }
    let format = "#{window_name} #{pane_command_state} #{pane_last_exit_code}";
    let mut lines: Vec<_> = case
        .tmux_ok(&["list-panes", "-a", "-F", format])
        .await
        .lines()
        .map(str::to_owned)
        .collect();
    lines.sort();
    assert_eq!(lines, ["one idle 1", "three idle 3", "two idle 2"]);
}
