//! The shell's prompts: when a command has ended, and how.

use amux::{Ended, Key, RunOptions, Submit, WhenBusy};

use crate::case::{Case, exits, run, until, until_foreground, until_prompt, until_state};
use crate::runner::topic;
use crate::tools::{screen, until_screen};

topic!("prompts":
    first_prompt_of_a_shell_tells_no_status,
    status_of_the_startup_files_is_nobodys,
    empty_enter_keeps_the_status,
    interrupt_at_the_prompt_ends_no_command,
    interrupt_of_a_command_is_130,
    prompt_before_a_waiting_line_is_not_the_end_of_that_line,
    line_typed_without_enter_is_not_run,
    pipeline_hides_a_failure,
    pipeline_that_is_negated_has_the_status_of_its_negation,
    pipeline_is_told_whatever_ifs_is,
    text_of_several_lines_ends_once,
    script_in_the_foreground_shows_as_bash,
    nested_bash_ends_with_its_own_status,
    terminal_without_path_still_tells,
    terminal_without_tmux_variables_still_tells,
    nothing_of_the_hook_shows,
    input_right_after_a_prompt_is_not_ended_by_it,
);

async fn first_prompt_of_a_shell_tells_no_status(case: &Case) {
    let window = case.window().await;
    let state = until_prompt(&window).await;
    assert_eq!(state.last_status, None, "{state:?}");
    assert_eq!(window.records().await.unwrap(), []);
}

async fn status_of_the_startup_files_is_nobodys(case: &Case) {
    case.write(".bash_profile", "(exit 9)\n");
    let window = case.window().await;
    let state = until_prompt(&window).await;
    assert_eq!(state.last_status, None, "{state:?}");
    exits(&window, "true", 0).await;
}

async fn empty_enter_keeps_the_status(case: &Case) {
    let window = case.window().await;
    exits(&window, "(exit 3)", 3).await;
    let id = until_prompt(&window).await.command;
    let rows = screen(&window).await.text.lines().count();
    window.keys(&[Key::new("Enter").unwrap()]).await.unwrap();
    until_screen(&window, "another prompt", |shown| {
        shown.text.lines().count() > rows
    })
    .await;
    let state = until_prompt(&window).await;
    assert_eq!(state.last_status, Some(3), "{state:?}");
    assert_eq!(state.command, id);
    assert_eq!(exits(&window, "echo $?", 0).await, "3\n");
}

async fn interrupt_at_the_prompt_ends_no_command(case: &Case) {
    let window = case.window().await;
    exits(&window, "(exit 3)", 3).await;
    let id = until_prompt(&window).await.command;
    window.write("echo half", Submit::Never).await.unwrap();
    until_screen(&window, "the line", |shown| {
        shown.text.contains("echo half")
    })
    .await;
    window.interrupt().await.unwrap();
    let state = until_prompt(&window).await;
    assert_eq!(state.command, id, "{state:?}");
    // bash tells 130 to what comes next.
    assert_eq!(exits(&window, "echo $?", 0).await, "130\n");
    assert_eq!(exits(&window, "true", 0).await, "");
}

async fn interrupt_of_a_command_is_130(case: &Case) {
    let window = case.window().await;
    // It shows as sleep once the other end is out of reach of the signal.
    let pipeline =
        "{ until [ -e through ]; do :; done; exec sleep 60; } | (trap '' INT; touch through)";
    for (text, status) in [("sleep 60", 130), (pipeline, 0)] {
        let started = tokio::spawn({
            let window = window.clone();
            let text = text.to_owned();
            async move { window.run(&text, RunOptions::new()).await }
        });
        until_foreground(&window, "sleep").await;
        window.interrupt().await.unwrap();
        let output = started.await.unwrap().unwrap();
        assert_eq!(output.status(), Some(status), "{text}");
        if status == 0 {
            assert_eq!(output.record.pipe_statuses, [130, 0]);
        }
        until_prompt(&window).await;
    }
}

