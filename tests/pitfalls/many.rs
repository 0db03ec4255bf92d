//! A hundred windows at work at once.

use std::time::Duration;

use amux::{BackendKind, RunOptions, Version, WhenBusy};
use tokio::task::JoinSet;

use crate::case::Case;
use crate::runner::topic;

topic!("many", Duration::from_secs(240) => hundred_windows_that_run_at_once_lose_nothing);

const WINDOWS: u32 = 100;

/// From 3.7 on a stock tmux gives up a format that takes longer than 100 ms
/// (FORMAT_TIME_LIMIT in format.c), which hundred shells make of any on two cores.
const FEWER: u32 = 20;

/// As long as a machine may need that has two cores and other work.
const LIMIT: Duration = Duration::from_secs(120);

/// Each runs a command while the others start, run theirs or have ended. tmux's
/// own client loses some of it: a `capture-pane` behind a `wait-for` comes before
/// the last lines are read.
async fn hundred_windows_that_run_at_once_lose_nothing(case: &Case) {
    // Each prompt on a stock tmux is two clients more that the server has to answer.
    let server = case.start(case.builder().call_timeout(LIMIT)).await;
    let gives_up = server.backend() == BackendKind::Stock
        && server.capabilities().version >= Version::new(3, 7);
    let mut runs = JoinSet::new();
    for number in 0..if gives_up { FEWER } else { WINDOWS } {
        let window = server.window(&format!("w{number}")).unwrap();
        window.create().await.unwrap();
        runs.spawn(async move {
            let options = RunOptions::new()
                .when_busy(WhenBusy::Wait(LIMIT))
                .timeout(LIMIT);
            let text = format!("seq {number} {}; (exit {number})", number + 999);
            let output = window.run(&text, options).await.unwrap();
            let expected: String = (number..number + 1000)
                .map(|line| format!("{line}\n"))
                .collect();
            assert!(
                output.text == expected,
                "window {number}: {} of {} bytes",
                output.text.len(),
                expected.len()
            );
            assert_eq!(output.status().map(u32::from), Some(number));
        });
    }
    while let Some(run) = runs.join_next().await {
        run.unwrap();
    }
}
