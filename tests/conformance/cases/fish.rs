//! Windows that run fish.
//!
//! The cases of bash in the words of fish, which has no `(exit 3)`, no heredoc and no `set -e`. What it does otherwise:
//! a text of several lines is one command; the raw output begins with what fish writes before a command (the title, a
//! colour, CR); a secret is read by fish's own editor, so that the terminal does not show that one is asked for.

use std::time::Duration;

use amux::{Ended, ErrorKind, Key, Shell, ShellKind, Submit, Window};

use crate::case::{
    Case, count, exits, find, options, refused, run, same, unread, until, until_foreground,
    until_prompt, until_state,
};
use crate::cases::input;
use crate::person::Person;
use crate::runner::topic;
use crate::support::deadline::LONG;

topic!("fish":
    long_command_right_after_the_window_was_made_runs_once,
    line_of_5000_characters_runs_at_a_prompt,
    each_command_has_its_own_status,
    each_part_of_a_pipeline_has_its_own,
    output_without_a_newline_is_exact,
    several_lines_are_one_command,
    script_of_10_kilobytes_of_quotes_runs,
    what_gives_no_status_of_its_own_is_0,
    empty_lines_are_no_commands,
    interrupted_command_has_130,
    unfinished_text_is_taken_back,
    line_that_fish_does_not_understand_is_127,
    first_command_waits_for_the_startup_files,
    shell_that_starts_is_waited_for,
    foreground_program_is_not_typed_into,
    line_of_a_person_is_left_alone,
    marks_in_a_file_are_not_the_shells,
    shell_inside_has_no_marks_and_the_outer_command_runs,
    shell_that_replaces_itself_has_marks_again,
    shell_that_exits_is_no_hang,
    hooks_and_prompt_of_the_user_are_kept,
    environment_is_the_users,
    server_that_runs_keeps_its_shell,
);

async fn long_command_right_after_the_window_was_made_runs_once(case: &Case) {
    runs_fish(case);
    input::long_command_right_after_the_window_was_made_runs_once(case).await;
}

async fn line_of_5000_characters_runs_at_a_prompt(case: &Case) {
    runs_fish(case);
    input::line_of_5000_characters_runs_at_a_prompt(case).await;
}

/// Has the windows run fish. A fish that is new to a home folder reads every manual page there is for its completions,
/// in the background, unless they are there.
fn runs_fish(case: &Case) {
    case.set_shell(ShellKind::Fish);
    let completions = case.home().join(".local/share/fish/generated_completions");
    std::fs::create_dir_all(completions).unwrap();
}

/// A window whose fish reads these lines when it starts, and has shown its prompt.
async fn window(case: &Case, config: &str) -> Window {
    let window = starting(case, config).await;
    until_state(&window, "the first prompt", |state| {
        state.integrated && state.prompt_empty
    })
    .await;
    window
}

/// The same, while it may still be starting.
async fn starting(case: &Case, config: &str) -> Window {
    runs_fish(case);
    std::fs::create_dir_all(case.home().join(".config/fish")).unwrap();
    case.write(".config/fish/config.fish", config);
    case.window().await
}

/// Cases B5 and B7.
async fn each_command_has_its_own_status(case: &Case) {
    let window = window(case, "").await;
    assert_eq!(exits(&window, "echo one\necho two", 0).await, "one\ntwo\n");
    for status in [3, 0, 1, 127, 130, 200, 255] {
        exits(&window, &format!("sh -c 'exit {status}'"), status).await;
        assert_eq!(window.state().await.unwrap().last_status, Some(status));
    }
    exits(&window, "no-such-command-at-all", 127).await;
    assert_eq!(exits(&window, "false; echo $status", 0).await, "1\n");
    let finished = case.amux(&["run", "w", "--", "sh -c 'exit 7'"], b"").await;
    assert_eq!(finished.status, Some(7), "{finished:?}");
}

/// Case B21.
async fn each_part_of_a_pipeline_has_its_own(case: &Case) {
    let window = window(case, "").await;
    for (text, expected, status, statuses) in [
        ("sh -c 'exit 3' | cat", "", 0, &[3, 0][..]),
        ("yes | head -n 1", "y\n", 0, &[141, 0]),
        ("true | sh -c 'exit 4'", "", 4, &[0, 4]),
        ("true", "", 0, &[]),
        ("not true | true", "", 1, &[]),
    ] {
        let output = run(&window, text).await;
        assert_eq!(output.status(), Some(status), "{text}: {output:?}");
        assert_eq!(output.text, expected, "{text}");
        assert_eq!(output.record.pipe_statuses, statuses, "{text}");
    }
}

