//! Prompts as they are recorded on the pane of a stock tmux, where every process can read them. tmux-custom keeps
//! records itself: there the options are not set, and the same facts come from the records.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use amux::{Key, Submit, Transport};

use crate::case::{
    Case, exits, run, until, until_file, until_foreground, until_prompt, until_state,
};
use crate::runner::topic;
use crate::tools::{expand, until_screen};

topic!("recorded":
    first_prompt_has_no_status,
    command_is_recorded_with_its_status_and_the_time,
    pipeline_is_recorded_with_its_statuses,
    command_in_front_of_the_hook_does_not_change_the_status,
    interrupt_at_the_prompt_is_130,
    empty_enter_keeps_the_status,
    input_clears_the_prompt,
    prompt_before_a_waiting_line_is_not_recorded,
    first_prompt_before_a_waiting_line_is_not_recorded,
    hook_does_not_show_as_the_foreground_program,
    shell_tells_that_it_has_the_hook,
    shell_without_the_hook_tells_nothing,
    what_others_write_there_is_no_prompt,
    shell_without_tmux_in_its_path_records,
    prompts_of_a_pane_that_is_followed_start_no_process,
    controller_that_ends_has_recorded_the_prompt,
    controller_that_ends_before_the_prompt_records_it,
    controller_that_ends_within_the_prompt_records_it,
    controller_that_comes_before_the_record_takes_it,
    controller_that_comes_while_what_keys_began_runs_records_it,
    shell_records_when_its_controller_was_killed,
    input_of_another_controller_comes_between,
);

async fn option(case: &Case, name: &str) -> String {
    case.tmux_ok(&["show-options", "-p", "-q", "-v", "-t", "=amux:=w", name])
        .await
}

/// Waits until the recorded prompt begins so, and returns what comes behind it. On patched nothing is recorded.
async fn until_recorded(case: &Case, status: &str) -> String {
    if !case.is_stock() {
        assert_eq!(option(case, "@amux_prompt").await, "");
        return now().to_string();
    }
    let begins = format!("{status} ");
    until(&format!("{status} to be recorded"), async || {
        let found = option(case, "@amux_prompt").await;
        found.strip_prefix(&begins).map(str::to_owned).ok_or(found)
    })
    .await
}

fn now() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.unwrap().as_secs()
}

async fn first_prompt_has_no_status(case: &Case) {
    case.write(".bash_profile", "(exit 9)\n");
    let window = case.window().await;
    until_prompt(&window).await;
    until_recorded(case, "-").await;
    assert_eq!(window.state().await.unwrap().last_status, None);
}

async fn command_is_recorded_with_its_status_and_the_time(case: &Case) {
    let window = case.window().await;
    for status in [0, 3, 127] {
        let before = now();
        exits(&window, &format!("(exit {status})"), status).await;
        let rest = until_recorded(case, &status.to_string()).await;
        let time: u64 = rest.parse().unwrap();
        assert!((before..=now()).contains(&time), "{rest}");
        if case.is_stock() {
            let input: u64 = option(case, "@amux_input").await.parse().unwrap();
            assert!((before..=time).contains(&input), "{input}");
        }
    }
}

async fn pipeline_is_recorded_with_its_statuses(case: &Case) {
    let window = case.window().await;
    for ifs in ["unset IFS", "IFS=,", "IFS=' 1'"] {
        exits(&window, ifs, 0).await;
        let output = run(&window, "false | (exit 11) | true").await;
        assert_eq!(output.record.pipe_statuses, [1, 11, 0]);
        let rest = until_recorded(case, "0").await;
        if case.is_stock() {
            assert!(rest.ends_with(" 1,11,0"), "{rest}");
        }
    }
    run(&window, "! false | true").await;
    let rest = until_recorded(case, "1").await;
    assert!(!rest.contains(' '), "{rest}");
}

/// `history -a` in front of the hook would leave 0 for every command.
async fn command_in_front_of_the_hook_does_not_change_the_status(case: &Case) {
    case.write(
        ".bash_profile",
        "PROMPT_COMMAND=\"history -a; $PROMPT_COMMAND\"\n",
    );
    let window = case.window().await;
    exits(&window, "(exit 3)", 3).await;
    until_recorded(case, "3").await;
    exits(&window, "(exit 4) | (exit 5)", 5).await;
    let rest = until_recorded(case, "5").await;
    assert!(!case.is_stock() || rest.ends_with(" 4,5"), "{rest}");
}

