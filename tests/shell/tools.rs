//! Prompt tools: what they do to `PROMPT_COMMAND`, PS1 and the DEBUG trap.

use crate::terminal::shell;

/// As starship: a function takes the place of `PROMPT_COMMAND`, runs the old value and sets PS1.
const REPLACES: &str = r#"
precmd() {
    last_status=$?
    jobs >/dev/null
    give() { return "$1"; }
    give "$last_status"
    eval "$kept"
    PS1="[$last_status] "
}
kept=$PROMPT_COMMAND
PROMPT_COMMAND=precmd
"#;

#[test]
fn tool_that_replaces_prompt_command() {
    let mut shell = shell().rc(REPLACES).start();
    shell.text("[0] ");
    for _ in 0..2 {
        let cycle = shell.run("(exit 5)");
        assert_eq!(cycle.marks(), ["C", "D;5", "A"]);
        assert!(cycle.shown().ends_with("[5] "), "{cycle:?}");
        assert_eq!(shell.run("").marks(), ["A"]);
        assert_eq!(shell.run("true").marks(), ["C", "D;0", "A"]);
    }
}

/// The same, where the script was loaded before the tool and its elements are what it keeps.
#[test]
fn tool_that_replaces_prompt_command_of_a_startup_file() {
    let mut shell = shell()
        .rc("PROMPT_COMMAND=:")
        .sourced()
        .rc(REPLACES)
        .start();
    shell.text("[0] ");
    for _ in 0..2 {
        let cycle = shell.run("(exit 5)");
        assert_eq!(cycle.marks(), ["C", "D;5", "A"]);
        assert!(cycle.shown().ends_with("[5] "), "{cycle:?}");
        assert_eq!(shell.run("").marks(), ["A"]);
    }
}

/// As direnv: a hook in front that keeps the status.
#[test]
fn tool_that_puts_a_hook_in_front() {
    let mut shell = shell()
        .rc("_hook() { local previous=$?; trap -- '' SIGINT; eval \"$(echo x=1)\"; trap - SIGINT; return $previous; }")
        .rc("if [[ \";${PROMPT_COMMAND:-};\" != *\";_hook;\"* ]]; then")
        .rc("PROMPT_COMMAND=\"_hook${PROMPT_COMMAND:+;$PROMPT_COMMAND}\"; fi")
        .start();
    shell.prompt();
    let cycle = shell.run("sh -c 'exit 3' | cat");
    assert_eq!(cycle.marks(), ["C", "D;0;pipe=3,0", "A"]);
    assert_eq!(shell.run("(exit 5)").marks(), ["C", "D;5", "A"]);
}

/// As bash-preexec: the trap runs a function before each command that is typed, once, and the
/// last hook arms it; a command of `PROMPT_COMMAND` does not count.
const PREEXEC: &str = r#"
before_command() {
    [[ -t 1 && -n $armed ]] || return 0
    armed=
    local line IFS=$'\n;'
    for line in $PROMPT_COMMAND; do
        [[ $line != "$BASH_COMMAND" ]] || return 0
    done
    echo "preexec $BASH_COMMAND"
}
arm() { armed=1; }
PROMPT_COMMAND="$PROMPT_COMMAND"$'\narm'
trap before_command DEBUG
"#;

#[test]
fn tool_that_arms_a_debug_trap() {
    let mut shell = shell().rc(PREEXEC).start();
    shell.prompt();
    for _ in 0..3 {
        let cycle = shell.run("echo a");
        assert_eq!(cycle.marks(), ["C", "D;0", "A"]);
        assert_eq!(cycle.output(), "preexec echo a\r\na\r\n");
        assert_eq!(cycle.hooks(), "");
        let empty = shell.run("");
        assert!(!empty.raw.contains("preexec"), "{empty:?}");
    }
}
