//! Where the backends differ on purpose: tests/conformance/differences.md has the reasons. Each trial runs on both
//! and expects of each its own.

use std::time::Duration;

use amux::{Ended, ErrorKind, Range, ReadOptions, ShellKind, Submit};

use crate::case::{Case, exits, options, refused, run, until, until_file, until_prompt};
use crate::runner::topic;
use crate::support::deadline::LONG;

topic!("differences":
    output_goes_to_one_process,
    command_of_an_earlier_process,
    command_that_runs_when_a_process_comes,
    pipe_of_the_user_is_left_alone,
    prompt_is_told_by_an_option,
    several_lines_for_a_process_that_comes_late,
    ids_go_on,
    other_shells_need_the_patches,
);

/// A stock tmux gives a pane's output to one process: others can write and look, and are refused the rest.
async fn output_goes_to_one_process(case: &Case) {
    let window = case.window().await;
    exits(&window, "echo one", 0).await;
    let read = case.amux_beside(&["read", "w", "--output"], b"").await;
    if case.is_stock() {
        assert_eq!(read.status, Some(125), "{read:?}");
        assert!(read.err.contains("another pipe-pane has"), "{read:?}");
    } else {
        assert_eq!((read.status, &*read.out), (Some(0), &b"one\n"[..]));
    }
    let state = case.amux_beside(&["state", "w"], b"").await;
    assert_eq!(state.status, Some(0), "{state:?}");
    assert!(
        String::from_utf8_lossy(&state.out).contains("idle"),
        "{state:?}"
    );
    let write = case
        .amux_beside(&["write", "w", "-e", "--", "echo by ano''ther >said"], b"")
        .await;
    assert_eq!(write.status, Some(0), "{write:?}");
    until_file(case, "said", |bytes| {
        (bytes == b"by another\n").then_some(())
    })
    .await;
    until_prompt(&window).await;
    exits(&window, "echo two", 0).await;
}

/// What ran before this process came: on stock its end is known, and not its output.
async fn command_of_an_earlier_process(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let earlier = case
        .amux(
            &["run", "w", "--json", "--", "echo out; (exit 3) | (exit 4)"],
            b"",
        )
        .await;
    assert_eq!(earlier.status, Some(4), "{earlier:?}");
    let record = window.wait(None, Some(LONG)).await.unwrap().unwrap();
    assert_eq!(
        (record.ended, record.status, &*record.pipe_statuses),
        (Ended::Exited, Some(4), &[3, 4][..])
    );
    assert_eq!(window.state().await.unwrap().last_status, Some(4));
    let range = Range::Command(record.id);
    let read = window.read(ReadOptions::new(range)).await;
    if case.is_stock() {
        assert_eq!(refused(read), ErrorKind::CommandForgotten);
        assert_eq!(record.duration, None);
    } else {
        assert_eq!(read.unwrap().text(), "out\n");
    }
}

/// What runs when this process comes is waited for; on stock the output is that from then on.
async fn command_that_runs_when_a_process_comes(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let text = "echo before; until [ -e go ]; do sleep 0.05; done; echo after; (exit 5)";
    let write = case.amux(&["write", "w", "-e", "--", text], b"").await;
    assert_eq!(write.status, Some(0), "{write:?}");
    let id = String::from_utf8(write.out)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    until("the output of before", async || {
        match window.capture(amux::CaptureOptions::new()).await {
            Ok(screen) if screen.text.contains("\nbefore") => Ok(()),
            other => Err(format!("{other:?}")),
        }
    })
    .await;
    // Without a name: this process sees it begin to follow.
    let early = window.wait(None, Some(Duration::from_millis(1))).await;
    assert_eq!(refused(early), ErrorKind::Timeout);
    case.write("go", "");
    let record = window.wait(Some(id), Some(LONG)).await.unwrap().unwrap();
    assert_eq!((record.ended, record.status), (Ended::Exited, Some(5)));
    let chunk = window.read(ReadOptions::new(Range::Command(id))).await;
    let text = chunk.unwrap().text().into_owned();
    match case.is_stock() {
        true => assert_eq!(text, "after\n"),
        false => assert_eq!(text, "before\nafter\n"),
    }
}

