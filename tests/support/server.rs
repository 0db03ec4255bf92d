//! A tmux server of one trial.

use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::build::Build;
use super::client::{Client, Ended};
use super::deadline::{LONG, wait_until};
use super::folder::Folder;
use super::pane::Pane;
use super::sanitizer;

/// The shell integration, as the controller injects it.
const INTEGRATION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tmux-patches/shell/amux.bash");

/// What a server starts with. The default: one session `main` of 80 by 24 with an interactive bash that has
/// the shell integration and the prompt `$ `.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Files in the home folder: name, text.
    pub home: Vec<(String, String)>,
    /// Variables of the environment, beside the few that are always there.
    pub environment: Vec<(String, String)>,
    /// Text of the configuration file.
    pub config: String,
    /// Whether bash loads the shell integration.
    pub integration: bool,
    /// Command of the first window; empty for the shell.
    pub first: Vec<String>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            home: vec![(".bash_profile".to_owned(), "PS1='$ '\n".to_owned())],
            environment: Vec::new(),
            config: String::new(),
            integration: true,
            first: Vec::new(),
        }
    }
}

/// A server with its own socket and home folder. It must end in order: one that has crashed, or that a
/// sanitizer found fault with, fails the trial when it is dropped.
#[derive(Debug)]
pub struct Server {
    /// The program that it runs.
    pub build: Build,
    folder: Folder,
    child: Child,
    killed: bool,
}

impl Server {
    /// Starts one that has nothing special.
    pub fn start(build: &Build) -> Self {
        Self::with(build, &Setup::default())
    }

