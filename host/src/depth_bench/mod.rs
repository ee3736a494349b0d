//! How much search a good label needs: depth and nodes against label accuracy, on games with known truth.

mod accuracy;
mod plot;
mod report;
mod rival;
mod state;
mod steps;
mod truth;

use std::time::Instant;

pub use accuracy::{Accuracy, LabelAccuracy};
pub use plot::{Axis, draw};
pub use report::{Row, to_json, to_table};
pub use rival::Rival;
pub use state::{Measured, State, StateError};
pub use steps::{StepRow, measure_steps, steps_table};
pub use truth::{BenchGame, GameSplit, ModelTruth, read_games};

use plyscope_core::judge::win_model::WinModel;
use serde::{Deserialize, Serialize};

use crate::{
    evaluation::Evaluation,
    fit::Observation,
    labeller::{Budget, Labeller, Optimise, PositionScore, game_ply},
    win_models::{self, Form},
};

/// How far each position is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// Plies.
    Depth(u8),
    /// Positions visited, the same for each.
    Nodes(u64),
    /// Positions visited on the average, more of them where labels are in doubt.
    Doubt(u64),
}

impl Limit {
    /// The win models for which searches differ: doubt depends on the model, plain limits on none.
    pub fn forms(self) -> &'static [Option<Form>] {
        match self {
            Limit::Depth(_) | Limit::Nodes(_) => &[None],
            Limit::Doubt(_) => &[Some(Form::Sf), Some(Form::Lichess)],
        }
    }

    fn of_form(self, form: Form) -> Option<Form> {
        matches!(self, Limit::Doubt(_)).then_some(form)
    }
}

impl From<Limit> for Budget {
    fn from(limit: Limit) -> Budget {
        match limit {
            Limit::Depth(depth) => Budget::Depth(depth),
            Limit::Nodes(nodes) | Limit::Doubt(nodes) => Budget::Nodes(nodes),
        }
    }
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Limit::Depth(depth) => write!(f, "depth {depth}"),
            Limit::Nodes(nodes) => write!(f, "{nodes} nodes"),
            Limit::Doubt(nodes) => write!(f, "{nodes} nodes by doubt"),
        }
    }
}

/// Who is measured, and how its centipawns are read.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The name under which measurements are kept.
    pub name: String,
    /// Its own win model.
    pub sf: WinModel,
    /// The logistic over its centipawns.
    pub lichess: WinModel,
}

impl From<&Evaluation> for Subject {
    fn from(evaluation: &Evaluation) -> Subject {
        Subject {
            name: evaluation.name().to_owned(),
            sf: win_models::shipped(evaluation, Form::Sf),
            lichess: win_models::shipped(evaluation, Form::Lichess),
        }
    }
}

/// Searches one game on one thread. `form` is one of [`Limit::forms`].
pub fn measure(game: &BenchGame, evaluation: Evaluation, limit: Limit, form: Option<Form>) -> Measured {
    let labeller = Labeller {
        budget: limit.into(),
        evaluation,
        model: win_models::shipped(&evaluation, form.unwrap_or(Form::Sf)),
        refines: matches!(limit, Limit::Doubt(_)),
        threads: 1,
        ..Labeller::default()
    };
    let started = Instant::now();
    let scores = labeller.search(&game.game, &[], &|_| {});
    Measured {
        game: game.name.clone(),
        evaluation: evaluation.name().to_owned(),
        limit,
        form,
        seconds: started.elapsed().as_secs_f64(),
        scores,
    }
}

/// Sums the measurements of one subject and limit over `games`; `None` where one is missing.
pub fn summarise(
    games: &[BenchGame],
    state: &State,
    subject: &Subject,
    limit: Limit,
    optimise: Optimise,
) -> Option<Row> {
    let (mut sf, mut lichess) = (LabelAccuracy::default(), LabelAccuracy::default());
    let (mut positions, mut depth, mut nodes, mut seconds) = (0_u64, 0_u64, 0_u64, 0.0);
    for game in games {
        for (form, model, accuracy, truth) in [
            (Form::Sf, subject.sf, &mut sf, &game.sf),
            (Form::Lichess, subject.lichess, &mut lichess, &game.lichess),
        ] {
            let measured = state.find(&game.name, &subject.name, limit, limit.of_form(form))?;
            let labeller = Labeller { model, optimise, ..Labeller::default() };
            let labels = labeller.decide(&game.game, measured.scores.clone());
            for (label, (leader, swing)) in labels.iter().skip(1).zip(truth) {
                accuracy.add((*leader, label.leader_after), (*swing, label.wr_swing));
            }
        }
        for &form in limit.forms() {
            let measured = state.find(&game.name, &subject.name, limit, form)?;
            seconds += measured.seconds;
            for score in measured.scores.iter().filter(|score| score.nodes > 0) {
                positions += 1;
                depth += u64::from(score.depth);
                nodes += score.nodes;
            }
        }
    }
    let mean = |sum: f64| sum / positions.max(1) as f64;
    Some(Row {
        evaluation: subject.name.clone(),
        limit,
        optimise,
        positions: positions / limit.forms().len() as u64,
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
        .filter_map(|game| {
            Some((game, state.find(&game.name, evaluation.name(), limit, limit.of_form(Form::Sf))?))
        })
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
