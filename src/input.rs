//! Input to a pane.

/// Whether written bytes are submitted: Enter behind them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Submit {
    /// If the last byte is a newline or a carriage return.
    Auto,
    /// Yes. One newline at the end is dropped, a text of several lines goes as
    /// one paste where the program asked for it, then Enter.
    Yes,
    /// No, whatever the last byte is.
    Never,
}
