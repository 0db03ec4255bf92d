//! Tasks: windows with a name of three parts, closed once the outcome has been verified.

use std::time::Duration;

use amux::{Ended, ErrorKind, RunOptions, Server, Task, TaskInfo, TaskState};

use crate::case::{
    Case, exits, options, refused, same, until, until_foreground, until_prompt, until_state,
};
use crate::runner::topic;
use crate::support::deadline::LONG;

topic!("tasks":
    window_is_created_where_it_is_missing_and_used_again,
    script_file_comes_back_exact_with_its_status,
    watch_renames_the_window_and_goes_on,
    what_ends_at_once_is_no_watch,
    watch_takes_no_name_that_is_taken,
    window_is_closed_when_the_verification_passes_and_not_before,
    window_of_no_task_is_taken_over_by_a_run_alone,
    window_that_is_used_otherwise_is_not_closed,
    what_has_ended_lingers_and_what_runs_does_not,
    creators_at_the_same_time_make_one_window,
    names_are_refused_before_anything_is_sent,
    window_that_a_person_closes_or_renames_is_missing,
    facts_are_seen_by_other_processes,
);

const NAME: &str = "web-staging-deploy";
const WATCH: &str = "web-staging-watch";

/// Goes on until a file is there.
const UNTIL_GO: &str = "until [ -e go ]; do sleep 0.05; done";

/// Runs a text that must exit with a status, and returns its clean output.
async fn ends(task: &Task, text: &str, status: u8) -> String {
    let output = task.run(text, options()).await.unwrap();
    assert_eq!(
        (output.ended(), output.status()),
        (Ended::Exited, Some(status)),
        "{text:?}: {output:?}"
    );
    output.text
}

/// Names and states of all tasks.
async fn states(server: &Server) -> Vec<(String, TaskState)> {
    let tasks = server.tasks().await.unwrap();
    tasks
        .into_iter()
        .map(|task| (task.name, task.state))
        .collect()
}

/// The names of the windows, tasks or not.
async fn windows(server: &Server) -> Vec<String> {
    let windows = server.windows().await.unwrap();
    windows.into_iter().map(|window| window.name).collect()
}

async fn until_task(task: &Task, what: TaskState) -> TaskInfo {
    until(what.as_str(), async || match task.info().await {
        Ok(info) if info.state == what => Ok(info),
        other => Err(format!("{other:?}")),
    })
    .await
}

/// Created if missing, by a run; the second run has the same shell.
async fn window_is_created_where_it_is_missing_and_used_again(case: &Case) {
    let server = case.server().await;
    let task = server.task(NAME).unwrap();
    assert_eq!(states(&server).await, []);
    assert_eq!(
        refused(task.info().await),
        ErrorKind::SessionNotFound,
        "a handle creates nothing"
    );
    ends(&task, "cd /usr; export V='a  b'", 0).await;
    let pid = task.window().state().await.unwrap().pid;
    assert_eq!(ends(&task, "pwd; echo \"$V\"", 0).await, "/usr\na  b\n");
    assert_eq!(task.window().state().await.unwrap().pid, pid);
    assert_eq!(windows(&server).await, [NAME]);

    let info = task.info().await.unwrap();
    assert_eq!(
        (info.session.as_str(), info.began_as.as_str()),
        ("amux", NAME)
    );
    assert_eq!(info.state, TaskState::Finished);
    // Another task has a window of its own, in the session that is named.
    let other = server.session("other").unwrap().task(NAME).unwrap();
    assert_eq!(
        ends(&other, "pwd; echo \"[$V]\"; (exit 3)", 3).await,
        format!("{}\n[]\n", case.home().display())
    );
    let failed = other.info().await.unwrap();
    assert_eq!(
        (failed.session.as_str(), failed.state),
        ("other", TaskState::Failed)
    );
    assert_eq!(failed.window.last_status, Some(3));
}

