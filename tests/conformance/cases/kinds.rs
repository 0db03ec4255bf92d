//! The kinds of errors: the same cause gives the same kind on each target, and nothing was sent.

use std::time::Duration;

use amux::{
    BackendKind, ErrorKind, Key, Range, ReadOptions, RunOptions, Server, Submit, WhenBusy, Window,
};

use crate::case::{
    Case, exits, find, options, refused, run, unread, until, until_foreground, until_prompt,
    until_state,
};
use crate::runner::topic;

topic!("kinds":
    server_that_is_not_there,
    socket_of_another_server,
    server_that_is_no_child,
    program_that_is_not_there,
    capability_that_is_not_there,
    names_that_are_refused,
    text_with_a_control_character,
    key_that_is_unknown,
    session_and_window_that_are_not_there,
    window_that_is_there,
    pane_that_goes_during_a_wait,
    pane_whose_process_has_ended,
    pane_whose_input_is_off,
    program_in_the_foreground,
    shell_that_is_still_starting,
    prompt_with_something_typed,
    text_that_is_not_finished,
    line_that_is_too_long,
    text_that_ends_its_paste,
    input_that_nobody_reads,
    command_that_never_was,
    wait_that_takes_too_long,
);

/// What every call on a window says of the same cause.
async fn each_call(window: &Window) -> Vec<ErrorKind> {
    let read = ReadOptions::new(Range::Unread);
    let soon = Some(Duration::from_secs(5));
    vec![
        refused(window.run("echo sent >sent", options()).await),
        refused(window.write("echo sent >sent", Submit::Yes).await),
        refused(window.keys(&[Key::interrupt()]).await),
        refused(window.read(read).await),
        refused(window.wait(None, soon).await),
        refused(window.records().await),
        refused(window.state().await),
        refused(window.capture(amux::CaptureOptions::new()).await),
        refused(window.stream().await),
        refused(window.kill_command().await),
        refused(window.kill().await),
    ]
}

#[track_caller]
fn all_are(found: &[ErrorKind], kind: &ErrorKind) {
    for (call, one) in found.iter().enumerate() {
        assert_eq!(one, kind, "call {call} of {found:?}");
    }
}

async fn server_that_is_not_there(case: &Case) {
    let none = case.builder().tenant("none").connect().await;
    assert_eq!(refused(none), ErrorKind::NoServer);
    let server = case.server().await;
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    until_prompt(&window).await;
    server.stop().await.unwrap();
    all_are(&each_call(&window).await, &ErrorKind::NoServer);
    assert_eq!(refused(server.windows().await), ErrorKind::NoServer);
    assert_eq!(refused(window.ensure().await), ErrorKind::NoServer);
    case.server_has_ended();
}

async fn socket_of_another_server(case: &Case) {
    let server = case.server().await;
    let pid = server.pid();
    let second = refused(case.builder().start().await);
    assert_eq!(second, ErrorKind::SocketInUse { pid });
}

async fn server_that_is_no_child(case: &Case) {
    case.server().await;
    let guest = case.builder().connect().await.unwrap();
    assert_eq!(refused(guest.wait().await), ErrorKind::NotOwned);
}

async fn program_that_is_not_there(case: &Case) {
    let tmux = case.builder().binary("/nonexistent/tmux").start().await;
    assert_eq!(refused(tmux), ErrorKind::BinaryNotFound);
    let bash = case.builder().bash("/nonexistent/bash").start().await;
    assert_eq!(refused(bash), ErrorKind::BinaryNotFound);
}

async fn capability_that_is_not_there(case: &Case) {
    let patched = case.builder().backend(BackendKind::Patched).start().await;
    match case.is_stock() {
        false => patched.unwrap().stop().await.map(drop).unwrap(),
        true => {
            let capability = "write_pane";
            assert_eq!(refused(patched), ErrorKind::Unsupported { capability });
        }
    }
}

