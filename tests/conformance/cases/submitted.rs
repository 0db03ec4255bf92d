//! What is run is what a person who types it gets.

use amux::{Ended, ErrorKind, Range, ReadOptions, Submit};

use crate::case::{Case, exits, options, refused, run, same, until_prompt};
use crate::runner::topic;
use crate::support::deadline::LONG;

topic!("submitted":
    exclamation_marks_stay_with_history_expansion_on,
    event_that_history_does_not_know_runs_nothing,
    quoted_heredoc_is_taken_literally,
    operators_comments_and_ends_of_lines_are_the_shells,
    unfinished_text_is_taken_back,
    background_job_does_not_hold_the_prompt,
    directory_variables_and_functions_last,
    script_of_100_kilobytes_of_quotes_runs,
    script_just_short_enough_to_be_pasted_runs,
    several_lines_are_one_command,
    control_characters_are_refused,
    shell_options_of_the_user_change_nothing,
    shell_whose_hook_was_replaced_ends_by_quiet,
);

/// Case A13: history expansion is on, and `' != '` arrives as it is.
pub async fn exclamation_marks_stay_with_history_expansion_on(case: &Case) {
    let window = case.window().await;
    exits(&window, "set -H; echo before", 0).await;
    let output = run(&window, "printf %s ' != '").await;
    assert_eq!(output.raw, [0x20, 0x21, 0x3d, 0x20]);
    same(
        exits(&window, "printf '%s\\n' 'a!b' '!!' '!1' '!$' \"end!\"", 0).await,
        "a!b\n!!\n!1\n!$\nend!\n",
    );
    same(
        exits(
            &window,
            "cat <<'EOF'\nno `!` here\nEOF\n[ 1 != 2 ] && echo differ",
            0,
        )
        .await,
        "no `!` here\ndiffer\n",
    );
}

/// Case A13: an event that is not there is an error of the shell: nothing runs, and nobody waits for ever.
async fn event_that_history_does_not_know_runs_nothing(case: &Case) {
    let window = case.window().await;
    exits(&window, "(exit 6)", 6).await;
    let output = run(&window, "echo \"a!nothing-like-it\" >made").await;
    assert_eq!(
        (output.ended(), output.status()),
        (Ended::Nothing, None),
        "{output:?}"
    );
    assert!(!case.home().join("made").exists());
    assert_eq!(exits(&window, "echo after", 0).await, "after\n");
}

/// Case A14: a heredoc with a quoted end holds `$x`, a backtick, a quote and backslashes.
pub async fn quoted_heredoc_is_taken_literally(case: &Case) {
    let window = case.window().await;
    let body =
        "$x `date` it's \"C:\\\\Users\\n\" \\\n\ttab and  blanks  \n\n# no comment ${x} $(pwd)\n";
    same(
        exits(&window, &format!("cat <<'EOF'\n{body}EOF\n"), 0).await,
        body,
    );
    same(
        exits(&window, &format!("cat >f <<'EOF'\n{body}EOF\n(exit 9)"), 9).await,
        "",
    );
    same(case.contents("f"), body);
    same(
        exits(&window, "x=1\ncat <<EOF\n$x $((x + 1))\nEOF", 0).await,
        "1 2\n",
    );
}

/// Case A14: operators without blanks, a comment at the end, a `\` that joins two lines.
pub async fn operators_comments_and_ends_of_lines_are_the_shells(case: &Case) {
    let window = case.window().await;
    for (text, expected, status) in [
        ("true|true; { echo b; }", "b\n", 0),
        ("echo a # a comment", "a\n", 0),
        ("false # a comment; true", "", 1),
        ("echo a \\\n  b\\\nc", "a bc\n", 0),
        ("echo a\n\n\n# a comment\n\n(exit 4)\n# the end", "a\n", 4),
        ("if true; then\n\techo yes\nfi", "yes\n", 0),
        ("echo 'two\nlines'", "two\nlines\n", 0),
        ("(exit 3) || (exit 5)", "", 5),
        ("! true", "", 1),
    ] {
        assert_eq!(exits(&window, text, status).await, expected, "{text:?}");
    }
}

