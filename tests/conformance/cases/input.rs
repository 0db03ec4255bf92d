//! Bytes get into the terminal as they are.

use std::time::Duration;

use amux::{ErrorKind, Key, Submit, Window};

use crate::case::{
    Case, exits, find, options, refused, run, same, unread, until, until_file, until_foreground,
    until_prompt, until_state,
};
use crate::person::Person;
use crate::runner::topic;

topic!("input":
    raw_program_gets_every_byte_of_200_writes,
    first_command_waits_for_the_startup_files,
    long_command_right_after_the_window_was_made_runs_once,
    long_text_written_right_after_the_window_was_made_runs_once,
    a_mebibyte_of_lines_reaches_cat,
    line_of_5000_characters_runs_at_a_prompt,
    line_of_5000_characters_while_something_runs_is_refused_or_runs_later,
    dash_gets_whole_lines_or_none,
    canonical_terminal_takes_4095_bytes_and_no_more,
    semicolons_arrive_by_every_route,
    text_that_starts_with_a_hyphen_is_no_option,
    foreground_program_is_not_typed_into,
    line_of_a_person_is_left_alone,
);

/// Starts a program that reads so many bytes from a raw terminal into the file `got`.
async fn raw_reader(window: &Window, size: usize) -> amux::CommandId {
    until_prompt(window).await;
    let text = format!("stty raw -echo; head -c {size} >got; stty sane");
    let id = window.write(text, Submit::Yes).await.unwrap().unwrap();
    until_state(window, "head in raw mode", |state| {
        state.foreground == "head" && state.input == amux::InputMode::Raw
    })
    .await;
    id
}

/// Case A1: 3,000 characters and Enter, 200 times, to a program in raw mode: every byte, once, in order.
async fn raw_program_gets_every_byte_of_200_writes(case: &Case) {
    let window = case.window().await;
    let parts: Vec<String> = (0..200)
        .map(|n| format!("{n:03}{}", "abcdefghij".repeat(300))[..3000].to_owned())
        .collect();
    let id = raw_reader(&window, 200 * 3001).await;
    for part in &parts {
        window.write(part.as_str(), Submit::Yes).await.unwrap();
    }
    let record = window.wait(Some(id), options_limit()).await.unwrap();
    assert_eq!(record.unwrap().status, Some(0));
    same(case.contents("got"), parts.join("\r") + "\r");
    assert_eq!(exits(&window, "echo after", 0).await, "after\n");
}

fn options_limit() -> Option<Duration> {
    Some(crate::support::deadline::LONG)
}

/// Case A3: startup files take 2 s: the first command waits for the first prompt.
async fn first_command_waits_for_the_startup_files(case: &Case) {
    case.write(".bash_profile", ". ~/.bashrc\n");
    case.write(
        ".bashrc",
        "echo welcome\nprintf 'no newline'\nsleep 2\nslept=yes\n",
    );
    let window = case.window().await;
    assert_eq!(exits(&window, "echo OK $slept", 0).await, "OK yes\n");
    assert_eq!(exits(&window, "(exit 3)", 3).await, "");
}

/// A command of 450 characters that notes that it ran.
fn long_command() -> (String, String) {
    let word = "0123456789".repeat(42);
    let text = format!("echo ran >>times; echo {word}");
    assert!(text.len() >= 440);
    (text, word + "\n")
}

/// Case A5: a command of 450 characters right after the window was made runs once, whole.
pub async fn long_command_right_after_the_window_was_made_runs_once(case: &Case) {
    let (text, expected) = long_command();
    let server = case.server().await;
    for n in 0..10 {
        let window = server.window(&format!("w{n}")).unwrap();
        window.create().await.unwrap();
        same(exits(&window, &text, 0).await, &expected);
        same(case.contents("times"), "ran\n".repeat(n + 1));
    }
}

/// Case A5: the same text, typed ahead while the shell is still starting.
async fn long_text_written_right_after_the_window_was_made_runs_once(case: &Case) {
    case.write(".bash_profile", "sleep 0.3\n");
    let (text, expected) = long_command();
    let server = case.server().await;
    for n in 0..5 {
        let window = server.window(&format!("w{n}")).unwrap();
        window.create().await.unwrap();
        let id = window.write(text.as_str(), Submit::Yes).await.unwrap();
        let record = window.wait(id, options_limit()).await.unwrap().unwrap();
        assert_eq!(record.status, Some(0), "{record:?}");
        let range = amux::Range::Command(record.id);
        let chunk = window.read(amux::ReadOptions::new(range)).await.unwrap();
        same(&chunk.bytes, &expected);
        same(case.contents("times"), "ran\n".repeat(n + 1));
        assert_eq!(exits(&window, "echo after", 0).await, "after\n");
    }
}

