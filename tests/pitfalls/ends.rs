//! How a server ends, and how that is told.

use std::time::{Duration, Instant};

use amux::{
    CaptureOptions, ErrorKind, ExitReason, Key, Range, ReadOptions, RunOptions, Server, Stopped,
    Submit, Window,
};

use crate::case::{Case, TENANT, exits, refused, until, until_foreground, until_prompt};
use crate::runner::topic;
use crate::tools::{self, has_ended, signal};

topic!("ends":
    kill_server_typed_in_a_terminal_reaches_our_server,
    crash_is_told_from_a_stop,
    killed_server_is_recognised_within_half_a_second,
    server_that_shuts_down_lets_its_clients_end_in_silence,
    server_that_ends_by_itself_was_not_stopped,
    server_that_does_not_answer_ends_on_sigterm,
    server_that_does_not_react_is_killed,
    stop_may_be_asked_for_twice,
);

async fn start(case: &Case) -> (Server, Window) {
    let builder = Server::builder().tenant(TENANT).binary(&case.target.binary);
    let server = builder.start().await.unwrap();
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    until_prompt(&window).await;
    (server, window)
}

async fn kill_server_typed_in_a_terminal_reaches_our_server(case: &Case) {
    let (server, window) = start(case).await;
    let socket = server.socket().to_str().unwrap().to_owned();
    let tmux = exits(&window, "echo \"${TMUX%%,*}\"", 0).await;
    assert_eq!(tmux, format!("{socket}\n"));
    let text = format!("{} kill-server", case.target.binary.display());
    window.write(text.as_str(), Submit::Yes).await.unwrap();
    let exit = server.wait().await.unwrap();
    assert_eq!(
        (exit.pid, exit.reason),
        (server.pid(), ExitReason::Exited(0))
    );
    assert_eq!(refused(window.state().await), ErrorKind::NoServer);
    assert_eq!(refused(server.stop().await), ErrorKind::NoServer);
}

async fn crash_is_told_from_a_stop(case: &Case) {
    for name in ["SEGV", "KILL"] {
        let (server, _window) = start(case).await;
        let waiting = tokio::spawn({
            let server = server.clone();
            async move { server.wait().await }
        });
        signal(server.pid(), name);
        let exit = waiting.await.unwrap().unwrap();
        let number = if name == "SEGV" { 11 } else { 9 };
        assert_eq!(exit.reason, ExitReason::Signaled(number));
    }
    let (server, _window) = start(case).await;
    assert_eq!(server.stop().await.unwrap(), Stopped::Asked);
    assert_eq!(server.wait().await.unwrap().reason, ExitReason::Stopped);
}

/// One call of each kind; a silent one may succeed.
async fn call(server: &Server, window: &Window, which: usize) -> Result<(), ErrorKind> {
    let kind = |error: amux::Error| error.kind().clone();
    match which % 8 {
        0 => window.state().await.map(drop).map_err(kind),
        1 => window
            .capture(CaptureOptions::new())
            .await
            .map(drop)
            .map_err(kind),
        2 => server.windows().await.map(drop).map_err(kind),
        3 => window.keys(&[Key::new("a").unwrap()]).await.map_err(kind),
        4 => window
            .write("a", Submit::Never)
            .await
            .map(drop)
            .map_err(kind),
        5 => window
            .read(ReadOptions::new(Range::Unread))
            .await
            .map(drop)
            .map_err(kind),
        6 => window.ensure().await.map(drop).map_err(kind),
        _ => window.records().await.map(drop).map_err(kind),
    }
}

