//! `plyscope uci`: the evaluator as an engine.

use std::{
    io,
    sync::{Arc, Mutex},
};

use anyhow::{Context, Result};

/// Speak UCI on standard input and output, for chess programs and match runners.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  printf 'position startpos\\ngo movetime 1000\\n' | plyscope uci")]
pub(crate) struct Args {}

/// Obeys until `quit` or the end of the input.
pub(crate) fn run(_args: &Args) -> Result<()> {
    plyscope::uci::run(io::stdin().lock(), Arc::new(Mutex::new(io::stdout())))
        .context("could not speak with the program on the other side")
}
