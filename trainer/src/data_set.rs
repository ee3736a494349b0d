//! The positions to learn from and those held out.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::record::{self, Flags, Record};

/// One shard in this many is held out whole, so that no game lends positions to both sets.
const HELD_OUT_EVERY: usize = 40;
/// Beyond this many centipawns a position is won anyway.
pub(crate) const SCORE_MAX_CP: i16 = 3000;

/// Quiet positions, split by games.
pub(crate) struct DataSet {
    pub(crate) train: Vec<Record>,
    pub(crate) held_out: Vec<Record>,
    /// Every position of the games held out, quiet or not, but none off their path.
    pub(crate) held_out_games: Vec<Record>,
    /// Positions read that a search labelled, quiet or not.
    pub(crate) read: usize,
    /// Positions of `train` that the teacher's network valued.
    pub(crate) distilled: usize,
}

/// All shards of some folders, in the order in which they are numbered for holding out.
///
/// # Errors
///
/// When a folder cannot be listed.
pub(crate) fn shard_list(dirs: &[impl AsRef<Path>]) -> Result<Vec<PathBuf>> {
    let mut shards = Vec::new();
    for dir in dirs {
        let dir = dir.as_ref();
        shards.extend(record::shard_files(dir).with_context(|| format!("failed to list {}", dir.display()))?);
    }
    Ok(shards)
}

/// Whether the shard of this number is held out.
pub(crate) fn held_out_shard(number: usize) -> bool {
    number.is_multiple_of(HELD_OUT_EVERY)
}

impl DataSet {
    /// Reads all shards of the folders `searched` and keeps the quiet positions, in the order of the files; adds all
    /// positions of the folders `distilled` to those to learn from.
    ///
    /// # Errors
    ///
    /// When a file cannot be read, or too few are there to hold some out.
    pub(crate) fn load(searched: &[impl AsRef<Path>], distilled: &[PathBuf]) -> Result<Self> {
        let read = |file: &Path| {
            record::read_file(file).with_context(|| format!("failed to read {}", file.display()))
        };
        let mut set = DataSet {
            train: Vec::new(),
            held_out: Vec::new(),
            held_out_games: Vec::new(),
            read: 0,
            distilled: 0,
        };
        for (number, file) in shard_list(searched)?.iter().enumerate() {
            let records = read(file)?;
            set.read += records.len();
            let into = if held_out_shard(number) {
                set.held_out_games.extend(records.iter().filter(|r| !r.flags.any(Flags::ASIDE)));
                &mut set.held_out
            } else {
                &mut set.train
            };
            into.extend(records.into_iter().filter(is_quiet));
        }
        ensure!(
            !set.train.is_empty(),
            "no positions: run `plyscope-trainer generate` first, at least two shards"
        );
        for file in shard_list(distilled)? {
            let records = read(&file)?;
            set.distilled += records.len();
            set.train.extend(records);
        }
        Ok(set)
    }
}

/// Whether a static evaluation can be asked to know the value: nothing hangs on the next capture or check.
fn is_quiet(record: &Record) -> bool {
    !record.flags.any(Flags::CHECK | Flags::NOISY_BEST | Flags::MATE) && record.score.abs() <= SCORE_MAX_CP
}
