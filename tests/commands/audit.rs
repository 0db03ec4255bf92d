//! The audit log of the server: what is told, what never is, and that nothing waits for it.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;

use crate::support::topic::topic;
use crate::support::{Build, Pane, Server};

topic!("audit":
    what_is_written_read_and_run_is_told,
    payload_is_told_by_full_alone_and_as_it_is,
    what_is_typed_without_echo_is_nowhere,
    command_line_that_may_have_been_a_secret_is_not_told,
    nobody_who_listens_costs_nothing_and_is_counted,
    full_socket_holds_nobody_up,
    slow_reader_gets_what_it_takes_and_the_number_of_the_rest,
    file_has_lines_of_json_and_follows_its_name,
    file_is_begun_anew_at_its_limit,
    anything_but_a_file_of_ours_is_refused,
    no_program_in_a_pane_has_the_log,
);

/// Fields of an entry.
type Entry = BTreeMap<String, Vec<u8>>;

/// What stands for the journal: a socket that tells a datagram's fields.
struct Journal(UnixDatagram);

impl Journal {
    fn bind(path: &Path) -> Self {
        let socket = UnixDatagram::bind(path).unwrap();
        socket
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        Self(socket)
    }

    #[track_caller]
    fn next(&self) -> Entry {
        let mut bytes = vec![0; 1 << 20];
        let size = self.0.recv(&mut bytes).expect("a datagram");
        parse(&bytes[..size])
    }

    /// Takes what is there already.
    fn rest(&self) -> Vec<Entry> {
        self.0.set_nonblocking(true).unwrap();
        let mut bytes = vec![0; 1 << 20];
        let mut found = Vec::new();
        while let Ok(size) = self.0.recv(&mut bytes) {
            found.push(parse(&bytes[..size]));
        }
        self.0.set_nonblocking(false).unwrap();
        found
    }
}

/// Reads a datagram of the journal's native protocol.
fn parse(mut bytes: &[u8]) -> Entry {
    let mut entry = Entry::new();
    while !bytes.is_empty() {
        let at = bytes.iter().position(|b| b"=\n".contains(b)).unwrap();
        let name = String::from_utf8(bytes[..at].to_vec()).unwrap();
        let (value, after) = if bytes[at] == b'=' {
            let rest = &bytes[at + 1..];
            let end = rest.iter().position(|&b| b == b'\n').unwrap();
            (&rest[..end], &rest[end..])
        } else {
            let (length, rest) = bytes[at + 1..].split_at(8);
            let length = u64::from_le_bytes(length.try_into().unwrap());
            rest.split_at(usize::try_from(length).unwrap())
        };
        assert_eq!(after[0], b'\n');
        assert!(entry.insert(name, value.to_vec()).is_none());
        bytes = &after[1..];
    }
    entry
}

#[track_caller]
fn text<'a>(entry: &'a Entry, name: &str) -> &'a str {
    let value = entry.get(name);
    let value = value.unwrap_or_else(|| panic!("{name} is not in {entry:?}"));
    std::str::from_utf8(value).unwrap()
}

fn dropped(entry: &Entry) -> u64 {
    match entry.get("AMUX_DROPPED") {
        Some(_) => text(entry, "AMUX_DROPPED").parse().unwrap(),
        None => 0,
    }
}

/// Sets where the log goes, and how much of it there is.
fn set(server: &Server, level: &str, socket: &Path, file: &Path) {
    server.tmux(&[
        "set-option",
        "-s",
        "audit-socket",
        socket.to_str().unwrap(),
        ";",
        "set-option",
        "-s",
        "audit-file",
        file.to_str().unwrap(),
        ";",
        "set-option",
        "-s",
        "audit-log",
        level,
    ]);
}

/// Lines of a log as JSON.
fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.ends_with('\n'));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

fn count(pane: &Pane<'_>) -> u64 {
    pane.expand("#{audit_dropped}").parse().unwrap()
}

