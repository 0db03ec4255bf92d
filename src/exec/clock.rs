//! What time it is.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Returns nanoseconds of the monotonic clock, which the stream engine takes.
pub(crate) fn monotonic() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let seconds = u64::try_from(now.tv_sec).unwrap_or_default();
    let nanoseconds = u64::try_from(now.tv_nsec).unwrap_or_default();
    seconds.saturating_mul(1_000_000_000) + nanoseconds
}

/// Returns seconds since 1970, as tmux's formats tell times.
pub(crate) fn unix() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or(Duration::ZERO)
        .as_secs()
}

/// Returns the time since boot, by the clock that starts of processes are told by.
pub(crate) fn since_boot() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    Duration::new(
        u64::try_from(now.tv_sec).unwrap_or_default(),
        u32::try_from(now.tv_nsec).unwrap_or_default(),
    )
}

/// Returns a time in ticks, as proc(5) tells times.
pub(crate) fn ticks(time: Duration) -> u64 {
    let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    millis.saturating_mul(rustix::param::clock_ticks_per_second()) / 1000
}

/// Returns microseconds since 1970, as the journal tells times.
pub(crate) fn unix_micros() -> u64 {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or(Duration::ZERO);
    u64::try_from(now.as_micros()).unwrap_or(u64::MAX)
}
