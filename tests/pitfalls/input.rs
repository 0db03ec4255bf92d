//! Texts and keys on their way to a program.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use amux::{ErrorKind, Key, RunOptions, Submit};

use crate::case::{Case, exits, refused, run, same, until, until_prompt, without_marks};
use crate::runner::topic;
use crate::tools::{recorded, recorder, screen, until_screen};

topic!("input":
    text_beyond_the_message_limit_of_a_client_goes_through,
    text_of_a_call_that_is_given_up_goes_whole_or_not_at_all,
    text_of_a_client_that_is_given_up_leaves_no_buffer,
    inputs_at_the_same_time_do_not_mix,
    paste_is_marked_where_the_program_asks_for_it,
    newlines_of_a_paste_stay_newlines,
    text_pasted_into_a_shell_does_not_run_before_enter,
    end_of_a_paste_within_a_text_is_refused,
    control_characters_in_a_text_to_run_are_refused,
    semicolon_at_the_end_is_not_lost,
    words_that_name_keys_are_text,
    text_that_begins_with_a_hyphen_is_text,
    key_name_that_is_not_known_would_be_typed,
    keys_are_pressed_by_name_with_modifiers,
    empty_text_presses_enter_alone,
    text_that_comes_while_bash_starts_is_not_lost,
);

async fn text_beyond_the_message_limit_of_a_client_goes_through(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    recorder(case, &window, "got", "").await;
    // A client's arguments end at 16 KiB; this is what somebody once pasted.
    let line = "é ✓ \"quoted\" $x `y` \\ ; # and so on, for a while\n";
    let text = line.repeat(115_000 / line.len() + 1);
    let long = case
        .tmux(&["send-keys", "-l", "-t", "=amux:=w", &text])
        .await;
    assert_eq!(long.status, Some(1), "{}", long.err);
    assert!(long.err.contains("too long"), "{}", long.err);

    window.write(text.as_str(), Submit::Never).await.unwrap();
    same(recorded(case, &window, "got").await, &text);
}

async fn text_of_a_call_that_is_given_up_goes_whole_or_not_at_all(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    recorder(case, &window, "got", "").await;
    let mut given_up = 0;
    for round in 0..12 {
        let letter = char::from(b'a' + round);
        let text = letter.to_string().repeat(300_000);
        // Somewhere in the middle of it, or before, or after: not by the clock, as a fast machine is through with all
        // of it in a millisecond.
        match polled(1 + 2 * round, window.write(text, Submit::Never)).await {
            Some(written) => drop(written.unwrap()),
            None => given_up += 1,
        }
        // What comes next comes behind it.
        until("the next write", async || {
            window
                .write("|", Submit::Never)
                .await
                .map_err(|error| format!("{error:?}"))
        })
        .await;
    }
    let got = String::from_utf8(recorded(case, &window, "got").await).unwrap();
    let mut parts: Vec<_> = got.split('|').collect();
    assert_eq!(parts.pop(), Some(""));
    assert!(given_up > 0, "no call was given up");
    for part in parts.iter().filter(|part| !part.is_empty()) {
        let letter = &part[..1];
        assert!(part.chars().all(|c| part.starts_with(c)), "{letter}");
        assert_eq!(part.len(), 300_000, "{letter}");
    }
    assert_eq!(case.tmux_ok(&["list-buffers"]).await, "");
}

/// Goes on with a call so many times, and gives it up.
async fn polled<T>(times: u8, call: impl Future<Output = T>) -> Option<T> {
    let mut call = pin!(call);
    let mut left = times;
    poll_fn(|context| match call.as_mut().poll(context) {
        Poll::Ready(value) => Poll::Ready(Some(value)),
        Poll::Pending => {
            left -= 1;
            match left {
                0 => Poll::Ready(None),
                _ => Poll::Pending,
            }
        }
    })
    .await
}

/// The same on tmux itself: a client that dies while the server reads a text from it.
async fn text_of_a_client_that_is_given_up_leaves_no_buffer(case: &Case) {
    use tokio::io::AsyncWriteExt;
    let window = case.window().await;
    until_prompt(&window).await;
    recorder(case, &window, "got", "").await;
    let mut command = tokio::process::Command::new(&case.target.binary);
    command
        .args(["-u", "-N", "-S"])
        .arg(case.socket())
        .args(["load-buffer", "-b", "half", "-", ";"])
        .args(["paste-buffer", "-b", "half", "-r", "-d", "-t", "=amux:=w"])
        .stdin(std::process::Stdio::piped());
    let mut client = command.spawn().unwrap();
    let mut stdin = client.stdin.take().unwrap();
    stdin.write_all(&vec![b'x'; 1 << 20]).await.unwrap();
    client.kill().await.unwrap();
    until("the server to forget its client", async || {
        match window.state().await.map(|_| ()) {
            Ok(()) => Ok(()),
            Err(error) => Err(format!("{error:?}")),
        }
    })
    .await;
    assert_eq!(case.tmux_ok(&["list-buffers"]).await, "");
    same(recorded(case, &window, "got").await, "");
}

