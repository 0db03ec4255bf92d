//! A capture: the state of the terminal and what it shows, from one invocation.

use crate::capture::{Cursor, Snapshot};
use crate::error::Result;
use crate::wire::record::Fields;

/// Format of the terminal's state, the first line of a capture.
pub(crate) const SCREEN_STATE: &str = concat!(
    "#{alternate_on} #{history_size} #{cursor_flag} #{cursor_x} #{cursor_y} ",
    "#{pane_width} #{pane_height}"
);

/// Reads a capture: the state, the rows of the screen, and, where no full-screen
/// program runs, the scrollback and the screen once more, with wrapped lines
/// joined. Scrollback of `history` rows was asked for.
pub(crate) fn parse_screen(output: &[u8], history: u32) -> Result<Snapshot> {
    let (state, screen) = split_line(output);
    let mut fields = Fields::new(state);
    let full_screen = fields.flag("alternate_on")?;
    let history_size: u32 = fields.number("history_size")?;
    let visible = fields.flag("cursor_flag")?;
    let column: u32 = fields.number("cursor_x")?;
    let row: u32 = fields.number("cursor_y")?;
    let columns = fields.number("pane_width")?;
    let rows: u32 = fields.number("pane_height")?;
    fields.end()?;

    // capture-pane prints a line for each row, empty ones too, unless -J joins
    // them: so it is known where the first capture ends.
    let mut joined = screen;
    for printed in 0..rows {
        if joined.is_empty() {
            let why = format!("{printed} rows of {rows}");
            return Err(Fields::new(state).error(why));
        }
        joined = split_line(joined).1;
    }
    let rows_alone = &screen[..screen.len() - joined.len()];
    let alone = lines(rows_alone);
    if full_screen != joined.is_empty() {
        return Err(Fields::new(state).error("a capture that does not fit its state"));
    }
    Ok(Snapshot {
        rows,
        columns,
        full_screen,
        screen_bytes: alone.len(),
        history_rows: match full_screen {
            true => 0,
            false => history.min(history_size),
        },
        cursor: (full_screen && visible).then(|| Cursor {
            row: row.saturating_add(1),
            column: column.saturating_add(1),
        }),
        text: match full_screen {
            true => alone,
            false => lines(joined),
        },
    })
}

/// Splits behind the first line, and leaves its newline out.
fn split_line(text: &[u8]) -> (&[u8], &[u8]) {
    match text.iter().position(|&byte| byte == b'\n') {
        Some(end) => (&text[..end], &text[end + 1..]),
        None => (text, &[]),
    }
}

/// Removes the blanks at the end of each line, and the empty lines at the end.
fn lines(text: &[u8]) -> String {
    // tmux's cells hold UTF-8; nothing is replaced here.
    let text = String::from_utf8_lossy(text);
    let mut kept = String::with_capacity(text.len());
    let mut end = 0;
    for line in text.split('\n') {
        let line = line.trim_end_matches([' ', '\t']);
        kept.push_str(line);
        kept.push('\n');
        if !line.is_empty() {
            end = kept.len();
        }
    }
    kept.truncate(end);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn normal_screen_with_scrollback() {
        let output = b"0 7 1 2 1 10 3\nlonglonglo\nng\n\nold  \n\nlonglonglong  \n\n";
        let snapshot = parse_screen(output, 5).unwrap();
        assert_eq!(snapshot.text, "old\n\nlonglonglong\n");
        assert_eq!((snapshot.rows, snapshot.columns), (3, 10));
        assert_eq!(snapshot.history_rows, 5);
        assert_eq!(snapshot.screen_bytes, 14);
        assert!(!snapshot.full_screen);
        assert_eq!(snapshot.cursor, None);
    }

    #[test]
    fn history_is_what_there_is() {
        let snapshot = parse_screen(b"0 2 1 0 0 10 1\nx\na\nb\nx\n", 5).unwrap();
        assert_eq!(snapshot.history_rows, 2);
        assert_eq!(snapshot.text, "a\nb\nx\n");
    }

    #[test]
    fn full_screen_program_with_its_cursor() {
        let snapshot = parse_screen(b"1 9 1 4 2 10 3\nrow 1\n\nrow 3\n", 5).unwrap();
        assert_eq!(snapshot.text, "row 1\n\nrow 3\n");
        assert_eq!(snapshot.history_rows, 0);
        assert_eq!(snapshot.cursor, Some(Cursor { row: 3, column: 5 }));
        let hidden = parse_screen(b"1 9 0 4 2 10 1\nrow 1\n", 5).unwrap();
        assert_eq!(hidden.cursor, None);
    }

    #[test]
    fn blank_screen_is_an_empty_text() {
        let snapshot = parse_screen(b"0 0 1 0 0 10 2\n\n\n\n\n", 0).unwrap();
        assert_eq!((snapshot.text.as_str(), snapshot.screen_bytes), ("", 0));
    }

    #[test]
    fn capture_that_is_cut_short_is_a_protocol_error() {
        for output in [
            &b"0 0 1 0 0 10 3\nx\n\n"[..],
            b"0 0 1 0 0 10 3\nx\n\n\n",
            b"1 0 1 0 0 10 1\nx\ny\n",
            b"1 0 1\nx\n",
        ] {
            let error = parse_screen(output, 0).unwrap_err();
            assert_eq!(*error.kind(), ErrorKind::Protocol);
        }
    }
}
