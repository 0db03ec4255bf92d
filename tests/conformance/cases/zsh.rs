//! Windows that run zsh: the cases that do not depend on the shell, as they are for bash, and those that do.
//!
//! What zsh does otherwise: a text of several lines is one command, with one C; a line that it does not understand is
//! status 1; `$LINENO` of typed lines counts commands.

use amux::{Ended, ErrorKind, Shell, ShellKind};

use crate::case::{
    Case, exits, options, refused, run, same, until_foreground, until_prompt, until_state,
};
use crate::cases::{ends, input, marks, output, programs, status, submitted};
use crate::runner::topic;

topic!("zsh":
    each_command_has_its_own,
    status_of_a_live_shell_reaches_the_command_line,
    every_status_from_0_to_255_comes_back,
    each_part_of_a_pipeline_has_its_own,
    interrupted_command_has_130,
    empty_lines_are_no_commands,
    quoted_heredoc_is_taken_literally,
    operators_comments_and_ends_of_lines_are_the_shells,
    unfinished_text_is_taken_back,
    script_just_short_enough_to_be_pasted_runs,
    several_lines_are_one_command,
    long_command_right_after_the_window_was_made_runs_once,
    line_of_5000_characters_runs_at_a_prompt,
    line_of_5000_characters_while_something_runs_is_refused_or_runs_later,
    line_of_a_person_is_left_alone,
    line_editor_leaves_no_trace,
    output_without_a_newline_is_exact,
    secret_is_asked_for_and_is_in_no_log,
    shell_inside_has_no_marks_and_the_outer_command_runs,
    marks_of_another_shell_do_not_end_the_command,
    pane_that_is_respawned_starts_anew,
    marks_in_a_file_are_not_the_shells,
    background_output_belongs_to_no_command,
    end_of_a_line_without_a_newline_is_marked_behind_the_output,
    plugins_of_debian_change_nothing,
    startup_files_are_the_users,
    hooks_of_the_user_are_kept_and_see_the_status,
    options_of_the_user_change_nothing,
    shell_that_exits_with_its_command_is_no_hang,
    line_that_zsh_does_not_understand_is_1,
    shell_that_replaces_itself_has_marks_again,
    first_command_waits_for_the_startup_files,
    server_that_runs_keeps_its_shell,
);

/// Cases that are written elsewhere, in this shell.
macro_rules! same_as_bash {
    ($($topic:ident::$trial:ident),* $(,)?) => {
        $(async fn $trial(case: &Case) {
            case.set_shell(ShellKind::Zsh);
            $topic::$trial(case).await;
        })*
    };
}

same_as_bash!(
    status::each_command_has_its_own,
    status::status_of_a_live_shell_reaches_the_command_line,
    status::every_status_from_0_to_255_comes_back,
    status::each_part_of_a_pipeline_has_its_own,
    status::interrupted_command_has_130,
    status::empty_lines_are_no_commands,
    submitted::quoted_heredoc_is_taken_literally,
    submitted::operators_comments_and_ends_of_lines_are_the_shells,
    submitted::unfinished_text_is_taken_back,
    submitted::script_just_short_enough_to_be_pasted_runs,
    submitted::several_lines_are_one_command,
    input::long_command_right_after_the_window_was_made_runs_once,
    input::line_of_5000_characters_runs_at_a_prompt,
    input::line_of_5000_characters_while_something_runs_is_refused_or_runs_later,
    input::line_of_a_person_is_left_alone,
    output::line_editor_leaves_no_trace,
    output::output_without_a_newline_is_exact,
    programs::secret_is_asked_for_and_is_in_no_log,
    programs::shell_inside_has_no_marks_and_the_outer_command_runs,
    programs::marks_of_another_shell_do_not_end_the_command,
    programs::pane_that_is_respawned_starts_anew,
    marks::marks_in_a_file_are_not_the_shells,
    ends::background_output_belongs_to_no_command,
);

/// A window whose zsh reads this `.zshrc`.
async fn window(case: &Case, zshrc: &str) -> amux::Window {
    case.set_shell(ShellKind::Zsh);
    case.write(".zshrc", zshrc);
    case.window().await
}