/// A script file: waited for, exact output, exit status; the file may go.
async fn script_file_comes_back_exact_with_its_status(case: &Case) {
    let server = case.server().await;
    let task = server.task(NAME).unwrap();
    let script = "cat <<'EOF'\nit's \"quoted\" $HOME `date` \\ 100%;\n  é ✓\nEOF\nn=$(( 6 * 7 ))\nprintf '%s' $n\n(exit 9)\n";
    let path = case.write("job.sh", script);
    let output = task.run_file(&path, options()).await.unwrap();
    same(
        &output.text,
        "it's \"quoted\" $HOME `date` \\ 100%;\n  é ✓\n42",
    );
    assert_eq!((output.ended(), output.status()), (Ended::Exited, Some(9)));
    std::fs::remove_file(&path).unwrap();
    assert_eq!(
        refused(task.run_file(&path, options()).await),
        ErrorKind::Io
    );
    // What is no text is not sent.
    let binary = case.write("binary", b"echo \xff\n");
    assert_eq!(
        refused(task.run_file(&binary, options()).await),
        ErrorKind::Io
    );
    assert_eq!(ends(&task, "echo $n", 0).await, "42\n");
    // What takes longer than is waited for goes on.
    let short = options().timeout(Duration::from_millis(100));
    let output = task.run(UNTIL_GO, short).await.unwrap();
    assert!(output.timed_out);
    assert_eq!(task.info().await.unwrap().state, TaskState::Running);
    case.write("go", "");
    task.window().wait(None, Some(LONG)).await.unwrap();
    until_task(&task, TaskState::Finished).await;
}

/// Status renaming: what stays gets the name of a watch, and nothing of it is disturbed.
async fn watch_renames_the_window_and_goes_on(case: &Case) {
    let server = case.server().await;
    let task = server.task(NAME).unwrap();
    ends(&task, "n=1", 0).await;
    let settle = RunOptions::new().timeout(Duration::from_millis(200));
    let text = format!("echo begun; {UNTIL_GO}; (exit $((n + 4)))");
    let watch = task.watch(Some(&text), settle).await.unwrap();
    assert_eq!(watch.name().as_str(), WATCH);
    assert_eq!(windows(&server).await, [WATCH]);
    let info = watch.info().await.unwrap();
    assert_eq!(
        (info.began_as.as_str(), info.state, info.age),
        (NAME, TaskState::Watch, None)
    );
    assert_eq!(
        refused(task.window().state().await),
        ErrorKind::WindowNotFound
    );
    assert!(matches!(
        refused(watch.run("echo no", options()).await),
        ErrorKind::Busy { .. }
    ));
    assert!(matches!(
        refused(watch.done("true", options()).await),
        ErrorKind::Busy { .. }
    ));
    // Once more is no harm.
    assert_eq!(
        watch.watch(None, options()).await.unwrap().name(),
        watch.name()
    );
    assert_eq!(server.stale_tasks(Duration::ZERO).await.unwrap(), []);

    case.write("go", "");
    let record = watch
        .window()
        .wait(None, Some(LONG))
        .await
        .unwrap()
        .unwrap();
    assert_eq!((record.ended, record.status), (Ended::Exited, Some(5)));
    // It has ended, and is like any other task that has.
    until_task(&watch, TaskState::Failed).await;
    assert_eq!(server.stale_tasks(Duration::ZERO).await.unwrap().len(), 1);
    // A command in it is no watch.
    let short = options().timeout(Duration::from_millis(50));
    std::fs::remove_file(case.home().join("go")).unwrap();
    assert!(watch.run(UNTIL_GO, short).await.unwrap().timed_out);
    until_task(&watch, TaskState::Running).await;
    case.write("go", "");
    watch.window().wait(None, Some(LONG)).await.unwrap();
    until_prompt(watch.window()).await;
    watch.done("true", options()).await.unwrap();
    assert_eq!(windows(&server).await, [""; 0]);
}

/// What ends at once is told with what it printed, and keeps its name.
async fn what_ends_at_once_is_no_watch(case: &Case) {
    let server = case.server().await;
    let task = server.task(NAME).unwrap();
    let error = task
        .watch(Some("echo no such log; (exit 4)"), options())
        .await
        .unwrap_err();
    match error.kind() {
        ErrorKind::NothingToWatch {
            output: Some(output),
        } => assert_eq!((&*output.text, output.status()), ("no such log\n", Some(4))),
        other => panic!("{other:?}"),
    }
    let nothing = ErrorKind::NothingToWatch { output: None };
    assert_eq!(refused(task.watch(None, options()).await), nothing);
    assert_eq!(
        states(&server).await,
        [(NAME.to_owned(), TaskState::Failed)]
    );
    // Of a window that is not there.
    let missing = server.task("mc-other-x").unwrap();
    assert_eq!(
        refused(missing.watch(None, options()).await),
        ErrorKind::WindowNotFound
    );
    assert_eq!(windows(&server).await, [NAME]);
}

