//! Starts a long command, prints its output as it comes, and waits for its end:
//! `cargo run --example watch`.

use std::io::Write;

use amux::stream::{Options, Renderer};
use amux::{Server, Submit};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tenant = format!("example-{}", std::process::id());
    let server = Server::builder().tenant(tenant).start().await?;
    let window = server.window("build")?;
    window.create().await?;

    // What is written before the shell has started waits on the terminal.
    let text = "for step in 1 2 3 4 5; do echo \"step $step\"; sleep 0.5; done; (exit 3)";
    let mut stream = window.stream().await?;
    let id = window.write(text, Submit::Yes).await?;

    // Pieces are cut anywhere; a renderer makes lines of text of them.
    let mut renderer = Renderer::new(Options::default())?;
    let watch = async {
        while let Some(piece) = stream.next().await? {
            renderer.feed(&piece.bytes)?;
            std::io::stdout().write_all(&renderer.take())?;
        }
        Ok::<_, Box<dyn std::error::Error>>(())
    };
    let record = tokio::select! {
        watched = watch => return watched,
        record = window.wait(id, None) => record?,
    };
    let status = record.and_then(|record| record.status);
    println!("ended with status {status:?}");
    server.stop().await?;
    Ok(())
}
