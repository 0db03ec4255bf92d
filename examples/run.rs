//! Starts a server of its own, runs a script in a window and shows what comes
//! back: `cargo run --example run -- 'ls | wc -l'`.

use amux::{RunOptions, Server};

#[tokio::main(flavor = "current_thread")]
async fn main() -> amux::Result<()> {
    let text = std::env::args().nth(1);
    let text = text.as_deref().unwrap_or("cd /usr && ls\n(exit 3)");

    // The server is a child of this process and ends with it.
    let tenant = format!("example-{}", std::process::id());
    let server = Server::builder().tenant(tenant).start().await?;
    let window = server.window("main")?;
    window.create().await?;

    let output = window.run(text, RunOptions::new()).await?;
    print!("{}", output.text);
    if let Some(status) = output.status() {
        println!("exit status {status}");
    }
    if let Some(reason) = output.record.no_status_reason() {
        println!("no exit status: {reason}");
    }
    if let Some(duration) = output.record.duration {
        println!("after {duration:?}");
    }

    // The same shell: what the text changed has lasted.
    let output = window.run("pwd", RunOptions::new()).await?;
    print!("the shell is in {}", output.text);

    server.stop().await?;
    Ok(())
}
