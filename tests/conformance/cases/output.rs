//! What comes back is what was printed.

use amux::{Range, ReadOptions, Render, Submit, Window};

use crate::case::{Case, exits, find, run, same, unread, until, until_prompt, until_state};
use crate::runner::topic;
use crate::support::deadline::LONG;

topic!("output":
    line_editor_leaves_no_trace,
    output_without_a_newline_is_exact,
    long_output_is_all_there_whatever_the_history_limit,
    reader_is_told_what_was_overwritten,
    overwritten_lines_are_as_on_the_screen,
    character_cut_in_two_reads_is_whole,
    bytes_that_are_no_text_are_kept,
    long_line_is_one_line,
    output_file_has_its_very_name,
    ranges_are_what_they_say,
);

/// Case B10: `echo hello`: no toggles of bracketed paste, raw or clean.
pub async fn line_editor_leaves_no_trace(case: &Case) {
    let window = case.window().await;
    let output = run(&window, "echo hello").await;
    same(&output.raw, "hello\r\n");
    same(&output.text, "hello\n");
    let output = run(&window, "echo hello\necho world").await;
    same(&output.text, "hello\nworld\n");
}

/// Case B14: `printf abc`: `abc`, exactly.
pub async fn output_without_a_newline_is_exact(case: &Case) {
    let window = case.window().await;
    for (text, expected) in [
        ("printf abc", "abc"),
        ("printf ' abc  '", " abc  "),
        ("printf '\\n\\n'", "\n\n"),
        ("printf 'a\\n\\nb'", "a\n\nb"),
        ("printf 'tab\\there'", "tab\there"),
        ("true", ""),
        ("printf '%s' '$ '", "$ "),
        ("printf 'é ✓ 中 \u{1f980}'", "é ✓ 中 \u{1f980}"),
    ] {
        let output = run(&window, text).await;
        same(&output.text, expected);
        same(&output.raw, expected.replace('\n', "\r\n"));
    }
}

/// Case B23: 10,000 lines with a history of 100: the counter grew by the exact count, and all of them come.
async fn long_output_is_all_there_whatever_the_history_limit(case: &Case) {
    let server = case.server().await;
    case.tmux_ok(&["set-option", "-g", "history-limit", "100"])
        .await;
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    exits(&window, "true", 0).await;
    let expected: String = (1..=10_000).map(|n| format!("{n}\n")).collect();
    let output = run(&window, "seq 10000").await;
    same(&output.text, &expected);
    same(&output.raw, expected.replace('\n', "\r\n"));
    let record = &output.record;
    let length = record.output_end.unwrap() - record.output_start.unwrap();
    assert_eq!(length, expected.len() as u64 + 10_000);
    let again = window
        .read(ReadOptions::new(Range::LastCommand))
        .await
        .unwrap();
    same(&again.bytes, &expected);
    assert_eq!(again.missing, 0);

    // All that the pane printed is counted, what was read and what was not.
    until_prompt(&window).await;
    let state = window.state().await.unwrap();
    let chunk = unread(&window).await;
    assert_eq!((chunk.start, chunk.end), (0, state.total));
    assert_eq!(chunk.bytes.len() as u64, state.total);
    assert_eq!((state.unread, state.dropped), (state.total, 0));
}

/// Case B23: more than is kept: a reader is told how much is missing, and has the rest to the byte.
async fn reader_is_told_what_was_overwritten(case: &Case) {
    let server = case.start(case.builder().stream_limit(65_536)).await;
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    until_prompt(&window).await;
    let all: String = (1..=20_000).map(|n| format!("{n}\r\n")).collect();
    let output = window
        .run("seq 20000; (exit 3)", crate::case::options())
        .await
        .unwrap();
    assert_eq!(output.status(), Some(3), "{output:?}");
    assert!(output.missing > 0 && output.record.flags.overwritten);
    assert_eq!(output.missing + output.raw.len() as u64, all.len() as u64);
    same(&output.raw, &all[output.missing as usize..]);
    assert!(
        output.raw.len() <= 65_536 && output.raw.len() > 30_000,
        "{}",
        output.raw.len()
    );

    let state = window.state().await.unwrap();
    assert!(state.dropped > 0, "{state:?}");
    let chunk = unread(&window).await;
    assert_eq!(chunk.missing, state.dropped);
    assert_eq!(
        chunk.missing + chunk.bytes.len() as u64,
        chunk.end - chunk.start
    );
    let next = run(&window, "echo next").await;
    assert!(!next.record.flags.overwritten, "{next:?}");
    assert_eq!(next.text, "next\n");
}

