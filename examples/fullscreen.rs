//! Opens a pager, drives it by keys and reads its screen:
//! `cargo run --example fullscreen`.

use std::time::Duration;

use amux::{CaptureOptions, InputMode, Key, Server, Submit, Window};

/// Between two looks at the screen.
const PAUSE: Duration = Duration::from_millis(50);

#[tokio::main(flavor = "current_thread")]
async fn main() -> amux::Result<()> {
    let tenant = format!("example-{}", std::process::id());
    let server = Server::builder().tenant(tenant).start().await?;
    let window = server.window("main")?;
    window.create().await?;

    // `run` would wait until the pager is left.
    let id = window.write("seq 1000 | less", Submit::Yes).await?;
    let mut state = window.state().await?;
    while state.foreground != "less" || state.input != InputMode::Raw {
        tokio::time::sleep(PAUSE).await;
        state = window.state().await?;
    }
    println!("{} reads keys ({})", state.foreground, state.input);

    println!("it shows {}", first_line(&window, "1").await?);
    press(&window, &["/", "5", "0", "0", "Enter"]).await?;
    println!(
        "after a search it shows {}",
        first_line(&window, "500").await?
    );
    press(&window, &["g"]).await?;
    println!("at the top again: {}", first_line(&window, "1").await?);

    press(&window, &["q"]).await?;
    let record = window.wait(id, Some(Duration::from_secs(10))).await?;
    let status = record.and_then(|record| record.status);
    println!("it has ended with status {status:?}");
    server.stop().await?;
    Ok(())
}

async fn press(window: &Window, keys: &[&str]) -> amux::Result<()> {
    let keys: amux::Result<Vec<_>> = keys.iter().map(|key| Key::new(key)).collect();
    window.keys(&keys?).await
}

/// Waits until the screen begins with this line: a program draws when it likes.
async fn first_line(window: &Window, line: &str) -> amux::Result<String> {
    loop {
        let screen = window.capture(CaptureOptions::new()).await?;
        match screen.text.lines().next() {
            Some(first) if first == line => return Ok(first.to_owned()),
            _ => tokio::time::sleep(PAUSE).await,
        }
    }
}
