//! How much search a good label needs: depth and nodes against label accuracy, on games with known truth.

mod accuracy;
mod plot;
mod report;
mod state;
mod truth;

use std::time::Instant;

pub use accuracy::{Accuracy, LabelAccuracy};
pub use plot::draw;
pub use report::{Row, to_json, to_table};
pub use state::{Measured, State, StateError};
pub use truth::{BenchGame, GameSplit, ModelTruth, read_games};

use plyscope_core::judge::win_model::WinModel;
use serde::{Deserialize, Serialize};

use crate::{
    evaluation::Evaluation,
    fit::Observation,
    labeller::{Budget, Labeller, PositionScore, game_ply},
    win_models,
};

/// How far each position is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// Plies.
    Depth(u8),
    /// Positions visited.
    Nodes(u64),
}

impl From<Limit> for Budget {
    fn from(limit: Limit) -> Budget {
        match limit {
            Limit::Depth(depth) => Budget::Depth(depth),
            Limit::Nodes(nodes) => Budget::Nodes(nodes),
        }
    }
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Limit::Depth(depth) => write!(f, "depth {depth}"),
            Limit::Nodes(nodes) => write!(f, "{nodes} nodes"),
        }
    }
}

/// Searches one game on one thread.
pub fn measure(game: &BenchGame, evaluation: Evaluation, limit: Limit) -> Measured {
    let labeller = Labeller { budget: limit.into(), evaluation, threads: 1, ..Labeller::default() };
    let started = Instant::now();
    let scores = labeller.search(&game.game, &[], &|_| {});
    Measured {
        game: game.name.clone(),
        evaluation: evaluation.name().to_owned(),
        limit,
        seconds: started.elapsed().as_secs_f64(),
        scores,
    }
}

/// Sums the measurements of one evaluation and limit over `games`; `None` where one is missing.
pub fn summarise(games: &[BenchGame], state: &State, evaluation: Evaluation, limit: Limit) -> Option<Row> {
    let (mut sf, mut lichess) = (LabelAccuracy::default(), LabelAccuracy::default());
    let (mut positions, mut depth, mut nodes, mut seconds) = (0_u64, 0_u64, 0_u64, 0.0);
    for game in games {
        let measured = state.find(&game.name, evaluation.name(), limit)?;
        for (model, accuracy, truth) in
            [(win_models::SF, &mut sf, &game.sf), (WinModel::LICHESS, &mut lichess, &game.lichess)]
        {
            let labeller = Labeller { model, ..Labeller::default() };
            let labels = labeller.decide(&game.game, measured.scores.clone());
            for (label, (leader, swing)) in labels.iter().skip(1).zip(truth) {
                accuracy.add((*leader, label.leader_after), (*swing, label.wr_swing));
            }
        }
        seconds += measured.seconds;
        for score in measured.scores.iter().filter(|score| score.nodes > 0) {
            positions += 1;
            depth += u64::from(score.depth);
            nodes += score.nodes;
        }
    }
    let mean = |sum: f64| sum / positions.max(1) as f64;
    Some(Row {
        evaluation: evaluation.name().to_owned(),
        limit,
        positions,
        mean_depth: mean(depth as f64),
        mean_nodes: mean(nodes as f64),
        ms_per_position: mean(seconds * 1000.0),
        sf,
        lichess,
    })
}

/// What `plyscope fit` can learn from: the centipawns measured in `games`, beside the truth's probabilities (`sf`).
pub fn observations(
    games: &[BenchGame],
    state: &State,
    evaluation: Evaluation,
    limit: Limit,
) -> Vec<Observation> {
    games
        .iter()
        .filter_map(|game| Some((game, state.find(&game.name, evaluation.name(), limit)?)))
        .flat_map(|(game, measured)| {
            let searched = measured.scores.iter().zip(&game.p_sf).zip(game.game.positions());
            searched.filter_map(|((score, p), position)| {
                let cp = centipawns(score)?;
                Some(Observation { cp: f64::from(cp), ply: game_ply(position), p: (*p)? })
            })
        })
        .collect()
}

fn centipawns(score: &PositionScore) -> Option<i32> {
    match score.score.kind() {
        plyscope_core::judge::score::ScoreKind::Centipawns(cp) if score.nodes > 0 => Some(cp),
        _ => None,
    }
}
