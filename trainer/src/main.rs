//! Makes positions, has a teacher label them, trains and quantises the evaluation networks.
//!
//! `docs/training.md` tells the recipe; `scripts/train` runs all of it.

mod calibrate;
mod check;
mod checkpoint;
mod data_set;
mod distil;
mod game_check;
mod generate;
mod model;
mod optimiser;
mod own_search;
mod quantise;
mod record;
mod self_play;
mod teacher;
mod teacher_network;
mod train;
mod win_rate;

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
    Distil(distil::Args),
    Train(train::Args),
    Check(check::Args),
    Calibrate(calibrate::Args),
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Generate(args) => generate::run(&args),
        Command::Distil(args) => distil::run(&args),
        Command::Train(args) => train::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Calibrate(args) => calibrate::run(&args),
    }
}
