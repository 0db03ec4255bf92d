//! Startup files as people have them: what they do to the prompt, and that all is exact all the same.
//!
//! Each file is tried by [`lives_with`]. The tools are the real ones; a trial whose tool is not on the machine is
//! listed as ignored, with the reason from [`missing`].

use std::path::PathBuf;

use amux::{Ended, Server, Version, Window};

use crate::case::{Case, exits, run, until, until_prompt};
use crate::runner::topic;

topic!("startup":
    no_startup_file,
    profile_that_sources_bashrc,
    files_of_the_distribution,
    file_that_prints,
    hook_before_or_behind,
    hook_that_replaces_prompt_command,
    hook_that_replaces_prompt_command_and_loads_the_integration,
    option_nounset,
    option_errexit,
    trap_on_each_command,
    prompt_that_a_function_makes,
    tool_bash_preexec,
    tool_direnv,
    tool_starship,
    tools_together,
);

/// The script of bash-preexec, which no package has.
const BASH_PREEXEC: &str = "AMUX_TEST_BASH_PREEXEC";

/// Says why a trial cannot run on this machine.
pub fn missing(sentence: &str) -> Option<String> {
    let program = |name: &str, from: &str| {
        in_path(name)
            .is_none()
            .then(|| format!("{name} is not in PATH: {from}"))
    };
    let preexec = || {
        bash_preexec()
            .is_none()
            .then(|| format!("no bash-preexec: {BASH_PREEXEC} is to be the path of its script"))
    };
    let direnv = || program("direnv", "Debian's package direnv");
    let starship = || program("starship", "cargo install starship");
    match sentence {
        "tool_bash_preexec" => preexec(),
        "tool_direnv" => direnv(),
        "tool_starship" => starship(),
        "tools_together" => preexec().or_else(direnv).or_else(starship),
        _ => None,
    }
}

fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|program| program.is_file())
}

/// A line that loads a program's hook. With its path: what `PATH` a login shell has is up to /etc/profile.
fn load(program: &str, word: &str) -> String {
    let path = in_path(program).expect("the runner asks for it");
    format!("eval \"$('{}' {word} bash)\"\n", path.display())
}

fn bash_preexec() -> Option<PathBuf> {
    let path = std::env::var_os(BASH_PREEXEC)?;
    let path = PathBuf::from(path);
    path.is_file().then_some(path)
}

/// A line that loads the integration, as an installed one is loaded.
fn integration() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tmux-patches/shell/amux.bash");
    format!(". '{path}'\n")
}

/// A hook of the user's, which notes the status that it is given.
const HOOK: &str = "hook() { echo \"$?\" >>~/seen; }\n";

/// In bash before 5.1 only the first element of an array runs.
const ARRAY_FRONT: &str = "if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)); then\n\
    PROMPT_COMMAND=(hook \"${PROMPT_COMMAND[@]}\")\nelse PROMPT_COMMAND=\"hook;$PROMPT_COMMAND\"; fi";
const ARRAY_BEHIND: &str = "if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)); then\n\
    PROMPT_COMMAND+=(hook)\nelse PROMPT_COMMAND+=';hook'; fi";

/// Makes this the only startup file.
fn profile(case: &Case, text: &str) {
    for name in [
        ".bash_profile",
        ".bash_login",
        ".profile",
        ".bashrc",
        "seen",
    ] {
        // It may not be there.
        let _ = std::fs::remove_file(case.home().join(name));
    }
    case.write(".bash_profile", text);
}

/// Creates a window and tries what must hold in each, from the first command on, which is sent at once.
async fn lives_with(server: &Server, name: &str) -> Window {
    lives_with_pipes(server, name, &[6, 7, 0]).await
}

/// The same, where the statuses of `(exit 6) | (exit 7) | cat` are these.
async fn lives_with_pipes(server: &Server, name: &str, statuses: &[u8]) -> Window {
    let window = server.window(name).unwrap();
    window.create().await.unwrap();
    assert_eq!(
        exits(&window, "printf 'a\\nb'; (exit 5)", 5).await,
        "a\nb",
        "{name}"
    );
    assert_eq!(exits(&window, "echo \"was $?\"", 0).await, "was 5\n");
    assert_eq!(exits(&window, "cd /usr", 0).await, "", "{name}");
    assert_eq!(exits(&window, "pwd\n(exit 3)", 3).await, "/usr\n", "{name}");
    let output = run(&window, "(exit 6) | (exit 7) | cat").await;
    assert_eq!(output.record.pipe_statuses, statuses, "{name}: {output:?}");
    assert_eq!(exits(&window, "cd - >/dev/null", 0).await, "", "{name}");
    window
}

