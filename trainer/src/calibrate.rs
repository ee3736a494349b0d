//! `plyscope-trainer calibrate`: the win model that fits the centipawns of our own search.
//!
//! A search with a network does not land on the teacher's scale by itself: what a network cannot know it draws towards the
//! middle. On positions of the games held out from training, our search is set beside a deep search of the teacher;
//! then the teacher's win model (its `a` and `b`, cubic in the ply) is stretched by two factors, and the logistic by one, so
//! that the mean absolute error against the teacher's expected score is least. That makes it the median of what the
//! teacher would say: a label asks on which side of a threshold the teacher's word more likely falls, and where errors
//! are lopsided the mean (least cross-entropy) answers another question.

use std::{fs, path::PathBuf, sync::Mutex};

use anyhow::{Context, Result, ensure};
use plyscope_core::judge::{
    evaluation::Evaluator, hand_crafted::HandCrafted, limits::Limits, score::ScoreKind,
};
use serde_json::json;
use shakmaty::Position;

use crate::{
    data_set::DataSet,
    own_search::{Exam, examine_network, with_search},
    record::{MATE_SCORE, Record},
    teacher::Teacher,
    win_rate::{self, PlyPolynomial, WIDE_SCALE_CP, WinRate},
};

/// Fit win models to the centipawns of our own search, against a deep search of the teacher.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folders of shards that `generate` wrote.
    #[arg(long, required = true, num_args = 1..)]
    data: Vec<PathBuf>,
    /// Network file; without one, the hand-made evaluation.
    #[arg(long)]
    net: Option<PathBuf>,
    /// UCI engine; it must know `UCI_ShowWDL`.
    #[arg(long)]
    teacher: PathBuf,
    /// Nodes of the teacher's search.
    #[arg(long, default_value_t = 100_000)]
    teacher_nodes: u64,
    /// Nodes of our own search.
    #[arg(long, default_value_t = 20_000)]
    nodes: u64,
    /// Positions.
    #[arg(long, default_value_t = 2000)]
    positions: usize,
    /// Win model file to write; the logistic's lies beside it, its name ending in `-lichess.json`.
    #[arg(long)]
    out: PathBuf,
}

/// One position: what we say, what the teacher says, for the side to move.
#[derive(Clone, Copy, Debug)]
struct Pair {
    ply: u16,
    own_cp: f32,
    /// W + D/2.
    expected: f32,
    /// By the wide logistic; a mate is 0 or 1.
    wide: f32,
}

/// Runs the subcommand.
///
/// # Errors
///
/// When data or the network cannot be read, the teacher fails, or the models cannot be written.
pub(crate) fn run(args: &Args) -> Result<()> {
    let data = DataSet::load(&args.data, &[])?;
    let win_rate = WinRate::fit(data.train.iter())?;
    let step = (data.held_out_games.len() / args.positions.max(1)).max(1);
    let sample: Vec<Record> =
        data.held_out_games.iter().step_by(step).take(args.positions).copied().collect();
    ensure!(!sample.is_empty(), "no games are held out");
    let calibration = Calibration { args, sample: &sample, win_rate: &win_rate };
    match &args.net {
        Some(path) => {
            let bytes = fs::read(path).with_context(|| format!("failed to read {}", path.display()))?;
            examine_network(&bytes, &calibration)
        }
        None => calibration.run(&HandCrafted),
    }
}

struct Calibration<'a> {
    args: &'a Args,
    sample: &'a [Record],
    win_rate: &'a WinRate,
}

impl Exam for Calibration<'_> {
    fn run<E: Evaluator>(&self, evaluator: &E) -> Result<()> {
        let own = self.own_search(evaluator)?;
        let pairs = self.ask_teacher(&own)?;
        self.write_steep(&pairs)?;
        self.write_wide(&pairs)
    }
}