/// Case C24: the mark and the padding that zsh puts behind `abc` are not in the output, whatever the user's mark is.
async fn end_of_a_line_without_a_newline_is_marked_behind_the_output(case: &Case) {
    let server = {
        case.set_shell(ShellKind::Zsh);
        case.server().await
    };
    for (name, zshrc) in [
        ("plain", "PS1='> '"),
        ("none", "PROMPT_EOL_MARK=''"),
        ("own", "PROMPT_EOL_MARK='%K{red}<no newline>%k'"),
        ("off", "unsetopt prompt_sp"),
        ("local", "setopt local_options"),
    ] {
        case.write(".zshrc", zshrc);
        let window = server.window(name).unwrap();
        window.create().await.unwrap();
        until_prompt(&window).await;
        for _ in 0..2 {
            let output = run(&window, "printf abc").await;
            assert_eq!(
                (output.text.as_str(), output.status()),
                ("abc", Some(0)),
                "{name}"
            );
            if name != "local" {
                same(&output.raw, "abc");
            }
        }
        // It is shown all the same, and the option is the user's while nothing runs.
        let screen = case.tmux_ok(&["capture-pane", "-p", "-t", name]).await;
        let shown = match name {
            "plain" | "local" => "abc#",
            "own" => "abc<no newline>",
            _ => "abc",
        };
        let shows = screen.lines().any(|line| line.trim_end() == shown);
        assert!(shows || name == "off", "{name}: {screen}");
    }
}

/// zsh-autosuggestions and zsh-syntax-highlighting, as Debian has them.
async fn plugins_of_debian_change_nothing(case: &Case) {
    let window = window(
        case,
        "PS1='%~ %# '\n\
         . /usr/share/zsh-autosuggestions/zsh-autosuggestions.zsh\n\
         . /usr/share/zsh-syntax-highlighting/zsh-syntax-highlighting.zsh\n",
    )
    .await;
    let loaded = "print ${+functions[_zsh_highlight]} ${+functions[_zsh_autosuggest_start]}";
    assert_eq!(exits(&window, loaded, 0).await, "1 1\n");
    same(run(&window, "printf abc").await.raw, "abc");
    same(run(&window, "echo hello").await.raw, "hello\r\n");
    // The same again is what is suggested.
    for text in ["echo hello", "echo hell"] {
        let output = run(&window, text).await;
        assert_eq!(output.text.trim_end(), &text[5..]);
    }
    assert_eq!(exits(&window, "cd /usr\npwd\n(exit 3)", 3).await, "/usr\n");
    let word = "abcdefghij".repeat(500);
    same(
        exits(&window, &format!("echo {word}"), 0).await,
        word + "\n",
    );
    let script: String = (0..200)
        .map(|n| format!("printf '%s\\n' '{n} \"a\"' \"it's\"\n"))
        .collect();
    let lines = exits(&window, &format!("{script}(exit 4)"), 4).await;
    assert_eq!(lines.lines().count(), 400);
    assert_eq!(
        exits(&window, "cat <<'EOF'\n$x `y`\nEOF", 0).await,
        "$x `y`\n"
    );
    assert_eq!(
        refused(window.run("echo 'half", options()).await),
        ErrorKind::Incomplete
    );
    let output = run(&window, "sh -c 'exit 3' | cat").await;
    assert_eq!(output.record.pipe_statuses, [3, 0]);
    let (output, ()) = tokio::join!(run(&window, "sleep 9"), async {
        until_foreground(&window, "sleep").await;
        window.interrupt().await.unwrap();
    });
    assert_eq!(output.status(), Some(130));
    assert_eq!(exits(&window, "echo after", 0).await, "after\n");
}

