//! The command line: one file for each subcommand, holding its own arguments and its `run`.

use std::path::Path;

use anyhow::Result;
use clap::{Parser, Subcommand, ValueEnum};
use plyscope::exit_code::ExitCode;
use plyscope::output_file::OutputFile;

mod bench;
mod fit;
mod label;
mod reconstruct;
mod render;
mod score;
mod search_args;
mod uci;

/// Watches a video of a digital chess board and writes down the game.
#[derive(Parser, Debug)]
#[command(name = "plyscope", version, about, after_help = ExitCode::table())]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Bench(bench::Args),
    Fit(fit::Args),
    Label(label::Args),
    Reconstruct(reconstruct::Args),
    Render(render::Args),
    Score(score::Args),
    Uci(uci::Args),
}

impl Command {
    /// Runs the chosen subcommand to its end.
    pub(crate) fn run(self) -> Result<()> {
        match self {
            Self::Bench(args) => bench::run(&args),
            Self::Fit(args) => fit::run(&args),
            Self::Label(args) => label::run(&args),
            Self::Reconstruct(args) => reconstruct::run(&args),
            Self::Render(args) => render::run(&args),
            Self::Score(args) => score::run(&args),
            Self::Uci(args) => uci::run(&args),
        }
    }
}

/// How to write results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Text,
    /// For programs, as docs/formats.md says
    Json,
}

/// Writes `text` to standard output.
///
/// A reader that went away early (`plyscope score ... | head -1`) has seen all it wanted: that is no error.
pub(crate) fn print(text: &str) -> Result<()> {
    Ok(OutputFile::open(Path::new("-"))?.finish(text.as_bytes())?)
}
