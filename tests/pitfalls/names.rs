//! Targets and names: the window that is named is reached, and no other.

use amux::{CaptureOptions, ErrorKind, Key, Range, ReadOptions, RunOptions, Submit, Window};

use crate::case::{Case, exits, refused, until_prompt};
use crate::runner::topic;

topic!("names":
    target_without_equals_reaches_a_name_that_begins_so,
    target_without_equals_reaches_a_name_that_matches_a_pattern,
    name_made_of_digits_reaches_an_index,
    names_that_a_target_takes_apart_are_refused,
    ids_reach_a_window_of_another_session,
    window_name_that_is_there_twice_is_told,
    window_asked_for_by_many_at_once_is_made_once,
    missing_target_is_told_as_what_is_missing,
    missing_target_is_told_when_no_session_is_left,
    handle_follows_the_name,
);

async fn target_without_equals_reaches_a_name_that_begins_so(case: &Case) {
    let server = case.server().await;
    let long = server.session("session").unwrap().window("window").unwrap();
    long.create().await.unwrap();
    until_prompt(&long).await;
    // tmux takes the beginning of a name for the name.
    let found = case
        .tmux_ok(&["list-panes", "-t", "sess:win", "-F", "#{window_name}"])
        .await;
    assert_eq!(found, "window");

    for (session, window, kind) in [
        ("sess", "window", ErrorKind::SessionNotFound),
        ("session", "win", ErrorKind::WindowNotFound),
    ] {
        let short = server.session(session).unwrap().window(window).unwrap();
        let text = short.run("touch wrong", RunOptions::new()).await;
        assert_eq!(refused(text), kind);
        assert_eq!(refused(short.kill().await), kind);
    }
    // A window whose name begins so is another one.
    let short = server.session("sess").unwrap().window("win").unwrap();
    short.create().await.unwrap();
    exits(&short, "here=short", 0).await;
    assert_eq!(exits(&long, "echo \"[$here]\"", 0).await, "[]\n");
    short.kill().await.unwrap();
    assert_eq!(exits(&long, "ls wrong 2>&1 | wc -l", 0).await, "1\n");
}

async fn target_without_equals_reaches_a_name_that_matches_a_pattern(case: &Case) {
    let server = case.server().await;
    server.window("build").unwrap().create().await.unwrap();
    let found = case
        .tmux_ok(&["list-panes", "-t", "amux:b*d", "-F", "#{window_name}"])
        .await;
    assert_eq!(found, "build");
    for name in ["b*d", "b?ild", "[b]uild"] {
        assert_eq!(refused(server.window(name)), ErrorKind::InvalidName);
    }
}

async fn name_made_of_digits_reaches_an_index(case: &Case) {
    let server = case.server().await;
    for name in ["main", "a", "b"] {
        server.window(name).unwrap().create().await.unwrap();
    }
    case.tmux_ok(&["new-window", "-d", "-t", "=amux:", "-n", "1"])
        .await;
    // Even with `=`.
    let found = case
        .tmux_ok(&["list-panes", "-t", "=amux:=1", "-F", "#{window_name}"])
        .await;
    assert_eq!(found, "a");
    for name in ["1", "07", "0000"] {
        assert_eq!(refused(server.window(name)), ErrorKind::InvalidName);
    }
    // A session has no index.
    let window = server.session("1").unwrap().window("w1").unwrap();
    window.create().await.unwrap();
    exits(&window, "true", 0).await;
}

async fn names_that_a_target_takes_apart_are_refused(case: &Case) {
    let server = case.server().await;
    let long = "x".repeat(33);
    for name in [
        "", "a:b", "a.b", "=a", "@1", "%1", "$1", "!", "+", "-", "-a", "{last}", "a b", "é", "a\n",
        "~", "../x", &long,
    ] {
        assert_eq!(
            refused(server.window(name)),
            ErrorKind::InvalidName,
            "{name:?}"
        );
        assert_eq!(
            refused(server.session(name)),
            ErrorKind::InvalidName,
            "{name:?}"
        );
        let tenant = amux::Server::builder()
            .binary(&case.target.binary)
            .tenant(name)
            .connect()
            .await;
        assert_eq!(refused(tenant), ErrorKind::InvalidName, "{name:?}");
    }
    let longest = "x".repeat(32);
    let window = server.session(&longest).unwrap().window(&longest).unwrap();
    window.create().await.unwrap();
    exits(&window, "true", 0).await;
}

