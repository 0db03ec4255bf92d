//! What a window prints, as it comes.

use std::time::Duration;

use amux::{InputMode, Stream, Submit};

use crate::case::{
    Case, exits, find, options, run, same, until_prompt, until_state, without_marks,
};
use crate::runner::topic;
use crate::support::deadline::LONG;

topic!("stream":
    bytes_come_while_the_command_runs,
    several_followers_have_the_same_bytes,
    follower_goes_on_where_it_stopped,
    reader_that_comes_too_late_is_told,
    ends_with_the_window,
    cancelled_wait_loses_nothing,
);

/// Reads until these bytes have come; returns all.
async fn read_until(stream: &mut Stream, part: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    tokio::time::timeout(LONG, async {
        while find(&bytes, part).is_none() {
            let piece = stream.next().await.unwrap().expect("the window is there");
            assert_eq!(piece.missing, 0);
            assert_eq!(piece.start + piece.bytes.len() as u64, stream.offset());
            bytes.extend(piece.bytes);
        }
    })
    .await
    .unwrap_or_else(|_| {
        panic!(
            "{:?} has not come: {bytes:?}",
            String::from_utf8_lossy(part)
        )
    });
    bytes
}

/// A follower sees a line while the command that prints it goes on.
async fn bytes_come_while_the_command_runs(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let mut stream = window.stream().await.unwrap();
    let id = window
        .write("echo be''gun; read -r go; echo end''ed", Submit::Yes)
        .await
        .unwrap();
    read_until(&mut stream, b"begun\r\n").await;
    until_state(&window, "the command to read a line", |state| {
        state.input == InputMode::Canonical
    })
    .await;
    window.write("go\n", Submit::Auto).await.unwrap();
    read_until(&mut stream, b"ended\r\n").await;
    let record = window.wait(id, Some(LONG)).await.unwrap().unwrap();
    assert_eq!(record.status, Some(0));
}

/// Nobody takes bytes from another, and following counts as no reading.
async fn several_followers_have_the_same_bytes(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let mut one = window.stream().await.unwrap();
    let mut other = window.stream_from(one.offset());
    let unread = window.state().await.unwrap().unread;
    let text = "seq 5000; printf 'the %s\\n' end";
    let output = run(&window, text).await;
    let first = read_until(&mut one, b"\r\nthe end\r\n").await;
    let second = read_until(&mut other, b"\r\nthe end\r\n").await;
    let length = first.len().min(second.len());
    same(&first[..length], &second[..length]);
    let output = without_marks(&output.raw);
    assert!(find(&without_marks(&first), &output).is_some());
    assert!(window.state().await.unwrap().unread >= unread + output.len() as u64);
}

/// An offset is enough to go on later; what came meanwhile is there.
async fn follower_goes_on_where_it_stopped(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let mut stream = window.stream().await.unwrap();
    exits(&window, "echo on''e", 0).await;
    read_until(&mut stream, b"one\r\n").await;
    let offset = stream.offset();
    drop(stream);
    exits(&window, "echo tw''o", 0).await;
    let bytes = read_until(&mut window.stream_from(offset), b"two\r\n").await;
    assert!(find(&bytes, b"one\r\n").is_none());
}

/// What is no longer kept is counted.
async fn reader_that_comes_too_late_is_told(case: &Case) {
    let server = case.start(case.builder().stream_limit(65_536)).await;
    let window = server.window("w").unwrap();
    window.create().await.unwrap();
    until_prompt(&window).await;
    let mut stream = window.stream().await.unwrap();
    let begin = stream.offset();
    // Its output is not whole either.
    let output = window.run("seq 20000", options()).await.unwrap();
    assert!(output.success() && output.missing > 0);
    let piece = stream.next().await.unwrap().unwrap();
    assert!(piece.missing > 0, "{piece:?}");
    assert_eq!(piece.start, begin + piece.missing);
    assert_eq!(
        piece.start + piece.bytes.len() as u64,
        window.state().await.unwrap().total
    );
}

/// The end of a window ends the stream of one who waits.
async fn ends_with_the_window(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let mut stream = window.stream().await.unwrap();
    let id = window
        .write("echo la''st; read -r go; exit 3", Submit::Yes)
        .await
        .unwrap();
    read_until(&mut stream, b"last\r\n").await;
    until_state(&window, "the command to read a line", |state| {
        state.input == InputMode::Canonical
    })
    .await;
    let follow = async { while stream.next().await.unwrap().is_some() {} };
    let end = async {
        window.write("go\n", Submit::Auto).await.unwrap();
    };
    tokio::time::timeout(LONG, async { tokio::join!(follow, end) })
        .await
        .unwrap_or_else(|_| panic!("the stream of command {id:?} does not end"));
}

/// A wait that is given up takes nothing with it.
async fn cancelled_wait_loses_nothing(case: &Case) {
    let window = case.window().await;
    until_prompt(&window).await;
    let mut stream = window.stream().await.unwrap();
    for _ in 0..3 {
        let soon = tokio::time::timeout(Duration::from_millis(50), stream.next()).await;
        if let Ok(piece) = soon {
            // What the prompt still had to print.
            assert!(piece.unwrap().is_some());
        }
    }
    exits(&window, "echo ke''pt", 0).await;
    read_until(&mut stream, b"kept\r\n").await;
}
