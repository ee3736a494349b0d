//! The positions to learn from and those held out.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::record::{self, Flags, Record};

/// One shard in this many is held out whole, so that no game lends positions to both sets.
const HELD_OUT_EVERY: usize = 40;
/// Beyond this many centipawns a position is won anyway.
const SCORE_MAX_CP: i16 = 3000;

/// Quiet positions, split by games.
pub(crate) struct DataSet {
    pub(crate) train: Vec<Record>,
    pub(crate) held_out: Vec<Record>,
    /// Every position of the games held out, quiet or not, but none off their path.
    pub(crate) held_out_games: Vec<Record>,
    /// Positions read, quiet or not.
    pub(crate) read: usize,
}

impl DataSet {
    /// Reads all shards of a folder and keeps the quiet positions, in the order of the files.
    ///
    /// # Errors
    ///
    /// When a file cannot be read, or too few are there to hold some out.
    pub(crate) fn load(dirs: &[impl AsRef<Path>]) -> Result<Self> {
        let mut set =
            DataSet { train: Vec::new(), held_out: Vec::new(), held_out_games: Vec::new(), read: 0 };
        let mut shards = 0;
        for dir in dirs {
            let dir = dir.as_ref();
            let files =
                record::shard_files(dir).with_context(|| format!("failed to list {}", dir.display()))?;
            for file in files {
                let records =
                    record::read_file(&file).with_context(|| format!("failed to read {}", file.display()))?;
                set.read += records.len();
                let is_held_out = shards % HELD_OUT_EVERY == 0;
                if is_held_out {
                    set.held_out_games.extend(records.iter().filter(|r| !r.flags.any(Flags::ASIDE)));
                }
                let into = if is_held_out { &mut set.held_out } else { &mut set.train };
                into.extend(records.into_iter().filter(is_quiet));
                shards += 1;
            }
        }
        ensure!(
            !set.train.is_empty(),
            "no positions: run `plyscope-trainer generate` first, at least two shards"
        );
        Ok(set)
    }
}

/// Whether a static evaluation can be asked to know the value: nothing hangs on the next capture or check.
fn is_quiet(record: &Record) -> bool {
    !record.flags.any(Flags::CHECK | Flags::NOISY_BEST | Flags::MATE) && record.score.abs() <= SCORE_MAX_CP
}
