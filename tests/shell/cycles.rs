//! One command, one cycle of marks.

use crate::terminal::{bash_version, shell};

/// Case B14: the output is exact, with no newline added.
#[test]
fn output_is_exact() {
    let mut shell = shell().ready();
    let cycle = shell.run("printf abc");
    assert_eq!(cycle.marks(), ["C", "D;0", "A"]);
    assert_eq!(cycle.output(), "abc");
}

/// Case B10: what switches bracketed paste stays out of the output.
#[test]
fn output_has_no_bracketed_paste_toggles() {
    let mut shell = shell().ready();
    let cycle = shell.run("echo hello");
    assert_eq!(cycle.output(), "hello\r\n");
    assert!(cycle.raw.contains("\x1b[?2004l"), "{cycle:?}");
}

#[test]
fn status_is_told() {
    let mut shell = shell().ready();
    assert_eq!(shell.run("(exit 5)").marks(), ["C", "D;5", "A"]);
    assert_eq!(shell.run("true").marks(), ["C", "D;0", "A"]);
    assert_eq!(
        shell.run("no-such-command-here").marks(),
        ["C", "D;127", "A"]
    );
}

/// The next command sees `$?`, `$_` and `PIPESTATUS` as without the hook.
#[test]
fn status_stays_for_the_next_command() {
    let mut shell = shell().ready();
    shell.run("(exit 5)");
    assert_eq!(shell.run("echo $?").output(), "5\r\n");
    shell.run("true first last");
    assert_eq!(shell.run("echo $_").output(), "last\r\n");
    shell.run("false | true | (exit 4)");
    assert_eq!(shell.run("echo ${PIPESTATUS[@]}").output(), "1 0 4\r\n");
}

/// Case B21: the statuses of a pipeline.
#[test]
fn pipeline_statuses_are_told() {
    let mut shell = shell().ready();
    let three = shell.run("sh -c 'exit 3' | cat");
    assert_eq!(three.marks(), ["C", "D;0;pipe=3,0", "A"]);
    let broken = shell.run("yes | head -1");
    assert_eq!(broken.marks(), ["C", "D;0;pipe=141,0", "A"]);
    assert_eq!(broken.output(), "y\r\n");
    let alternating = shell.run("true | false | true");
    assert_eq!(alternating.marks(), ["C", "D;0;pipe=0,1,0", "A"]);
}

#[test]
fn negated_pipeline_has_no_pipe_statuses() {
    let mut shell = shell().ready();
    assert_eq!(shell.run("! false | true").marks(), ["C", "D;1", "A"]);
}

/// Case B5.
#[test]
fn each_status_is_that_of_its_line() {
    let mut shell = shell().ready();
    assert_eq!(shell.run("echo 'a\nb'").output(), "a\r\nb\r\n");
    assert_eq!(shell.run("(exit 3)").marks(), ["C", "D;3", "A"]);
    assert_eq!(shell.run("true").marks(), ["C", "D;0", "A"]);
}

/// Case B12: the first command of a new shell.
#[test]
fn first_command_is_whole() {
    for _ in 0..10 {
        let mut shell = shell().ready();
        let cycle = shell.run("echo 1; echo 2");
        assert_eq!(cycle.marks(), ["C", "D;0", "A"]);
        assert_eq!(cycle.output(), "1\r\n2\r\n");
    }
}

/// Case C15: Ctrl-C ends a command with 130.
#[test]
fn interrupted_command_is_130() {
    let mut shell = shell().ready();
    shell.write("sleep 9\n");
    shell.interrupt_program("sleep");
    assert_eq!(shell.prompt().marks(), ["C", "D;130", "A"]);
}

