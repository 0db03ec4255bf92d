//! Marks in a terminal's output.

use std::ffi::{CStr, c_int, c_void};
use std::ops::Range;
use std::ptr::NonNull;

use super::{OutOfMemory, memory, sys};

/// What a mark is, by its letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `A`: a prompt begins.
    Prompt,
    /// `B`: the prompt ends, and what is typed begins.
    Input,
    /// `C`: the line was read, and output begins.
    Output,
    /// `D`: the command ended.
    End,
    /// `I`: as `B`, up to the end of the line.
    InputLine,
    /// `L`: a fresh line.
    FreshLine,
    /// `N`: as `A`, ending what was before.
    NewPrompt,
    /// `P`: a prompt of a kind begins.
    PromptStart,
}

/// Which prompt a mark is about: its `k=`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PromptKind {
    /// `i`: the first of a command.
    Initial,
    /// `c`: of a further line that can still be edited.
    Continuation,
    /// `s`: of a further line.
    Secondary,
    /// `r`: at the right edge.
    Right,
}

/// The status that a `D` tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// None, or the mark is no `D`.
    Absent,
    /// Something that is not a number from 0 to 255.
    Invalid,
    /// The exit status.
    Code(u8),
}

/// One mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// What it is.
    pub kind: Kind,
    /// Which prompt it is about, where it says so.
    pub prompt: Option<PromptKind>,
    /// The status that it tells.
    pub status: Status,
    /// Offsets of its bytes, from its ESC to its end.
    pub bytes: Range<u64>,
    /// `aid=`: whose mark it is.
    pub aid: Option<Vec<u8>>,
    /// The command line, decoded.
    pub command_line: Option<Vec<u8>>,
    /// `pipe=`: statuses of a pipeline.
    pub pipe: Vec<u8>,
    /// Whether its payload was longer than [`MAX_PAYLOAD`](super::MAX_PAYLOAD), and cut there.
    pub cut: bool,
    /// Whether it has `w=1`: a typed line waits to be read.
    pub waiting: bool,
    /// Whether it has an `err=` that is not empty.
    pub error: bool,
}

/// What a scanner finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A mark.
    Mark(Mark),
    /// The alternate screen was entered or left.
    Alternate {
        /// Entered?
        on: bool,
        /// After the sequence.
        offset: u64,
    },
}

/// Finds the marks in a stream of bytes. Needs a few hundred bytes of memory, and 4 KiB within a long mark.
#[derive(Debug)]
pub struct Scanner(NonNull<sys::osc133_scanner>);

impl Scanner {
    /// Creates a scanner whose first byte has this offset.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    pub fn new(offset: u64) -> Result<Self, OutOfMemory> {
        memory::count();
        // SAFETY: the function takes any number.
        let scanner = unsafe { sys::osc133_create(offset) };
        NonNull::new(scanner).map(Self).ok_or(OutOfMemory)
    }

    /// Takes the next bytes and returns what was completed in them, in order.
    pub fn scan(&mut self, bytes: &[u8]) -> Vec<Event> {
        let events = sys::osc133_events {
            mark: Some(on_mark),
            alternate: Some(on_alternate),
        };
        let mut found: Vec<Event> = Vec::new();
        // SAFETY: the scanner is valid until it is dropped; the callbacks get the vector that lives until the call
        // has returned, and nothing else uses it meanwhile.
        unsafe {
            sys::osc133_scan(
                self.0.as_ptr(),
                &events,
                (&raw mut found).cast(),
                bytes.as_ptr(),
                bytes.len(),
            );
        }
        found
    }

    /// Forgets a sequence that has begun. Offsets go on.
    pub fn reset(&mut self) {
        // SAFETY: the scanner is valid until it is dropped.
        unsafe { sys::osc133_reset(self.0.as_ptr()) };
    }
}

impl Drop for Scanner {
    fn drop(&mut self) {
        // SAFETY: the scanner is valid, and not used after this.
        unsafe { sys::osc133_free(self.0.as_ptr()) };
    }
}

unsafe extern "C" fn on_mark(arg: *mut c_void, mark: *const sys::osc133_mark) {
    // SAFETY: `scan` passed this vector, and the engine a mark that is valid during the call.
    let (found, mark) = unsafe { (&mut *arg.cast::<Vec<Event>>(), &*mark) };
    // SAFETY: the mark's strings are valid, or null, during the call.
    found.extend(unsafe { to_mark(mark) }.map(Event::Mark));
}

unsafe extern "C" fn on_alternate(arg: *mut c_void, on: c_int, offset: u64) {
    // SAFETY: `scan` passed this vector.
    let found = unsafe { &mut *arg.cast::<Vec<Event>>() };
    found.push(Event::Alternate {
        on: on != 0,
        offset,
    });
}

/// # Safety
///
/// The strings of the mark are null or valid, with a NUL at their end.
unsafe fn to_mark(mark: &sys::osc133_mark) -> Option<Mark> {
    let kind = match mark.kind as u8 {
        b'A' => Kind::Prompt,
        b'B' => Kind::Input,
        b'C' => Kind::Output,
        b'D' => Kind::End,
        b'I' => Kind::InputLine,
        b'L' => Kind::FreshLine,
        b'N' => Kind::NewPrompt,
        b'P' => Kind::PromptStart,
        _ => return None,
    };
    let prompt = match mark.prompt as u8 {
        b'i' => Some(PromptKind::Initial),
        b'c' => Some(PromptKind::Continuation),
        b's' => Some(PromptKind::Secondary),
        b'r' => Some(PromptKind::Right),
        _ => None,
    };
    let status = match u8::try_from(mark.status) {
        Ok(code) => Status::Code(code),
        Err(_) if mark.status == sys::OSC133_STATUS_ABSENT => Status::Absent,
        Err(_) => Status::Invalid,
    };
    let string = |text: *const std::ffi::c_char| {
        // SAFETY: the caller says that it is valid where it is not null.
        (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_bytes().to_vec())
    };
    let npipe = (mark.npipe as usize).min(mark.pipe.len());
    Some(Mark {
        kind,
        prompt,
        status,
        bytes: mark.start..mark.end,
        aid: string(mark.aid),
        command_line: string(mark.cmdline),
        pipe: mark.pipe[..npipe].to_vec(),
        cut: mark.flags & sys::OSC133_CUT != 0,
        waiting: mark.flags & sys::OSC133_WAITING != 0,
        error: mark.flags & sys::OSC133_ERROR != 0,
    })
}