/// Cases B10, B14 and C24: neither the sign for a missing newline, nor what fish writes before the output.
async fn output_without_a_newline_is_exact(case: &Case) {
    let window = window(case, "").await;
    for (text, expected) in [
        ("printf abc", "abc"),
        ("printf ' abc  '", " abc  "),
        ("printf '\\n\\nb'", "\n\nb"),
        ("true", ""),
        ("echo hello", "hello\n"),
    ] {
        let output = run(&window, text).await;
        same(&output.text, expected);
        let raw = expected.replace('\n', "\r\n");
        assert!(output.raw.ends_with(raw.as_bytes()), "{text}: {output:?}");
    }
}

/// Case A17.
async fn several_lines_are_one_command(case: &Case) {
    let window = window(case, "").await;
    assert_eq!(exits(&window, "cd /tmp\npwd\nfalse", 1).await, "/tmp\n");
    assert_eq!(window.records().await.unwrap().len(), 1);
    let text = "for i in 1 2\n\techo $i # a comment\nend\n\n# another\nset -g x 'it''s'";
    assert_eq!(exits(&window, text, 0).await, "1\n2\n");
    assert_eq!(exits(&window, "pwd; echo $x", 0).await, "/tmp\nits\n");
}

/// Case A15: more than fish takes as a paste goes by a file.
async fn script_of_10_kilobytes_of_quotes_runs(case: &Case) {
    let window = window(case, "").await;
    let (mut script, mut expected) = (String::new(), String::new());
    for n in 0..200 {
        script += &format!("printf '%s\\n' '{n} \"a\"' \"it's \\\"b\\\"\" '\\\\ \\'' \n");
        expected += &format!("{n} \"a\"\nit's \"b\"\n\\ '\n");
    }
    assert!(script.len() > 9_000);
    same(
        exits(&window, &format!("{script}sh -c 'exit 8'"), 8).await,
        expected,
    );
    assert_eq!(exits(&window, "echo after", 0).await, "after\n");
}

/// `set` leaves `$status` as it is, and so do a comment and a job in the background: they have not failed.
async fn what_gives_no_status_of_its_own_is_0(case: &Case) {
    let window = window(case, "").await;
    for text in [
        "set -g x 1",
        "# a comment",
        "sleep 0 &",
        "sleep 0 | sleep 0 &",
    ] {
        exits(&window, "sh -c 'exit 3' | sh -c 'exit 5'", 5).await;
        let output = run(&window, text).await;
        assert_eq!(output.status(), Some(0), "{text}: {output:?}");
        assert!(output.record.pipe_statuses.is_empty(), "{text}: {output:?}");
        // The shell's own is not touched.
        assert_eq!(exits(&window, "echo $status", 0).await, "5\n", "{text}");
    }
}

/// The mark that ends a prompt.
const B: &[u8] = b"\x1b]133;B";

/// Case C16.
async fn empty_lines_are_no_commands(case: &Case) {
    let window = window(case, "").await;
    exits(&window, "sh -c 'exit 5'", 5).await;
    for n in 0..3 {
        until_prompt(&window).await;
        let prompts = count(&unread(&window).await.bytes, B);
        window.keys(&[Key::new("Enter").unwrap()]).await.unwrap();
        until("another prompt", async || {
            match count(&unread(&window).await.bytes, B) > prompts {
                true => Ok(()),
                false => Err(n.to_string()),
            }
        })
        .await;
    }
    until_prompt(&window).await;
    window.write("echo nev", Submit::Never).await.unwrap();
    until("half a line", async || {
        let bytes = unread(&window).await.bytes;
        find(&bytes, b"nev")
            .map(drop)
            .ok_or_else(|| format!("{bytes:?}"))
    })
    .await;
    // fish loses one that comes while it draws.
    for _ in 0..5 {
        window.interrupt().await.unwrap();
        let thrown_away = tokio::time::timeout(Duration::from_secs(5), until_prompt(&window));
        if thrown_away.await.is_ok() {
            break;
        }
    }
    until_prompt(&window).await;
    assert_eq!(window.records().await.unwrap().len(), 1);
    assert_eq!(window.state().await.unwrap().last_status, Some(5));
    let output = run(&window, "").await;
    assert_eq!((output.ended(), output.status()), (Ended::Nothing, None));
    exits(&window, "sh -c 'exit 6'", 6).await;
}

/// Case C15.
async fn interrupted_command_has_130(case: &Case) {
    let window = window(case, "").await;
    for text in ["sleep 9", "echo a; sleep 9; echo b"] {
        until_prompt(&window).await;
        let (output, ()) = tokio::join!(run(&window, text), async {
            until_foreground(&window, "sleep").await;
            window.interrupt().await.unwrap();
        });
        assert_eq!(output.status(), Some(130), "{text}: {output:?}");
        assert!(!output.text.contains('b'), "{text}: {output:?}");
    }
    exits(&window, "true", 0).await;
}

