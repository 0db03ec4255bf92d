//! What startup files do to the shell of a terminal, and whether that is noticed.

use std::time::{Duration, Instant};

use amux::TerminalCheck;

use crate::case::{Case, exits, run, until_prompt};
use crate::runner::topic;
use crate::tools::{program, window};

topic!("check":
    shell_without_startup_files_is_as_it_must_be,
    startup_file_that_replaces_prompt_command_is_noticed,
    startup_file_that_puts_a_command_in_front_changes_no_status,
    startup_file_that_fixes_a_command_in_front_is_noticed,
    prompt_command_replaced_by_a_function_that_runs_the_old_one_is_no_override,
    startup_file_that_turns_bracketed_paste_off_at_each_prompt_is_noticed,
    startup_file_that_starts_tmux_does_not_start_it,
    startup_file_that_waits_does_not_hold_the_check,
    check_leaves_the_history_of_the_user_alone,
    check_leaves_no_window_and_no_process,
);

async fn check(case: &Case, profile: &str) -> TerminalCheck {
    case.write(".bash_profile", profile);
    let server = case.server().await;
    server.check_terminals().await.unwrap()
}

async fn shell_without_startup_files_is_as_it_must_be(case: &Case) {
    let server = case.server().await;
    let check = server.check_terminals().await.unwrap();
    assert!(check.is_good(), "{check:?}");
    assert!(check.prompt_command.contains("amux.bash"), "{check:?}");
}

async fn startup_file_that_replaces_prompt_command_is_noticed(case: &Case) {
    let check = check(case, "PROMPT_COMMAND='printf \"\"'\n").await;
    assert!(check.answered);
    assert!(
        !check.integrated && !check.status && !check.pipe_statuses,
        "{check:?}"
    );
    assert_eq!(check.prompt_command, "printf \"\"");
    assert!(!check.is_good());
}

/// `history -a` succeeds, and with it in front each status would read 0. The integration puts itself before it.
async fn startup_file_that_puts_a_command_in_front_changes_no_status(case: &Case) {
    let check = check(case, "PROMPT_COMMAND=\"history -a; $PROMPT_COMMAND\"\n").await;
    assert!(check.is_good(), "{check:?}");
    assert!(check.prompt_command.contains("history -a"));
    let window = window(case, "w").await;
    let output = run(&window, "(exit 3) | (exit 5)").await;
    assert_eq!(output.status(), Some(5));
    assert_eq!(output.record.pipe_statuses, [3, 5]);
}

async fn startup_file_that_fixes_a_command_in_front_is_noticed(case: &Case) {
    let profile = "PROMPT_COMMAND=\"history -a; $PROMPT_COMMAND\"; readonly PROMPT_COMMAND\n";
    let check = check(case, profile).await;
    assert!(check.answered && check.integrated, "{check:?}");
    assert!(!check.status && !check.pipe_statuses, "{check:?}");
}

/// As starship does.
async fn prompt_command_replaced_by_a_function_that_runs_the_old_one_is_no_override(case: &Case) {
    let profile = "old=$PROMPT_COMMAND\nprecmd() {\n  local status=$?\n  true | true\n  \
        eval \"$old\"\n  PS1=\"[$status] \"\n}\nPROMPT_COMMAND=precmd\n";
    let check = check(case, profile).await;
    assert!(check.is_good(), "{check:?}");
    let window = window(case, "w").await;
    let output = run(&window, "(exit 3) | (exit 5)").await;
    assert_eq!(output.status(), Some(5));
    assert_eq!(output.record.pipe_statuses, [3, 5]);
}

async fn startup_file_that_turns_bracketed_paste_off_at_each_prompt_is_noticed(case: &Case) {
    let profile = "PROMPT_COMMAND=\"$PROMPT_COMMAND; bind 'set enable-bracketed-paste off'\"\n";
    let check = check(case, profile).await;
    assert!(check.answered && check.integrated, "{check:?}");
    assert!(!check.bracketed_paste, "{check:?}");
}

async fn startup_file_that_starts_tmux_does_not_start_it(case: &Case) {
    let check = check(case, "[ -n \"$TMUX\" ] || exec sleep 60\n").await;
    assert!(check.is_good(), "{check:?}");
}

async fn startup_file_that_waits_does_not_hold_the_check(case: &Case) {
    let begun = Instant::now();
    let check = check(case, "sleep 600\n").await;
    assert!(!check.answered && !check.is_good(), "{check:?}");
    let took = begun.elapsed();
    assert!(took > Duration::from_secs(15), "{took:?}");
    assert!(took < Duration::from_secs(40), "{took:?}");
    // One that ends tells at once.
    case.write(".bash_profile", "exit 3\n");
    let begun = Instant::now();
    let builder = amux::Server::builder()
        .tenant(crate::case::TENANT)
        .binary(&case.target.binary);
    let again = builder
        .connect()
        .await
        .unwrap()
        .check_terminals()
        .await
        .unwrap();
    assert!(!again.answered);
    assert!(begun.elapsed() < Duration::from_secs(10));
}

async fn check_leaves_the_history_of_the_user_alone(case: &Case) {
    case.write(".bash_history", "one\n");
    let check = check(case, "HISTFILE=~/.bash_history\nHISTSIZE=100\n").await;
    assert!(check.is_good(), "{check:?}");
    assert_eq!(case.contents(".bash_history"), b"one\n");
}

async fn check_leaves_no_window_and_no_process(case: &Case) {
    // What it says of itself, and a process in the background of a startup file.
    let path = program(case, "environment", "#!/bin/sh\nenv >environment.txt\n");
    let profile = format!("{}\nsleep 600 &\n", path.display());
    let check = check(case, &profile).await;
    assert!(check.is_good(), "{check:?}");
    let environment = String::from_utf8(case.contents("environment.txt")).unwrap();
    assert!(!environment.contains("TMUX_PANE="), "{environment}");
    for variable in ["TMUX=/", "TERM=", "LC_ALL=C.UTF-8", "PAGER=cat"] {
        let found = environment.lines().any(|line| line.starts_with(variable));
        assert!(found, "{variable}: {environment}");
    }
    assert_eq!(case.tmux(&["list-windows", "-a"]).await.out, b"");
    // The trial's end looks for processes and files that are left.
    std::fs::remove_file(case.home().join(".bash_profile")).unwrap();
    let window = window(case, "w").await;
    until_prompt(&window).await;
    exits(&window, "true", 0).await;
}
