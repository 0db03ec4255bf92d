//! The stream of a pane.

use std::cell::UnsafeCell;
use std::ffi::CString;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::text::write;
use super::{OutOfMemory, Record, Rendered, Rendering, memory, sys};

/// What the streams of one server share: how much memory their bytes may take, and the ids of commands.
///
/// Its streams may be on several threads: whatever changes a stream holds the pool's lock meanwhile.
#[derive(Debug, Clone, Default)]
pub struct Pool(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    lock: Mutex<()>,
    pool: UnsafeCell<sys::pane_stream_pool>,
}

// SAFETY: the pool has three numbers and no pointer, and is used under the lock alone.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Default for Shared {
    fn default() -> Self {
        Self {
            lock: Mutex::default(),
            pool: UnsafeCell::new(sys::pane_stream_pool {
                limit: 0,
                used: 0,
                last_id: 0,
            }),
        }
    }
}

impl Shared {
    /// Locks the pool. The engine does not panic, so a poisoned lock is as good as any.
    fn lock(&self) -> MutexGuard<'_, ()> {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pool {
    /// Creates a pool with a limit for the bytes of all its streams; 0 is 512 MiB.
    pub fn new(limit: u64) -> Self {
        let pool = Self::default();
        pool.set_limit(limit);
        pool
    }

    /// Sets the limit. Streams that are over it keep what they have, and do not grow.
    pub fn set_limit(&self, limit: u64) {
        let _guard = self.0.lock();
        // SAFETY: the lock is held, so nothing else uses the pool.
        unsafe { (*self.0.pool.get()).limit = limit };
    }

    /// Returns how many bytes the streams take together.
    pub fn used(&self) -> u64 {
        let _guard = self.0.lock();
        // SAFETY: as in `set_limit`.
        unsafe { (*self.0.pool.get()).used }
    }

    /// Gives out an id for a command that no stream has.
    pub fn next_id(&self) -> u64 {
        let _guard = self.0.lock();
        // SAFETY: as in `set_limit`.
        let last = unsafe { &mut (*self.0.pool.get()).last_id };
        *last += 1;
        *last
    }

    /// Lets the next command have an id above this one, which somebody else has given out.
    pub fn skip_to(&self, id: u64) {
        let _guard = self.0.lock();
        // SAFETY: as in `set_limit`.
        let last = unsafe { &mut (*self.0.pool.get()).last_id };
        *last = id.max(*last);
    }
}

/// Where the shell is, as its marks tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// No mark of its own shell was seen.
    NoMarks,
    /// It writes its prompt.
    Prompt,
    /// It reads a line.
    Input,
    /// A command runs.
    Output,
    /// A command has ended, and no prompt came yet.
    Between,
}

/// What is known about the prompt that something is submitted at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum AtPrompt {
    /// Nothing.
    #[default]
    Unknown,
    /// It is empty, and nothing is on its way to it.
    Empty,
    /// The same, and what is submitted is one line.
    EmptyForLine,
}

/// What the marks say of a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Readiness {
    /// It is settled, or not known.
    Finished,
    /// It has not ended.
    NotReady,
    /// A prompt came, after its command.
    Ready,
    /// A prompt came, and before it the end of a command that may have read the input.
    IfCalm,
    /// A prompt came, but no command was seen.
    IfQuiet,
    /// There are no marks: only quiet can tell.
    Unmarked,
}

/// The output of a pane: its newest bytes, how far they were read, and the records of its commands.
///
/// The owner tells each byte once, and what time it is (ns of a clock that does not go back).
#[derive(Debug)]
pub struct PaneStream {
    raw: NonNull<sys::pane_stream>,
    // The engine has a pointer into it.
    pool: Pool,
}

// SAFETY: the engine keeps nothing that belongs to a thread, and the pool is locked by whatever changes a stream.
unsafe impl Send for PaneStream {}