/// Case A14: a `\` or an open quote at the end: the shell would wait for more; the text is taken back, and said so.
pub async fn unfinished_text_is_taken_back(case: &Case) {
    let window = case.window().await;
    for text in [
        "echo one \\",
        "echo 'one",
        "cat <<EOF\none",
        "if true; then",
        "echo first\necho \"$(date",
    ] {
        let kind = refused(window.run(text, options()).await);
        assert_eq!(kind, ErrorKind::Incomplete, "{text:?}");
        assert_eq!(exits(&window, "echo after", 0).await, "after\n", "{text:?}");
    }
    // Who writes may write the rest.
    for (text, rest, expected) in [
        ("echo one \\", "two", "one two\n"),
        ("echo 'one", "two'", "one\ntwo\n"),
        ("cat <<EOF\none", "EOF", "one\n"),
    ] {
        until_prompt(&window).await;
        let id = window.write(text, Submit::Yes).await.unwrap();
        window.write(rest, Submit::Yes).await.unwrap();
        let record = window.wait(id, Some(LONG)).await.unwrap().unwrap();
        assert_eq!(
            (record.ended, record.status),
            (Ended::Exited, Some(0)),
            "{text:?}"
        );
        let chunk = window
            .read(ReadOptions::new(Range::LastCommand))
            .await
            .unwrap();
        assert_eq!(chunk.text(), expected, "{text:?}");
    }
}

/// Case A14: `cmd &` gives the prompt back at once, with status 0.
async fn background_job_does_not_hold_the_prompt(case: &Case) {
    let window = case.window().await;
    let text = exits(&window, "sleep 30 &", 0).await;
    let pid = text
        .strip_prefix("[1] ")
        .and_then(|text| text.strip_suffix('\n'));
    assert!(
        pid.is_some_and(|pid| pid.bytes().all(|byte| byte.is_ascii_digit())),
        "{text:?}"
    );
    assert_eq!(
        exits(&window, "kill %1; wait %1 2>/dev/null", 143).await,
        ""
    );
}

/// Case A14: nothing is put around the text: `cd`, `export`, functions and options last.
async fn directory_variables_and_functions_last(case: &Case) {
    let window = case.window().await;
    exits(
        &window,
        "cd /usr\nexport A='it'\\''s'\nf() {\n\techo \"f $1\"\n}",
        0,
    )
    .await;
    same(
        exits(&window, "pwd; sh -c 'echo \"$A\"'; f x; echo $LINENO $#", 0).await,
        "/usr\nit's\nf x\n1 0\n".replace("1 0", &lineno(&window).await),
    );
    // As much for a script that is too long to be pasted.
    let long = format!("{}\ncd /tmp\nB=kept\n", ": filler\n".repeat(5000));
    exits(&window, &long, 0).await;
    assert_eq!(exits(&window, "echo $PWD $B", 0).await, "/tmp kept\n");
}

/// What `$LINENO $#` is on one line of its own: bash counts the lines typed so far.
async fn lineno(window: &amux::Window) -> String {
    let text = exits(window, "echo $LINENO $#", 0).await;
    let (line, count) = text.trim_end().split_once(' ').unwrap();
    format!("{} {count}", line.parse::<u64>().unwrap() - 1)
}

fn quotes(lines: usize) -> (String, String) {
    let mut script = String::new();
    let mut expected = String::new();
    for n in 0..lines {
        script += &format!("printf '%s\\n' '{n} \"a\"' \"it's \\\"b\\\"\" $'c\\'d' '`'\\''$'\n");
        expected += &format!("{n} \"a\"\nit's \"b\"\nc'd\n`'$\n");
    }
    (script, expected)
}

/// Case A15: a script of 100 KB full of quotes.
pub async fn script_of_100_kilobytes_of_quotes_runs(case: &Case) {
    let window = case.window().await;
    let (script, expected) = quotes(2000);
    assert!(script.len() > 100_000);
    same(
        exits(&window, &format!("{script}(exit 8)"), 8).await,
        expected,
    );
    assert_eq!(exits(&window, "echo after", 0).await, "after\n");
}

