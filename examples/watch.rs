//! Starts a long command, watches its output while it runs, then waits for its
//! end: `cargo run --example watch`.

use std::time::Duration;

use amux::{ErrorKind, Range, ReadOptions, Server, Submit};

#[tokio::main(flavor = "current_thread")]
async fn main() -> amux::Result<()> {
    let tenant = format!("example-{}", std::process::id());
    let server = Server::builder().tenant(tenant).start().await?;
    let window = server.window("build")?;
    window.create().await?;

    // What is written before the shell has started waits on the terminal.
    let text = "for step in 1 2 3 4 5; do echo \"step $step\"; sleep 0.5; done";
    let id = window.write(text, Submit::Yes).await?;

    let mut shown = 0;
    loop {
        let waited = window.wait(id, Some(Duration::from_secs(1))).await;
        let range = id.map_or(Range::LastCommand, Range::Command);
        let chunk = window.read(ReadOptions::new(range)).await?;
        let text = chunk.text();
        print!("{}", text.get(shown..).unwrap_or_default());
        shown = text.len();
        match waited {
            Ok(record) => {
                println!("ended: {record:?}");
                break;
            }
            Err(error) if *error.kind() == ErrorKind::Timeout => {}
            Err(error) => return Err(error),
        }
    }
    server.stop().await?;
    Ok(())
}
