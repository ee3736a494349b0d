//! The two strategy labels of a ply.

use super::win_model::WinProbability;
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
}
