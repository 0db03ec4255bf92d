//! `amux up`, and the controller in a layer.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::Sentence;
use crate::world::{Said, World, pid_in, piped};

pub const TRIALS: &[Sentence] = &[
    ("up_starts_once_and_tells_the_configuration", once),
    ("up_mtx_brings_the_others_and_shows_them", outer),
    ("up_at_the_same_time_starts_one_of_each", race),
    ("up_right_behind_kill_server_starts_another", behind),
    ("up_tells_that_a_server_is_older", older),
    ("configuration_of_the_user_replaces_ours", configuration),
    ("folder_that_others_can_enter_is_refused", unsafe_folder),
    ("controller_works_in_a_layer", controller),
    ("controller_changes_no_option_of_a_layer", untouched),
    ("windows_of_the_agent_source_its_profile", profile),
    ("agent_may_have_another_shell", shells),
];

fn once(world: &World) {
    let first = world.ok(&["up", "atx", "-d"]);
    assert!(first.starts_with("atx  started  pid "), "{first}");
    let file = first.trim_end().rsplit("  shipped  ").next().unwrap();
    let file = file.strip_prefix("shipped  ").unwrap_or(file);
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    assert!(text.contains("[AGENT]"));

    let again = world.ok(&["up", "atx", "-d"]);
    assert!(again.starts_with("atx  runs  pid "), "{again}");
    assert_eq!(pid_in(&first), pid_in(&again));
    assert_eq!(world.ok(&["ax", "list-sessions", "-F", "#S"]), "amux\n");

    let json = world.ok(&["up", "atx", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json[0]["pid"], pid_in(&first));
    assert_eq!(json[0]["started"], false);
    assert_eq!(json[0]["program"], "same");

    let socket = world.ok(&["ax", "display-message", "-p", "#{socket_path}"]);
    assert!(socket.trim_end().ends_with("/amux_atx"), "{socket}");
    let folder = std::path::Path::new(socket.trim_end()).parent().unwrap();
    let mode = fs::metadata(folder).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);

    // A session that was closed comes back, the server stays.
    world.ok(&["ax", "kill-session", "-t", "=amux"]);
    assert_eq!(world.up("atx"), pid_in(&first));
    world.ok(&["ax", "has-session", "-t", "=amux"]);
}

fn outer(world: &World) {
    let said = world.ok(&["up", "mtx", "-d"]);
    let layers: Vec<_> = said
        .lines()
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    assert_eq!(layers, ["stx", "atx", "mtx"]);
    let pids: Vec<_> = said.lines().map(pid_in).collect();
    let windows = world.ok(&["mx", "list-windows", "-F", "#W"]);
    assert_eq!(windows, "stx\natx\n");
    for layer in ["sx", "ax"] {
        world.until(&[layer, "list-clients"], "a client", |said| {
            !said.is_empty()
        });
    }

    // Where a layer has ended the outer one stays, and shows the next.
    world.end("sx");
    let dead = ["mx", "list-windows", "-F", "#W #{pane_dead}"];
    world.until(&dead, "that stx is dead", |said| said == "stx 1\natx 0\n");
    let again = world.ok(&["up", "mtx", "-d"]);
    let states: Vec<_> = again
        .lines()
        .map(|line| line.split_whitespace().nth(1).unwrap())
        .collect();
    assert_eq!(states, ["started", "runs", "runs"]);
    world.until(&["sx", "list-clients"], "a client", |said| !said.is_empty());
    // And a window that was closed.
    world.ok(&["mx", "kill-window", "-t", "=amux:=atx"]);
    let last: Vec<_> = world.ok(&["up", "mtx", "-d"]).lines().map(pid_in).collect();
    assert_eq!(last[1..], pids[1..]);
    let windows = world.ok(&["mx", "list-windows", "-F", "#W"]);
    assert_eq!(windows, "stx\natx\n");
}

fn race(world: &World) {
    let all: Vec<_> = (0..5)
        .map(|_| piped(&mut world.command(&["up", "mtx", "-d"])))
        .collect();
    let all: Vec<Vec<u32>> = all
        .into_iter()
        .map(|child| Said::of(child.wait_with_output().unwrap()).ok())
        .map(|said| said.lines().map(pid_in).collect())
        .collect();
    assert_eq!(all[0].len(), 3);
    assert!(all.iter().all(|pids| *pids == all[0]), "{all:?}");
    let windows = world.ok(&["mx", "list-windows", "-a", "-F", "#S:#W"]);
    assert_eq!(windows, "amux:stx\namux:atx\n");
    assert_eq!(
        world.ok(&["ax", "list-windows", "-a", "-F", "#S:#W"]),
        "amux:main\n"
    );
}

