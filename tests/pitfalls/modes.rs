//! Modes that a person leaves a window in: they lie over the program, and stay when the person goes.

use amux::{Key, Submit, Window};

use crate::case::{Case, exits, run, same, until_prompt};
use crate::runner::topic;
use crate::tools::{expand, recorded, recorder, screen, until_expands};

topic!("modes":
    keys_go_to_the_mode_instead_of_the_program,
    keys_that_ask_for_more_fail_the_invocation,
    text_is_pasted_without_marks_in_a_mode,
    text_to_run_reaches_the_shell_in_a_mode,
    capture_leaves_the_mode_alone,
    state_leaves_the_mode_alone,
);

/// The modes of tmux, each by the command that enters it.
const MODES: [&[&str]; 4] = [
    &["copy-mode", "-t", "=amux:=w"],
    &["clock-mode", "-t", "=amux:=w"],
    &["choose-tree", "-t", "=amux:=w"],
    &["copy-mode", "-u", "-t", "=amux:=w"],
];

async fn enter(case: &Case, mode: &[&str]) {
    // A mode may lie over another one.
    case.tmux_ok(&["copy-mode", "-q", "-t", "=amux:=w"]).await;
    case.tmux_ok(mode).await;
    until_expands(case, "=amux:=w", "#{pane_in_mode}", "1").await;
}

async fn in_no_mode(case: &Case) {
    assert_eq!(expand(case, "=amux:=w", "#{pane_in_mode}").await, "0");
}

async fn started(case: &Case) -> Window {
    let window = case.window().await;
    until_prompt(&window).await;
    exits(&window, "seq 100", 0).await;
    window
}

async fn keys_go_to_the_mode_instead_of_the_program(case: &Case) {
    let window = started(case).await;
    recorder(case, &window, "got", "").await;
    enter(case, MODES[0]).await;
    case.tmux_ok(&["send-keys", "-t", "=amux:=w", "j"]).await;
    for (mode, name) in MODES.iter().zip(["a", "b", "c", "d"]) {
        enter(case, mode).await;
        window.keys(&[Key::new(name).unwrap()]).await.unwrap();
        in_no_mode(case).await;
    }
    // The j went to the mode.
    same(recorded(case, &window, "got").await, "abcd");
}

async fn keys_that_ask_for_more_fail_the_invocation(case: &Case) {
    let window = started(case).await;
    recorder(case, &window, "got", "").await;
    for name in ["q", "f", "t", "g", "Escape", "C-s"] {
        enter(case, MODES[0]).await;
        window.keys(&[Key::new(name).unwrap()]).await.unwrap();
    }
    same(recorded(case, &window, "got").await, "qftg\x1b\x13");
}

async fn text_is_pasted_without_marks_in_a_mode(case: &Case) {
    let window = started(case).await;
    for mode in MODES {
        recorder(case, &window, "got", "\\x1b[?2004h").await;
        enter(case, mode).await;
        window.write("one\ntwo", Submit::Yes).await.unwrap();
        same(
            recorded(case, &window, "got").await,
            "\x1b[200~one\ntwo\x1b[201~\r",
        );
        for name in ["got.ready", "got.done"] {
            std::fs::remove_file(case.home().join(name)).unwrap();
        }
        until_prompt(&window).await;
    }
}

async fn text_to_run_reaches_the_shell_in_a_mode(case: &Case) {
    let window = started(case).await;
    for mode in MODES {
        enter(case, mode).await;
        let output = run(&window, "echo one\necho two\n(exit 3)").await;
        assert_eq!(
            (output.text.as_str(), output.status()),
            ("one\ntwo\n", Some(3))
        );
    }
}

async fn capture_leaves_the_mode_alone(case: &Case) {
    let window = started(case).await;
    exits(&window, "clear; echo shown", 0).await;
    until_prompt(&window).await;
    let before = screen(&window).await;
    assert!(
        before.text.contains("\nshown\n") || before.text.starts_with("shown\n"),
        "{before:?}"
    );
    for mode in MODES {
        enter(case, mode).await;
        assert_eq!(screen(&window).await, before);
        assert_eq!(expand(case, "=amux:=w", "#{pane_in_mode}").await, "1");
        case.tmux_ok(&["copy-mode", "-q", "-t", "=amux:=w"]).await;
    }
}

async fn state_leaves_the_mode_alone(case: &Case) {
    let window = started(case).await;
    for mode in MODES {
        enter(case, mode).await;
        let state = window.state().await.unwrap();
        assert_eq!(state.foreground, "bash");
        assert_eq!(expand(case, "=amux:=w", "#{pane_in_mode}").await, "1");
        case.tmux_ok(&["copy-mode", "-q", "-t", "=amux:=w"]).await;
    }
}
