//! Which Debian package brings what the build misses.

use crate::error::Error;

/// Programs that the build runs, and the packages they are in.
const PROGRAMS: [(&str, &str); 5] = [
    ("make", "make"),
    ("patch", "patch"),
    ("cc", "gcc"),
    ("gcc", "gcc"),
    ("pkg-config", "pkg-config"),
];

/// What `configure` says when it misses something, what that is, and its packages.
const CONFIGURE: [(&str, &str, &str); 6] = [
    (
        "libevent not found",
        "libevent, or its headers,",
        "libevent-dev",
    ),
    (
        "curses not found",
        "ncurses, or its headers,",
        "libncurses-dev",
    ),
    ("no acceptable C compiler", "a C compiler", "gcc libc6-dev"),
    (
        "cannot run C compiled programs",
        "what the C compiler needs to build a program",
        "gcc libc6-dev",
    ),
    (
        "C compiler cannot create executables",
        "what the C compiler needs to build a program",
        "gcc libc6-dev",
    ),
    (
        "pkg-config script could not be found",
        "pkg-config",
        "pkg-config",
    ),
];

/// What a compiler says about a header that is missing, and the package it is in.
const HEADERS: [(&str, &str); 7] = [
    ("event.h", "libevent-dev"),
    ("event2/event.h", "libevent-dev"),
    ("curses.h", "libncurses-dev"),
    ("ncurses.h", "libncurses-dev"),
    ("term.h", "libncurses-dev"),
    ("stdio.h", "libc6-dev"),
    ("stdlib.h", "libc6-dev"),
];

/// Tells that a program is missing.
pub fn missing_program(program: &str) -> Error {
    let error = Error::new(format!("the program {program} was not found"));
    match PROGRAMS.iter().find(|(known, _)| *known == program) {
        Some((_, package)) => error.help(install(package)),
        None => error,
    }
}

/// Reads off what `configure` printed which header, library or tool it misses.
pub fn missing_for_configure(printed: &str) -> Option<Error> {
    let (_, what, packages) = CONFIGURE
        .iter()
        .find(|(said, _, _)| printed.contains(said))?;
    Some(Error::new(format!("{what} was not found")).help(install(packages)))
}

/// Reads off what a compiler printed which header it misses.
pub fn missing_header(printed: &str) -> Option<Error> {
    let line = printed
        .lines()
        .find(|line| line.contains("fatal error:") && line.contains("No such file"))?;
    let (header, package) = HEADERS
        .iter()
        .find(|(header, _)| line.contains(&format!("error: {header}:")))?;
    Some(Error::new(format!("the header {header} was not found")).help(install(package)))
}

/// Tells that libclang is missing.
pub fn missing_libclang(reason: &str) -> Error {
    Error::new("libclang was not found; bindgen reads the engine's headers with it")
        .help(reason)
        .help(install("libclang-dev"))
}

/// Tells how a package is installed.
pub fn install(packages: &str) -> String {
    format!("on Debian: apt-get install {packages}")
}
