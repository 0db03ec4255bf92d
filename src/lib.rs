//! Drives programs in terminals through tmux.
