//! Pieces on squares as a camera sees them, legal or not.

use shakmaty::{Bitboard, Board, Piece, Square};

use super::piece_model::Class;

/// Pieces on squares, without a side to move or castling rights, maybe illegal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Placement(Board);

impl Placement {
    /// The start position's placement.
    #[must_use]
    pub fn start() -> Self {
        Self(Board::new())
    }

    /// What stands on `square`.
    #[must_use]
    pub fn at(&self, square: Square) -> Option<Piece> {
        self.0.piece_at(square)
    }

    /// The squares on which `class` stands.
    #[must_use]
    pub fn squares_of(&self, class: Class) -> Bitboard {
        match class.content() {
            Some(piece) => self.0.by_piece(piece),
            None => !self.0.occupied(),
        }
    }

    /// The squares on which two placements differ.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Bitboard {
        Class::all().fold(Bitboard::EMPTY, |all, c| all | (self.squares_of(c) ^ other.squares_of(c)))
    }

    /// The pieces as the rules' crate holds them.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.0
    }
}

impl From<&Board> for Placement {
    fn from(board: &Board) -> Self {
        Self(board.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_of_two_placements_is_where_they_differ() {
        let start = Placement::start();
        let mut board = Board::new();
        let pawn = board.remove_piece_at(Square::E2).expect("a pawn stands there");
        board.set_piece_at(Square::E4, pawn);
        let moved = Placement::from(&board);
        assert_eq!(start.difference(&moved), Bitboard::from(Square::E2) | Bitboard::from(Square::E4));
        assert_eq!(start.difference(&start), Bitboard::EMPTY);
    }

    #[test]
    fn every_square_belongs_to_one_class() {
        let start = Placement::start();
        let count: usize = Class::all().map(|c| start.squares_of(c).count()).sum();
        assert_eq!(count, 64);
    }
}
