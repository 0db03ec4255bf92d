//! How a command ended, and what its status is.

use std::time::{Duration, Instant};

use amux::{Ended, ErrorKind, Key, Submit};

use crate::case::{
    Case, count, exits, find, options, refused, run, unread, until, until_foreground, until_prompt,
    until_state,
};
use crate::runner::topic;
use crate::support::deadline::LONG;

topic!("status":
    each_command_has_its_own,
    status_of_a_live_shell_reaches_the_command_line,
    shell_that_exits_with_its_command_is_no_hang,
    every_status_from_0_to_255_comes_back,
    each_part_of_a_pipeline_has_its_own,
    wait_that_comes_late_returns_at_once,
    interrupted_command_has_130,
    empty_lines_are_no_commands,
    short_command_has_a_duration_in_milliseconds,
    syntax_error_is_2,
);

/// Case B5: a text with a newline, then `(exit 3)`, then `true`: 0, 3, 0.
pub async fn each_command_has_its_own(case: &Case) {
    let window = case.window().await;
    assert_eq!(exits(&window, "echo one\necho two", 0).await, "one\ntwo\n");
    assert_eq!(exits(&window, "(exit 3)", 3).await, "");
    assert_eq!(exits(&window, "true", 0).await, "");
}

/// Case B7: `sh -c 'exit 7'` in a live shell is 7, and the command `amux` exits with 7.
pub async fn status_of_a_live_shell_reaches_the_command_line(case: &Case) {
    let window = case.window().await;
    exits(&window, "sh -c 'exit 7'", 7).await;
    let finished = case.amux(&["run", "w", "--", "sh -c 'exit 7'"], b"").await;
    assert_eq!(
        (finished.status, &*finished.out, &*finished.err),
        (Some(7), &b""[..], "")
    );
    let script = b"echo out\nsh -c 'echo err >&2; exit 9'\n";
    let finished = case.amux(&["run", "w", "-f", "-"], script).await;
    assert_eq!(
        (finished.status, &*finished.out),
        (Some(9), &b"out\nerr\n"[..])
    );
    exits(&window, "true", 0).await;
}

/// Case B8: `set -euo pipefail`, a command that succeeds, one that fails: the shell exited, and it is told.
async fn shell_that_exits_with_its_command_is_no_hang(case: &Case) {
    let server = case.server().await;
    for (n, (text, last)) in [
        ("false", ""),
        ("exit 5", ""),
        ("echo last words\nexit 0", "last words\n"),
        ("false | true", ""),
        ("echo \"$unset\"", "unset: unbound variable"),
        ("kill -9 $$", ""),
    ]
    .into_iter()
    .enumerate()
    {
        let window = server.window(&format!("w{n}")).unwrap();
        window.create().await.unwrap();
        exits(&window, "set -euo pipefail", 0).await;
        assert_eq!(exits(&window, "echo ok", 0).await, "ok\n");
        let output = run(&window, text).await;
        assert_eq!(output.ended(), Ended::PaneEnded, "{text}: {output:?}");
        // See differences.md for a process's last output.
        let cut = case.is_stock() && output.text.is_empty();
        assert!(output.text.contains(last) || cut, "{text}: {output:?}");
        let kind = refused(window.run("echo more", options()).await);
        // A stock 3.8 shows a pane whose process has ended for a moment.
        let dead = case.is_stock() && kind == ErrorKind::PaneDead;
        assert!(
            matches!(kind, ErrorKind::WindowNotFound | ErrorKind::SessionNotFound) || dead,
            "{text}: {kind:?}"
        );
    }
}

/// Every status there is.
pub async fn every_status_from_0_to_255_comes_back(case: &Case) {
    let window = case.window().await;
    for status in [
        0, 1, 2, 99, 100, 124, 125, 126, 127, 128, 130, 137, 143, 200, 254, 255,
    ] {
        exits(&window, &format!("(exit {status})"), status).await;
        let state = window.state().await.unwrap();
        assert_eq!(state.last_status, Some(status));
    }
    exits(&window, "sh -c 'kill -9 $$'", 137).await;
    exits(&window, "no-such-command-at-all", 127).await;
}

/// Case B21: the statuses of the parts of a pipeline.
pub async fn each_part_of_a_pipeline_has_its_own(case: &Case) {
    let window = case.window().await;
    for (text, expected, status, statuses) in [
        ("sh -c 'exit 3' | cat", "", 0, &[3, 0][..]),
        ("yes | head -1", "y\n", 0, &[141, 0]),
        ("(exit 1) | (exit 2) | (exit 3)", "", 3, &[1, 2, 3]),
        ("true", "", 0, &[]),
        ("true | false; true", "", 0, &[]),
        ("true\necho x | sh -c 'cat; exit 4'", "x\n", 4, &[0, 4]),
    ] {
        let output = run(&window, text).await;
        assert_eq!(output.status(), Some(status), "{text}: {output:?}");
        assert_eq!(output.text, expected, "{text}");
        assert_eq!(output.record.pipe_statuses, statuses, "{text}");
    }
    exits(&window, "set -o pipefail", 0).await;
    let output = run(&window, "sh -c 'exit 3' | cat").await;
    assert_eq!(output.status(), Some(3), "{output:?}");
}

