//! When a command has ended.

use std::time::{Duration, Instant};

use amux::{Ended, ErrorKind, Range, ReadOptions, Submit};

use crate::case::{
    Case, exits, find, options, refused, run, unread, until, until_foreground, until_prompt,
};
use crate::leftovers;
use crate::runner::topic;
use crate::support::deadline::LONG;

topic!("ends":
    text_is_found_in_the_output_and_not_in_the_echo,
    pause_in_the_output_is_no_end,
    first_command_of_50_new_panes_is_whole,
    background_output_belongs_to_no_command,
    server_that_is_killed_ends_every_wait,
    server_that_is_stopped_ends_every_wait,
    cancelled_wait_leaves_nothing,
    time_that_is_over_is_told_with_what_there_is,
);

/// Case B1: the text that a command prints after 3 s is not found in the echo of the line that prints it.
async fn text_is_found_in_the_output_and_not_in_the_echo(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let start = Instant::now();
    let id = window
        .write("sleep 3; echo DONE", Submit::Yes)
        .await
        .unwrap()
        .unwrap();
    let options = || ReadOptions::new(Range::Command(id));
    let chunk = until("DONE", async || {
        let chunk = window.read(options()).await.unwrap();
        match chunk.text().contains("DONE") {
            true => Ok(chunk),
            false => Err(format!("{chunk:?}")),
        }
    })
    .await;
    assert!(start.elapsed() >= Duration::from_secs(3), "{chunk:?}");
    let record = window.wait(Some(id), Some(LONG)).await.unwrap().unwrap();
    // A starved server reads the first mark, and so the clock, late.
    assert!(record.duration.unwrap() >= Duration::from_millis(2000));
    assert_eq!(window.read(options()).await.unwrap().text(), "DONE\n");
}

/// Case B3: `echo a; sleep 3; echo b` is one result.
async fn pause_in_the_output_is_no_end(case: &Case) {
    let window = case.window().await;
    assert_eq!(exits(&window, "echo a; sleep 3; echo b", 0).await, "a\nb\n");
    assert_eq!(
        exits(&window, "echo a\nsleep 1\necho b\nsleep 1\necho c", 0).await,
        "a\nb\nc\n"
    );
    assert_eq!(window.records().await.unwrap().len(), 2);
}

/// Case B12: the first command in a new pane, 50 times: both lines each time.
async fn first_command_of_50_new_panes_is_whole(case: &Case) {
    let server = case.server().await;
    for n in 0..50 {
        let window = server.window(&format!("w{n}")).unwrap();
        window.create().await.unwrap();
        assert_eq!(
            exits(&window, "echo 1; echo 2", 0).await,
            "1\n2\n",
            "pane {n}"
        );
        // Some stay, so that the server has many.
        if n % 3 != 0 {
            window.kill().await.unwrap();
        }
    }
}

/// Case B15: what a job in the background prints later is kept apart, as bytes between two commands.
pub async fn background_output_belongs_to_no_command(case: &Case) {
    let window = case.window().await;
    let text = "(until [ -e late ]; do sleep 0.05; done; echo LATE)&";
    let job = run(&window, text).await;
    assert_eq!(job.status(), Some(0));
    case.write("late", "");
    until("LATE", async || {
        let chunk = unread(&window).await;
        // Not in the echo of the line: there a parenthesis is behind it.
        find(&chunk.bytes, b"LATE\r\n")
            .map(drop)
            .ok_or_else(|| format!("{chunk:?}"))
    })
    .await;
    let now = run(&window, "echo now").await;
    assert_eq!(now.text, "now\n");

    let chunk = unread(&window).await;
    let late = chunk.start + find(&chunk.bytes, b"LATE\r\n").unwrap() as u64;
    assert!(job.record.output_end.unwrap() <= late, "{job:?} {late}");
    assert!(late < now.record.output_start.unwrap(), "{now:?} {late}");
    let job = window
        .read(ReadOptions::new(Range::Command(job.id())))
        .await
        .unwrap();
    assert!(!job.text().contains("LATE"), "{job:?}");
}

/// Case B20: the server is killed: everybody who waits is told.
async fn server_that_is_killed_ends_every_wait(case: &Case) {
    let server = case.server().await;
    let pid = rustix::process::Pid::from_raw(server.pid() as i32).unwrap();
    ended_by(case, &server, async || {
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    })
    .await;
    let exit = server.wait().await.unwrap();
    assert_eq!(exit.reason, amux::ExitReason::Signaled(9));
    case.server_has_ended();
}

