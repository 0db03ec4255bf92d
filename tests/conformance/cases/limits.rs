//! What must not bring down a server, a shell or another pane.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use amux::{Ended, RunOptions, Submit, WhenLate};

use crate::case::{
    Case, exits, options, run, until, until_file, until_foreground, until_prompt, until_state,
};
use crate::runner::topic;

topic!("limits":
    control_client_that_does_not_read,
    command_over_its_memory_limit,
    command_that_is_killed,
    late_command_leaves_no_process,
    late_command_leaves_what_was_there_before,
    late_loop_of_the_shell_ends,
    late_command_that_ignores_signals_is_killed,
    command_line_says_what_was_killed,
    command_that_ends_in_time_is_left_alone,
    busy_pane_does_not_hold_the_others,
);

/// Case E1: a control client that reads nothing, much output, a pipe, and a pane that is respawned. Stock servers up
/// to 3.5a end by that: there, the controller has no control client. tmux holds the output of the panes that such a
/// client sees; those of another session go on.
async fn control_client_that_does_not_read(case: &Case) {
    let server = case.server().await;
    let seen = server.window("w").unwrap();
    let other = server.session("other").unwrap().window("w").unwrap();
    seen.create().await.unwrap();
    other.create().await.unwrap();
    until_prompt(&seen).await;
    let client = match case.is_stock() {
        true => None,
        false => Some(control_client(case).await),
    };
    let target = format!("={}:={}", seen.session(), seen.name());
    for _ in 0..2 {
        if !case.is_stock() {
            case.tmux_ok(&["pipe-pane", "-t", &target, "cat >/dev/null"])
                .await;
        }
        seen.write("seq 1 100000", Submit::Yes).await.unwrap();
        until_state(&seen, "output", |state| state.total > 1000).await;
        case.tmux_ok(&["respawn-pane", "-k", "-t", &target]).await;
        let format = "#{client_control_mode}";
        let clients = case.tmux_ok(&["list-clients", "-F", format]).await;
        assert_eq!(clients, if client.is_some() { "1" } else { "" });
        assert_eq!(exits(&other, "echo here", 0).await, "here\n");
    }
    if let Some(mut client) = client {
        client.kill().unwrap();
        client.wait().unwrap();
    }
    assert_eq!(exits(&seen, "echo here", 0).await, "here\n");
}

