//! `amux mx`, `amux sx`, `amux ax`, and the commands `mx`, `sx`, `ax`: any tmux
//! command for a layer

use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use amux::Layer;

use crate::cmd::Result;
use crate::output;

/// Returns the layer that the command line names, and the words behind it, which
/// are tmux's alone: none is an option of amux. tmux knows no `--help`.
pub fn called(words: impl IntoIterator<Item = OsString>) -> Option<(Layer, Vec<OsString>)> {
    let mut words = words.into_iter();
    let of = |name: &OsStr| {
        Layer::ALL
            .into_iter()
            .find(|layer| name == layer.command_name())
    };
    let program = words.next()?;
    if let Some(layer) = of(Path::new(&program).file_name()?) {
        return Some((layer, words.collect()));
    }
    let layer = of(&words.next()?)?;
    let words: Vec<_> = words.collect();
    (words != ["--help"]).then_some((layer, words))
}

/// Becomes the tmux client: its status, input and output are the command's own.
pub fn pass(layer: Layer, words: Vec<OsString>) -> Result {
    if words.is_empty() {
        return attach(layer);
    }
    // Where a program reads the answer, UTF-8 stays UTF-8 in any locale.
    let utf8 = (!std::io::stdout().is_terminal()).then(|| OsString::from("-u"));
    become_client(layer.client(utf8.into_iter().chain(words))?)
}

/// Attaches the terminal to the layer.
pub fn attach(layer: Layer) -> Result {
    if !layer.is_attachable() {
        let here = Layer::of_terminal().map_or("another tmux", Layer::name);
        output::complain(&format!(
            "not attached to {layer}: this terminal is in {here}"
        ));
        return Ok(crate::FAILED);
    }
    become_client(layer.attach()?)
}

fn become_client(mut client: Command) -> Result {
    let error = client.exec();
    let program = Path::new(client.get_program());
    Err(format!("run {}: {error}", program.display()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layer_is_named_by_the_program_or_the_first_word() {
        let called = |line: &str| called(line.split(' ').map(OsString::from));
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        assert_eq!(
            called("/bin/ax ls -F x"),
            Some((Layer::Agent, words(&["ls", "-F", "x"])))
        );
        assert_eq!(called("amux sx -V"), Some((Layer::Inner, words(&["-V"]))));
        assert_eq!(called("mx"), Some((Layer::Outer, words(&[]))));
        assert_eq!(called("amux ax --help"), None);
        assert_eq!(called("amux"), None);
        assert_eq!(called("amux run ax"), None);
    }
}
