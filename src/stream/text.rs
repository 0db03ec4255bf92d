//! Text of a terminal's output.

use std::ffi::{c_char, c_void};
use std::ptr::NonNull;

use super::{OutOfMemory, memory, sys};

/// How a [`Renderer`] works. The default is clean text of the main screen, with more to follow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// Keeps colours and other sequences as they came, and leaves out the marks alone. Nothing is resolved then.
    pub escapes: bool,
    /// No more bytes follow: what is cut at the end is no reason to keep it back.
    pub last: bool,
    /// The first byte is on the alternate screen.
    pub alternate: bool,
}

/// What came of a stream of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The text. Clean text is UTF-8.
    pub bytes: Vec<u8>,
    /// How many bytes at the end were not used, as a character or a sequence is cut there.
    pub unused: usize,
    /// Whether something on the alternate screen was left out.
    pub alternate: bool,
}

/// Turns a terminal's output into text.
///
/// Carriage returns, backspaces, tabs, cursor movement and erasing are resolved within a line as a terminal of
/// endless width would; CRLF is one newline; sequences are left out, and so is the alternate screen. What moves
/// to another line ends the line, and lines that have ended are never changed. Bytes that are no UTF-8 become U+FFFD.
#[derive(Debug)]
pub struct Renderer {
    raw: NonNull<sys::stream_text>,
    // The engine has a pointer to it, so it stays where it is.
    text: NonNull<Vec<u8>>,
}

impl Renderer {
    /// Creates a renderer.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    pub fn new(options: Options) -> Result<Self, OutOfMemory> {
        memory::count();
        let flag = |on: bool, flag: u32| if on { flag } else { 0 };
        let flags = flag(options.escapes, sys::STREAM_TEXT_ESCAPES)
            | flag(options.last, sys::STREAM_TEXT_FINAL)
            | flag(options.alternate, sys::STREAM_TEXT_ALTERNATE);
        let text = NonNull::from(Box::leak(Box::new(Vec::new())));
        // SAFETY: the vector outlives the renderer, which `Drop` frees first.
        let raw = unsafe { sys::stream_text_create(flags, Some(write), text.as_ptr().cast()) };
        match NonNull::new(raw) {
            Some(raw) => Ok(Self { raw, text }),
            None => {
                // SAFETY: it came from a box just now, and nothing else has it.
                drop(unsafe { Box::from_raw(text.as_ptr()) });
                Err(OutOfMemory)
            }
        }
    }

    /// Takes bytes.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`]; the renderer gives no more text then, and every further call fails.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), OutOfMemory> {
        // SAFETY: the renderer is valid until it is dropped, and the bytes are during the call.
        match unsafe { sys::stream_text_feed(self.raw.as_ptr(), bytes.as_ptr(), bytes.len()) } {
            0 => Ok(()),
            _ => Err(OutOfMemory),
        }
    }

    /// Returns whether what has come and was not taken is nothing but blanks.
    pub fn is_blank(&self) -> bool {
        // SAFETY: the renderer is valid until it is dropped.
        unsafe { sys::stream_text_blank(self.raw.as_ptr()) != 0 }
    }

    /// Takes the text that is ready: the lines that have ended.
    pub fn take(&mut self) -> Vec<u8> {
        // SAFETY: the renderer is valid until it is dropped.
        unsafe { sys::stream_text_flush(self.raw.as_ptr()) };
        // SAFETY: the engine uses the vector only within calls, and none is under way.
        std::mem::take(unsafe { self.text.as_mut() })
    }

    /// Ends the text, the last line with it.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    pub fn finish(mut self) -> Result<Text, OutOfMemory> {
        // SAFETY: the renderer is valid until it is dropped.
        let (unused, alternate) = unsafe {
            let unused = sys::stream_text_end(self.raw.as_ptr());
            (unused, sys::stream_text_alternate(self.raw.as_ptr()) != 0)
        };
        Ok(Text {
            unused: usize::try_from(unused).map_err(|_| OutOfMemory)?,
            bytes: self.take(),
            alternate,
        })
    }
}

impl Drop for Renderer {
    fn drop(&mut self) {
        // SAFETY: both are valid and not used after this; the engine's half goes first.
        unsafe {
            sys::stream_text_free(self.raw.as_ptr());
            drop(Box::from_raw(self.text.as_ptr()));
        }
    }
}

/// Adds to the vector that a call brought with it.
///
/// # Safety
///
/// `arg` is a vector that nothing else uses, and the text is valid.
pub(super) unsafe extern "C" fn write(arg: *mut c_void, text: *const c_char, len: usize) {
    // SAFETY: the caller says so; the engine passes no null pointer.
    let (out, text) = unsafe {
        (
            &mut *arg.cast::<Vec<u8>>(),
            std::slice::from_raw_parts(text.cast::<u8>(), len),
        )
    };
    out.extend_from_slice(text);
}

/// Turns a terminal's output into clean text at once. Without memory it ends the process, as Rust's own types do.
pub fn clean(bytes: &[u8]) -> Vec<u8> {
    let options = Options {
        last: true,
        ..Options::default()
    };
    let text = Renderer::new(options).and_then(|mut renderer| {
        renderer.feed(bytes)?;
        renderer.finish()
    });
    match text {
        Ok(text) => text.bytes,
        Err(OutOfMemory) => std::alloc::handle_alloc_error(std::alloc::Layout::new::<u8>()),
    }
}
