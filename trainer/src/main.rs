//! Makes positions, has a teacher label them, trains and quantises the evaluation networks.
//!
//! `docs/training.md` tells the recipe; `scripts/train` runs all of it.

mod generate;
mod record;
mod self_play;
mod teacher;

use clap::{Parser, Subcommand};

/// Makes positions, has a teacher label them, trains and quantises the evaluation networks.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Generate(generate::Args),
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Generate(args) => generate::run(&args),
    }
}