/// Case A15: the longest script that goes as a paste, and the shortest that does not.
pub async fn script_just_short_enough_to_be_pasted_runs(case: &Case) {
    let window = case.window().await;
    let (script, expected) = quotes(400);
    for size in [amux::text::MAX_PASTE, amux::text::MAX_PASTE + 1] {
        let fill = size - script.len() - ": \n(exit 8)".len();
        let script = format!("{script}: {}\n(exit 8)", "x".repeat(fill));
        assert_eq!(script.len(), size);
        same(exits(&window, &script, 8).await, &expected);
    }
}

/// Case A17: `cd /tmp`, `pwd`, `false` as one text are one command, and the shell is in `/tmp` afterwards.
pub async fn several_lines_are_one_command(case: &Case) {
    let window = case.window().await;
    assert_eq!(exits(&window, "cd /tmp\npwd\nfalse", 1).await, "/tmp\n");
    assert_eq!(window.records().await.unwrap().len(), 1);
    assert_eq!(exits(&window, "pwd", 0).await, "/tmp\n");
    let records = window.records().await.unwrap();
    let statuses: Vec<_> = records.iter().map(|record| record.status).collect();
    assert_eq!(statuses, [Some(1), Some(0)]);
}

/// A text with control characters would be keys to the shell's line editor: refused, and nothing is typed.
async fn control_characters_are_refused(case: &Case) {
    let window = case.window().await;
    for (text, position, byte) in [
        ("echo a\x1b[201~\necho b", 6, 0x1b),
        ("echo a\r\necho b", 6, b'\r'),
        ("\x03", 0, 3),
        ("echo é\x7f", 7, 0x7f),
        ("a\0b", 1, 0),
    ] {
        let kind = refused(window.run(text, options()).await);
        assert_eq!(kind, ErrorKind::ControlCharacter { position, byte });
    }
    exits(&window, "true", 0).await;
    assert_eq!(window.records().await.unwrap().len(), 1);
}

/// What users set in their shells makes no difference to what comes back.
async fn shell_options_of_the_user_change_nothing(case: &Case) {
    let startups = [
        ("set", "set -u; PS1='> '"),
        ("vi", "set -o vi"),
        ("noline", "set +o emacs; set +o vi"),
        ("hooks", "PROMPT_COMMAND+=(':' 'true'); PS0='\\e[m'"),
        (
            "first",
            "PROMPT_COMMAND=\": ; $PROMPT_COMMAND\"; PS0='\\e[m'",
        ),
        ("two", "PS1='one\\ntwo $ '"),
        ("promptvars", "shopt -u promptvars; HISTCONTROL=ignorespace"),
        ("trap", "trap ':' DEBUG"),
        ("ignore", "set -o ignoreeof; set -o noclobber; IFS=:"),
    ];
    let server = case.server().await;
    for (name, startup) in startups {
        case.write(".bash_profile", startup);
        let window = server.window(name).unwrap();
        window.create().await.unwrap();
        assert_eq!(
            exits(&window, "echo a\n(exit 3)", 3).await,
            "a\n",
            "{startup}"
        );
        assert_eq!(exits(&window, "printf b", 0).await, "b", "{startup}");
        let output = run(&window, "(exit 2) | cat").await;
        assert_eq!(output.record.pipe_statuses, [2, 0], "{startup}");
    }
}

/// A startup file that throws the hook away: the end is told by quiet, without a status, and said to be so.
async fn shell_whose_hook_was_replaced_ends_by_quiet(case: &Case) {
    case.write(".bash_profile", "PROMPT_COMMAND=':'; PS1='$ '\n");
    let window = case.window().await;
    for (text, expected) in [
        ("echo a", "a"),
        ("echo b\n(exit 3)", "b"),
        ("sleep 1; echo c", "c"),
    ] {
        let output = run(&window, text).await;
        assert!(output.record.flags.unmarked, "{text}: {output:?}");
        assert_eq!(output.status(), None, "{text}: {output:?}");
        let found = output.text.lines().any(|line| line.trim_end() == expected);
        assert!(found, "{text}: {output:?}");
    }
}
