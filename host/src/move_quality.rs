//! How much a ply gave away.

use plyscope_core::judge::label::SWING_THRESHOLD;

/// What a ply is called that gave away win probability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MoveQuality {
    /// `?!`, NAG `$6`.
    Inaccuracy,
    /// `?`, NAG `$2`.
    Mistake,
    /// `??`, NAG `$4`.
    Blunder,
}

/// From this loss of win probability on a ply is an inaccuracy: where the balance shifts by the label's definition.
pub const INACCURACY_LOSS: f64 = SWING_THRESHOLD;
/// From this loss on it is a mistake.
pub const MISTAKE_LOSS: f64 = 2.0 * SWING_THRESHOLD;
/// From this loss on it is a blunder.
pub const BLUNDER_LOSS: f64 = 3.0 * SWING_THRESHOLD;
/// A difference of decimal fractions may miss the threshold by a few bits and is still at it.
const ROUNDING_MARGIN: f64 = 1e-9;

impl MoveQuality {
    /// All, the least first.
    pub const ALL: [Self; 3] = [Self::Inaccuracy, Self::Mistake, Self::Blunder];

    /// What a loss of win probability (0 to 1, seen by the side that moved) is called; `None` for a small one.
    #[must_use]
    pub fn of_loss(loss: f64) -> Option<Self> {
        let loss = loss + ROUNDING_MARGIN;
        match loss {
            _ if loss >= BLUNDER_LOSS => Some(Self::Blunder),
            _ if loss >= MISTAKE_LOSS => Some(Self::Mistake),
            _ if loss >= INACCURACY_LOSS => Some(Self::Inaccuracy),
            _ => None,
        }
    }

    /// The sign that people write after the move.
    #[must_use]
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Inaccuracy => "?!",
            Self::Mistake => "?",
            Self::Blunder => "??",
        }
    }

    /// The Numeric Annotation Glyph of PGN's export format, without its `$`.
    #[must_use]
    pub const fn nag(self) -> u8 {
        match self {
            Self::Inaccuracy => 6,
            Self::Mistake => 2,
            Self::Blunder => 4,
        }
    }

    /// The word, in lower case.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Inaccuracy => "inaccuracy",
            Self::Mistake => "mistake",
            Self::Blunder => "blunder",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_named_from_their_thresholds_on() {
        assert_eq!(MoveQuality::of_loss(-0.5), None);
        assert_eq!(MoveQuality::of_loss(0.099), None);
        assert_eq!(MoveQuality::of_loss(0.35 - 0.25), Some(MoveQuality::Inaccuracy));
        assert_eq!(MoveQuality::of_loss(0.5 - 0.3), Some(MoveQuality::Mistake));
        assert_eq!(MoveQuality::of_loss(0.3), Some(MoveQuality::Blunder));
        assert_eq!(MoveQuality::of_loss(f64::NAN), None);
    }
}
