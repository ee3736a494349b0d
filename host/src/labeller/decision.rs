//! From the scores of a game to its labels.

use plyscope_core::judge::label::{self, SwingThresholds};

use super::{LabelledGame, Labeller, PlyLabel, PositionScore};
use plyscope_core::{
    event_row::Verdict,
    judge::win_model::{WinModel, WinProbability},
};
use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Position};

/// What labels are to be best at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Optimise {
    /// The most plies with both labels right.
    #[default]
    Strict,
    /// The mean share of right labels over the three classes of each label.
    Macro,
}

impl Optimise {
    /// The name by which it is chosen.
    pub const fn name(self) -> &'static str {
        match self {
            Optimise::Strict => "strict",
            Optimise::Macro => "macro",
        }
    }

    fn swing_thresholds(self, model: &WinModel) -> SwingThresholds {
        match self {
            Optimise::Strict => SwingThresholds::strict(model),
            Optimise::Macro => SwingThresholds::macro_mean(model),
        }
    }
}

/// Plies played before `position`, by its own count.
pub(crate) fn game_ply(position: &Chess) -> u32 {
    (position.fullmoves().get() - 1) * 2 + position.turn().fold_wb(0, 1)
}

pub(super) fn decide(labeller: &Labeller, game: &LabelledGame, scores: Vec<PositionScore>) -> Vec<PlyLabel> {
    let thresholds = labeller.optimise.swing_thresholds(&labeller.model);
    let mut before: Option<WinProbability> = None;
    game.positions()
        .iter()
        .zip(scores)
        .enumerate()
        .map(|(ply, (position, search))| {
            let p = win_probability(labeller, position, &search);
            let wr_swing =
                before.map_or(Verdict::Equal, |before| thresholds.swing(!position.turn(), before, p));
            before = Some(p);
            PlyLabel { ply, score: search.score, p, leader_after: label::leader(p), wr_swing, search }
        })
        .collect()
}

/// White's win probability; exactly one half where the game is over and drawn.
pub(super) fn win_probability(
    labeller: &Labeller,
    position: &Chess,
    search: &PositionScore,
) -> WinProbability {
    if search.depth == 0 && !search.score.is_mate() {
        return WinProbability::HALF;
    }
    labeller.model.probability(search.score, game_ply(position))
}