/// Two things of one target cannot both be its watch.
async fn watch_takes_no_name_that_is_taken(case: &Case) {
    let server = case.server().await;
    let first = server.task(NAME).unwrap();
    let second = server.task("web-staging-migrate").unwrap();
    let settle = || RunOptions::new().timeout(Duration::from_millis(200));
    first.watch(Some(UNTIL_GO), settle()).await.unwrap();
    assert_eq!(
        refused(second.watch(Some(UNTIL_GO), settle()).await),
        ErrorKind::WindowExists
    );
    assert_eq!(
        states(&server).await,
        [
            (WATCH.to_owned(), TaskState::Watch),
            ("web-staging-migrate".to_owned(), TaskState::Running)
        ]
    );
    // A name that begins or ends with that of the watch is another one.
    let third = server.task("mc-poke-x").unwrap();
    let third = third.watch(Some(UNTIL_GO), settle()).await.unwrap();
    assert_eq!(third.name().as_str(), "mc-poke-watch");
}

/// Done: the outcome is verified in the window itself, which goes only then.
async fn window_is_closed_when_the_verification_passes_and_not_before(case: &Case) {
    let server = case.server().await;
    let task = server.task(NAME).unwrap();
    ends(&task, "made=yes", 0).await;
    let error = task
        .done("echo checking; [ -e result ]", options())
        .await
        .unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("the verification exited with status 1"),
        "{error}"
    );
    match error.kind() {
        ErrorKind::Unverified { output } => {
            assert_eq!((&*output.text, output.status()), ("checking\n", Some(1)));
        }
        other => panic!("{other:?}"),
    }
    let info = task.info().await.unwrap();
    assert_eq!(
        (info.state, info.window.last_status),
        (TaskState::Failed, Some(1))
    );
    // A verification that does not end is none.
    let short = options().timeout(Duration::from_millis(100));
    match refused(task.done(UNTIL_GO, short).await) {
        ErrorKind::Unverified { output } => assert!(output.timed_out, "{output:?}"),
        other => panic!("{other:?}"),
    }
    case.write("go", "");
    task.window().wait(None, Some(LONG)).await.unwrap();
    until_prompt(task.window()).await;
    // A text that is unfinished has not run.
    assert_eq!(
        refused(task.done("echo 'half", options()).await),
        ErrorKind::Incomplete
    );
    assert_eq!(windows(&server).await, [NAME]);

    let output = task.done("echo $made", options()).await.unwrap();
    assert_eq!((&*output.text, output.status()), ("yes\n", Some(0)));
    assert_eq!(windows(&server).await, [""; 0]);
    assert_eq!(states(&server).await, []);
    assert_eq!(
        refused(task.done("true", options()).await),
        ErrorKind::SessionNotFound
    );
    // Nothing of it is left: the next window of the name begins anew.
    assert_eq!(ends(&task, "echo \"[$made]\"", 0).await, "[]\n");
    // A verification that ends the shell has verified nothing.
    match refused(task.done("exit 0", options()).await) {
        ErrorKind::Unverified { output } => assert_eq!(output.ended(), Ended::PaneEnded),
        other => panic!("{other:?}"),
    }
}

/// The name is the claim, but nothing is closed that no task ran in.
async fn window_of_no_task_is_taken_over_by_a_run_alone(case: &Case) {
    let server = case.server().await;
    let task = server.task(NAME).unwrap();
    let window = server.window(NAME).unwrap();
    window.create().await.unwrap();
    exits(&window, "mine=1", 0).await;
    assert_eq!(states(&server).await, []);
    assert_eq!(refused(task.info().await), ErrorKind::NotATask);
    assert_eq!(
        refused(task.done("true", options()).await),
        ErrorKind::NotATask
    );
    assert_eq!(windows(&server).await, [NAME]);
    assert_eq!(ends(&task, "echo $mine", 0).await, "1\n");
    assert_eq!(
        states(&server).await,
        [(NAME.to_owned(), TaskState::Finished)]
    );
    task.done("true", options()).await.unwrap();
    assert_eq!(windows(&server).await, [""; 0]);
}

/// A window in which somebody works is left to them.
async fn window_that_is_used_otherwise_is_not_closed(case: &Case) {
    let server = case.server().await;
    let task = server.task(NAME).unwrap();
    ends(&task, "true", 0).await;
    let target = format!("=amux:={NAME}");
    case.tmux_ok(&["split-window", "-d", "-t", &target]).await;
    assert_eq!(
        refused(task.done("true", options()).await),
        ErrorKind::TaskInUse
    );
    assert_eq!(windows(&server).await, [NAME]);
    case.tmux_ok(&["kill-pane", "-a", "-t", &target]).await;
    task.done("true", options()).await.unwrap();
    assert_eq!(windows(&server).await, [""; 0]);
}