/// What is typed while a command runs waits in the terminal, and bash runs it right after its next prompt.
async fn prompt_before_a_waiting_line_is_not_the_end_of_that_line(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    for _ in 0..5 {
        let first = window
            .write("sleep 0.3; (exit 3)", Submit::Yes)
            .await
            .unwrap();
        let second = window
            .write("sleep 0.3; (exit 4)", Submit::Yes)
            .await
            .unwrap();
        let record = window.wait(second, None).await.unwrap().unwrap();
        assert_eq!((record.ended, record.status), (Ended::Exited, Some(4)));
        let record = window.wait(first, None).await.unwrap().unwrap();
        assert_ne!(record.status, Some(4), "{record:?}");
        until_prompt(&window).await;
    }
}

async fn line_typed_without_enter_is_not_run(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    window
        .write("sleep 0.3; (exit 3)", Submit::Yes)
        .await
        .unwrap();
    window.write("touch wrong", Submit::Never).await.unwrap();
    // The prompt of the command comes all the same.
    let record = window.wait(None, None).await.unwrap().unwrap();
    assert_eq!(record.status, Some(3));
    until_screen(&window, "the line at the prompt", |shown| {
        shown.text.trim_end().ends_with("touch wrong")
    })
    .await;
    assert!(!case.home().join("wrong").exists());
}

async fn pipeline_hides_a_failure(case: &Case) {
    let window = case.window().await;
    for (text, status, statuses) in [
        ("false | true", 0, vec![1, 0]),
        ("(exit 3) | (exit 4) | (exit 5)", 5, vec![3, 4, 5]),
        ("yes | head -1 >/dev/null", 0, vec![141, 0]),
        ("ls /nonexistent 2>&1 | tee log >/dev/null", 0, vec![2, 0]),
    ] {
        let output = run(&window, text).await;
        assert_eq!(output.status(), Some(status), "{text}");
        assert_eq!(output.record.pipe_statuses, statuses, "{text}");
    }
}

async fn pipeline_that_is_negated_has_the_status_of_its_negation(case: &Case) {
    let window = case.window().await;
    let output = run(&window, "! false | true").await;
    assert_eq!(output.status(), Some(1));
    // That of its last command is 0: the statuses are not this pipeline's.
    assert_ne!(output.record.pipe_statuses, [1, 0]);
    let output = run(&window, "! true | false").await;
    assert_eq!(output.status(), Some(0));
    assert_ne!(output.record.pipe_statuses, [0, 1]);
}

async fn pipeline_is_told_whatever_ifs_is(case: &Case) {
    let window = case.window().await;
    for ifs in ["IFS=,", "IFS=", "IFS=0123", "unset IFS"] {
        exits(&window, ifs, 0).await;
        let output = run(&window, "(exit 3) | (exit 10) | (exit 0)").await;
        assert_eq!(output.record.pipe_statuses, [3, 10, 0], "{ifs}");
    }
}

async fn text_of_several_lines_ends_once(case: &Case) {
    let window = case.window().await;
    for _ in 0..5 {
        let output = run(&window, "sleep 0.1\n(exit 2)\nsleep 0.1\n(exit 3)").await;
        assert_eq!(output.status(), Some(3));
    }
    let ids: Vec<_> = window
        .records()
        .await
        .unwrap()
        .iter()
        .map(|record| record.id)
        .collect();
    assert_eq!(ids.len(), 5, "{ids:?}");
}

