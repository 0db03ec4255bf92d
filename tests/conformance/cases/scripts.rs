//! Random scripts while every core is busy: none ends early, none has a wrong status.

use std::time::Duration;

use crate::busy::Busy;
use crate::case::{Case, options, same, without_marks};
use crate::random::Random;
use crate::runner::topic;
use crate::support::deadline::LONG;

topic!("scripts", Duration::from_secs(1800) => random_scripts_end_when_they_end);

/// How many run, unless `AMUX_TEST_SCRIPTS` says otherwise.
const COUNT: u64 = 60;

/// Each script gives what bash gives when it runs the same file, with the same status, to the last line.
async fn random_scripts_end_when_they_end(case: &Case) {
    let count = number("AMUX_TEST_SCRIPTS").unwrap_or(COUNT);
    let seed = number("AMUX_TEST_SEED").unwrap_or_else(fresh_seed);
    let window = case.window().await;
    let busy = Busy::all_cores();
    for n in 0..count {
        // Each has a seed of its own: the one that failed can run alone.
        let own = seed.wrapping_add(n);
        let script = script(&mut Random::new(own));
        let name = format!("script {n}: AMUX_TEST_SEED={own} AMUX_TEST_SCRIPTS=1");
        let expected = by_bash(case, &script).await;
        let output = window
            .run(&script, options())
            .await
            .unwrap_or_else(|error| panic!("{name}: {error:?}\n{script}"));
        let raw = with_carriage_returns(&expected.output);
        if output.status() != Some(expected.status)
            || output.text.as_bytes() != expected.output
            || without_marks(&output.raw) != raw
        {
            eprintln!("{name}\n{script}\nrecord: {:?}", output.record);
            assert!(!output.timed_out, "it timed out");
            same(without_marks(&output.raw), raw);
            same(&output.text, &expected.output);
            assert_eq!(output.status(), Some(expected.status), "status");
        }
    }
    drop(busy);
}

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok().filter(|text| !text.is_empty())?;
    match text.parse() {
        Ok(number) => Some(number),
        Err(error) => panic!("{name}={text:?}: {error}"),
    }
}

fn fresh_seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(1, |now| now.as_nanos() as u64 % 1_000_000_000)
}

fn with_carriage_returns(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() * 2);
    for &byte in text {
        if byte == b'\n' {
            out.push(b'\r');
        }
        out.push(byte);
    }
    out
}

struct Expected {
    output: Vec<u8>,
    status: u8,
}

/// What the script gives when bash runs it from a file.
async fn by_bash(case: &Case, script: &str) -> Expected {
    let path = case.write("script", script);
    let mut command = tokio::process::Command::new("bash");
    command
        .arg("-c")
        // Standard output and standard error in one, as in a terminal.
        .arg("exec bash \"$1\" 2>&1 </dev/null")
        .arg("bash")
        .arg(path)
        .env("LC_ALL", "C.UTF-8");
    command.kill_on_drop(true);
    let output = tokio::time::timeout(LONG, command.output())
        .await
        .unwrap_or_else(|_| panic!("bash does not end it:\n{script}"))
        .unwrap();
    let status = output.status.code().expect("a status");
    assert!(output.stdout.ends_with(b"the last line\n"), "{script}");
    Expected {
        output: output.stdout,
        status: u8::try_from(status).unwrap(),
    }
}

/// Characters that are not special to bash in double quotes.
const PLAIN: &str = "abcdefghijklmnopqrstuvwxyz ABC 0123456789 .,:;+-_/%@=~^&|<>()[]{}#*?'é✓中";