fn nowhere() -> &'static Path {
    Path::new("")
}

fn what_is_written_read_and_run_is_told(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    // tmux names windows after their programs, when it comes to it.
    server.tmux(&["rename-window", "-t", &pane.id, "named"]);
    let path = server.folder().join("journal");
    let journal = Journal::bind(&path);
    set(&server, "on", &path, nowhere());

    let before = std::time::UNIX_EPOCH.elapsed().unwrap().as_micros();
    let ran = pane.run("echo hello; (exit 3) | (exit 4)");
    assert_eq!((ran.status, ran.output.as_str()), (4, "hello\n"));
    let entries = [journal.next(), journal.next(), journal.next()];
    let after = std::time::UNIX_EPOCH.elapsed().unwrap().as_micros();
    let uid = rustix::process::getuid().as_raw().to_string();
    let id = text(&entries[0], "AMUX_COMMAND_ID").to_owned();
    for (entry, event) in entries.iter().zip(["write", "command", "read"]) {
        assert_eq!(text(entry, "AMUX_EVENT"), event);
        assert_eq!(text(entry, "PRIORITY"), "6");
        assert_eq!(text(entry, "SYSLOG_IDENTIFIER"), "amux");
        assert_eq!(text(entry, "AMUX_PANE"), pane.id);
        assert_eq!(text(entry, "AMUX_SESSION"), "main");
        assert_eq!(text(entry, "AMUX_WINDOW"), "named");
        assert_eq!(
            text(entry, "AMUX_SOCKET"),
            server.socket().to_str().unwrap()
        );
        assert_eq!(text(entry, "AMUX_COMMAND_ID"), id);
        assert_eq!(text(entry, "AMUX_CLIENT_UID"), uid);
        // The three are of one client.
        let pid = text(entry, "AMUX_CLIENT_PID");
        assert_eq!(pid, text(&entries[0], "AMUX_CLIENT_PID"));
        assert!(pid.parse::<u32>().unwrap() > 1);
        for secret in ["AMUX_PAYLOAD", "AMUX_COMMAND_LINE", "AMUX_DROPPED"] {
            assert!(!entry.contains_key(secret), "{entry:?}");
        }
    }
    let [write, command, read] = &entries;
    assert_eq!(text(write, "AMUX_BYTES"), "31");
    assert_eq!(text(write, "AMUX_FLAGS"), "submit,enter,paste");
    let message = format!("submitted 31 bytes to {} as command {id}", pane.id);
    assert_eq!(text(write, "MESSAGE"), message);
    assert_eq!(text(command, "AMUX_EXIT_STATUS"), "4");
    assert_eq!(text(command, "AMUX_PIPE_STATUSES"), "3,4");
    assert_eq!(text(command, "AMUX_ENDED"), "exited");
    assert_eq!(text(command, "AMUX_BYTES"), "7");
    assert_eq!(text(command, "AMUX_FLAGS"), "by-program,finished");
    let number = |name| text(command, name).parse::<u128>().unwrap();
    let (start, end) = (number("AMUX_START_TIME"), number("AMUX_END_TIME"));
    assert!(
        before <= start && start <= end && end <= after,
        "{command:?}"
    );
    // Rounded down each by itself.
    assert!(((end - start) / 1000).abs_diff(number("AMUX_DURATION_MS")) <= 1);
    assert_eq!(text(read, "AMUX_BYTES"), "6");
    assert_eq!(text(read, "AMUX_FLAGS"), "output,clean");

    // Keys of a person run a command of nobody we know.
    server.tmux(&["send-keys", "-t", &pane.id, "false", "Enter"]);
    let command = journal.next();
    assert_eq!(text(&command, "AMUX_EVENT"), "command");
    assert_eq!(text(&command, "AMUX_EXIT_STATUS"), "1");
    assert!(!command.contains_key("AMUX_CLIENT_PID"), "{command:?}");
    pane.until_prompt();

    // What waits, asks for the state or is refused reads nothing; an empty line runs nothing.
    pane.text(&["-w", "-s"]);
    pane.text(&["-l"]);
    assert_ne!(pane.write(&["-e", "-n"], b"x").status, 0);
    assert_ne!(pane.read(&["-O", "-i", "9999"]).status, 0);
    pane.submit("");
    pane.until_prompt();
    pane.text(&["-O"]);
    let rest = journal.rest();
    let events: Vec<_> = rest.iter().map(|entry| text(entry, "AMUX_EVENT")).collect();
    assert_eq!(events, ["write", "read"], "{rest:?}");

    // A command that ends with its pane has ended.
    let other = server.window(&[]);
    other.until_prompt();
    other.submit("exit 5");
    assert_eq!(text(&journal.next(), "AMUX_EVENT"), "write");
    let command = journal.next();
    assert_eq!(text(&command, "AMUX_ENDED"), "pane-ended");
    assert!(!command.contains_key("AMUX_EXIT_STATUS"));
}

