//! The hooks of others in `PROMPT_COMMAND`.

use crate::terminal::{bash_version, shell};

#[test]
fn string_with_hooks_before_and_after() {
    let mut shell = shell()
        .rc("before() { echo before $?; }; after() { echo after $?; }")
        .rc("PROMPT_COMMAND=\"before; $PROMPT_COMMAND; after\"")
        .start();
    shell.prompt();
    let cycle = shell.run("(exit 5)");
    assert_eq!(cycle.marks(), ["C", "D;5", "A"]);
    assert_eq!(cycle.output(), "");
    // The status of the first hook's own echo is what the second finds.
    assert_eq!(cycle.hooks(), "before 5\r\nafter 0\r\n");
}

#[test]
fn array_with_hooks_before_and_after() {
    if bash_version() < 501 {
        // An array's first element alone is run: the case below has it.
        return array_before_5_1();
    }
    let mut shell = shell()
        .rc("before() { echo before $? ${PIPESTATUS[@]}; }; after() { echo after $?; }")
        .rc("PROMPT_COMMAND=(before \"$PROMPT_COMMAND\" after)")
        .start();
    shell.prompt();
    let cycle = shell.run("false | (exit 5)");
    assert_eq!(cycle.marks(), ["C", "D;5;pipe=1,5", "A"]);
    assert_eq!(cycle.output(), "");
    assert_eq!(cycle.hooks(), "before 5 1 5\r\nafter 5\r\n");
    let kept = shell.run("echo ${#PROMPT_COMMAND[@]} ${PROMPT_COMMAND[1]} ${PROMPT_COMMAND[2]}");
    assert_eq!(kept.output(), "4 before after\r\n");
}

fn array_before_5_1() {
    let mut shell = shell().rc("PROMPT_COMMAND[0]+='; echo hook'").start();
    shell.prompt();
    let cycle = shell.run("(exit 5)");
    assert_eq!(cycle.marks(), ["C", "D;5", "A"]);
    assert_eq!(cycle.hooks(), "hook\r\n");
}

/// Case C2: elements added one by one, one of which runs a command.
#[test]
fn elements_added_to_an_array() {
    if bash_version() < 501 {
        return array_before_5_1();
    }
    let mut shell = shell()
        .rc("a() { ls / >/dev/null; }; b() { printf '\\e]0;title\\a'; }")
        .rc("PROMPT_COMMAND+=(a); PROMPT_COMMAND+=(b)")
        .start();
    shell.prompt();
    let cycle = shell.run("(exit 5)");
    assert_eq!(cycle.marks(), ["C", "D;5", "A"]);
    assert_eq!(cycle.hooks(), "\x1b]0;title\x07");
}

/// Case C3: the user's own hook comes first and leaves another status.
#[test]
fn hook_in_front_that_changes_the_status() {
    for set in [
        ":; $PROMPT_COMMAND; echo saw $?",
        ":\n$PROMPT_COMMAND\necho saw $?",
    ] {
        let mut shell = shell()
            .rc(&format!("PROMPT_COMMAND=\"{}\"", set.replace("$?", "\\$?")))
            .start();
        shell.prompt();
        let cycle = shell.run("(exit 5)");
        assert_eq!(cycle.marks(), ["C", "D;5", "A"]);
        assert_eq!(cycle.hooks(), "saw 0\r\n");
    }
}

/// Case C3: the hook after ours finds the status of the command.
#[test]
fn next_hook_sees_the_status() {
    let mut shell = shell()
        .rc("next() { local status=$? last=$_; echo saw $status $last; }")
        .rc("PROMPT_COMMAND=\"$PROMPT_COMMAND; next\"")
        .start();
    shell.prompt();
    let cycle = shell.run("sh -c 'exit 5' last");
    assert_eq!(cycle.marks(), ["C", "D;5", "A"]);
    assert_eq!(cycle.hooks(), "saw 5 last\r\n");
}

/// A hook put in front later is moved behind ours; one prompt may see its status.
#[test]
fn hook_put_in_front_later() {
    let mut shell = shell().ready();
    shell.run("PROMPT_COMMAND=\"false; $PROMPT_COMMAND\"");
    shell.run("true");
    assert_eq!(shell.run("(exit 5)").marks(), ["C", "D;5", "A"]);
    assert_eq!(shell.run("true").marks(), ["C", "D;0", "A"]);
}