/// A line of which nothing runs is no command. It takes its time to be told.
async fn comment_is_no_command(window: &Window) {
    let nothing = run(window, "# a comment").await;
    assert_eq!(nothing.ended(), Ended::Nothing, "{nothing:?}");
}

/// Whether bash is one before 5.1, which runs but the first element of an array.
async fn old_bash(case: &Case) -> bool {
    let programs = case.builder().programs().await.unwrap();
    programs.shell_version < Version::new(5, 1)
}

/// Under bash-preexec the statuses of a pipeline are false before 5.1, and so are not told.
async fn pipes_with_preexec(case: &Case) -> &'static [u8] {
    match old_bash(case).await {
        true => &[],
        false => &[6, 7, 0],
    }
}

/// Waits until the user's hook has been given a status last.
async fn hook_was_given(case: &Case, window: &Window, status: &str) {
    until_prompt(window).await;
    until("the status that the hook is given", async || {
        let seen = std::fs::read_to_string(case.home().join("seen")).unwrap_or_default();
        match seen.lines().last() == Some(status) {
            true => Ok(()),
            false => Err(seen),
        }
    })
    .await;
}

/// A hook that is called at each prompt, and is given the status of the command.
async fn lives_with_a_hook(case: &Case, server: &Server, name: &str) {
    let window = lives_with(server, name).await;
    exits(&window, "(exit 5)", 5).await;
    hook_was_given(case, &window, "5").await;
}

async fn no_startup_file(case: &Case) {
    let server = case.server().await;
    let window = lives_with(&server, "one").await;
    comment_is_no_command(&window).await;
    lives_with(&server, "two").await;
}

async fn profile_that_sources_bashrc(case: &Case) {
    profile(case, "if [ -f ~/.bashrc ]; then . ~/.bashrc; fi\n");
    case.write(
        ".bashrc",
        format!(
            "case $- in *i*) ;; *) return ;; esac\n{HOOK}\
             PROMPT_COMMAND=\"hook${{PROMPT_COMMAND:+;$PROMPT_COMMAND}}\"\nalias rc='echo it was read'\n"
        ),
    );
    let server = case.server().await;
    lives_with_a_hook(case, &server, "one").await;
    lives_with_a_hook(case, &server, "two").await;
    let window = server.window("two").unwrap();
    assert_eq!(exits(&window, "rc", 0).await, "it was read\n");
    comment_is_no_command(&window).await;
    // Of a login shell bash reads the profile alone.
    std::fs::remove_file(case.home().join(".bash_profile")).unwrap();
    let window = lives_with(&server, "three").await;
    exits(&window, "alias rc", 1).await;
}

/// What Debian puts into each new home folder: colours, aliases, completion, a prompt with a title.
async fn files_of_the_distribution(case: &Case) {
    profile(case, "");
    std::fs::remove_file(case.home().join(".bash_profile")).unwrap();
    for name in [".profile", ".bashrc"] {
        // Other systems have files of their own there, or none.
        if let Ok(text) = std::fs::read(format!("/etc/skel/{name}")) {
            case.write(name, text);
        }
    }
    let server = case.server().await;
    lives_with(&server, "one").await;
    lives_with(&server, "two").await;
}

/// What it prints is no command's output, whether it ends with a newline or not.
async fn file_that_prints(case: &Case) {
    let server = case.server().await;
    for (name, text) in [
        ("lines", "echo 'Welcome'; echo 'to this machine' >&2\n"),
        ("half", "printf 'Welcome'\n"),
        (
            "colours",
            "printf '\\033[1;31m%s\\033[0m\\n\\033]0;title\\007' a b c\n",
        ),
        (
            "much",
            "for ((i = 0; i < 3000; i++)); do echo \"line $i\"; done\n",
        ),
        ("cleared", "clear; printf '\\033c'\n"),
        ("fails", "no-such-command; cd /no-such-folder; (exit 9)\n"),
    ] {
        profile(case, text);
        lives_with(&server, name).await;
    }
}

