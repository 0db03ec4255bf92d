//! The engine's memory, counted: for tests that nothing is left, and that nothing breaks where there is none.
//!
//! Counts are those of the calling thread, so tests that run at the same time do not see each other.

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::Once;

use super::sys;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static CALLS: Cell<u64> = const { Cell::new(0) };
    static FAIL_AT: Cell<Option<u64>> = const { Cell::new(None) };
}

mod c {
    use std::ffi::c_void;

    unsafe extern "C" {
        pub(super) fn malloc(size: usize) -> *mut c_void;
        pub(super) fn realloc(block: *mut c_void, size: usize) -> *mut c_void;
        pub(super) fn free(block: *mut c_void);
    }
}

/// Has the engine's memory counted. Whatever creates something of the engine calls this first.
///
/// The engine keeps the functions in variables that nothing guards: they are set once, before any thread reads them.
pub(super) fn count() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the functions have the contracts of those that they replace, as each calls the one it replaces.
        unsafe { sys::pane_stream_set_allocator(Some(allocate), Some(reallocate), Some(release)) };
    });
}

/// Returns how many blocks this thread has allocated and not freed.
pub fn live() -> isize {
    LIVE.get()
}

/// Returns how often this thread has asked for memory.
pub fn calls() -> u64 {
    CALLS.get()
}

/// Lets one request of this thread fail: the next one with 0, that after it with 1. `None` lets all succeed.
pub fn fail_at(n: Option<u64>) {
    FAIL_AT.set(n.map(|n| CALLS.get() + n));
}

/// Counts a request; returns whether it has to fail.
fn request() -> bool {
    let call = CALLS.get();
    CALLS.set(call + 1);
    FAIL_AT.get() == Some(call)
}

extern "C" fn allocate(size: usize) -> *mut c_void {
    if request() {
        return std::ptr::null_mut();
    }
    // SAFETY: malloc takes any size.
    let block = unsafe { c::malloc(size) };
    if !block.is_null() {
        LIVE.set(LIVE.get() + 1);
    }
    block
}

unsafe extern "C" fn reallocate(old: *mut c_void, size: usize) -> *mut c_void {
    if request() {
        return std::ptr::null_mut();
    }
    // SAFETY: the engine passes null or a block that malloc or realloc gave it.
    let block = unsafe { c::realloc(old, size) };
    if old.is_null() && !block.is_null() {
        LIVE.set(LIVE.get() + 1);
    }
    block
}

unsafe extern "C" fn release(block: *mut c_void) {
    if !block.is_null() {
        LIVE.set(LIVE.get() - 1);
    }
    // SAFETY: the engine passes a block that malloc or realloc gave it, once.
    unsafe { c::free(block) };
}
