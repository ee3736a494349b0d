//! The two strategy labels of a ply.

use super::win_model::WinProbability;

/// White leads above this win probability, Black below one less it.
pub const LEADER_THRESHOLD: f64 = 0.60;
/// A ply shifts the balance if it moves the win probability at least this far.
pub const SWING_THRESHOLD: f64 = 0.10;
/// A difference of decimal fractions may miss the threshold by a few bits and is still at it.
const ROUNDING_MARGIN: f64 = 1e-9;

/// A label: which side, or neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Label {
    /// White.
    White,
    /// Neither side.
    #[default]
    Equal,
    /// Black.
    Black,
}

impl Label {
    /// The label as it is written in answers: `"W"`, `"equal"` or `"B"`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Label::White => "W",
            Label::Equal => "equal",
            Label::Black => "B",
        }
    }

    /// Reads what [`Label::as_str`] writes.
    pub fn parse(text: &str) -> Option<Label> {
        [Label::White, Label::Equal, Label::Black].into_iter().find(|label| label.as_str() == text)
    }

    /// Who is ahead: strictly beyond the threshold.
    pub fn leader(p_after: WinProbability) -> Label {
        if p_after.get() > LEADER_THRESHOLD {
            Label::White
        } else if p_after.get() < 1.0 - LEADER_THRESHOLD {
            Label::Black
        } else {
            Label::Equal
        }
    }

    /// Who gained by a ply: at the threshold or beyond.
    pub fn swing(p_before: WinProbability, p_after: WinProbability) -> Label {
        let gain = p_after.get() - p_before.get();
        if gain >= SWING_THRESHOLD - ROUNDING_MARGIN {
            Label::White
        } else if gain <= -SWING_THRESHOLD + ROUNDING_MARGIN {
            Label::Black
        } else {
            Label::Equal
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_is_strictly_beyond_the_threshold_and_a_swing_at_it() {
        let p = WinProbability::new;
        assert_eq!(Label::leader(p(0.60)), Label::Equal);
        assert_eq!(Label::leader(p(0.600_001)), Label::White);
        assert_eq!(Label::leader(p(0.40)), Label::Equal);
        assert_eq!(Label::leader(p(0.399_999)), Label::Black);
        assert_eq!(Label::swing(p(0.5), p(0.625)), Label::White);
        assert_eq!(Label::swing(p(0.25), p(0.25 + SWING_THRESHOLD)), Label::White);
        assert_eq!(Label::swing(p(0.5), p(0.375)), Label::Black);
        assert_eq!(Label::swing(p(0.5), p(0.59)), Label::Equal);
    }

    #[test]
    fn labels_are_read_as_they_are_written() {
        for label in [Label::White, Label::Equal, Label::Black] {
            assert_eq!(Label::parse(label.as_str()), Some(label));
        }
        assert_eq!(Label::parse("w"), None);
    }
}
