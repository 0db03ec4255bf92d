//! Clean text: a line as a list of columns.

use super::parse::{Item, parse, switches_screen};

/// No terminal is wider: the cursor moves no further.
const MAX_MOVE: usize = 1024;

/// One column.
#[derive(Debug, Clone, PartialEq)]
enum Column {
    /// A character with what combines with it, as wide as the `Rest` behind it says.
    Char(String),
    /// A tab that was written at the end of the line.
    Tab,
    /// What the column before goes on to.
    Rest,
}

fn blank() -> Column {
    Column::Char(" ".into())
}

/// Columns of a character. Right for those that the tests use.
pub fn width(c: char) -> usize {
    match u32::from(c) {
        0x300..=0x36f | 0x200b..=0x200f | 0xfe00..=0xfe0f => 0,
        0x3000..=0x4dbf | 0x4e00..=0xa4cf | 0xac00..=0xd7a3 | 0xff01..=0xff60 => 2,
        0x1f600..=0x1f64f => 2,
        _ => 1,
    }
}

#[derive(Default)]
struct Screen {
    line: Vec<Column>,
    column: usize,
    alternate: bool,
    left_out: bool,
    text: String,
}

pub struct Clean {
    pub text: String,
    pub unused: usize,
    pub alternate: bool,
}

/// What `last` says: nothing follows, so that a character that is cut counts as broken.
pub fn clean(bytes: &[u8], last: bool, alternate: bool) -> Clean {
    let mut screen = Screen {
        alternate,
        ..Screen::default()
    };
    let unused = screen.take(bytes, last);
    screen.end_line();
    Clean {
        text: screen.text,
        unused,
        alternate: screen.left_out,
    }
}

/// Where the cursor is after a sequence was begun, which breaks off what is cut.
pub fn column(bytes: &[u8], alternate: bool) -> usize {
    let mut screen = Screen {
        alternate,
        ..Screen::default()
    };
    screen.take(bytes, true);
    screen.column
}

impl Screen {
    /// Takes bytes; returns how many at the end are cut.
    fn take(&mut self, bytes: &[u8], last: bool) -> usize {
        let mut unused = 0;
        for found in parse(bytes) {
            match found.item {
                Item::Text(c) => self.write(c),
                Item::Control(byte) => self.control(byte),
                Item::Csi(parameters, letter) => self.csi(&parameters, letter),
                Item::Escape(letter) => self.escape(letter),
                Item::Osc(..) | Item::Other => {}
                Item::Cut if !last => unused = found.bytes.len(),
                Item::Cut => {
                    if bytes[found.bytes.start] != 0x1b {
                        self.write('\u{fffd}');
                    }
                }
            }
        }
        unused
    }

    /// Puts the line into the text, without a line end.
    fn end_line(&mut self) {
        for column in self.line.drain(..) {
            match column {
                Column::Char(text) => self.text += &text,
                Column::Tab => self.text.push('\t'),
                Column::Rest => {}
            }
        }
    }

    fn newline(&mut self) {
        self.end_line();
        self.text.push('\n');
        self.column = 0;
    }

    /// To another line: this one ends if anything is on it.
    fn vertical(&mut self, column: usize) {
        if !self.line.is_empty() {
            self.newline();
        }
        self.column = column.min(MAX_MOVE);
    }

    /// Nothing reaches over the left edge of a column any more.
    fn split(&mut self, at: usize) {
        if self.line.get(at) != Some(&Column::Rest) {
            return;
        }
        let head = self.line[..at]
            .iter()
            .rposition(|column| *column != Column::Rest);
        let mut next = head.unwrap();
        self.line[next] = blank();
        next += 1;
        while self.line.get(next) == Some(&Column::Rest) {
            self.line[next] = blank();
            next += 1;
        }
    }

    fn pad(&mut self) {
        while self.line.len() < self.column {
            self.line.push(blank());
        }
    }

    fn put(&mut self, what: Column, width: usize) {
        self.pad();
        self.split(self.column);
        self.split(self.column + width);
        for i in 0..width {
            let column = if i == 0 { what.clone() } else { Column::Rest };
            match self.line.get_mut(self.column) {
                Some(place) => *place = column,
                None => self.line.push(column),
            }
            self.column += 1;
        }
    }

    fn write(&mut self, c: char) {
        if self.alternate {
            self.left_out = true;
            return;
        }
        if ('\u{80}'..'\u{a0}').contains(&c) {
            return;
        }
        match width(c) {
            0 if self.column > 0 => {
                self.pad();
                let base = self.line[..self.column]
                    .iter_mut()
                    .rfind(|column| **column != Column::Rest);
                match base.unwrap() {
                    Column::Char(text) => text.push(c),
                    // Behind a tab it stands beside it in the text.
                    tab => *tab = Column::Char(format!("\t{c}")),
                }
            }
            width => self.put(Column::Char(c.into()), width.max(1)),
        }
    }

