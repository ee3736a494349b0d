//! `plyscope completions` and `plyscope man`: what shells and `man` know of the command line.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_complete::Shell;

use super::{CommandLine, print};

/// Print the completions of a shell.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  plyscope completions bash > ~/.local/share/bash-completion/completions/plyscope\n  \
    plyscope completions zsh > ~/.zfunc/_plyscope\n  \
    plyscope completions fish > ~/.config/fish/completions/plyscope.fish"
)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Write the man pages, one for each command.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  plyscope man ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// The folder to write them to
    folder: PathBuf,
}

/// Prints the completions.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut CommandLine::command(), "plyscope", &mut text);
    print(&String::from_utf8_lossy(&text))
}

/// Writes the man pages.
pub(crate) fn man(args: &ManArgs) -> Result<()> {
    let write = || {
        std::fs::create_dir_all(&args.folder)?;
        clap_mangen::generate_to(CommandLine::command(), &args.folder)
    };
    write().with_context(|| format!("cannot write man pages to {:?}, choose another folder", args.folder))
}