/// Case A7: 1 MiB in lines of 64 bytes to `cat >f`: the same bytes.
async fn a_mebibyte_of_lines_reaches_cat(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let data: String = (0..16_384)
        .map(|n| format!("{n:08} {}\n", "x'\"$`\\!;#".repeat(6)))
        .collect();
    assert_eq!(data.len(), 1 << 20);
    let id = window.write("cat >got", Submit::Yes).await.unwrap();
    until_foreground(&window, "cat").await;
    window.write(data.as_str(), Submit::Never).await.unwrap();
    window.keys(&[Key::new("C-d").unwrap()]).await.unwrap();
    let record = window.wait(id, options_limit()).await.unwrap().unwrap();
    assert_eq!(record.status, Some(0), "{record:?}");
    same(case.contents("got"), &data);
}

fn long_line() -> (String, String) {
    let word = "abcdefghij".repeat(500);
    (format!("echo {word}"), word + "\n")
}

/// Case A9 (a): a line of 5,000 characters at an idle prompt runs.
pub async fn line_of_5000_characters_runs_at_a_prompt(case: &Case) {
    let window = case.window().await;
    let (text, expected) = long_line();
    same(exits(&window, &text, 0).await, &expected);
    same(
        exits(&window, &format!("{text}\n{text}"), 0).await,
        expected.repeat(2),
    );
}

/// Case A9 (b): the same while `sleep` runs: refused before a byte is written, or runs after the prompt.
pub async fn line_of_5000_characters_while_something_runs_is_refused_or_runs_later(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let (text, expected) = long_line();
    window.write("sleep 999", Submit::Yes).await.unwrap();
    until_foreground(&window, "sleep").await;
    assert_eq!(
        refused(window.write(format!("{text} >early"), Submit::Yes).await),
        ErrorKind::LineTooLong
    );
    let busy = refused(window.run(&text, options()).await);
    assert_eq!(
        busy,
        ErrorKind::Busy {
            program: "sleep".to_owned()
        }
    );
    let wait = options().when_busy(amux::WhenBusy::Wait(crate::support::deadline::LONG));
    let (output, ()) = tokio::join!(window.run(&text, wait), async {
        window.interrupt().await.unwrap();
    });
    let output = output.unwrap();
    same(&output.text, &expected);
    assert_eq!(output.status(), Some(0));
    assert!(!case.home().join("early").exists());
}

/// Case A9 (c): dash, which is always canonical, gets a line whole or not at all.
async fn dash_gets_whole_lines_or_none(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    window.write("exec dash", Submit::Yes).await.unwrap();
    until_foreground(&window, "dash").await;
    let word = "abcdefghij".repeat(400);
    let text = format!("echo {word} >whole");
    window.write(text, Submit::Yes).await.unwrap();
    until_file(case, "whole", |found| (!found.is_empty()).then_some(())).await;
    same(case.contents("whole"), word + "\n");

    let (text, _) = long_line();
    assert_eq!(
        refused(
            window
                .write(format!("{text} >cut; echo >cut2"), Submit::Yes)
                .await
        ),
        ErrorKind::LineTooLong
    );
    window.write("echo >next", Submit::Yes).await.unwrap();
    until_file(case, "next", |found| (found == b"\n").then_some(())).await;
    assert!(!case.home().join("cut").exists() && !case.home().join("cut2").exists());
}

/// Case A9: the limit is the terminal's own: a line of 4,095 bytes and its end arrives, one more is refused.
async fn canonical_terminal_takes_4095_bytes_and_no_more(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let id = window.write("cat >got", Submit::Yes).await.unwrap();
    until_foreground(&window, "cat").await;
    let longest = "x".repeat(4095) + "\n";
    window.write(longest.as_str(), Submit::Auto).await.unwrap();
    for (text, submit) in [
        ("y".repeat(4096) + "\n", Submit::Auto),
        ("y".repeat(4096), Submit::Yes),
        (format!("short\n{}\n", "y".repeat(4096)), Submit::Auto),
    ] {
        assert_eq!(
            refused(window.write(text, submit).await),
            ErrorKind::LineTooLong
        );
    }
    window.keys(&[Key::new("C-d").unwrap()]).await.unwrap();
    window.wait(id, options_limit()).await.unwrap();
    same(case.contents("got"), &longest);
}

