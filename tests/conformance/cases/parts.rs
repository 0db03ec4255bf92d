//! What comes back in part, and what is said of the rest.

use amux::{
    Chunk, CommandId, Excerpt, Limits, Part, Range, ReadOptions, Render, Search, Submit, Window,
};

use crate::case::{
    Case, exits, options, refused, run, same, unread, until, until_prompt, until_state,
};
use crate::runner::topic;
use crate::support::deadline::LONG;

topic!("parts":
    any_part_of_an_ended_command_is_read_without_running_it_again,
    line_of_119000_characters_leaves_room_for_the_others,
    what_is_left_out_is_counted_and_can_be_had,
    line_wider_than_the_pane_counts_as_one,
    parts_are_of_what_was_asked_for_clean_or_raw,
    parts_of_a_command_that_runs,
    nothing_is_left_out_and_counted_as_read,
);

async fn read(window: &Window, id: CommandId, part: Part) -> Chunk {
    within(window, id, part, Limits::new()).await
}

async fn within(window: &Window, id: CommandId, part: Part, limits: Limits) -> Chunk {
    let options = ReadOptions::new(Range::Command(id))
        .part(part)
        .limits(limits);
    window.read(options).await.unwrap()
}

/// Bytes left out, lines left out, lines cut.
fn left_out(excerpt: &Excerpt) -> (u64, u64, u64) {
    let omitted = excerpt.omitted;
    (omitted.bytes, omitted.lines, excerpt.cut_lines)
}

/// Case D4: 100,000 lines; the tail, then the head, then a search, then a range of lines, then one of bytes of the
/// same command, after others have run: all are answered, and it has run once.
async fn any_part_of_an_ended_command_is_read_without_running_it_again(case: &Case) {
    let window = case.window().await;
    let text = "echo ran >>runs; seq -f 'line %06.0f' 100000";
    let output = run(&window, text).await;
    let all: String = (1..=100_000).map(|n| format!("line {n:06}\n")).collect();
    same(&output.text, &all);
    assert!(output.excerpt.is_whole());
    exits(&window, "echo another", 0).await;
    let id = output.id();

    let tail = read(&window, id, Part::Tail(2)).await;
    same(&tail.bytes, "line 099999\nline 100000\n");
    assert_eq!(left_out(&tail.excerpt), (1_199_976, 99_998, 0));
    assert_eq!(tail.excerpt.pieces[0].line, 99_999);
    assert_eq!(tail.record.as_ref(), Some(&output.record));

    let head = read(&window, id, Part::Head(2)).await;
    same(&head.bytes, "line 000001\nline 000002\n");
    assert_eq!(left_out(&head.excerpt), (1_199_976, 99_998, 0));
    assert!(head.excerpt.gaps().eq(std::iter::once(24..1_200_000)));

    let search = Search::new("7777").around(1).max(2);
    let found = read(&window, id, Part::Search(search.clone())).await;
    same(
        &found.bytes,
        "line 007776\nline 007777\nline 007778\nline 017776\nline 017777\nline 017778\n",
    );
    let hits = found.excerpt.hits.clone().unwrap();
    let contain = (1..=100_000).filter(|n| format!("{n:06}").contains("7777"));
    assert_eq!(
        (hits.total, hits.lines),
        (contain.count() as u64, vec![7777, 17_777])
    );
    let lines: Vec<_> = found
        .excerpt
        .pieces
        .iter()
        .map(|piece| piece.line)
        .collect();
    assert_eq!(lines, [7776, 17_776]);
    let next = read(&window, id, Part::Search(search.skip(2).around(0))).await;
    same(&next.bytes, "line 027777\nline 037777\n");

    // What a search has told is where to look closer.
    let lines = read(&window, id, Part::Lines(7775..=7776)).await;
    same(&lines.bytes, "line 007775\nline 007776\n");
    let piece = &found.excerpt.pieces[0];
    let bytes = read(&window, id, Part::Bytes(piece.start..piece.end)).await;
    same(&bytes.bytes, "line 007776\nline 007777\nline 007778\n");
    let bytes = read(&window, id, Part::Bytes(600_003..600_015)).await;
    same(&bytes.bytes, "e 050001\nlin");
    assert_eq!(left_out(&bytes.excerpt), (1_199_988, 99_998, 2));

    same(case.contents("runs"), "ran\n");
}

