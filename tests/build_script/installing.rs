//! What is installed: the program, and the manual page with our section.

use super::{Folder, message};
use crate::install;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

#[test]
fn our_section_stands_before_environment() {
    let page = install::with_section(".Sh A\na\n.Sh ENVIRONMENT\ne\n", ".Sh OURS\no\n\n").unwrap();
    assert_eq!(page, ".Sh A\na\n.Sh OURS\no\n.Sh ENVIRONMENT\ne\n");
}

#[test]
fn a_page_without_one_such_place_is_refused() {
    for page in [
        "",
        ".Sh A\n",
        ".Sh A\n.Sh ENVIRONMENT\n.Sh B\n.Sh ENVIRONMENT\n",
    ] {
        let text = message(install::with_section(page, ".Sh OURS"));
        assert!(
            text.contains("not one section ENVIRONMENT"),
            "{page:?}: {text}"
        );
    }
}

#[test]
fn a_program_that_runs_keeps_its_file() {
    let tree = Folder::new("install-tree");
    let prefix = Folder::new("install-prefix");
    let section = tree.write("amux.1", ".Sh OURS\n");
    tree.write(
        "tmux.1",
        ".Sh FILES\n@SYSCONFDIR@/tmux.conf\n.Sh ENVIRONMENT\n",
    );
    let program = install::program(&prefix.0);
    let inode = || std::fs::metadata(&program).unwrap().ino();

    tree.write("tmux", "one");
    install::install(&tree.0, &section, &prefix.0).unwrap();
    let first = inode();
    let mode = std::fs::metadata(&program).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
    let running = std::fs::File::open(&program).unwrap();

    install::install(&tree.0, &section, &prefix.0).unwrap();
    assert_eq!(inode(), first, "nothing changed");

    tree.write("tmux", "two");
    install::install(&tree.0, &section, &prefix.0).unwrap();
    assert_ne!(inode(), first);
    assert_eq!(std::io::read_to_string(running).unwrap(), "one");
    assert_eq!(std::fs::read_to_string(&program).unwrap(), "two");
    let page = std::fs::read_to_string(prefix.0.join("share/man/man1/tmux-custom.1")).unwrap();
    assert_eq!(
        page,
        ".Sh FILES\n/etc/tmux.conf\n.Sh OURS\n.Sh ENVIRONMENT\n"
    );
    let left: Vec<_> = std::fs::read_dir(prefix.0.join("bin")).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}
