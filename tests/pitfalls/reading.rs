//! Reading what tmux prints.

use amux::{CaptureOptions, ErrorKind, Submit};

use crate::case::{Case, exits, refused, until_foreground, until_prompt, until_state};
use crate::runner::topic;
use crate::tools::{amux_without_utf8, expand, program, until_screen};

topic!("reading":
    display_message_takes_a_missing_window_for_another,
    locale_without_utf8_loses_what_is_not_ascii,
    separators_that_are_no_printable_characters_are_replaced,
    names_of_others_hold_blanks_and_quotes,
    program_name_holds_quotes,
    show_environment_is_no_way_to_read_a_variable_back,
);

async fn display_message_takes_a_missing_window_for_another(case: &Case) {
    let server = case.server().await;
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    until_prompt(&window).await;
    let message = [
        "display-message",
        "-p",
        "-t",
        "=amux:=missing",
        "#{window_name}",
    ];
    assert_eq!(case.tmux_ok(&message).await, "w");
    let message = [
        "display-message",
        "-p",
        "-t",
        "=missing:=w",
        "[#{window_name}]",
    ];
    let found = case.tmux(&message).await;
    assert_eq!(found.status, Some(0), "{found:?}");

    let missing = server.window("missing").unwrap();
    assert_eq!(refused(missing.state().await), ErrorKind::WindowNotFound);
    let capture = missing.capture(CaptureOptions::new()).await;
    assert_eq!(refused(capture), ErrorKind::WindowNotFound);
}

async fn locale_without_utf8_loses_what_is_not_ascii(case: &Case) {
    let window = case.window().await;
    exits(&window, "mkdir 'é ✓ 中'; cd 'é ✓ 中'", 0).await;
    exits(&window, "echo 'ok ✓ café 中'", 0).await;
    // A client that is not told otherwise prints what its locale has.
    let mut plain = tokio::process::Command::new(&case.target.binary);
    plain
        .args(["-N", "-S"])
        .arg(case.socket())
        .args([
            "display-message",
            "-p",
            "-t",
            "=amux:=w",
            "#{pane_current_path}",
        ])
        .env("LC_ALL", "C");
    let plain = String::from_utf8(plain.output().await.unwrap().stdout).unwrap();
    assert!(plain.contains("/_ _ _"), "{plain}");

    let captured = amux_without_utf8(case, &["capture", "w"]).await;
    let captured = String::from_utf8(captured.stdout).unwrap();
    assert!(captured.contains("\nok ✓ café 中\n"), "{captured}");
    // In a window of its own: on stock the stream of a window is one process's.
    let text = "cd 'é ✓ 中'; echo 'é ✓ 中'; pwd";
    let run = amux_without_utf8(case, &["run", "other", "--", text]).await;
    let run = String::from_utf8(run.stdout).unwrap();
    assert_eq!(run, format!("é ✓ 中\n{}/é ✓ 中\n", case.home().display()));
}

async fn separators_that_are_no_printable_characters_are_replaced(case: &Case) {
    let server = case.server().await;
    server.window("w").unwrap().create().await.unwrap();
    // Fields with a tab between them cannot be told apart, at least where the locale has no UTF-8.
    let mut plain = tokio::process::Command::new(&case.target.binary);
    plain
        .args(["-N", "-S"])
        .arg(case.socket())
        .args([
            "list-windows",
            "-a",
            "-F",
            "#{session_name}\t#{window_name}",
        ])
        .env("LC_ALL", "C");
    let plain = plain.output().await.unwrap().stdout;
    assert_eq!(String::from_utf8_lossy(&plain), "amux_w\n");
    // With blanks, which q: escapes, they can.
    let listed = amux_without_utf8(case, &["ls", "--json"]).await;
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.contains(r#""session":"amux""#), "{listed}");
    assert!(listed.contains(r#""name":"w""#), "{listed}");
}

async fn names_of_others_hold_blanks_and_quotes(case: &Case) {
    let server = case.server().await;
    server.window("w").unwrap().create().await.unwrap();
    let name = r#"my 'win' "é" \ $x `y` #1 ; | &"#;
    let made = ["new-window", "-d", "-t", "=amux:", "-n"];
    case.tmux_ok(&[&made[..], &[&name.replace('#', "##")]].concat())
        .await;
    let shown = case
        .tmux_ok(&["list-windows", "-t", "=amux:", "-F", "#{window_name}"])
        .await;
    let windows = server.windows().await.unwrap();
    let names: Vec<_> = windows.iter().map(|window| window.name.as_str()).collect();
    assert_eq!(names, shown.lines().collect::<Vec<_>>());
    assert_eq!(names[0], "w");
    assert!(names[1].starts_with("my 'win' \"é\""), "{names:?}");
}

async fn program_name_holds_quotes(case: &Case) {
    let server = case.server().await;
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    until_prompt(&window).await;
    let sleep = exits(&window, "command -v sleep", 0).await;
    // Not with a blank: there tmux cuts the name of a program.
    let name = r#"a'b"$c\d"#;
    std::fs::copy(sleep.trim(), case.home().join(name)).unwrap();
    exits(&window, "PATH=~:$PATH", 0).await;
    window
        .write(r#"a\'b\"\$c\\d 60"#, Submit::Yes)
        .await
        .unwrap();
    until_foreground(&window, name).await;
    let listed = server.windows().await.unwrap();
    assert_eq!(listed[0].state.foreground, name);
    window.interrupt().await.unwrap();
    until_state(&window, "the prompt", |state| state.foreground == "bash").await;
}

/// tmux 3.4 escapes `$` in what it prints: nothing that the controller set is read back that way, and what a
/// terminal gets is what was set.
async fn show_environment_is_no_way_to_read_a_variable_back(case: &Case) {
    let server = case.server().await;
    let value = r#"a$b ${c} $? $(d) `e` "f" 'g' \h"#;
    case.tmux_ok(&["set-environment", "-g", "ODD", value]).await;
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    let got = exits(&window, "printf '%s' \"$ODD\"", 0).await;
    assert_eq!(got, value);
    // PROMPT_COMMAND came as it was set, `$` and quotes in its path or not: the shell is integrated.
    assert!(until_prompt(&window).await.integrated);
    let path = program(case, "check", "#!/bin/sh\nprintf '%s' \"$ODD\" >odd\n");
    exits(&window, path.to_str().unwrap(), 0).await;
    assert_eq!(case.contents("odd"), value.as_bytes());
    assert_eq!(expand(case, "=amux:=w", "#{window_name}").await, "w");
    until_screen(&window, "the prompt", |shown| !shown.text.is_empty()).await;
}