/// Case D1: carriage returns overwrite, as on the screen; raw has every byte.
async fn overwritten_lines_are_as_on_the_screen(case: &Case) {
    let window = case.window().await;
    for (text, clean, raw) in [
        (
            "printf '1%%\\r50%%\\r100%%\\nok\\n'",
            "100%\nok\n",
            "1%\r50%\r100%\r\nok\r\n",
        ),
        ("printf 'first\\rsec\\n'", "secst\n", "first\rsec\r\n"),
        ("printf 'abc\\b\\bX\\n'", "aXc\n", "abc\x08\x08X\r\n"),
        (
            "printf '\\033[31mred\\033[0m \\033[1mbold\\033[m\\n'",
            "red bold\n",
            "\x1b[31mred\x1b[0m \x1b[1mbold\x1b[m\r\n",
        ),
        (
            "printf 'long line\\r\\033[Kshort\\n'",
            "short\n",
            "long line\r\x1b[Kshort\r\n",
        ),
        (
            "printf '\\033]0;a title\\007text\\n'",
            "text\n",
            "\x1b]0;a title\x07text\r\n",
        ),
        ("printf 'a\\r\\nb\\r\\n'", "a\nb\n", "a\r\r\nb\r\r\n"),
    ] {
        let output = run(&window, text).await;
        same(&output.text, clean);
        same(&output.raw, raw);
        let chunk = window
            .read(ReadOptions::new(Range::LastCommand))
            .await
            .unwrap();
        same(&chunk.bytes, clean);
    }
    run(&window, "printf '\\033[31mred\\033[0m\\n'").await;
    let kept = ReadOptions::new(Range::LastCommand).render(Render::Escapes);
    let chunk = window.read(kept).await.unwrap();
    assert!(
        find(&chunk.bytes, b"\x1b[31mred\x1b[0m").is_some(),
        "{chunk:?}"
    );
}

async fn counted(window: &Window, render: Render) -> Vec<u8> {
    let options = ReadOptions::new(Range::Unread).render(render).consume(true);
    window.read(options).await.unwrap().bytes
}

/// Case D7: a character whose bytes come in two parts is read as one, by whoever reads in between.
async fn character_cut_in_two_reads_is_whole(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let text = "printf 'a\\344\\270'; read -rs go; printf '\\255b\\n'";
    let id = window.write(text, Submit::Yes).await.unwrap().unwrap();
    until("half a character", async || {
        let chunk = unread(&window).await;
        match chunk.bytes.ends_with(b"a\xe4\xb8") {
            true => Ok(()),
            false => Err(format!("{chunk:?}")),
        }
    })
    .await;
    let mut clean = counted(&window, Render::Clean).await;
    assert!(std::str::from_utf8(&clean).is_ok(), "{clean:?}");
    until_state(&window, "a line read without echo", |state| {
        state.input == amux::InputMode::Secret
    })
    .await;
    window.write("\n", Submit::Never).await.unwrap();
    window.wait(Some(id), Some(LONG)).await.unwrap();
    clean.extend(counted(&window, Render::Clean).await);
    let clean = String::from_utf8(clean).expect("no half characters");
    assert!(
        clean.contains("a中b\n") && !clean.contains('\u{fffd}'),
        "{clean:?}"
    );
    let chunk = window
        .read(ReadOptions::new(Range::Command(id)))
        .await
        .unwrap();
    assert_eq!(chunk.text(), "a中b\n");
}

