//! What a network sees: each piece on its square, from each side's point of view.
//!
//! Each perspective sees its own side at the bottom and its own king on the files A to D: a board whose own king
//! stands on E to H is mirrored. A pawn has 48 squares, the other pieces 64: 2 * (48 + 5 * 64) = 736 features.

use shakmaty::{Board, Chess, Color, Move, Piece, Position, Role, Square};

/// Features of one king bucket.
pub const FEATURES: usize = 736;
const FEATURES_OF_A_COLOR: usize = FEATURES / 2;

/// The own king's square as its side sees it: turned so that its side sits below, and mirrored to the files A to D.
pub fn seen_king(perspective: Color, king: Square) -> Square {
    View::new(perspective, king).see(king)
}

/// How a perspective sees squares, given its own king.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    perspective: Color,
    /// Flips ranks for Black and files for a king on E to H.
    flip: u32,
}

impl View {
    /// The view of `perspective` when its own king stands on `king`.
    pub fn new(perspective: Color, king: Square) -> Self {
        let ranks = if perspective.is_white() { 0 } else { 0b111_000 };
        let files = if king as u32 & 0b100 == 0 { 0 } else { 0b111 };
        View { perspective, flip: ranks | files }
    }

    /// A square in this view.
    pub fn see(self, square: Square) -> Square {
        Square::new(square as u32 ^ self.flip)
    }

    /// Feature of a piece on a square, below [`FEATURES`].
    pub fn feature(self, piece: Piece, square: Square) -> usize {
        let side = if piece.color == self.perspective { 0 } else { FEATURES_OF_A_COLOR };
        let seen = (square as u32 ^ self.flip) as usize;
        // A pawn stands on none of the first eight squares, so 48 places are enough for the rest of its board.
        let within = match piece.role {
            Role::Pawn => seen.saturating_sub(8).min(47),
            role => (role as usize - Role::Knight as usize) * 64 + 48 + seen,
        };
        side + within
    }
}

/// The square of a side's king. A legal position has one; without, the corner stands in.
pub fn king_of(board: &Board, color: Color) -> Square {
    board.king_of(color).unwrap_or(Square::A1)
}

/// What a move puts on the board and takes off it: up to two pieces each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) added: (Piece, Square),
    pub(super) added_too: Option<(Piece, Square)>,
    pub(super) removed: (Piece, Square),
    pub(super) removed_too: Option<(Piece, Square)>,
}

impl Change {
    /// The change that the legal `played` makes to `position`; `None` for a drop, which chess has not.
    pub(super) fn of(position: &Chess, played: Move) -> Option<Self> {
        let us = position.turn();
        let piece = |color: Color, role: Role| Piece { color, role };
        Some(match played {
            Move::Normal { role, from, capture, to, promotion } => Change {
                added: (piece(us, promotion.unwrap_or(role)), to),
                added_too: None,
                removed: (piece(us, role), from),
                removed_too: capture.map(|taken| (piece(!us, taken), to)),
            },
            Move::EnPassant { from, to } => Change {
                added: (piece(us, Role::Pawn), to),
                added_too: None,
                removed: (piece(us, Role::Pawn), from),
                removed_too: Some((piece(!us, Role::Pawn), Square::from_coords(to.file(), from.rank()))),
            },
            Move::Castle { king, rook } => {
                let side = played.castling_side()?;
                Change {
                    added: (piece(us, Role::King), side.king_to(us)),
                    added_too: Some((piece(us, Role::Rook), side.rook_to(us))),
                    removed: (piece(us, Role::King), king),
                    removed_too: Some((piece(us, Role::Rook), rook)),
                }
            }
            Move::Put { .. } => return None,
        })
    }

    /// Where the moved king goes, if a king moves.
    pub(super) fn king_to(&self) -> Option<Square> {
        (self.added.0.role == Role::King).then_some(self.added.1)
    }
}
