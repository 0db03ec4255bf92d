//! What is written behind a prompt: has a line been typed?

use amux::stream::{Mark, Phase};

use super::super::text;
use super::Commands;

/// No terminal is wider.
const MAX_COLUMN: usize = 1024;

/// What comes behind a mark of a prompt.
#[derive(Debug, Clone)]
pub(super) struct Echo {
    /// It is the prompt, not what is typed.
    pub(super) prompt: bool,
    pub(super) from: u64,
    /// At which column it begins, and on which screen.
    pub(super) column: usize,
    pub(super) alternate: bool,
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n')
}

impl Commands {
    /// When did the byte before an offset come?
    pub(super) fn time(&self, offset: u64) -> u64 {
        self.times.iter().find(|(end, _)| *end >= offset).unwrap().1
    }

    /// What is behind the first LF at or after an offset, if it is not behind another one.
    pub(super) fn newline(&self, from: u64, before: u64) -> Option<u64> {
        let at = self.bytes[from as usize..]
            .iter()
            .position(|&byte| byte == b'\n')?;
        let after = from + at as u64 + 1;
        (after <= before).then_some(after)
    }

    /// What was typed up to Enter: what is behind its LF, and whether it is anything.
    pub(super) fn typed(&self, before: u64) -> Option<(u64, bool)> {
        let echo = self.echo.as_ref().filter(|echo| !echo.prompt)?;
        let newline = self.newline(echo.from, before)?;
        let line = self.line(echo, newline - 1);
        let text = text::clean(&line, false, echo.alternate).text;
        let text: String = text.chars().filter(|c| !is_blank(*c)).collect();
        Some((newline, !text.is_empty() && text != "^C"))
    }

    /// The bytes of an echo, at the column where it is.
    pub(super) fn line(&self, echo: &Echo, to: u64) -> Vec<u8> {
        let bytes = &self.bytes[echo.from as usize..to as usize];
        [vec![b' '; echo.column], bytes.to_vec()].concat()
    }

    pub fn prompt_empty(&self) -> bool {
        let echo = match &self.echo {
            Some(echo) if self.phase == Phase::Input => echo,
            _ => return false,
        };
        let line = self.line(echo, self.total());
        let text = text::clean(&line, false, echo.alternate).text;
        !line.contains(&b'\n') && text.chars().all(is_blank)
    }

    /// What is typed begins behind a B: at the column that its prompt, or the line that it is in, has come to.
    pub(super) fn echo_input(&mut self, mark: &Mark) {
        let column = self.echo.as_ref().map_or(0, |echo| {
            let line = self.line(echo, mark.bytes.start);
            match echo.prompt || !line.contains(&b'\n') {
                true => text::column(&line, echo.alternate).min(MAX_COLUMN),
                false => 0,
            }
        });
        self.echo = Some(Echo {
            prompt: false,
            from: mark.bytes.end,
            column,
            alternate: self.alternate,
        });
    }
}
