//! `amux generate`: the manual page and the completions, made of what the
//! command line takes, so that they never differ from it.

use std::io::{self, Write};

use clap::{ArgAction, Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::args::{Args, Generate, GenerateShell};
use crate::cmd::Result;
use crate::output;

/// When the text that is not made of the command line was last changed.
const DATE: &str = "2026-11-30";

/// What stands behind the commands, in roff.
const REST: &str = include_str!("generate/rest.roff");

pub fn generate(args: Generate) -> Result {
    output::bytes(&match args {
        Generate::Man => manual()?,
        Generate::Completions { shell } => completions(shell),
    })?;
    Ok(0)
}

/// Returns the manual page `amux(1)`, with a section for each command.
pub fn manual() -> io::Result<Vec<u8>> {
    let mut command = Args::command();
    command.build();
    let version = env!("CARGO_PKG_VERSION");
    let page = Man::new(with_usage(Args::command()))
        .title("AMUX")
        .section("1")
        .source(format!("amux {version}"))
        .manual("General Commands Manual")
        .date(DATE);
    let mut text = Vec::new();
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    page.render_description_section(&mut text)?;
    page.render_options_section(&mut text)?;
    writeln!(text, ".SH COMMANDS")?;
    for command in command.get_subcommands() {
        section(&mut text, command)?;
    }
    text.write_all(REST.as_bytes())?;
    // clap_mangen parts the values that an option may have from its text by an
    // empty line between two breaks, which mandoc complains of.
    let text = String::from_utf8_lossy(&text).replace(".br\n\n.br\n", ".br\n");
    Ok(text.into_bytes())
}

/// Writes how a command is called, what it does and its options; then the same
/// of the commands below it.
fn section(text: &mut Vec<u8>, command: &Command) -> io::Result<()> {
    if command.is_hide_set() || command.get_name() == "help" {
        return Ok(());
    }
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    if command.has_subcommands() {
        return command
            .get_subcommands()
            .try_for_each(|command| section(text, command));
    }
    writeln!(text, ".SS {name}")?;
    // The options of every command stand once, above.
    let of_all = |action: &ArgAction| matches!(action, ArgAction::Help | ArgAction::HelpShort);
    let own = with_usage(command.clone()).mut_args(|arg| {
        let hide = arg.is_global_set() || of_all(arg.get_action());
        arg.hide(hide)
    });
    let page = Man::new(own);
    let mut parts = Vec::new();
    page.render_synopsis_section(&mut parts)?;
    writeln!(parts, ".PP")?;
    page.render_description_section(&mut parts)?;
    page.render_options_section(&mut parts)?;
    // Parts of a section have no headings of their own, and the page has the
    // definition of the apostrophe, which is before each, already.
    let again: [&[u8]; 3] = [b".SH ", b".ie ", b".el "];
    for line in parts.split_inclusive(|&byte| byte == b'\n') {
        if !again.iter().any(|head| line.starts_with(head)) {
            text.write_all(line)?;
        }
    }
    Ok(())
}

/// Puts the usage of the help into the synopsis: that of clap_mangen leaves out
/// the `--` before a text.
fn with_usage(mut command: Command) -> Command {
    let usage = command.render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage).to_owned();
    command.override_usage(usage)
}

/// Returns the completions for a shell.
pub fn completions(shell: GenerateShell) -> Vec<u8> {
    let shell = match shell {
        GenerateShell::Bash => Shell::Bash,
        GenerateShell::Zsh => Shell::Zsh,
        GenerateShell::Fish => Shell::Fish,
    };
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "amux", &mut text);
    text
}
