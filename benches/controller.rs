//! What it costs to run a command and have its exact output and its exit status,
//! beside other ways to have them.
//!
//! `cargo bench --bench controller` prints one table of the ways that are here.
//! `scripts/compare` runs this program as `controller serve`, adds those that are
//! written in Python, and prints one table of them all.

#[path = "controller/amux.rs"]
mod amux_ways;
#[path = "controller/floor.rs"]
mod floor;
#[path = "controller/swallow.rs"]
mod swallow;
#[path = "controller/tmux.rs"]
mod tmux;
#[path = "controller/way.rs"]
mod way;

use std::io::{BufRead, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use way::{Case, Way};

/// How often each way runs each case in a table of our own, and how often in turn.
const ROUNDS: usize = 20;
const IN_A_ROW: usize = 5;

fn main() -> ExitCode {
    // Cargo says --bench.
    let arguments: Vec<_> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] => return at_home(),
        ["table", folder] => table(Path::new(folder)),
        ["serve", folder, custom, stock] => {
            serve(Path::new(folder), Path::new(custom), Path::new(stock));
        }
        ["swallow", file, from, to] => swallow::in_pane(file, Path::new(from), Path::new(to)),
        _ => {
            eprintln!("usage: controller [serve FOLDER CUSTOM STOCK]");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// Prints the table from a process whose home is an empty folder: the servers
/// inherit it, and no start-up file of somebody's is part of the figures.
fn at_home() -> ExitCode {
    let folder = tempfile::tempdir().expect("a folder");
    let own = std::env::current_exe().expect("this program");
    let mut command = std::process::Command::new(own);
    way::at_home(&mut command, folder.path());
    let ended = command.arg("table").arg(folder.path()).status();
    match ended.expect("this program").success() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// Does what lines of the standard input ask for, `WAY CASE COUNT`, and answers
/// each with a line of `NANOSECONDS:RIGHT` for each time.
fn serve(folder: &Path, custom: &Path, stock: &Path) {
    let cases = cases(folder);
    let mut ways = ways(folder, custom, Some(stock));
    let names: Vec<_> = ways.iter().map(|way| way.name()).collect();
    say(&names.join("|"));
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a line");
        let words: Vec<_> = line.split('|').collect();
        let [name, case, count] = words[..] else {
            panic!("{line:?} is no order");
        };
        let way = ways.iter_mut().find(|way| way.name() == name);
        let way = way.expect("a way of that name");
        let case = cases.iter().find(|found| found.name == case);
        let case = case.expect("a case of that name");
        let mut answer = String::new();
        for _ in 0..count.parse().expect("a number") {
            let (took, right) = way::measure(way.as_mut(), case);
            answer += &format!("{}:{} ", took.as_nanos(), u8::from(right));
        }
        say(answer.trim_end());
    }
}

fn say(line: &str) {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{line}").expect("somebody who listens");
    stdout.flush().expect("somebody who listens");
}

/// Prints the table of what needs nothing but this crate.
fn table(folder: &Path) {
    let cases = cases(folder);
    let mut ways = ways(folder, Path::new(env!("AMUX_BUILT_TMUX")), None);
    for case in &cases {
        println!("{}", case.name);
        let mut all = vec![(Vec::new(), 0); ways.len()];
        for round in 0..ROUNDS {
            for turn in 0..ways.len() {
                // Who is first changes from round to round.
                let at = (turn + round) % ways.len();
                for _ in 0..IN_A_ROW {
                    let (took, right) = way::measure(ways[at].as_mut(), case);
                    all[at].0.push(took);
                    all[at].1 += usize::from(!right);
                }
            }
        }
        let mut floor = Duration::ZERO;
        for (way, (times, wrong)) in ways.iter().zip(&mut all) {
            times.sort();
            let median = times[times.len() / 2];
            if floor.is_zero() {
                floor = median;
            }
            println!(
                "  {:28} median {:8.3} ms  p99 {:8.3} ms  {:6.2} x  wrong {wrong}",
                way.name(),
                1000.0 * median.as_secs_f64(),
                1000.0 * times[(times.len() * 99).div_ceil(100) - 1].as_secs_f64(),
                median.as_secs_f64() / floor.as_secs_f64(),
            );
        }
    }
}

/// What is run. Its files are written to the folder.
fn cases(folder: &Path) -> Vec<Case> {
    let path = folder.join("megabyte");
    let bytes: String = (0..15_625)
        .map(|number| {
            format!("{number:08} the quick brown fox jumps over the lazy dog and is far\n")
        })
        .collect();
    assert_eq!(bytes.len(), 1_000_000);
    std::fs::write(&path, &bytes).expect("room for a file");
    let numbers: String = (1..=1000).map(|number| format!("{number}\n")).collect();
    let case = |name, text: String, output| Case { name, text, output };
    vec![
        case("true", "true".to_owned(), String::new()),
        case("seq", "seq 1 1000".to_owned(), numbers),
        case("megabyte", format!("cat {}", path.display()), bytes),
    ]
}

/// The ways, the floor first. Their sockets are in the folder.
fn ways(folder: &Path, custom: &Path, stock: Option<&Path>) -> Vec<Box<dyn Way>> {
    let mut ways: Vec<Box<dyn Way>> = vec![
        Box::new(floor::Floor::new(folder)),
        Box::new(way::BashC::new(folder)),
    ];
    ways.extend(amux_ways::ways(folder, custom, stock));
    if let Some(stock) = stock {
        ways.push(Box::new(tmux::WaitFor::new(folder, stock)));
        ways.push(Box::new(swallow::Swallow::new(folder, stock)));
    }
    ways
}
