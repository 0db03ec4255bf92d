//! The server: started, asked for, and found.

use std::time::{Duration, Instant};

use amux::{ErrorKind, ExitReason, RunOptions, Server, Submit};

use crate::case::{Case, TENANT, exits, refused, until, until_prompt};
use crate::runner::topic;
use crate::tools::{Stopped, has_ended, program, signal};

topic!("server":
    server_goes_on_without_its_last_session,
    server_that_answers_may_be_another_one,
    socket_of_a_dead_server_is_taken_over,
    server_left_by_its_controller_is_told_with_its_pid,
    two_that_start_at_once_give_one_server,
    configuration_of_the_user_is_not_read,
    command_after_the_server_has_gone_starts_none,
    stuck_server_holds_no_call_past_its_deadline,
    stuck_server_does_not_hold_a_start,
    tenant_is_a_socket_of_its_own,
    tenant_in_a_folder_with_a_long_path_is_refused,
    bash_that_is_too_old_is_refused,
    tmux_that_is_too_old_is_refused,
);

fn builder(case: &Case) -> amux::Builder {
    Server::builder().tenant(TENANT).binary(&case.target.binary)
}

async fn server_goes_on_without_its_last_session(case: &Case) {
    let server = case.server().await;
    let window = server.window("w").unwrap();
    for _ in 0..2 {
        window.create().await.unwrap();
        until_prompt(&window).await;
        window.write("exit", Submit::Yes).await.unwrap();
        until("the window to go", async || match server.windows().await {
            Ok(windows) if windows.is_empty() => Ok(()),
            other => Err(format!("{other:?}")),
        })
        .await;
    }
    assert!(!has_ended(server.pid()));
}

async fn server_that_answers_may_be_another_one(case: &Case) {
    let first = case.server().await;
    exits(&window(&first).await, "v=1", 0).await;
    let begun = Instant::now();
    let kind = refused(builder(case).start().await);
    assert_eq!(kind, ErrorKind::SocketInUse { pid: first.pid() });
    assert!(begun.elapsed() < Duration::from_secs(8));
    // The first has not suffered.
    let same = first.window("w").unwrap();
    assert_eq!(exits(&same, "echo $v", 0).await, "1\n");
}

async fn window(server: &Server) -> amux::Window {
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    window
}

async fn socket_of_a_dead_server_is_taken_over(case: &Case) {
    let first = builder(case).start().await.unwrap();
    signal(first.pid(), "KILL");
    let exit = first.wait().await.unwrap();
    assert_eq!(
        (exit.pid, exit.reason),
        (first.pid(), ExitReason::Signaled(9))
    );
    assert!(first.socket().exists());
    let second = case.server().await;
    assert_ne!(first.pid(), second.pid());
    assert_eq!(first.socket(), second.socket());
    // Who waited for the first reads its end, not that of the second.
    assert_eq!(first.wait().await.unwrap(), exit);
}

/// The kernel does not end a child with its parent: a controller that is killed leaves its server.
async fn server_left_by_its_controller_is_told_with_its_pid(case: &Case) {
    let (left, started) = builder(case).connect_or_start().await.unwrap();
    assert!(started && !left.is_owned());
    let pid = left.pid();
    drop(left);
    let kind = refused(builder(case).start().await);
    assert_eq!(kind, ErrorKind::SocketInUse { pid });
    let found = builder(case).connect().await.unwrap();
    assert_eq!(found.pid(), pid);
    found.stop().await.unwrap();
    assert!(has_ended(pid));
    // Now it can be had.
    case.server().await;
}

async fn two_that_start_at_once_give_one_server(case: &Case) {
    for _ in 0..5 {
        let starts: Vec<_> = (0..4)
            .map(|_| {
                let builder = builder(case);
                tokio::spawn(async move { builder.start().await })
            })
            .collect();
        let (mut won, mut lost) = (Vec::new(), Vec::new());
        for start in starts {
            match start.await.unwrap() {
                Ok(server) => won.push(server),
                Err(error) => lost.push(error.kind().clone()),
            }
        }
        let [server] = &won[..] else {
            panic!("{won:?} {lost:?}");
        };
        let pid = server.pid();
        assert!(
            lost.iter()
                .all(|kind| *kind == ErrorKind::SocketInUse { pid }),
            "{lost:?}"
        );
        server.stop().await.unwrap();
    }
}

async fn configuration_of_the_user_is_not_read(case: &Case) {
    let text = "set -g base-index 5\nset -g prefix C-a\nset -g history-limit 7\n\
        set -s exit-empty on\nset-hook -g after-new-window 'kill-window'\n";
    case.write(".tmux.conf", text);
    std::fs::create_dir_all(case.home().join(".config/tmux")).unwrap();
    case.write(".config/tmux/tmux.conf", text);
    let server = case.server().await;
    for name in ["a", "b"] {
        let window = server.window(name).unwrap();
        window.create().await.unwrap();
        exits(&window, "true", 0).await;
    }
    let options = case
        .tmux_ok(&[
            "display-message",
            "-p",
            "#{base-index} #{prefix} #{history-limit}",
        ])
        .await;
    assert_eq!(options, "0 C-b 10000");
}