async fn killed_server_is_recognised_within_half_a_second(case: &Case) {
    for round in 0..4 {
        let (server, window) = start(case).await;
        let running = server.window("running").unwrap();
        running.create().await.unwrap();
        let run = tokio::spawn({
            let running = running.clone();
            async move { running.run("sleep 60", RunOptions::new()).await }
        });
        until_foreground(&running, "sleep").await;
        // Calls of every kind are on their way while it is killed.
        let calls: Vec<_> = (0..8)
            .map(|which| {
                let (server, window) = (server.clone(), window.clone());
                tokio::spawn(async move {
                    loop {
                        if let Err(kind) = call(&server, &window, which).await {
                            return (kind, Instant::now());
                        }
                    }
                })
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(20 + 13 * round)).await;
        signal(server.pid(), "KILL");
        let killed = Instant::now();
        for (which, call) in calls.into_iter().enumerate() {
            let (kind, at) = call.await.unwrap();
            assert_eq!(kind, ErrorKind::NoServer, "call {which}");
            let took = at.saturating_duration_since(killed);
            // Half a second, and what a busy machine adds. A call that hangs takes ten.
            assert!(took < Duration::from_secs(5), "call {which}: {took:?}");
        }
        assert_eq!(refused(run.await.unwrap()), ErrorKind::NoServer);
        assert_eq!(refused(window.kill().await), ErrorKind::NoServer);
        assert_eq!(server.wait().await.unwrap().reason, ExitReason::Signaled(9));
    }
}

/// Their status is 0 and they have printed nothing, although nothing was done.
async fn server_that_shuts_down_lets_its_clients_end_in_silence(case: &Case) {
    for round in 0..6 {
        let (server, window) = start(case).await;
        let running = server.window("running").unwrap();
        running.create().await.unwrap();
        let run = tokio::spawn({
            let running = running.clone();
            async move { running.run("sleep 60", RunOptions::new()).await }
        });
        let wait = {
            until_foreground(&running, "sleep").await;
            let running = running.clone();
            tokio::spawn(async move { running.wait(None, None).await })
        };
        // On SIGTERM no session is asked for: one that is made by a command that waits its turn while the server
        // shuts down keeps that server alive (server_loop in server.c), without a socket. A stop ends it after 5 s.
        let kinds: Vec<_> = match round % 2 {
            0 => vec![0, 1, 2, 3, 4, 5, 7],
            _ => (0..8).collect(),
        };
        let calls: Vec<_> = kinds
            .into_iter()
            .map(|which| {
                let (server, window) = (server.clone(), window.clone());
                tokio::spawn(async move {
                    loop {
                        if let Err(kind) = call(&server, &window, which).await {
                            return kind;
                        }
                    }
                })
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(20 + 13 * round)).await;
        match round % 2 {
            0 => signal(server.pid(), "TERM"),
            _ => drop(server.stop().await.unwrap()),
        }
        for (which, call) in calls.into_iter().enumerate() {
            assert_eq!(call.await.unwrap(), ErrorKind::NoServer, "call {which}");
        }
        assert_eq!(refused(run.await.unwrap()), ErrorKind::NoServer);
        assert_eq!(refused(wait.await.unwrap()), ErrorKind::NoServer);
        let reason = match round % 2 {
            0 => ExitReason::Exited(0),
            _ => ExitReason::Stopped,
        };
        assert_eq!(server.wait().await.unwrap().reason, reason);
    }
}

async fn server_that_ends_by_itself_was_not_stopped(case: &Case) {
    for _ in 0..5 {
        let (server, _window) = start(case).await;
        signal(server.pid(), "TERM");
        // It may be asked in time, or be on its way out already.
        let reason = match server.stop().await {
            Ok(Stopped::Asked) => ExitReason::Stopped,
            Err(error) if *error.kind() == ErrorKind::NoServer => ExitReason::Exited(0),
            other => panic!("{other:?}"),
        };
        assert_eq!(server.wait().await.unwrap().reason, reason);
    }
}

async fn server_that_does_not_answer_ends_on_sigterm(case: &Case) {
    let (server, _window) = start(case).await;
    let stuck = tools::Stopped::new(server.pid());
    let begun = Instant::now();
    let stop = tokio::spawn({
        let server = server.clone();
        async move { server.stop().await }
    });
    // SIGTERM comes after 5 s; only then does it react again.
    until("SIGTERM to wait for it", async || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
        let pending = status.lines().find_map(|line| line.strip_prefix("ShdPnd:"));
        let pending = u64::from_str_radix(pending.unwrap().trim(), 16).unwrap();
        match pending & (1 << 14) {
            0 => Err(format!("{pending:x}")),
            _ => Ok(()),
        }
    })
    .await;
    drop(stuck);
    assert_eq!(stop.await.unwrap().unwrap(), Stopped::Terminated);
    assert!(begun.elapsed() < Duration::from_secs(8));
    assert_eq!(server.wait().await.unwrap().reason, ExitReason::Stopped);
}

async fn server_that_does_not_react_is_killed(case: &Case) {
    let (server, _window) = start(case).await;
    let _stuck = tools::Stopped::new(server.pid());
    let begun = Instant::now();
    assert_eq!(server.stop().await.unwrap(), Stopped::Killed);
    let took = begun.elapsed();
    assert!(took >= Duration::from_secs(7), "{took:?}");
    assert!(took < Duration::from_secs(12), "{took:?}");
    assert!(has_ended(server.pid()));
    assert_eq!(server.wait().await.unwrap().reason, ExitReason::Stopped);
}

async fn stop_may_be_asked_for_twice(case: &Case) {
    let (server, _window) = start(case).await;
    let (one, two) = tokio::join!(server.stop(), server.stop());
    let results = [one, two];
    let asked = results
        .iter()
        .filter(|result| matches!(result, Ok(Stopped::Asked)))
        .count();
    assert_eq!(asked, 1, "{results:?}");
    for error in results.into_iter().filter_map(Result::err) {
        assert_eq!(*error.kind(), ErrorKind::NoServer);
    }
}
