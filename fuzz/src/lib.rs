//! What the fuzz target does with its inputs.
//!
//! [`Input`](input::Input) is what is done to a stream, read from the fuzzer's bytes. [`life`] does it, and looks
//! after each step whether everything is as it has to be; [`render`] does that for what is read from the stream.
//! `model` is that of the crate's own tests.

mod facts;
pub mod input;
mod life;
#[allow(dead_code)]
#[path = "../../tests/stream/model/mod.rs"]
mod model;
mod render;
mod scarce;

use amux::stream::memory;

/// Does what an input says. Panics where something is not as it has to be.
pub fn run(data: &[u8]) {
    let before = memory::live();
    let input = input::Input::read(data);
    if input.scarce() {
        scarce::run(&input);
    } else {
        life::run(&input);
    }
    assert_eq!(memory::live(), before, "all memory is given back");
}
