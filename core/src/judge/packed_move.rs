//! A move in two bytes, as it is kept in tables and lists.

use core::num::NonZeroU16;

use shakmaty::{Board, Chess, Move, Position, Role, Square};

const SQUARE_MASK: u16 = 0x3f;
const TO_SHIFT: u32 = 6;
const PROMOTION_SHIFT: u32 = 12;

/// From square, to square and promotion (castling: the king takes its own rook), without saying which piece moves.
///
/// `Option<PackedMove>` is two bytes as well: no move goes from A1 to A1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PackedMove(NonZeroU16);

impl PackedMove {
    /// The move from one square to another, or `None` where they are the same.
    pub(crate) fn new(from: Square, to: Square, promotion: Option<Role>) -> Option<PackedMove> {
        if from == to {
            return None;
        }
        let promotion = promotion.map_or(0, |role| role as u16);
        let bits = from.to_u32() as u16 | (to.to_u32() as u16) << TO_SHIFT | promotion << PROMOTION_SHIFT;
        NonZeroU16::new(bits).map(PackedMove)
    }

    /// Packs a move of standard chess (`None` for a piece drop).
    pub fn pack(m: Move) -> Option<PackedMove> {
        PackedMove::new(m.from()?, m.to(), m.promotion())
    }

    /// The move as its two bytes.
    pub const fn bits(self) -> u16 {
        self.0.get()
    }

    /// The move with these two bytes; 0 is no move.
    pub const fn from_bits(bits: u16) -> Option<PackedMove> {
        match NonZeroU16::new(bits) {
            Some(bits) => Some(PackedMove(bits)),
            None => None,
        }
    }

    /// Where the piece comes from.
    pub fn from(self) -> Square {
        Square::new(u32::from(self.bits() & SQUARE_MASK))
    }

    /// Where the piece goes (castling: its own rook's square).
    pub fn to(self) -> Square {
        Square::new(u32::from(self.bits() >> TO_SHIFT & SQUARE_MASK))
    }

    /// What a pawn turns into.
    pub fn promotion(self) -> Option<Role> {
        match self.bits() >> PROMOTION_SHIFT {
            2 => Some(Role::Knight),
            3 => Some(Role::Bishop),
            4 => Some(Role::Rook),
            5 => Some(Role::Queen),
            _ => None,
        }
    }

    /// The full move in `position`, or `None` where no own piece stands on the from square. The move is legal if the
    /// packed one was made for this position; else see [`PackedMove::unpack_legal`].
    pub fn unpack(self, position: &Chess) -> Option<Move> {
        let board = position.board();
        let (from, to) = (self.from(), self.to());
        let role = role_at(board, from).filter(|_| position.us().contains(from))?;
        let capture = role_at(board, to);
        if role == Role::King && capture.is_some() && position.us().contains(to) {
            return Some(Move::Castle { king: from, rook: to });
        }
        if role == Role::Pawn && capture.is_none() && from.file() != to.file() {
            return Some(Move::EnPassant { from, to });
        }
        Some(Move::Normal { role, from, capture, to, promotion: self.promotion() })
    }

    /// The full move if it is legal in `position`. A packed move out of a table may belong to another position.
    pub fn unpack_legal(self, position: &Chess) -> Option<Move> {
        self.unpack(position).filter(|m| position.is_legal(*m))
    }
}

/// What stands on a square, without the branches of a search through the roles, which no processor can foresee.
#[inline]
pub(crate) fn role_at(board: &Board, square: Square) -> Option<Role> {
    let number = Role::ALL
        .into_iter()
        .fold(0, |number, role| number + role as u32 * u32::from(board.by_role(role).contains(square)));
    Role::try_from(number).ok()
}

/// A move and the number by which its turn comes.
#[derive(Debug, Clone, Copy)]
pub struct ScoredMove {
    pub(crate) packed: Option<PackedMove>,
    pub(crate) rank: i16,
}

impl ScoredMove {
    /// An empty cell of a move list.
    pub const EMPTY: ScoredMove = ScoredMove { packed: None, rank: 0 };
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{CastlingMode, fen::Fen};

    #[test]
    fn a_move_takes_two_bytes_and_comes_back_the_same() {
        assert_eq!(size_of::<Option<PackedMove>>(), 2);
        assert_eq!(size_of::<ScoredMove>(), 4);
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "8/2p5/3p4/KP5r/1R2Pp1k/8/6P1/8 b - e3 0 1",
        ] {
            let position: Chess = fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
            for m in position.legal_moves() {
                let packed = PackedMove::pack(m).unwrap();
                assert_eq!(packed.unpack_legal(&position), Some(m));
                assert_eq!(PackedMove::from_bits(packed.bits()), Some(packed));
            }
        }
    }
}