/// Case A14: fish goes on in its editor; the text is taken back, and said so.
async fn unfinished_text_is_taken_back(case: &Case) {
    let window = window(case, "").await;
    for text in [
        "echo 'one",
        "if true",
        "echo first\necho (date",
        "echo one \\",
    ] {
        let kind = refused(window.run(text, options()).await);
        assert_eq!(kind, ErrorKind::Incomplete, "{text:?}");
        assert_eq!(exits(&window, "echo after", 0).await, "after\n", "{text:?}");
    }
}

/// fish keeps a line that it refuses in its editor: it is thrown away, or the next would be added to it.
async fn line_that_fish_does_not_understand_is_127(case: &Case) {
    let window = window(case, "").await;
    for text in ["echo )", "echo a\nend"] {
        let output = run(&window, text).await;
        assert_eq!(output.status(), Some(127), "{text}: {output:?}");
        assert!(output.text.contains("fish: "), "{text}: {output:?}");
        assert_eq!(exits(&window, "echo after", 0).await, "after\n");
    }
}

/// Case A3.
async fn first_command_waits_for_the_startup_files(case: &Case) {
    let window = starting(
        case,
        "echo welcome\nprintf 'no newline'\nsleep 2\nset slept yes\n",
    )
    .await;
    assert_eq!(exits(&window, "echo OK $slept", 0).await, "OK yes\n");
}

/// fish reads keys before it shows its first prompt: it is waited for all the same, and no command is recorded.
async fn shell_that_starts_is_waited_for(case: &Case) {
    let text = "function fish_greeting; echo hi; sleep 1; echo there; end\n";
    let window = starting(case, text).await;
    let id = window.write("echo ahead", Submit::Yes).await.unwrap();
    assert_eq!(exits(&window, "echo OK", 0).await, "OK\n");
    let record = window.wait(id, Some(LONG)).await.unwrap().unwrap();
    assert_eq!(record.status, Some(0), "{record:?}");
    assert_eq!(window.records().await.unwrap().len(), 2);
}

/// Case A18.
async fn foreground_program_is_not_typed_into(case: &Case) {
    let window = window(case, "").await;
    until_prompt(&window).await;
    let id = window.write("cat >got", Submit::Yes).await.unwrap();
    until_foreground(&window, "cat").await;
    let busy = ErrorKind::Busy {
        program: "cat".to_owned(),
    };
    assert_eq!(refused(window.run("ls", options()).await), busy);
    window.keys(&[Key::new("C-d").unwrap()]).await.unwrap();
    window.wait(id, Some(LONG)).await.unwrap();
    assert_eq!(case.contents("got"), b"");
}

/// Case A19: also where fish suggests how the line could go on.
async fn line_of_a_person_is_left_alone(case: &Case) {
    let window = window(case, "").await;
    exits(&window, "echo half a line", 0).await;
    until_prompt(&window).await;
    let mut person = Person::attach(case, amux::DEFAULT_SESSION).await;
    person.types("echo half");
    until_state(&window, "the person's line", |state| !state.prompt_empty).await;
    let kind = refused(window.run("ls", options()).await);
    assert_eq!(kind, ErrorKind::PromptNotEmpty);
    person.types("\r");
    until("what the person's line prints", async || {
        let screen = case.tmux_ok(&["capture-pane", "-p", "-t", "w"]).await;
        match screen.lines().any(|line| line.trim_end() == "half") {
            true => Ok(()),
            false => Err(screen),
        }
    })
    .await;
    until_prompt(&window).await;
    assert_eq!(exits(&window, "echo mine", 0).await, "mine\n");
}

/// Case C22: marks without the pane's nonce are not those of its shell.
async fn marks_in_a_file_are_not_the_shells(case: &Case) {
    let window = window(case, "").await;
    case.write(
        "marks",
        "one\n\x1b]133;D;9\x07\x1b]133;A\x07\x1b]133;B\x07two\n",
    );
    let output = run(&window, "cat marks; sh -c 'exit 3'").await;
    assert_eq!(
        (output.text.as_str(), output.status()),
        ("one\ntwo\n", Some(3))
    );
    assert!(output.record.flags.foreign, "{output:?}");
}

