//! `plyscope-firmware-sim report`.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use plyscope::game_record::GameRecord;

use crate::machine::{Image, Machine, pairs};
use crate::profile::Profile;
use crate::standard::{self, LIMIT_S};
use crate::{comparison, emulator, report};

/// Run every image on every machine and print the table of the README
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  plyscope-firmware-sim report --input samples/opera-1858.pgn")]
pub(super) struct ReportArgs {
    /// The game, as PGN
    #[arg(long, value_name = "GAME.pgn")]
    input: PathBuf,
    /// Positions to visit for each ply
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Of one machine only
    #[arg(long, value_enum, value_name = "M")]
    machine: Option<Machine>,
    /// Of one image only
    #[arg(long, value_enum, value_name = "IMAGE")]
    image: Option<Image>,
}

impl ReportArgs {
    pub(super) fn run(&self) -> Result<()> {
        let record = GameRecord::read_file(&self.input)?;
        let mut table = report::table_head(self.nodes);
        for (machine, image) in pairs() {
            if self.machine.is_some_and(|m| m != machine) || self.image.is_some_and(|i| i != image) {
                continue;
            }
            let profile = Profile::of_image(image, machine).context("the machine has no profile")?;
            let shown = standard::shown(image, &record, self.nodes)?;
            let rows = profile.run(image, &shown)?;
            let emulated = emulator::run(image, machine, &shown, Duration::from_secs(LIMIT_S))?;
            comparison::ensure_equal(&emulated.rows, &rows)?;
            table += &report::table_row(machine, image, &emulated);
        }
        super::print(&table)
    }
}