/// A pipe that somebody has opened goes on; on stock the window cannot be read then.
async fn pipe_of_the_user_is_left_alone(case: &Case) {
    let server = case.server().await;
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    until_prompt(&window).await;
    // In place of ours, where there is one.
    let pipe = format!("cat >>'{}'", case.home().join("piped").display());
    case.tmux_ok(&["pipe-pane", "-t", "=amux:=w", &pipe]).await;
    if case.is_stock() {
        for _ in 0..2 {
            assert_eq!(
                refused(window.run("true", options()).await),
                ErrorKind::PipeInUse
            );
        }
    } else {
        exits(&window, "true", 0).await;
    }
    window
        .write("echo to the pi''pe", Submit::Yes)
        .await
        .unwrap();
    until_file(case, "piped", |bytes| {
        crate::case::find(bytes, b"to the pipe\r\n").map(drop)
    })
    .await;
    case.tmux_ok(&["pipe-pane", "-t", "=amux:=w"]).await;
    until("the prompt", async || {
        match window.run("echo back", options()).await {
            Ok(output) if output.text == "back\n" => Ok(()),
            other => Err(format!("{other:?}")),
        }
    })
    .await;
}

/// On stock each prompt is recorded on its pane, for whoever looks; tmux-custom has formats for that.
async fn prompt_is_told_by_an_option(case: &Case) {
    let window = case.window().await;
    exits(&window, "false | (exit 6)", 6).await;
    let option = async || {
        case.tmux_ok(&["display-message", "-p", "-t", "=amux:=w", "#{@amux_prompt}"])
            .await
    };
    if !case.is_stock() {
        assert_eq!(option().await, "");
        let format = "#{pane_last_exit_code} #{pane_command_pipestatus}";
        let told = case
            .tmux_ok(&["display-message", "-p", "-t", "=amux:=w", format])
            .await;
        assert_eq!(told, "6 1,6");
        return;
    }
    until("the record of the prompt", async || {
        let text = option().await;
        let words: Vec<_> = text.split(' ').collect();
        match words[..] {
            ["6", time, "1,6"] if time.parse::<u64>().is_ok() => Ok(()),
            _ => Err(text),
        }
    })
    .await;
}

/// On stock, a process that did not see the shell ask for pastes sends several lines by way of a file, unless the
/// hook said so; either way they are one command.
async fn several_lines_for_a_process_that_comes_late(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let finished = case
        .amux(&["run", "w", "--", "x=1\necho $x\n(exit 8)"], b"")
        .await;
    assert_eq!(
        (finished.status, &*finished.out),
        (Some(8), &b"1\n"[..]),
        "{finished:?}"
    );
    let output = run(&window, "echo a\necho \"$x\"").await;
    assert_eq!(output.text, "a\n1\n");
}

/// Ids go on over processes: none is given out twice in a window.
async fn ids_go_on(case: &Case) {
    let window = case.window().await;
    let first = run(&window, "true").await.id();
    let finished = case.amux(&["run", "w", "--json", "--", "true"], b"").await;
    let text = String::from_utf8(finished.out).unwrap();
    let second: u64 = text
        .split("\"id\":")
        .nth(1)
        .and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next())
        .and_then(|id| id.parse().ok())
        .unwrap_or_else(|| panic!("{text}"));
    let third = run(&window, "true").await.id();
    assert!(first.get() < second && second < third.get());
    let gone = amux::CommandId::new(third.get() + 1000);
    assert_eq!(
        refused(window.wait(Some(gone), Some(LONG)).await),
        ErrorKind::NoSuchCommand
    );
}

/// Windows of a stock tmux run bash: no other shell leaves records of its prompts there. That is said before anything
/// is typed, and no server is left behind.
async fn other_shells_need_the_patches(case: &Case) {
    for shell in [ShellKind::Zsh, ShellKind::Fish] {
        let builder = || case.builder().shell(shell);
        if !case.is_stock() {
            let programs = builder().programs().await.unwrap();
            assert_eq!(programs.shell, shell);
            continue;
        }
        let kind = refused(builder().start().await);
        let capability = "read_pane";
        assert_eq!(kind, ErrorKind::Unsupported { capability });
        assert_eq!(refused(builder().connect_or_start().await), kind);
        until("no server", async || match builder().connect().await {
            Err(error) if *error.kind() == ErrorKind::NoServer => Ok(()),
            other => Err(format!("{other:?}")),
        })
        .await;
    }
}
