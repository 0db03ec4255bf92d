//! What src/backend/mod.rs promises for every call, where no other topic is about it.

use std::time::Duration;

use amux::{Key, Range, ReadOptions, Submit, Window};
use tokio::task::JoinSet;

use crate::case::{Case, exits, options, until, until_prompt, until_state};
use crate::leftovers;
use crate::random::Random;
use crate::runner::topic;
use crate::support::deadline::LONG;

topic!("contract":
    pane_meant_is_the_active_one,
    creators_at_the_same_time_make_one_window,
    inputs_at_the_same_time_are_not_mixed,
    keys_come_in_their_order,
    records_and_windows_are_in_order,
    server_that_was_let_go_of_is_taken_anew,
    calls_that_are_given_up_leave_nothing_and_do_all_or_nothing,
);

/// The pane that is active when the call is made, not the one that was when the window was.
async fn pane_meant_is_the_active_one(case: &Case) {
    let window = case.window().await;
    exits(&window, "where=first", 0).await;
    case.tmux_ok(&["split-window", "-t", "=amux:=w"]).await;
    assert_eq!(
        exits(&window, "echo \"${where-none}\"; where=second", 0).await,
        "none\n"
    );
    for (pane, name) in [("0", "first"), ("1", "second"), ("0", "first")] {
        case.tmux_ok(&["select-pane", "-t", &format!("=amux:=w.{pane}")])
            .await;
        assert_eq!(exits(&window, "echo $where", 0).await, format!("{name}\n"));
        assert_eq!(window.state().await.unwrap().last_status, Some(0));
    }
}

/// One of them has made it, and it works.
async fn creators_at_the_same_time_make_one_window(case: &Case) {
    let server = case.server().await;
    let mut creators = JoinSet::new();
    for _ in 0..8 {
        let window = server.session("new").unwrap().window("one").unwrap();
        creators.spawn(async move { window.ensure().await.unwrap() });
    }
    let made = creators.join_all().await;
    assert_eq!(made.iter().filter(|made| **made).count(), 1, "{made:?}");
    assert_eq!(server.windows().await.unwrap().len(), 1);
    let window = server.session("new").unwrap().window("one").unwrap();
    exits(&window, "true", 0).await;
}

/// What a call writes comes in one piece.
async fn inputs_at_the_same_time_are_not_mixed(case: &Case) {
    const EACH: usize = 3000;
    const LETTERS: &str = "abcdefgh";
    let window = case.window().await;
    until_prompt(&window).await;
    let all = EACH * LETTERS.len();
    let text = format!("stty raw -echo; head -c {all} >got; stty sane");
    let id = window.write(text, Submit::Yes).await.unwrap();
    until_state(&window, "head", |state| state.foreground == "head").await;
    let mut writers = JoinSet::new();
    for letter in LETTERS.chars() {
        let window = window.clone();
        writers.spawn(async move {
            let text = letter.to_string().repeat(EACH);
            window.write(text, Submit::Never).await.unwrap()
        });
    }
    writers.join_all().await;
    window.wait(id, Some(LONG)).await.unwrap();
    let got = case.contents("got");
    let pieces: Vec<_> = got.chunk_by(|one, other| one == other).collect();
    assert_eq!(pieces.len(), LETTERS.len(), "{pieces:?}");
    assert!(pieces.iter().all(|piece| piece.len() == EACH));
}

async fn keys_come_in_their_order(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let key = |name: &str| Key::new(name).unwrap();
    for round in 0..5 {
        let line = format!("echo {round}");
        let mut keys: Vec<_> = line
            .chars()
            .map(|letter| match letter {
                ' ' => key("Space"),
                letter => key(&letter.to_string()),
            })
            .collect();
        keys.push(key("Enter"));
        window.keys(&keys).await.unwrap();
        let expected = format!("\r\n{round}\r\n");
        until("the answer", async || {
            let chunk = window
                .read(ReadOptions::new(Range::Unread).render(amux::Render::Raw))
                .await
                .unwrap();
            let raw =
                String::from_utf8_lossy(&crate::case::without_marks(&chunk.bytes)).into_owned();
            let found = raw.replace("\u{1b}[?2004l\r", "").contains(&expected);
            found.then_some(()).ok_or(raw)
        })
        .await;
        until_prompt(&window).await;
    }
}

