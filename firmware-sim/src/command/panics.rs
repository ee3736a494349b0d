//! `plyscope-firmware-sim panics`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result, ensure};

use crate::elf::Elf;
use crate::machine::{Image, Machine, pairs};
use crate::{emulator, panic_paths};

/// List which calls of panics are left in the images, and why each stays
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  plyscope-firmware-sim panics\n\n\
    Ends with 1 where a call stays of which nobody has said why.")]
pub(super) struct PanicsArgs {
    /// Of one machine only
    #[arg(long, value_enum, value_name = "M")]
    machine: Option<Machine>,
    /// Of one image only
    #[arg(long, value_enum, value_name = "IMAGE")]
    image: Option<Image>,
}

impl PanicsArgs {
    pub(super) fn run(&self) -> Result<()> {
        let mut where_called: BTreeMap<(String, String), BTreeSet<&str>> = BTreeMap::new();
        let mut symbols: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for (machine, image) in pairs() {
            if self.machine.is_some_and(|m| m != machine) || self.image.is_some_and(|i| i != image) {
                continue;
            }
            let path = emulator::find_or_build(image, machine)?;
            let file = fs::read(&path).with_context(|| format!("cannot read {path:?}"))?;
            let elf = Elf::new(&file).with_context(|| format!("cannot use {path:?}"))?;
            for symbol in panic_paths::symbols(&elf)? {
                symbols.entry(symbol).or_default().insert(image.name());
            }
            for (call, _) in panic_paths::calls(&elf)? {
                where_called.entry(call).or_default().insert(image.name());
            }
        }
        let joined = |images: &BTreeSet<&str>| images.iter().copied().collect::<Vec<_>>().join(", ");
        let mut text = String::from("| symbol of a panic | in the images |\n| --- | --- |\n");
        for (symbol, images) in &symbols {
            text += &format!("| `{symbol}` | {} |\n", joined(images));
        }
        text += "\n| called by | panic | in the images | why it stays |\n| --- | --- | --- | --- |\n";
        let mut unexplained = 0;
        for ((caller, panic), images) in &where_called {
            let why = panic_paths::reason(caller, panic);
            unexplained += usize::from(why.is_none());
            let why = why.unwrap_or("nobody has said why");
            text += &format!("| `{caller}` | `{}` | {} | {why} |\n", last_part(panic), joined(images));
        }
        super::print(&text)?;
        ensure!(unexplained == 0, "of {unexplained} calls of panics nobody has said why they stay");
        Ok(())
    }
}

/// The last part of a path.
fn last_part(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}