/// `new-session` starts a server where none is, in the background, which nobody would watch.
async fn command_after_the_server_has_gone_starts_none(case: &Case) {
    let server = builder(case).start().await.unwrap();
    let window = server.window("w").unwrap();
    let tasks: Vec<_> = (0..8)
        .map(|n| {
            let window = server
                .session(&format!("s{n}"))
                .unwrap()
                .window("w")
                .unwrap();
            tokio::spawn(async move {
                loop {
                    match window.ensure().await {
                        Ok(_) => {}
                        Err(error) => return error.kind().clone(),
                    }
                }
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(100)).await;
    server.stop().await.unwrap();
    for task in tasks {
        assert_eq!(task.await.unwrap(), ErrorKind::NoServer);
    }
    assert_eq!(refused(window.create().await), ErrorKind::NoServer);
    assert_eq!(refused(builder(case).connect().await), ErrorKind::NoServer);
}

async fn stuck_server_holds_no_call_past_its_deadline(case: &Case) {
    use amux::{CaptureOptions, Key, Range, ReadOptions};
    let limit = Duration::from_secs(1);
    let server = builder(case).call_timeout(limit).start().await.unwrap();
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    exits(&window, "v=1", 0).await;
    let stuck = Stopped::new(server.pid());
    let large = "x".repeat(1 << 20);
    let options = || RunOptions::new().timeout(limit);
    for call in 0..11 {
        let begun = Instant::now();
        let other = server.window("other").unwrap();
        let kind = match call {
            0 => refused(window.state().await),
            1 => refused(window.capture(CaptureOptions::new().history(100)).await),
            2 => refused(window.keys(&[Key::interrupt()]).await),
            3 => refused(window.write("x", Submit::Never).await),
            4 => refused(window.write(large.as_str(), Submit::Never).await),
            5 => refused(window.read(ReadOptions::new(Range::Unread)).await),
            6 => refused(window.wait(None, Some(limit)).await),
            7 => refused(window.run("true", options()).await),
            8 => refused(server.windows().await),
            9 => refused(other.create().await),
            _ => refused(window.records().await),
        };
        let took = begun.elapsed();
        assert_eq!(kind, ErrorKind::Timeout, "call {call}");
        // A second is given to the pipes of the client that is killed.
        assert!(took < Duration::from_secs(8), "call {call}: {took:?}");
    }
    drop(stuck);
    // None of them waits to be done: what was not read yet went with its client.
    until("the server to answer", async || {
        window.state().await.map_err(|error| format!("{error:?}"))
    })
    .await;
    server.stop().await.unwrap();
}

async fn stuck_server_does_not_hold_a_start(case: &Case) {
    let server = case.server().await;
    let stuck = Stopped::new(server.pid());
    let limit = Duration::from_millis(500);
    let begun = Instant::now();
    let kind = refused(builder(case).call_timeout(limit).start().await);
    assert_eq!(kind, ErrorKind::Timeout);
    let kind = refused(builder(case).call_timeout(limit).connect().await);
    assert_eq!(kind, ErrorKind::Timeout);
    assert!(begun.elapsed() < Duration::from_secs(20));
    drop(stuck);
}

async fn tenant_is_a_socket_of_its_own(case: &Case) {
    let one = case.server().await;
    let builder = Server::builder().tenant("two").binary(&case.target.binary);
    let two = builder.start().await.unwrap();
    assert_ne!(one.socket(), two.socket());
    exits(&window(&one).await, "v=1", 0).await;
    let same_name = window(&two).await;
    assert_eq!(exits(&same_name, "echo \"[$v]\"", 0).await, "[]\n");
    // Others cannot reach it.
    use std::os::unix::fs::MetadataExt;
    let folder = std::fs::metadata(one.socket().parent().unwrap()).unwrap();
    assert_eq!(folder.mode() & 0o007, 0, "{:o}", folder.mode());
    two.stop().await.unwrap();
    assert!(!has_ended(one.pid()));
}

/// A socket's path ends at 107 bytes. The folder is of this process's environment: here it is that of `amux`.
async fn tenant_in_a_folder_with_a_long_path_is_refused(case: &Case) {
    let folder = case.home().join("d".repeat(80));
    std::fs::create_dir(&folder).unwrap();
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_amux"));
    command
        .args(["-L", "t", "start"])
        .env("AMUX_TMUX", &case.target.binary)
        .env("TMUX_TMPDIR", &folder);
    let output = command.output().await.unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(125), "{said}");
    assert!(said.contains("longer than 107 bytes"), "{said}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}

async fn bash_that_is_too_old_is_refused(case: &Case) {
    let old = program(
        case,
        "bash",
        "#!/bin/sh\necho 'GNU bash, version 4.3.30(1)-release (x86_64)'\n",
    );
    let kind = refused(builder(case).bash(&old).start().await);
    assert_eq!(kind, ErrorKind::VersionTooOld);
    let none = builder(case).bash("/nonexistent/bash").start().await;
    assert_eq!(refused(none), ErrorKind::BinaryNotFound);
    assert_eq!(refused(builder(case).connect().await), ErrorKind::NoServer);
}

async fn tmux_that_is_too_old_is_refused(case: &Case) {
    let old = program(case, "tmux", "#!/bin/sh\necho 'tmux 3.2a'\n");
    let kind = refused(builder(case).binary(&old).start().await);
    assert_eq!(kind, ErrorKind::VersionTooOld);
}