/// The user's startup files are read as without us, also from a `ZDOTDIR` of the user's own, and it leads to ours no
/// longer; nor is the nonce there to be seen.
async fn startup_files_are_the_users(case: &Case) {
    case.set_shell(ShellKind::Zsh);
    for name in ["zshenv", "zprofile", "zshrc", "zlogin"] {
        case.write(&format!(".{name}"), format!("files+=({name})\n"));
    }
    let server = case.server().await;
    let window = server.window("home").unwrap();
    window.create().await.unwrap();
    let files = "print $files ${ZDOTDIR-unset} ${AMUX_ZDOTDIR-unset}";
    let expected = "zshenv zprofile zshrc zlogin unset unset\n";
    assert_eq!(exits(&window, files, 0).await, expected);
    let nonce = "env | grep -c -e '^AMUX_NONCE=' -e '^ZDOTDIR='; echo ${#AMUX_NONCE}";
    assert_eq!(exits(&window, nonce, 0).await, "0\n0\n");
    assert_eq!(exits(&window, "zsh -c 'print $files'", 0).await, "zshenv\n");

    std::fs::create_dir(case.home().join("z")).unwrap();
    case.write(".zshenv", "export ZDOTDIR=$HOME/z\n");
    case.write("z/.zshrc", "files+=(other)\n");
    let window = server.window("other").unwrap();
    window.create().await.unwrap();
    let expected = format!("other {}/z unset\n", case.home().display());
    assert_eq!(exits(&window, files, 0).await, expected);
    assert_eq!(exits(&window, "(exit 3)", 3).await, "");
}

/// Cases C2 and C3: the user's hooks are there, see `$?` and `$pipestatus`, and what they print is no output.
async fn hooks_of_the_user_are_kept_and_see_the_status(case: &Case) {
    let window = window(
        case,
        "precmd() { echo precmd; print -r -- $? $pipestatus >>seen }\n\
         hook() { print -r -- $? $pipestatus >>seen; false }\n\
         starts() { echo starts; print -r -- \"$1\" >>started }\n\
         precmd_functions+=(hook)\npreexec_functions+=(starts)\n",
    )
    .await;
    until_prompt(&window).await;
    case.write("seen", "");
    case.write("started", "");
    let output = run(&window, "(exit 3) | (exit 5)").await;
    assert_eq!((output.text.as_str(), output.status()), ("", Some(5)));
    assert_eq!(output.record.pipe_statuses, [3, 5]);
    let line = ["display-message", "-p", "-t", "w", "#{pane_command_line}"];
    assert_eq!(case.tmux_ok(&line).await, "(exit 3) | (exit 5)");
    assert_eq!(exits(&window, "echo a", 0).await, "a\n");
    until_prompt(&window).await;
    // A command of the function's own changes what it sees; the array's see what the command left.
    let seen = case.contents("seen");
    same(seen, "0 0\n5 3 5\n0 0\n0 0\n");
    same(case.contents("started"), "(exit 3) | (exit 5)\necho a\n");
}

/// What users set makes no difference to what comes back.
async fn options_of_the_user_change_nothing(case: &Case) {
    case.set_shell(ShellKind::Zsh);
    let server = case.server().await;
    for (name, zshrc) in [
        ("nounset", "setopt no_unset warn_create_global"),
        ("ksh", "setopt ksh_arrays sh_word_split ksh_glob"),
        ("vi", "bindkey -v; RPS1='right'; PS1=$'two\\nlines> '"),
        ("subst", "setopt prompt_subst; PS1='$(echo sub)> '"),
        ("trace", "exec 2>/dev/null; set -x"),
        (
            "zerr",
            "TRAPZERR() { echo zerr >>|zerr }; setopt no_clobber",
        ),
        (
            "alias",
            "alias -g D='| cat'; alias print='echo no' local='echo no'; IFS=:",
        ),
        ("profile", "emulate sh -c 'X=1'; export PS1='exported> '"),
        ("reset", "precmd() { PS1='set again> ' }"),
    ] {
        case.write(".zshrc", zshrc);
        let window = server.window(name).unwrap();
        window.create().await.unwrap();
        assert_eq!(
            exits(&window, "echo a\n(exit 3)", 3).await,
            "a\n",
            "{zshrc}"
        );
        assert_eq!(exits(&window, "printf b", 0).await, "b", "{zshrc}");
        let output = run(&window, "(exit 2) | cat").await;
        assert_eq!(output.record.pipe_statuses, [2, 0], "{zshrc}");
        let marks = exits(&window, "env | grep -c ]133", 1).await;
        assert_eq!(marks, "0\n", "{zshrc}");
    }
    assert!(
        !case.home().join("zerr").exists() || {
            // For the commands that fail alone: three each.
            let times = case.contents("zerr");
            times.len() <= 3 * "zerr\n".len()
        }
    );
}