/// Case A10: `;` at the end, alone, doubled and behind a backslash, written, run and by the command `amux`.
async fn semicolons_arrive_by_every_route(case: &Case) {
    let texts = ["echo a;", ";", "a;;b", "x\\;", "\\;", ";;", "{;}", "#{;}"];
    let window = case.window().await;
    let all = texts.concat();
    let id = raw_reader(&window, all.len() * 2).await;
    for text in texts {
        assert_eq!(window.write(text, Submit::Never).await.unwrap(), None);
    }
    for text in texts {
        let finished = case.amux(&["write", "w", "-n", "--", text], b"").await;
        assert_eq!(finished.status, Some(0), "{finished:?}");
    }
    window.wait(Some(id), options_limit()).await.unwrap();
    same(case.contents("got"), all.repeat(2));

    assert_eq!(exits(&window, "echo a;", 0).await, "a\n");
    assert_eq!(exits(&window, "echo x\\;", 0).await, "x;\n");
    assert_eq!(exits(&window, "echo 'a;;b'", 0).await, "a;;b\n");
    // What bash says of them ends in the character that it did not expect.
    for (text, unexpected) in [(";", ";'\n"), ("echo a;;b", ";;'\n")] {
        exits(&window, "true", 0).await;
        let output = run(&window, text).await;
        assert_eq!(output.status(), Some(2), "{text}: {output:?}");
        assert!(output.text.ends_with(unexpected), "{text}: {output:?}");
    }
    let finished = case.amux(&["run", "w", "--", "echo x\\;"], b"").await;
    assert_eq!(
        (finished.status, &finished.out[..]),
        (Some(0), &b"x;\n"[..])
    );
}

/// Case A11: a text that starts with `-` is a text.
async fn text_that_starts_with_a_hyphen_is_no_option(case: &Case) {
    let texts = ["-", "--", "-e", "--version", "-t nowhere", "-- x"];
    let window = case.window().await;
    let all = texts.concat();
    let id = raw_reader(&window, all.len() * 2).await;
    for text in texts {
        window.write(text, Submit::Never).await.unwrap();
    }
    for text in texts {
        let finished = case.amux(&["write", "w", "-n", "--", text], b"").await;
        assert_eq!(finished.status, Some(0), "{finished:?}");
    }
    window.wait(Some(id), options_limit()).await.unwrap();
    same(case.contents("got"), all.repeat(2));
    for text in ["--version", "-e", "--"] {
        let output = run(&window, text).await;
        assert_eq!(output.status(), Some(127), "{output:?}");
        assert!(output.text.contains(&format!("{text}: ")), "{output:?}");
    }
    assert_eq!(
        exits(&window, "printf '%s\\n' -n -- -e", 0).await,
        "-n\n--\n-e\n"
    );
}

/// Case A18: `cat` is in the foreground: the error names it, and nothing is typed into it.
pub async fn foreground_program_is_not_typed_into(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let id = window.write("cat >got", Submit::Yes).await.unwrap();
    until_foreground(&window, "cat").await;
    for text in ["ls", "ls\npwd", &"ls ".repeat(20_000)] {
        assert_eq!(
            refused(window.run(text, options()).await),
            ErrorKind::Busy {
                program: "cat".to_owned()
            }
        );
    }
    let soon = amux::WhenBusy::Wait(Duration::from_millis(300));
    assert_eq!(
        refused(window.run("ls", options().when_busy(soon)).await),
        ErrorKind::Busy {
            program: "cat".to_owned()
        }
    );
    let finished = case.amux(&["run", "w", "--", "ls"], b"").await;
    assert_eq!(finished.status, Some(125), "{finished:?}");
    assert!(finished.err.contains("cat"), "{finished:?}");
    window.keys(&[Key::new("C-d").unwrap()]).await.unwrap();
    window.wait(id, options_limit()).await.unwrap();
    assert_eq!(case.contents("got"), b"");
}

/// Case A19: a person who is attached has typed half a line: it is left alone.
pub async fn line_of_a_person_is_left_alone(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let mut person = Person::attach(case, amux::DEFAULT_SESSION).await;
    person.types("echo half");
    until("the person's line", async || {
        let bytes = unread(&window).await.bytes;
        find(&bytes, b"half")
            .map(drop)
            .ok_or_else(|| String::from_utf8_lossy(&bytes).into_owned())
    })
    .await;
    assert_eq!(
        refused(window.run("ls", options()).await),
        ErrorKind::PromptNotEmpty
    );
    // One that may wait runs when the person's line has run.
    let wait = options().when_busy(amux::WhenBusy::Wait(crate::support::deadline::LONG));
    let (output, ()) = tokio::join!(window.run("cat said", wait), async {
        until_a_run_waits(case).await;
        person.types(" and half >said\r");
    });
    let output = output.unwrap();
    assert_eq!(
        (output.status(), output.text.as_str()),
        (Some(0), "half and half\n")
    );
    drop(person);
}

/// Waits until a run waits for the prompt, beside a person who is attached: it has a connection. On a stock tmux
/// this process itself waits, once it has asked for the pane.
async fn until_a_run_waits(case: &Case) {
    let expected = if case.is_stock() { 1 } else { 2 };
    crate::case::until("a run that waits", async || {
        let children = crate::leftovers::children();
        let asks = children
            .iter()
            .any(|child| child.line.contains("list-panes"));
        match case.connections() {
            found if found == expected && !asks => Ok(()),
            found => Err(format!("{found} connections, {children:?}")),
        }
    })
    .await;
}
