//! What is typed before the shell asks for it, and the modes of the line editor.

use crate::terminal::shell;

/// A line that waits on the terminal is told with A.
#[test]
fn typed_ahead_line_is_told() {
    let mut shell = shell().ready();
    shell.write("sleep 0.3\necho two\n");
    assert_eq!(shell.prompt().marks(), ["C", "D;0", "A;w=1"]);
    let second = shell.prompt();
    assert_eq!(second.marks(), ["C", "D;0", "A"]);
    assert_eq!(second.output(), "two\r\n");
}

/// Case A3: a line that was typed before the first prompt.
#[test]
fn line_typed_during_a_slow_startup_runs_after_the_first_prompt() {
    let folder = tempfile::tempdir().expect("a folder");
    let go = folder.path().join("go");
    let rc = format!(
        "echo started; until [[ -e '{}' ]]; do sleep 0.05; done",
        go.display()
    );
    let mut shell = shell().rc(&rc).start();
    shell.text("started");
    shell.write("echo OK\n");
    // Its echo: the line waits on the terminal.
    shell.text("echo OK");
    std::fs::write(&go, "").expect("a file");
    assert_eq!(shell.prompt().marks(), ["A;w=1"]);
    let cycle = shell.prompt();
    assert_eq!(cycle.marks(), ["C", "D;0", "A"]);
    assert_eq!(cycle.output(), "OK\r\n");
}

/// Without Enter nothing waits that would run.
#[test]
fn typed_ahead_text_without_enter_is_not_told() {
    let mut shell = shell().ready();
    shell.write("sleep 0.3\n");
    shell.c();
    shell.write("echo tw");
    assert_eq!(shell.prompt().marks(), ["D;0", "A"]);
    shell.write("o\n");
    assert_eq!(shell.prompt().output(), "two\r\n");
}

#[test]
fn without_readline() {
    let mut shell = shell().arg("--noediting").ready();
    let cycle = shell.run("printf abc");
    assert_eq!(cycle.marks(), ["C", "D;0", "A"]);
    assert_eq!(cycle.output(), "abc");
    assert_eq!(shell.run("(exit 4)").marks(), ["C", "D;4", "A"]);
    assert!(!cycle.raw.contains("2004"), "{cycle:?}");
    assert!(!cycle.raw.contains("warning"), "{cycle:?}");
}

#[test]
fn vi_mode() {
    let mut shell = shell().rc("set -o vi").ready();
    let cycle = shell.run("(exit 4)");
    assert_eq!(cycle.marks(), ["C", "D;4", "A"]);
    assert!(cycle.raw.contains("\x1b[?2004h"), "{cycle:?}");
    assert_eq!(shell.run("[[ -o vi ]] && echo vi").output(), "vi\r\n");
}

/// An inputrc that turns bracketed paste off is read before the first prompt.
#[test]
fn bracketed_paste_is_on_whatever_inputrc_says() {
    let mut shell = shell()
        .rc("echo 'set enable-bracketed-paste off' >off; export INPUTRC=$PWD/off")
        .start();
    let first = shell.prompt();
    assert!(first.raw.contains("\x1b[?2004h"), "{first:?}");
}

/// Case C27: readline knows that the marks take no room, so a long line wraps where it should.
#[test]
fn long_line_wraps_at_the_edge() {
    let mut shell = shell().ready();
    let text = "x".repeat(300);
    shell.write(format!("{text}."));
    shell.text(".");
    // With the prompt 303 columns, which is 3 rows below the first.
    shell.write("\x01echo \x05 end\n");
    let cycle = shell.prompt();
    let first = cycle
        .raw
        .split("echo")
        .next()
        .expect("the way to the first row");
    assert_eq!(first.matches("\x1b[A").count(), 3, "{cycle:?}");
    assert_eq!(cycle.output(), format!("{text}. end\r\n"));
}

/// Case A13: history expansion does not touch the marks.
#[test]
fn exclamation_mark_with_history_expansion() {
    let mut shell = shell().rc("set -H; set -o history").ready();
    assert_eq!(shell.run("printf %s ' != '").output(), " != ");
}
