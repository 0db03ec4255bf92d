//! What a terminal shows.

use std::time::Instant;

use amux::{CaptureOptions, Cursor, ErrorKind, Key, Snapshot, Submit, Window};

use crate::case::{Case, exits, refused, until, until_foreground, until_prompt};
use crate::runner::topic;
use crate::support::deadline::LONG;
use crate::tools::{expand, screen, until_screen};

topic!("capture":
    line_that_the_terminal_wrapped_is_joined,
    blanks_and_empty_lines_at_the_end_are_left_out,
    scrollback_is_what_was_asked_for_or_what_there_is,
    scrollback_beyond_a_c_int_would_be_none_at_all,
    size_of_the_screen_alone_is_told,
    full_screen_program_has_no_scrollback,
    full_screen_rows_are_not_joined,
    cursor_is_counted_from_1_in_cells,
    cursor_that_a_program_hides_is_not_told,
    cursor_of_the_normal_screen_is_not_told,
    state_and_screen_are_of_one_moment,
    capture_of_a_server_that_has_gone_is_an_error,
    real_full_screen_program_is_read_and_driven,
);

async fn captured(window: &Window, history: u32) -> Snapshot {
    window
        .capture(CaptureOptions::new().history(history))
        .await
        .unwrap()
}

/// A window whose prompt is `> ` and whose screen is blank but for it.
async fn blank(case: &Case) -> Window {
    case.write(".bash_profile", "PS1='> '\n");
    let window = case.window().await;
    until_prompt(&window).await;
    window
}

async fn line_that_the_terminal_wrapped_is_joined(case: &Case) {
    let window = blank(case).await;
    let line: String = (0..130).map(|n| format!("{n:4} ")).collect();
    exits(&window, &format!("echo '{line}'; echo next"), 0).await;
    until_prompt(&window).await;
    let shown = screen(&window).await.text;
    assert!(
        shown.contains(&format!("\n{}\nnext\n>\n", line.trim_end())),
        "{shown}"
    );
    assert!(shown.starts_with("> echo '   0    1 "), "{shown}");
    let plain = case
        .tmux_ok(&["capture-pane", "-p", "-t", "=amux:=w"])
        .await;
    assert!(!plain.contains(&line[..400]), "tmux joins by itself");
}

async fn blanks_and_empty_lines_at_the_end_are_left_out(case: &Case) {
    let window = blank(case).await;
    let snapshot = screen(&window).await;
    assert_eq!(snapshot.text, ">\n");
    assert_eq!((snapshot.rows, snapshot.columns), (24, 200));
    assert_eq!(snapshot.screen_bytes, 2);
    exits(&window, "printf 'a  \\n\\n  b   \\n\\n'", 0).await;
    until_prompt(&window).await;
    let shown = screen(&window).await.text;
    assert!(shown.ends_with("\na\n\n  b\n\n>\n"), "{shown:?}");
}

async fn scrollback_is_what_was_asked_for_or_what_there_is(case: &Case) {
    let window = blank(case).await;
    exits(&window, "seq 100", 0).await;
    until_prompt(&window).await;
    let size: u32 = expand(case, "=amux:=w", "#{history_size}")
        .await
        .parse()
        .unwrap();
    let alone = captured(&window, 0).await;
    assert_eq!(alone.history_rows, 0);
    assert_eq!(alone.text.lines().count(), 24);
    let some = captured(&window, 10).await;
    assert_eq!(some.history_rows, 10);
    assert_eq!(some.text.lines().count(), 34);
    assert!(some.text.ends_with(&alone.text));
    for rows in [size, size + 1, 9_999, 10_000, 10_001, 1_000_000] {
        let all = captured(&window, rows).await;
        assert_eq!(all.history_rows, size);
        assert!(all.text.starts_with("> seq 100\n1\n2\n"), "{rows}");
        assert_eq!(all.text.lines().count(), size as usize + 24);
    }
    // More than is kept has gone.
    exits(&window, "seq 12000", 0).await;
    until_prompt(&window).await;
    let all = captured(&window, u32::MAX).await;
    assert!(all.history_rows <= 10_000, "{}", all.history_rows);
    assert!(all.history_rows > 8_000, "{}", all.history_rows);
    assert!(!all.text.contains("> seq 12000\n"));
    assert!(all.text.ends_with("\n12000\n>\n"));
}

