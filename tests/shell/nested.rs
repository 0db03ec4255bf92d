//! Shells inside the shell, and shells in its place.

use crate::terminal::shell;

/// A plain bash inside sends no marks, and does not keep our element.
#[test]
fn nested_bash() {
    let mut shell = shell().ready();
    shell.write("PS1='in''ner> ' bash --norc\n");
    let cycle = shell.text("inner> ");
    assert_eq!(cycle.marks(), ["C"]);
    shell.write("echo \"[${PROMPT_COMMAND-unset}]\"; (exit 5)\n");
    let inner = shell.text("[unset]");
    assert_eq!(inner.marks(), [""; 0]);
    shell.text("inner> ");
    shell.write("compgen -v __amux; compgen -A function __amux; echo li''sted\n");
    let names = shell.text("listed");
    assert!(!names.raw.contains("__amux_first"), "{names:?}");
    shell.write("exit 3\n");
    let outer = shell.prompt();
    assert_eq!(outer.marks(), ["D;3", "A"]);
    assert_eq!(shell.run("true").marks(), ["C", "D;0", "A"]);
}

/// The same where hooks of others are exported beside ours, and PS0 and PS1 as well.
#[test]
fn nested_bash_with_everything_exported() {
    let mut shell = shell()
        .rc("PROMPT_COMMAND=\"$PROMPT_COMMAND; echo hook\"; PS0='run '; export PS0 PS1='> '")
        .start();
    shell.prompt();
    shell.run("true");
    shell.write("bash --norc\n");
    let inner = shell.text("hook\r\n");
    assert_eq!(inner.marks(), ["C"]);
    shell.write("echo \"$PROMPT_COMMAND\"; echo in''ner\n");
    let inner = shell.text("inner");
    assert_eq!(inner.marks(), [""; 0]);
    assert!(inner.raw.contains("run "), "{inner:?}");
    assert!(!inner.raw.contains("amux"), "{inner:?}");
    shell.write("exit 4\n");
    assert_eq!(shell.prompt().marks(), ["D;4", "A"]);
}

/// A nested shell whose startup file loads the script.
#[test]
fn nested_bash_that_loads_the_script() {
    let mut shell = shell().sourced().ready();
    shell.write("bash\n");
    let start = shell.text("> ");
    assert_eq!(start.marks(), ["C"]);
    shell.write("echo in''ner\n");
    let inner = shell.text("inner");
    assert_eq!(inner.marks(), [""; 0]);
    shell.write("exit 4\n");
    assert_eq!(shell.prompt().marks(), ["D;4", "A"]);
}

/// Another tmux started from this shell has panes of its own: no nested shells.
#[test]
fn pane_of_a_tmux_started_inside() {
    let mut shell = shell().ready();
    shell.write("TMUX=/other,1,0 TMUX_PANE=%0 bash\n");
    let cycle = shell.prompt();
    let aidless = ["C", "A without our aid"];
    assert_eq!(cycle.marks(), aidless);
    let inner = shell.run("(exit 6)");
    assert_eq!(
        inner.marks(),
        [
            "C without our aid",
            "D;6 without our aid",
            "A without our aid"
        ]
    );
    shell.write("exit\n");
    let cycle = shell.prompt();
    assert_eq!(cycle.marks(), ["C without our aid", "D;6", "A"]);
}

/// `exec bash` installs itself again, and asks tmux for the nonce.
#[test]
fn exec_bash() {
    let mut shell = shell()
        .env("TMUX", "/none,1,0")
        .env("TMUX_PANE", "%7")
        .rc("PROMPT_COMMAND+='; :'")
        .start();
    shell.prompt();
    let answer = "[[ $* == 'display-message -p -t %7 #{?pane_nonce,#{pane_nonce},#{@amux_nonce}}' ]] && echo 0123456789abcdef0123456789abcdef";
    shell.run(&format!(
        "printf '%s\\n' '#!/bin/bash' {} >bin/tmux; chmod +x bin/tmux",
        quoted(answer)
    ));
    shell.run("export AMUX_TMUX=$PWD/bin/tmux");
    let cycle = shell.run("exec bash");
    assert_eq!(cycle.marks(), ["C", "A"]);
    assert_eq!(shell.run("(exit 5)").marks(), ["C", "D;5", "A"]);
    assert_eq!(shell.run("exec bash").marks(), ["C", "A"]);
    assert_eq!(shell.run("(exit 6)").marks(), ["C", "D;6", "A"]);
}

/// Where no tmux answers, `exec bash` sends marks without a nonce.
#[test]
fn exec_bash_without_a_nonce() {
    let mut shell = shell()
        .env("AMUX_TMUX", "/bin/false")
        .env("TMUX", "/none,1,0")
        .env("TMUX_PANE", "%7")
        .ready();
    let cycle = shell.run("exec bash");
    assert_eq!(cycle.marks(), ["C", "A without our aid"]);
    let cycle = shell.run("(exit 5)");
    assert_eq!(
        cycle.marks(),
        [
            "C without our aid",
            "D;5 without our aid",
            "A without our aid"
        ]
    );
}

/// A new pane: the nonce is there, whatever else was inherited.
#[test]
fn new_nonce_wins_over_an_inherited_shell() {
    let mut shell = shell().env("AMUX_SHELL_PID", "1").ready();
    assert_eq!(shell.run("(exit 5)").marks(), ["C", "D;5", "A"]);
}

/// A nonce that is none is not repeated into the marks.
#[test]
fn odd_nonce_is_not_used() {
    let mut shell = shell().env("AMUX_NONCE", "$(echo x);\x07").start();
    let cycle = shell.prompt();
    assert_eq!(cycle.marks(), ["A without our aid"]);
}

/// A script is no interactive shell.
#[test]
fn scripts_are_left_alone() {
    let mut shell = shell().ready();
    let cycle = shell
        .run("bash -c 'echo a'; bash -c '. '\"$OLDPWD\"'/dev/null; echo ${PROMPT_COMMAND:+kept}'");
    assert_eq!(cycle.output(), "a\r\nkept\r\n");
    assert_eq!(cycle.marks(), ["C", "D;0", "A"]);
}

/// A word for the shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
