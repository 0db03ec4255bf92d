//! The environment of terminals: the same on every machine.

use amux::{Server, Submit};

use crate::case::{Case, TENANT, exits, run, until_prompt};
use crate::runner::topic;
use crate::tools::{has_ended, until_screen};

topic!("environment":
    options_that_the_controller_relies_on_are_set,
    manual_window_size_for_all_crashes_tmux,
    terminals_start_at_home_whatever_the_callers_folder_is,
    terminals_run_bash_as_a_login_shell,
    locale_without_utf8_makes_bash_mangle_what_is_typed,
    pager_does_not_wait_for_a_key,
    tmux_variable_is_kept_and_names_our_server,
    variables_of_the_callers_own_pane_do_not_leak,
    programs_do_not_rename_their_window,
    inputrc_does_not_turn_bracketed_paste_off,
);

async fn options_that_the_controller_relies_on_are_set(case: &Case) {
    let server = case.server().await;
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    for (scope, option, value) in [
        ("-s", "exit-empty", "off"),
        ("-g", "history-limit", "10000"),
        ("-g", "default-size", "200x24"),
        ("-gw", "allow-rename", "off"),
        // Left alone: see the next trial.
        ("-gw", "window-size", "latest"),
    ] {
        let found = case.tmux_ok(&["show-options", scope, "-v", option]).await;
        assert_eq!(found, value, "{option}");
    }
    let shell = case
        .tmux_ok(&["show-options", "-gv", "default-shell"])
        .await;
    assert!(shell.ends_with("/bash"), "{shell}");
    let size = case
        .tmux_ok(&["show-options", "-wv", "-t", "=amux:=w", "window-size"])
        .await;
    assert_eq!(size, "manual");
}

/// tmux 3.3 to 3.6 end with SIGSEGV when a session is made while `window-size` is manual for all. The option is
/// therefore set window by window, and this trial tells when that is needed no more.
async fn manual_window_size_for_all_crashes_tmux(case: &Case) {
    let tenant = "crash";
    let builder = Server::builder().tenant(tenant).binary(&case.target.binary);
    let server = builder.start().await.unwrap();
    let mut command = tokio::process::Command::new(&case.target.binary);
    command.args(["-N", "-S"]).arg(server.socket()).args([
        "set-option",
        "-g",
        "window-size",
        "manual",
        ";",
        "new-session",
        "-d",
    ]);
    let output = command.output().await.unwrap();
    let crashes = matches!(case.target.version.as_str(), "3.3a" | "3.5a");
    assert_eq!(output.status.success(), !crashes, "{output:?}");
    if crashes {
        let exit = server.wait().await.unwrap();
        assert_eq!(exit.reason, amux::ExitReason::Signaled(11));
    } else {
        server.stop().await.unwrap();
    }
    // Ours makes sessions all the time.
    let server = case.server().await;
    for session in ["a", "b", "c"] {
        let window = server.session(session).unwrap().window("w").unwrap();
        window.create().await.unwrap();
    }
    assert_eq!(server.windows().await.unwrap().len(), 3);
    assert!(!has_ended(server.pid()));
}

async fn terminals_start_at_home_whatever_the_callers_folder_is(case: &Case) {
    std::env::set_current_dir("/usr").unwrap();
    let server = case.server().await;
    let home = format!("{}\n", case.home().display());
    // The first window of a session, and one more.
    for name in ["first", "second"] {
        let window = server.window(name).unwrap();
        window.create().await.unwrap();
        assert_eq!(exits(&window, "pwd", 0).await, home);
        exits(&window, "cd /tmp", 0).await;
    }
    let made = case.amux(&["run", "third", "--", "pwd"], b"").await;
    assert_eq!(String::from_utf8_lossy(&made.out), home);
}

async fn terminals_run_bash_as_a_login_shell(case: &Case) {
    case.write(".bash_profile", "profile=read\n");
    case.write(".bashrc", "rc=read\n");
    let window = case.window().await;
    let text = "echo \"$0 $profile [$rc]\"; shopt -q login_shell && echo login; echo \"$SHELL\"";
    let found = exits(&window, text, 0).await;
    let lines: Vec<_> = found.lines().collect();
    assert_eq!(lines[..2], ["-bash read []", "login"]);
    assert!(lines[2].ends_with("/bash"), "{found}");
}