fn script(random: &mut Random) -> String {
    let mut script = String::new();
    for _ in 0..random.between(1, 12) {
        script += &statement(random, 0);
        if random.once_in(4) {
            let between: [&str; 4] = [
                "\n",
                "# a comment\n",
                "   \n",
                "\t# it's one with a quote\n",
            ];
            script += random.one::<&str>(&between);
        }
    }
    if random.once_in(30) {
        // Too long to be pasted.
        script += &format!(": {}\n", "x".repeat(amux::text::MAX_PASTE));
    }
    script += "echo the last line\n";
    let ends = [
        "(exit N)",
        "(exit N) # it ends",
        "true | (exit N)",
        "sh -c 'exit N'",
        "f_() { return N; }; f_",
    ];
    script += &random
        .one(&ends)
        .replace('N', &random.between(0, 255).to_string());
    if random.once_in(2) {
        script += "\n";
    }
    script
}

/// A statement with its end of line.
fn statement(random: &mut Random, depth: u32) -> String {
    match random.between(0, if depth < 3 { 20 } else { 12 }) {
        n if n > 12 => compound(random, depth, n),
        n => simple(random, depth, n),
    }
}

fn simple(random: &mut Random, depth: u32, kind: u64) -> String {
    let n = random.between(0, 999);
    match kind {
        0 => format!("echo \"{}\"\n", words(random, 40)),
        1 => format!(
            "printf '%s\\n' '{}' x\n",
            words(random, 30).replace('\'', "")
        ),
        2 => format!("sleep 0.0{:02}\n", random.between(1, 40)),
        3 => format!("(exit {})\n", random.between(0, 255)),
        4 => format!(
            "seq 1 {} | tail -n {}\n",
            random.between(1, 3000),
            random.between(1, 400)
        ),
        5 => {
            let body = words(random, 60);
            format!("cat <<'EOF'\n$x `{n}` \"{body}\\\\\n\n\t{body}\nEOF\n")
        }
        6 => format!("v={n}\ncat <<EOF\n$v $((v * 2)) it's\nEOF\n"),
        7 => format!("cat <<< \"here {}\"\n", words(random, 20)),
        8 => "false; echo \"${none_:-none} $?\" | tr a-z A-Z | cat\n".to_owned(),
        9 => {
            let length = *random.one(&[1, 79, 80, 200, 201, 1000, 4095, 4096, 6000]);
            format!("echo {}\n", random.text("abcdefghij0123456789", length))
        }
        10 => format!(
            "( sleep 0.0{:02} & wait; echo waited )\n",
            random.between(1, 40)
        ),
        11 => "echo one \\\n  two\\\nthree\n".to_owned(),
        _ => {
            // Not inside a pipeline: there standard error overtakes standard output.
            let to = if depth == 0 { " >&2" } else { "" };
            format!("echo 'lines {n}\n\n  of one string'{to}; false\n")
        }
    }
}

/// A statement with others in it.
fn compound(random: &mut Random, depth: u32, kind: u64) -> String {
    let n = random.between(0, 999);
    let inner = statement(random, depth + 1);
    match kind {
        13 => format!("( cd /usr\n{inner}pwd; exit {} )\n", random.between(0, 9)),
        14 => format!("for f{depth} in 1 2 {n}; do\n{inner}\techo \"$f{depth}\"\ndone\n"),
        15 => format!(
            "f{n}() {{\n{inner}\treturn {}\n}}\nf{n} arg; echo \"$?\"\n",
            random.between(0, 255)
        ),
        16 => format!(
            "if {}; then\n{inner}else\n{}fi\n",
            random.one(&["true", "false", "[ 1 = 1 ]", "(exit 3)"]),
            statement(random, depth + 1)
        ),
        17 => format!(
            "w{depth}=0; while [ $w{depth} -lt {} ]; do\nw{depth}=$((w{depth} + 1))\n{inner}done\n",
            random.between(1, 3)
        ),
        18 => format!("case {n} in\n*[02468]) echo even ;;\n*)\n{inner};;\nesac\n"),
        // bash 5.2 prints what is in `$()` and reads it again where it holds a heredoc, and then loses a `;`.
        19 if !inner.contains("<<") => format!("echo \"$(\n{inner})\"\n"),
        _ => format!("{{\n{inner}}} | sed 's/^/> /'\n"),
    }
}

fn words(random: &mut Random, most: u64) -> String {
    let length = random.between(0, most);
    random.text(PLAIN, length)
}