async fn interrupt_at_the_prompt_is_130(case: &Case) {
    let window = case.window().await;
    exits(&window, "true", 0).await;
    window.write("echo half", Submit::Never).await.unwrap();
    until_screen(&window, "the line", |shown| {
        shown.text.contains("echo half")
    })
    .await;
    window.interrupt().await.unwrap();
    let rest = until_recorded(case, "130").await;
    assert!(!rest.contains(' '), "{rest}");
    until_prompt(&window).await;
}

async fn empty_enter_keeps_the_status(case: &Case) {
    let window = case.window().await;
    exits(&window, "(exit 3)", 3).await;
    until_recorded(case, "3").await;
    window.keys(&[Key::new("Enter").unwrap()]).await.unwrap();
    until_recorded(case, "3").await;
    until_prompt(&window).await;
    assert_eq!(window.state().await.unwrap().last_status, Some(3));
}

async fn input_clears_the_prompt(case: &Case) {
    let window = case.window().await;
    exits(&window, "(exit 3)", 3).await;
    until_recorded(case, "3").await;
    // A text that waits at the prompt.
    window.write("slee", Submit::Never).await.unwrap();
    assert_eq!(option(case, "@amux_prompt").await, "");
    window.write("p 60", Submit::Yes).await.unwrap();
    until_foreground(&window, "sleep").await;
    assert_eq!(option(case, "@amux_prompt").await, "");
    window.interrupt().await.unwrap();
    until_recorded(case, "130").await;
    until_prompt(&window).await;
    // Keys.
    window.keys(&[Key::new("x").unwrap()]).await.unwrap();
    assert_eq!(option(case, "@amux_prompt").await, "");
}

/// bash runs it right after that prompt: recorded, it would look as if the line had ended.
async fn prompt_before_a_waiting_line_is_not_recorded(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    for _ in 0..3 {
        window
            .write("sleep 0.2; (exit 3)", Submit::Yes)
            .await
            .unwrap();
        window
            .write("sleep 0.4; (exit 4)", Submit::Yes)
            .await
            .unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        while case.is_stock() {
            let found = option(case, "@amux_prompt").await;
            assert!(!found.starts_with("3 "), "{found}");
            if found.starts_with("4 ") {
                break;
            }
            assert!(Instant::now() < deadline, "{found}");
        }
        let record = window.wait(None, None).await.unwrap().unwrap();
        assert_eq!(record.status, Some(4));
        until_prompt(&window).await;
    }
}

/// The same for a text that comes while the shell starts.
async fn first_prompt_before_a_waiting_line_is_not_recorded(case: &Case) {
    case.write(".bash_profile", "until [ -e go ]; do sleep 0.05; done\n");
    let window = case.window().await;
    window
        .write("sleep 0.3; (exit 4)", Submit::Yes)
        .await
        .unwrap();
    until_screen(&window, "the echo", |shown| shown.text.contains("exit 4")).await;
    case.write("go", "");
    let deadline = Instant::now() + Duration::from_secs(60);
    while case.is_stock() {
        let found = option(case, "@amux_prompt").await;
        assert!(!found.starts_with("- "), "{found}");
        if found.starts_with("4 ") {
            break;
        }
        assert!(Instant::now() < deadline, "{found}");
    }
    let state = until_state(&window, "its status", |state| state.last_status == Some(4)).await;
    assert!(state.integrated, "{state:?}");
}

/// tmux clients that a hook runs in the foreground would show instead of the shell, for some milliseconds a prompt.
async fn hook_does_not_show_as_the_foreground_program(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let enough = Arc::new(AtomicBool::new(false));
    let prompts = tokio::spawn({
        let (window, enough) = (window.clone(), enough.clone());
        async move {
            let mut count = 0;
            while count < 20 || !enough.load(Ordering::SeqCst) {
                exits(&window, ":", 0).await;
                count += 1;
            }
        }
    });
    for _ in 0..50 {
        let found = expand(case, "=amux:=w", "#{pane_current_command}").await;
        assert_eq!(found, "bash");
    }
    enough.store(true, Ordering::SeqCst);
    prompts.await.unwrap();
}

async fn shell_tells_that_it_has_the_hook(case: &Case) {
    case.write(".bash_profile", "until [ -e go ]; do sleep 0.05; done\n");
    let window = case.window().await;
    assert_eq!(option(case, "@amux_hooked").await, "");
    assert!(!window.state().await.unwrap().integrated);
    case.write("go", "");
    until_state(&window, "the hook to tell", |state| state.integrated).await;
    if case.is_stock() {
        assert_ne!(option(case, "@amux_hooked").await, "");
    }
    // Nothing clears it.
    exits(&window, "true", 0).await;
    assert!(window.state().await.unwrap().integrated);
}

