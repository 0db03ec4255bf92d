//! `tmux-patches/shell/amux.bash` in real interactive shells: what is typed, and the marks that
//! come.
//!
//! `AMUX_TEST_BASH` names the bash to test; without it, the one in `PATH` is taken.

mod cycles;
mod hooks;
mod input;
mod marks;
mod nested;
mod options;
mod prompts;
mod terminal;
mod tools;
