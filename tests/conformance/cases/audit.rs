//! The audit log: one record for every command, and no secret in any.

use std::collections::BTreeMap;

use amux::{Audit, AuditLevel, InputMode, Submit};
use serde_json::Value;

use crate::case::{Case, exits, options, run, until_file, until_prompt, until_state};
use crate::runner::topic;

topic!("audit":
    every_command_is_told_once,
    secrets_are_in_no_entry,
    nothing_is_told_where_it_is_off,
);

const LOG: &str = "audit.log";

/// A server that logs all that it can, to a file alone.
fn audited(case: &Case, level: AuditLevel) -> amux::Builder {
    let audit = Audit::new().level(level).socket("");
    case.builder().audit(audit.file(case.home().join(LOG)))
}

fn entries(case: &Case) -> Vec<Value> {
    let text = String::from_utf8(case.contents(LOG)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

fn of<'a>(entries: &'a [Value], event: &str) -> Vec<&'a Value> {
    let entries = entries.iter();
    entries
        .filter(|entry| entry["AMUX_EVENT"] == event)
        .collect()
}

/// Case E11: who, pane, start, end, exit, bytes.
async fn every_command_is_told_once(case: &Case) {
    let server = case.start(audited(case, AuditLevel::On)).await;
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    let mut ran = BTreeMap::new();
    for text in ["true", "(exit 3) | (exit 4)", "echo one\necho two", "false"] {
        let output = run(&window, text).await;
        ran.insert(output.id().to_string(), output);
    }
    // Written, waited for, read.
    let id = window
        .write("echo written", Submit::Yes)
        .await
        .unwrap()
        .unwrap();
    let written = window.wait(Some(id), None).await.unwrap().unwrap();
    assert_eq!(written.status, Some(0));
    until_prompt(&window).await;

    let entries = entries(case);
    let commands = of(&entries, "command");
    assert_eq!(commands.len(), ran.len() + 1, "{commands:#?}");
    assert_eq!(of(&entries, "write").len(), ran.len() + 1);
    assert_eq!(of(&entries, "read").len(), ran.len());
    for entry in &commands {
        let text = |name: &str| entry[name].as_str().unwrap_or_default();
        let number = |name: &str| text(name).parse::<u64>().unwrap();
        assert_eq!(
            (text("AMUX_SESSION"), text("AMUX_WINDOW")),
            ("amux", "w"),
            "{entry}"
        );
        assert!(text("AMUX_PANE").starts_with('%'));
        assert_eq!(text("AMUX_SOCKET"), server.socket().to_str().unwrap());
        let uid = rustix::process::getuid().as_raw();
        assert_eq!(number("AMUX_CLIENT_UID"), u64::from(uid));
        assert!(number("AMUX_CLIENT_PID") > 1);
        let (start, end) = (number("AMUX_START_TIME"), number("AMUX_END_TIME"));
        assert!(start <= end && start > 1_700_000_000_000_000, "{entry}");
        let (record, bytes) = match ran.remove(text("AMUX_COMMAND_ID")) {
            Some(output) => (output.record, output.raw.len()),
            None => (written.clone(), "written\r\n".len()),
        };
        assert_eq!(text("AMUX_COMMAND_ID"), record.id.to_string());
        assert_eq!(text("AMUX_ENDED"), record.ended.as_str());
        assert_eq!(
            number("AMUX_EXIT_STATUS"),
            u64::from(record.status.unwrap())
        );
        let pipe: Vec<_> = record.pipe_statuses.iter().map(u8::to_string).collect();
        assert_eq!(text("AMUX_PIPE_STATUSES"), pipe.join(","));
        assert_eq!(number("AMUX_BYTES"), bytes as u64, "{entry}");
        let duration = record.duration.unwrap().as_millis();
        assert_eq!(u128::from(number("AMUX_DURATION_MS")), duration, "{entry}");
        assert!(text("AMUX_FLAGS").contains("by-program"));
    }
    assert!(ran.is_empty());
    // No text: neither what was typed nor what was printed.
    let all = String::from_utf8(case.contents(LOG)).unwrap();
    assert!(!all.contains("echo") && !all.contains("two"), "{all}");
}

/// Case B17: what is typed while the terminal's echo is off is in no log, whatever is logged.
async fn secrets_are_in_no_entry(case: &Case) {
    let server = case.start(audited(case, AuditLevel::Full)).await;
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    exits(&window, "true", 0).await;
    let text = ": >asked; read -s p; echo len=${#p}";
    let id = window.write(text, Submit::Yes).await.unwrap().unwrap();
    // Before, the echo is off for moments in which the shell reads the line.
    until_file(case, "asked", |_| Some(())).await;
    until_state(&window, "a secret", |state| {
        state.input == InputMode::Secret
    })
    .await;
    window.write("hunter2", Submit::Yes).await.unwrap();
    let record = window.wait(Some(id), None).await.unwrap().unwrap();
    assert_eq!(record.status, Some(0));
    until_prompt(&window).await;
    let output = window.run("echo \"$p\" | wc -c", options()).await.unwrap();
    assert_eq!(output.text, "8\n");

    let all = String::from_utf8(case.contents(LOG)).unwrap();
    assert!(!all.contains("hunter2"), "{all}");
    let entries = entries(case);
    let payloads: Vec<_> = of(&entries, "write")
        .iter()
        .map(|entry| entry["AMUX_PAYLOAD"].as_str())
        .collect();
    assert_eq!(
        payloads,
        [Some("true"), Some(text), None, Some("echo \"$p\" | wc -c")]
    );
    let hidden = of(&entries, "write")[2];
    assert_eq!(hidden["AMUX_BYTES"], "7");
    assert!(hidden["AMUX_FLAGS"].as_str().unwrap().contains("hidden"));
}

async fn nothing_is_told_where_it_is_off(case: &Case) {
    let server = case.start(audited(case, AuditLevel::Off)).await;
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    exits(&window, "true", 0).await;
    assert!(!case.home().join(LOG).exists());
    // A file that cannot be written keeps nobody from running anything.
    let path = case.home().join("missing/log");
    server.stop().await.unwrap();
    case.server_has_ended();
    let audit = Audit::new().socket("").file(path);
    let server = case.start(case.builder().audit(audit)).await;
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    assert_eq!(exits(&window, "echo ran", 0).await, "ran\n");
}
