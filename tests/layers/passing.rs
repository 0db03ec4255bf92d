//! `amux ax …`: any tmux command for a layer.

use std::io::Write;

use crate::Sentence;
use crate::screen::Screen;
use crate::world::{Said, World, piped};

pub const TRIALS: &[Sentence] = &[
    ("words_reach_tmux_with_input_and_status", words),
    ("links_are_the_same", links),
    ("no_command_starts_a_server", none),
    ("command_in_a_window_acts_on_its_session", window),
    ("what_is_left_out_is_read_from_the_same_layer", left_out),
    ("layer_is_attached_further_in_alone", attaching),
];

fn words(world: &World) {
    world.up("atx");
    let text = "é 'x' \"y\" $HOME;\n".as_bytes();
    let said = world.with_input(&["ax", "load-buffer", "-"], text);
    assert_eq!(said.ok(), "");
    assert_eq!(world.ok(&["ax", "show-buffer"]).as_bytes(), text);
    let version = world.ok(&["ax", "-V"]);
    assert!(version.starts_with("tmux"), "{version}");
    // Neither an option of amux nor its help.
    let said = world.amux(&["ax", "list-sessions", "-L"]);
    said.fails(1, "list-sessions");
    world
        .amux(&["ax", "has-session", "-t", "=none"])
        .fails(1, "none");
    // Several commands, and what is not ASCII, in no locale at all.
    world.ok(&["ax", "rename-window", "é", ";", "set", "-g", "@x", "1"]);
    assert_eq!(world.ok(&["ax", "list-windows", "-F", "#W#{@x}"]), "é1\n");
}

fn left_out(world: &World) {
    let words = [
        "--layer",
        "atx",
        "run",
        "task",
        "--max-bytes",
        "4",
        "--",
        "seq 9",
    ];
    let said = world.amux(&words);
    assert_eq!((said.status, &*said.out), (Some(0), "1\n9\n"), "{said:?}");
    let (_, command) = said.err.trim_end().split_once(": amux ").unwrap();
    let words: Vec<_> = command.split(' ').collect();
    assert_eq!(words[..4], ["--layer", "atx", "read", "task"]);
    assert!(world.amux(&words).out.contains("5\n"), "{command}");
}

fn links(world: &World) {
    let prefix = world.path().join("p");
    let prefix = prefix.to_str().unwrap();
    // It may say that the tmux has no manual page beside it.
    let installed = world.amux(&["install", "--prefix", prefix]);
    assert_eq!(installed.status, Some(0), "{installed:?}");
    assert!(installed.out.contains("bin/ax\n"), "{installed:?}");
    let link = |name: &str| format!("{prefix}/bin/{name}");
    world.ok(&["up", "atx", "-d"]);
    let mut client = world.program(link("ax"));
    let mut child = piped(client.args(["load-buffer", "-"]));
    child.stdin.take().unwrap().write_all(b"x").unwrap();
    Said::of(child.wait_with_output().unwrap()).ok();
    assert_eq!(world.ok(&["ax", "show-buffer"]), "x");
    let mut client = world.program(link("ax"));
    client.args(["has-session", "-t", "=none"]);
    Said::of(client.output().unwrap()).fails(1, "none");

    // The installed amux has its files in place.
    world.end("ax");
    let mut up = world.program(link("amux"));
    let said = Said::of(up.args(["up", "atx", "-d"]).output().unwrap()).ok();
    assert!(
        said.contains(&format!("{prefix}/share/amux/layers/agent.conf")),
        "{said}"
    );

    // A program of the name is not replaced.
    std::fs::remove_file(link("sx")).unwrap();
    std::fs::write(link("sx"), "mine").unwrap();
    world
        .amux(&["install", "--prefix", prefix])
        .fails(0, "not replaced");
    assert_eq!(std::fs::read(link("sx")).unwrap(), b"mine");
}

fn none(world: &World) {
    for words in [&["ax", "new-session", "-d"][..], &["ax", "start-server"]] {
        let said = world.amux(words);
        assert_eq!(said.status, Some(1), "{said:?}");
    }
    world
        .amux(&["--layer", "atx", "state", "w"])
        .fails(125, "no server");
}

fn window(world: &World) {
    world.up("stx");
    let amux = env!("CARGO_BIN_EXE_amux");
    let ask = |session: &str, command: &str| {
        let text = format!("{amux} {command} display-message -p '#S #{{socket_path}}'");
        let run = [
            "--layer",
            "atx",
            "run",
            "w",
            "--session",
            session,
            "--",
            &text,
        ];
        world.amux(&run).out
    };
    for session in ["one", "two", "one"] {
        let told = ask(session, "ax");
        assert!(told.starts_with(&format!("{session} /")), "{told}");
        let told = ask(session, "sx");
        assert!(told.starts_with("amux /"), "{told}");
        assert!(told.trim_end().ends_with("/amux_stx"), "{told}");
    }
}

fn attaching(world: &World) {
    world.up("stx");
    let amux = env!("CARGO_BIN_EXE_amux");
    let mut screen = Screen::of(&mut world.command(&["up", "atx"]));
    screen.until_drawn(0, "[AGENT]");
    // Neither itself nor what may show it.
    for (name, layer) in [("ax", "atx"), ("sx", "stx")] {
        let text = format!("{amux} {name}");
        let said = world.amux(&["--layer", "atx", "run", "w", "--", &text]);
        assert_eq!(said.status, Some(125));
        let expected = format!("amux: not attached to {layer}: this terminal is in atx\n");
        assert_eq!(said.out, expected);
    }
    drop(screen);
    // From the user's layer into the agent's, in its window.
    screen = Screen::of(&mut world.command(&["sx"]));
    let at = screen.until_drawn(0, "[USER]");
    screen.types(&format!("{amux} ax\r"));
    screen.until_drawn(at, "[AGENT]");
}