async fn names_that_are_refused(case: &Case) {
    let server = case.server().await;
    for name in [
        "",
        "a.b",
        "a:b",
        "a b",
        "#{pid}",
        "=x",
        "é",
        &"x".repeat(300),
    ] {
        assert_eq!(
            refused(server.window(name)),
            ErrorKind::InvalidName,
            "{name}"
        );
        assert_eq!(
            refused(server.session(name)),
            ErrorKind::InvalidName,
            "{name}"
        );
        let tenant = Server::builder().tenant(name).binary(&case.target.binary);
        assert_eq!(
            refused(tenant.start().await),
            ErrorKind::InvalidName,
            "{name}"
        );
    }
    assert!(server.windows().await.unwrap().is_empty());
}

async fn text_with_a_control_character(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    for (text, position, byte) in [("a\x1bb", 1, 0x1b), ("\x03", 0, 3), ("ab\x7f", 2, 0x7f)] {
        let kind = ErrorKind::ControlCharacter { position, byte };
        assert_eq!(refused(window.run(text, options()).await), kind);
    }
    assert!(window.records().await.unwrap().is_empty());
}

async fn key_that_is_unknown(case: &Case) {
    let window = case.window().await;
    for name in ["", "C-nonsense", "Enterr", "a;b"] {
        assert_eq!(refused(Key::new(name)), ErrorKind::InvalidKey, "{name}");
    }
    assert_eq!(exits(&window, "echo here", 0).await, "here\n");
}

async fn session_and_window_that_are_not_there(case: &Case) {
    let server = case.server().await;
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    until_prompt(&window).await;
    let other = server.window("other").unwrap();
    all_are(&each_call(&other).await, &ErrorKind::WindowNotFound);
    let session = server.session("other").unwrap().window("w").unwrap();
    all_are(&each_call(&session).await, &ErrorKind::SessionNotFound);
    assert!(!case.home().join("sent").exists());
}

async fn window_that_is_there(case: &Case) {
    let window = case.window().await;
    assert_eq!(refused(window.create().await), ErrorKind::WindowExists);
    assert!(!window.ensure().await.unwrap());
}

/// Whoever waits is told: by the kind, or by a record that says that the pane's process ended, which it did.
async fn pane_that_goes_during_a_wait(case: &Case) {
    let server = case.server().await;
    // A wait that begins behind the end finds no window; then the end is put off.
    for asked_before in 0..20 {
        let window = server.window(&format!("w{asked_before}")).unwrap();
        window.create().await.unwrap();
        until_prompt(&window).await;
        let id = window.write("sleep 999", Submit::Yes).await.unwrap();
        until_foreground(&window, "sleep").await;
        let kill = async {
            for _ in 0..asked_before {
                window.state().await.unwrap();
            }
            let target = format!("={}:={}", window.session(), window.name());
            case.tmux_ok(&["kill-window", "-t", &target]).await;
        };
        let (waited, ()) = tokio::join!(window.wait(id, options_limit()), kill);
        match waited.map_err(|error| error.kind().clone()) {
            Err(ErrorKind::SessionNotFound) => {}
            Err(ErrorKind::PaneGone) => return,
            told => return assert_eq!(told.unwrap().unwrap().ended, amux::Ended::PaneEnded),
        }
    }
    panic!("no wait begins before the end");
}

fn options_limit() -> Option<Duration> {
    Some(crate::support::deadline::LONG)
}

async fn pane_whose_process_has_ended(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    case.tmux_ok(&["set-option", "-g", "remain-on-exit", "on"])
        .await;
    let output = run(&window, "exit 3").await;
    assert_eq!(output.ended(), amux::Ended::PaneEnded);
    until_state(&window, "a dead pane", |state| {
        state.activity == amux::Activity::Dead
    })
    .await;
    assert_eq!(
        refused(window.run("true", options()).await),
        ErrorKind::PaneDead
    );
    let written = window.write("true", Submit::Yes).await;
    assert_eq!(refused(written), ErrorKind::PaneDead);
}

async fn pane_whose_input_is_off(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let target = format!("={}:={}", window.session(), window.name());
    case.tmux_ok(&["select-pane", "-d", "-t", &target]).await;
    assert_eq!(
        refused(window.run("true", options()).await),
        ErrorKind::InputOff
    );
    let written = window.write("true", Submit::Yes).await;
    assert_eq!(refused(written), ErrorKind::InputOff);
    case.tmux_ok(&["select-pane", "-e", "-t", &target]).await;
    assert_eq!(exits(&window, "echo on", 0).await, "on\n");
}