/// tmux captures no scrollback for such a number, in silence.
async fn scrollback_beyond_a_c_int_would_be_none_at_all(case: &Case) {
    let window = blank(case).await;
    exits(&window, "seq 100", 0).await;
    until_prompt(&window).await;
    let capture = ["capture-pane", "-p", "-S", "-3000000000", "-t", "=amux:=w"];
    let plain = case.tmux_ok(&capture).await;
    assert!(!plain.contains("> seq 100"), "the pitfall has gone");
    for rows in [2_147_483_647, 2_147_483_648, 3_000_000_000, u32::MAX] {
        let all = captured(&window, rows).await;
        assert!(all.text.starts_with("> seq 100\n1\n"), "{rows}");
    }
}

/// A line that goes from the scrollback onto the screen comes whole: the text tells no more what is on the screen.
async fn size_of_the_screen_alone_is_told(case: &Case) {
    let window = blank(case).await;
    exits(&window, "clear; printf 'x%.0s' {1..100000}; echo", 0).await;
    until_prompt(&window).await;
    let snapshot = captured(&window, 1_000).await;
    let line = "x".repeat(100_000);
    assert!(
        snapshot.text.contains(&format!("{line}\n>\n")),
        "{}",
        snapshot.text.len()
    );
    // 23 rows of it, and the prompt.
    assert_eq!(snapshot.screen_bytes, 23 * 201 + 2);
    assert_eq!(snapshot.history_rows, 500 - 23);
    let alone = captured(&window, 0).await;
    assert_eq!(alone.text, format!("{}\n>\n", "x".repeat(23 * 200)));
    assert_eq!(alone.screen_bytes, snapshot.screen_bytes);
}

async fn full_screen_program_has_no_scrollback(case: &Case) {
    let window = blank(case).await;
    exits(&window, "seq 100", 0).await;
    let text = r"printf '\033[?1049h\033[Hinside'; read -r; printf '\033[?1049l'";
    window.write(text, Submit::Yes).await.unwrap();
    let snapshot = until_screen(&window, "inside", |shown| shown.text.starts_with("inside")).await;
    assert!(snapshot.full_screen);
    let snapshot = captured(&window, 50).await;
    assert_eq!(
        (snapshot.history_rows, snapshot.text.as_str()),
        (0, "inside\n")
    );
    assert_eq!(snapshot.screen_bytes, 7);
    window.keys(&[Key::new("Enter").unwrap()]).await.unwrap();
    let snapshot = until_screen(&window, "the shell", |shown| !shown.full_screen).await;
    assert!(snapshot.text.contains("\n100\n"), "{snapshot:?}");
    assert!(!snapshot.text.contains("\ninside"), "{snapshot:?}");
}

async fn full_screen_rows_are_not_joined(case: &Case) {
    let window = blank(case).await;
    let text = r"printf '\033[?1049h\033[H'; printf 'x%.0s' {1..250}; printf '\nthird'; read -r; printf '\033[?1049l'";
    window.write(text, Submit::Yes).await.unwrap();
    let snapshot = until_screen(&window, "third", |shown| {
        shown.full_screen && shown.text.contains("third")
    })
    .await;
    let lines: Vec<_> = snapshot.text.lines().collect();
    assert_eq!(lines[0].len(), 200);
    assert_eq!(lines[1].len(), 50);
    assert_eq!(lines[2], "third");
    assert_eq!(lines.len(), 3);
}

async fn shown_at(case: &Case, text: &str) -> Snapshot {
    let window = blank(case).await;
    let text = format!(r"printf '\033[?1049h\033[H{text}'; read -r; printf '\033[?1049l'");
    window.write(text.as_str(), Submit::Yes).await.unwrap();
    until_screen(&window, "the full screen", |shown| {
        shown.full_screen && shown.text.contains("end")
    })
    .await
}

async fn cursor_is_counted_from_1_in_cells(case: &Case) {
    let snapshot = shown_at(case, r"end\033[5;3H中é").await;
    let cursor = snapshot.cursor.unwrap();
    // Two cells of the one, one of the other, behind column 3.
    assert_eq!((cursor.row, cursor.column), (5, 6));
    assert_eq!(snapshot.text, "end\n\n\n\n  中é\n");
}

async fn cursor_that_a_program_hides_is_not_told(case: &Case) {
    let snapshot = shown_at(case, r"end\033[?25l").await;
    assert_eq!(snapshot.cursor, None);
    assert!(snapshot.full_screen);
}