/// Case B19: a wait for a command that has ended long since returns at once, whatever runs now.
async fn wait_that_comes_late_returns_at_once(case: &Case) {
    let window = case.window().await;
    let first = run(&window, "true").await.id();
    let second = run(&window, "(exit 4)").await.id();
    let sleep = window.write("sleep 60", Submit::Yes).await.unwrap();
    until_foreground(&window, "sleep").await;
    let start = Instant::now();
    for (id, status) in [(first, 0), (second, 4), (first, 0)] {
        let record = window.wait(Some(id), Some(LONG)).await.unwrap().unwrap();
        assert_eq!((record.id, record.status), (id, Some(status)));
        assert_eq!(record.ended, Ended::Exited);
    }
    assert!(start.elapsed() < Duration::from_secs(30));
    let kind = refused(window.wait(sleep, Some(Duration::from_millis(50))).await);
    assert_eq!(kind, ErrorKind::Timeout);
    window.interrupt().await.unwrap();
    let record = window.wait(sleep, Some(LONG)).await.unwrap().unwrap();
    assert_eq!(record.status, Some(130));
    let never = refused(
        window
            .wait(Some(amux::CommandId::new(999_999)), Some(LONG))
            .await,
    );
    assert_eq!(never, ErrorKind::NoSuchCommand);
}

/// Case C15: Ctrl-C during `sleep 9`: 130.
pub async fn interrupted_command_has_130(case: &Case) {
    let window = case.window().await;
    for text in ["sleep 9", "echo a; sleep 9; echo b", "sh -c 'exec sleep 9'"] {
        until_prompt(&window).await;
        let (output, ()) = tokio::join!(run(&window, text), async {
            until_foreground(&window, "sleep").await;
            window.interrupt().await.unwrap();
        });
        assert_eq!(output.status(), Some(130), "{text}: {output:?}");
        assert!(!output.text.contains('b'), "{text}: {output:?}");
        assert_eq!(window.state().await.unwrap().last_status, Some(130));
    }
    exits(&window, "true", 0).await;
}

/// Case C16: Enter three times and Ctrl-C at an empty prompt: no command, and the last status stays.
pub async fn empty_lines_are_no_commands(case: &Case) {
    let window = case.window().await;
    exits(&window, "(exit 5)", 5).await;
    let prompts = count(&unread(&window).await.bytes, b"\x1b]133;A");
    for (n, key) in ["Enter", "Enter", "Enter", "C-c", "Enter"]
        .into_iter()
        .enumerate()
    {
        window.keys(&[Key::new(key).unwrap()]).await.unwrap();
        until("another prompt", async || {
            let found = count(&unread(&window).await.bytes, b"\x1b]133;A");
            match found > prompts + n {
                true => Ok(()),
                false => Err(format!("{found} prompts")),
            }
        })
        .await;
        // Until the line editor has the terminal, a C-c makes no prompt.
        until_prompt(&window).await;
    }
    let records = window.records().await.unwrap();
    assert_eq!(records.len(), 1, "{records:?}");
    let state = until_state(&window, "idle", |state| {
        state.activity == amux::Activity::Idle
    })
    .await;
    assert_eq!(state.last_status, Some(5));
    // Half a line that is thrown away is no command either.
    window.write("echo nev", Submit::Never).await.unwrap();
    until("half a line", async || {
        let bytes = unread(&window).await.bytes;
        find(&bytes, b"nev")
            .map(drop)
            .ok_or_else(|| String::from_utf8_lossy(&bytes).into_owned())
    })
    .await;
    window.interrupt().await.unwrap();
    until_prompt(&window).await;
    assert_eq!(window.records().await.unwrap().len(), 1);
    assert_eq!(window.state().await.unwrap().last_status, Some(5));
    // What is submitted and comes to nothing says so.
    for text in ["", "# a comment", "\n\n"] {
        let output = run(&window, text).await;
        assert_eq!(
            (output.ended(), output.status()),
            (Ended::Nothing, None),
            "{text:?}"
        );
        // The newlines of the text itself are echoed.
        assert_eq!(output.text.trim_end(), "", "{text:?}");
    }
    exits(&window, "(exit 6)", 6).await;
}

/// Case T11: a command of 40 ms has a duration in milliseconds, and no more than the time that passed.
async fn short_command_has_a_duration_in_milliseconds(case: &Case) {
    let window = case.window().await;
    exits(&window, "true", 0).await;
    let mut longest = Duration::ZERO;
    for _ in 0..5 {
        let start = Instant::now();
        let output = run(&window, "sleep 0.04").await;
        let passed = start.elapsed();
        let duration = output.record.duration.expect("a duration");
        assert!(duration <= passed, "{duration:?} of {passed:?}");
        longest = longest.max(duration);
        let state = window.state().await.unwrap();
        let told = state.duration.expect("a duration");
        assert!(
            told.abs_diff(duration) <= Duration::from_millis(1),
            "{told:?} {duration:?}"
        );
    }
    // The server reads the first mark, and so the clock, late where cores are busy: not every time.
    assert!(longest >= Duration::from_millis(38), "{longest:?}");
}

/// A line that bash does not understand is 2, with what bash says.
async fn syntax_error_is_2(case: &Case) {
    let window = case.window().await;
    for text in ["echo (;", "fi", "for;", "echo a\ndone\n"] {
        let output = run(&window, text).await;
        assert_eq!(output.status(), Some(2), "{text}: {output:?}");
        assert!(output.text.contains("syntax error"), "{text}: {output:?}");
        exits(&window, "true", 0).await;
    }
}
