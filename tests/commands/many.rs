//! A thousand waiters.

use std::process::Stdio;
use std::time::Duration;

use crate::support::topic::topic;
use crate::support::{Build, Gate, Server};

topic!("many": a_thousand_waiters_cost_nothing_and_all_wake);

fn a_thousand_waiters_cost_nothing_and_all_wake(build: &Build) {
    // A sanitized client takes 20 MiB.
    let count = if build.sanitized { 100 } else { 1000 };
    let server = Server::start(build);
    let pane = server.shell();
    let gate = Gate::new(&server, "gate");
    let id = pane.submit(&format!("cat {}; (exit 7)", gate.path()));
    let key = gate.reached();
    let mut children: Vec<_> = (0..count)
        .map(|_| {
            server
                .command()
                .args(["set-option", "-ga", "@waits", "x", ";"])
                .args([
                    "read-pane",
                    "-w",
                    "-E",
                    "-T",
                    "600",
                    "-i",
                    &id,
                    "-t",
                    &pane.id,
                ])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    server.until_option("@waits", &"x".repeat(count));

    // Two seconds in which nothing happens. What polls costs something in each such time.
    server.wait_until("two seconds that cost nothing", || {
        let before = server.cpu_time();
        pane.read(&["-w", "-T", "2", "-i", &id])
            .failed(124, "timed out");
        let used = server.cpu_time() - before;
        match used <= Duration::from_millis(50) {
            true => Ok(()),
            false => Err(format!("{used:?} of processor time")),
        }
    });

    drop(key);
    let statuses = server.wait_until("all waiters to wake", || {
        let ended: Vec<_> = children
            .iter_mut()
            .filter_map(|child| child.try_wait().unwrap())
            .collect();
        if ended.len() == count {
            Ok(ended)
        } else {
            Err(format!("{} woke", ended.len()))
        }
    });
    assert!(
        statuses.iter().all(|status| status.code() == Some(7)),
        "{statuses:?}"
    );
}
