//! Programs in the terminal: pagers, secrets, other shells, full screens.

use amux::{Activity, Ended, ErrorKind, InputMode, Key, Range, ReadOptions, Submit};

use crate::case::{
    Case, exits, find, options, refused, run, unread, until, until_file, until_foreground,
    until_prompt, until_state,
};
use crate::runner::topic;
use crate::support::deadline::LONG;

topic!("programs":
    pager_waits_for_a_key_and_its_status_comes_back,
    secret_is_asked_for_and_is_in_no_log,
    shell_inside_has_no_marks_and_the_outer_command_runs,
    marks_of_another_shell_do_not_end_the_command,
    shell_that_replaces_itself_has_marks_again,
    pane_that_is_respawned_starts_anew,
    run_in_a_respawned_pane_waits_for_its_startup_files,
    full_screen_between_two_commands_is_marked,
);

/// Case B16: a pager opens: the state says that it waits for keys; `q` ends it, and the status is there.
async fn pager_waits_for_a_key_and_its_status_comes_back(case: &Case) {
    let window = case.window().await;
    let text: String = (0..500).map(|n| format!("line {n}\n")).collect();
    case.write("long", text);
    until_prompt(&window).await;
    let id = window
        .write("more long; (exit $?)", Submit::Yes)
        .await
        .unwrap();
    let state = until_state(&window, "a pager", |state| state.input == InputMode::Raw).await;
    assert_eq!(
        (state.activity, &*state.foreground),
        (Activity::Running, "more")
    );
    assert_eq!(state.last_status, None);
    // The terminal shows it before its output is read.
    until("the first page", async || {
        let shown = unread(&window).await.bytes;
        find(&shown, b"--More--")
            .map(drop)
            .ok_or(format!("{} bytes", shown.len()))
    })
    .await;
    let busy = ErrorKind::Busy {
        program: "more".to_owned(),
    };
    assert_eq!(refused(window.run("ls", options()).await), busy);
    window.keys(&[Key::new("q").unwrap()]).await.unwrap();
    let record = window.wait(id, Some(LONG)).await.unwrap().unwrap();
    assert_eq!((record.ended, record.status), (Ended::Exited, Some(0)));
    let state = until_prompt(&window).await;
    assert_eq!(
        (state.activity, state.input),
        (Activity::Idle, InputMode::Prompt)
    );
    exits(&window, "true", 0).await;
}

/// Case B17: `read -s`: the state says that a secret is asked for; what is typed is in no log.
pub async fn secret_is_asked_for_and_is_in_no_log(case: &Case) {
    let secret = "hunter2-öäü";
    let window = case.window().await;
    until_prompt(&window).await;
    let text = ": >asked; read -rs p; echo len=${#p}";
    let id = window.write(text, Submit::Yes).await.unwrap();
    // Before, the echo is off for moments in which the shell reads the line.
    until_file(case, "asked", |_| Some(())).await;
    let state = until_state(&window, "a secret", |state| {
        state.input == InputMode::Secret
    })
    .await;
    assert_eq!(state.activity, Activity::Running);
    window.write(secret, Submit::Yes).await.unwrap();
    window.wait(id, Some(LONG)).await.unwrap();
    let range = Range::Command(id.unwrap());
    let chunk = window.read(ReadOptions::new(range)).await.unwrap();
    assert_eq!(chunk.text(), "len=11\n");
    let all = unread(&window).await.bytes;
    let messages = case.messages().await;
    let sent = if case.is_stock() {
        "paste-buffer"
    } else {
        "write-pane"
    };
    assert!(messages.contains(sent), "{messages}");
    let screen = case
        .tmux_ok(&["capture-pane", "-p", "-S", "-", "-t", "w"])
        .await;
    for (name, log) in [
        ("stream", &all[..]),
        ("messages", messages.as_bytes()),
        ("screen", screen.as_bytes()),
    ] {
        assert_eq!(find(log, b"hunter2"), None, "the secret is in the {name}");
    }
}

/// Case C13 (a): a plain `bash` without the hook inside: the outer command still runs.
pub async fn shell_inside_has_no_marks_and_the_outer_command_runs(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let outer = window.state().await.unwrap().pid;
    let id = window
        .write("bash --noprofile; (exit 4)", Submit::Yes)
        .await
        .unwrap();
    let state = until_state(&window, "the inner shell's prompt", |state| {
        state.activity == Activity::Running && state.input == InputMode::Raw
    })
    .await;
    assert_eq!((&*state.foreground, state.pid), ("bash", outer));
    assert!(!state.prompt_empty);
    let busy = ErrorKind::Busy {
        program: "bash".to_owned(),
    };
    assert_eq!(refused(window.run("echo no", options()).await), busy);
    // It works, and what it does ends nothing.
    window
        .write("echo $((6 * 7)) >inner", Submit::Yes)
        .await
        .unwrap();
    crate::case::until_file(case, "inner", |found| (found == b"42\n").then_some(())).await;
    let record = window
        .wait(id, Some(std::time::Duration::from_millis(300)))
        .await;
    assert_eq!(refused(record), ErrorKind::Timeout);
    window.write("exit", Submit::Yes).await.unwrap();
    let record = window.wait(id, Some(LONG)).await.unwrap().unwrap();
    assert_eq!((record.ended, record.status), (Ended::Exited, Some(4)));
    exits(&window, "true", 0).await;
}

