//! What a terminal shows: options of a capture, and what comes back.

/// What to capture.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CaptureOptions {
    pub(crate) history: u32,
}

impl CaptureOptions {
    /// Captures the screen alone.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how many rows of scrollback come before the screen. Rows that are
    /// not there are no error; none come under a full-screen program, as they
    /// are what the terminal showed before it.
    pub fn history(mut self, rows: u32) -> Self {
        self.history = rows;
        self
    }
}

/// What a terminal showed at one moment, and what is needed to read it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshot {
    /// The scrollback that was asked for, then the screen, as lines that end
    /// with a newline. Blanks at the end of a line and empty lines at the end
    /// are left out.
    ///
    /// A line that the terminal wrapped is joined. Under a full-screen program
    /// nothing is joined: line N is row N of the screen.
    pub text: String,
    /// Rows of the screen.
    pub rows: u32,
    /// Columns of the screen.
    pub columns: u32,
    /// Rows of scrollback that the text begins with. The text may have fewer
    /// lines of them, as wrapped ones are joined.
    pub history_rows: u32,
    /// Size of the screen alone, without scrollback, in bytes of text. Equal to
    /// the text's length where no scrollback came and no line was joined.
    pub screen_bytes: usize,
    /// A full-screen program (less, vim, top) runs: it uses the alternate
    /// screen, and what it shows goes when it ends.
    pub full_screen: bool,
    /// Where the cursor is. `None` where a program hides it, and where no
    /// full-screen program runs: there it stands behind what is typed, and rows
    /// do not count lines that were joined.
    pub cursor: Option<Cursor>,
}

/// A place on the screen, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Cursor {
    /// Row. May lie below the last line of the text, as empty ones are left out.
    pub row: u32,
    /// Column, in cells of the terminal: a wide character takes two.
    pub column: u32,
}
