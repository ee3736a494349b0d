//! `plyscope-trainer check`: how well static evaluations tell what the teacher's search found, on held-out positions.

use std::{fs, path::PathBuf};

use anyhow::{Context, Result, bail};
use plyscope_core::judge::{
    evaluation::Evaluator,
    hand_crafted::HandCrafted,
    network::{Header, Network},
};
use shakmaty::Chess;

use crate::{
    data_set::DataSet,
    record::Record,
    train::{Losses, steep_target},
    win_rate::WinRate,
};

/// Compare static evaluations with the teacher on held-out positions.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folders of shards that `generate` wrote.
    #[arg(long, required = true, num_args = 1..)]
    data: Vec<PathBuf>,
    /// Network files; the hand-made evaluation is always shown beside them.
    #[arg(long, num_args = 1..)]
    net: Vec<PathBuf>,
}

/// Factors tried on an evaluation's centipawns: another scale is no fault of its order.
const FACTORS: [f32; 9] = [0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5];

/// Runs the subcommand.
///
/// # Errors
///
/// When data or a network cannot be read.
pub(crate) fn run(args: &Args) -> Result<()> {
    let data = DataSet::load(&args.data)?;
    let win_rate = WinRate::fit(data.train.iter())?;
    let positions: Vec<(Record, Chess)> =
        data.held_out.iter().filter_map(|r| r.to_position().map(|p| (*r, p))).collect();
    println!("{} held-out positions", positions.len());
    report("hand-crafted", &values(&HandCrafted, &positions), &positions, &win_rate);
    for path in &args.net {
        let bytes = fs::read(path).with_context(|| format!("failed to read {}", path.display()))?;
        let found = network_values(&bytes, &positions)
            .with_context(|| format!("failed to use {}", path.display()))?;
        report(&path.display().to_string(), &found, &positions, &win_rate);
    }
    Ok(())
}

/// Static values by the network in `bytes`, by the very code that the product runs.
fn network_values(bytes: &[u8], positions: &[(Record, Chess)]) -> Result<Vec<i32>> {
    let header = Header::parse(bytes)?;
    macro_rules! shapes {
        ($(($hidden:literal, $bytes:literal)),*) => {
            match (header.hidden, header.weight_bytes) {
                $(($hidden, $bytes) => Ok(values(&Network::<$bytes, $hidden>::parse(bytes)?, positions)),)*
                other => bail!("no inference for {} neurons with {}-byte weights", other.0, other.1),
            }
        };
    }
    shapes!((32, 1), (48, 1), (64, 1), (128, 2), (192, 2), (256, 2), (384, 2), (512, 2), (768, 2))
}

fn values<E: Evaluator>(evaluator: &E, positions: &[(Record, Chess)]) -> Vec<i32> {
    let mut state = E::State::default();
    positions
        .iter()
        .map(|(_, pos)| {
            evaluator.refresh(pos, &mut state);
            evaluator.evaluate(&state, pos)
        })
        .collect()
}

fn report(name: &str, values: &[i32], positions: &[(Record, Chess)], win_rate: &WinRate) {
    let losses_by = |factor: f32| {
        let mut losses = Losses::default();
        for (&cp, (record, _)) in values.iter().zip(positions) {
            losses.add(record, cp as f32 * factor, win_rate);
        }
        losses
    };
    let best =
        FACTORS.into_iter().min_by(|a, b| losses_by(*a).steep.total_cmp(&losses_by(*b).steep)).unwrap_or(1.0);
    let mut log_loss = 0.0;
    let mut moments = [0f64; 5];
    for (&cp, (record, _)) in values.iter().zip(positions) {
        let p = f64::from(win_rate.expected(cp as f32, record.ply).p).clamp(1e-3, 1.0 - 1e-3);
        let target = f64::from(steep_target(record));
        log_loss -= target * p.ln() + (1.0 - target) * (1.0 - p).ln();
        for (moment, x) in moments.iter_mut().zip([p, target, p * p, target * target, p * target]) {
            *moment += x;
        }
    }
    let n = positions.len() as f64;
    let [p, t, pp, tt, pt] = moments.map(|m| m / n);
    let correlation = (pt - p * t) / ((pp - p * p) * (tt - t * t)).sqrt();
    println!("{name}: {}", losses_by(1.0));
    println!("  log-loss {:.4} correlation of p {correlation:.4}", log_loss / n);
    println!("  best factor {best}: {}", losses_by(best));
}