fn older(world: &World) {
    let program = world.path().join("tmux-custom");
    // By another process: a child of another trial that has yet to exec would have the file open, and it be busy.
    let install = |more: &str, seconds: u64| {
        let script = "cp \"$1\" new && printf %s \"$2\" >>new && chmod 755 new && \
            touch -d \"@$(($(date +%s) + $3))\" new && mv new tmux-custom";
        let mut sh = world.program("sh");
        sh.args(["-c", script, "sh"]).arg(&world.target.tmux);
        Said::of(sh.args([more, &seconds.to_string()]).output().unwrap()).ok();
    };
    let up = || {
        let mut command = world.command(&["up", "atx", "-d"]);
        Said::of(command.env("AMUX_TMUX", &program).output().unwrap())
    };
    install("", 0);
    let pid = pid_in(&up().ok());
    // The same again is nothing new.
    install("", 10);
    assert_eq!(pid_in(&up().ok()), pid);
    // An ELF file may have something behind its end.
    install("update", 20);
    let said = up();
    assert_eq!(pid_in(&said.out), pid, "it goes on");
    said.fails(0, "atx runs an older tmux than is installed");
    assert!(said.err.contains("amux ax kill-server; amux up atx"));
    world.ok(&["ax", "kill-server"]);
    assert!(world.ok(&["up", "atx", "-d"]).contains("started"));
}

/// The server that goes still listens for a moment.
fn behind(world: &World) {
    let mut pid = pid_in(&world.ok(&["up", "atx", "-d"]));
    for _ in 0..10 {
        world.ok(&["ax", "kill-server"]);
        let said = world.ok(&["up", "atx", "-d"]);
        assert!(said.starts_with("atx  started  pid "), "{said}");
        assert_ne!(pid_in(&said), pid);
        pid = pid_in(&said);
    }
}

fn configuration(world: &World) {
    // It makes the session itself too.
    let text = "source-file \"$AMUX_LAYER_CONF\"\nset -g status-left 'MINE '\nnew-session -d -s amux -n own\n";
    world.write(".config/amux/agent.conf", text);
    let said = world.ok(&["up", "atx", "-d"]);
    assert!(said.contains("  your  "), "{said}");
    assert!(said.contains("home/.config/amux/agent.conf"), "{said}");
    let show = |option: &str| world.ok(&["ax", "show-options", "-gv", option]);
    assert_eq!(show("status-left"), "MINE \n");
    assert_eq!(show("prefix"), "C-a\n");
    let windows = world.ok(&["ax", "list-windows", "-a", "-F", "#S:#W"]);
    assert_eq!(windows, "amux:own\n");
}

fn unsafe_folder(world: &World) {
    let folder = format!("tmux-{}", rustix::process::getuid().as_raw());
    let folder = world.path().join(folder);
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    world
        .amux(&["up", "atx", "-d"])
        .fails(125, "unsafe permissions");
    world
        .amux(&["ax", "list-windows"])
        .fails(125, "unsafe permissions");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    world.up("atx");
}

fn controller(world: &World) {
    // It starts the layer, as `amux up` would.
    let run = ["--layer", "atx", "run", "build", "--", "echo hi; (exit 3)"];
    let said = world.amux(&run);
    assert_eq!((said.status, &*said.out), (Some(3), "hi\n"), "{said:?}");
    let windows = world.ok(&["ax", "list-windows", "-F", "#W"]);
    assert_eq!(windows, "main\nbuild\n");
    assert_eq!(world.ok(&["ax", "show-options", "-gv", "prefix"]), "C-a\n");
    let mut ls = world.command(&["ls"]);
    let listed = Said::of(ls.env("AMUX_LAYER", "atx").output().unwrap()).ok();
    assert!(listed.contains("build"), "{listed}");

    let both = ["--layer", "atx", "--tenant", "x", "ls"];
    world.amux(&both).fails(125, "either a tenant or a layer");
    world
        .amux(&["--layer", "btx", "ls"])
        .fails(125, "mtx, stx or atx");
    // A layer wins over a tenant of the environment.
    let mut ls = world.command(&["--layer", "atx", "ls"]);
    let listed = Said::of(ls.env("AMUX_TENANT", "x").output().unwrap()).ok();
    assert!(listed.contains("build"), "{listed}");
}

fn untouched(world: &World) {
    // As much the user's own as can be.
    world.write(".config/amux/agent.conf", "set -g history-limit 77\n");
    world.up("atx");
    let options = || ["-s", "-g", "-wg"].map(|scope| world.ok(&["ax", "show-options", scope]));
    let keys = || world.ok(&["ax", "list-keys"]);
    let before = (options(), keys());
    let said = world.amux(&["--layer", "atx", "run", "w", "--", "echo hi; false"]);
    assert_eq!((said.status, &*said.out), (Some(1), "hi\n"), "{said:?}");
    world.ok(&["--layer", "atx", "start"]);
    assert_eq!((options(), keys()), before);
}

fn profile(world: &World) {
    world.write(".agent_profile", "PS1='% '\nWHO=agent\n");
    let said = world.amux(&["--layer", "atx", "run", "w", "--", "echo $WHO; (exit 4)"]);
    assert_eq!((said.status, &*said.out), (Some(4), "agent\n"), "{said:?}");
    let name = world.ok(&[
        "ax",
        "display-message",
        "-p",
        "-t",
        "=amux:=w",
        "#{pane_current_command}",
    ]);
    assert_eq!(name, "bash\n");
}

fn shells(world: &World) {
    // The profile is bash's.
    world.write(".agent_profile", "exit 9\n");
    for shell in ["zsh", "fish"] {
        let run = [
            "--layer",
            "atx",
            "--shell",
            shell,
            "run",
            "w",
            "--",
            "echo hi; false",
        ];
        let said = world.amux(&run);
        assert_eq!((said.status, &*said.out), (Some(1), "hi\n"), "{said:?}");
        world.end("ax");
    }
}
