//! What a command costs beside time, which no test can hold to: processes,
//! allocations, and the processor time of those who wait.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use amux::{RunOptions, Server, Submit, Transport, WhenBusy, Window};
use tempfile::TempDir;

const LONG: Duration = Duration::from_secs(60);

/// Counts what each thread allocates. Each test has its own thread, and a runtime
/// of no more than that.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    // Not where the thread ends and its variables have gone.
    let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: it is the system's allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as the caller promises.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// One test at a time: they look at what this process has used.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// A server with one window that is at its prompt.
struct Place {
    server: Server,
    window: Window,
    _folder: TempDir,
}

impl Place {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::builder()
            .socket_path(folder.path().join("s"))
            .binary(env!("AMUX_BUILT_TMUX"))
            .bash(bash_at_home(folder.path()))
            .transport(Transport::Socket)
            .start()
            .await
            .unwrap();
        let window = server.window("w").unwrap();
        window.create().await.unwrap();
        let place = Self {
            server,
            window,
            _folder: folder,
        };
        place.runs("true").await;
        place
    }

    async fn runs(&self, text: &str) {
        let options = RunOptions::new()
            .timeout(LONG)
            .when_busy(WhenBusy::Wait(LONG));
        let output = self.window.run(text, options).await.unwrap();
        assert_eq!(output.status(), Some(0), "{output:?}");
    }
}

/// Makes a bash of which no start-up file is somebody's: what those do at a prompt
/// costs what it costs.
fn bash_at_home(folder: &Path) -> PathBuf {
    let path = folder.join("bash");
    let home = folder.display();
    let text = format!("#!/bin/sh\nHOME={home} exec bash --login \"$@\"\n");
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn proc(pid: u32, file: &str) -> String {
    let path: PathBuf = ["/proc", &pid.to_string(), file].iter().collect();
    std::fs::read_to_string(path).unwrap_or_default()
}

/// A field of `/proc/PID/stat`, by its number in proc(5).
fn stat(pid: u32, field: usize) -> u64 {
    let line = proc(pid, "stat");
    // The name before it may hold anything, a bracket too.
    let rest = line.rsplit(')').next().unwrap();
    let field = rest.split_whitespace().nth(field - 3);
    field.and_then(|field| field.parse().ok()).unwrap_or(0)
}

/// The children that a process has, of all its threads.
fn children(pid: u32) -> Vec<u32> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let mut all: Vec<u32> = threads
        .map(|thread| thread.unwrap().file_name().into_string().unwrap())
        .flat_map(|thread| {
            let children = proc(pid, &format!("task/{thread}/children"));
            let children: Vec<u32> = children
                .split_whitespace()
                .map(|child| child.parse().unwrap())
                .collect();
            children
        })
        .collect();
    all.sort_unstable();
    all
}

/// The children that a process has, and the pages that those have touched which
/// it has waited for: no process comes and goes without touching one (cminflt).
fn started(pid: u32) -> (Vec<u32>, u64) {
    (children(pid), stat(pid, 11))
}

/// The processor time of a process, in ticks of a hundredth of a second.
fn ticks(pid: u32) -> u64 {
    stat(pid, 14) + stat(pid, 15)
}

#[tokio::test]
async fn run_starts_no_process_anywhere() {
    let _alone = ALONE.lock().await;
    let place = Place::new().await;
    let server = place.server.pid();
    let shells = children(server);
    assert_eq!(shells.len(), 1, "the window's shell");
    let all = [std::process::id(), server, shells[0]];
    let before = all.map(started);
    for _ in 0..20 {
        place.runs("true").await;
    }
    assert_eq!(all.map(started), before);
    // What is looked at would show one.
    place.runs("/bin/true").await;
    assert_ne!(all.map(started), before);
    place.server.stop().await.unwrap();
}

#[tokio::test]
async fn run_allocates_little() {
    let _alone = ALONE.lock().await;
    let place = Place::new().await;
    place.runs("true").await;
    let mut fewest = usize::MAX;
    for _ in 0..10 {
        let before = ALLOCATIONS.get();
        place.runs("true").await;
        fewest = fewest.min(ALLOCATIONS.get() - before);
    }
    assert!(fewest <= MOST_ALLOCATIONS, "{fewest} allocations");
    place.server.stop().await.unwrap();
}

/// It was 52 when this was written.
const MOST_ALLOCATIONS: usize = 65;

#[tokio::test]
async fn thousand_waits_cost_no_processor_time_and_all_wake() {
    const WAITS: usize = 1000;
    let _alone = ALONE.lock().await;
    raise_file_limit();
    let place = Place::new().await;
    let window = &place.window;
    let id = window.write("read -r line", Submit::Yes).await.unwrap();
    let mut waits = tokio::task::JoinSet::new();
    for _ in 0..WAITS {
        let window = window.clone();
        waits.spawn(async move { window.wait(id, Some(10 * LONG)).await });
    }
    // Until all are with the server, each by a connection of its own.
    let server = place.server.pid();
    let deadline = std::time::Instant::now() + LONG;
    let sockets = || {
        std::fs::read_dir(format!("/proc/{server}/fd"))
            .unwrap()
            .count()
    };
    while sockets() < WAITS {
        assert!(std::time::Instant::now() < deadline, "{} files", sockets());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // One more round behind the last of them: the server has taken them all.
    window.state().await.unwrap();

    let pids = [std::process::id(), server];
    let before = pids.map(ticks);
    let waited = window.wait(id, Some(Duration::from_secs(2))).await;
    assert_eq!(*waited.unwrap_err().kind(), amux::ErrorKind::Timeout);
    let used = pids.map(ticks);
    for (used, before) in used.into_iter().zip(before) {
        assert!(
            used - before <= 10,
            "{} ticks in two seconds",
            used - before
        );
    }

    window.write("go", Submit::Yes).await.unwrap();
    while let Some(waited) = waits.join_next().await {
        let record = waited.unwrap().unwrap().unwrap();
        assert_eq!(record.status, Some(0));
    }
    place.server.stop().await.unwrap();
}

/// A thousand connections are a thousand files here and in the server, which is
/// started with this limit.
fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let maximum = getrlimit(Resource::Nofile).maximum;
    setrlimit(
        Resource::Nofile,
        Rlimit {
            current: maximum,
            maximum,
        },
    )
    .unwrap();
}
