//! The stream engine: cases in readable files, and properties against a model of its own.
//!
//! `data/*.txt` are cases, `script.rs` runs them. `model/` does what the engine does, in another way: it has all
//! bytes at once and no state machine. `proptest` prints the seed of a failure; `PROPTEST_CASES` sets how many are
//! tried.

mod cases;
mod commands;
mod file;
mod finished;
mod generate;
mod linear;
mod marks;
mod memory;
mod model;
mod ring;
mod script;
mod text;
