//! How much of a stream is kept, and what is told of the rest.

use crate::support::topic::topic;
use crate::support::{Build, Pane, Server};

topic!("limits":
    ten_thousand_lines_are_counted_exactly,
    a_reader_is_told_what_it_missed,
    the_limit_may_change_at_any_time,
    nothing_is_kept_with_a_limit_of_zero,
    all_panes_together_stay_below_the_total,
    the_memory_of_a_pane_goes_with_it,
    a_full_stream_takes_16_mib,
    five_hundred_panes_stay_below_the_total_and_each_keeps_something,
);

/// Case B23.
fn ten_thousand_lines_are_counted_exactly(build: &Build) {
    let server = Server::start(build);
    server.tmux(&["set-option", "-g", "history-limit", "100"]);
    let pane = server.window(&[]);
    pane.until_prompt();
    let ran = pane.run("seq 1 10000");
    let expected: String = (1..=10_000).map(|n| format!("{n}\n")).collect();
    assert!(ran.output == expected, "{} bytes", ran.output.len());
    let raw = expected.len() + 10_000;
    assert_eq!(
        pane.text(&["-l", "-F", "#{command_output_bytes}"]),
        format!("{raw}\n")
    );
    let unread = pane.expand("#{pane_stream_bytes}");
    assert_eq!(
        pane.expand("#{pane_stream_total} #{pane_stream_dropped}"),
        format!("{unread} 0")
    );
    assert!(pane.read(&["-r", "-c"]).ok().len().to_string() == unread);

    // From now on the counter grows by what is printed, and by the prompts alone.
    let line = |ran: &str| {
        let before: u64 = pane.expand("#{pane_stream_total}").parse().unwrap();
        pane.run(ran);
        pane.expand("#{pane_stream_total}").parse::<u64>().unwrap() - before
    };
    let nothing = line("seq 1 10000 >/dev/null");
    let more = line("seq 1 10000           ");
    assert!(
        more.abs_diff(nothing + raw as u64) < 100,
        "{nothing} {more} {raw}"
    );
}

/// Case B23.
fn a_reader_is_told_what_it_missed(build: &Build) {
    let server = Server::start(build);
    server.tmux(&["set-option", "-s", "stream-limit", "65536"]);
    let pane = server.shell();
    pane.text(&["-C"]);
    let start: u64 = pane.expand("#{pane_stream_total}").parse().unwrap();
    pane.submit("seq 1 100000");
    pane.until_prompt();
    let whole: u64 = (1..=100_000_u64)
        .map(|n| n.to_string().len() as u64 + 2)
        .sum();

    let facts = "#{read_start} #{read_end} #{read_bytes} #{read_missing} #{command_flags} #{command_output_bytes}";
    let text = pane.text(&["-O", "-r", "-F", facts]);
    let (header, rest) = text.split_once('\n').unwrap();
    let fields: Vec<&str> = header.split(' ').collect();
    let number = |at: usize| fields[at].parse::<u64>().unwrap();
    let (from, to, bytes, missing) = (number(0), number(1), number(2), number(3));
    assert_eq!(fields[4], "overwritten,by-program,finished");
    assert_eq!(number(5), whole);
    assert_eq!(to - from, whole);
    assert_eq!(bytes, rest.len() as u64);
    assert_eq!(bytes + missing, whole);
    assert!(bytes > 60_000 && bytes <= 65_536, "{header}");
    assert!(rest.ends_with("\r\n99999\r\n100000\r\n"));

    // What was never read and is gone is counted, to the byte.
    let sizes = pane.expand(
        "#{pane_stream_total} #{pane_stream_bytes} #{pane_stream_dropped} #{pane_stream_size}",
    );
    let sizes: Vec<u64> = sizes.split(' ').map(|size| size.parse().unwrap()).collect();
    assert_eq!(sizes[1], 65_536);
    assert_eq!(sizes[0] - start, sizes[1] + sizes[2]);
    assert_eq!(sizes[3], 65_536);
    let unread = pane.text(&[
        "-r",
        "-c",
        "-F",
        "#{read_start} #{read_missing} #{read_bytes}",
    ]);
    let header = unread.lines().next().unwrap();
    assert_eq!(header, format!("{start} {} 65536", sizes[2]));
    // Told once.
    let header = pane.text(&["-r", "-F", "#{read_missing} #{read_bytes}"]);
    assert_eq!(header, "0 0\n");
    // Clean text begins with whole lines or says what it lost; it never invents any.
    let clean = pane.text(&["-O"]);
    let mut lines = clean.lines().rev();
    assert!(
        (1..=9000)
            .rev()
            .all(|n| lines.next() == Some((91_000 + n).to_string().as_str()))
    );
}

fn the_limit_may_change_at_any_time(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let sizes = || {
        let text = pane.expand("#{pane_stream_bytes} #{pane_stream_size} #{pane_stream_dropped}");
        let sizes: Vec<u64> = text.split(' ').map(|size| size.parse().unwrap()).collect();
        (sizes[0], sizes[1], sizes[2])
    };
    pane.run("seq 1 100000");
    let (unread, size, dropped) = sizes();
    assert!(unread > 688_895 && size >= unread && dropped == 0);
    // Smaller: with the next output the newest bytes stay.
    server.tmux(&["set-option", "-s", "stream-limit", "32768"]);
    assert_eq!(pane.run("echo small").output, "small\n");
    let (small, size, dropped) = sizes();
    assert_eq!((small, size), (32_768, 32_768));
    assert!(dropped > unread - 32_768);
    // Larger: it grows again.
    server.tmux(&["set-option", "-s", "stream-limit", "1048576"]);
    pane.run("seq 1 100000");
    let (large, size, same) = sizes();
    assert_eq!(same, dropped);
    assert!(
        large > 688_895 + 32_768 && size == 1_048_576,
        "{large} {size}"
    );
}