async fn locale_without_utf8_makes_bash_mangle_what_is_typed(case: &Case) {
    // The trial's own locale has no part in it.
    let window = case.window().await;
    let text = "echo 'ok ✓ café 中'";
    assert_eq!(exits(&window, text, 0).await, "ok ✓ café 中\n");
    until_screen(&window, "the text as it was typed", |shown| {
        shown.text.contains("$ echo 'ok ✓ café 中'\nok ✓ café 中\n")
            || shown.text.contains("# echo 'ok ✓ café 中'\nok ✓ café 中\n")
    })
    .await;
    let locale = exits(
        &window,
        "echo \"$LC_ALL\"; printf '%.1f\\n' 1.5; LC_ALL=C; v=é; echo ${#v}",
        0,
    )
    .await;
    assert_eq!(locale, "C.UTF-8\n1.5\n2\n");
}

async fn pager_does_not_wait_for_a_key(case: &Case) {
    let window = case.window().await;
    let names = ["PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER"];
    for name in names {
        assert_eq!(
            exits(&window, &format!("echo \"${name}\""), 0).await,
            "cat\n"
        );
    }
    if exits(&window, "command -v git | wc -l", 0).await == "1\n" {
        let text = "git init -q r && cd r && git config core.pager less && seq 200 >f && git add f && \
            git diff --cached | tail -1; git diff --cached >/dev/null; git diff --cached";
        let output = run(&window, text).await;
        assert_eq!(output.status(), Some(0));
        assert!(output.text.ends_with("+200\n"), "{}", output.text);
    }
}

async fn tmux_variable_is_kept_and_names_our_server(case: &Case) {
    let server = case.server().await;
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    let tmux = case.target.binary.display();
    let text = format!("unset TMUX_TMPDIR; {tmux} display-message -p '#{{pid}}'");
    let found = exits(&window, &text, 0).await;
    assert_eq!(found, format!("{}\n", server.pid()));
    // A tmux in the terminal is refused rather than started.
    let output = run(&window, &format!("{tmux} attach")).await;
    assert_eq!(output.status(), Some(1));
    assert!(output.text.contains("nested"), "{}", output.text);
}

/// A controller that is started in a terminal of another tmux, or of another amux.
async fn variables_of_the_callers_own_pane_do_not_leak(case: &Case) {
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_amux"));
    command
        .args(["-L", TENANT, "start"])
        .env("AMUX_TMUX", &case.target.binary)
        .env("TMUX", "/nonexistent/socket,1,0")
        .env("TMUX_PANE", "%77")
        .env("AMUX_NONCE", "0123456789abcdef0123456789abcdef")
        .env("AMUX_SHELL_PID", "1")
        .env("AMUX_SHELL_PANE", "x");
    assert!(command.status().await.unwrap().success());
    let builder = Server::builder().tenant(TENANT).binary(&case.target.binary);
    let server = builder.connect().await.unwrap();
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    let found = exits(&window, "echo \"$TMUX_PANE ${TMUX%,*}\"", 0).await;
    let socket = server.socket().display().to_string();
    assert_eq!(found, format!("%0 {socket},{}\n", server.pid()));
    assert!(until_prompt(&window).await.integrated);
    server.stop().await.unwrap();
}

async fn programs_do_not_rename_their_window(case: &Case) {
    let window = case.window().await;
    let text = r"printf '\033knew\033\\'; printf '\033]2;title\033\\'; printf '\033]0;both\007'";
    exits(&window, text, 0).await;
    exits(&window, "sleep 0.1", 0).await;
    let names = case
        .tmux_ok(&["list-windows", "-a", "-F", "#{window_name}"])
        .await;
    assert_eq!(names, "w");
    exits(&window, "echo still", 0).await;
}

async fn inputrc_does_not_turn_bracketed_paste_off(case: &Case) {
    case.write(".inputrc", "set enable-bracketed-paste off\n");
    let server = case.server().await;
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    until_prompt(&window).await;
    // Typed as a paste, nothing of it runs before Enter.
    window
        .write("touch early\n: second", Submit::Yes)
        .await
        .unwrap();
    window.wait(None, None).await.unwrap();
    let text = exits(&window, "bind -v | grep bracketed", 0).await;
    assert_eq!(text, "set enable-bracketed-paste on\n");
    let check = server.check_terminals().await.unwrap();
    assert!(check.bracketed_paste, "{check:?}");
}
