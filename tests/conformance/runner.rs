//! Runs the trials, each in a process of its own.

use std::ffi::OsString;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};

use crate::case::Case;
use crate::exception::Exception;
use crate::leftovers;
use crate::matrix::Matrix;
use crate::support::build;
use crate::support::client::Client;
use crate::support::folder::Folder;
use crate::targets::{Found, Target};

/// Tells the process of a trial which one it is.
const TRIAL: &str = "AMUX_CONFORMANCE_TRIAL";

/// Variables that a trial's process is given, where they are set. `TMPDIR` is not one: the path of a socket
/// must be short.
const PASSED_ON: [&str; 8] = [
    "PATH",
    "AMUX_TRANSPORT",
    "AMUX_TEST_BASH",
    "AMUX_TEST_BASH_PREEXEC",
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

/// Runs the topics for each target, or the one trial that this process is for. The table of results is written to the
/// file as well.
pub fn run(
    targets: &[Found],
    topics: &[Topic],
    exceptions: &'static [Exception],
    file: Option<OsString>,
) -> ExitCode {
    if let Ok(name) = std::env::var(TRIAL) {
        return in_this_process(targets, topics, &name);
    }
    if let Some(exception) = exceptions
        .iter()
        .find(|exception| !is_used(exception, topics))
    {
        eprintln!("no trial is named {}", exception.trials);
        return ExitCode::FAILURE;
    }
    let mut arguments = Arguments::from_args();
    let mut matrix = Matrix::default();
    for found in targets {
        match &found.target {
            Ok(_) => matrix.target(&found.name),
            Err(reason) => matrix.missing(&found.name, reason),
        }
    }
    let mut trials = Vec::new();
    let mut tests = Vec::new();
    for found in targets {
        let target = match &found.target {
            Ok(target) => target,
            Err(reason) => {
                trials.push(missing(found, reason));
                continue;
            }
        };
        for topic in topics {
            for (sentence, _) in topic.trials {
                let name = trial_name(found, topic, sentence);
                match exception(exceptions, target, topic.name, sentence) {
                    Some(reason) => {
                        if is_chosen(&arguments, &name) {
                            matrix.ignore(topic.name, &found.name);
                        }
                        trials.push(ignored(name, reason));
                    }
                    None => tests.push((name, topic, found.name.clone())),
                }
            }
        }
    }
    let matrix = Arc::new(matrix);
    for (name, topic, target) in tests {
        let (limit, subject, matrix) = (topic.limit, topic.name, matrix.clone());
        trials.push(Trial::test(name.clone(), move || {
            let ended = in_a_process(&name, limit);
            matrix.add(subject, &target, ended.is_ok());
            ended
        }));
    }
    // Most of the time a trial waits.
    arguments
        .test_threads
        .get_or_insert_with(|| std::thread::available_parallelism().map_or(2, usize::from) * 2);
    let listed = arguments.list;
    let conclusion = libtest_mimic::run(&arguments, trials);
    if !listed {
        tell(&matrix.table(), file);
    }
    conclusion.exit_code()
}

/// Whether a trial is one of those that the arguments ask for.
fn is_chosen(arguments: &Arguments, name: &str) -> bool {
    match &arguments.filter {
        Some(filter) if arguments.exact => name == filter,
        Some(filter) => name.contains(filter),
        None => true,
    }
}

/// Why a trial does not apply to a target.
fn exception(
    exceptions: &[Exception],
    target: &Target,
    topic: &str,
    sentence: &str,
) -> Option<String> {
    exceptions
        .iter()
        .filter(|exception| exception.names(topic, sentence))
        .filter(|exception| exception.in_strict_runs || !build::strict())
        .find_map(|exception| (exception.reason)(target))
}

/// Whether an exception is about a trial that there is.
fn is_used(exception: &Exception, topics: &[Topic]) -> bool {
    topics.iter().any(|topic| {
        let mut trials = topic.trials.iter();
        trials.any(|(sentence, _)| exception.names(topic.name, sentence))
    })
}

/// A trial that does not apply is listed, with the reason where the kind of a trial stands.
fn ignored(name: String, reason: String) -> Trial {
    Trial::test(name, || Ok(()))
        .with_kind(reason)
        .with_ignored_flag(true)
}

/// Prints the matrix, and writes it to the file.
fn tell(table: &str, file: Option<OsString>) {
    println!("{table}");
    if let Some(path) = file
        && let Err(error) = std::fs::write(&path, table)
    {
        panic!("{}: {error}", path.display());
    }
}

fn trial_name(found: &Found, topic: &Topic, sentence: &str) -> String {
    format!("{}/{}::{sentence}", found.name, topic.name)
}

/// A target that is missing never reads as passed.
fn missing(found: &Found, reason: &str) -> Trial {
    let failed = Failed::from(reason);
    let ignored = found.optional || !build::strict();
    Trial::test(format!("{}/target::is_there", found.name), move || {
        Err(failed)
    })
    .with_kind(reason)
    .with_ignored_flag(ignored)
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
        .envs(build::given().map(|programs| ("AMUX_TEST_TMUX", programs)))
        .env("HOME", &home)
        .env("TMUX_TMPDIR", folder.path())
        .env("TMPDIR", folder.path())
        .env("SHELL", "/bin/bash")
        .env("LC_CTYPE", "C.UTF-8")
        .env("AMUX_AUDIT", "off")
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
