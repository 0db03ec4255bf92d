//! Against servers that break the protocol, hang up, or do not answer.

use super::*;

/// What comes of a server that says these bytes and then closes.
async fn says(bytes: &[u8]) -> Failure {
    let stage = Stage::new();
    let play = async {
        let mut player = stage.accept().await;
        player.hear_hello().await;
        player.bytes(bytes).await;
    };
    let (finished, ()) = tokio::join!(stage.run(&["a"], Vec::new()), play);
    finished.unwrap_err()
}

fn frame(kind: u32, data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    imsg::put(&mut out, kind, &[data]).unwrap();
    out
}

fn messages(messages: &[ToClient<'_>]) -> Vec<u8> {
    let mut out = Vec::new();
    for message in messages {
        message.put(&mut out);
    }
    out
}

#[tokio::test]
async fn server_that_breaks_the_protocol_is_told() {
    let mut other_version = messages(&[exit(0)]);
    other_version[8] = 9;
    let fd = 1;
    let streams: Vec<_> = (1..100)
        .map(|stream| ToClient::WriteOpen {
            stream,
            fd,
            flags: 0,
            path: b"",
        })
        .collect();
    for (bytes, bad) in [
        (vec![b'x'; 64], Bad::Length(0x7878_7878)),
        (vec![0; 64], Bad::Length(0)),
        (other_version, Bad::Version(9)),
        (messages(&[ToClient::Version(7)]), Bad::Version(7)),
        (frame(MSG_READY, b""), Bad::Type(MSG_READY)),
        (
            frame(MSG_IDENTIFY_FLAGS, &[0; MAX_DATA]),
            Bad::Type(MSG_IDENTIFY_FLAGS),
        ),
        (messages(&[wrote(1, b"x")]), Bad::Stream(1)),
        (
            messages(&[OPEN, ToClient::WriteClose { stream: 1 }, wrote(1, b"x")]),
            Bad::Stream(1),
        ),
        (messages(&streams), Bad::Stream(65)),
        (messages(&[ToClient::Flags; 10_001]), Bad::Endless),
        (
            messages(&[&[OPEN][..], &[wrote(1, b""); 10_000]].concat()),
            Bad::Endless,
        ),
    ] {
        match says(&bytes).await {
            Failure::Bad(found) => assert_eq!(found, bad),
            other => panic!("{other:?} instead of {bad:?}"),
        }
    }
}

#[tokio::test]
async fn server_that_hangs_up_is_told() {
    let whole = messages(&[OPEN, wrote(1, b"some")]);
    for length in [0, 3, 16, whole.len() - 1, whole.len()] {
        let failure = says(&whole[..length]).await;
        assert!(matches!(failure, Failure::Lost), "{failure:?}");
    }
    // Before it has heard anything.
    let stage = Stage::new();
    let play = async { drop(stage.accept().await) };
    let (finished, ()) = tokio::join!(stage.run(&["a"], Vec::new()), play);
    assert!(matches!(finished, Err(Failure::Lost)), "{finished:?}");
}

#[tokio::test]
async fn server_that_is_not_there_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let call = || Call {
        path: &path,
        arguments: &[],
        stdin: Vec::new(),
        deadline: None,
    };
    let expect = async |kind| match run(call()).await {
        Err(Failure::Connect(error)) => assert_eq!(error.kind(), kind),
        other => panic!("{other:?}"),
    };
    expect(io::ErrorKind::NotFound).await;
    drop(UnixListener::bind(&path).unwrap());
    expect(io::ErrorKind::ConnectionRefused).await;
    let long = folder.path().join("x".repeat(200));
    let call = Call {
        path: &long,
        ..call()
    };
    assert!(matches!(run(call).await, Err(Failure::Connect(_))));
}

#[tokio::test]
async fn deadline_holds_whatever_the_server_does() {
    let limit = Duration::from_millis(200);
    let begun = Instant::now();
    // It does not accept; accepts and is silent; sends without end.
    for play in 0..3 {
        let stage = Stage::new();
        let path = stage.path();
        let call = Call {
            path: &path,
            arguments: &["a".to_owned()],
            stdin: Vec::new(),
            deadline: Some(Instant::now() + limit),
        };
        let play = async {
            if play == 0 {
                return std::future::pending().await;
            }
            let mut player = stage.accept().await;
            let flood = messages(&[wrote(2, &[b'x'; MAX_READ]); 4]);
            if play == 2 {
                let open = ToClient::WriteOpen {
                    stream: 2,
                    fd: 2,
                    flags: 0,
                    path: b"",
                };
                player.say(&[open]).await;
            }
            loop {
                match play {
                    1 => player.hear().await.map_or((), drop),
                    _ => player.bytes(&flood).await,
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            finished = run(call) => {
                assert!(matches!(finished, Err(Failure::Deadline)), "{finished:?}");
            }
            () = play => {}
        }
    }
    assert!(begun.elapsed() < LONG);
}

#[tokio::test]
async fn standard_error_is_cut() {
    let stage = Stage::new();
    let play = async {
        let mut player = stage.accept().await;
        let open = ToClient::WriteOpen {
            stream: 2,
            fd: 2,
            flags: 0,
            path: b"",
        };
        let text = [b'e'; MAX_READ];
        player
            .say(&[open, wrote(2, &text), wrote(2, &text), exit(1)])
            .await;
        // Closing with what the client said unread would lose the rest.
        while player.hear().await.is_some() {}
    };
    let (finished, ()) = tokio::join!(stage.run(&["a"], Vec::new()), play);
    assert_eq!(finished.unwrap().stderr.len() as u64, MAX_STDERR);
}
