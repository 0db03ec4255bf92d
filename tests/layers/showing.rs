//! What a person sees who is attached in a terminal, and whom keys reach.

use rustix::fs::{CWD, Mode, mkfifoat};

use crate::Sentence;
use crate::screen::Screen;
use crate::support::deadline::{LONG, wait_until};
use crate::world::World;

pub const TRIALS: &[Sentence] = &[
    ("status_shows_at_once_what_runs_and_how_it_ended", status),
    ("each_prefix_reaches_its_layer", prefixes),
];

/// Nothing is drawn by the clock.
const NEVER: &str = "source-file \"$AMUX_LAYER_CONF\"\nset -g status-interval 0\n";

fn status(world: &World) {
    world.write(".config/amux/agent.conf", NEVER);
    let gate = world.path().join("gate");
    mkfifoat(CWD, &gate, Mode::RUSR | Mode::WUSR).unwrap();
    let command = format!("cat {}; (exit 3)", gate.display());

    let run = ["--layer", "atx", "run", "task", "--", "true"];
    assert_eq!(world.amux(&run).status, Some(0));
    // In a window that is not the one shown.
    let mut screen = Screen::of(&mut world.command(&["up", "atx"]));
    let at = screen.until_drawn(0, "[AGENT]");
    let write = |text: &str| {
        world.ok(&["--layer", "atx", "write", "task", "-e", "--", text]);
    };
    write(&command);
    let at = screen.until_drawn(at, "task [RUN]");
    std::fs::write(&gate, "").unwrap();
    let at = screen.until_drawn(at, "task [ERR:3]");
    write("true");
    let at = screen.until(at, "the window without a mark", ends_unmarked);
    if world.target.patched {
        // What a person types shows as well.
        world.ok(&["ax", "select-window", "-t", "=amux:=task"]);
        wait_until(
            LONG,
            "an empty prompt",
            || {
                let format = "#{pane_prompt_empty}";
                let target = "=amux:=task";
                let said = world.ok(&["ax", "display-message", "-p", "-t", target, format]);
                (said == "1\n").then_some(()).ok_or(said)
            },
            String::new,
        );
        screen.types(&format!("{command}\r"));
        let at = screen.until_drawn(at, "task [RUN]");
        std::fs::write(&gate, "").unwrap();
        let at = screen.until_drawn(at, "task [ERR:3]");
        // And that its process has ended, where the window stays.
        let keep = [
            "ax",
            "set-option",
            "-w",
            "-t",
            "=amux:=task",
            "remain-on-exit",
            "on",
        ];
        world.ok(&keep);
        world.ok(&["ax", "select-window", "-t", "=amux:=main"]);
        write(&format!("exec cat {}", gate.display()));
        let at = screen.until_drawn(at, "task [RUN]");
        std::fs::write(&gate, "").unwrap();
        screen.until(at, "the window without a mark", ends_unmarked);
    }
}

/// Was the window drawn last without a mark behind its name?
fn ends_unmarked(drawn: &str) -> bool {
    let last = drawn.rsplit(":task").next().unwrap_or_default();
    drawn.contains(":task") && !last.starts_with(" [")
}

fn prefixes(world: &World) {
    world.ok(&["up", "mtx", "-d"]);
    for layer in ["mx", "sx", "ax"] {
        // Else keys that come within a millisecond are a paste, and no key of tmux is looked for.
        world.ok(&[layer, "set-option", "-g", "assume-paste-time", "0"]);
        // A key that counts.
        world.ok(&[
            layer,
            "bind-key",
            "g",
            "set-option",
            "-Fg",
            "@hit",
            "#{e|+|:0#{@hit},1}",
        ]);
    }
    let mut screen = Screen::of(&mut world.command(&["up", "mtx"]));
    screen.until_drawn(0, "[USER]");
    let hits = |expected: [&str; 3]| {
        wait_until(
            LONG,
            &format!("keys to have hit {expected:?}"),
            || {
                let hits = ["mx", "sx", "ax"].map(|layer| {
                    let said = world.ok(&[layer, "show-options", "-gqv", "@hit"]);
                    said.trim_end().to_owned()
                });
                (hits == expected).then_some(()).ok_or(format!("{hits:?}"))
            },
            || screen_text(world),
        );
    };
    screen.types("\x1b[24~g");
    hits(["1", "", ""]);
    screen.types("\x02g");
    hits(["1", "1", ""]);
    screen.types("\x1b[24~1");
    world.until(&["mx", "display-message", "-p", "#W"], "atx", |said| {
        said == "atx\n"
    });
    screen.until_drawn(0, "[AGENT]");
    screen.types("\x01g");
    hits(["1", "1", "1"]);
    // The others' keys go on to the program.
    screen.types("\x02g");
    screen.types("\x01g");
    hits(["1", "1", "2"]);
}

fn screen_text(world: &World) -> String {
    world.amux(&["mx", "capture-pane", "-p"]).out
}