async fn cursor_of_the_normal_screen_is_not_told(case: &Case) {
    let window = blank(case).await;
    let snapshot = screen(&window).await;
    assert_eq!((snapshot.full_screen, snapshot.cursor), (false, None));
}

/// A program goes to and fro: were the state asked before the screen, one of the other would come now and then.
async fn state_and_screen_are_of_one_moment(case: &Case) {
    let window = blank(case).await;
    // What does nothing is of many lengths: tmux reads as much at a time as there
    // is, which might end with the same screen each time.
    let text = "import os\n\
        n = 0\n\
        while not os.path.exists('stop'):\n\
        \u{20}   n = (n + 7) % 61\n\
        \u{20}   os.write(1, b'\\x1b[?1049h\\x1b[H\\x1b[2Jalternate\\x1b[3;7H' + n * b'\\0')\n\
        \u{20}   os.write(1, b'\\x1b[?1049l\\x1b[H\\x1b[2Jnormal\\x1b[9;9H')\n";
    case.write("flip.py", text);
    window.write("python3 flip.py", Submit::Yes).await.unwrap();
    until_screen(&window, "both", |shown| shown.full_screen).await;
    until_screen(&window, "both", |shown| !shown.full_screen).await;
    let mut seen = [0; 2];
    let begun = Instant::now();
    while seen[0] + seen[1] < 150 || (seen.contains(&0) && begun.elapsed() < LONG) {
        let snapshot = captured(&window, 0).await;
        seen[usize::from(snapshot.full_screen)] += 1;
        match snapshot.full_screen {
            // The screen may just have been entered, with what the other showed, or been cleared.
            true => assert!(snapshot.cursor.is_some(), "{snapshot:?}"),
            false => {
                assert_eq!(snapshot.cursor, None);
                assert!(!snapshot.text.contains("alternate"), "{snapshot:?}");
            }
        }
        if snapshot.text == "alternate\n" {
            assert!(snapshot.full_screen, "{snapshot:?}");
        }
    }
    assert!(seen[0] > 0 && seen[1] > 0, "{seen:?}");
    case.write("stop", "");
    until_prompt(&window).await;
}

async fn capture_of_a_server_that_has_gone_is_an_error(case: &Case) {
    let builder = amux::Server::builder()
        .tenant("gone")
        .binary(&case.target.binary);
    let server = builder.start().await.unwrap();
    let window = server.window("w").unwrap();
    assert_eq!(
        refused(window.capture(CaptureOptions::new()).await),
        ErrorKind::SessionNotFound
    );
    window.create().await.unwrap();
    server.stop().await.unwrap();
    assert_eq!(
        refused(window.capture(CaptureOptions::new()).await),
        ErrorKind::NoServer
    );
}

async fn real_full_screen_program_is_read_and_driven(case: &Case) {
    let window = blank(case).await;
    let python = "import curses\n\
        def main(screen):\n\
        \u{20}   screen.addstr(0, 0, 'menu é 中')\n\
        \u{20}   screen.move(9, 19)\n\
        \u{20}   key = screen.getkey()\n\
        \u{20}   screen.addstr(1, 0, 'pressed ' + key)\n\
        \u{20}   screen.getkey()\n\
        curses.wrapper(main)\n";
    case.write("menu.py", python);
    window.write("python3 menu.py", Submit::Yes).await.unwrap();
    until_foreground(&window, "python3").await;
    let snapshot = until_screen(&window, "the menu", |shown| shown.text == "menu é 中\n").await;
    assert!(snapshot.full_screen);
    let cursor = until("the cursor", async || {
        let cursor = screen(&window).await.cursor;
        match cursor {
            Some(Cursor { row: 10, .. }) => Ok(cursor.unwrap()),
            other => Err(format!("{other:?}")),
        }
    })
    .await;
    assert_eq!(cursor.column, 20);
    window.keys(&[Key::new("x").unwrap()]).await.unwrap();
    until_screen(&window, "the key", |shown| {
        shown.text.contains("\npressed x\n")
    })
    .await;
    window.keys(&[Key::new("q").unwrap()]).await.unwrap();
    let state = until_prompt(&window).await;
    assert_eq!(state.last_status, Some(0));
    assert!(!screen(&window).await.full_screen);
}