fn payload_is_told_by_full_alone_and_as_it_is(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let (path, file) = (server.folder().join("journal"), server.folder().join("log"));
    let journal = Journal::bind(&path);
    set(&server, "full", &path, &file);

    let script = "cat <<'END'\n=a\n\t\"é\"\\ 100%\nEND\n";
    pane.run(script);
    let entries = [journal.next(), journal.next(), journal.next()];
    // The newline at the end is the Enter.
    assert_eq!(text(&entries[0], "AMUX_PAYLOAD"), script.trim_end());
    assert!(!entries[1].contains_key("AMUX_PAYLOAD"));
    // What was printed is in no entry.
    assert!(!entries[2].contains_key("AMUX_PAYLOAD"));
    let told = lines(&file);
    assert_eq!(told[0]["AMUX_PAYLOAD"], script.trim_end());
    // The same fields in both.
    for (entry, line) in entries.iter().zip(&told) {
        let mut line = line.as_object().unwrap().clone();
        assert!(line.remove("__REALTIME_TIMESTAMP").is_some());
        let names: Vec<_> = line.keys().collect();
        assert_eq!(names, entry.keys().collect::<Vec<_>>());
        for (name, value) in &line {
            assert_eq!(value.as_str().unwrap(), text(entry, name), "{name}");
        }
    }

    // Bytes that are no text, to a program that echoes.
    let cat = server.window(&["sh", "-c", "stty -icanon echo; exec cat >/dev/null"]);
    cat.until("#{pane_foreground}", "cat");
    let bytes = [&b"\xff\n\0=\n"[..], &b"x".repeat(100)].concat();
    cat.write(&["-n"], &bytes).ok();
    let write = journal.next();
    assert_eq!(write["AMUX_PAYLOAD"], bytes);
    assert_eq!(
        lines(&file).last().unwrap()["AMUX_PAYLOAD"],
        serde_json::json!(bytes)
    );
    assert!(!write.contains_key("AMUX_FLAGS"), "{write:?}");
}

