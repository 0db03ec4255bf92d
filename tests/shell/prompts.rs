//! Prompts that are set again and again, and what they look like.

use crate::terminal::{bash_version, shell};

#[test]
fn prompt_function_that_resets_ps1() {
    let mut shell = shell()
        .rc("prompt() { local s=$?; PS1=\"[$s] \"; }; PROMPT_COMMAND=\"$PROMPT_COMMAND; prompt\"")
        .start();
    // The first A comes before the hooks that follow in the string, so B is not there yet.
    shell.text("[0] ");
    for _ in 0..2 {
        let cycle = shell.run("(exit 5)");
        assert_eq!(cycle.marks(), ["C", "D;5", "A"]);
        assert!(cycle.shown().ends_with("[5] "), "{cycle:?}");
    }
}

#[test]
fn prompt_function_that_resets_ps1_in_front() {
    let mut shell = shell()
        .rc("prompt() { PS1='p> '; }; PROMPT_COMMAND=\"prompt; $PROMPT_COMMAND\"")
        .start();
    shell.prompt();
    let cycle = shell.run("(exit 5)");
    assert_eq!(cycle.marks(), ["C", "D;5", "A"]);
    assert!(cycle.shown().ends_with("p> "), "{cycle:?}");
}

#[test]
fn ps1_reset_by_hand() {
    let mut shell = shell().ready();
    let cycle = shell.run("PS1='new> '");
    assert!(cycle.shown().ends_with("new> "), "{cycle:?}");
    let cycle = shell.run("PS1=\"$PS1 more> \"");
    assert!(cycle.shown().ends_with("new>  more> "), "{cycle:?}");
    assert_eq!(shell.run("true").marks(), ["C", "D;0", "A"]);
}

#[test]
fn multi_line_ps1() {
    let mut shell = shell().rc("PS1='\\w\\n$? \\$ '").start();
    let first = shell.prompt();
    assert!(
        first.shown().replace('\r', "").contains("~\n0"),
        "{first:?}"
    );
    let cycle = shell.run("(exit 5)");
    assert_eq!(cycle.marks(), ["C", "D;5", "A"]);
    assert!(
        cycle.shown().replace('\r', "").contains("~\n5"),
        "{cycle:?}"
    );
}

#[test]
fn promptvars_off() {
    let mut shell = shell().rc("shopt -u promptvars; PS1='$x> '").ready();
    let cycle = shell.run("(exit 5)");
    assert_eq!(cycle.marks(), ["C", "D;5", "A"]);
    assert!(cycle.shown().ends_with("$x> "), "{cycle:?}");
    assert_eq!(shell.run("printf abc").output(), "abc");
}

/// A prompt that was kept with our marks in it and comes back, as a virtual environment does it.
#[test]
fn ps1_kept_and_brought_back() {
    let mut shell = shell().ready();
    shell.run("kept=$PS1; PS1=\"(env) $PS1\"");
    let cycle = shell.run("PS1=$kept");
    assert_eq!(cycle.shown(), "> ");
    shell.write("sleep 0.3\necho two\n");
    assert_eq!(shell.prompt().marks(), ["C", "D;0", "A;w=1"]);
    assert_eq!(shell.prompt().marks(), ["C", "D;0", "A"]);
    // Each mark once; up to 5.0 A is part of the prompt as well.
    let marks = if bash_version() < 501 { "AB" } else { "B" };
    let kept = shell.run("echo ${PS1//[^A-Z]}");
    assert_eq!(kept.output(), format!("{marks}\r\n"));
}

/// The continuation prompt tells that the line goes on, also one that was set again.
#[test]
fn ps2_reset() {
    let mut shell = shell().ready();
    for prompt in ["more> ", "still> "] {
        shell.run(&format!("PS2='{prompt}'"));
        shell.write("echo 'a\n");
        let cycle = shell.text(prompt);
        assert_eq!(cycle.marks(), ["P;k=s"]);
        let cycle = shell.run("b'");
        assert_eq!(cycle.marks(), ["C", "D;0", "A"]);
    }
}

/// The user's own PS0 is shown, and is not part of the output.
#[test]
fn ps0_of_the_user() {
    let mut shell = shell().rc("PS0='[run]'").ready();
    let cycle = shell.run("printf abc");
    assert_eq!(cycle.output(), "abc");
    assert!(cycle.raw.contains("[run]\x1b]133;C"), "{cycle:?}");
}

/// A command that resets PS0 has had its C; the next one has it again.
#[test]
fn ps0_reset() {
    let mut shell = shell().ready();
    assert_eq!(shell.run("PS0=''").marks(), ["C", "D;0", "A"]);
    assert_eq!(shell.run("unset PS0").marks(), ["C", "D;0", "A"]);
    assert_eq!(shell.run("(exit 5)").marks(), ["C", "D;5", "A"]);
}

/// A readonly PS0 without our C: that a command ran is told all the same.
#[test]
fn readonly_ps0() {
    let mut shell = shell().rc("readonly PS0='>'").ready();
    let cycle = shell.run("true");
    assert_eq!(cycle.marks(), ["D;0", "A"]);
    assert!(!cycle.raw.contains("readonly"), "{cycle:?}");
    assert_eq!(shell.run("").marks(), ["A"]);
}

#[test]
fn unset_ps1_stays_unset() {
    let mut shell = shell().ready();
    shell.write("unset PS1\n");
    shell.a();
    shell.write("echo ${PS1-none}\n");
    let cycle = shell.a();
    assert_eq!(cycle.marks(), ["C", "D;0", "A"]);
    assert_eq!(cycle.output(), "none\r\n");
    assert_eq!(shell.run("PS1='> '").marks(), ["C", "D;0", "A"]);
}

/// `exec >file` takes the output away, not the marks.
#[test]
fn standard_output_into_a_file() {
    let mut shell = shell().ready();
    assert_eq!(shell.run("exec >out").marks(), ["C", "D;0", "A"]);
    assert_eq!(
        shell.run("echo into the file; (exit 5)").marks(),
        ["C", "D;5", "A"]
    );
    shell.run("exec >/dev/tty");
    assert_eq!(shell.run("cat out").output(), "into the file\r\n");
}

/// `exec 2>file` takes the prompt and C away; D and A still come.
#[test]
fn standard_error_into_a_file() {
    let mut shell = shell().ready();
    shell.write("exec 2>err\n");
    shell.write("(exit 5)\n");
    shell.write("exec 2>/dev/tty\n");
    let cycle = shell.prompt();
    let marks = cycle.marks();
    assert!(marks.iter().any(|mark| mark == "D;5"), "{cycle:?}");
    assert_eq!(shell.run("true").marks(), ["C", "D;0", "A"]);
}
