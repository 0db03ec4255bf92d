//! Waiting for a fact.

use std::time::{Duration, Instant};

/// How long a fact may take that is true within milliseconds on an idle machine.
pub const LONG: Duration = Duration::from_secs(60);

/// Between two looks at something that cannot be waited for otherwise.
const PAUSE: Duration = Duration::from_millis(10);

/// Looks until there is an answer, and returns it.
///
/// An `Err` is what is there instead; the last one is shown with what `tell` adds when time is up.
pub fn wait_until<T>(
    within: Duration,
    what: &str,
    mut look: impl FnMut() -> Result<T, String>,
    tell: impl FnOnce() -> String,
) -> T {
    let start = Instant::now();
    loop {
        match look() {
            Ok(answer) => return answer,
            Err(last) if start.elapsed() > within => {
                panic!("waited {within:?} for: {what}\nlast: {last}\n{}", tell());
            }
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
}