impl Calibration<'_> {
    /// Our centipawns of each position, `None` for a mate.
    fn own_search<E: Evaluator>(&self, evaluator: &E) -> Result<Vec<Option<f32>>> {
        with_search(evaluator, |search, table| {
            let mut own = Vec::new();
            for record in self.sample {
                let position = record.to_position().filter(|p| !p.outcome().is_known());
                own.push(position.and_then(|position| {
                    table.clear();
                    search.clear();
                    let found = search.run(&position, &[], Limits::nodes(self.args.nodes), &mut ());
                    match found.score.kind() {
                        ScoreKind::Centipawns(cp) => Some(cp as f32),
                        ScoreKind::Mate { .. } | ScoreKind::Mated { .. } => None,
                    }
                }));
            }
            Ok(own)
        })
    }

    /// The teacher's word on each position that we gave centipawns, by two teachers at once.
    fn ask_teacher(&self, own: &[Option<f32>]) -> Result<Vec<Pair>> {
        let todo: Vec<(Record, f32)> =
            self.sample.iter().zip(own).filter_map(|(r, cp)| Some((*r, (*cp)?))).collect();
        let pairs = Mutex::new(Vec::new());
        let pairs_ref = &pairs;
        std::thread::scope(|scope| {
            let workers: Vec<_> = todo
                .chunks(todo.len().div_ceil(2).max(1))
                .map(|part| {
                    scope.spawn(move || -> Result<()> {
                        let mut teacher = Teacher::start(&self.args.teacher, 16)?;
                        for &(record, own_cp) in part {
                            let position = record.to_position().context("a damaged record")?;
                            teacher.forget()?;
                            let label = teacher.search(&position, self.args.teacher_nodes, 1)?.lines[0].label;
                            let expected = 0.5
                                + (f32::from(label.win_permille) - f32::from(label.loss_permille)) / 2000.0;
                            let wide = if label.score.abs() > MATE_SCORE / 2 {
                                f32::from(u8::from(label.score > 0))
                            } else {
                                win_rate::wide(f32::from(label.score)).p
                            };
                            let pair = Pair { ply: record.ply, own_cp, expected, wide };
                            pairs_ref.lock().map_err(|_| anyhow::anyhow!("a worker panicked"))?.push(pair);
                        }
                        Ok(())
                    })
                })
                .collect();
            for worker in workers {
                worker.join().map_err(|_| anyhow::anyhow!("a worker panicked"))??;
            }
            Ok::<(), anyhow::Error>(())
        })?;
        pairs.into_inner().map_err(|_| anyhow::anyhow!("a worker panicked"))
    }

    /// Stretches the teacher's `a` and `b` and writes the model.
    fn write_steep(&self, pairs: &[Pair]) -> Result<()> {
        let stretched = |p: PlyPolynomial, factor: f64| p.map(|c| c * factor);
        let model =
            |f: [f64; 2]| WinRate::new(stretched(self.win_rate.a, f[0]), stretched(self.win_rate.b, f[1]));
        let loss = |f: [f64; 2]| model(f).map_or(f64::INFINITY, |m| steep_score(&m, pairs).absolute_error);
        let factors = descend([1.0, 1.0], loss);
        let fitted = model(factors)?;
        let (before, after) = (steep_score(self.win_rate, pairs), steep_score(&fitted, pairs));
        println!(
            "{} positions; a by {:.3}, b by {:.3}: absolute error {:.4} (the teacher's own model {:.4}), log-loss {:.4} \
             ({:.4}), calibration error {:.4} ({:.4})",
            pairs.len(),
            factors[0],
            factors[1],
            after.absolute_error,
            before.absolute_error,
            after.log_loss,
            before.log_loss,
            after.calibration_error,
            before.calibration_error
        );
        self.write(&self.args.out, json!({"form": "sf", "a": fitted.a, "b": fitted.b}), pairs.len(), after)
    }

    /// Stretches the wide logistic and writes the model.
    fn write_wide(&self, pairs: &[Pair]) -> Result<()> {
        let score = |factor: f64| {
            let scale = WIDE_SCALE_CP * factor as f32;
            score_of(pairs.iter().map(|pair| (win_rate::logistic(pair.own_cp / scale), pair.wide)))
        };
        let [factor, _] = descend([1.0, 1.0], |f| score(f[0]).absolute_error);
        println!(
            "logistic: scale by {factor:.3}, absolute error {:.4} ({:.4})",
            score(factor).absolute_error,
            score(1.0).absolute_error
        );
        let slope = 1.0 / (f64::from(WIDE_SCALE_CP) * factor);
        let name =
            format!("{}-lichess.json", self.args.out.file_stem().unwrap_or_default().to_string_lossy());
        let model = json!({"form": "lichess", "slope": slope, "clamp_cp": 1000.0 * factor});
        self.write(&self.args.out.with_file_name(name), model, pairs.len(), score(factor))
    }

    fn write(
        &self,
        path: &std::path::Path,
        mut model: serde_json::Value,
        positions: usize,
        score: Scored,
    ) -> Result<()> {
        let evaluation = self
            .args
            .net
            .as_ref()
            .and_then(|n| n.file_name())
            .map_or("hand-crafted".into(), |n| n.to_string_lossy());
        model["fitted_on"] = json!(format!(
            "our search of {} nodes ({evaluation}) against the teacher's of {}, on games of the training data that were held out",
            self.args.nodes, self.args.teacher_nodes
        ));
        model["positions"] = json!(positions);
        model["log_loss"] = json!(score.log_loss);
        model["calibration_error"] = json!(score.calibration_error);
        fs::write(path, serde_json::to_string_pretty(&model)? + "\n")
            .with_context(|| format!("failed to write {}", path.display()))
    }
}