/// Case B8: `setopt err_exit`, then a command that fails: the shell exited, and it is told.
async fn shell_that_exits_with_its_command_is_no_hang(case: &Case) {
    case.set_shell(ShellKind::Zsh);
    let server = case.server().await;
    for (n, text) in ["false", "exit 5", "false | true", "kill -9 $$"]
        .iter()
        .enumerate()
    {
        let window = server.window(&format!("w{n}")).unwrap();
        window.create().await.unwrap();
        exits(&window, "set -euo pipefail", 0).await;
        assert_eq!(exits(&window, "echo ok", 0).await, "ok\n");
        // One that fails where that ends nothing.
        assert_eq!(run(&window, "! true").await.status(), Some(1));
        assert_eq!(exits(&window, "echo ok", 0).await, "ok\n");
        let output = run(&window, text).await;
        assert_eq!(output.ended(), Ended::PaneEnded, "{text}: {output:?}");
    }
}

/// zsh says what it does not understand, and runs nothing of the text.
async fn line_that_zsh_does_not_understand_is_1(case: &Case) {
    case.set_shell(ShellKind::Zsh);
    let window = case.window().await;
    for text in ["fi", "echo a\ndone\n", "echo )"] {
        exits(&window, "true", 0).await;
        let output = run(&window, text).await;
        assert_eq!(output.status(), Some(1), "{text}: {output:?}");
        // Of several lines the echo of the last ones comes before it.
        let said = output.text.lines().last().unwrap_or_default();
        assert!(
            said.starts_with("zsh: parse error near"),
            "{text}: {output:?}"
        );
    }
}

/// Case C13 (c): `exec zsh`: the hooks are installed again. `exec bash` has those of bash.
async fn shell_that_replaces_itself_has_marks_again(case: &Case) {
    let window = window(case, "alias again='exec zsh'\n").await;
    until_prompt(&window).await;
    let pid = window.state().await.unwrap().pid;
    for text in ["exec zsh", "again", "exec bash"] {
        let output = run(&window, text).await;
        assert_ne!(output.ended(), Ended::PaneEnded, "{output:?}");
        let state = until_prompt(&window).await;
        assert!(state.integrated && state.pid == pid, "{text}: {state:?}");
        exits(&window, "(exit 3)", 3).await;
        assert_eq!(exits(&window, "echo ${ZDOTDIR-unset}", 0).await, "unset\n");
    }
}

/// Case A3: startup files take 2 s: the first command waits for the first prompt.
async fn first_command_waits_for_the_startup_files(case: &Case) {
    let window = window(
        case,
        "echo welcome\nprintf 'no newline'\nsleep 2\nslept=yes\n",
    )
    .await;
    assert_eq!(exits(&window, "echo OK $slept", 0).await, "OK yes\n");
}

/// A server that was started with zsh is no server for who asks for bash.
async fn server_that_runs_keeps_its_shell(case: &Case) {
    case.set_shell(ShellKind::Zsh);
    let server = case.server().await;
    let name = server.shell().file_name().unwrap();
    assert_eq!(name, "zsh");
    let same = case.builder().connect().await.unwrap();
    assert_eq!(same.pid(), server.pid());
    let other = case.builder().shell(Shell::new(ShellKind::Bash));
    assert_eq!(refused(other.connect().await), ErrorKind::InvalidArgument);
    let check = server.check_terminals().await.unwrap();
    assert!(check.is_good(), "{check:?}");
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    until_state(&window, "a prompt of zsh", |state| {
        state.foreground == "zsh" && state.prompt_empty
    })
    .await;
}
