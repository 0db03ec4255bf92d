//! `amux log` on files of JSON lines.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

use libtest_mimic::Trial;

use crate::support::folder::Folder;
use crate::tenant::Tenant;

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, body: fn()| {
        Trial::test(name, move || {
            body();
            Ok(())
        })
    };
    vec![
        trial(
            "log::a_file_is_read_with_the_one_before",
            read_with_the_one_before,
        ),
        trial("log::a_file_is_followed_when_it_is_begun_anew", followed),
        trial("log::what_is_missing_is_said", missing),
    ]
}

/// A line as the server writes it.
fn line(id: u32, status: u32) -> String {
    format!(
        "{{\"__REALTIME_TIMESTAMP\":\"1796062616892884\",\"MESSAGE\":\"command {id}\",\
         \"AMUX_EVENT\":\"command\",\"AMUX_SOCKET\":\"/tmp/tmux-0/amux-t\",\"AMUX_WINDOW\":\"w\",\
         \"AMUX_COMMAND_ID\":\"{id}\",\"AMUX_EXIT_STATUS\":\"{status}\"}}\n"
    )
}

fn tenant() -> Tenant {
    Tenant::new(Path::new("/nonexistent"), Path::new("/nonexistent"))
}

fn ids(text: &str) -> Vec<u64> {
    text.lines()
        .map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            value["command_id"].as_u64().unwrap()
        })
        .collect()
}

fn read_with_the_one_before() {
    let (folder, tenant) = (Folder::new(), tenant());
    folder.write("log.1", line(1, 0) + &line(2, 5));
    // A line that a full disk has cut, and one that is being written.
    let path = folder.write("log", line(3, 0) + "{\"AMUX_EV\n" + &line(4, 1) + "{\"AMUX");
    let path = path.to_str().unwrap();
    let log = |arguments: &[&str]| {
        let arguments = [&["log", "--json", "--file", path], arguments].concat();
        ids(&String::from_utf8(tenant.amux(&arguments).ok()).unwrap())
    };
    assert_eq!(log(&[]), [1, 2, 3, 4]);
    assert_eq!(log(&["-n", "2"]), [3, 4]);
    assert_eq!(log(&["--failed"]), [2, 4]);
    assert_eq!(log(&["--failed", "-n", "1"]), [4]);
    assert!(log(&["-n", "0"]).is_empty());
    // The variable that says where the log goes says where it is.
    let mut command = tenant.command(&["log", "--json"]);
    let output = command.env("AMUX_AUDIT_FILE", path).output().unwrap();
    assert_eq!(
        ids(&String::from_utf8(output.stdout).unwrap()),
        [1, 2, 3, 4]
    );
}

fn followed() {
    let (folder, tenant) = (Folder::new(), tenant());
    let path = folder.write("log", line(1, 0) + &line(2, 0));
    let name = path.to_str().unwrap();
    let mut command = tenant.command(&["log", "--json", "--follow", "-n", "1", "--file", name]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || ids(&lines.next().unwrap().unwrap());
    let append = |text: &str| {
        let mut file = File::options()
            .append(true)
            .create(true)
            .open(&path)
            .unwrap();
        file.write_all(text.as_bytes()).unwrap();
    };
    assert_eq!(next(), [2]);
    append(&line(3, 0));
    assert_eq!(next(), [3]);
    // The last before it is moved away, and the first after.
    let fourth = line(4, 0);
    append(&fourth[..20]);
    append(&fourth[20..]);
    std::fs::rename(&path, folder.path().join("log.1")).unwrap();
    append(&line(5, 0));
    assert_eq!(next(), [4]);
    assert_eq!(next(), [5]);
    child.kill().unwrap();
    child.wait().unwrap();
}

fn missing() {
    let tenant = tenant();
    let ended = tenant.amux(&["log", "--file", "/nonexistent/log"]);
    assert_eq!(ended.status, 125);
    assert!(ended.err.contains("/nonexistent/log"), "{}", ended.err);
    let mut command = tenant.command(&["log"]);
    let output = command.env("PATH", "/nonexistent").output().unwrap();
    assert_eq!(output.status.code(), Some(125));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("journalctl") && said.contains("--file"),
        "{said}"
    );
}