async fn shell_without_the_hook_tells_nothing(case: &Case) {
    case.write(".bash_profile", "PROMPT_COMMAND=:\nPS1='> '\n");
    let window = case.window().await;
    until_screen(&window, "its prompt", |shown| shown.text == ">\n").await;
    let output = run(&window, "(exit 3)").await;
    assert_eq!(output.status(), None, "{output:?}");
    let state = window.state().await.unwrap();
    assert!(!state.integrated, "{state:?}");
    assert_eq!(option(case, "@amux_hooked").await, "");
    assert_eq!(option(case, "@amux_prompt").await, "");
}

async fn what_others_write_there_is_no_prompt(case: &Case) {
    let server = case.server().await;
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    exits(&window, "(exit 3)", 3).await;
    until_recorded(case, "3").await;
    for junk in [
        "junk",
        "recording 1 1",
        "7",
        "7 x",
        "999 1 2,3",
        "é \"$x\" \\",
        "0 1 1,2",
        "18446744073709551615",
        "99999999999999999999999",
        "-1",
        "007",
        "+7",
    ] {
        for name in ["@amux_prompt", "@amux_input", "@amux_hooked", "@amux_id"] {
            case.tmux_ok(&["set-option", "-p", "-t", "=amux:=w", name, junk])
                .await;
        }
        let state = window.state().await.unwrap();
        assert_eq!(state.last_status, Some(3), "{junk}: {state:?}");
        assert_eq!(server.windows().await.unwrap().len(), 1, "{junk}");
        // What is run next is told as ever.
        exits(&window, "(exit 3)", 3).await;
    }
    until_prompt(&window).await;
}

/// The hook does not look for tmux in the terminal's path, which may have another one or none.
async fn shell_without_tmux_in_its_path_records(case: &Case) {
    let window = case.window().await;
    case.write("tmux", "#!/bin/sh\nexit 1\n");
    exits(&window, "PATH=/nonexistent:~; unset -v OLDPWD", 0).await;
    exits(&window, "(exit 6)", 6).await;
    until_recorded(case, "6").await;
}

/// A hook that tells of each prompt by tmux clients takes ten times as long as the command. Who reads the pane's output
/// tells of it instead.
async fn prompts_of_a_pane_that_is_followed_start_no_process(case: &Case) {
    let window = case.window().await;
    exits(&window, "true", 0).await;
    let marks = async || {
        let messages = case.messages().await;
        messages.matches("@amux_prompt \"recording ").count()
    };
    let before = marks().await;
    assert_eq!(before > 0, case.is_stock());
    for status in 1..=5 {
        exits(&window, &format!("(exit {status})"), status).await;
        until_recorded(case, &status.to_string()).await;
    }
    let expected = match case.transport() {
        Transport::Process if case.is_stock() => before + 5,
        _ => before,
    };
    assert_eq!(marks().await, expected);
}

/// It was told by the time that the controller has ended: nothing but that option knows how the command ended.
async fn controller_that_ends_has_recorded_the_prompt(case: &Case) {
    let window = case.window().await;
    exits(&window, "true", 0).await;
    for status in ["3", "4"] {
        let text = format!("(exit {status})");
        let ran = case.amux(&["run", "w", "--", &text], b"").await;
        assert_eq!(ran.status, status.parse().ok(), "{ran:?}");
        if case.is_stock() && case.transport() == Transport::Socket {
            let found = option(case, "@amux_prompt").await;
            assert!(found.starts_with(&format!("{status} ")), "{found:?}");
        }
        until_recorded(case, status).await;
    }
    let state = window.state().await.unwrap();
    assert_eq!(state.last_status, Some(4), "{state:?}");
}

/// The hook has left the prompt to the controller, and then takes longer than that waits for it.
async fn controller_that_ends_before_the_prompt_records_it(case: &Case) {
    // `read` is of the shell itself, so that it stays in front.
    let trap =
        r"[[ $BASH_COMMAND != __amux_w= || ! -e late ]] || { : >looked; read -t 1.3 <>fifo; }";
    case.write(
        ".bash_profile",
        format!("mkfifo fifo\nset -T\ntrap '{trap}' DEBUG\n"),
    );
    let window = case.window().await;
    exits(&window, "true", 0).await;
    case.write("late", "");
    window.write("(exit 5)", Submit::Yes).await.unwrap();
    if case.is_stock() {
        until_file(case, "looked", |_| Some(())).await;
    }
    case.disconnect().await;
    until_recorded(case, "5").await;
    let state = until_prompt(&window).await;
    assert_eq!(state.last_status, Some(5), "{state:?}");
}

