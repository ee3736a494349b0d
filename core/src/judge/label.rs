//! The two strategy labels of a ply.

use shakmaty::Color;

use super::win_model::{WinModel, WinProbability};
use crate::event_row::Verdict;

/// White leads above this win probability, Black below one less it.
pub const LEADER_THRESHOLD: f64 = 0.60;
/// A ply shifts the balance if it moves the win probability at least this far.
pub const SWING_THRESHOLD: f64 = 0.10;
/// A difference of decimal fractions may miss the threshold by a few bits and is still at it.
const ROUNDING_MARGIN: f64 = 1e-9;

/// Who is ahead: strictly beyond the threshold.
pub fn leader(p_after: WinProbability) -> Verdict {
    if p_after.get() > LEADER_THRESHOLD {
        Verdict::White
    } else if p_after.get() < 1.0 - LEADER_THRESHOLD {
        Verdict::Black
    } else {
        Verdict::Equal
    }
}

/// Who gained by a ply: at the threshold or beyond.
pub fn swing(p_before: WinProbability, p_after: WinProbability) -> Verdict {
    let gain = p_after.get() - p_before.get();
    if gain >= SWING_THRESHOLD - ROUNDING_MARGIN {
        Verdict::White
    } else if gain <= -SWING_THRESHOLD + ROUNDING_MARGIN {
        Verdict::Black
    } else {
        Verdict::Equal
    }
}

/// How far the win probability must move for a swing to be called, apart for either direction.
///
/// Where both sides play well a ply can't gain much for the side that makes it: what it gains, it could have had before.
/// So a measured gain for the mover is the search's noise unless it is very clear (in real games 3 of 214 true swings
/// went the mover's way).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SwingThresholds {
    /// For a swing towards the side that made the ply.
    pub for_mover: f64,
    /// For a swing towards the other side.
    pub against_mover: f64,
}

impl SwingThresholds {
    /// The definition of the label, with no regard to noise.
    pub const PLAIN: SwingThresholds =
        SwingThresholds { for_mover: SWING_THRESHOLD, against_mover: SWING_THRESHOLD };
    /// The most plies right by labels of `model`: rare labels are given only where they are likely. Measured, see
    /// `docs/search.md`.
    pub const fn strict(model: &WinModel) -> SwingThresholds {
        let against_mover = match model {
            WinModel::WinDrawLoss { .. } => 0.08,
            WinModel::Logistic { .. } => 0.10,
        };
        SwingThresholds { for_mover: 0.5, against_mover }
    }

    /// The best mean over the three classes by labels of `model`: rare labels are given more freely. Measured, see
    /// `docs/search.md`.
    pub const fn macro_mean(model: &WinModel) -> SwingThresholds {
        let against_mover = match model {
            WinModel::WinDrawLoss { .. } => 0.025,
            WinModel::Logistic { .. } => 0.09,
        };
        SwingThresholds { for_mover: 0.5, against_mover }
    }

    /// Who gained by a ply of `mover`.
    pub fn swing(&self, mover: Color, p_before: WinProbability, p_after: WinProbability) -> Verdict {
        let towards = |color: Color| color.fold_wb(Verdict::White, Verdict::Black);
        let for_white = p_after.get() - p_before.get();
        let gain = mover.fold_wb(for_white, -for_white);
        if gain >= self.for_mover - ROUNDING_MARGIN {
            towards(mover)
        } else if gain <= -self.against_mover + ROUNDING_MARGIN {
            towards(!mover)
        } else {
            Verdict::Equal
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_is_strictly_beyond_the_threshold_and_a_swing_at_it() {
        let p = WinProbability::new;
        assert_eq!(leader(p(0.60)), Verdict::Equal);
        assert_eq!(leader(p(0.600_001)), Verdict::White);
        assert_eq!(leader(p(0.40)), Verdict::Equal);
        assert_eq!(leader(p(0.399_999)), Verdict::Black);
        assert_eq!(swing(p(0.5), p(0.625)), Verdict::White);
        assert_eq!(swing(p(0.25), p(0.25 + SWING_THRESHOLD)), Verdict::White);
        assert_eq!(swing(p(0.5), p(0.375)), Verdict::Black);
        assert_eq!(swing(p(0.5), p(0.59)), Verdict::Equal);
    }

    #[test]
    fn a_gain_for_the_mover_must_be_clearer_than_a_loss() {
        let p = WinProbability::new;
        let thresholds = SwingThresholds { for_mover: 0.4, against_mover: 0.12 };
        assert_eq!(thresholds.swing(Color::White, p(0.5), p(0.8)), Verdict::Equal);
        assert_eq!(thresholds.swing(Color::White, p(0.5), p(0.95)), Verdict::White);
        assert_eq!(thresholds.swing(Color::White, p(0.5), p(0.35)), Verdict::Black);
        assert_eq!(thresholds.swing(Color::Black, p(0.5), p(0.65)), Verdict::White);
        assert_eq!(thresholds.swing(Color::Black, p(0.5), p(0.2)), Verdict::Equal);
    }

    #[test]
    fn the_macro_mean_calls_more_losses_swings_than_the_most_plies_right() {
        let p = WinProbability::new;
        let models = [
            WinModel::WinDrawLoss { a: [70.0, 20.0, 0.0, 0.0], b: [16.0, 0.0, 0.0, 0.0] },
            WinModel::LICHESS,
        ];
        for model in &models {
            let (strict, macro_mean) = (SwingThresholds::strict(model), SwingThresholds::macro_mean(model));
            assert!(macro_mean.against_mover < strict.against_mover);
            let after = p(0.5 - (strict.against_mover + macro_mean.against_mover) / 2.0);
            assert_eq!(strict.swing(Color::White, p(0.5), after), Verdict::Equal);
            assert_eq!(macro_mean.swing(Color::White, p(0.5), after), Verdict::Black);
        }
    }

    #[test]
    fn the_plain_thresholds_are_the_definition() {
        for (before, after) in [(0.5, 0.61), (0.5, 0.39), (0.5, 0.55), (0.9, 0.8)] {
            let (before, after) = (WinProbability::new(before), WinProbability::new(after));
            for mover in Color::ALL {
                assert_eq!(SwingThresholds::PLAIN.swing(mover, before, after), swing(before, after));
            }
        }
    }
}