/// Case C13 (b): marks with another `aid`, as of a shell on another host: the outer command still runs.
pub async fn marks_of_another_shell_do_not_end_the_command(case: &Case) {
    let window = case.window().await;
    case.write(
        "other",
        "m() { printf '\\033]133;%s;aid=other\\007' \"$1\"; }\n\
         m A; m B; m C; echo inner; m 'D;9'; m A; m B\nread -r line\nm C\necho \"$line\"\nm 'D;8'\nm A\nm B\n",
    );
    until_prompt(&window).await;
    let id = window
        .write("bash other; (exit 6)", Submit::Yes)
        .await
        .unwrap()
        .unwrap();
    let state = until_state(&window, "marks of the other", |state| {
        state.nested && state.input == InputMode::Canonical
    })
    .await;
    assert_eq!(state.activity, Activity::Running);
    assert!(!state.prompt_empty);
    let record = window
        .wait(Some(id), Some(std::time::Duration::from_millis(500)))
        .await;
    assert_eq!(refused(record), ErrorKind::Timeout);
    window.write("go\n", Submit::Never).await.unwrap();
    let record = window.wait(Some(id), Some(LONG)).await.unwrap().unwrap();
    assert_eq!((record.ended, record.status), (Ended::Exited, Some(6)));
    assert!(record.flags.foreign, "{record:?}");
    let chunk = window
        .read(ReadOptions::new(Range::Command(id)))
        .await
        .unwrap();
    assert_eq!(chunk.text(), "inner\ngo\ngo\n");
    let output = run(&window, "echo clean").await;
    assert!(
        !output.record.flags.foreign && output.success(),
        "{output:?}"
    );
    assert!(!window.state().await.unwrap().nested);
}

/// Case C13 (c): `exec bash`: the hook is installed again.
async fn shell_that_replaces_itself_has_marks_again(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let pid = window.state().await.unwrap().pid;
    for _ in 0..2 {
        let output = run(&window, "exec bash").await;
        assert_ne!(output.ended(), Ended::PaneEnded, "{output:?}");
        let state = until_prompt(&window).await;
        assert!(state.integrated && state.pid == pid, "{state:?}");
        exits(&window, "(exit 3)", 3).await;
        assert_eq!(exits(&window, "echo a\necho b", 0).await, "a\nb\n");
    }
}

/// Case T7: `respawn-pane -k` while something runs: who waits is told, and the pane starts anew.
pub async fn pane_that_is_respawned_starts_anew(case: &Case) {
    let window = case.window().await;
    exits(&window, "(exit 3)", 3).await;
    let before = window.state().await.unwrap();
    let (output, ()) = tokio::join!(window.run("echo begun; sleep 60", options()), async {
        until_foreground(&window, "sleep").await;
        case.tmux_ok(&["respawn-pane", "-k", "-t", "=amux:=w"])
            .await;
    });
    match output {
        Ok(output) => assert_eq!(output.ended(), Ended::PaneEnded, "{output:?}"),
        Err(error) => assert_eq!(*error.kind(), ErrorKind::PaneGone, "{error:?}"),
    }
    let state = until_state(&window, "the new shell's prompt", |state| {
        state.prompt_empty && state.integrated
    })
    .await;
    assert_ne!(state.pid, before.pid);
    assert_eq!(
        (state.activity, state.last_status),
        (Activity::Idle, None),
        "{state:?}"
    );
    assert!(state.integrated && !state.nested, "{state:?}");
    assert_eq!(exits(&window, "echo anew", 0).await, "anew\n");
    exits(&window, "(exit 4)", 4).await;
    assert_eq!(window.state().await.unwrap().last_status, Some(4));
}

/// Case T7: what is left of the shell that was there, a prompt or something that ran, is not the new one's.
async fn run_in_a_respawned_pane_waits_for_its_startup_files(case: &Case) {
    case.write(
        ".bash_profile",
        "until [ -e go ]; do read -rt 0.02 <> <(:); done\n",
    );
    case.write("go", "");
    let window = case.window().await;
    for runs in [false, true] {
        exits(&window, "(exit 3)", 3).await;
        if runs {
            window.write("sleep 60", Submit::Yes).await.unwrap();
            until_foreground(&window, "sleep").await;
        }
        std::fs::remove_file(case.home().join("go")).unwrap();
        case.tmux_ok(&["respawn-pane", "-k", "-t", "=amux:=w"])
            .await;
        let (output, ()) = tokio::join!(run(&window, "echo anew"), async {
            let state = window.state().await.unwrap();
            assert_ne!(state.activity, Activity::Idle, "{state:?}");
            case.write("go", "");
        });
        assert_eq!((&*output.text, output.status()), ("anew\n", Some(0)));
    }
}

/// Case D11: what a full-screen program shows is marked; the commands before and after are not touched.
async fn full_screen_between_two_commands_is_marked(case: &Case) {
    let window = case.window().await;
    let before = run(&window, "echo before").await;
    let full = run(
        &window,
        "echo top; printf '\\033[?1049h\\033[H\\033[2Jfull \\033[5;5Hscreen\\033[?1049l'; echo bottom",
    )
    .await;
    let after = run(&window, "echo after").await;
    assert_eq!((&*before.text, &*after.text), ("before\n", "after\n"));
    assert!(full.record.flags.alternate, "{full:?}");
    assert!(!before.record.flags.alternate && !after.record.flags.alternate);
    assert_eq!(full.text, "top\nbottom\n");
    assert!(find(&full.raw, b"\x1b[5;5Hscreen").is_some(), "{full:?}");
    for (output, alternate) in [(&before, false), (&full, true), (&after, false)] {
        let chunk = window
            .read(ReadOptions::new(Range::Command(output.id())))
            .await
            .unwrap();
        assert_eq!(
            (chunk.alternate, &*chunk.text()),
            (alternate, output.text.as_str())
        );
    }
}
