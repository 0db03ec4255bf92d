//! `amux init`

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use amux::{PANE_ENVIRONMENT, SHELL_INTEGRATION, ShellKind};

use crate::args::{Init, Place};
use crate::cmd::Result;
use crate::output;
use crate::rest::quoted;

/// Name of the profile in the home folder; fish, which reads no sh, has its own.
const PROFILE: &str = ".agent_profile";
const FISH_PROFILE: &str = ".agent_profile.fish";

/// The locale of which only the name is needed: English messages, UTF-8.
const LOCALE: &str = "C.UTF-8";

pub fn init(place: &Place, args: Init) -> Result {
    let shell = place.shell.as_ref().map(amux::Shell::kind);
    let fish = shell == Some(ShellKind::Fish);
    let folder = integration()?;
    let text = match fish {
        true => for_fish(&folder),
        false => for_bash_and_zsh(&folder),
    };
    if args.print {
        output::bytes(text.as_bytes())?;
        return Ok(0);
    }
    let path = match args.path {
        Some(path) => path,
        None => home()?.join(if fish { FISH_PROFILE } else { PROFILE }),
    };
    match create(&path, &text) {
        Ok(()) => output::line(&path.display().to_string())?,
        // It may be the user's own work by now.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => output::complain(&format!(
            "{} is there already and stays as it is; --print shows what a new one would be",
            path.display()
        )),
        Err(error) => return Err(format!("write {}: {error}", path.display()).into()),
    }
    Ok(0)
}

/// Creates a file, never over one that is there, nor through a link.
fn create(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())
}

fn home() -> Result<PathBuf> {
    let home = std::env::var_os("HOME").filter(|path| !path.is_empty());
    Ok(home.map(PathBuf::from).ok_or("HOME is not set")?)
}

/// The folder with the shell integration: where `amux install` put it, beside
/// this program; else a copy among the user's data, which is made here.
fn integration() -> Result<PathBuf> {
    let installed = std::env::current_exe()?
        .parent()
        .and_then(Path::parent)
        .map(|prefix| prefix.join("share/amux/shell"));
    if let Some(folder) = installed.filter(|folder| folder.join("amux.zsh").is_file()) {
        return Ok(folder);
    }
    let data = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from);
    let data = match data.filter(|path| path.is_absolute()) {
        Some(path) => path,
        None => home()?.join(".local/share"),
    };
    let folder = data.join("amux/shell");
    for (name, text) in SHELL_INTEGRATION {
        let path = folder.join(name);
        copy(&path, text).map_err(|error| format!("write {}: {error}", path.display()))?;
    }
    Ok(folder)
}

/// Writes a file anew: one of another version is replaced in one go.
fn copy(path: &Path, text: &str) -> io::Result<()> {
    if fs::read(path).is_ok_and(|found| found == text.as_bytes()) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path)?;
    Ok(())
}

/// The variables that panes of an amux server have, with a locale that this
/// system knows.
fn environment() -> Vec<(&'static str, String)> {
    let known = Command::new("locale").arg("-a").output();
    let known = known.map_or_else(
        |_| String::new(),
        |output| String::from_utf8_lossy(&output.stdout).into_owned(),
    );
    PANE_ENVIRONMENT
        .into_iter()
        .map(|(name, value)| match name {
            "LC_ALL" => (name, locale(&known)),
            _ => (name, value.to_owned()),
        })
        .collect()
}

/// A UTF-8 locale among those that `locale -a` lists, C's or English where there
/// is one. Where it lists none, C's: musl has no list.
fn locale(known: &str) -> String {
    let plain = |name: &str| name.to_lowercase().replace('-', "");
    let utf8 = || known.lines().filter(|name| plain(name).ends_with(".utf8"));
    let named = |wanted: &str| utf8().find(|name| plain(name) == plain(wanted));
    let found = match named(LOCALE) {
        Some(_) => Some(LOCALE),
        None => named("en_US.UTF-8").or_else(|| utf8().next()),
    };
    found.unwrap_or(LOCALE).to_owned()
}

fn for_bash_and_zsh(folder: &Path) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let script = |name: &str| quoted(&folder.join(name).to_string_lossy());
    let (bash, zsh) = (script("amux.bash"), script("amux.zsh"));
    let variables: String = environment()
        .iter()
        .map(|(name, value)| format!("export {name}={}\n", quoted(value)))
        .collect();
    format!(
        "# shellcheck shell=bash disable=SC1090,SC1091
# What the shell of an agent starts with, for bash and zsh. Written by amux
# {version} (amux init), which never writes over it: change it as you like.
#
#   bash --rcfile ~/{PROFILE}    a shell that reads it in place of .bashrc
#   . ~/{PROFILE}                in .bashrc or .zshrc
#
# fish reads no sh: amux init --shell fish.

# In place of .bashrc: PATH and what else is set there is wanted all the same.
# Not where .bashrc itself reads this.
if [ -n \"${{BASH_VERSION-}}\" ] && [ -z \"${{agent_profile-}}\" ]; then
	agent_profile=yes
	if [ \"${{#BASH_SOURCE[@]}}\" -eq 1 ] && [ -r ~/.bashrc ]; then
		. ~/.bashrc
	fi
fi

# UTF-8 and English messages; and no pager, which would wait for a key.
{variables}
# Tells the terminal where each command begins, ends and how it ended.
case $- in
*i*)
	if [ -n \"${{BASH_VERSION-}}\" ] && [ -r {bash} ]; then
		. {bash}
	elif [ -n \"${{ZSH_VERSION-}}\" ] && [ -r {zsh} ]; then
		. {zsh}
	fi
	;;
esac
"
    )
}

fn for_fish(folder: &Path) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let script = quoted(&folder.join("amux.fish").to_string_lossy());
    let variables: String = environment()
        .iter()
        .map(|(name, value)| format!("set -gx {name} {}\n", quoted(value)))
        .collect();
    format!(
        "# What the shell of an agent starts with, for fish. Written by amux
# {version} (amux init --shell fish), which never writes over it: change it as
# you like.
#
#   fish --init-command 'source ~/{FISH_PROFILE}'    behind config.fish
#   source ~/{FISH_PROFILE}                          in config.fish

# UTF-8 and English messages; and no pager, which would wait for a key.
{variables}
# Tells the terminal where each command begins, ends and how it ended.
if status is-interactive; and test -r {script}
    source {script}
end
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locale_is_one_that_there_is() {
        assert_eq!(locale("C\nC.utf8\nPOSIX\n"), "C.UTF-8");
        assert_eq!(locale("C\nC.UTF-8\nen_US.utf8\n"), "C.UTF-8");
        assert_eq!(locale("C\nde_DE.utf8\nen_US.utf8\n"), "en_US.utf8");
        assert_eq!(locale("C\nde_DE\nde_DE.utf8\n"), "de_DE.utf8");
        assert_eq!(locale(""), "C.UTF-8");
    }
}