/// Case B17: `read -s p; echo len=${#p}`: what is typed is in no entry.
fn what_is_typed_without_echo_is_nowhere(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let file = server.folder().join("log");
    set(&server, "full", nowhere(), &file);

    let read = pane.submit("read -s p; echo len=${#p}");
    pane.until("#{pane_input_mode}", "secret");
    pane.write(&["-e"], b"hunter2-written").ok();
    assert_eq!(pane.text(&["-w", "-O", "-i", &read]), "len=15\n");
    pane.until_prompt();
    // Key by key, where the terminal reads each of them.
    pane.submit("read -s -n 14 p; echo len=${#p}");
    pane.until("#{pane_input_mode}", "raw");
    pane.write(&["-n"], b"hunter2-single").ok();
    pane.until_prompt();
    // By a person.
    pane.submit("read -s p; echo len=${#p}");
    pane.until("#{pane_input_mode}", "secret");
    server.tmux(&["send-keys", "-t", &pane.id, "hunter2-keys", "Enter"]);
    pane.until_prompt();
    // And read back: what is read is not told either.
    assert!(pane.text(&["-r"]).contains("len=12"));
    pane.run("echo done");

    let text = std::fs::read_to_string(&file).unwrap();
    assert!(!text.contains("hunter2"), "{text}");
    let lines = lines(&file);
    let hidden: Vec<_> = lines
        .iter()
        .filter(|line| {
            line["AMUX_FLAGS"]
                .as_str()
                .is_some_and(|flags| flags.contains("hidden"))
        })
        .collect();
    assert_eq!(hidden.len(), 2, "{text}");
    assert_eq!(hidden[0]["AMUX_BYTES"], "15");
    let told = |payload: &str| {
        lines
            .iter()
            .filter(|line| line["AMUX_PAYLOAD"] == payload)
            .count()
    };
    assert_eq!(told("read -s p; echo len=${#p}"), 2);
    assert_eq!(told("echo done"), 1);
}

/// A shell that tells its command line tells also what was typed ahead, without an echo.
fn command_line_that_may_have_been_a_secret_is_not_told(build: &Build) {
    let server = Server::start(build);
    let file = server.folder().join("log");
    set(&server, "full", nowhere(), &file);
    // Stands for such a shell: each line that is read is the mark that it prints.
    let shell = "while IFS= read -r line; do printf \"\\033]133;$line\\a\"; done";
    let pane = server.window(&["sh", "-c", shell]);
    let mark = |mark: &str| {
        pane.write(&["-n"], format!("{mark}\n").as_bytes()).ok();
        pane.until_output(&format!("]133;{mark}\u{7}"));
    };
    let ran = |line: &str| {
        for part in ["A", "B", &format!("C;cmdline_url={line}"), "D;0"] {
            mark(part);
        }
    };
    ran("first");
    // The echo is off while something is typed: for whom it is, nobody knows.
    mark("A");
    mark("B");
    mark("C;cmdline_url=second");
    let stty = format!("stty -echo <{tty}", tty = pane.expand("#{pane_tty}"));
    server.tmux(&["run-shell", &stty]);
    mark("D;0");
    server.tmux(&["run-shell", &stty.replace("-echo", "echo")]);
    ran("hunter2");
    ran("third");
    mark("A;behind=all");
    let lines = lines(&file);
    let commands: Vec<_> = lines
        .iter()
        .filter(|line| line["AMUX_EVENT"] == "command")
        .map(|line| line.get("AMUX_COMMAND_LINE").and_then(Value::as_str))
        .collect();
    assert_eq!(commands, [Some("first"), None, None, Some("third")]);
}

fn nobody_who_listens_costs_nothing_and_is_counted(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let path = server.folder().join("journal");
    set(&server, "on", &path, nowhere());
    assert_eq!(count(&pane), 0);
    // Missing: three entries, and nothing was opened for them.
    let open = server.open_files();
    pane.run("true");
    assert_eq!(count(&pane), 3);
    server.until_open_files(open);
    // Dead: its name is left and nobody listens.
    drop(Journal::bind(&path));
    pane.run("true");
    assert_eq!(count(&pane), 6);
    std::fs::remove_file(&path).unwrap();
    // Back: it is told at once, and how many it has missed.
    let journal = Journal::bind(&path);
    pane.run("true");
    let entries = [journal.next(), journal.next(), journal.next()];
    assert_eq!(entries.each_ref().map(dropped), [6, 0, 0]);
    assert_eq!(count(&pane), 6);
    // Off: not told, and not counted.
    set(&server, "off", Path::new("/nonexistent/journal"), nowhere());
    pane.run("true");
    set(&server, "on", nowhere(), nowhere());
    pane.run("true");
    assert_eq!(count(&pane), 6);
    // A path that no socket has is one where nobody listens.
    let long = format!("/{}", "x".repeat(200));
    set(&server, "on", Path::new(&long), nowhere());
    pane.run("true");
    assert_eq!(count(&pane), 9);
}