impl PaneStream {
    /// Creates a stream that has no bytes yet.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    pub fn new(pool: &Pool) -> Result<Self, OutOfMemory> {
        Self::at(pool, 0)
    }

    /// Creates a stream whose first byte has this offset.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    pub fn at(pool: &Pool, offset: u64) -> Result<Self, OutOfMemory> {
        memory::count();
        let guard = pool.0.lock();
        // SAFETY: the pool is kept as long as the stream, and does not move; its lock is held.
        let raw = unsafe { sys::pane_stream_create_at(pool.0.pool.get(), offset) };
        drop(guard);
        let raw = NonNull::new(raw).ok_or(OutOfMemory)?;
        Ok(Self {
            raw,
            pool: pool.clone(),
        })
    }

    /// Sets how many bytes are kept at most; it keeps the newest of what it has.
    pub fn set_limit(&mut self, limit: u64) {
        let _guard = self.pool.0.lock();
        // SAFETY: the stream is valid until it is dropped.
        unsafe { sys::pane_stream_set_limit(self.raw.as_ptr(), limit) };
    }

    /// Sets whose marks are ours, by their `aid=`. A nonce ends at its first NUL, which it should not have.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    pub fn set_nonce(&mut self, nonce: Option<&[u8]>) -> Result<(), OutOfMemory> {
        let nonce = nonce.map(|nonce| {
            let end = nonce.iter().position(|&byte| byte == 0);
            CString::new(&nonce[..end.unwrap_or(nonce.len())]).unwrap_or_default()
        });
        let pointer = nonce
            .as_ref()
            .map_or(std::ptr::null(), |nonce| nonce.as_ptr());
        // SAFETY: the stream is valid until it is dropped, and the string is during the call.
        match unsafe { sys::pane_stream_set_nonce(self.raw.as_ptr(), pointer) } {
            0 => Ok(()),
            _ => Err(OutOfMemory),
        }
    }

    /// Takes output.
    pub fn append(&mut self, bytes: &[u8], now: u64) {
        let _guard = self.pool.0.lock();
        // SAFETY: the stream is valid until it is dropped, and the bytes are during the call.
        unsafe {
            sys::pane_stream_append(self.raw.as_ptr(), bytes.as_ptr(), bytes.len(), now);
        }
    }

    /// Notes that the pane's process has ended: what ran is lost. Marks start afresh, and the nonce is dropped.
    pub fn end(&mut self, now: u64) {
        let _guard = self.pool.0.lock();
        // SAFETY: the stream is valid until it is dropped.
        unsafe { sys::pane_stream_end(self.raw.as_ptr(), now) };
    }

    /// Notes that input is submitted: so many lines at most, and what is known about the prompt it goes to.
    /// Returns the command's id, or `None` without memory or where too many are pending.
    pub fn submit(&mut self, lines: u32, at: AtPrompt, now: u64) -> Option<u64> {
        let _guard = self.pool.0.lock();
        let exact = match at {
            AtPrompt::Unknown => 0,
            AtPrompt::Empty => sys::PANE_STREAM_EXACT,
            AtPrompt::EmptyForLine => sys::PANE_STREAM_EXACT_LINE,
        };
        // SAFETY: the stream is valid until it is dropped.
        let id = unsafe { sys::pane_stream_submit(self.raw.as_ptr(), lines, exact as _, now) };
        (id != 0).then_some(id)
    }

    /// Notes that something is written without submitting it.
    pub fn set_mark(&mut self) {
        // SAFETY: the stream is valid until it is dropped.
        unsafe { sys::pane_stream_set_mark(self.raw.as_ptr()) };
    }

    /// Returns what the marks say of a submission.
    pub fn ready(&self, id: u64) -> Readiness {
        // SAFETY: the stream is valid until it is dropped.
        match unsafe { sys::pane_stream_ready(self.raw.as_ptr(), id) } {
            sys::pane_stream_readiness_PANE_STREAM_FINISHED_ALREADY => Readiness::Finished,
            sys::pane_stream_readiness_PANE_STREAM_READY => Readiness::Ready,
            sys::pane_stream_readiness_PANE_STREAM_READY_IF_CALM => Readiness::IfCalm,
            sys::pane_stream_readiness_PANE_STREAM_READY_IF_QUIET => Readiness::IfQuiet,
            sys::pane_stream_readiness_PANE_STREAM_READY_UNMARKED => Readiness::Unmarked,
            _ => Readiness::NotReady,
        }
    }

    /// Settles all submissions up to this one.
    pub fn settle(&mut self, id: u64, now: u64) {
        let _guard = self.pool.0.lock();
        // SAFETY: the stream is valid until it is dropped.
        unsafe { sys::pane_stream_settle(self.raw.as_ptr(), id, now) };
    }

    /// Returns each record once when it is finished, the oldest first; also one that is
    /// [`Ended::Nothing`](super::Ended::Nothing).
    pub fn next_finished(&mut self) -> Option<Record> {
        // SAFETY: the stream is valid until it is dropped.
        match unsafe { sys::pane_stream_next_finished(self.raw.as_ptr()) } {
            0 => None,
            id => self.find(id),
        }
    }

    /// Counts everything before an offset as read. It never moves back.
    pub fn set_cursor(&mut self, offset: u64) {
        // SAFETY: the stream is valid until it is dropped.
        unsafe { sys::pane_stream_set_cursor(self.raw.as_ptr(), offset) };
    }

    /// Returns where the shell is.
    pub fn phase(&self) -> Phase {
        // SAFETY: the stream is valid until it is dropped.
        match unsafe { sys::pane_stream_phase(self.raw.as_ptr()) } {
            sys::pane_stream_phase_PANE_STREAM_PROMPT => Phase::Prompt,
            sys::pane_stream_phase_PANE_STREAM_INPUT => Phase::Input,
            sys::pane_stream_phase_PANE_STREAM_OUTPUT => Phase::Output,
            sys::pane_stream_phase_PANE_STREAM_BETWEEN => Phase::Between,
            _ => Phase::NoMarks,
        }
    }

    /// Returns a record by its index from the oldest that is kept. Those of which nothing came are not among them.
    pub fn record(&self, index: u32) -> Option<Record> {
        // SAFETY: the stream is valid, and the engine fills in the record where it returns 1.
        self.fetch(|raw, out| unsafe { sys::pane_stream_get(raw, index, out) })
    }

    /// Returns the records that are kept, the oldest first.
    pub fn records(&self) -> impl Iterator<Item = Record> + '_ {
        (0..).map_while(|index| self.record(index))
    }

    /// Returns a record by its id.
    pub fn find(&self, id: u64) -> Option<Record> {
        // SAFETY: as in `record`.
        self.fetch(|raw, out| unsafe { sys::pane_stream_find(raw, id, out) })
    }

    /// Returns the newest record that has started.
    pub fn last(&self) -> Option<Record> {
        // SAFETY: as in `record`.
        self.fetch(|raw, out| unsafe { sys::pane_stream_last(raw, out) })
    }

    /// Returns the newest record that has ended.
    pub fn last_ended(&self) -> Option<Record> {
        // SAFETY: as in `record`.
        self.fetch(|raw, out| unsafe { sys::pane_stream_last_ended(raw, out) })
    }

    fn fetch(
        &self,
        get: impl FnOnce(*const sys::pane_stream, *mut sys::pane_stream_record) -> std::ffi::c_int,
    ) -> Option<Record> {
        let mut raw = MaybeUninit::uninit();
        (get(self.raw.as_ptr(), raw.as_mut_ptr()) != 0).then(|| {
            // SAFETY: the engine has filled it in, and has not changed the stream since.
            unsafe { Record::from_raw(raw.assume_init_ref()) }
        })
    }

    /// Renders the bytes of a range. Where more may follow it (`last` is false), what is cut at its end is left.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    pub fn render(
        &self,
        range: Range<u64>,
        how: Rendering,
        last: bool,
    ) -> Result<Rendered, OutOfMemory> {
        let mut bytes: Vec<u8> = Vec::new();
        let mut raw = MaybeUninit::uninit();
        // SAFETY: the stream is valid; the vector is used by the callback alone until the call has returned; the
        // engine fills in the result in any case.
        let raw = unsafe {
            sys::pane_stream_render(
                self.raw.as_ptr(),
                range.start,
                range.end,
                how.to_raw(),
                last.into(),
                Some(write),
                (&raw mut bytes).cast(),
                raw.as_mut_ptr(),
            );
            raw.assume_init()
        };
        if raw.failed != 0 {
            return Err(OutOfMemory);
        }
        Ok(Rendered {
            bytes,
            end: raw.end,
            missing: raw.missing,
            alternate: raw.alternate != 0,
        })
    }
}