/// Case C16: empty lines and Ctrl-C at an empty prompt are no commands.
#[test]
fn empty_lines_and_interrupts_are_no_commands() {
    let mut shell = shell().ready();
    assert_eq!(shell.run("(exit 7)").marks(), ["C", "D;7", "A"]);
    for _ in 0..3 {
        assert_eq!(shell.run("").marks(), ["A"]);
    }
    assert_eq!(shell.interrupt().marks(), ["A"]);
    assert_eq!(shell.run("").marks(), ["A"]);
    assert_eq!(shell.run("true").marks(), ["C", "D;0", "A"]);
}

#[test]
fn comment_is_no_command() {
    let mut shell = shell().ready();
    assert_eq!(shell.run("# nothing").marks(), ["A"]);
}

#[test]
fn syntax_error_is_2() {
    let mut shell = shell().ready();
    assert_eq!(shell.run("echo (").marks(), ["D;2", "A"]);
    assert_eq!(shell.run("").marks(), ["A"]);
    assert_eq!(shell.run("true").marks(), ["C", "D;0", "A"]);
}

/// An unfinished line shows the continuation prompt, and ends no command.
#[test]
fn unfinished_quote_has_no_marks_until_it_ends() {
    let mut shell = shell().rc("PS2='more> '").ready();
    shell.write("echo 'a\n");
    shell.text("more> ");
    let cycle = shell.run("b'");
    assert_eq!(cycle.marks(), ["C", "D;0", "A"]);
    assert_eq!(cycle.output(), "a\r\nb\r\n");
}

#[test]
fn stopped_job_is_148() {
    let mut shell = shell().ready();
    shell.write("sh -c 'echo run; exec sleep 9'\n");
    shell.text("run\r\n");
    shell.write("\x1a");
    assert_eq!(shell.prompt().marks(), ["D;148", "A"]);
}

/// `cd`, `export` and functions last: nothing runs in a subshell.
#[test]
fn state_lasts() {
    let mut shell = shell().ready();
    shell.run("cd /; export A=1; f() { echo \"f $A\"; }");
    assert_eq!(shell.run("pwd; f").output(), "/\r\nf 1\r\n");
}

/// Each prompt costs no process: a process that ended leaves its page faults with the shell.
#[test]
fn prompt_starts_no_process() {
    let mut shell = shell().rc("PROMPT_COMMAND=\"$PROMPT_COMMAND; :\"").ready();
    shell.run("true");
    // cminflt, the page faults of children that have ended.
    let before = shell.stat(8);
    for _ in 0..20 {
        shell.run("true");
    }
    assert_eq!(shell.stat(8), before);
    shell.run("/bin/true");
    assert_ne!(shell.stat(8), before, "the count tells processes");
}

/// Names of ours all begin with `__amux_`, and nothing stays in the environment but the shell's
/// process and pane.
#[test]
fn environment_has_no_nonce() {
    let mut shell = shell().ready();
    let output = shell
        .run("env | grep -a -i amux | grep -v ^PROMPT | cut -d= -f1")
        .output();
    let mut names: Vec<&str> = output
        .lines()
        .filter(|line| line.contains("AMUX"))
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["AMUX_SHELL_PANE", "AMUX_SHELL_PID"]);
    let all = shell.run("env").output();
    assert!(!all.contains(crate::terminal::NONCE), "{all}");
}

/// A paste is one command for the user: bash shows C for each line, and one prompt. Up to 5.0 it
/// runs `PROMPT_COMMAND` after each line, so that each has a D as well.
#[test]
fn bracketed_paste_ends_once() {
    for hooks in ["", "; :"] {
        let mut shell = shell().rc(&format!("PROMPT_COMMAND+='{hooks}'")).start();
        shell.prompt();
        for _ in 0..2 {
            shell.write("\x1b[200~echo one\necho two\x1b[201~\n");
            let cycle = shell.prompt();
            if bash_version() >= 501 {
                assert_eq!(cycle.marks(), ["C", "C", "D;0", "A"]);
            } else {
                assert_eq!(cycle.marks(), ["C", "D;0", "C", "D;0", "A"]);
            }
            assert_eq!(cycle.output(), "one\r\ntwo\r\n");
        }
    }
}
