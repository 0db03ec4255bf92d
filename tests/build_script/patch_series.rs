//! `series` files.

use super::{Folder, message};
use crate::series;

#[test]
fn comments_and_blank_lines_mean_nothing() {
    let names =
        series::parse("# the hooks\n\n0001-a.patch\n  0002-b.patch  # why\n#0003-c.patch\n")
            .unwrap();
    assert_eq!(names, ["0001-a.patch", "0002-b.patch"]);
    assert_eq!(series::parse("").unwrap(), Vec::<String>::new());
}

#[test]
fn lines_that_are_no_file_names_are_refused() {
    for (text, said) in [
        ("a.patch\n../b.patch\n", "line 2: \"../b.patch\""),
        ("a.patch -p0\n", "line 1: \"a.patch -p0\""),
        ("a.patch\n\na.patch\n", "line 3: a.patch is listed twice"),
    ] {
        let found = message(series::parse(text));
        assert!(found.contains(said), "{found}");
    }
}

#[test]
fn patches_come_in_the_order_of_the_series() {
    let folder = Folder::new("order");
    folder.write("series", "b.patch\na.patch\n");
    folder.write("a.patch", "A");
    folder.write("b.patch", "B");
    folder.write("README", "no patch: it need not be listed");
    let patches = series::read(&folder.0).unwrap();
    let texts: Vec<&[u8]> = patches.iter().map(|patch| patch.text.as_slice()).collect();
    assert_eq!(texts, [b"B", b"A"]);
}

#[test]
fn a_file_that_is_listed_and_missing_is_named() {
    let folder = Folder::new("missing");
    folder.write("series", "a.patch\n");
    assert!(
        message(series::read(&folder.0)).contains("a.patch is listed, and there is no such file")
    );
}

#[test]
fn a_patch_that_is_not_listed_is_named() {
    let folder = Folder::new("stray");
    folder.write("series", "a.patch\n#b.patch\n");
    folder.write("a.patch", "");
    folder.write("b.patch", "");
    assert!(message(series::read(&folder.0)).contains("b.patch is there, and is not listed"));
}

#[test]
fn a_version_without_a_series_is_named() {
    let folder = Folder::new("none");
    let text = message(series::read(&folder.0.join("9.9")));
    assert!(text.contains("9.9/series"), "{text}");
}
