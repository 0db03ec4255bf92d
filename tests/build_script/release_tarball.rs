//! The tarball: its hash, its times.

use super::{Folder, message};
use crate::releases::Release;
use crate::tarball;

fn release(sha256: &str) -> Release {
    Release {
        version: "1.0".into(),
        sha256: sha256.into(),
        default: true,
    }
}

/// Packs files into a compressed tarball.
fn pack(files: &[(&str, &str)]) -> Vec<u8> {
    let gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut builder = tar::Builder::new(gz);
    for (name, text) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(1_000_000);
        builder
            .append_data(&mut header, name, text.as_bytes())
            .unwrap();
    }
    builder.into_inner().unwrap().finish().unwrap()
}

#[test]
fn the_hash_decides() {
    let folder = Folder::new("hash");
    // The test vector "abc" of the standard.
    let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    folder.write("tmux-1.0.tar.gz", "abc");
    assert_eq!(tarball::read(&folder.0, &release(hash)).unwrap(), b"abc");

    folder.write("tmux-1.0.tar.gz", "abd");
    let text = message(tarball::read(&folder.0, &release(hash)));
    assert!(
        text.contains("is not the release that is pinned") && text.contains(hash),
        "{text}"
    );
}

#[test]
fn a_tarball_that_is_missing_is_to_be_fetched() {
    let folder = Folder::new("fetch");
    let text = message(tarball::read(&folder.0, &release("")));
    assert!(text.contains("tmux-1.0.tar.gz is missing"), "{text}");
    assert!(text.contains("run `vendor/fetch 1.0`"), "{text}");
}

#[test]
fn times_are_kept() {
    let folder = Folder::new("times");
    tarball::unpack(
        &pack(&[("tmux-1.0/configure", "#!/bin/sh")]),
        "1.0",
        &folder.0,
    )
    .unwrap();
    let time = std::fs::metadata(folder.0.join("tmux-1.0/configure"))
        .unwrap()
        .modified()
        .unwrap();
    let since = time.duration_since(std::time::UNIX_EPOCH).unwrap();
    assert_eq!(since.as_secs(), 1_000_000);
}

#[test]
fn what_is_no_release_is_refused() {
    let folder = Folder::new("checkout");
    let text = message(tarball::unpack(
        &pack(&[("tmux-1.0/autogen.sh", "")]),
        "1.0",
        &folder.0,
    ));
    assert!(text.contains("no tmux-1.0/configure"), "{text}");
    assert!(tarball::unpack(b"not gzip", "1.0", &folder.0).is_err());
}
