//! Marks of OSC 133: those of the pane's own shell, and those that are none.
//!
//! Marks that bash does not send come from a shell made for it: each line that it reads is a format that it
//! prints.

use amux::{Activity, Ended, Range, ReadOptions, Record, Submit, Window};

use crate::case::{Case, exits, run, same, until, until_prompt, until_state};
use crate::runner::topic;
use crate::support::deadline::LONG;

topic!("marks":
    erased_screens_do_not_touch_the_record,
    marks_in_a_file_are_not_the_shells,
    end_without_a_status_is_cancelled,
    prompt_closes_a_command_whose_end_was_lost,
    status_out_of_range_is_none,
    start_up_records_no_command,
);

/// Case C10: `ESC[J`, `ESC[2J`, `ESC[3J` and `ESC c` in the output: the record is exact.
pub async fn erased_screens_do_not_touch_the_record(case: &Case) {
    let window = case.window().await;
    let text =
        "printf 'one\\n\\033[Jtwo\\n\\033[H\\033[2Jthree\\n\\033[3Jfour\\n\\033cfive\\n'; (exit 3)";
    let output = run(&window, text).await;
    assert_eq!(output.status(), Some(3));
    same(
        &output.raw,
        "one\r\n\x1b[Jtwo\r\n\x1b[H\x1b[2Jthree\r\n\x1b[3Jfour\r\n\x1bcfive\r\n",
    );
    let record = &output.record;
    let length = record.output_end.unwrap() - record.output_start.unwrap();
    assert_eq!(length, output.raw.len() as u64);
    for line in ["one", "two", "three", "four", "five"] {
        assert!(output.text.lines().any(|found| found == line), "{output:?}");
    }
    assert_eq!(exits(&window, "clear; echo after", 0).await, "after\n");
    assert_eq!(exits(&window, "seq 100", 0).await.lines().count(), 100);
}

/// Case C22: a file that is printed holds marks: the real command's result is unaffected.
pub async fn marks_in_a_file_are_not_the_shells(case: &Case) {
    let window = case.window().await;
    let mut marks = String::new();
    for aid in [
        "",
        ";aid=other",
        ";aid=00000000000000000000000000000000",
        ";aid=",
    ] {
        for mark in [
            "D;0", "A", "B", "C", "P;k=i", "N", "L", "I", "D;1", "D", "A;k=s", "C",
        ] {
            marks += &format!("{mark}\x1b]133;{mark}{aid}\x07 \x1b]133;{mark}{aid}\x1b\\\n");
        }
    }
    case.write("file", &marks);
    // The very first command as well: by then the pane has shown its own marks.
    for _ in 0..2 {
        let output = run(&window, "cat file; (exit 4)").await;
        assert_eq!((output.ended(), output.status()), (Ended::Exited, Some(4)));
        assert!(output.record.flags.foreign, "{output:?}");
        same(&output.raw, marks.replace('\n', "\r\n"));
        let next = run(&window, "echo next").await;
        assert!(!next.record.flags.foreign && next.success(), "{next:?}");
        assert_eq!(next.text, "next\n");
    }
    let records = window.records().await.unwrap();
    assert_eq!(records.len(), 4, "{records:?}");
}

/// A shell that prints what it is told to, and whose marks have no nonce.
async fn told_shell(case: &Case) -> Window {
    case.write(
        ".bash_profile",
        "stty -echo -icanon\nexec bash --norc --noprofile told\n",
    );
    case.write(
        "told",
        "printf '\\033]133;A\\007$ \\033]133;B\\007'\n\
         while IFS= read -r line; do printf \"$line\"; done\n",
    );
    let window = case.window().await;
    until_state(&window, "its prompt", |state| {
        state.activity == Activity::Idle && !state.integrated
    })
    .await;
    window
}

/// Has the shell print marks, `{C}` for each, and returns the record of it.
async fn told(window: &Window, stream: &str) -> Record {
    let line = stream.replace('{', "\\033]133;").replace('}', "\\007");
    let id = window.write(line, Submit::Yes).await.unwrap();
    window.wait(id, Some(LONG)).await.unwrap().unwrap()
}

/// Case C15: a bare `D` is cancelled, with no status, and never a false 0.
async fn end_without_a_status_is_cancelled(case: &Case) {
    let window = told_shell(case).await;
    let record = told(&window, "{C}out\\n{D;7}{A}$ {B}").await;
    assert_eq!((record.ended, record.status), (Ended::Exited, Some(7)));
    let record = told(&window, "{C}out\\n{D}{A}$ {B}").await;
    assert_eq!((record.ended, record.status), (Ended::Cancelled, None));
    let state = window.state().await.unwrap();
    assert_ne!(state.last_status, Some(0), "{state:?}");
    let record = told(&window, "{C}out\\n{D;0}{A}$ {B}").await;
    assert_eq!((record.ended, record.status), (Ended::Exited, Some(0)));
}

/// Case T2: `C out A B`: the prompt closes the command, its status is unknown, and nothing runs for ever.
async fn prompt_closes_a_command_whose_end_was_lost(case: &Case) {
    let window = told_shell(case).await;
    told(&window, "{C}{D;0}{A}$ {B}").await;
    let record = told(&window, "{C}out\\n{A}$ {B}").await;
    assert_eq!(
        (record.ended, record.status),
        (Ended::Lost, None),
        "{record:?}"
    );
    let chunk = window
        .read(ReadOptions::new(Range::Command(record.id)))
        .await
        .unwrap();
    assert_eq!(chunk.text(), "out\n");
    let state = window.state().await.unwrap();
    assert_eq!(state.activity, Activity::Idle, "{state:?}");
    let record = told(&window, "{C}{D;3}{A}$ {B}").await;
    assert_eq!((record.ended, record.status), (Ended::Exited, Some(3)));
}

/// Case T8: `D;-1` and `D;300`: unknown, and never a false 255 or 44.
async fn status_out_of_range_is_none(case: &Case) {
    let window = told_shell(case).await;
    for status in ["-1", "300", "256", "4294967296", "1x", "x", "+1", " 1"] {
        told(&window, "{C}{D;0}{A}$ {B}").await;
        let record = told(&window, &format!("{{C}}out{{D;{status}}}{{A}}$ {{B}}")).await;
        assert_eq!(record.status, None, "{status:?}: {record:?}");
        assert!(record.ended.is_final(), "{status:?}: {record:?}");
        let state = window.state().await.unwrap();
        assert!(
            matches!(state.last_status, None | Some(0)),
            "{status:?}: {state:?}"
        );
    }
    let record = told(&window, "{C}{D;255}{A}$ {B}").await;
    assert_eq!(record.status, Some(255));
}

/// A prompt that was shown and nothing else: no command is on record.
async fn start_up_records_no_command(case: &Case) {
    case.write(
        ".bash_profile",
        "printf '\\033]133;C\\007\\033]133;D;0\\007\\033]133;A\\007'\n",
    );
    let window = case.window().await;
    until_prompt(&window).await;
    until("an idle shell", async || match window.state().await {
        Ok(state) if state.activity == Activity::Idle => Ok(()),
        state => Err(format!("{state:?}")),
    })
    .await;
    let records = window.records().await.unwrap();
    assert_eq!(records, []);
    exits(&window, "true", 0).await;
    assert_eq!(window.records().await.unwrap().len(), 1);
}