/// The prompt has begun, and its text takes a while.
async fn controller_that_ends_within_the_prompt_records_it(case: &Case) {
    let text = "$([[ ! -e late ]] || { : >begun; read -t 0.6 <>fifo; })> ";
    case.write(".bash_profile", format!("mkfifo fifo\nPS1='{text}'\n"));
    let window = case.window().await;
    exits(&window, "true", 0).await;
    case.write("late", "");
    window.write("(exit 5)", Submit::Yes).await.unwrap();
    until_file(case, "begun", |_| Some(())).await;
    case.disconnect().await;
    until_recorded(case, "5").await;
    let state = until_prompt(&window).await;
    assert_eq!(state.last_status, Some(5), "{state:?}");
}

/// Another one records the prompt while this one still asks itself whether it is one.
async fn controller_that_comes_before_the_record_takes_it(case: &Case) {
    let window = case.window().await;
    exits(&window, "(exit 3)", 3).await;
    until_recorded(case, "3").await;
    case.disconnect().await;
    let recorded = option(case, "@amux_prompt").await;
    if case.is_stock() {
        let unset = ["set-option", "-p", "-u", "-t", "=amux:=w", "@amux_prompt"];
        case.tmux_ok(&unset).await;
    }
    let comes = tokio::spawn({
        let window = window.clone();
        async move { window.records().await }
    });
    if case.is_stock() {
        until("the pipe", async || {
            let piped = expand(case, "=amux:=w", "#{pane_pipe}").await;
            if piped == "1" { Ok(()) } else { Err(piped) }
        })
        .await;
        let set = ["set-option", "-p", "-t", "=amux:=w", "@amux_prompt"];
        case.tmux_ok(&[&set[..], &[&recorded]].concat()).await;
    }
    comes.await.unwrap().unwrap();
    let state = until_prompt(&window).await;
    assert_eq!(state.last_status, Some(3), "{state:?}");
    exits(&window, "(exit 4)", 4).await;
}

/// Nothing was submitted before, so no id tells of it.
async fn controller_that_comes_while_what_keys_began_runs_records_it(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    until_recorded(case, "-").await;
    let text = ": >begun; until [ -e go ]; do sleep 0.05; done; (exit 4)";
    let wrote = case.amux(&["write", "w", "-n", "--", text], b"").await;
    assert_eq!(wrote.status, Some(0), "{wrote:?}");
    let sent = case.amux(&["keys", "w", "Enter"], b"").await;
    assert_eq!(sent.status, Some(0), "{sent:?}");
    until_file(case, "begun", |_| Some(())).await;
    until_foreground(&window, "sleep").await;
    window.records().await.unwrap();
    case.write("go", "");
    until_recorded(case, "4").await;
    let state = until_prompt(&window).await;
    assert_eq!(state.last_status, Some(4), "{state:?}");
}

async fn shell_records_when_its_controller_was_killed(case: &Case) {
    let window = case.window().await;
    exits(&window, "true", 0).await;
    case.disconnect().await;
    for status in ["7", "8"] {
        let text = format!(": >begun; until [ -e go ]; do sleep 0.05; done; (exit {status})");
        let mut killed = case
            .amux_command(&["run", "w", "--", &text])
            .spawn()
            .unwrap();
        until_file(case, "begun", |_| Some(())).await;
        killed.kill().await.unwrap();
        case.write("go", "");
        until_recorded(case, status).await;
        let state = until_prompt(&window).await;
        assert_eq!(state.last_status, status.parse().ok(), "{state:?}");
        std::fs::remove_file(case.home().join("begun")).unwrap();
        std::fs::remove_file(case.home().join("go")).unwrap();
    }
    // The next controller takes away what the killed one has left.
    exits(&window, "true", 0).await;
}

/// What another process sends to a pane clears its record too; the prompt behind that is recorded all the same.
async fn input_of_another_controller_comes_between(case: &Case) {
    let window = case.window().await;
    exits(&window, "true", 0).await;
    window.write("sleep 60", Submit::Yes).await.unwrap();
    until_foreground(&window, "sleep").await;
    let sent = case.amux_beside(&["keys", "w", "C-c"], b"").await;
    assert_eq!(sent.status, Some(0), "{sent:?}");
    until_recorded(case, "130").await;
    until_prompt(&window).await;
    exits(&window, "(exit 3)", 3).await;
    until_recorded(case, "3").await;
}
