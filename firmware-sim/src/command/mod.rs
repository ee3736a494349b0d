//! The command line.

mod golden;
mod list;
mod panics;
mod report;
mod run;

use std::path::Path;

use anyhow::Result;
use clap::{Parser, Subcommand};
use plyscope::exit_code::ExitCode;
use plyscope::output_file::OutputFile;

/// Runs the core as a microcontroller would: in memory of fixed size, without a heap.
#[derive(Parser, Debug)]
#[command(name = "plyscope-firmware-sim", version, about, after_help = ExitCode::table())]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Run(run::RunArgs),
    Report(report::ReportArgs),
    Golden(golden::GoldenArgs),
    Panics(panics::PanicsArgs),
    /// List the devices, the machines and their images
    List,
}

impl CommandLine {
    /// Runs the chosen subcommand to its end.
    pub(crate) fn run(&self) -> Result<()> {
        match &self.command {
            Command::Run(args) => args.run(),
            Command::Report(args) => args.run(),
            Command::Golden(args) => args.run(),
            Command::Panics(args) => args.run(),
            Command::List => list::run(),
        }
    }
}

/// Writes `text` to standard output; a reader that went away early has seen all it wanted.
fn print(text: &str) -> Result<()> {
    Ok(OutputFile::open(Path::new("-"))?.finish(text.as_bytes())?)
}