#[test]
fn hook_appended_later() {
    let mut shell = shell().ready();
    shell.run("PROMPT_COMMAND+='; echo hook'");
    let cycle = shell.run("(exit 5)");
    assert_eq!(cycle.marks(), ["C", "D;5", "A"]);
    assert_eq!(cycle.hooks(), "hook\r\n");
}

/// What startup files do again when they are loaded again does not pile up.
#[test]
fn startup_file_loaded_again() {
    let mut shell = shell()
        .rc("case $PROMPT_COMMAND in *hook*) ;; *) PROMPT_COMMAND=\"hook;$PROMPT_COMMAND\";; esac")
        .rc("hook() { echo hook; }")
        .start();
    shell.prompt();
    for _ in 0..3 {
        shell.run(". ./.bashrc");
    }
    let cycle = shell.run("(exit 5)");
    assert_eq!(cycle.marks(), ["C", "D;5", "A"]);
    assert_eq!(cycle.hooks(), "hook\r\n");
}

/// What a hook prints belongs to no command.
#[test]
fn output_of_hooks_lies_between_d_and_a() {
    let mut shell = shell()
        .rc("PROMPT_COMMAND=\"echo one; $PROMPT_COMMAND; echo two\"")
        .start();
    shell.prompt();
    let cycle = shell.run("printf abc");
    assert_eq!(cycle.output(), "abc");
    assert_eq!(cycle.hooks(), "one\r\ntwo\r\n");
}

/// A hook that bash refuses keeps the rest of the string from running, not our marks.
#[test]
fn hook_with_a_syntax_error() {
    let mut shell = shell().rc("PROMPT_COMMAND+=$'\\necho (\\n'").start();
    shell.text("syntax error");
    // Our last element does not run, so the prompt has no A but at the first time.
    let cycle = shell.run("(exit 5); PROMPT_COMMAND=${PROMPT_COMMAND/echo \\(/:}");
    assert_eq!(cycle.marks(), ["C", "D;0", "A"]);
    assert_eq!(shell.run("(exit 5)").marks(), ["C", "D;5", "A"]);
}

#[test]
fn readonly_prompt_command() {
    let mut shell = shell().rc("readonly PROMPT_COMMAND").ready();
    assert_eq!(shell.run("(exit 5)").marks(), ["C", "D;5", "A"]);
    assert_eq!(shell.run("").marks(), ["A"]);
    let cycle = shell.run("printf abc");
    assert_eq!(cycle.output(), "abc");
    assert!(!cycle.raw.contains("readonly"), "{cycle:?}");
}

#[test]
fn readonly_prompt_command_with_hooks() {
    let mut shell = shell()
        .rc("PROMPT_COMMAND=\"$PROMPT_COMMAND; echo hook \\$?\"; readonly PROMPT_COMMAND")
        .start();
    shell.prompt();
    let cycle = shell.run("(exit 5)");
    assert_eq!(cycle.marks(), ["C", "D;5", "A"]);
    assert_eq!(shell.run("true").marks(), ["C", "D;0", "A"]);
}

/// Where the script comes from a startup file and `PROMPT_COMMAND` was not set.
#[test]
fn sourced_from_a_startup_file() {
    let mut shell = shell().sourced().ready();
    assert_eq!(shell.run("(exit 5)").marks(), ["C", "D;5", "A"]);
    assert_eq!(shell.run("echo $?").output(), "5\r\n");
}

/// Both at once: the element of the environment and the startup file.
#[test]
fn injected_and_sourced() {
    let script = crate::terminal::injection();
    let mut shell = shell().rc(&script).ready();
    assert_eq!(shell.run("(exit 5)").marks(), ["C", "D;5", "A"]);
    assert_eq!(
        shell
            .run("printf '%s\\n' \"$PROMPT_COMMAND\" | grep -c amux.bash")
            .output(),
        "1\r\n"
    );
}

#[test]
fn sourced_by_hand() {
    let mut shell = shell()
        .without("AMUX_NONCE")
        .rc("unset PROMPT_COMMAND")
        .start();
    shell.write(format!("{}\n", crate::terminal::injection()));
    let aidless = |marks: &[&str]| -> Vec<String> {
        marks
            .iter()
            .map(|mark| format!("{mark} without our aid"))
            .collect()
    };
    assert_eq!(shell.prompt().marks(), aidless(&["A"]));
    assert_eq!(shell.run("(exit 5)").marks(), aidless(&["C", "D;5", "A"]));
}
