//! `plyscope-firmware-sim golden`.

use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use plyscope::game_record::GameRecord;

use crate::emulator;
use crate::machine::{Image, Machine, pairs};
use crate::row_diff::diff;
use crate::standard::{self, LIMIT_S};

/// Positions visited for each ply.
const NODES: u64 = 200;

/// Run every image on every machine and compare what it writes with its golden file
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  plyscope-firmware-sim golden\n  \
    plyscope-firmware-sim golden --machine microbit --image see --overwrite\n\n\
    Ends with 0 where all are as they should be, else with 1 and what differs. Golden files lie in\n\
    firmware-sim/golden/IMAGE/MACHINE.jsonl.")]
pub(super) struct GoldenArgs {
    /// Of one machine only
    #[arg(long, value_enum, value_name = "M")]
    machine: Option<Machine>,
    /// Of one image only
    #[arg(long, value_enum, value_name = "IMAGE")]
    image: Option<Image>,
    /// Write the golden files anew
    #[arg(long)]
    overwrite: bool,
    /// Golden files elsewhere
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
}

impl GoldenArgs {
    pub(super) fn run(&self) -> Result<()> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = self.folder.clone().unwrap_or_else(|| here.join("golden"));
        let record = GameRecord::read_file(&here.join("../samples/opera-1858.pgn"))?;
        let (mut text, mut differing) = (String::new(), 0);
        for (machine, image) in pairs() {
            if self.machine.is_some_and(|m| m != machine) || self.image.is_some_and(|i| i != image) {
                continue;
            }
            let shown = standard::shown(image, &record, NODES)?;
            let emulated = emulator::run(image, machine, &shown, Duration::from_secs(LIMIT_S))?;
            let lines: Vec<&str> =
                emulated.rows.iter().chain(&emulated.remarks).map(String::as_str).collect();
            let name = format!("{}/{}.jsonl", image.name(), machine.name());
            let path = folder.join(&name);
            if self.overwrite {
                fs::create_dir_all(path.parent().unwrap_or(&folder))
                    .and_then(|()| fs::write(&path, lines.join("\n") + "\n"))
                    .with_context(|| format!("cannot write {path:?}"))?;
                text += &format!("wrote {name}: {} lines\n", lines.len());
                continue;
            }
            let golden = fs::read_to_string(&path)
                .with_context(|| format!("cannot read {path:?}; golden --overwrite writes it"))?;
            let golden: Vec<&str> = golden.lines().collect();
            match diff(&golden, &lines, std::io::stdout().is_terminal()) {
                None => text += &format!("{name}: the same {} lines\n", lines.len()),
                Some(shown) => {
                    differing += 1;
                    text += &format!("{name} differs:\n{shown}");
                }
            }
        }
        super::print(&text)?;
        ensure!(
            differing == 0,
            "{differing} of the golden files differ; golden --overwrite writes them anew"
        );
        Ok(())
    }
}