/// Starts a client in control mode whose output nobody reads.
async fn control_client(case: &Case) -> Child {
    let client = Command::new(&case.target.binary)
        .args(["-u", "-N", "-S"])
        .arg(case.socket())
        .args(["-C", "attach-session"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until("a control client", async || {
        let format = "#{client_control_mode}";
        match &*case.tmux_ok(&["list-clients", "-F", format]).await {
            "1" => Ok(()),
            other => Err(other.to_owned()),
        }
    })
    .await;
    client
}

/// Case E9: what asks for more memory than its limit fails by itself, and says why.
async fn command_over_its_memory_limit(case: &Case) {
    let window = case.window().await;
    let text = "(ulimit -v 524288; perl -e '$x = \"x\" x (2 << 30); print length $x' 2>&1)";
    let output = run(&window, text).await;
    assert!(output.text.contains("Out of memory"), "{output:?}");
    assert_eq!((output.ended(), output.success()), (Ended::Exited, false));
    assert_eq!(exits(&window, "echo here", 0).await, "here\n");
}

/// Case E9: the status of a command that the system kills tells the signal; the shell lives.
async fn command_that_is_killed(case: &Case) {
    let window = case.window().await;
    let output = run(&window, "sh -c 'kill -KILL $$'").await;
    assert_eq!(output.record.signal(), Some(9), "{output:?}");
    assert_eq!(output.status(), Some(137));
    assert_eq!(run(&window, "true").await.record.signal(), None);
    let told = case
        .amux(&["run", "w", "--", "sh -c 'kill -KILL $$'"], b"")
        .await;
    assert_eq!(told.status, Some(137));
    assert!(told.err.contains("SIGKILL"), "{told:?}");
}

/// Options by which a command is late, once they have surely begun.
fn late() -> RunOptions {
    options()
        .timeout(Duration::from_secs(3))
        .when_late(WhenLate::Kill)
}

/// Which of the processes whose ids are in a file are there.
fn there(ids: &[u8]) -> Vec<String> {
    let ids = String::from_utf8_lossy(ids);
    ids.split_whitespace()
        .filter(|pid| {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
            stat.is_ok_and(|stat| !stat.contains(") Z "))
        })
        .map(str::to_owned)
        .collect()
}

/// Case E10: no process of a command that was killed lives on, in whatever session it is.
async fn late_command_leaves_no_process(case: &Case) {
    let window = case.window().await;
    let text = "setsid sleep 999 & echo $! >>pids; \
        (setsid sh -c 'echo $$ >>pids; exec sleep 999' &) ; \
        (env -i sleep 999 & echo $! >>pids; exec sleep 999) & echo $! >>pids; wait";
    let window_run = window.run(text, late());
    let output = window_run.await.unwrap();
    assert!(output.timed_out, "{output:?}");
    let killed = output.killed.as_ref().unwrap();
    assert_eq!(killed.left, [0; 0], "{output:?}");
    assert!(killed.processes >= 4, "{output:?}");
    assert!(output.ended().is_final(), "{output:?}");
    let pids = until_file(case, "pids", |ids| {
        (ids.iter().filter(|b| **b == b'\n').count() == 4).then(|| ids.to_vec())
    })
    .await;
    assert_eq!(there(&pids), [""; 0]);
    assert_eq!(exits(&window, "echo here", 0).await, "here\n");
}

/// Case E10: what an earlier command left in the background is not of the tree.
async fn late_command_leaves_what_was_there_before(case: &Case) {
    let window = case.window().await;
    exits(&window, "sleep 999 & echo $! >before", 0).await;
    let before = case.contents("before");
    let output = window.run("echo out; sleep 998", late()).await.unwrap();
    assert!(output.text.starts_with("out\n"), "{output:?}");
    assert!(output.timed_out && output.ended().is_final(), "{output:?}");
    assert_eq!(there(&before).len(), 1);
    exits(&window, "kill %1; wait", 0).await;
}

/// A loop of the shell itself is interrupted: it would start the next process.
async fn late_loop_of_the_shell_ends(case: &Case) {
    let window = case.window().await;
    let output = window
        .run("while :; do sleep 0.01; done", late())
        .await
        .unwrap();
    assert!(output.timed_out && output.ended().is_final(), "{output:?}");
    assert_eq!(exits(&window, "echo here", 0).await, "here\n");
}

/// What ignores SIGINT and SIGTERM is killed.
async fn late_command_that_ignores_signals_is_killed(case: &Case) {
    let window = case.window().await;
    let text = "sh -c 'trap \"\" INT TERM; echo set; while :; do sleep 1; done'";
    let output = window.run(text, late()).await.unwrap();
    assert!(output.timed_out, "{output:?}");
    assert_eq!(output.killed.as_ref().unwrap().left, [0; 0]);
    assert_eq!(output.record.signal(), Some(9), "{output:?}");
    assert_eq!(exits(&window, "echo here", 0).await, "here\n");
}

/// The command amux says that it was killed, and not that it goes on.
async fn command_line_says_what_was_killed(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let late = ["run", "w", "--timeout", "3", "--kill", "--", "sleep 999"];
    let told = case.amux(&late, b"").await;
    assert_eq!(told.status, Some(124), "{told:?}");
    assert!(told.err.contains("was killed\n"), "{told:?}");
    assert!(!told.err.contains("goes on"), "{told:?}");
    let late = ["run", "w", "--timeout", "0.5", "--", "sleep 999"];
    let told = case.amux(&late, b"").await;
    assert_eq!(told.status, Some(124), "{told:?}");
    assert!(told.err.contains("goes on"), "{told:?}");
    window.interrupt().await.unwrap();
}

/// In time, nothing is killed, and nothing is said of it.
async fn command_that_ends_in_time_is_left_alone(case: &Case) {
    let window = case.window().await;
    let output = window
        .run(
            "sleep 999 & echo $! >left",
            options().when_late(WhenLate::Kill),
        )
        .await
        .unwrap();
    assert!(!output.timed_out && output.killed.is_none());
    assert_eq!(there(&case.contents("left")).len(), 1);
    let none = window.kill_command().await.unwrap();
    assert_eq!((none.processes, none.record), (0, None));
    assert_eq!(there(&case.contents("left")).len(), 1);
    exits(&window, "kill %1; wait", 0).await;
}

/// Case E4: while one pane prints without end, another is read and run in.
async fn busy_pane_does_not_hold_the_others(case: &Case) {
    let server = case.server().await;
    let busy = server.window("busy").unwrap();
    let window = server.window("w").unwrap();
    busy.create().await.unwrap();
    window.create().await.unwrap();
    until_prompt(&busy).await;
    busy.write("yes", Submit::Yes).await.unwrap();
    until_foreground(&busy, "yes").await;
    for number in 0..20 {
        let text = format!("echo {number}");
        assert_eq!(exits(&window, &text, 0).await, format!("{number}\n"));
    }
    busy.interrupt().await.unwrap();
    until_prompt(&busy).await;
}
