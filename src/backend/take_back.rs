//! Throwing away a text that the shell takes for unfinished.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::backend::PaneBackend;
use crate::error::{ErrorKind, Result};
use crate::keys::Key;
use crate::names::WindowName;

/// How often it is looked whether the text has been thrown away.
const INTERVAL: Duration = Duration::from_millis(20);

/// Throws away what the shell collects behind a continuation prompt, and waits
/// for its prompt.
pub(super) async fn take_back(
    backend: &impl PaneBackend,
    target: &WindowName,
    limit: Duration,
) -> Result<()> {
    backend.keys(target, &[Key::interrupt().name()]).await?;
    let begun = Instant::now();
    loop {
        match backend.wait(target, None, Some(limit)).await {
            // A starved shell has not taken the key yet.
            Err(error) if *error.kind() == ErrorKind::Incomplete && begun.elapsed() < limit => {
                sleep(INTERVAL).await;
            }
            waited => return waited.map(drop),
        }
    }
}
