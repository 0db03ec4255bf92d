//! Runs the trials, each in a process of its own.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};

use crate::case::Case;
use crate::leftovers;
use crate::support::build;
use crate::support::client::Client;
use crate::support::folder::Folder;
use crate::targets::{Found, Target};

/// Tells the process of a trial which one it is.
const TRIAL: &str = "AMUX_CONFORMANCE_TRIAL";

/// Variables that a trial's process is given, where they are set. `TMPDIR` is not one: the path of a socket
/// must be short.
const PASSED_ON: [&str; 6] = [
    "PATH",
    "AMUX_TEST_TMUX",
    "AMUX_TEST_SANITIZED",
    "AMUX_TEST_STRICT",
    "AMUX_TEST_SCRIPTS",
    "AMUX_TEST_SEED",
];

/// How long a trial may take, unless it says otherwise.
pub const LIMIT: Duration = Duration::from_secs(90);

/// How long a trial's process has beyond that, to say what there was and to clean up.
const GRACE: Duration = Duration::from_secs(60);

/// The body of a trial. It panics where something does not hold.
pub type Body = for<'a> fn(&'a Case) -> Pin<Box<dyn Future<Output = ()> + 'a>>;

/// Trials about one subject.
pub struct Topic {
    /// The subject, one word.
    pub name: &'static str,
    /// How long each may take.
    pub limit: Duration,
    /// A sentence and what must hold for every target.
    pub trials: &'static [(&'static str, Body)],
}

/// Makes the topic of a file from its functions, whose names are the sentences.
macro_rules! topic {
    ($name:literal, $limit:expr => $($trial:ident),* $(,)?) => {
        /// The trials of this file.
        pub const TOPIC: crate::runner::Topic = crate::runner::Topic {
            name: $name,
            limit: $limit,
            trials: &[$((stringify!($trial), |case| Box::pin($trial(case)))),*],
        };
    };
    ($name:literal: $($trial:ident),* $(,)?) => {
        topic!($name, crate::runner::LIMIT => $($trial),*);
    };
}
pub(crate) use topic;

/// Runs the topics for each target, or the one trial that this process is for.
pub fn run(targets: &[Found], topics: &[Topic]) -> ExitCode {
    if let Ok(name) = std::env::var(TRIAL) {
        return in_this_process(targets, topics, &name);
    }
    let mut trials = Vec::new();
    for found in targets {
        if let Err(reason) = &found.target {
            trials.push(missing(&found.name, reason));
            continue;
        }
        for topic in topics {
            let limit = topic.limit;
            trials.extend(topic.trials.iter().map(|(sentence, _)| {
                let name = trial_name(found, topic, sentence);
                Trial::test(name.clone(), move || in_a_process(&name, limit))
            }));
        }
    }
    let mut arguments = Arguments::from_args();
    // Most of the time a trial waits.
    arguments
        .test_threads
        .get_or_insert_with(|| std::thread::available_parallelism().map_or(2, usize::from) * 2);
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial_name(found: &Found, topic: &Topic, sentence: &str) -> String {
    format!("{}/{}::{sentence}", found.name, topic.name)
}

/// A target that is missing never reads as passed.
fn missing(name: &str, reason: &str) -> Trial {
    let failed = Failed::from(reason);
    Trial::test(format!("{name}/target::is_there"), move || Err(failed))
        .with_kind(reason)
        .with_ignored_flag(!build::strict())
}

/// Runs a trial in a process of its own, with an environment and folders of its own.
fn in_a_process(name: &str, limit: Duration) -> Result<(), Failed> {
    let folder = Folder::new();
    let home = folder.path().join("home");
    std::fs::create_dir(&home).map_err(|error| format!("{}: {error}", home.display()))?;
    let program = std::env::current_exe().map_err(|error| format!("current_exe: {error}"))?;
    let mut command = Command::new(program);
    command
        .env_clear()
        .envs(
            PASSED_ON
                .iter()
                .filter_map(|name| Some((name, std::env::var_os(name)?))),
        )
        .env("HOME", &home)
        .env("TMUX_TMPDIR", folder.path())
        .env("TMPDIR", folder.path())
        .env("SHELL", "/bin/bash")
        .env("LC_CTYPE", "C.UTF-8")
        .env(TRIAL, name)
        .current_dir(&home)
        .stdin(Stdio::null());
    let ended = catch_unwind(AssertUnwindSafe(|| {
        Client::start(&mut command, b"").ended_within(limit + GRACE)
    }))
    .map_err(|_| format!("its process does not end within {:?}", limit + GRACE))?;
    match ended.status {
        0 => Ok(()),
        status => Err(Failed::from(format!(
            "its process ended with {status}\n{}{}",
            ended.text(),
            ended.err
        ))),
    }
}

/// Runs the trial that this process is for.
fn in_this_process(targets: &[Found], topics: &[Topic], name: &str) -> ExitCode {
    let found = targets.iter().find_map(|found| {
        let target = found.target.as_ref().ok()?;
        let (limit, body) = topics.iter().find_map(|topic| {
            let mut trials = topic.trials.iter();
            let (_, body) =
                trials.find(|(sentence, _)| trial_name(found, topic, sentence) == name)?;
            Some((topic.limit, *body))
        })?;
        Some((target.clone(), limit, body))
    });
    let Some((target, limit, body)) = found else {
        eprintln!("there is no trial {name}");
        return ExitCode::FAILURE;
    };
    leftovers::adopt();
    let runtime = match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("runtime: {error}");
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(trial(target, limit, body)) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// Runs a body, says what there was where it failed, and looks for what it left. Returns whether all was well.
async fn trial(target: Target, limit: Duration, body: Body) -> bool {
    let case = Case::new(target);
    let done = tokio::time::timeout(limit, Caught(body(&case))).await;
    let mut well = true;
    match done {
        Ok(Ok(())) => {}
        // The panic has been printed.
        Ok(Err(())) => well = false,
        Err(_) => {
            eprintln!("it did not end within {limit:?}");
            well = false;
        }
    }
    if !well {
        eprintln!("{}", case.tell().await);
    }
    for fault in case.finish(well).await {
        eprintln!("left behind: {fault}");
        well = false;
    }
    well
}

/// A future that tells a panic by `Err`.
struct Caught<'a>(Pin<Box<dyn Future<Output = ()> + 'a>>);

impl Future for Caught<'_> {
    type Output = Result<(), ()>;

    fn poll(
        mut self: Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Self::Output> {
        let body = self.0.as_mut();
        match catch_unwind(AssertUnwindSafe(|| body.poll(context))) {
            Ok(poll) => poll.map(Ok),
            Err(_) => std::task::Poll::Ready(Err(())),
        }
    }
}