/// `stale`: a task that has ended and whose window is there; nothing that runs, was never used, or is no task.
async fn what_has_ended_lingers_and_what_runs_does_not(case: &Case) {
    let server = case.server().await;
    let stale = async |age: Duration| -> Vec<String> {
        let tasks = server.stale_tasks(age).await.unwrap();
        tasks.into_iter().map(|task| task.name).collect()
    };
    let finished = server.task("a-b-finished").unwrap();
    let failed = server.task("a-b-failed").unwrap();
    let runs = server.task("a-b-runs").unwrap();
    let watch = server.task("a-c-x").unwrap();
    let plain = server.window("a-b-plain").unwrap();
    plain.create().await.unwrap();
    exits(&plain, "true", 0).await;
    ends(&finished, "true", 0).await;
    ends(&failed, "(exit 3)", 3).await;
    let short = || options().timeout(Duration::from_millis(100));
    assert!(runs.run(UNTIL_GO, short()).await.unwrap().timed_out);
    watch.watch(Some(UNTIL_GO), short()).await.unwrap();
    assert_eq!(stale(Duration::ZERO).await, ["a-b-finished", "a-b-failed"]);
    assert_eq!(stale(Duration::from_secs(3600)).await, [""; 0]);
    for task in server.tasks().await.unwrap() {
        assert_eq!(task.age.is_some(), task.state.has_ended(), "{task:?}");
    }
    // Nobody waits for its end: it lingers all the same.
    case.write("go", "");
    until("both to end", async || match stale(Duration::ZERO).await {
        found if found.len() == 4 => Ok(()),
        found => Err(format!("{found:?}")),
    })
    .await;
    finished.done("true", options()).await.unwrap();
    assert_eq!(stale(Duration::ZERO).await.len(), 3);
}

/// Several run in a window that is missing: it is created once, and nobody is told of another's.
async fn creators_at_the_same_time_make_one_window(case: &Case) {
    let server = case.server().await;
    let task = server.task(NAME).unwrap();
    let wait = || options().when_busy(amux::WhenBusy::Wait(LONG));
    let run = async |n: u32| {
        let text = format!("n=$((n + 1)); echo {n}");
        let output = task.run(&text, wait()).await.unwrap();
        assert_eq!(
            (output.text, output.record.status),
            (format!("{n}\n"), Some(0))
        );
    };
    tokio::join!(run(1), run(2), run(3), run(4));
    assert_eq!(windows(&server).await, [NAME]);
    assert_eq!(ends(&task, "echo $n", 0).await, "4\n");
    // Other processes: a stock tmux gives the output to one of them, and they are all told why.
    let other = "web-staging-migrate";
    let arguments = ["task", "run", other, "--wait-idle", "30", "--", "echo ran"];
    let (one, two) = tokio::join!(
        case.amux_beside(&arguments, b""),
        case.amux_beside(&arguments, b"")
    );
    let mut ran = 0;
    for outcome in [one, two] {
        match outcome.status {
            Some(0) => {
                ran += 1;
                assert_eq!(outcome.out, b"ran\n", "{outcome:?}");
            }
            _ => assert!(
                case.is_stock() && outcome.err.contains("another pipe-pane"),
                "{outcome:?}"
            ),
        }
    }
    assert!(ran >= 1);
    assert_eq!(windows(&server).await, [NAME, other]);
}

/// A name that is none reaches no server.
async fn names_are_refused_before_anything_is_sent(case: &Case) {
    let server = case.server().await;
    for name in ["", "build", "a-b", "a--c", "a-b-c:d", "-a-b-c", "a-b-ü"] {
        assert_eq!(
            refused(server.task(name)),
            ErrorKind::InvalidName,
            "{name:?}"
        );
    }
    assert_eq!(windows(&server).await, [""; 0]);
    assert!(server.session("a b").is_err());
}

