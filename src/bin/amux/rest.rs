//! What was left out of an output, and the command that shows it.

use std::path::Path;

use amux::{DEFAULT_SESSION, Excerpt, Limits};
use serde_json::{Map, Value, json};

use crate::args::{self, Place, Search, Window};
use crate::cmd::{Meant, meant};
use crate::output;

/// An output that was printed in part, and where it came from.
pub struct Rest<'a> {
    pub excerpt: &'a Excerpt,
    pub place: &'a Place,
    pub window: &'a Window,
    /// The options by which the same range is read again.
    pub range: Vec<String>,
    /// What was searched for, and how.
    pub search: Option<(&'a String, &'a Search)>,
    /// Another process can read it.
    pub kept: bool,
}

impl args::Limits {
    /// Returns the limits that were given.
    pub fn given(&self) -> Limits {
        let limits = Limits::new();
        let limits = match self.max_line {
            Some(bytes) => limits.line(bytes),
            None => limits,
        };
        match self.max_bytes {
            Some(bytes) => limits.bytes(bytes),
            None => limits,
        }
    }
}

impl Rest<'_> {
    /// Says in one line on standard error what was left out, where something
    /// was.
    pub fn complain(&self) {
        let excerpt = self.excerpt;
        if excerpt.is_whole() {
            return;
        }
        let mut text = String::new();
        if let Some(hits) = &excerpt.hits {
            text += &format!("{} of {} hits; ", hits.lines.len(), hits.total);
        }
        text += &format!(
            "left out {} of {} bytes, {} of {} lines",
            excerpt.omitted.bytes, excerpt.total.bytes, excerpt.omitted.lines, excerpt.total.lines,
        );
        if excerpt.cut_lines > 0 {
            text += &format!(", and cut {}", excerpt.cut_lines);
        }
        match self.command() {
            Some((what, command)) => output::complain(&format!("{text}; {what}: {command}")),
            None => output::complain(&format!("{text}, which a stock tmux does not keep")),
        }
    }

    /// Adds the same to a JSON object.
    pub fn put(&self, object: &mut Map<String, Value>) {
        let command = self.command().map(|(_, command)| command);
        object.insert("excerpt".to_owned(), output::excerpt(self.excerpt));
        object.insert("rest".to_owned(), json!(command));
    }

    /// Returns the command that shows what was left out, and what it shows; none
    /// where nothing was, or where it is gone.
    fn command(&self) -> Option<(&'static str, String)> {
        if self.excerpt.is_whole() || !self.kept {
            return None;
        }
        let mut words = vec!["amux".to_owned()];
        match meant(self.place) {
            Ok(Meant::Socket(socket)) => words.extend(["-S".to_owned(), path(socket)]),
            Ok(Meant::Tenant(tenant)) => words.extend(["-L".to_owned(), tenant.to_owned()]),
            Ok(Meant::Layer(layer)) => words.extend(["--layer".to_owned(), layer.to_owned()]),
            Ok(Meant::Default) | Err(_) => {}
        }
        words.extend(["read".to_owned(), self.window.name.clone()]);
        if self.window.session != DEFAULT_SESSION {
            words.extend(["--session".to_owned(), self.window.session.clone()]);
        }
        words.extend(self.range.iter().cloned());
        let (what, more) = self.what();
        words.extend(more);
        let words: Vec<_> = words.iter().map(|word| quoted(word)).collect();
        Some((what, words.join(" ")))
    }

    fn what(&self) -> (&'static str, Vec<String>) {
        if let (Some((text, search)), Some(hits)) = (self.search, &self.excerpt.hits) {
            let next = search.skip.saturating_add(hits.lines.len() as u64);
            if next < hits.total {
                let mut words = vec!["--search".to_owned(), text.clone()];
                words.extend(["--skip".to_owned(), next.to_string()]);
                if search.around > 0 {
                    words.extend(["--around".to_owned(), search.around.to_string()]);
                }
                return ("the other hits", words);
            }
        }
        let gaps: Vec<_> = self.excerpt.gaps().take(2).collect();
        match gaps.as_slice() {
            [gap] => {
                let range = format!("{}..{}", gap.start, gap.end);
                ("the rest", vec!["--bytes".to_owned(), range])
            }
            _ => ("all of it", Vec::new()),
        }
    }
}

fn path(path: &Path) -> String {
    path.display().to_string()
}

/// Quotes a word for a shell, where it needs that.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:@%+=".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_are_quoted_where_a_shell_would_change_them() {
        assert_eq!(quoted("--bytes"), "--bytes");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