    /// Starts one and waits until its session is there.
    pub fn with(build: &Build, setup: &Setup) -> Self {
        let folder = Folder::new();
        let home = folder.path().join("home");
        std::fs::create_dir(&home).unwrap();
        for (name, text) in &setup.home {
            std::fs::write(home.join(name), text).unwrap();
        }
        // Nothing that a trial does belongs into the journal of whoever runs it.
        let config = format!("set-option -sq audit-log off\n{}", setup.config);
        let config = folder.write("config", config);

        let mut command = Command::new(&build.program);
        command
            .args(["-D", "-S"])
            .arg(socket_in(&folder))
            .arg("-f")
            .arg(config);
        command
            .current_dir(&home)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        basic_environment(&mut command, build, folder.path(), true);
        if setup.integration {
            command.env("PROMPT_COMMAND", format!(". \"{INTEGRATION}\""));
        }
        command.envs(setup.environment.iter().map(|(name, value)| (name, value)));
        let child = command
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));

        let server = Self {
            build: build.clone(),
            folder,
            child,
            killed: false,
        };
        server.wait_until("the socket", || {
            UnixStream::connect(server.socket()).map_err(|error| error.to_string())
        });
        if build.sanitized {
            // For the clients that programs in panes start.
            for (name, value) in sanitizer::environment(server.folder.path(), false) {
                server.tmux(&["set-environment", "-g", name, &value]);
            }
        }
        let mut session = vec!["new-session", "-d", "-s", "main", "-x", "80", "-y", "24"];
        session.extend(setup.first.iter().map(String::as_str));
        server.tmux(&session);
        server
    }

    /// Returns the path of its socket.
    pub fn socket(&self) -> PathBuf {
        socket_in(&self.folder)
    }

    /// Returns its folder, in which trials may put files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Returns a client's command, without arguments yet. It starts no server.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.build.program);
        basic_environment(&mut command, &self.build, self.folder.path(), false);
        command
            .arg("-N")
            .arg("-S")
            .arg(self.socket())
            .current_dir(self.folder.path());
        command
    }

    /// Starts a client.
    pub fn spawn(&self, arguments: &[&str]) -> Client {
        self.spawn_with(arguments, b"")
    }

    /// Starts a client with these bytes as its standard input.
    pub fn spawn_with(&self, arguments: &[&str], input: &[u8]) -> Client {
        Client::start(self.command().args(arguments), input)
    }

    /// Runs a client to its end.
    #[track_caller]
    pub fn run(&self, arguments: &[&str]) -> Ended {
        self.spawn(arguments).ended()
    }

    /// Runs a client with these bytes as its standard input to its end.
    #[track_caller]
    pub fn run_with(&self, arguments: &[&str], input: &[u8]) -> Ended {
        self.spawn_with(arguments, input).ended()
    }

    /// Runs a client that must succeed, and returns what it wrote, without the last newline.
    #[track_caller]
    pub fn tmux(&self, arguments: &[&str]) -> String {
        let out = String::from_utf8(self.run(arguments).ok()).unwrap();
        out.strip_suffix('\n').unwrap_or(&out).to_owned()
    }

    /// Returns the first pane.
    pub fn pane(&self) -> Pane<'_> {
        Pane::new(
            self,
            self.tmux(&["list-panes", "-a", "-F", "#{pane_id}"])
                .lines()
                .next()
                .unwrap(),
        )
    }

    /// Returns the first pane when its shell is at an empty prompt.
    pub fn shell(&self) -> Pane<'_> {
        let pane = self.pane();
        pane.until_prompt();
        pane
    }

    /// Makes a window with a command, or the shell if it is empty.
    #[track_caller]
    pub fn window(&self, command: &[&str]) -> Pane<'_> {
        let mut arguments = vec!["new-window", "-d", "-t", "main:", "-P", "-F", "#{pane_id}"];
        arguments.extend(command);
        Pane::new(self, &self.tmux(&arguments))
    }

    /// Returns the value of a user option such as `@ran`; empty if it is not set.
    #[track_caller]
    pub fn option(&self, name: &str) -> String {
        self.tmux(&["show-options", "-gqv", name])
    }

    /// Waits until a user option has a value.
    #[track_caller]
    pub fn until_option(&self, name: &str, value: &str) {
        self.wait_until(&format!("{name} to be {value:?}"), || {
            let found = self.option(name);
            if found == value { Ok(()) } else { Err(found) }
        });
    }

    /// Starts a client whose commands are these, and returns when they have been reached: the server runs
    /// the commands of one client until one of them waits.
    #[track_caller]
    pub fn spawn_reached(&self, arguments: &[&str], input: &[u8]) -> Client {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("@reached{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let mut all = vec!["set-option", "-g", &name, "1", ";"];
        all.extend(arguments);
        let client = self.spawn_with(&all, input);
        self.until_option(&name, "1");
        client
    }

    /// Waits until the server has no more than so many files open.
    #[track_caller]
    pub fn until_open_files(&self, count: usize) {
        self.wait_until(&format!("{count} open files"), || {
            let found = self.open_files();
            if found <= count {
                Ok(())
            } else {
                Err(format!("{found} open files"))
            }
        });
    }

    /// Looks until there is an answer. What there is instead is shown when time is up, with the tail of
    /// every stream and the server's messages.
    #[track_caller]
    pub fn wait_until<T>(&self, what: &str, look: impl FnMut() -> Result<T, String>) -> T {
        wait_until(LONG, what, look, || self.tell())
    }

    /// Waits until the server has ended, and returns its exit status; `None` if a signal ended it.
    pub fn ended(&mut self) -> Option<i32> {
        self.killed = true;
        let child = &mut self.child;
        let status = wait_until(
            LONG,
            "the server to end",
            || {
                child
                    .try_wait()
                    .unwrap()
                    .ok_or_else(|| "it runs".to_owned())
            },
            String::new,
        );
        status.code()
    }

    /// Ends it by SIGKILL.
    pub fn kill(&mut self) {
        self.killed = true;
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Returns how many files it has open.
    pub fn open_files(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.pid()))
            .unwrap()
            .count()
    }

    /// Returns the processor time that it has used.
    pub fn cpu_time(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid())).unwrap();
        // The name, the second field, may hold blanks; it ends at the last parenthesis.
        let after = stat.rsplit_once(')').unwrap().1;
        let ticks: u64 = after
            .split_whitespace()
            .skip(11)
            .take(2)
            .map(|field| field.parse::<u64>().unwrap())
            .sum();
        Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second())
    }

    /// Returns how much memory is its own, in KiB.
    pub fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
        let line = status
            .lines()
            .find(|line| line.starts_with("RssAnon:"))
            .unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    /// Fails where memory, which was looked at after each round, grew by so much in every round but the first: malloc
    /// takes some hundreds of KiB more when it likes, but not each time. A sanitizer keeps what was freed.
    #[track_caller]
    pub fn assert_grows_less(&self, memory: &[u64], limit: u64) {
        let rounds = memory.windows(2).skip(1);
        let least = rounds.map(|pair| pair[1].saturating_sub(pair[0])).min();
        assert!(
            self.build.sanitized || least < Some(limit),
            "memory in KiB: {memory:?}"
        );
    }

    /// What a person would look at first when something did not come.
    fn tell(&self) -> String {
        let show = |arguments: &[&str]| {
            let ended = Client::start(self.command().args(arguments), b"")
                .ended_within(Duration::from_secs(5));
            let text = format!("{}{}", ended.text(), ended.err);
            let skip = text.char_indices().rev().nth(3000).map_or(0, |(at, _)| at);
            text[skip..]
                .escape_debug()
                .to_string()
                .replace("\\n", "\n    ")
        };
        let panes = self.run(&["list-panes", "-a", "-F", "#{pane_id}"]).text();
        let mut text = String::new();
        for pane in panes.lines() {
            let state = "#{pane_command_state} #{pane_input_mode} front=#{pane_foreground} \
                empty=#{pane_prompt_empty} id=#{pane_command_id}";
            text += &format!(
                "{pane}: {}\n",
                show(&["display-message", "-p", "-t", pane, state])
            );
            text += &format!("  records: {}\n", show(&["read-pane", "-l", "-t", pane]));
            text += &format!("  stream: {}\n", show(&["read-pane", "-r", "-t", pane]));
        }
        text + "messages:\n    " + &show(&["show-messages"])
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let failing = std::thread::panicking();
        let mut fault = None;
        if !self.killed {
            if failing {
                let _ = self.child.kill();
            } else {
                self.run(&["kill-server"]);
            }
            let status = self.ended();
            if !failing && status != Some(0) {
                fault = Some(format!("the server ended with {status:?}"));
            }
        }
        if let Some(report) = sanitizer::reports(self.folder.path()) {
            fault = Some(format!("{}\n{report}", fault.unwrap_or_default()));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        match fault {
            Some(fault) if failing => eprintln!("{fault}"),
            Some(fault) => panic!("{fault}"),
            None => {}
        }
    }
}

fn socket_in(folder: &Folder) -> PathBuf {
    folder.path().join("s")
}

/// The environment of servers and clients: nothing of ours but the path.
fn basic_environment(command: &mut Command, build: &Build, folder: &Path, server: bool) {
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", folder.join("home"))
        .env("SHELL", "/bin/bash")
        .env("TERM", "screen")
        .env("LC_CTYPE", "C.UTF-8")
        .env("AMUX_TMUX", &build.program);
    if build.sanitized {
        command.envs(sanitizer::environment(folder, server));
    }
}