/// A window that went, or has another name: typed, and nothing else is reached.
async fn window_that_a_person_closes_or_renames_is_missing(case: &Case) {
    let server = case.server().await;
    let task = server.task(NAME).unwrap();
    ends(&task, "n=1", 0).await;
    // Beside it, a name that begins as this one does.
    let longer = server.task("web-staging-deploy-2").unwrap();
    ends(&longer, "n=2", 0).await;
    let target = format!("=amux:={NAME}");
    case.tmux_ok(&["rename-window", "-t", &target, "mine"])
        .await;
    assert_eq!(
        refused(task.done("true", options()).await),
        ErrorKind::WindowNotFound
    );
    assert_eq!(
        refused(task.watch(None, options()).await),
        ErrorKind::WindowNotFound
    );
    assert_eq!(refused(task.info().await), ErrorKind::WindowNotFound);
    // It is listed as what it is called now.
    let tasks = server.tasks().await.unwrap();
    let names = |task: &TaskInfo| (task.name.clone(), task.began_as.clone());
    assert_eq!(names(&tasks[0]), ("mine".to_owned(), NAME.to_owned()));
    // A run makes another window, and the renamed one goes on.
    assert_eq!(ends(&task, "echo \"[$n]\"", 0).await, "[]\n");
    let mine = server.window("mine").unwrap();
    assert_eq!(exits(&mine, "echo $n", 0).await, "1\n");
    // Closed while it runs.
    let (result, ()) = tokio::join!(task.run("sleep 60", options()), async {
        until_foreground(task.window(), "sleep").await;
        case.tmux_ok(&["kill-window", "-t", &target]).await;
    });
    match result {
        Ok(output) => assert_eq!(output.ended(), Ended::PaneEnded, "{output:?}"),
        Err(error) => assert_eq!(*error.kind(), ErrorKind::PaneGone, "{error:?}"),
    }
    assert_eq!(
        refused(task.done("true", options()).await),
        ErrorKind::WindowNotFound
    );
    assert_eq!(ends(&longer, "echo $n", 0).await, "2\n");
    // Kept when its process has ended.
    case.tmux_ok(&[
        "set-option",
        "-w",
        "-t",
        "=amux:=mine",
        "remain-on-exit",
        "on",
    ])
    .await;
    mine.write("exit", amux::Submit::Yes).await.unwrap();
    until_state(&mine, "a dead pane", |state| {
        state.activity == amux::Activity::Dead
    })
    .await;
    let tasks = server.tasks().await.unwrap();
    assert_eq!(tasks[0].state, TaskState::Dead);
    assert!(tasks[0].lingers(Duration::ZERO));
}

/// Facts lie on the window: the command, another process, lists, watches and closes what this one ran.
async fn facts_are_seen_by_other_processes(case: &Case) {
    let server = case.server().await;
    let task = server.task(NAME).unwrap();
    ends(&task, "(exit 3)", 3).await;
    let list = async || -> String {
        let listed = case.amux(&["task", "ls", "--json"], b"").await;
        assert_eq!((listed.status, &*listed.err), (Some(0), ""), "{listed:?}");
        String::from_utf8(listed.out).unwrap()
    };
    let lists = async |words: &'static [&'static str]| {
        until("the list", async || match list().await {
            text if words.iter().all(|word| text.contains(word)) => Ok(()),
            text => Err(text),
        })
        .await;
    };
    lists(&[
        "\"name\":\"web-staging-deploy\"",
        "\"state\":\"failed\"",
        "\"last_status\":3",
    ])
    .await;
    let limit = Duration::from_millis(100);
    let output = task.run(UNTIL_GO, options().timeout(limit)).await.unwrap();
    assert!(output.timed_out, "{output:?}");
    lists(&["\"state\":\"running\"", "\"age_s\":null"]).await;
    until_state(task.window(), "the command", |state| {
        state.command == Some(output.id())
    })
    .await;
    let watch = case.amux(&["task", "watch", NAME], b"").await;
    assert_eq!(
        (watch.status, &*watch.out),
        (Some(0), format!("{WATCH}\n").as_bytes()),
        "{watch:?}"
    );
    lists(&["\"state\":\"watch\"", "\"began_as\":\"web-staging-deploy\""]).await;
    assert_eq!(
        states(&server).await,
        [(WATCH.to_owned(), TaskState::Watch)]
    );
    case.write("go", "");
    lists(&["\"state\":\"finished\"", "\"stale\":true"]).await;
    let done = case
        .amux(
            &[
                "task",
                "done",
                WATCH,
                "--wait-idle",
                "30",
                "--",
                "[ -e go ]",
            ],
            b"",
        )
        .await;
    assert_eq!((done.status, &*done.err), (Some(0), ""), "{done:?}");
    assert_eq!(windows(&server).await, [""; 0]);
}