async fn records_and_windows_are_in_order(case: &Case) {
    let server = case.server().await;
    let names = ["c", "a", "b"];
    for name in names {
        let window = server.window(name).unwrap();
        window.create().await.unwrap();
        let mut ids = Vec::new();
        for status in [3, 1, 2] {
            ids.push(
                window
                    .run(&format!("(exit {status})"), options())
                    .await
                    .unwrap()
                    .id(),
            );
        }
        let records = window.records().await.unwrap();
        let found: Vec<_> = records.iter().map(|record| record.id).collect();
        assert_eq!(found, ids);
        let statuses: Vec<_> = records.iter().map(|record| record.status).collect();
        assert_eq!(statuses, [Some(3), Some(1), Some(2)]);
        assert!(ids.is_sorted());
    }
    let windows = server.windows().await.unwrap();
    let found: Vec<_> = windows.iter().map(|window| &*window.name).collect();
    assert_eq!(found, names);
}

/// With all that it had of the windows; what ran meanwhile has an end.
async fn server_that_was_let_go_of_is_taken_anew(case: &Case) {
    let window = case.window().await;
    for status in [3, 4] {
        exits(&window, &format!("(exit {status})"), status).await;
        case.disconnect().await;
        // The shell's hook does not wait until it is recorded.
        until_state(&window, "its status", |state| {
            state.last_status == Some(status)
        })
        .await;
        let id = window
            .write(
                format!("until [ -e go{status} ]; do sleep 0.05; done"),
                Submit::Yes,
            )
            .await
            .unwrap();
        case.disconnect().await;
        case.write(&format!("go{status}"), "");
        let record = window.wait(id, Some(LONG)).await.unwrap().unwrap();
        assert_eq!(
            (Some(record.id), record.status),
            (id, Some(0)),
            "{record:?}"
        );
        until_prompt(&window).await;
    }
}

/// Dropped at any moment: no waiter, connection, buffer or process stays, and a text was typed whole or not at all.
async fn calls_that_are_given_up_leave_nothing_and_do_all_or_nothing(case: &Case) {
    let server = case.server().await;
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    exits(&window, ": >ran", 0).await;
    let mut random = Random::new(7);
    for round in 0..40 {
        let limit = Duration::from_micros(random.between(0, 4000));
        // An error is as good as no answer.
        let _ = tokio::time::timeout(limit, call(&window, round)).await;
    }
    until("the calls to have gone", async || {
        match case.connections() {
            0 => Ok(()),
            count => Err(format!("{count} connections")),
        }
    })
    .await;
    let left = leftovers::processes_but(&[server.pid()]).await;
    assert!(left.is_empty(), "{left:?}");
    // The shell may have one of them to do yet.
    until_prompt(&window).await;
    exits(&window, "true", 0).await;
    assert_eq!(case.tmux_ok(&["list-buffers"]).await, "");
    let ran = String::from_utf8(case.contents("ran")).unwrap();
    for line in ran.lines() {
        assert_eq!(line.len(), 1000, "{ran}");
    }
}

/// One call or another.
async fn call(window: &Window, round: u64) {
    let letter = char::from(b'a' + u8::try_from(round % 26).unwrap());
    let line = letter.to_string().repeat(1000);
    match round % 5 {
        0 | 1 => drop(window.run(&format!("echo {line} >>ran"), options()).await),
        2 => drop(
            window
                .write(format!("echo {line} >>ran"), Submit::Yes)
                .await,
        ),
        3 => drop(window.wait(None, None).await),
        _ => drop(window.read(ReadOptions::new(Range::Unread)).await),
    }
}
