//! Where a server listens, as the tmux client finds it (tmux.c).

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Returns the path of a socket that `-L` names: in a folder of the user's under
/// `TMUX_TMPDIR` or, where that is no path that exists, under `/tmp`; links
/// followed up to there. An error is what the client says.
///
/// The folder is not made: where it is missing there is no server.
pub(crate) fn of_name(name: &str) -> Result<PathBuf, String> {
    in_one_of(&[env::var_os("TMUX_TMPDIR"), Some("/tmp/".into())], name)
}

fn in_one_of(parents: &[Option<OsString>], name: &str) -> Result<PathBuf, String> {
    let parent = parents
        .iter()
        .flatten()
        .find_map(|parent| fs::canonicalize(parent).ok())
        .ok_or("no suitable socket path")?;
    let user = rustix::process::getuid().as_raw();
    let folder = parent.join(format!("tmux-{user}"));
    check(&folder, user)?;
    Ok(folder.join(name))
}

/// A folder that others can enter is refused: whoever may write there could
/// listen in the server's place.
fn check(folder: &Path, user: u32) -> Result<(), String> {
    let Ok(found) = fs::symlink_metadata(folder) else {
        return Ok(());
    };
    let shown = folder.display();
    match () {
        () if !found.is_dir() => Err(format!("{shown} is not a directory")),
        () if found.uid() != user || found.permissions().mode() & 0o007 != 0 => {
            Err(format!("directory {shown} has unsafe permissions"))
        }
        () => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn first_parent_that_exists_is_taken_without_links() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap().join("real");
        fs::create_dir(&real).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let user = rustix::process::getuid().as_raw();
        let expected = real.join(format!("tmux-{user}/s"));
        for parents in [
            [Some(link.into()), None],
            [Some("".into()), Some(real.clone().into())],
            [Some("/nonexistent".into()), Some(real.clone().into())],
            [None, Some(real.clone().into())],
        ] {
            assert_eq!(in_one_of(&parents, "s"), Ok(expected.clone()));
        }
        assert!(in_one_of(&[None], "s").is_err());
    }

    #[test]
    fn folder_that_others_can_enter_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let user = rustix::process::getuid().as_raw();
        let folder = parent.path().join(format!("tmux-{user}"));
        let find = || in_one_of(&[Some(parent.path().into())], "s");
        fs::write(&folder, "").unwrap();
        assert!(find().unwrap_err().ends_with("is not a directory"));
        fs::remove_file(&folder).unwrap();
        fs::create_dir(&folder).unwrap();
        mode(&folder, 0o701);
        assert!(find().unwrap_err().ends_with("has unsafe permissions"));
        // tmux lets the group in where server-access shares a server.
        mode(&folder, 0o770);
        assert!(find().is_ok());
    }
}