async fn ids_reach_a_window_of_another_session(case: &Case) {
    let server = case.server().await;
    let one = server.session("one").unwrap().window("w").unwrap();
    let two = server.session("two").unwrap().window("w").unwrap();
    one.create().await.unwrap();
    two.create().await.unwrap();
    let id = case
        .tmux_ok(&["list-panes", "-t", "=two:=w", "-F", "#{window_id}"])
        .await;
    // The session before it is passed over in silence.
    let target = format!("=one:{id}");
    let found = case
        .tmux(&["list-panes", "-t", &target, "-F", "#{session_name}"])
        .await;
    assert_ne!(String::from_utf8_lossy(&found.out), "one\n");
    // Names tell the two apart.
    exits(&one, "v=1", 0).await;
    exits(&two, "v=2", 0).await;
    assert_eq!(exits(&one, "echo $v", 0).await, "1\n");
    assert_eq!(exits(&two, "echo $v", 0).await, "2\n");
}

async fn window_name_that_is_there_twice_is_told(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    case.tmux_ok(&["new-window", "-d", "-t", "=amux:", "-n", "w"])
        .await;
    // tmux says that there is no such window.
    let found = case.tmux(&["list-panes", "-t", "=amux:=w"]).await;
    assert_eq!(found.status, Some(1));
    assert!(found.err.contains("can't find window"), "{found:?}");

    for kind in [
        refused(window.state().await),
        refused(window.capture(CaptureOptions::new()).await),
        refused(window.keys(&[Key::interrupt()]).await),
        refused(window.kill().await),
    ] {
        let ErrorKind::Rejected { message } = kind else {
            panic!("{kind:?}");
        };
        assert!(message.contains("more than one window"), "{message}");
    }
    assert_eq!(refused(window.create().await), ErrorKind::WindowExists);
}

async fn window_asked_for_by_many_at_once_is_made_once(case: &Case) {
    let server = case.server().await;
    let tasks: Vec<_> = (0..12)
        .map(|n| {
            // Two windows of one session that is not there yet.
            let name = ["a", "b"][n % 2];
            let window = server.session("s").unwrap().window(name).unwrap();
            tokio::spawn(async move { window.ensure().await.unwrap() })
        })
        .collect();
    let mut made = 0;
    for task in tasks {
        made += usize::from(task.await.unwrap());
    }
    assert_eq!(made, 2);
    let names = case
        .tmux_ok(&["list-windows", "-a", "-F", "#{session_name}:#{window_name}"])
        .await;
    let mut names: Vec<_> = names.lines().collect();
    names.sort_unstable();
    assert_eq!(names, ["s:a", "s:b"]);
}

/// Every call on a window, and what each fails with.
async fn kinds(window: &Window) -> Vec<ErrorKind> {
    vec![
        refused(window.run("true", RunOptions::new()).await),
        refused(window.write("x", Submit::Never).await),
        refused(window.write("x", Submit::Yes).await),
        refused(window.keys(&[Key::interrupt()]).await),
        refused(window.read(ReadOptions::new(Range::Unread)).await),
        refused(window.wait(None, None).await),
        refused(window.records().await),
        refused(window.state().await),
        refused(window.capture(CaptureOptions::new().history(10)).await),
        refused(window.kill().await),
    ]
}

async fn missing_target_is_told_as_what_is_missing(case: &Case) {
    let server = case.server().await;
    server.window("w").unwrap().create().await.unwrap();
    let window = server.window("other").unwrap();
    for (at, kind) in kinds(&window).await.into_iter().enumerate() {
        assert_eq!(kind, ErrorKind::WindowNotFound, "call {at}");
    }
    let window = server.session("other").unwrap().window("w").unwrap();
    for (at, kind) in kinds(&window).await.into_iter().enumerate() {
        assert_eq!(kind, ErrorKind::SessionNotFound, "call {at}");
    }
    let buffers = case.tmux_ok(&["list-buffers"]).await;
    assert_eq!(buffers, "", "no text is left in a buffer");
}

async fn missing_target_is_told_when_no_session_is_left(case: &Case) {
    let server = case.server().await;
    let window = server.window("w").unwrap();
    for (at, kind) in kinds(&window).await.into_iter().enumerate() {
        assert_eq!(kind, ErrorKind::SessionNotFound, "call {at}");
    }
    assert_eq!(server.windows().await.unwrap(), []);
}

async fn handle_follows_the_name(case: &Case) {
    let window = case.window().await;
    exits(&window, "v=first", 0).await;
    window.kill().await.unwrap();
    assert_eq!(refused(window.state().await), ErrorKind::SessionNotFound);
    window.create().await.unwrap();
    assert_eq!(exits(&window, "echo \"[$v]\"", 0).await, "[]\n");
}