/// Case C13 (a): a fish inside does not take itself for the pane's shell.
async fn shell_inside_has_no_marks_and_the_outer_command_runs(case: &Case) {
    let window = window(case, "").await;
    until_prompt(&window).await;
    let id = window
        .write(
            "fish --init-command 'echo in >inner'; sh -c 'exit 4'",
            Submit::Yes,
        )
        .await
        .unwrap();
    crate::case::until_file(case, "inner", |found| (found == b"in\n").then_some(())).await;
    let soon = std::time::Duration::from_millis(500);
    assert_eq!(
        refused(window.wait(id, Some(soon)).await),
        ErrorKind::Timeout
    );
    window.write("exit", Submit::Yes).await.unwrap();
    let record = window.wait(id, Some(LONG)).await.unwrap().unwrap();
    assert_eq!((record.ended, record.status), (Ended::Exited, Some(4)));
    exits(&window, "true", 0).await;
}

/// Case C13 (c): `exec fish`: the hooks are installed again.
async fn shell_that_replaces_itself_has_marks_again(case: &Case) {
    let window = window(case, "").await;
    until_prompt(&window).await;
    let pid = window.state().await.unwrap().pid;
    for _ in 0..2 {
        let output = run(&window, "exec fish").await;
        assert_ne!(output.ended(), Ended::PaneEnded, "{output:?}");
        let state = until_prompt(&window).await;
        assert!(state.integrated && state.pid == pid, "{state:?}");
        exits(&window, "sh -c 'exit 3'", 3).await;
    }
}

/// Case B8: the shell exited, and it is told; fish tells its status as well.
async fn shell_that_exits_is_no_hang(case: &Case) {
    runs_fish(case);
    let server = case.server().await;
    for (name, text, status) in [
        ("exits", "echo last; exit 5", Some(5)),
        ("killed", "kill -9 $fish_pid", None),
    ] {
        let window = server.window(name).unwrap();
        window.create().await.unwrap();
        let output = run(&window, text).await;
        assert_eq!(output.status(), status, "{text}: {output:?}");
        let kind = refused(window.run("echo more", options()).await);
        assert!(
            matches!(kind, ErrorKind::WindowNotFound | ErrorKind::SessionNotFound),
            "{text}: {kind:?}"
        );
    }
}

/// Case C2: the user's own hooks and prompt are there; what the hooks print is no output.
async fn hooks_and_prompt_of_the_user_are_kept(case: &Case) {
    let window = window(
        case,
        "function before --on-event fish_preexec; echo before; echo $argv[1] >>started; end\n\
         function after --on-event fish_postexec; echo after; echo $status $pipestatus >>seen; end\n\
         function fish_prompt; echo -n \"[$status] \"; end\n",
    )
    .await;
    let output = run(&window, "sh -c 'exit 3' | sh -c 'exit 5'").await;
    assert_eq!((output.text.as_str(), output.status()), ("", Some(5)));
    assert_eq!(output.record.pipe_statuses, [3, 5]);
    let line = ["display-message", "-p", "-t", "w", "#{pane_command_line}"];
    assert_eq!(case.tmux_ok(&line).await, "sh -c 'exit 3' | sh -c 'exit 5'");
    until_prompt(&window).await;
    same(
        case.contents("started"),
        "sh -c 'exit 3' | sh -c 'exit 5'\n",
    );
    let seen = String::from_utf8(case.contents("seen")).unwrap();
    assert!(seen.starts_with("5 ") || seen.starts_with("0 "), "{seen:?}");
    let screen = case.tmux_ok(&["capture-pane", "-p", "-t", "w"]).await;
    assert!(
        screen.lines().any(|line| line.trim_end() == "[5]"),
        "{screen}"
    );
    assert_eq!(exits(&window, "echo a", 0).await, "a\n");
}

/// What leads fish to the integration is gone, and so is the nonce.
async fn environment_is_the_users(case: &Case) {
    let window = window(case, "set -gx FROM_CONFIG \"$XDG_DATA_DIRS\"\n").await;
    let text =
        "env | grep -e '^AMUX_NONCE=' -e '^XDG_DATA_DIRS=' -e '^AMUX_XDG'; echo \"[$FROM_CONFIG]\"";
    assert_eq!(exits(&window, text, 0).await, "[]\n");
    let output = run(&window, "env").await;
    assert!(find(&output.raw, b"aid=").is_none());
}

/// A server that was started with fish is no server for who asks for bash; its shell is as it must be.
async fn server_that_runs_keeps_its_shell(case: &Case) {
    runs_fish(case);
    let server = case.server().await;
    assert_eq!(server.shell().file_name().unwrap(), "fish");
    let other = case.builder().shell(Shell::new(ShellKind::Bash));
    assert_eq!(refused(other.connect().await), ErrorKind::InvalidArgument);
    let check = server.check_terminals().await.unwrap();
    assert!(check.is_good(), "{check:?}");
}
