//! What the engine is to do, written from its description and without looking at it.

pub mod commands;
pub mod eol;
pub mod marks;
pub mod parse;
pub mod payload;
pub mod text;