/// Case B20: the server is stopped: everybody who waits is told.
async fn server_that_is_stopped_ends_every_wait(case: &Case) {
    let server = case.server().await;
    ended_by(case, &server, async || {
        server.stop().await.unwrap();
    })
    .await;
    let exit = server.wait().await.unwrap();
    assert_eq!(exit.reason, amux::ExitReason::Stopped);
    case.server_has_ended();
}

async fn ended_by(case: &Case, server: &amux::Server, end: impl AsyncFn()) {
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    until_prompt(&window).await;
    let other = server.window("other").unwrap();
    other.create().await.unwrap();
    until_prompt(&other).await;
    let id = window.write("sleep 60", Submit::Yes).await.unwrap();
    let (by_run, by_id, newest, by_command, ()) = tokio::join!(
        other.run("sleep 60", options()),
        window.wait(id, Some(LONG)),
        window.wait(None, None),
        case.amux_beside(&["wait", "w"], b""),
        async {
            until_waiters(case, 4).await;
            until_foreground(&window, "sleep").await;
            until_foreground(&other, "sleep").await;
            end().await;
        }
    );
    assert_eq!(refused(by_run), ErrorKind::NoServer);
    assert_eq!(refused(by_id), ErrorKind::NoServer);
    assert_eq!(refused(newest), ErrorKind::NoServer);
    assert_eq!(by_command.status, Some(125), "{by_command:?}");
    assert_eq!(refused(window.state().await), ErrorKind::NoServer);
    assert_eq!(
        refused(window.run("true", options()).await),
        ErrorKind::NoServer
    );
}

/// Waits until so many connections are there that wait.
async fn until_waiters(case: &Case, count: usize) {
    if case.is_stock() {
        // This process itself waits; nothing shows outside of it.
        return;
    }
    until("connections that wait", async || match case.connections() {
        found if found == count => Ok(()),
        found => Err(format!("{found}")),
    })
    .await;
}

/// Case B20: a wait is cancelled: no client stays, the server forgets it, the command goes on.
async fn cancelled_wait_leaves_nothing(case: &Case) {
    let server = case.server().await;
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    until_prompt(&window).await;
    let files = || {
        std::fs::read_dir(format!("/proc/{}/fd", server.pid()))
            .unwrap()
            .count()
    };
    let before = files();
    {
        let run = window.run("sleep 60", options());
        tokio::pin!(run);
        tokio::select! {
            output = &mut run => panic!("{output:?}"),
            _ = until_foreground(&window, "sleep") => {}
        }
    }
    for _ in 0..5 {
        let wait = window.wait(None, None);
        tokio::select! {
            record = wait => panic!("{record:?}"),
            () = until_waiters(case, 1) => {}
        }
        let left = leftovers::processes_but(&[server.pid()]).await;
        assert!(left.is_empty(), "{left:?}");
    }
    until(
        "the files of the waiters to be closed",
        async || match files() {
            // Fewer where a client that asked something was still there.
            now if now <= before => Ok(()),
            now => Err(format!("{now} instead of {before}")),
        },
    )
    .await;
    assert_eq!(window.state().await.unwrap().foreground, "sleep");
    window.interrupt().await.unwrap();
    let record = window.wait(None, Some(LONG)).await.unwrap().unwrap();
    assert_eq!(record.status, Some(130));
    exits(&window, "true", 0).await;
}

/// A run whose time is over comes back with what there is so far; the command goes on and can be waited for.
async fn time_that_is_over_is_told_with_what_there_is(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let short = options().timeout(Duration::from_secs(5));
    let text = "echo first; read -r line; echo $line; (exit 3)";
    let output = window.run(text, short).await.unwrap();
    assert!(output.timed_out, "{output:?}");
    assert_eq!((output.ended(), output.status()), (Ended::Running, None));
    assert_eq!(output.text, "first\n");
    window.write("go on\n", Submit::Never).await.unwrap();
    let record = window
        .wait(Some(output.id()), Some(LONG))
        .await
        .unwrap()
        .unwrap();
    assert_eq!((record.ended, record.status), (Ended::Exited, Some(3)));
    let chunk = window
        .read(ReadOptions::new(Range::Command(output.id())))
        .await
        .unwrap();
    // The terminal echoes what is typed into a program.
    assert_eq!(chunk.text(), "first\ngo on\ngo on\n");
}