/// How predicted shares stand to observed ones.
#[derive(Clone, Copy, Debug)]
struct Scored {
    /// Mean distance from the teacher's expected score.
    absolute_error: f64,
    /// Mean, in nats.
    log_loss: f64,
    /// Mean distance of predicted and observed share over deciles of the prediction, weighted by their sizes.
    calibration_error: f64,
}

fn steep_score(model: &WinRate, pairs: &[Pair]) -> Scored {
    score_of(pairs.iter().map(|pair| (model.expected(pair.own_cp, pair.ply).p, pair.expected)))
}

fn score_of(shares: impl Iterator<Item = (f32, f32)>) -> Scored {
    let (mut absolute_error, mut log_loss, mut n) = (0.0, 0.0, 0.0);
    let mut deciles = [(0f64, 0f64); 10];
    for (predicted, observed) in shares {
        let (p, t) = (f64::from(predicted).clamp(1e-3, 1.0 - 1e-3), f64::from(observed));
        log_loss -= t * p.ln() + (1.0 - t) * (1.0 - p).ln();
        absolute_error += f64::from((predicted - observed).abs());
        n += 1.0;
        let decile = &mut deciles[((p * 10.0) as usize).min(9)];
        decile.0 += p;
        decile.1 += t;
    }
    let calibration_error = deciles.iter().map(|(p, t)| (p - t).abs()).sum::<f64>() / n;
    Scored { absolute_error: absolute_error / n, log_loss: log_loss / n, calibration_error }
}

/// Finds the lowest point of a smooth loss of two factors, step by ever smaller step along each.
fn descend(mut at: [f64; 2], loss: impl Fn([f64; 2]) -> f64) -> [f64; 2] {
    let mut lowest = loss(at);
    let mut step = 0.2;
    while step > 0.001 {
        let mut moved = false;
        for axis in 0..2 {
            for sign in [1.0, -1.0] {
                let mut next = at;
                next[axis] = (next[axis] + sign * step).max(0.05);
                let there = loss(next);
                if there < lowest {
                    (at, lowest, moved) = (next, there, true);
                }
            }
        }
        if !moved {
            step /= 2.0;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factors_that_made_the_shares_are_found_again() -> Result<()> {
        let teacher = WinRate::new([100.0, 0.0, 0.0, 0.0], [20.0, 0.0, 0.0, 0.0])?;
        let ours = WinRate::new([70.0, 0.0, 0.0, 0.0], [30.0, 0.0, 0.0, 0.0])?;
        let pairs: Vec<Pair> = (-200..=200)
            .map(|cp| {
                let own_cp = cp as f32;
                Pair { ply: 30, own_cp, expected: ours.expected(own_cp, 30).p, wide: 0.5 }
            })
            .collect();
        let model = |f: [f64; 2]| WinRate::new(teacher.a.map(|c| c * f[0]), teacher.b.map(|c| c * f[1]));
        let factors = descend([1.0, 1.0], |f| {
            model(f).map_or(f64::INFINITY, |m| steep_score(&m, &pairs).absolute_error)
        });
        assert!((factors[0] - 0.7).abs() < 0.01 && (factors[1] - 1.5).abs() < 0.03, "{factors:?}");
        assert!(steep_score(&model(factors)?, &pairs).calibration_error < 0.001);
        Ok(())
    }
}
