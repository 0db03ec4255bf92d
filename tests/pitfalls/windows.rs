//! Windows while people watch: their size, and the keys that change the window.

use amux::{CaptureOptions, Submit, Window};

use crate::case::{Case, exits, find, unread, until, until_foreground, until_prompt};
use crate::runner::topic;
use crate::tools::{expand, screen, until_expands};
use crate::watcher::Watcher;

topic!("windows":
    window_made_while_a_client_is_attached_has_its_size,
    window_keeps_its_size_when_a_client_attaches_and_detaches,
    read_only_watcher_changes_windows_by_the_usual_keys,
    read_only_watcher_reaches_no_shell,
    keys_of_who_is_not_read_only_work_as_ever,
);

const SIZE: &str = "#{window_width}x#{window_height}";

async fn size_in_the_shell(window: &Window) -> String {
    until_prompt(window).await;
    exits(window, "stty size; tput cols 2>/dev/null; echo $COLUMNS", 0).await
}

/// `default-size` counts only while no client is attached, even a read-only one.
async fn window_made_while_a_client_is_attached_has_its_size(case: &Case) {
    let server = case.server().await;
    server.window("w").unwrap().create().await.unwrap();
    let watcher = Watcher::attach(case, "=amux", (120, 40), true).await;
    // What tmux does by itself.
    case.tmux_ok(&[
        "new-window",
        "-d",
        "-t",
        "=amux:",
        "-n",
        "plain",
        "sleep 60",
    ])
    .await;
    let plain = expand(case, "=amux:=plain", SIZE).await;
    assert_ne!(plain, "200x24", "the pitfall has gone");
    // Ours: a window of the session that is shown, and a session of its own.
    for session in ["amux", "other"] {
        let window = server.session(session).unwrap().window("new").unwrap();
        window.create().await.unwrap();
        let target = format!("={session}:=new");
        assert_eq!(expand(case, &target, SIZE).await, "200x24");
        let size = size_in_the_shell(&window).await;
        assert!(size.starts_with("24 200\n"), "{size}");
        let snapshot = window.capture(CaptureOptions::new()).await.unwrap();
        assert_eq!((snapshot.rows, snapshot.columns), (24, 200));
    }
    drop(watcher);
}

async fn window_keeps_its_size_when_a_client_attaches_and_detaches(case: &Case) {
    let window = case.window().await;
    for read_only in [true, false] {
        for size in [(80, 20), (300, 70)] {
            let mut watcher = Watcher::attach(case, "=amux", size, read_only).await;
            watcher.until_window(case, "amux:w").await;
            assert_eq!(expand(case, "=amux:=w", SIZE).await, "200x24");
            watcher.types("\x02d");
            until_expands(case, "=amux:=w", "#{session_attached}", "0").await;
            drop(watcher);
            assert_eq!(expand(case, "=amux:=w", SIZE).await, "200x24");
        }
    }
    assert!(size_in_the_shell(&window).await.starts_with("24 200\n"));
}

async fn read_only_watcher_changes_windows_by_the_usual_keys(case: &Case) {
    let server = case.server().await;
    for name in ["a", "b", "c"] {
        server.window(name).unwrap().create().await.unwrap();
    }
    let mut watcher = Watcher::attach(case, "=amux", (200, 25), true).await;
    watcher.until_window(case, "amux:a").await;
    for (key, window) in [
        ("n", "b"),
        ("n", "c"),
        ("n", "a"),
        ("p", "c"),
        ("p", "b"),
        ("l", "c"),
        ("l", "b"),
        ("0", "a"),
        ("2", "c"),
        ("1", "b"),
    ] {
        watcher.types(&format!("\x02{key}"));
        watcher.until_window(case, &format!("amux:{window}")).await;
    }
    // A window that is not there changes nothing.
    watcher.types("\x029");
    watcher.types("\x02n");
    watcher.until_window(case, "amux:c").await;
    // Agents do not notice.
    let a = server.window("a").unwrap();
    assert_eq!(exits(&a, "echo here", 0).await, "here\n");
    watcher.until_window(case, "amux:c").await;
}

async fn read_only_watcher_reaches_no_shell(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let mut watcher = Watcher::attach(case, "=amux", (200, 25), true).await;
    watcher.types("touch wrong\r\x03\x04");
    // What they type and what comes after it is seen in order.
    watcher.types("\x02c");
    watcher.types("\x02&y");
    watcher.types("\x02n");
    assert_eq!(exits(&window, "echo mine", 0).await, "mine\n");
    watcher.until_drawn("mine").await;
    let shown = screen(&window).await.text;
    assert!(!shown.contains("wrong"), "{shown}");
    assert!(!case.home().join("wrong").exists());
    let windows = case
        .tmux_ok(&["list-windows", "-a", "-F", "#{window_name}"])
        .await;
    assert_eq!(windows, "w");
}

async fn keys_of_who_is_not_read_only_work_as_ever(case: &Case) {
    let server = case.server().await;
    let a = server.window("a").unwrap();
    let b = server.window("b").unwrap();
    a.create().await.unwrap();
    b.create().await.unwrap();
    let mut person = Watcher::attach(case, "=amux", (200, 25), false).await;
    until_prompt(&b).await;
    person.types("\x02n");
    person.until_window(case, "amux:b").await;
    person.types("v=typed\r");
    // In the stream, which tells whether the prompt is empty: on stock it comes behind the screen.
    until("what was typed", async || {
        let raw = unread(&b).await.bytes;
        find(&raw, b"v=typed")
            .map(drop)
            .ok_or_else(|| String::from_utf8_lossy(&raw).into_owned())
    })
    .await;
    until_prompt(&b).await;
    assert_eq!(exits(&b, "echo \"$v\"", 0).await, "typed\n");
    person.types("\x02p");
    person.until_window(case, "amux:a").await;
    a.write("sleep 60", Submit::Yes).await.unwrap();
    until_foreground(&a, "sleep").await;
    person.types("\x03");
    until_prompt(&a).await;
}