async fn inputs_at_the_same_time_do_not_mix(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    recorder(case, &window, "got", "").await;
    let tasks: Vec<_> = (0..16u8)
        .map(|n| {
            let window = window.clone();
            let text = format!("{}|", char::from(b'a' + n).to_string().repeat(20_000));
            tokio::spawn(async move {
                window.write(text, Submit::Never).await.unwrap();
                window
                    .keys(&[Key::new("<").unwrap(), Key::new(">").unwrap()])
                    .await
                    .unwrap();
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let got = String::from_utf8(recorded(case, &window, "got").await).unwrap();
    assert_eq!(got.matches("<>").count(), 16);
    let got = got.replace("<>", "");
    let parts: Vec<_> = got.split_terminator('|').collect();
    assert_eq!(parts.len(), 16);
    for part in parts {
        assert_eq!(part.len(), 20_000);
        assert!(part.chars().all(|c| part.starts_with(c)));
    }
}

async fn paste_is_marked_where_the_program_asks_for_it(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    recorder(case, &window, "asks", "\\x1b[?2004h").await;
    window.write("one\ntwo", Submit::Yes).await.unwrap();
    same(
        recorded(case, &window, "asks").await,
        "\x1b[200~one\ntwo\x1b[201~\r",
    );
    until_prompt(&window).await;
    recorder(case, &window, "not", "").await;
    window.write("one\ntwo", Submit::Yes).await.unwrap();
    same(recorded(case, &window, "not").await, "one\ntwo\r");
}

async fn newlines_of_a_paste_stay_newlines(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    recorder(case, &window, "got", "").await;
    window
        .write("a\nb\r\nc\rd\te\n", Submit::Never)
        .await
        .unwrap();
    same(recorded(case, &window, "got").await, "a\nb\r\nc\rd\te\n");
}

async fn text_pasted_into_a_shell_does_not_run_before_enter(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    // Behind a mark, as everything that is submitted.
    let output = run(&window, "echo one\necho two\n: three").await;
    assert_eq!(output.text, "one\ntwo\n");
    // A paste by hand, with a newline at its end.
    case.write("text", "touch early\ntouch late\n");
    case.tmux_ok(&["load-buffer", "-b", "b", "text", ";"]).await;
    case.tmux_ok(&[
        "paste-buffer",
        "-p",
        "-r",
        "-d",
        "-b",
        "b",
        "-t",
        "=amux:=w",
    ])
    .await;
    until_screen(&window, "the pasted text", |shown| {
        shown.text.contains("touch late")
    })
    .await;
    assert!(!case.home().join("early").exists());
    window.keys(&[Key::new("Enter").unwrap()]).await.unwrap();
    until("both to have run", async || {
        case.home()
            .join("late")
            .exists()
            .then_some(())
            .ok_or_else(|| "not yet".to_owned())
    })
    .await;
    assert!(case.home().join("early").exists());
}

async fn end_of_a_paste_within_a_text_is_refused(case: &Case) {
    let window = case.window().await;
    // Behind it the shell has asked for pastes to be marked, however slow it is.
    exits(&window, "true", 0).await;
    let text = "echo a\n\x1b[201~touch wrong\n";
    assert_eq!(
        refused(window.write(text, Submit::Yes).await),
        ErrorKind::PasteEndsEarly
    );
    let kind = refused(window.run(text, RunOptions::new()).await);
    assert_eq!(
        kind,
        ErrorKind::ControlCharacter {
            position: 7,
            byte: 0x1b
        }
    );
    assert_eq!(
        exits(&window, "ls wrong 2>/dev/null | wc -l", 0).await,
        "0\n"
    );
}

async fn control_characters_in_a_text_to_run_are_refused(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let before = screen(&window).await.text;
    for byte in (0u8..0x20)
        .chain([0x7f])
        .filter(|byte| !b"\t\n".contains(byte))
    {
        let text = format!("true {}", char::from(byte));
        let kind = refused(window.run(&text, RunOptions::new()).await);
        assert_eq!(kind, ErrorKind::ControlCharacter { position: 5, byte });
    }
    assert_eq!(screen(&window).await.text, before, "nothing was typed");
    // Tab and newline are text, and so is what is no ASCII.
    // So is U+009B: it ends no paste, as bash reads bytes. Only terminals take it for an escape.
    let output = run(&window, "echo 'a\tb\n\u{9b}é'").await;
    same(without_marks(&output.raw), "a\tb\r\n\u{9b}é\r\n");
}

async fn semicolon_at_the_end_is_not_lost(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    assert_eq!(exits(&window, "echo a;", 0).await, "a\n");
    recorder(case, &window, "got", "").await;
    // What tmux does to an argument that ends so.
    case.tmux_ok(&["send-keys", "-t", "=amux:=w", "-l", "x;"])
        .await;
    for text in [";", "y;", "z\\;", ";;"] {
        window.write(text, Submit::Never).await.unwrap();
    }
    let keys = [";", "C-a", "M-;", ";"].map(|name| Key::new(name).unwrap());
    window.keys(&keys).await.unwrap();
    same(
        recorded(case, &window, "got").await,
        "x;y;z\\;;;;\x01\x1b;;",
    );
}

async fn words_that_name_keys_are_text(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    assert_eq!(
        exits(&window, "echo Enter C-c -l Escape", 0).await,
        "Enter C-c -l Escape\n"
    );
    recorder(case, &window, "got", "").await;
    case.tmux_ok(&["send-keys", "-t", "=amux:=w", "Enter"])
        .await;
    window.write("Enter", Submit::Never).await.unwrap();
    window.write("C-c", Submit::Never).await.unwrap();
    same(recorded(case, &window, "got").await, "\rEnterC-c");
}

async fn text_that_begins_with_a_hyphen_is_text(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    recorder(case, &window, "got", "").await;
    for text in ["-l", "--", "-t x", "-"] {
        window.write(text, Submit::Never).await.unwrap();
    }
    let keys = ["-", "-", "C--"].map(|name| Key::new(name).unwrap());
    window.keys(&keys[..2]).await.unwrap();
    let got = recorded(case, &window, "got").await;
    same(got, "-l---t x---");
}

async fn key_name_that_is_not_known_would_be_typed(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    recorder(case, &window, "got", "").await;
    case.tmux_ok(&["send-keys", "-t", "=amux:=w", "Ctrl-C"])
        .await;
    same(recorded(case, &window, "got").await, "Ctrl-C");
    for name in [
        "Ctrl-C", "ctrl-c", "enter", "Return", "Esc", "F13", "C-Foo", "ab", "",
    ] {
        assert_eq!(refused(Key::new(name)), ErrorKind::InvalidKey, "{name}");
    }
}

async fn keys_are_pressed_by_name_with_modifiers(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    recorder(case, &window, "got", "").await;
    let names = [
        "a", "Enter", "Escape", "Tab", "Space", "C-c", "M-x", "Up", "F5", "BSpace", "\"", "$", "#",
        "{",
    ];
    let keys = names.map(|name| Key::new(name).unwrap());
    window.keys(&keys).await.unwrap();
    same(
        recorded(case, &window, "got").await,
        "a\r\x1b\t \x03\x1bx\x1b[A\x1b[15~\x7f\"$#{",
    );
}

async fn empty_text_presses_enter_alone(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    recorder(case, &window, "got", "").await;
    window.write("", Submit::Yes).await.unwrap();
    window.write("", Submit::Never).await.unwrap();
    window.write("", Submit::Auto).await.unwrap();
    same(recorded(case, &window, "got").await, "\r");
    assert_eq!(case.tmux_ok(&["list-buffers"]).await, "");
}

/// It waits in the terminal, marked for nobody, and bash reads it as typed.
async fn text_that_comes_while_bash_starts_is_not_lost(case: &Case) {
    case.write(".bash_profile", "until [ -e go ]; do sleep 0.05; done\n");
    let window = case.window().await;
    window.write("echo typed early", Submit::Yes).await.unwrap();
    let run = tokio::spawn({
        let window = window.clone();
        async move {
            let waits = amux::WhenBusy::Wait(Duration::from_secs(60));
            window
                .run("echo one\necho two", RunOptions::new().when_busy(waits))
                .await
        }
    });
    until_screen(&window, "the echo", |shown| {
        shown.text.contains("typed early")
    })
    .await;
    case.write("go", "");
    let output = run.await.unwrap().unwrap();
    assert_eq!(output.text, "one\ntwo\n");
    let shown = screen(&window).await.text;
    assert!(shown.contains("\ntyped early\n"), "{shown}");
}
