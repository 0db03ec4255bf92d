//! Errors name the package that helps.

use crate::error::Error;
use crate::packages;

#[test]
fn programs_have_their_packages() {
    for (program, package) in [("make", "make"), ("patch", "patch"), ("cc", "gcc")] {
        let text = packages::missing_program(program).to_string();
        assert!(
            text.contains(&format!("the program {program} was not found")),
            "{text}"
        );
        assert!(
            text.ends_with(&format!("apt-get install {package}")),
            "{text}"
        );
    }
}

#[test]
fn what_configure_misses_has_its_package() {
    for (said, package) in [
        ("configure: error: \"libevent not found\"", "libevent-dev"),
        ("configure: error: \"curses not found\"", "libncurses-dev"),
        (
            "configure: error: no acceptable C compiler found in $PATH",
            "gcc libc6-dev",
        ),
    ] {
        let printed = format!("checking for gcc... gcc\n{said}\n");
        let error = packages::missing_for_configure(&printed).unwrap();
        assert!(
            error
                .to_string()
                .ends_with(&format!("apt-get install {package}")),
            "{error}"
        );
    }
    assert_eq!(
        packages::missing_for_configure("configure: error: \"utempter not found\""),
        None
    );
}

#[test]
fn a_header_that_is_missing_has_its_package() {
    let line =
        |header: &str| format!("tmux.h:27:10: fatal error: {header}: No such file or directory");
    let error = packages::missing_header(&line("event2/event.h")).unwrap();
    assert!(error.to_string().contains("libevent-dev"), "{error}");
    assert_eq!(packages::missing_header(&line("amux-pane.h")), None);
}

#[test]
fn an_error_is_lines_with_the_step_in_front() {
    let error = Error::new("a failed")
        .help("because\nof b")
        .during("make")
        .during("tmux 3.5a");
    assert_eq!(
        error.lines(),
        ["tmux 3.5a: make: a failed", "because", "of b"]
    );
}
