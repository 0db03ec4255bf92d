//! Our files in a release, and which objects are made again.

use super::{Folder, message};
use crate::overlay;

#[test]
fn c_and_headers_are_taken_sorted_and_c_gives_objects() {
    let folder = Folder::new("sorted");
    for name in ["b.c", "a.h", "a.c", "README.md", "test.sh"] {
        folder.write(name, name);
    }
    let files = overlay::read(&folder.0).unwrap();
    assert_eq!(
        files
            .iter()
            .map(|file| file.name.as_str())
            .collect::<Vec<_>>(),
        ["a.c", "a.h", "b.c"]
    );
    assert_eq!(overlay::objects(&files), ["a.o", "b.o"]);
}

#[test]
fn a_file_of_the_release_is_never_hidden() {
    let ours = Folder::new("hide-ours");
    let tree = Folder::new("hide-tree");
    ours.write("window.c", "ours");
    let theirs = tree.write("window.c", "theirs");
    let files = overlay::read(&ours.0).unwrap();
    assert!(
        message(overlay::lay(&files, &tree.0)).contains("would hide the release's own window.c")
    );
    assert_eq!(std::fs::read_to_string(theirs).unwrap(), "theirs");
}

#[test]
fn one_change_makes_our_objects_again_and_leaves_the_rest() {
    let ours = Folder::new("change-ours");
    let tree = Folder::new("change-tree");
    ours.write("a.c", "1");
    ours.write("b.c", "1");
    overlay::lay(&overlay::read(&ours.0).unwrap(), &tree.0).unwrap();
    for object in ["a.o", "b.o", "window.o"] {
        tree.write(object, "");
    }
    let time = |name: &str| {
        std::fs::metadata(tree.0.join(name))
            .unwrap()
            .modified()
            .unwrap()
    };
    let before = time("b.c");

    overlay::refresh(&overlay::read(&ours.0).unwrap(), &tree.0).unwrap();
    assert!(tree.0.join("a.o").exists(), "nothing changed");

    ours.write("a.c", "2");
    overlay::refresh(&overlay::read(&ours.0).unwrap(), &tree.0).unwrap();
    assert_eq!(std::fs::read_to_string(tree.0.join("a.c")).unwrap(), "2");
    assert_eq!(time("b.c"), before);
    let left: Vec<bool> = ["a.o", "b.o", "window.o"]
        .iter()
        .map(|object| tree.0.join(object).exists())
        .collect();
    assert_eq!(left, [false, false, true]);
}
