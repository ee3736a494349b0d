//! What the looks at all 64 squares say together.

use shakmaty::{Bitboard, Square};

use super::piece_model::{CLASS_COUNT, Class};
use super::placement::Placement;

/// For each class the squares that it explains well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardReading {
    plausible: [Bitboard; CLASS_COUNT],
    clear: Bitboard,
}

impl BoardReading {
    /// A reading from, for each square, a set of the classes that explain it: bit `i` for the class of
    /// [`Class::index`] `i`. A square that is not named is not clear.
    #[must_use]
    pub fn from_masks(masks: impl Iterator<Item = (Square, u16)>) -> Self {
        let mut reading = Self { plausible: [Bitboard::EMPTY; CLASS_COUNT], clear: Bitboard::EMPTY };
        for (square, mask) in masks {
            for class in Class::all().filter(|c| mask & (1 << c.index()) != 0) {
                reading.plausible[class.index()].add(square);
                reading.clear.add(square);
            }
        }
        reading
    }

    /// The squares of which at least one class explains what is seen.
    #[must_use]
    pub const fn clear(&self) -> Bitboard {
        self.clear
    }

    /// The squares that `class` explains well.
    #[must_use]
    pub const fn plausible(&self, class: Class) -> Bitboard {
        self.plausible[class.index()]
    }

    /// The clear squares that show something else than `placement` has there.
    #[must_use]
    pub fn contradicted(&self, placement: &Placement) -> Bitboard {
        let explained =
            Class::all().fold(Bitboard::EMPTY, |all, c| all | (placement.squares_of(c) & self.plausible(c)));
        self.clear & !explained
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unclear_squares_contradict_nothing() {
        let start = Placement::start();
        let masks = |broken: u16| {
            Square::ALL.into_iter().map(move |sq| {
                let class = Class::of(Placement::start().at(sq));
                (sq, if sq == Square::E2 { broken } else { 1 << class.index() })
            })
        };
        let unclear = BoardReading::from_masks(masks(0));
        assert_eq!(unclear.contradicted(&start), Bitboard::EMPTY);
        assert_eq!(unclear.clear(), !Bitboard::from(Square::E2));
        let emptied = BoardReading::from_masks(masks(1));
        assert_eq!(emptied.contradicted(&start), Bitboard::from(Square::E2));
    }
}