    fn control(&mut self, byte: u8) {
        if self.alternate {
            return;
        }
        match byte {
            8 => self.column = self.column.saturating_sub(1),
            b'\t' => {
                let width = 8 - self.column % 8;
                if self.column == self.line.len() {
                    self.put(Column::Tab, width);
                } else {
                    self.column += width;
                }
            }
            b'\n' | 11 | 12 => self.newline(),
            b'\r' => self.column = 0,
            _ => {}
        }
    }

    fn escape(&mut self, letter: u8) {
        if letter == b'c' {
            self.alternate = false;
        }
        if self.alternate {
            return;
        }
        match letter {
            b'D' | b'M' => self.vertical(self.column),
            b'E' | b'c' => self.vertical(0),
            _ => {}
        }
    }

    fn csi(&mut self, parameters: &[u8], letter: u8) {
        if let Some(on) = switches_screen(parameters, letter) {
            self.alternate = on;
        }
        if self.alternate
            || !parameters
                .iter()
                .all(|byte| byte.is_ascii_digit() || *byte == b';')
        {
            return;
        }
        let numbers: Vec<usize> = std::str::from_utf8(parameters)
            .unwrap()
            .split(';')
            .map(|number| {
                number
                    .parse()
                    .unwrap_or(if number.is_empty() { 0 } else { usize::MAX })
            })
            .collect();
        let count = numbers[0].max(1);
        let end = self.line.len();
        match letter {
            b'A' | b'B' | b'e' | b'd' => self.vertical(self.column),
            b'E' | b'F' => self.vertical(0),
            b'H' | b'f' => self.vertical(numbers.get(1).map_or(1, |&n| n.max(1)) - 1),
            b'C' | b'a' => self.right(count),
            b'D' => self.column = self.column.saturating_sub(count),
            b'G' | b'`' => self.column = (count - 1).min(MAX_MOVE),
            b'I' => {
                for _ in 0..count.min(128) {
                    self.right(8 - self.column % 8);
                }
            }
            b'Z' => {
                for _ in 0..count.min(128) {
                    self.column = self.column.saturating_sub(1) / 8 * 8;
                }
            }
            b'J' if matches!(numbers[0], 2 | 3) => self.vertical(self.column),
            b'K' if numbers[0] == 2 => self.erase_all(),
            b'J' | b'K' => match numbers[0] {
                0 if self.column < end => {
                    self.split(self.column);
                    self.line.truncate(self.column);
                }
                1 if self.column < end => {
                    self.split(self.column + 1);
                    self.line[..=self.column].fill(blank());
                }
                1 => self.erase_all(),
                _ => {}
            },
            b'X' if self.column < end => {
                let to = end.min(self.column.saturating_add(count.min(MAX_MOVE)));
                self.split(self.column);
                self.split(to);
                self.line[self.column..to].fill(blank());
            }
            b'P' if self.column < end && end <= MAX_MOVE => {
                let to = end.min(self.column.saturating_add(count));
                self.split(self.column);
                self.split(to);
                self.line.drain(self.column..to);
            }
            b'@' if self.column < end && end <= MAX_MOVE => {
                self.split(self.column);
                let more = std::iter::repeat_n(blank(), count.min(MAX_MOVE));
                self.line.splice(self.column..self.column, more);
            }
            _ => {}
        }
    }

    fn erase_all(&mut self) {
        self.line.clear();
        self.column = self.column.min(MAX_MOVE);
    }

    fn right(&mut self, count: usize) {
        if self.column < MAX_MOVE {
            self.column = self.column.saturating_add(count).min(MAX_MOVE);
        }
    }
}

/// Everything as it came, but for what begins with OSC 133, with or without an end.
pub fn escapes(bytes: &[u8], last: bool) -> (Vec<u8>, usize) {
    let mut out = Vec::new();
    let mut unused = 0;
    let mut done = 0;
    for found in parse(bytes) {
        // A control inside a sequence comes before it; it is among its bytes.
        if found.bytes.start < done {
            continue;
        }
        match &found.item {
            // One that does not begin where the last item ended is inside a sequence that comes later.
            Item::Control(_) if found.bytes.start != done => continue,
            Item::Osc(payload, _) if payload.starts_with(b"133;") => {}
            Item::Cut if !last => unused = found.bytes.len(),
            Item::Cut if cut_mark(&bytes[found.bytes.clone()]) => {}
            _ => out.extend(&bytes[found.bytes.clone()]),
        }
        done = found.bytes.end;
    }
    (out, unused)
}

/// Is this the beginning of an OSC 133?
fn cut_mark(bytes: &[u8]) -> bool {
    let printable = |from: usize| bytes[from..].iter().filter(|&&byte| byte >= 0x20);
    let mut start = bytes
        .iter()
        .skip(1)
        .copied()
        .filter(|&byte| (0x20..0x7f).contains(&byte));
    if start.next() != Some(b']') {
        return false;
    }
    let from = bytes.iter().position(|&byte| byte == b']').unwrap() + 1;
    printable(from).copied().take(4).eq(*b"133;")
}