/// Case D3: one line of 119,000 characters: the limit for each line comes before the one for the whole, and what
/// was cut is told beside the text, where nothing is put in.
async fn line_of_119000_characters_leaves_room_for_the_others(case: &Case) {
    let window = case.window().await;
    let text = "echo before; printf '%0119000d\\n' 7; echo after";
    let all = format!("before\n{}7\nafter\n", "0".repeat(118_999));
    let limits = Limits::new().line(300).bytes(1000);
    let output = window.run(text, options().limits(limits)).await.unwrap();
    same(
        &output.text,
        format!("before\n{}\nafter\n", "0".repeat(300)),
    );
    same(&output.raw, all.replace('\n', "\r\n"));
    assert_eq!(left_out(&output.excerpt), (118_700, 0, 1));
    assert_eq!(output.excerpt.total.bytes, all.len() as u64);

    // The whole has a limit of its own, for which the lines have been cut already.
    let limits = Limits::new().line(300).bytes(16);
    let chunk = within(&window, output.id(), Part::Whole, limits).await;
    same(&chunk.bytes, "before\nafter\n");
    assert_eq!(left_out(&chunk.excerpt), (119_001, 1, 0));

    // A line that was searched for shows what was found.
    let search = || Part::Search(Search::new("07"));
    let chunk = within(&window, output.id(), search(), Limits::new().line(10)).await;
    same(&chunk.bytes, "0000000007\n");
    let wide = "printf 'é%.0s' {1..50000}; echo";
    let limits = Limits::new().line(101);
    let output = window.run(wide, options().limits(limits)).await.unwrap();
    same(&output.text, "é".repeat(50) + "\n");
    assert_eq!(left_out(&output.excerpt), (99_900, 0, 1));
}

/// Case D6: whatever is cut says how many bytes and lines are not there, and where; asked for, they come.
async fn what_is_left_out_is_counted_and_can_be_had(case: &Case) {
    let window = case.window().await;
    let text = "for i in {1..300}; do printf '%*s中\\n' $((i % 50)) $i; done; printf end";
    let all = run(&window, text).await;
    let (id, all) = (all.id(), all.text.into_bytes());
    for (part, limits) in [
        (Part::Whole, Limits::new().bytes(1000)),
        (Part::Whole, Limits::new().line(20)),
        (Part::Whole, Limits::new().line(20).bytes(777)),
        (Part::Head(7), Limits::new()),
        (Part::Tail(7), Limits::new().bytes(30)),
        (Part::Lines(100..=120), Limits::new().line(0)),
        (Part::Bytes(1234..5678), Limits::new()),
        (Part::Bytes(1234..u64::MAX), Limits::new().bytes(100)),
        (
            Part::Search(Search::new("9中").around(2)),
            Limits::new().line(9),
        ),
        (Part::Search(Search::new("not there")), Limits::new()),
    ] {
        let chunk = within(&window, id, part.clone(), limits).await;
        let excerpt = &chunk.excerpt;
        assert!(!excerpt.is_whole() && chunk.missing == 0, "{part:?}");
        let (bytes, lines, cut) = left_out(excerpt);
        assert_eq!(bytes + chunk.bytes.len() as u64, all.len() as u64);
        assert_eq!(excerpt.total.lines, 301);

        // Put together again, it is all there is, and the counts are right.
        let mut whole = all.clone();
        let mut at = 0;
        for piece in &excerpt.pieces {
            let length = (piece.end - piece.start) as usize;
            same(
                &chunk.bytes[at..at + length],
                &all[piece.start as usize..piece.end as usize],
            );
            at += length;
        }
        assert_eq!(at, chunk.bytes.len());
        let gaps: Vec<_> = excerpt.gaps().collect();
        let mut had = 0;
        for gap in &gaps {
            whole[gap.start as usize..gap.end as usize].fill(0);
            // Each takes a client, and a cut line is one gap of many.
            if gaps.len() > 5 && *gap != gaps[0] {
                continue;
            }
            let rest = read(&window, id, Part::Bytes(gap.clone())).await;
            same(&rest.bytes, &all[gap.start as usize..gap.end as usize]);
            had += rest.bytes.len() as u64;
        }
        assert!(had == bytes || gaps.len() > 5, "{part:?}");
        let gone = |line: &[u8]| line.iter().filter(|&&byte| byte == 0).count();
        let mut counts = (0, 0);
        let mut at = 0;
        for line in all.split_inclusive(|&byte| byte == b'\n') {
            let gone = gone(&whole[at..at + line.len()]);
            counts.0 += u64::from(gone == line.len());
            counts.1 += u64::from(gone > 0 && gone < line.len());
            at += line.len();
        }
        assert_eq!((lines, cut), counts, "{part:?} {limits:?}");
    }
}

