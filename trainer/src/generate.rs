//! `plyscope-trainer generate`: labelled positions from the teacher's games, in numbered shards.
//!
//! A shard is a function of the seed, its number, the nodes and the teacher alone: it begins with an empty hash. So a
//! run that was killed goes on with the shards that are missing, and two runs give the same files.

use std::{
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

use anyhow::{Context, Result};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::{record, self_play, teacher::Teacher};

/// Play games, label every position by a teacher, write shards of records.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder of the shards; those that are there already are kept.
    #[arg(long)]
    out: PathBuf,
    /// UCI engine that plays and labels; it must know `UCI_ShowWDL`.
    #[arg(long)]
    teacher: PathBuf,
    /// Nodes of a search.
    #[arg(long, default_value_t = 500)]
    nodes: u64,
    /// Teachers at work at once.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Seed of all games.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Shards to have in the end.
    #[arg(long, default_value_t = 1000)]
    shards: u64,
    /// Games in a shard.
    #[arg(long, default_value_t = 64)]
    games: u32,
}

/// Runs the subcommand.
///
/// # Errors
///
/// When the folder cannot be written or the teacher fails.
pub(crate) fn run(args: &Args) -> Result<()> {
    std::fs::create_dir_all(&args.out).with_context(|| format!("failed to make {}", args.out.display()))?;
    let next_shard = AtomicU64::new(0);
    let positions = AtomicU64::new(0);
    let start = Instant::now();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..args.threads.max(1))
            .map(|_| scope.spawn(|| work(args, &next_shard, &positions, start)))
            .collect();
        for worker in workers {
            worker.join().map_err(|_| anyhow::anyhow!("a worker panicked"))??;
        }
        Ok(())
    })
}

fn work(args: &Args, next_shard: &AtomicU64, positions: &AtomicU64, start: Instant) -> Result<()> {
    let mut teacher = Teacher::start(&args.teacher, 16)?;
    loop {
        let shard = next_shard.fetch_add(1, Ordering::Relaxed);
        if shard >= args.shards {
            return Ok(());
        }
        let path = args.out.join(format!("shard-{}-{shard:06}.bin", args.seed));
        if path.exists() {
            continue;
        }
        teacher.forget()?;
        let mut rng = ChaCha8Rng::seed_from_u64(args.seed);
        rng.set_stream(shard);
        let mut records = Vec::new();
        for _ in 0..args.games {
            records.extend(self_play::play(&mut teacher, args.nodes, &mut rng)?);
        }
        record::write_file(&path, &records).with_context(|| format!("failed to write {}", path.display()))?;
        let total = positions.fetch_add(records.len() as u64, Ordering::Relaxed) + records.len() as u64;
        eprintln!(
            "shard {shard}: {} positions; {total} in all, {:.0} a second",
            records.len(),
            total as f64 / start.elapsed().as_secs_f64()
        );
    }
}
