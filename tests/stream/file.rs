//! The files `data/*.txt`: their cases, and the bytes that these write. `data/README` has the format.

/// A case: its title, with what was written and what is expected.
pub struct Case {
    pub title: String,
    pub steps: Vec<Step>,
}

/// A line of a case: its number, its word, and what the word is about.
pub struct Step {
    pub line: usize,
    pub word: String,
    pub rest: String,
}

/// Reads the cases of a file.
pub fn read(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word == "case" {
            cases.push(Case {
                title: rest.into(),
                steps: Vec::new(),
            });
            continue;
        }
        let case = cases.last_mut().expect("a case comes first");
        case.steps.push(Step {
            line: number + 1,
            word: word.into(),
            rest: rest.trim().into(),
        });
    }
    cases
}

/// Bytes as a case writes them.
pub fn bytes(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '{' => {
                let (mark, tail) = rest.split_once('}').expect("a mark ends with }");
                let (payload, end): (_, &[u8]) = match mark.rsplit_once('|') {
                    Some((payload, "ST")) => (payload, b"\x1b\\"),
                    Some((payload, "ST8")) => (payload, b"\x9c"),
                    _ => (mark, b"\x07"),
                };
                out.extend(b"\x1b]133;");
                out.extend(bytes(payload));
                out.extend(end);
                rest = tail;
            }
            '\\' => {
                let escape = rest.chars().next().expect("something follows \\");
                rest = &rest[escape.len_utf8()..];
                match escape {
                    'e' => out.push(0x1b),
                    'a' => out.push(7),
                    'b' => out.push(8),
                    't' => out.push(b'\t'),
                    'n' => out.push(b'\n'),
                    'r' => out.push(b'\r'),
                    's' => out.push(b' '),
                    '\\' | '{' => out.push(escape as u8),
                    'x' => {
                        out.push(
                            u8::from_str_radix(&rest[..2], 16).expect("two hex digits follow \\x"),
                        );
                        rest = &rest[2..];
                    }
                    escape => panic!("no escape: \\{escape}"),
                }
            }
            c => out.extend(c.to_string().bytes()),
        }
    }
    out
}
