//! The stream engine: a pane's stream, and everything that is read from it. `src/` has the work.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| amux_fuzz::run(data));