fn nothing_is_kept_with_a_limit_of_zero(build: &Build) {
    let server = Server::start(build);
    server.tmux(&["set-option", "-s", "stream-limit", "0"]);
    let pane = server.shell();
    let id = pane.submit("echo gone; (exit 3)");
    let ended = pane.read(&["-w", "-E", "-O", "-i", &id]);
    assert_eq!(
        (ended.status, ended.text(), ended.err),
        (3, String::new(), String::new())
    );
    assert_eq!(
        pane.expand("#{pane_stream_bytes} #{pane_stream_size}"),
        "0 0"
    );
    assert_eq!(
        pane.text(&["-O", "-F", "#{read_missing} #{command_flags}"]),
        "6 overwritten,by-program,finished\n"
    );
    let total = pane.expand("#{pane_stream_total}");
    assert_eq!(pane.expand("#{pane_stream_dropped}"), total);
}

fn all_panes_together_stay_below_the_total(build: &Build) {
    let server = Server::start(build);
    server.tmux(&["set-option", "-s", "stream-total-limit", "300000"]);
    let first = server.shell();
    let panes: Vec<Pane> = (0..4).map(|_| server.window(&[])).collect();
    panes.iter().for_each(Pane::until_prompt);
    for pane in panes.iter().chain([&first]) {
        let ran = pane.run("seq 1 100000");
        // Its ring could not grow to hold all of it, but the newest bytes are there.
        assert!(
            ran.status == 0 && ran.output.ends_with("100000\n"),
            "{} bytes",
            ran.output.len()
        );
    }
    let sizes = server.tmux(&["list-panes", "-a", "-F", "#{pane_stream_size}"]);
    let sum: u64 = sizes.lines().map(|size| size.parse::<u64>().unwrap()).sum();
    assert!(sum <= 300_000, "{sizes}");
    // Raised again, they grow.
    server.tmux(&["set-option", "-s", "stream-total-limit", "100000000"]);
    assert_eq!(first.run("seq 1 100000").output.len(), 588_895);
}

fn the_memory_of_a_pane_goes_with_it(build: &Build) {
    let server = Server::start(build);
    server.tmux(&["set-option", "-s", "stream-total-limit", "2000000"]);
    // Were it kept, the rings of the later panes could not grow.
    for _ in 0..10 {
        let pane = server.window(&[]);
        pane.until_prompt();
        assert_eq!(pane.run("seq 1 100000").output.len(), 588_895);
        server.tmux(&["kill-pane", "-t", &pane.id]);
    }
}

fn a_full_stream_takes_16_mib(build: &Build) {
    let server = Server::start(build);
    let pane = server.shell();
    let before = server.memory();
    pane.submit("head -c 17000000 /dev/zero | tr '\\0' x | fold -w 70; echo");
    // The prompt behind it: until then more than fits has come.
    pane.until(
        "#{e|>:#{pane_stream_total},17000000}#{pane_prompt_empty}",
        "11",
    );
    assert_eq!(
        pane.expand("#{pane_stream_size} #{pane_stream_bytes}"),
        "16777216 16777216"
    );
    if !build.sanitized {
        // Beside it there are the 2,000 lines of the screen's history, and what they are made of.
        let grown = server.memory() - before;
        assert!(grown < 24 << 10, "{grown} KiB");
    }
}

fn five_hundred_panes_stay_below_the_total_and_each_keeps_something(build: &Build) {
    const TOTAL: u64 = 32 << 20;
    let server = Server::start(build);
    server.tmux(&["set-option", "-s", "stream-total-limit", &TOTAL.to_string()]);
    server.tmux(&["set-option", "-s", "stream-limit", "262144"]);
    server.tmux(&["set-option", "-g", "history-limit", "0"]);
    // All at once from a file: 500 clients would take their time.
    let windows = |count: usize, bytes: u32| {
        let line = format!("new-window -d \"printf '%{bytes}s' x; exec sleep infinity\"\n");
        let path = server.folder().join("windows");
        std::fs::write(&path, line.repeat(count)).unwrap();
        server.tmux(&["source-file", path.to_str().unwrap()]);
        let wanted = bytes.to_string();
        server.wait_until(&format!("{count} panes with {bytes} bytes"), || {
            let totals = server.tmux(&["list-panes", "-a", "-F", "#{pane_stream_total}"]);
            let there = totals.lines().filter(|total| *total == wanted).count();
            if there == count { Ok(()) } else { Err(totals) }
        });
    };
    // As many as may be full, and more; the small ones at the end write little.
    windows(130, 250_000);
    windows(370, 3_000);

    let sizes = server.tmux(&[
        "list-panes",
        "-a",
        "-F",
        "#{pane_stream_size} #{pane_stream_bytes}",
    ]);
    let sizes: Vec<(u64, u64)> = sizes
        .lines()
        .map(|line| {
            let (size, bytes) = line.split_once(' ').unwrap();
            (size.parse().unwrap(), bytes.parse().unwrap())
        })
        .collect();
    let sum: u64 = sizes.iter().map(|(size, _)| size).sum();
    assert_eq!(sizes.len(), 501);
    assert!(sum <= TOTAL, "{sum}");
    assert!(
        sizes[1..].iter().all(|&(_, bytes)| bytes >= 3_000),
        "{sizes:?}"
    );
}