/// Each form in which people add a hook to what is there.
async fn hook_before_or_behind(case: &Case) {
    let server = case.server().await;
    for (name, text) in [
        ("front", "PROMPT_COMMAND=\"hook;$PROMPT_COMMAND\""),
        (
            "default",
            "PROMPT_COMMAND=\"hook${PROMPT_COMMAND:+;$PROMPT_COMMAND}\"",
        ),
        ("behind", "PROMPT_COMMAND=\"$PROMPT_COMMAND; hook\""),
        ("array", ARRAY_FRONT),
        ("added", ARRAY_BEHIND),
        ("string", "PROMPT_COMMAND+=';hook'"),
        (
            "twice",
            "PROMPT_COMMAND=\"hook; $PROMPT_COMMAND\"\nPROMPT_COMMAND=\"$PROMPT_COMMAND; :\"",
        ),
        (
            "exported",
            "export PROMPT_COMMAND=\"history -a; hook; $PROMPT_COMMAND\"",
        ),
    ] {
        // What stands before it has its own status.
        let hook = match name {
            "exported" => "hook() { echo 5 >>~/seen; }\n",
            _ => HOOK,
        };
        profile(case, &format!("{hook}{text}\n"));
        lives_with_a_hook(case, &server, name).await;
    }
}

/// The hook takes the place of all that was there: no marks come. The output does, without a status, and the
/// record says why.
async fn hook_that_replaces_prompt_command(case: &Case) {
    let server = case.server().await;
    for (name, text) in [
        ("string", "PROMPT_COMMAND=hook"),
        ("array", "unset PROMPT_COMMAND; PROMPT_COMMAND=(hook :)"),
        ("unset", "unset PROMPT_COMMAND"),
    ] {
        profile(case, &format!("{HOOK}PS1='$ '\n{text}\n"));
        let window = server.window(name).unwrap();
        window.create().await.unwrap();
        let first = run(&window, "echo first; (exit 5)").await;
        assert!(first.record.flags.unmarked, "{name}: {first:?}");
        assert_eq!(first.status(), None, "{name}: {first:?}");
        assert!(
            first.record.no_status_reason().is_some(),
            "{name}: {first:?}"
        );
        let found = first.text.lines().any(|line| line.trim_end() == "first");
        assert!(found, "{name}: {first:?}");
        if name != "unset" {
            hook_was_given(case, &window, "5").await;
        }
        run(&window, "cd /usr").await;
        let output = run(&window, "pwd").await;
        let found = output.text.lines().any(|line| line.trim_end() == "/usr");
        assert!(found, "{name}: {output:?}");
    }
}

/// The way out that amux doctor names.
async fn hook_that_replaces_prompt_command_and_loads_the_integration(case: &Case) {
    let server = case.server().await;
    let load = integration();
    for (name, text) in [
        ("string", "PROMPT_COMMAND=hook"),
        ("array", "unset PROMPT_COMMAND; PROMPT_COMMAND=(hook :)"),
    ] {
        profile(case, &format!("{HOOK}{text}\n{load}"));
        lives_with_a_hook(case, &server, name).await;
    }
    profile(case, &format!("unset PROMPT_COMMAND\n{load}"));
    lives_with(&server, "unset").await;
    // Where nothing was taken away it does no harm.
    profile(case, &load);
    lives_with(&server, "twice").await;
}

async fn option_nounset(case: &Case) {
    let server = case.server().await;
    for (name, text) in [
        ("alone", "set -u\n"),
        ("bare", "set -u\nunset PS0 PS2 HISTCONTROL TERM_PROGRAM\n"),
    ] {
        profile(case, text);
        let window = lives_with(&server, name).await;
        let output = run(&window, "echo \"$not_there\"").await;
        assert_eq!(output.status(), Some(1), "{name}: {output:?}");
        assert!(
            output.text.contains("not_there: unbound variable"),
            "{output:?}"
        );
        assert_eq!(exits(&window, "echo on", 0).await, "on\n");
    }
    profile(
        case,
        &format!("set -u\n{HOOK}PROMPT_COMMAND=\"hook;$PROMPT_COMMAND\"\n"),
    );
    lives_with_a_hook(case, &server, "hook").await;
}

/// A command that fails ends such a shell, as everywhere; nothing of ours does.
async fn option_errexit(case: &Case) {
    profile(
        case,
        &format!("set -e\n{HOOK}PROMPT_COMMAND=\"hook;$PROMPT_COMMAND\"\n"),
    );
    let server = case.server().await;
    for name in ["one", "two"] {
        let window = server.window(name).unwrap();
        window.create().await.unwrap();
        assert_eq!(exits(&window, "printf 'a\\nb'", 0).await, "a\nb");
        assert_eq!(exits(&window, "cd /usr", 0).await, "");
        assert_eq!(exits(&window, "pwd\n! true", 1).await, "/usr\n");
        let output = run(&window, "(exit 6) | cat").await;
        assert_eq!(output.record.pipe_statuses, [6, 0], "{output:?}");
        let output = run(&window, "echo last; (exit 5)").await;
        assert_eq!(output.ended(), Ended::PaneEnded, "{output:?}");
    }
}

