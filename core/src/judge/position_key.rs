//! A position's 64-bit Zobrist key, updated move by move.

use shakmaty::{
    CastlingSide, Chess, Color, EnPassantMode, Move, Position, Square,
    zobrist::{Zobrist64, ZobristValue},
};

/// Names a position as the rules of repetition see it: pieces, side to move, castling rights, and an en passant
/// square only where the capture is legal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PositionKey(pub u64);

impl PositionKey {
    /// The key of `position`, from nothing.
    pub fn of(position: &Chess) -> PositionKey {
        PositionKey(position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0)
    }

    /// The key after the pieces of `played` moved in `before`, of which this is the key. It is the whole key unless the move
    /// takes a castling right away, or allows a capture in passing: [`PositionKey::with_rights`] adds those.
    pub(crate) fn after_pieces(self, before: &Chess, played: Move) -> PositionKey {
        let turn = before.turn();
        let mut key = Zobrist64(self.0) ^ Zobrist64::zobrist_for_white_turn();
        match played {
            Move::Normal { role, from, capture, to, promotion } => {
                key ^= Zobrist64::zobrist_for_piece(from, role.of(turn));
                key ^= Zobrist64::zobrist_for_piece(to, promotion.unwrap_or(role).of(turn));
                if let Some(taken) = capture {
                    key ^= Zobrist64::zobrist_for_piece(to, taken.of(!turn));
                }
            }
            Move::EnPassant { from, to } => {
                let taken = Square::from_coords(to.file(), from.rank());
                key ^= Zobrist64::zobrist_for_piece(from, turn.pawn());
                key ^= Zobrist64::zobrist_for_piece(to, turn.pawn());
                key ^= Zobrist64::zobrist_for_piece(taken, (!turn).pawn());
            }
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_king_side(king < rook);
                key ^= Zobrist64::zobrist_for_piece(king, turn.king());
                key ^= Zobrist64::zobrist_for_piece(rook, turn.rook());
                key ^= Zobrist64::zobrist_for_piece(side.king_to(turn), turn.king());
                key ^= Zobrist64::zobrist_for_piece(side.rook_to(turn), turn.rook());
            }
            Move::Put { role, to } => key ^= Zobrist64::zobrist_for_piece(to, role.of(turn)),
        }
        PositionKey(key.0).with_en_passant_of(before)
    }

    /// What the change of castling rights from `before` to `after`, and captures in passing in `after`, add.
    pub(crate) fn with_rights(self, before: &Chess, after: &Chess) -> PositionKey {
        let mut key = Zobrist64(self.0);
        if before.castles().castling_rights() != after.castles().castling_rights() {
            for color in Color::ALL {
                for side in CastlingSide::ALL {
                    if before.castles().has(color, side) != after.castles().has(color, side) {
                        key ^= Zobrist64::zobrist_for_castling_right(color, side);
                    }
                }
            }
        }
        PositionKey(key.0).with_en_passant_of(after)
    }

    /// The key of the same position with the other side to move; `position` is the one before.
    pub fn after_null_move(self, position: &Chess) -> PositionKey {
        PositionKey(self.0 ^ Zobrist64::zobrist_for_white_turn().0).with_en_passant_of(position)
    }

    fn with_en_passant_of(self, position: &Chess) -> PositionKey {
        match position.legal_ep_square() {
            Some(square) => PositionKey(self.0 ^ Zobrist64::zobrist_for_en_passant_file(square.file()).0),
            None => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{CastlingMode, fen::Fen};

    fn check_tree(position: &Chess, key: PositionKey, depth: u32) {
        assert_eq!(key, PositionKey::of(position), "{position:?}");
        if depth == 0 {
            return;
        }
        for m in position.legal_moves() {
            let mut after = position.clone();
            after.play_unchecked(m);
            check_tree(&after, key.after_pieces(position, m).with_rights(position, &after), depth - 1);
        }
    }

    #[test]
    fn the_updated_key_equals_the_key_from_nothing() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        ] {
            let position: Chess = fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
            check_tree(&position, PositionKey::of(&position), 3);
        }
    }

    #[test]
    fn a_null_move_changes_the_side_and_nothing_else() {
        let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        let position: Chess = fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
        let key = PositionKey::of(&position).after_null_move(&position);
        assert_eq!(key, PositionKey::of(&position.swap_turn().unwrap()));
    }
}
