//! What a search says of a position: centipawns, or the exact distance to a mate.

use serde::{Deserialize, Serialize};

/// The most plies that a line can have, and so the longest mate that a score can hold.
pub const PLY_MAX: usize = 246;

/// Value of a mate on the board, seen by the side that gave it.
pub(crate) const MATE: i32 = 32_000;
/// Values from here up are mates in a counted number of plies.
pub(crate) const MATE_THRESHOLD: i32 = MATE - PLY_MAX as i32;
/// Above every value that a position can have.
pub(crate) const INFINITE: i32 = MATE + 1;
/// The largest value that is no mate.
pub(crate) const CENTIPAWNS_MAX: i32 = MATE_THRESHOLD - 1;
/// A drawn position.
pub(crate) const DRAW: i32 = 0;

/// An exact score as one side sees it (each use says which side).
///
/// Scores are ordered: being mated late is better than being mated soon, mating soon better than mating late.
///
/// ```
/// use plyscope_core::judge::score::{Score, ScoreKind};
/// assert!(Score::mate_in(3) > Score::mate_in(5) && Score::mate_in(5) > Score::centipawns(900));
/// assert_eq!(Score::mate_in(5).kind(), ScoreKind::Mate { moves: 3 });
/// assert_eq!(-Score::mate_in(4), Score::mated_in(4));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "i16", into = "i16")]
pub struct Score(i16);

/// For storage: any number makes some score.
impl From<i16> for Score {
    fn from(stored: i16) -> Score {
        Score::from_value(i32::from(stored))
    }
}

impl From<Score> for i16 {
    fn from(score: Score) -> i16 {
        score.0
    }
}

/// A [`Score`] taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScoreKind {
    /// Centipawns.
    Centipawns(i32),
    /// The side that looks mates in this many of its own moves.
    Mate {
        /// Moves of the mating side, at least 1.
        moves: u16,
    },
    /// The side that looks is mated after this many moves of its opponent.
    Mated {
        /// Moves of the opponent; 0 where the mate is on the board.
        moves: u16,
    },
}

impl Score {
    /// A draw.
    pub const DRAW: Score = Score(0);

    /// A score of `cp` centipawns, clamped to what is no mate.
    pub const fn centipawns(cp: i32) -> Score {
        Score::from_value(if cp > CENTIPAWNS_MAX {
            CENTIPAWNS_MAX
        } else if cp < -CENTIPAWNS_MAX {
            -CENTIPAWNS_MAX
        } else {
            cp
        })
    }

    /// The side that looks gives mate with ply number `plies` from now (an odd number; at most [`PLY_MAX`]).
    pub const fn mate_in(plies: u16) -> Score {
        let plies = if plies as usize > PLY_MAX { PLY_MAX as i32 } else { plies as i32 };
        Score::from_value(MATE - plies)
    }

    /// The side that looks is mated by ply number `plies` from now (an even number; 0: mated on the board).
    pub const fn mated_in(plies: u16) -> Score {
        Score::from_value(-Score::mate_in(plies).value())
    }

    /// From the search's own number.
    pub(crate) const fn from_value(value: i32) -> Score {
        Score(if value > MATE {
            MATE as i16
        } else if value < -MATE {
            -MATE as i16
        } else {
            value as i16
        })
    }

    /// The search's own number: centipawns, or [`MATE`] less the plies to it.
    pub(crate) const fn value(self) -> i32 {
        self.0 as i32
    }

    /// Takes the score apart.
    pub const fn kind(self) -> ScoreKind {
        let value = self.value();
        if value >= MATE_THRESHOLD {
            ScoreKind::Mate { moves: ((MATE - value + 1) / 2) as u16 }
        } else if value <= -MATE_THRESHOLD {
            ScoreKind::Mated { moves: ((MATE + value) / 2) as u16 }
        } else {
            ScoreKind::Centipawns(value)
        }
    }

    /// True for a forced mate of either side.
    pub const fn is_mate(self) -> bool {
        is_mate(self.value())
    }
}

impl core::ops::Neg for Score {
    type Output = Score;

    fn neg(self) -> Score {
        Score(-self.0)
    }
}

/// True where `value` is a mate for either side.
pub(crate) const fn is_mate(value: i32) -> bool {
    value >= MATE_THRESHOLD || value <= -MATE_THRESHOLD
}

/// The value of being mated on the board, `ply` plies from the root.
pub(crate) const fn mated_at(ply: usize) -> i32 {
    ply as i32 - MATE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mate_says_how_many_moves_it_takes() {
        assert_eq!(Score::mate_in(1).kind(), ScoreKind::Mate { moves: 1 });
        assert_eq!(Score::mate_in(2 * 5 - 1).kind(), ScoreKind::Mate { moves: 5 });
        assert_eq!(Score::mated_in(0).kind(), ScoreKind::Mated { moves: 0 });
        assert_eq!(Score::mated_in(4).kind(), ScoreKind::Mated { moves: 2 });
        assert_eq!(Score::mate_in(u16::MAX), Score::mate_in(PLY_MAX as u16));
    }

    #[test]
    fn centipawns_never_turn_into_a_mate() {
        for cp in [i32::MIN, -40_000, -1, 0, 1, 40_000, i32::MAX] {
            assert!(!Score::centipawns(cp).is_mate());
        }
        assert_eq!(Score::centipawns(-35).kind(), ScoreKind::Centipawns(-35));
    }
}