/// Questions that have a number or a yes for an answer.
macro_rules! ask {
    ($($(#[$doc:meta])* $name:ident, $function:ident, $type:ty, $raw:ident => $value:expr;)*) => {
        impl PaneStream {
            $(
                $(#[$doc])*
                pub fn $name(&self) -> $type {
                    // SAFETY: the stream is valid until it is dropped.
                    let $raw = unsafe { sys::$function(self.raw.as_ptr()) };
                    $value
                }
            )*
        }
    };
}

ask! {
    /// Returns how many bytes were ever appended, and the offset of the next.
    total, pane_stream_total, u64, n => n;
    /// Returns the offset of the oldest byte that is kept.
    oldest, pane_stream_oldest, u64, n => n;
    /// Returns up to where the stream was read.
    cursor, pane_stream_cursor, u64, n => n;
    /// Returns where the stream was when something was last written.
    mark, pane_stream_mark, u64, n => n;
    /// Returns how many bytes are kept and not read.
    unread, pane_stream_unread, u64, n => n;
    /// Returns how many bytes were overwritten before they were read.
    dropped, pane_stream_dropped, u64, n => n;
    /// Returns how much memory the bytes take.
    size, pane_stream_size, u64, n => n;
    /// Returns when bytes last came.
    last_append, pane_stream_last_append, Option<u64>, n => (n != u64::MAX).then_some(n);
    /// Returns the id of the oldest submission that is not settled.
    pending, pane_stream_pending, Option<u64>, n => (n != 0).then_some(n);
    /// Returns whether the last prompt said that a typed line waits.
    waiting, pane_stream_waiting, bool, n => n != 0;
    /// Returns whether the shell wants more of a line: its newest mark is a continuation prompt.
    continuation, pane_stream_continuation, bool, n => n != 0;
    /// Returns whether a mark with the nonce was seen.
    integrated, pane_stream_integrated, bool, n => n != 0;
    /// Returns whether marks that are not ours came since the last command began.
    foreign, pane_stream_foreign, bool, n => n != 0;
    /// Returns whether the alternate screen is on.
    alternate, pane_stream_alternate, bool, n => n != 0;
    /// Returns whether nothing is typed at the prompt, as far as its echo tells.
    prompt_empty, pane_stream_prompt_empty, bool, n => n != 0;
    /// Returns how many records are kept; those of which nothing came are not counted.
    count, pane_stream_count, u32, n => n;
}

impl PaneStream {
    /// Returns whether an id was given out by this stream and its record is not kept any more.
    pub fn forgotten(&self, id: u64) -> bool {
        // SAFETY: the stream is valid until it is dropped.
        unsafe { sys::pane_stream_forgotten(self.raw.as_ptr(), id) != 0 }
    }

    /// Returns the bytes at an offset that lie in one piece; none where they are not kept.
    pub fn peek(&self, offset: u64) -> &[u8] {
        let mut piece = std::ptr::null();
        // SAFETY: the stream is valid until it is dropped, and its bytes stay where they are until it is changed,
        // which takes a mutable reference.
        unsafe {
            match sys::pane_stream_peek(self.raw.as_ptr(), offset, &mut piece) {
                0 => &[],
                len => std::slice::from_raw_parts(piece, len),
            }
        }
    }
}

impl Drop for PaneStream {
    fn drop(&mut self) {
        let _guard = self.pool.0.lock();
        // SAFETY: the stream is valid and not used after this, and the pool goes after it.
        unsafe { sys::pane_stream_free(self.raw.as_ptr()) };
    }
}