/// Case D9: 500 characters in a pane of 80 columns are one line, whichever way it is asked for.
async fn line_wider_than_the_pane_counts_as_one(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    case.tmux_ok(&["resize-window", "-t", "=amux:=w", "-x", "80", "-y", "24"])
        .await;
    let line = "0123456789".repeat(50);
    let output = run(&window, &format!("tput cols; echo {line}; echo {line}x")).await;
    let id = output.id();
    assert_eq!(output.excerpt.total.lines, 3);
    same(
        read(&window, id, Part::Lines(2..=2)).await.bytes,
        line.clone() + "\n",
    );
    same(
        read(&window, id, Part::Tail(1)).await.bytes,
        line.clone() + "x\n",
    );
    let found = read(&window, id, Part::Search(Search::new("9x"))).await;
    same(&found.bytes, line + "x\n");
    assert_eq!(found.excerpt.hits.unwrap().lines, [3]);
}

/// Case D1: lines and offsets are those of the text as it was asked for.
async fn parts_are_of_what_was_asked_for_clean_or_raw(case: &Case) {
    let window = case.window().await;
    let output = run(
        &window,
        "printf '1%%\\r50%%\\r100%%\\nfirst\\rsec\\n\\377\\n'",
    )
    .await;
    let id = output.id();
    let of = |render, part| {
        let options = ReadOptions::new(Range::Command(id))
            .render(render)
            .part(part);
        async { window.read(options).await.unwrap() }
    };
    let search = || Part::Search(Search::new("50%"));
    same(of(Render::Clean, Part::Head(1)).await.bytes, "100%\n");
    same(
        of(Render::Raw, Part::Head(1)).await.bytes,
        "1%\r50%\r100%\r\n",
    );
    same(of(Render::Clean, Part::Lines(2..=2)).await.bytes, "secst\n");
    same(of(Render::Clean, search()).await.bytes, "");
    same(of(Render::Raw, search()).await.bytes, "1%\r50%\r100%\r\n");
    same(of(Render::Raw, Part::Tail(1)).await.bytes, b"\xff\r\n");
    same(of(Render::Clean, Part::Tail(1)).await.bytes, "\u{fffd}\n");

    // Raw offsets are those of the stream, from where the output begins.
    let (start, end) = (
        output.record.output_start.unwrap(),
        output.record.output_end.unwrap(),
    );
    let raw = of(Render::Raw, Part::Bytes(3..end - start - 1)).await;
    same(&raw.bytes, &output.raw[3..output.raw.len() - 1]);
    assert_eq!(raw.excerpt.total.bytes, end - start);
}

/// Case D4: what a command that runs has printed so far; when it has ended there is more, under the same id.
async fn parts_of_a_command_that_runs(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let id = window
        .write("seq 1000; read -rs go; echo end", Submit::Yes)
        .await;
    let id = id.unwrap().unwrap();
    until("all lines", async || {
        let chunk = read(&window, id, Part::Tail(1)).await;
        match &*chunk.text() {
            "1000\n" => Ok(()),
            other => Err(other.to_owned()),
        }
    })
    .await;
    let chunk = read(&window, id, Part::Lines(500..=501)).await;
    same(&chunk.bytes, "500\n501\n");
    assert_eq!(chunk.excerpt.total.lines, 1000);
    until_state(&window, "a line read without echo", |state| {
        state.input == amux::InputMode::Secret
    })
    .await;
    window.write("\n", Submit::Never).await.unwrap();
    window.wait(Some(id), Some(LONG)).await.unwrap();
    same(read(&window, id, Part::Tail(2)).await.bytes, "1000\nend\n");
    same(
        read(&window, id, Part::Lines(500..=501)).await.bytes,
        "500\n501\n",
    );
}

/// Case D6: what nobody has read is never counted as read where a part of it was left out.
async fn nothing_is_left_out_and_counted_as_read(case: &Case) {
    let window = case.window().await;
    run(&window, "seq 10").await;
    until_prompt(&window).await;
    let before = unread(&window).await;
    let options = || ReadOptions::new(Range::Unread).consume(true);
    for options in [
        options().part(Part::Tail(1)),
        options().limits(Limits::new().bytes(10)),
        ReadOptions::new(Range::LastCommand).part(Part::Lines(0..=1)),
        ReadOptions::new(Range::LastCommand).part(Part::Search(Search::new("1\n2"))),
    ] {
        let kind = refused(window.read(options).await);
        assert_eq!(kind, amux::ErrorKind::InvalidArgument);
    }
    same(unread(&window).await.bytes, &before.bytes);
    let part = ReadOptions::new(Range::Unread).part(Part::Tail(1));
    window.read(part).await.unwrap();
    same(unread(&window).await.bytes, &before.bytes);
}
