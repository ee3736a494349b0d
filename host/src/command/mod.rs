//! The command line: one file for each subcommand, holding its own arguments and its `run`.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Parser, Subcommand, ValueEnum};
use plyscope::exit_code::{ExitCode, WrongUsage};
use plyscope::output_file::OutputFile;

mod bench;
mod completions;
mod doctor;
mod fit;
mod label;
mod reconstruct;
mod render;
mod report;
mod score;
mod search_args;
mod terminal;
mod uci;
mod watch;

/// Watches a video of a digital chess board and writes down the game.
#[derive(Parser, Debug)]
#[command(name = "plyscope", version, about, after_help = ExitCode::table())]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Show no progress and no remarks, only errors
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

/// What to do.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Bench(bench::Args),
    Completions(completions::CompletionsArgs),
    Doctor(doctor::Args),
    Fit(fit::Args),
    Label(label::Args),
    Man(completions::ManArgs),
    Reconstruct(reconstruct::Args),
    Render(render::Args),
    Report(report::Args),
    Score(score::Args),
    Uci(uci::Args),
    Watch(watch::Args),
}

impl Command {
    /// Runs the chosen subcommand to its end.
    pub(crate) fn run(self, is_quiet: bool) -> Result<()> {
        match self {
            Self::Bench(args) => bench::run(&args),
            Self::Completions(args) => completions::completions(&args),
            Self::Doctor(args) => doctor::run(&args),
            Self::Fit(args) => fit::run(&args),
            Self::Label(args) => label::run(&args, is_quiet),
            Self::Man(args) => completions::man(&args),
            Self::Reconstruct(args) => reconstruct::run(&args, is_quiet),
            Self::Render(args) => render::run(&args, is_quiet),
            Self::Report(args) => report::run(&args, is_quiet),
            Self::Score(args) => score::run(&args),
            Self::Uci(args) => uci::run(&args),
            Self::Watch(args) => watch::run(&args),
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

/// Refuses one file given for two purposes: writing the one would destroy the other.
pub(crate) fn refuse_same_file(given: &[(&str, Option<&PathBuf>)]) -> Result<(), WrongUsage> {
    let given: Vec<(&str, &PathBuf, PathBuf)> =
        given.iter().filter_map(|&(name, path)| Some((name, path?, place(path?)?))).collect();
    for (index, (name, path, at)) in given.iter().enumerate() {
        if let Some((other, ..)) = given[index + 1..].iter().find(|(_, _, other_at)| at == other_at) {
            return Err(WrongUsage(format!("{name} and {other} are the same file {path:?}, name two")));
        }
    }
    Ok(())
}

/// Where a regular file lies or would lie, whatever the path to it looks like; `None` for streams and for places that
/// do not exist.
fn place(path: &Path) -> Option<PathBuf> {
    if path == Path::new("-") || path.metadata().is_ok_and(|m| !m.is_file()) {
        return None;
    }
    path.canonicalize().ok().or_else(|| {
        let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    })
}

/// Writes `text` to standard output.
///
/// A reader that went away early (`plyscope score ... | head -1`) has seen all it wanted: that is no error.
pub(crate) fn print(text: &str) -> Result<()> {
    Ok(OutputFile::open(Path::new("-"))?.finish(text.as_bytes())?)
}
