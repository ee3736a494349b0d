//! How much in doubt the labels of a game are: which further searches are likeliest to change one.

use plyscope_core::judge::{
    label::{self, SwingThresholds},
    score::ScoreKind,
    win_model::WinProbability,
};
use shakmaty::{Chess, Position};

use super::{Labeller, PositionScore, decision};

/// A doubt that is not worth any search.
pub(super) const NONE: f64 = 1e-3;

/// Typical distance of a score from that of a far deeper search: so many centipawns, and a share of the score itself.
const ERROR_CP: f64 = 12.0;
const ERROR_SHARE: f64 = 0.15;
/// Distances tried, in typical errors, and how likely each is on either side (a distribution with long tails).
const SAMPLES: [(f64, f64); 4] = [(0.5, 0.20), (1.2, 0.15), (2.2, 0.10), (4.0, 0.05)];
/// Where a swing is in doubt: at the definition for a loss, whatever the labels are to be best at; hardly ever for a gain.
const SWINGS: SwingThresholds = SwingThresholds { for_mover: 0.5, ..SwingThresholds::PLAIN };
/// A gain for the mover from here on says that one of two scores is wrong: before the ply its best was not found.
const GAIN_NOTICED: f64 = 0.05;

/// For each of these positions, which follow each other, how many labels a deeper search of it may be expected to change.
pub(super) fn doubts(labeller: &Labeller, positions: &[Chess], scores: &[PositionScore]) -> Vec<f64> {
    let p: Vec<WinProbability> = positions
        .iter()
        .zip(scores)
        .map(|(position, score)| decision::win_probability(labeller, position, score))
        .collect();
    (0..p.len())
        .map(|i| {
            let ScoreKind::Centipawns(cp) = scores[i].score.kind() else { return 0.0 };
            if scores[i].depth == 0 {
                return 0.0;
            }
            let labels = |here: WinProbability| {
                let into = (i > 0).then(|| SWINGS.swing(!positions[i].turn(), p[i - 1], here));
                let out = p.get(i + 1).map(|&after| SWINGS.swing(positions[i].turn(), here, after));
                (label::leader(here), into, out)
            };
            let now = labels(p[i]);
            let error_cp = ERROR_CP + ERROR_SHARE * f64::from(cp.abs());
            let ply = decision::game_ply(&positions[i]);
            let mut doubt = 0.0;
            for (distance, likelihood) in SAMPLES {
                for sign in [-1.0, 1.0] {
                    let there = f64::from(cp) + sign * distance * error_cp;
                    let then = labels(labeller.model.probability_of_cp(there, ply));
                    let changed = [then.0 != now.0, then.1 != now.1, then.2 != now.2];
                    doubt += likelihood * changed.into_iter().map(|c| f64::from(u8::from(c))).sum::<f64>();
                }
            }
            let gain = p.get(i + 1).map_or(0.0, |after| {
                let for_white = after.get() - p[i].get();
                positions[i].turn().fold_wb(for_white, -for_white)
            });
            if gain > GAIN_NOTICED { doubt + gain } else { doubt }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use plyscope_core::judge::score::Score;

    use super::*;

    fn scored(cp: i32, depth: u8) -> PositionScore {
        PositionScore { score: Score::centipawns(cp), depth, nodes: 1000, line: Vec::new() }
    }

    #[test]
    fn scores_near_a_threshold_are_in_doubt_and_clear_ones_are_not() {
        let labeller = Labeller::default();
        let positions = vec![Chess::default()];
        let doubt = |cp| doubts(&labeller, &positions, &[scored(cp, 10)])[0];
        let near = (0..200).map(doubt).fold(0.0, f64::max);
        assert!(near > 0.3, "{near}");
        assert!(doubt(0) < 0.3 * near && doubt(1500) < NONE, "{} {}", doubt(0), doubt(1500));
    }

    #[test]
    fn a_gain_for_the_mover_puts_the_score_before_it_in_doubt() {
        let labeller = Labeller::default();
        let start = Chess::default();
        let m = start.legal_moves()[0];
        let positions = vec![start.clone(), start.play(m).unwrap()];
        let level = doubts(&labeller, &positions, &[scored(0, 10), scored(0, 10)])[0];
        let gained = doubts(&labeller, &positions, &[scored(0, 10), scored(300, 10)])[0];
        assert!(gained > level + 0.2, "{gained} {level}");
    }

    #[test]
    fn what_the_rules_decide_and_mates_are_beyond_doubt() {
        let labeller = Labeller::default();
        let positions = vec![Chess::default(); 2];
        let mate = PositionScore { score: Score::mate_in(3), ..scored(0, 10) };
        assert_eq!(doubts(&labeller, &positions, &[scored(60, 0), mate]), [0.0, 0.0]);
    }
}
