//! `plyscope-trainer check`: how well static evaluations tell what the teacher's search found, on held-out positions.

use std::{fs, hint::black_box, path::PathBuf, time::Instant};

use anyhow::{Context, Result};
use plyscope_core::judge::{evaluation::Evaluator, hand_crafted::HandCrafted};
use shakmaty::{Chess, Position};

use crate::{
    data_set::DataSet,
    game_check::{self, TruthGame},
    own_search::{Exam, examine_network},
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
    /// Folder of games with engine truth, to label by search as well.
    #[arg(long)]
    games: Option<PathBuf>,
    /// Win model file for their labels, of the form `sf`; without one, the teacher's own.
    #[arg(long, requires = "games")]
    win_model: Option<PathBuf>,
    /// Nodes of a search in those games.
    #[arg(long, default_value_t = 20_000)]
    nodes: u64,
}

/// What evaluations are compared on.
struct Comparison<'a> {
    positions: &'a [(Record, Chess)],
    win_rate: &'a WinRate,
    /// The win model of the games' labels.
    labels_by: &'a WinRate,
    games: &'a [TruthGame],
    nodes: u64,
}

/// Positions that the clock runs over.
const TIMED_POSITIONS: usize = 5000;

/// Factors tried on an evaluation's centipawns: another scale is no fault of its order.
const FACTORS: [f32; 9] = [0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5];

/// Runs the subcommand.
///
/// # Errors
///
/// When data or a network cannot be read.
pub(crate) fn run(args: &Args) -> Result<()> {
    let data = DataSet::load(&args.data, &[])?;
    let win_rate = WinRate::fit(data.train.iter())?;
    let positions: Vec<(Record, Chess)> =
        data.held_out.iter().filter_map(|r| r.to_position().map(|p| (*r, p))).collect();
    println!("{} held-out positions", positions.len());
    let games = args.games.as_deref().map_or(Ok(Vec::new()), TruthGame::read_all)?;
    let fitted = args.win_model.as_deref().map(WinRate::read).transpose()?;
    let comparison = Comparison {
        positions: &positions,
        win_rate: &win_rate,
        labels_by: fitted.as_ref().unwrap_or(&win_rate),
        games: &games,
        nodes: args.nodes,
    };
    println!("hand-crafted");
    comparison.run(&HandCrafted)?;
    for path in &args.net {
        let bytes = fs::read(path).with_context(|| format!("failed to read {}", path.display()))?;
        println!("{}", path.display());
        examine_network(&bytes, &comparison).with_context(|| format!("failed to use {}", path.display()))?;
    }
    Ok(())
}

impl Exam for Comparison<'_> {
    fn run<E: Evaluator>(&self, evaluator: &E) -> Result<()> {
        let values = values(evaluator, self.positions);
        report(&values, self.positions, self.win_rate);
        if !self.games.is_empty() {
            game_check::report(evaluator, self.games, self.nodes, self.labels_by)?;
        }
        Ok(())
    }
}

/// Static values, and on the way the time that a position costs from nothing and by a move.
fn values<E: Evaluator>(evaluator: &E, positions: &[(Record, Chess)]) -> Vec<i32> {
    let (refresh_ns, advance_ns) = speed(evaluator, positions);
    println!("  {refresh_ns:.0} ns a position from nothing, {advance_ns:.0} ns by a move, one core");
    let mut state = E::State::default();
    positions
        .iter()
        .map(|(_, pos)| {
            evaluator.refresh(pos, &mut state);
            evaluator.evaluate(&state, pos)
        })
        .collect()
}

/// Nanoseconds of a refresh and a value, and of an advance by one legal move and a value.
fn speed<E: Evaluator>(evaluator: &E, positions: &[(Record, Chess)]) -> (f64, f64) {
    let sample = &positions[..positions.len().min(TIMED_POSITIONS)];
    let mut states = vec![E::State::default(); sample.len()];
    let start = Instant::now();
    for ((_, pos), state) in sample.iter().zip(&mut states) {
        evaluator.refresh(pos, state);
        black_box(evaluator.evaluate(state, pos));
    }
    let refresh = start.elapsed().as_secs_f64() / sample.len() as f64;
    let children: Vec<_> = sample
        .iter()
        .zip(&states)
        .flat_map(|((_, pos), state)| {
            pos.legal_moves()
                .into_iter()
                .filter_map(move |m| Some((pos, state, m, pos.clone().play(m).ok()?)))
        })
        .collect();
    let mut after = E::State::default();
    let start = Instant::now();
    for (pos, state, played, child) in &children {
        evaluator.advance(state, pos, *played, &mut after);
        black_box(evaluator.evaluate(&after, child));
    }
    let advance = start.elapsed().as_secs_f64() / children.len() as f64;
    (refresh * 1e9, advance * 1e9)
}

fn report(values: &[i32], positions: &[(Record, Chess)], win_rate: &WinRate) {
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
    println!("  {}", losses_by(1.0));
    println!("  log-loss {:.4} correlation of p {correlation:.4}", log_loss / n);
    println!("  best factor {best}: {}", losses_by(best));
}
