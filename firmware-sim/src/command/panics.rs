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
        let mut symbols: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        let mut left: BTreeMap<Option<&str>, Left> = BTreeMap::new();
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
            for (caller, panic) in panic_paths::calls(&elf)? {
                let left = left.entry(panic_paths::reason(&caller, &panic)).or_default();
                left.calls.insert(format!("`{}` ({})", short(&caller), last_part(&panic)));
                left.images.insert(image.name());
            }
        }
        let mut text = String::from("| symbol of a panic | in the images |\n| --- | --- |\n");
        for (symbol, images) in &symbols {
            text += &format!("| `{symbol}` | {} |\n", joined(images));
        }
        text += "\n| called by | in the images | why it stays and never happens |\n| --- | --- | --- |\n";
        for (why, Left { calls, images }) in &left {
            let why = why.unwrap_or("**nobody has said why**");
            let calls: Vec<&str> = calls.iter().map(String::as_str).collect();
            text += &format!("| {} | {} | {why} |\n", calls.join(", "), joined(images));
        }
        super::print(&text)?;
        let unexplained = left.get(&None).map_or(0, |left| left.calls.len());
        ensure!(unexplained == 0, "of {unexplained} calls of panics nobody has said why they stay");
        Ok(())
    }
}

/// Calls of panics that are left for one reason.
#[derive(Default)]
struct Left {
    calls: BTreeSet<String>,
    images: BTreeSet<&'static str>,
}

fn joined(images: &BTreeSet<&str>) -> String {
    images.iter().copied().collect::<Vec<_>>().join(", ")
}

/// A function's name without types' parameters and paths: `Type::method`, or the last two parts of its path.
fn short(name: &str) -> String {
    let (mut plain, mut depth) = (String::new(), 0_u32);
    let name = match name.strip_prefix('<').and_then(|rest| rest.split_once(">::")) {
        // The type that a method belongs to; where it is a trait's, the trait is left out.
        Some((of, method)) => format!("{}::{method}", of.split(" as ").next().unwrap_or(of)),
        None => name.to_owned(),
    };
    for letter in name.chars() {
        match letter {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '&' => {}
            _ if depth == 0 => plain.push(letter),
            _ => {}
        }
    }
    let parts: Vec<&str> = plain.split("::").filter(|part| !part.is_empty()).collect();
    parts[parts.len().saturating_sub(2)..].join("::").replace("mut ", "")
}

/// The last part of a path.
fn last_part(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_to_a_type_and_its_method() {
        assert_eq!(short("<core::search::Worker<core::Network<1, 64>>>::corrected"), "Worker::corrected");
        assert_eq!(
            short("<shakmaty::position::Chess as shakmaty::Position>::legal_moves"),
            "Chess::legal_moves"
        );
        assert_eq!(short("<&u64 as core::fmt::Display>::fmt"), "u64::fmt");
        assert_eq!(short("shakmaty::perft::perft::<shakmaty::position::Chess>"), "perft::perft");
    }
}
