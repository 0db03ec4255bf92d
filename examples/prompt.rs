//! Runs a script that asks for a name and for a secret, and answers both:
//! `cargo run --example prompt`.

use std::time::Duration;

use amux::{InputMode, Part, Range, ReadOptions, RunOptions, Server, Submit, Window};

const SCRIPT: &str = "\
read -r -p 'Name: ' name
read -r -s -p 'Password: ' secret; echo
echo \"$name has a password of ${#secret} characters\"";

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(50);

#[tokio::main(flavor = "current_thread")]
async fn main() -> amux::Result<()> {
    let tenant = format!("example-{}", std::process::id());
    let server = Server::builder().tenant(tenant).start().await?;
    let window = server.window("main")?;
    window.create().await?;

    // One waits for the end of the script, the other answers meanwhile.
    let options = RunOptions::new().timeout(Duration::from_secs(60));
    let (output, ()) = tokio::try_join!(window.run(SCRIPT, options), answer(&window))?;

    print!("{}", output.text);
    println!("exit status {:?}", output.status());
    server.stop().await?;
    Ok(())
}

async fn answer(window: &Window) -> amux::Result<()> {
    // A question is known by its text.
    let question = ReadOptions::new(Range::SinceWrite).part(Part::Tail(1));
    while window.read(question.clone()).await?.bytes != b"Name: " {
        tokio::time::sleep(PAUSE).await;
    }
    window.write("Ada", Submit::Yes).await?;

    // A secret is known by the terminal: what is typed is not echoed.
    while window.state().await?.input != InputMode::Secret {
        tokio::time::sleep(PAUSE).await;
    }
    window.write("correct horse", Submit::Yes).await?;
    Ok(())
}