/// Case D7: bytes that are no text are kept as they came.
async fn bytes_that_are_no_text_are_kept(case: &Case) {
    let window = case.window().await;
    let output = run(&window, "printf 'a\\377\\376b\\200c\\344\\270'").await;
    same(&output.raw, b"a\xff\xfeb\x80c\xe4\xb8");
    let every: Vec<u8> = (0x20..=0x7e).chain(0xa0..=0xff).collect();
    case.write("bytes", &every);
    let output = run(&window, "cat bytes").await;
    same(&output.raw, &every);
}

/// Case D9: 500 characters in a pane of 80 columns are one line.
async fn long_line_is_one_line(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    case.tmux_ok(&["resize-window", "-t", "=amux:=w", "-x", "80", "-y", "24"])
        .await;
    assert_eq!(exits(&window, "tput cols", 0).await, "80\n");
    let line = "0123456789".repeat(50);
    same(
        exits(&window, &format!("echo {line}"), 0).await,
        line.clone() + "\n",
    );
    let wide = "中".repeat(200);
    same(
        exits(&window, &format!("echo {wide}"), 0).await,
        wide.clone() + "\n",
    );
    // One that ends with the last column.
    let full = "x".repeat(80);
    same(
        exits(&window, &format!("echo {full}; echo y"), 0).await,
        full + "\ny\n",
    );
}

/// Case D14: an output file named `#Session 100%done.log` is that very file.
async fn output_file_has_its_very_name(case: &Case) {
    let window = case.window().await;
    exits(&window, "echo kept", 0).await;
    for name in [
        "#Session 100%done.log",
        "#{pane_id}",
        "%H %d",
        "a;",
        "it's $HOME `x`",
    ] {
        // By the path: the client's folder is this process's, the home folder.
        let quoted = name
            .strip_suffix(';')
            .map_or(name.to_owned(), |start| format!("{start}\\;"));
        if !case.is_stock() {
            for flag in ["-o", "-f"] {
                case.tmux_ok(&["read-pane", "-O", flag, &quoted, "-t", "=amux:=w"])
                    .await;
            }
            same(case.contents(name), "kept\nkept\n");
        }
        let finished = case
            .amux(&["run", "w", "--to", name, "--", "echo by amux"], b"")
            .await;
        assert_eq!((finished.status, &*finished.out), (Some(0), &b""[..]));
        same(case.contents(name), "by amux\n");
        exits(&window, "echo kept", 0).await;
    }
    let names: Vec<_> = std::fs::read_dir(case.home())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with('.'))
        .collect();
    assert_eq!(names.len(), 5, "{names:?}");
}

/// Each range is what it says: unread, since the last write, a command's; reading is not counted unless asked.
async fn ranges_are_what_they_say(case: &Case) {
    let window = case.window().await;
    let one = run(&window, "echo one").await;
    let two = run(&window, "echo two").await;
    for (output, expected) in [(&one, "one\n"), (&two, "two\n")] {
        let chunk = window
            .read(ReadOptions::new(Range::Command(output.id())))
            .await
            .unwrap();
        assert_eq!(chunk.text(), expected);
        let (start, end) = (output.record.output_start, output.record.output_end);
        assert_eq!((Some(chunk.start), Some(chunk.end)), (start, end));
        assert_eq!(chunk.record.as_ref(), Some(&output.record));
    }
    let last = window
        .read(ReadOptions::new(Range::LastCommand))
        .await
        .unwrap();
    assert_eq!(last.text(), "two\n");
    let since = window
        .read(ReadOptions::new(Range::SinceWrite).render(Render::Raw))
        .await
        .unwrap();
    assert!(find(&since.bytes, b"echo two").is_some(), "{since:?}");
    assert!(find(&since.bytes, b"two\r\n").is_some() && find(&since.bytes, b"one").is_none());

    let all = unread(&window).await;
    same(unread(&window).await.bytes, &all.bytes);
    same(counted(&window, Render::Raw).await, &all.bytes);
    same(counted(&window, Render::Raw).await, "");
    run(&window, "echo three").await;
    let rest = counted(&window, Render::Raw).await;
    assert!(find(&rest, b"three\r\n").is_some() && find(&rest, b"two").is_none());
}
