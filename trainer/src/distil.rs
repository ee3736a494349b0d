//! `plyscope-trainer distil`: positions such as a search meets, valued by the teacher's own network.
//!
//! A search asks for the value of positions a few moves off a game's path: refuted tries, captures half done. Each labelled
//! position lends itself and positions one and two moves by chance away from it; the teacher's network values them in some
//! microseconds each, where a search by the teacher takes most of a millisecond. Shards that training holds out lend
//! nothing. The same seed and shards give the same files.

use std::{
    fs,
    path::PathBuf,
    sync::atomic::{AtomicUsize, Ordering},
    time::Instant,
};

use anyhow::{Context, Result};
use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use shakmaty::{Chess, Move, MoveList, Position};

use crate::{
    data_set::{DataSet, SCORE_MAX_CP, held_out_shard, shard_list},
    record::{self, Flags, Label, Record},
    teacher_network::TeacherNetwork,
    win_rate::WinRate,
};

/// Share of the moves by chance that are captures where there are any.
const CAPTURE_SHARE: f64 = 0.5;

/// Value positions beside the games' path by the teacher's network.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folders of shards that `generate` wrote, as `train` will be given them.
    #[arg(long, required = true, num_args = 1..)]
    data: Vec<PathBuf>,
    /// The teacher's network, as its command `export_net FILE` writes it.
    #[arg(long)]
    network: PathBuf,
    /// Folder of the shards to write; those that are there already are kept.
    #[arg(long)]
    out: PathBuf,
    /// Walks of two moves by chance from each position.
    #[arg(long, default_value_t = 4)]
    walks: usize,
    /// Seed of the moves.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads.
    #[arg(long, default_value_t = 2)]
    threads: usize,
}

/// Runs the subcommand.
///
/// # Errors
///
/// When a file cannot be read or written.
pub(crate) fn run(args: &Args) -> Result<()> {
    fs::create_dir_all(&args.out).with_context(|| format!("failed to make {}", args.out.display()))?;
    let bytes =
        fs::read(&args.network).with_context(|| format!("failed to read {}", args.network.display()))?;
    let network = TeacherNetwork::parse(&bytes)?;
    let win_rate = WinRate::fit(DataSet::load(&args.data, &[])?.train.iter())?;
    let shards = shard_list(&args.data)?;
    let (next, written) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let start = Instant::now();
    std::thread::scope(|scope| {
        let work = || -> Result<()> {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(shard) = shards.get(number) else { return Ok(()) };
                let path = args.out.join(format!("distilled-{}-{number:06}.bin", args.seed));
                if held_out_shard(number) || path.exists() {
                    continue;
                }
                let records = record::read_file(shard)
                    .with_context(|| format!("failed to read {}", shard.display()))?;
                let mut rng = ChaCha8Rng::seed_from_u64(args.seed);
                rng.set_stream(number as u64);
                let valued = vary(&records, args.walks, &network, &win_rate, &mut rng);
                record::write_file(&path, &valued)
                    .with_context(|| format!("failed to write {}", path.display()))?;
                written.fetch_add(valued.len(), Ordering::Relaxed);
            }
        };
        let workers: Vec<_> = (0..args.threads.max(1)).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            worker.join().map_err(|_| anyhow::anyhow!("a worker panicked"))??;
        }
        anyhow::Ok(())
    })?;
    let written = written.into_inner();
    eprintln!("{written} positions, {:.0} a second", written as f64 / start.elapsed().as_secs_f64());
    Ok(())
}

/// Each position, and two on each of some walks by chance from it, as far as they have a static value.
fn vary(
    records: &[Record],
    walks: usize,
    network: &TeacherNetwork,
    win_rate: &WinRate,
    rng: &mut ChaCha8Rng,
) -> Vec<Record> {
    let mut valued = Vec::with_capacity((1 + 2 * walks) * records.len());
    for record in records {
        let Some(start) = record.to_position() else { continue };
        valued.extend(value(&start, network, win_rate));
        for _ in 0..walks {
            let mut position = start.clone();
            for _ in 0..2 {
                let Some(m) = chance_move(&position, rng) else { break };
                position.play_unchecked(m);
                valued.extend(value(&position, network, win_rate));
            }
        }
    }
    valued
}

fn chance_move(position: &Chess, rng: &mut ChaCha8Rng) -> Option<Move> {
    let all = position.legal_moves();
    let captures: MoveList = all.iter().copied().filter(|m| m.is_capture()).collect();
    let among = if !captures.is_empty() && rng.random_bool(CAPTURE_SHARE) { &captures } else { &all };
    among.choose(rng).copied()
}

/// The position with its static value; `None` in check, at the end of a game and where all is decided.
fn value(position: &Chess, network: &TeacherNetwork, win_rate: &WinRate) -> Option<Record> {
    let reply = *position.legal_moves().first()?;
    if position.is_check() || position.is_insufficient_material() {
        return None;
    }
    let nothing = Label { score: 0, win_permille: 0, loss_permille: 0 };
    let record = Record::new(position, nothing, reply, true);
    let cp = network.centipawns(&record);
    if cp.abs() > f32::from(SCORE_MAX_CP) {
        return None;
    }
    let (win, loss) = win_rate.shares(cp, record.ply);
    Some(Record {
        score: cp.round() as i16,
        win_permille: (1000.0 * win).round() as u16,
        loss_permille: (1000.0 * loss).round() as u16,
        flags: Flags(Flags::STATIC),
        ..record
    })
}