fn full_socket_holds_nobody_up(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let path = server.folder().join("journal");
    let journal = Journal::bind(&path);
    set(&server, "on", &path, nowhere());
    // Nobody reads. Each command has to end: a server that waits would never let it.
    let mut runs = 0;
    while count(&pane) == 0 {
        assert_eq!(pane.run("true").status, 0);
        runs += 1;
        assert!(runs < 2_000, "it takes everything");
    }
    for _ in 0..20 {
        assert_eq!(pane.run("true").status, 0);
    }
    let missed = count(&pane);
    let taken = journal.rest();
    assert_eq!(taken.len() as u64 + missed, (runs + 20) * 3);
    assert!(taken.iter().all(|entry| dropped(entry) == 0));
    pane.run("true");
    assert_eq!(dropped(&journal.next()), missed);
    assert_eq!(count(&pane), missed);
}

fn slow_reader_gets_what_it_takes_and_the_number_of_the_rest(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let path = server.folder().join("journal");
    let journal = Arc::new(Journal::bind(&path));
    set(&server, "on", &path, nowhere());
    let stop = Arc::new(AtomicBool::new(false));
    let reader = {
        let (journal, stop) = (journal.clone(), stop.clone());
        std::thread::spawn(move || {
            let mut found = Vec::new();
            while !stop.load(Ordering::Relaxed) {
                found.push(journal.next());
                // Slower than it is written to; how slow makes no difference.
                std::thread::sleep(Duration::from_millis(10));
            }
            found
        })
    };
    for _ in 0..30 {
        assert_eq!(pane.run("true").status, 0);
    }
    stop.store(true, Ordering::Relaxed);
    // It may wait for one more.
    pane.run("true");
    let mut found = reader.join().unwrap();
    found.extend(journal.rest());
    // What was dropped last is told by the next.
    pane.run("true");
    found.extend([journal.next(), journal.next(), journal.next()]);
    let missed: u64 = found.iter().map(dropped).sum();
    assert_eq!(found.len() as u64 + missed, 32 * 3);
    assert_eq!(count(&pane), missed);
}

fn file_has_lines_of_json_and_follows_its_name(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let folder = server.folder().to_owned();
    let (file, moved) = (folder.join("log"), folder.join("moved"));
    set(&server, "on", nowhere(), &file);
    pane.run("(exit 7)");
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o600);
    let found = lines(&file);
    assert_eq!(found.len(), 3);
    assert_eq!(found[1]["AMUX_EXIT_STATUS"], "7");
    // Moved away by somebody, removed by somebody: begun anew.
    std::fs::rename(&file, &moved).unwrap();
    pane.run("true");
    assert_eq!((lines(&moved).len(), lines(&file).len()), (3, 3));
    std::fs::remove_file(&file).unwrap();
    pane.run("true");
    assert_eq!(lines(&file).len(), 3);
    // Another file, and back: the first is added to.
    set(&server, "on", nowhere(), &folder.join("other"));
    pane.run("true");
    set(&server, "on", nowhere(), &file);
    pane.run("true");
    assert_eq!(
        (lines(&folder.join("other")).len(), lines(&file).len()),
        (3, 6)
    );
    assert_eq!(count(&pane), 0);
}