async fn program_in_the_foreground(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    window.write("sleep 999", Submit::Yes).await.unwrap();
    until_foreground(&window, "sleep").await;
    let program = "sleep".to_owned();
    let kind = ErrorKind::Busy { program };
    assert_eq!(refused(window.run("true", options()).await), kind);
    let soon = RunOptions::new().when_busy(WhenBusy::Wait(Duration::from_millis(200)));
    assert_eq!(refused(window.run("true", soon).await), kind);
    window.interrupt().await.unwrap();
    until_prompt(&window).await;
    assert_eq!(exits(&window, "echo here", 0).await, "here\n");
}

async fn shell_that_is_still_starting(case: &Case) {
    case.write(".bash_profile", "read -r line <~/gate\n");
    let gate = case.home().join("gate");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &gate,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    let window = case.window().await;
    let soon = RunOptions::new().starting(Duration::from_millis(300));
    let kind = refused(window.run("true", soon).await);
    assert!(matches!(kind, ErrorKind::Starting { .. }), "{kind:?}");
    std::fs::write(&gate, "go\n").unwrap();
    assert_eq!(exits(&window, "echo here", 0).await, "here\n");
}

async fn prompt_with_something_typed(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    window.write("half a line", Submit::Never).await.unwrap();
    until("the echo of what is typed", async || {
        let bytes = unread(&window).await.bytes;
        find(&bytes, b"half a line")
            .map(drop)
            .ok_or_else(|| String::from_utf8_lossy(&bytes).into_owned())
    })
    .await;
    let kind = refused(window.run("true", options()).await);
    assert_eq!(kind, ErrorKind::PromptNotEmpty);
    window.interrupt().await.unwrap();
    until_prompt(&window).await;
    assert_eq!(exits(&window, "echo here", 0).await, "here\n");
}

async fn text_that_is_not_finished(case: &Case) {
    let window = case.window().await;
    for text in ["echo 'a", "cat <<E", "if true; then", "for i in 1 2"] {
        let kind = refused(window.run(text, options()).await);
        assert_eq!(kind, ErrorKind::Incomplete, "{text}");
        assert_eq!(exits(&window, "echo here", 0).await, "here\n");
    }
}

async fn line_that_is_too_long(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    window.write("cat >typed", Submit::Yes).await.unwrap();
    until_foreground(&window, "cat").await;
    let kind = refused(window.write("x".repeat(5000), Submit::Yes).await);
    assert_eq!(kind, ErrorKind::LineTooLong);
    window.keys(&[Key::new("C-d").unwrap()]).await.unwrap();
    until_prompt(&window).await;
    assert_eq!(case.contents("typed"), b"");
}

async fn text_that_ends_its_paste(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let text = "echo a\x1b[201~; echo b\n echo c";
    let kind = refused(window.write(text, Submit::Yes).await);
    assert_eq!(kind, ErrorKind::PasteEndsEarly);
    assert!(window.records().await.unwrap().is_empty());
}

async fn input_that_nobody_reads(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let huge = vec![b'x'; (16 << 20) + 1];
    let kind = refused(window.write(huge, Submit::Never).await);
    assert_eq!(kind, ErrorKind::TooMuchInput);
    assert_eq!(exits(&window, "echo here", 0).await, "here\n");
}

async fn command_that_never_was(case: &Case) {
    let window = case.window().await;
    run(&window, "true").await;
    let never = "9999999".parse().unwrap();
    let waited = window.wait(Some(never), options_limit()).await;
    assert_eq!(refused(waited), ErrorKind::NoSuchCommand);
    let read = window.read(ReadOptions::new(Range::Command(never))).await;
    assert_eq!(refused(read), ErrorKind::NoSuchCommand);
}

async fn wait_that_takes_too_long(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let id = window.write("sleep 999", Submit::Yes).await.unwrap();
    until_foreground(&window, "sleep").await;
    let waited = window.wait(id, Some(Duration::from_millis(200))).await;
    assert_eq!(refused(waited), ErrorKind::Timeout);
    // The command goes on.
    assert_eq!(window.state().await.unwrap().foreground, "sleep");
    window.interrupt().await.unwrap();
    let ended = window.wait(id, options_limit()).await.unwrap().unwrap();
    assert_eq!(ended.status, Some(130));
}
