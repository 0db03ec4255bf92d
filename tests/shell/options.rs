//! Options, traps and names of the shell that could break the hook, or that the hook could break.

use crate::terminal::{Shell, shell};

/// The hook works after these lines, typed and from the startup file, and prints nothing.
fn works_with(lines: &str) {
    let mut typed = shell().ready();
    typed.run(lines);
    check(&mut typed, lines);
    let mut started = shell().rc(lines).ready();
    check(&mut started, lines);
    let mut sourced = shell().rc(lines).sourced().ready();
    check(&mut sourced, lines);
    let mut hooked = shell().rc("PROMPT_COMMAND+='; :'").rc(lines).start();
    hooked.prompt();
    check(&mut hooked, lines);
}

fn check(shell: &mut Shell, lines: &str) {
    let cycle = shell.run("echo -n abc");
    assert_eq!(cycle.marks(), ["C", "D;0", "A"], "{lines}");
    assert_eq!(cycle.output(), "abc", "{lines}");
    assert_eq!(cycle.hooks(), "", "{lines}");
    assert_eq!(shell.run("! true").marks(), ["C", "D;1", "A"], "{lines}");
    assert_eq!(shell.run("").marks(), ["A"], "{lines}");
    let pipe = shell.run("false | true | true");
    assert!(
        [["C", "D;0;pipe=1,0,0", "A"], ["C", "D;1", "A"]]
            .iter()
            .any(|marks| pipe.marks() == *marks),
        "{lines}: {pipe:?}"
    );
    assert_eq!(
        shell.run("(exit 5) || (exit 6) && :").marks(),
        ["C", "D;6", "A"],
        "{lines}"
    );
}

#[test]
fn nounset() {
    works_with("set -u");
    works_with("set -u; unset -v BASH_REMATCH OLDPWD");
}

#[test]
fn noclobber() {
    works_with("set -C");
}

#[test]
fn allexport() {
    works_with("set -a");
    let mut shell = shell().rc("set -a").ready();
    shell.run("(exit 5)");
    assert_eq!(
        shell.run("env | grep -c '__amux_[a-z]*='").output(),
        "0\r\n"
    );
    assert_eq!(
        shell.run("env | grep -c 'BASH_FUNC___amux'").output(),
        "0\r\n"
    );
}

#[test]
fn posix_mode() {
    works_with("set -o posix");
}

#[test]
fn custom_ifs() {
    works_with("IFS=,");
    works_with("IFS=_");
    works_with("IFS=");
    works_with("unset IFS");
    let mut shell = shell().rc("IFS=,").ready();
    assert_eq!(
        shell.run("false | true").marks(),
        ["C", "D;0;pipe=1,0", "A"]
    );
}

#[test]
fn shopt_options() {
    works_with("shopt -s extdebug");
    works_with("shopt -s failglob nullglob");
    works_with("shopt -s nocasematch extglob");
    works_with("shopt -u extglob expand_aliases");
    works_with("set -f");
    works_with("set -T; set -E");
}

#[test]
fn ksh_like_aliases_of_builtins() {
    works_with("alias printf='echo no' read='echo no' local='echo no' set='echo no' return=:");
    works_with("alias builtin='echo no' bind='echo no' unset='echo no'");
}

#[test]
fn functions_named_like_builtins() {
    let names = [
        "printf", "read", "local", "bind", "shopt", "declare", "type", "export", "test",
    ];
    let all: Vec<String> = names
        .iter()
        .map(|name| format!("{name}() {{ echo no; }}"))
        .collect();
    let mut shell = shell().rc(&all.join("; ")).ready();
    assert_eq!(shell.run("(exit 5)").marks(), ["C", "D;5", "A"]);
    let cycle = shell.run("printf abc");
    assert_eq!(cycle.output(), "no\r\n");
    assert_eq!(cycle.hooks(), "");
}

/// Case B8: `set -e` ends the shell at the command that fails, not at our hook.
#[test]
fn errexit() {
    let mut shell = shell().ready();
    assert_eq!(shell.run("set -euo pipefail").marks(), ["C", "D;0", "A"]);
    let cycle = shell.run("echo ok");
    assert_eq!(cycle.marks(), ["C", "D;0", "A"]);
    assert_eq!(cycle.output(), "ok\r\n");
    // A status other than 0 that does not end the shell.
    assert_eq!(shell.run("! true").marks(), ["C", "D;1", "A"]);
    assert_eq!(shell.run("").marks(), ["A"]);
    assert_eq!(shell.interrupt().marks(), ["A"]);
    assert_eq!(shell.run("true").marks(), ["C", "D;0", "A"]);
    shell.write("false\n");
    shell.ended();
}

#[test]
fn errexit_in_the_startup_file() {
    let mut shell = shell().rc("set -euo pipefail").ready();
    assert_eq!(shell.run("! true").marks(), ["C", "D;1", "A"]);
    assert_eq!(shell.run("true").marks(), ["C", "D;0", "A"]);
}

#[test]
fn errexit_with_hooks_and_readonly_prompt_command() {
    let mut shell = shell()
        .rc("PROMPT_COMMAND=\"$PROMPT_COMMAND; :\"; readonly PROMPT_COMMAND; set -e")
        .start();
    shell.prompt();
    assert_eq!(shell.run("! true").marks(), ["C", "D;1", "A"]);
    assert_eq!(shell.run("true").marks(), ["C", "D;0", "A"]);
}

