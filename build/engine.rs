//! The stream engine inside the crate: the C files that need the C library alone.

use std::path::Path;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::overlay::File;
use crate::packages;

/// The headers that the crate uses, which include the C library's alone.
const HEADERS: [&str; 3] = ["stream-osc133.h", "stream-text.h", "pane-stream.h"];

/// What of them is bound: everything whose name begins so.
const NAMES: [&str; 6] = [
    "pane_stream.*",
    "PANE_STREAM_.*",
    "stream_text.*",
    "STREAM_TEXT_.*",
    "osc133_.*",
    "OSC133_.*",
];

/// Compiles the engine into the crate and writes its bindings to `OUT_DIR/engine.rs`.
///
/// `overlay` are the files in the folder `files`.
pub fn build(config: &Config, overlay: &[File], files: &Path) -> Result<()> {
    compile(config, overlay, files).map_err(|error| error.during("stream engine"))?;
    bind(config, files).map_err(|error| error.during("bindings of the stream engine"))
}

/// Tells the engine's C files by their names from those that need tmux.
fn is_source(file: &File) -> bool {
    (file.name.starts_with("stream-") || file.name.starts_with("pane-stream"))
        && file.name.ends_with(".c")
}

fn compile(config: &Config, overlay: &[File], files: &Path) -> Result<()> {
    let mut build = cc::Build::new();
    build
        .std("c99")
        .warnings(true)
        .extra_warnings(true)
        .warnings_into_errors(config.ci)
        .include(files)
        .files(
            overlay
                .iter()
                .filter(|file| is_source(file))
                .map(|file| files.join(&file.name)),
        );
    for flag in &config.engine_cflags {
        build.flag(flag);
    }
    build.try_compile("amux_engine").map_err(|error| {
        let text = error.to_string();
        if text.contains("failed to find tool") {
            packages::missing_program("cc").help(text)
        } else {
            // cc hands on what the compiler says as warnings, which Cargo shows before the error.
            Error::new(text)
                .help("what the compiler said stands above; where it is about a header of the C library:")
                .help(packages::install("libc6-dev"))
        }
    })
}

fn bind(config: &Config, files: &Path) -> Result<()> {
    // bindgen panics where it finds no libclang.
    clang_sys::load().map_err(|reason| packages::missing_libclang(&reason))?;
    let mut builder = bindgen::builder()
        .clang_arg("-std=c99")
        .layout_tests(true)
        .use_core();
    for names in NAMES {
        builder = builder
            .allowlist_function(names)
            .allowlist_type(names)
            .allowlist_var(names);
    }
    for header in HEADERS {
        builder = builder.header(files.join(header).to_string_lossy());
    }
    let path = config.out_dir.join("engine.rs");
    builder
        .generate()
        .map_err(|error| {
            let text = error.to_string();
            // libclang comes without the compiler's own headers where clang itself is missing.
            if text.contains("stddef.h") {
                packages::missing_libclang(&text)
            } else {
                Error::new(text)
            }
        })?
        .write_to_file(&path)
        .map_err(|error| Error::file("write", &path, &error))
}