/// A program in the foreground that is called bash does not mean that the shell waits.
async fn script_in_the_foreground_shows_as_bash(case: &Case) {
    case.write(
        "script",
        "until [ -e go ]; do read -t 0.05 <> <(:); done; (exit 6)\n",
    );
    let window = case.window().await;
    until_prompt(&window).await;
    for text in [
        "bash script",
        "(. ./script)",
        "while ! [ -e go ]; do :; done; (exit 6)",
    ] {
        let id = window.write(text, Submit::Yes).await.unwrap();
        until_state(&window, "bash to run", |state| {
            state.foreground == "bash" && state.activity == amux::Activity::Running
        })
        .await;
        let waited = window
            .wait(id, Some(std::time::Duration::from_millis(300)))
            .await;
        assert_eq!(
            crate::case::refused(waited),
            amux::ErrorKind::Timeout,
            "{text}"
        );
        case.write("go", "");
        let record = window.wait(id, None).await.unwrap().unwrap();
        assert_eq!(record.status, Some(6), "{text}");
        std::fs::remove_file(case.home().join("go")).unwrap();
        until_prompt(&window).await;
    }
}

async fn nested_bash_ends_with_its_own_status(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    for text in ["bash", "bash --norc", "bash --noprofile --login"] {
        let id = window.write(text, Submit::Yes).await.unwrap();
        let pid = window.state().await.unwrap().pid;
        until_screen(&window, "its prompt", |shown| {
            shown
                .text
                .lines()
                .last()
                .is_some_and(|line| line.contains(['$', '#']) && !line.contains("bash -"))
        })
        .await;
        window.write("(exit 2)", Submit::Yes).await.unwrap();
        window.write("exit 7", Submit::Yes).await.unwrap();
        let record = until("the first shell", async || {
            match window
                .wait(id, Some(std::time::Duration::from_secs(20)))
                .await
            {
                Ok(Some(record)) if record.ended.is_final() => Ok(record),
                other => Err(format!("{other:?}")),
            }
        })
        .await;
        assert_eq!(record.status, Some(7), "{text}");
        assert_eq!(until_prompt(&window).await.pid, pid);
    }
}

async fn terminal_without_path_still_tells(case: &Case) {
    let window = case.window().await;
    exits(&window, "PATH=/nonexistent", 0).await;
    exits(&window, "(exit 4)", 4).await;
    let output = run(&window, "ls").await;
    assert_eq!(output.status(), Some(127));
    assert_eq!(
        exits(&window, "hash -r; echo \"[$PATH]\"", 0).await,
        "[/nonexistent]\n"
    );
}

async fn terminal_without_tmux_variables_still_tells(case: &Case) {
    let window = case.window().await;
    exits(&window, "unset TMUX TMUX_PANE AMUX_TMUX", 0).await;
    exits(&window, "(exit 4)", 4).await;
    let output = run(&window, "(exit 3) | (exit 5)").await;
    assert_eq!(output.record.pipe_statuses, [3, 5]);
}

async fn nothing_of_the_hook_shows(case: &Case) {
    case.write(".bash_profile", "PS1='> '\n");
    let window = case.window().await;
    until_prompt(&window).await;
    for n in 0..20 {
        exits(&window, &format!("echo {n}"), 0).await;
        let state = window.state().await.unwrap();
        assert_eq!(state.foreground, "bash");
    }
    until_prompt(&window).await;
    let shown = screen(&window).await.text;
    let expected: String = (0..20).map(|n| format!("> echo {n}\n{n}\n")).collect();
    assert!((expected + ">\n").ends_with(&shown), "{shown}");
    let jobs = exits(&window, "jobs; set +o | grep -c xtrace", 0).await;
    assert_eq!(jobs, "1\n");
}

/// An input that comes while a prompt is being told must not be taken for what ended with it.
async fn input_right_after_a_prompt_is_not_ended_by_it(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    for round in 0u8..15 {
        let waits = WhenBusy::Wait(std::time::Duration::from_secs(30));
        let first = window.write("true", Submit::Yes).await.unwrap();
        window.wait(first, None).await.unwrap();
        let options = RunOptions::new().when_busy(waits);
        let text = format!("sleep 0.05; (exit {})", round + 20);
        let output = window.run(&text, options).await.unwrap();
        assert_eq!(output.status(), Some(round + 20));
    }
}