/// The trace has the command, and nothing of ours.
#[test]
fn xtrace() {
    let mut shell = shell().ready();
    let cycle = shell.run("set -x; echo a");
    assert_eq!(cycle.output(), "+ echo a\r\na\r\n");
    assert_eq!(cycle.hooks(), "");
    let cycle = shell.run("echo b; (exit 5)");
    assert_eq!(cycle.marks(), ["C", "D;5", "A"]);
    assert_eq!(cycle.output(), "+ echo b\r\nb\r\n+ exit 5\r\n");
    assert_eq!(cycle.hooks(), "");
    assert_eq!(shell.run("[[ -o xtrace ]]").marks(), ["C", "D;0", "A"]);
    assert_eq!(shell.run("set +x").output(), "+ set +x\r\n");
}

#[test]
fn xtrace_in_the_startup_file() {
    let mut shell = shell().rc("set -x").ready();
    let cycle = shell.run("echo b");
    assert_eq!(cycle.output(), "+ echo b\r\nb\r\n");
    assert_eq!(cycle.hooks(), "");
}

/// bash itself shows `PROMPT_COMMAND` before it runs it.
#[test]
fn verbose() {
    let mut shell = shell().ready();
    shell.run("set -v");
    let cycle = shell.run("echo b");
    assert!(cycle.output().starts_with("b\r\n"), "{cycle:?}");
    assert_eq!(cycle.marks(), ["C", "D;0", "A"]);
}

/// A DEBUG trap runs as before for the user's commands; what it prints for ours is not shown.
#[test]
fn debug_trap() {
    for lines in [
        "trap 'echo \"<$BASH_COMMAND>\"' DEBUG",
        "trap 'echo \"<$BASH_COMMAND>\"' DEBUG; set -T",
    ] {
        let mut shell = shell().rc(lines).start();
        shell.prompt();
        let cycle = shell.run("(exit 5) || exit_status=$?; :");
        assert_eq!(cycle.marks(), ["C", "D;0", "A"]);
        assert!(cycle.output().contains("<:>\r\n"), "{cycle:?}");
        assert!(!cycle.raw.contains("amux"), "{cycle:?}");
        assert_eq!(cycle.hooks(), "");
    }
}

/// A DEBUG trap that makes bash skip every command, ours as well, breaks nothing for good.
#[test]
fn debug_trap_that_skips_commands() {
    let mut shell = shell().rc("shopt -s extdebug").ready();
    shell.run("trap '[[ $BASH_COMMAND != *leave-out* ]]' DEBUG");
    let cycle = shell.run("echo leave-out; echo yes");
    assert_eq!(cycle.marks(), ["C", "D;0", "A"]);
    assert_eq!(cycle.output(), "yes\r\n");
}

/// The ERR trap runs for the user's commands alone.
#[test]
fn err_trap() {
    for lines in ["trap 'echo failed' ERR", "trap 'echo failed' ERR; set -E"] {
        let mut shell = shell().rc(lines).ready();
        let cycle = shell.run("(exit 5)");
        assert_eq!(cycle.marks(), ["C", "D;5", "A"]);
        assert_eq!(
            cycle.output().matches("failed").count(),
            cycle.raw.matches("failed").count()
        );
        assert_eq!(cycle.hooks(), "");
        let quiet = shell.run("! true");
        assert_eq!(quiet.output(), "");
        assert_eq!(quiet.hooks(), "");
        assert_eq!(shell.run("").hooks().matches("failed").count(), 0);
    }
}

#[test]
fn positional_parameters_stay() {
    let mut shell = shell().rc("set -- one two").ready();
    assert_eq!(shell.run("echo $# $1 $2").output(), "2 one two\r\n");
}

/// Variables that a hook could spoil.
#[test]
fn variables_stay() {
    let mut shell = shell()
        .rc("readonly status=1 i=2 n=3 text=4; REPLY=r OPTIND=7")
        .ready();
    shell.run("[[ abc =~ b ]]");
    let cycle = shell.run("echo $REPLY $OPTIND ${BASH_REMATCH[0]} $status $i $n $text $-");
    assert_eq!(cycle.marks(), ["C", "D;0", "A"]);
    assert!(cycle.output().starts_with("r 7 b 1 2 3 4 "), "{cycle:?}");
}

#[test]
fn unset_variables_of_the_shell() {
    let mut shell = shell()
        .rc("unset _ TERM SHELLOPTS PIPESTATUS 2>/dev/null; set -u")
        .ready();
    assert_eq!(shell.run("(exit 5)").marks(), ["C", "D;5", "A"]);
}

/// A shell that has run no command before its first prompt.
#[test]
fn no_startup_file() {
    let mut shell = shell().env("PS1", "> ").arg("--norc").ready();
    assert_eq!(shell.run("(exit 5)").marks(), ["C", "D;5", "A"]);
    assert_eq!(shell.run("").marks(), ["A"]);
}

#[test]
fn folder_with_odd_characters() {
    let folder = tempfile::tempdir().expect("a folder");
    let odd = folder.path().join("a b'c,d");
    std::fs::create_dir(&odd).expect("an odd folder");
    let script = odd.join("amux.bash");
    std::fs::copy(crate::terminal::script(), &script).expect("a copy of the script");
    let injection = format!(". \"{}\"", script.display());
    let mut shell = shell().env("PROMPT_COMMAND", &injection).ready();
    assert_eq!(shell.run("(exit 5)").marks(), ["C", "D;5", "A"]);
    let kept = shell.run("printf '%s\\n' \"$PROMPT_COMMAND\" | grep -c '^\\. '");
    assert_eq!(kept.output(), "0\r\n");
}