fn file_is_begun_anew_at_its_limit(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let folder = server.folder().to_owned();
    let (file, old) = (folder.join("log"), folder.join("log.1"));
    set(&server, "on", nowhere(), &file);
    server.tmux(&["set-option", "-s", "audit-file-limit", "4096"]);
    let mut ids = Vec::new();
    let mut runs = 0;
    while runs < 12 {
        pane.run("true");
        runs += 1;
        assert!(std::fs::metadata(&file).unwrap().len() <= 4096);
        if let Ok(found) = std::fs::metadata(&old) {
            assert!(found.len() <= 4096 && found.len() > 2048);
            assert_eq!(found.permissions().mode() & 0o7777, 0o600);
            // Whole lines, and none is missing between the two.
            ids = lines(&old).into_iter().chain(lines(&file)).collect();
        }
    }
    let ids: Vec<u64> = ids
        .iter()
        .map(|line| line["AMUX_COMMAND_ID"].as_str().unwrap().parse().unwrap())
        .collect();
    assert!(
        !ids.is_empty() && ids.windows(2).all(|pair| pair[1] - pair[0] <= 1),
        "{ids:?}"
    );
    // Where it cannot be moved it does not grow for ever.
    std::fs::remove_file(&old).unwrap();
    std::fs::create_dir_all(old.join("full")).unwrap();
    for _ in 0..12 {
        pane.run("true");
    }
    assert!(std::fs::metadata(&file).unwrap().len() <= 4096);
    assert!(count(&pane) > 0);
    std::fs::remove_dir_all(&old).unwrap();
    pane.run("true");
    let told = lines(&old).into_iter().chain(lines(&file));
    let told: u64 = told
        .filter_map(|line| line["AMUX_DROPPED"].as_str()?.parse::<u64>().ok())
        .sum();
    assert_eq!(told, count(&pane));
}

fn anything_but_a_file_of_ours_is_refused(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let folder = server.folder().to_owned();
    let (file, other) = (folder.join("log"), folder.join("other"));
    std::fs::write(&other, "mine").unwrap();
    let open = server.open_files();
    let mut expected = 0;
    let mut refused = |path: &Path, what: &str| {
        set(&server, "on", nowhere(), path);
        pane.run("true");
        expected += 3;
        assert_eq!(count(&pane), expected, "{what}");
        server.until_open_files(open);
    };
    std::os::unix::fs::symlink(&other, &file).unwrap();
    refused(&file, "a symbolic link");
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink(folder.join("none"), &file).unwrap();
    refused(&file, "a symbolic link to nothing");
    std::fs::remove_file(&file).unwrap();
    std::fs::hard_link(&other, &file).unwrap();
    refused(&file, "a file with another name");
    std::fs::remove_file(&file).unwrap();
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mkfifoat(rustix::fs::CWD, &file, mode).unwrap();
    refused(&file, "a FIFO that nobody reads");
    refused(&folder, "a folder");
    refused(Path::new("/dev/null"), "a device");
    refused(Path::new("relative"), "a path that is not absolute");
    refused(&folder.join("missing/log"), "a folder that is missing");
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "mine");
    assert!(!folder.join("none").exists());
    // As soon as it can be written, it is.
    std::fs::remove_file(&file).unwrap();
    set(&server, "on", nowhere(), &file);
    pane.run("true");
    assert_eq!(lines(&file)[0]["AMUX_DROPPED"], expected.to_string());
}

fn no_program_in_a_pane_has_the_log(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let folder = server.folder().to_owned();
    let (path, file) = (folder.join("journal"), folder.join("log"));
    let _journal = Journal::bind(&path);
    set(&server, "on", &path, &file);
    pane.run("true");
    let files = |pid: u32| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
        entries
            .filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok())
            .collect()
    };
    assert!(files(server.pid()).contains(&file));
    let late = server.window(&["sh", "-c", "echo ready; exec sleep infinity"]);
    late.until_output("ready");
    let pid = late.expand("#{pane_pid}").parse().unwrap();
    let tty = PathBuf::from(late.expand("#{pane_tty}"));
    // While sleep is loaded, its libraries are open.
    server.wait_until("nothing but the terminal to be open", || {
        let found = files(pid);
        match found.iter().all(|path| *path == tty) {
            true => Ok(()),
            false => Err(format!("{found:?}")),
        }
    });
    // Nor a job of the server.
    let listed = server.tmux(&["run-shell", "readlink /proc/self/fd/*; true"]);
    assert!(!listed.contains(file.to_str().unwrap()), "{listed}");
}