/// Without a condition it prints into the output of each command, and into nothing else.
async fn trap_on_each_command(case: &Case) {
    let server = case.server().await;
    for (name, text) in [
        ("quiet", "trap ': \"$_\"' DEBUG\n"),
        ("traced", "set -T; trap ':' DEBUG; trap ':' ERR\n"),
        (
            "noted",
            "before() { last=$BASH_COMMAND; }\ntrap before DEBUG\n",
        ),
        (
            "title",
            "trap 'printf \"\\033]0;%s\\007\" \"$BASH_COMMAND\" >/dev/tty' DEBUG\n",
        ),
    ] {
        profile(case, text);
        let window = server.window(name).unwrap();
        window.create().await.unwrap();
        let output = run(&window, "echo a; (exit 5)").await;
        assert_eq!(output.status(), Some(5), "{name}: {output:?}");
        assert_eq!(output.text, "a\n", "{name}: {output:?}");
        let output = run(&window, "(exit 6) | cat").await;
        assert_eq!(output.record.pipe_statuses, [6, 0], "{name}: {output:?}");
    }
    profile(case, "trap 'echo \"+ $BASH_COMMAND\"' DEBUG\n");
    let window = server.window("shown").unwrap();
    window.create().await.unwrap();
    assert_eq!(exits(&window, "echo a", 0).await, "+ echo a\na\n");
    assert_eq!(exits(&window, "echo b", 0).await, "+ echo b\nb\n");
}

/// PS1 made anew at each prompt, by a hook or by what it substitutes.
async fn prompt_that_a_function_makes(case: &Case) {
    let server = case.server().await;
    let make = "make() { local s=$?; PS1=\"[$s $(pwd)]\\n$ \"; PS2='… '; return \"$s\"; }\n";
    for (name, text) in [
        (
            "front",
            format!("{make}PROMPT_COMMAND=\"make${{PROMPT_COMMAND:+;$PROMPT_COMMAND}}\"\n"),
        ),
        (
            "behind",
            format!("{make}PROMPT_COMMAND=\"$PROMPT_COMMAND; make\"\n"),
        ),
        (
            "all",
            format!("{make}both() {{ make; PS0=''; }}\nPROMPT_COMMAND=\"both; $PROMPT_COMMAND\"\n"),
        ),
        (
            "substituted",
            "branch() { local s=$?; echo \" (main $s)\"; return \"$s\"; }\n\
             PS1='\\u@\\h:\\w$(branch)\\$ '\n"
                .to_owned(),
        ),
        // What is run at the prompt keeps the value that it found.
        (
            "kept",
            format!(
                "{make}kept=$PROMPT_COMMAND\nall() {{ make; eval \"$kept\"; }}\nPROMPT_COMMAND=all\n"
            ),
        ),
    ] {
        profile(case, &text);
        lives_with(&server, name).await;
    }
}

/// Its functions see what they must see, and each command once.
async fn tool_bash_preexec(case: &Case) {
    let script = bash_preexec().expect("the runner asks for it");
    let load = format!(". '{}'\n", script.display());
    let server = case.server().await;
    let pipes = pipes_with_preexec(case).await;
    for (name, text) in [
        ("alone", load.clone()),
        (
            "used",
            format!(
                "{load}hook() {{ echo \"$?\" >>~/seen; }}\n\
                 before() {{ echo \"$1\" >>~/commands; }}\n\
                 precmd_functions+=(hook)\npreexec_functions+=(before)\n"
            ),
        ),
        (
            "hooks",
            format!("{HOOK}PROMPT_COMMAND=\"hook;$PROMPT_COMMAND\"\n{load}"),
        ),
        (
            "late",
            format!("{load}{HOOK}PROMPT_COMMAND=\"hook;$PROMPT_COMMAND\"\n"),
        ),
    ] {
        profile(case, &text);
        let window = lives_with_pipes(&server, name, pipes).await;
        comment_is_no_command(&window).await;
        exits(&window, "(exit 5)", 5).await;
        if name != "alone" {
            hook_was_given(case, &window, "5").await;
        }
    }
    // Before 5.3 it knows of a command by the trap on DEBUG, which subshells alone do not run.
    let commands = String::from_utf8(case.contents("commands")).unwrap();
    for command in [
        "printf 'a\\nb'; (exit 5)",
        "echo \"was $?\"",
        "cd /usr",
        "cd - >/dev/null",
    ] {
        let count = commands.lines().filter(|line| *line == command).count();
        assert_eq!(count, 1, "{command}: {commands}");
    }
}

