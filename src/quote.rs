//! Quoting: what tmux's parser and the shell do to a word, and how it is undone.

/// Keeps a `;` at the end of an argument. tmux reads it as the end of the
/// command and drops it (`cmd_parse_from_arguments`, all versions), also when
/// no shell is involved; after a backslash it stays and the backslash goes.
pub(crate) fn tmux_argument(argument: &str) -> String {
    match argument.strip_suffix(';') {
        Some(rest) => format!("{rest}\\;"),
        None => argument.to_owned(),
    }
}

/// Undoes the format modifier `q:`, which puts a backslash before what is
/// special to a shell.
pub(crate) fn unquote(quoted: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(quoted.len());
    let mut bytes = quoted.iter();
    while let Some(&byte) = bytes.next() {
        match (byte, bytes.as_slice().first()) {
            (b'\\', Some(&next)) => {
                plain.push(next);
                bytes.next();
            }
            _ => plain.push(byte),
        }
    }
    plain
}

/// Quotes a word for a POSIX shell.
pub(crate) fn shell_word(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Quotes a string for inside double quotes of a POSIX shell.
pub(crate) fn shell_double_quoted(word: &str) -> String {
    let mut quoted = String::with_capacity(word.len() + 2);
    for c in word.chars() {
        if matches!(c, '"' | '\\' | '$' | '`') {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_semicolon_at_the_end_is_escaped() {
        assert_eq!(tmux_argument("a;b"), "a;b");
        assert_eq!(tmux_argument("a;"), "a\\;");
        assert_eq!(tmux_argument(";"), "\\;");
        assert_eq!(tmux_argument("a;;"), "a;\\;");
    }

    #[test]
    fn unquote_takes_one_backslash_off() {
        assert_eq!(unquote(br"a\ b\\c\$"), br"a b\c$");
        assert_eq!(unquote(br"end\"), br"end\");
        assert_eq!(unquote(b""), b"");
    }

    #[test]
    fn shell_words() {
        assert_eq!(shell_word("a b"), "'a b'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_double_quoted(r#"a"$b\`"#), r#"a\"\$b\\\`"#);
    }
}