/// It changes the environment at a prompt, and what it says there belongs to no command.
async fn tool_direnv(case: &Case) {
    let folder = case.home().join("project");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join(".envrc"), "export FROM_DIRENV='here I am'\n").unwrap();
    let program = in_path("direnv").expect("the runner asks for it");
    let allow = format!("'{}' allow ~/project", program.display());
    let direnv = load("direnv", "hook");
    let server = case.server().await;
    for (name, text) in [
        ("alone", direnv.clone()),
        ("hook", format!("{HOOK}{ARRAY_BEHIND}\n{direnv}")),
        ("nounset", format!("set -u\n{direnv}")),
    ] {
        profile(case, &text);
        let window = lives_with(&server, name).await;
        comment_is_no_command(&window).await;
        exits(&window, &allow, 0).await;
        assert_eq!(exits(&window, "cd ~/project; (exit 4)", 4).await, "");
        assert_eq!(
            exits(&window, "echo \"$FROM_DIRENV\"", 0).await,
            "here I am\n",
            "{name}"
        );
        assert_eq!(exits(&window, "cd ..", 0).await, "", "{name}");
        assert_eq!(
            exits(&window, "echo \"${FROM_DIRENV-gone}\"", 0).await,
            "gone\n"
        );
    }
}

/// Has starship show the status that it was given, and nothing that asks the machine.
const STARSHIP: &str = "format = '$status$character'\nadd_newline = false\n\
    [status]\ndisabled = false\nformat = 'given $status '\n";

/// What starship shows at the prompt is the status of the command.
async fn starship_shows(window: &Window, status: &str) {
    until_prompt(window).await;
    let shown = format!("given {status} ");
    until("starship's prompt", async || {
        let screen = window.capture(amux::CaptureOptions::new()).await.unwrap();
        let mut lines = screen.text.lines().rev();
        let last = lines.find(|line| !line.trim().is_empty());
        match last.is_some_and(|line| line.starts_with(&shown)) {
            true => Ok(()),
            false => Err(format!("{screen:?}")),
        }
    })
    .await;
}

async fn tool_starship(case: &Case) {
    std::fs::create_dir(case.home().join(".config")).unwrap();
    case.write(".config/starship.toml", STARSHIP);
    let starship = load("starship", "init");
    let arrays = !old_bash(case).await;
    let server = case.server().await;
    for (name, text) in [
        ("alone", starship.clone()),
        // It gives hooks that it finds no status, whatever the shell is in.
        (
            "hook",
            format!("{HOOK}PROMPT_COMMAND=\"hook;$PROMPT_COMMAND\"\n{starship}"),
        ),
        ("behind", format!("{starship}{HOOK}{ARRAY_BEHIND}\n")),
        ("sourced", format!("{starship}{}", integration())),
    ] {
        profile(case, &text);
        let window = lives_with(&server, name).await;
        comment_is_no_command(&window).await;
        exits(&window, "(exit 5)", 5).await;
        starship_shows(&window, "5").await;
        // To what stands in one string with it, it leaves none either.
        if name == "behind" && arrays {
            hook_was_given(case, &window, "5").await;
        }
        exits(&window, "(exit 9)", 9).await;
        starship_shows(&window, "9").await;
    }
}

/// All of them, in the orders in which people load them.
async fn tools_together(case: &Case) {
    std::fs::create_dir(case.home().join(".config")).unwrap();
    case.write(".config/starship.toml", STARSHIP);
    let script = bash_preexec().expect("the runner asks for it");
    let preexec = format!(". '{}'\n", script.display());
    let (direnv, starship) = (load("direnv", "hook"), load("starship", "init"));
    let server = case.server().await;
    let pipes = pipes_with_preexec(case).await;
    for (name, text) in [
        ("usual", format!("{preexec}{direnv}{starship}")),
        ("third", format!("{starship}{preexec}{direnv}")),
    ] {
        profile(case, &text);
        let window = lives_with_pipes(&server, name, pipes).await;
        exits(&window, "(exit 5)", 5).await;
        starship_shows(&window, "5").await;
    }
}
