//! Legal moves some at a time, in the order in which shakmaty lists them.
//!
//! A list of all legal moves takes one and a half kilobytes of stack, which a small microcontroller does not have to spare,
//! and of most positions only a few moves matter here.

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, Chess, Move, Position, Role, Square};

use crate::judge::move_generation::{Constraints, Portion, generate};

/// Moves that are held at once.
pub(super) const CANDIDATES_MAX: usize = 16;

/// Where a move stands in the list of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place(u32);

/// Some legal moves.
pub(super) type Candidates = ArrayVec<Move, CANDIDATES_MAX>;

/// The first legal moves after a place, or of all, that leave one of the squares `from` and go to one of `to` (castling: the
/// rook's).
// Not inlined: what it needs of the stack is not to lie below the search that goes on from here.
#[inline(never)]
pub(super) fn candidates(position: &Chess, from: Bitboard, to: Bitboard, after: Option<Place>) -> Candidates {
    let mut first = ArrayVec::<(Place, Move), CANDIDATES_MAX>::new();
    let is_check = position.is_check();
    each_legal(position, &mut |mv, origin| {
        if !from.contains(origin) || !to.contains(mv.to()) {
            return;
        }
        let place = place_of(mv, is_check);
        if after.is_some_and(|after| place <= after) {
            return;
        }
        // The move takes its place among those held, and those after it move on.
        let mut carried = (place, mv);
        for held in first.iter_mut().filter(|(held, _)| *held > place) {
            core::mem::swap(held, &mut carried);
        }
        // Beyond as many as are held, the last one waits.
        let _ = first.try_push(carried);
    });
    let mut moves = Candidates::new();
    for (_, mv) in first {
        let _ = moves.try_push(mv);
    }
    moves
}

/// Where a legal move of `position` stands in the list of all.
pub(super) fn place_in(position: &Chess, mv: Move) -> Place {
    place_of(mv, position.is_check())
}

/// Whether any legal move is one that `is_wanted` wants.
#[inline(never)]
pub(super) fn any_legal(position: &Chess, is_wanted: impl Fn(Move) -> bool) -> bool {
    let mut is_any = false;
    each_legal(position, &mut |mv, _| is_any = is_any || is_wanted(mv));
    is_any
}

/// Hands every legal move to `visit`, with the square that it leaves, in no order to rely on.
fn each_legal(position: &Chess, visit: &mut impl FnMut(Move, Square)) {
    let Some(constraints) = Constraints::of(position) else { return };
    for portion in [Portion::Noisy, Portion::Quiet] {
        generate(position, &constraints, portion, &mut |mv| {
            if let Some(from) = mv.from() {
                visit(mv, from);
            }
        });
    }
}

/// First come captures in passing; then, out of check, the king; then pawns, knights, bishops, rooks and queens; then the king,
/// castling last.
fn place_of(mv: Move, is_check: bool) -> Place {
    let by_squares = |from: Square, to: Square| (from as u32) << 6 | to as u32;
    let (group, within) = match mv {
        Move::EnPassant { from, to } => (0, by_squares(from, to)),
        Move::Normal { role: Role::King, from, to, .. } => {
            (if is_check { 1 } else { 7 }, by_squares(from, to))
        }
        Move::Normal { role: Role::Pawn, from, to, promotion, .. } => (2, pawn_place(from, to, promotion)),
        Move::Normal { role, from, to, .. } => (role as u32 + 1, by_squares(from, to)),
        Move::Castle { king, rook } => (8, u32::from(king > rook)),
        Move::Put { .. } => (9, 0),
    };
    Place(group << 12 | within)
}

/// Captures towards the a-file come first, then those towards the h-file, then single and double steps; in each, promotions
/// come last.
fn pawn_place(from: Square, to: Square, promotion: Option<Role>) -> u32 {
    let is_double = (from as u32).abs_diff(to as u32) == 16;
    let kind = match to.file().cmp(&from.file()) {
        core::cmp::Ordering::Less => 0,
        core::cmp::Ordering::Greater => 1,
        core::cmp::Ordering::Equal => 2 + u32::from(is_double),
    };
    let promotion = promotion.map_or(0, |role| Role::Queen as u32 - role as u32);
    let is_promotion = Bitboard::BACKRANKS.contains(to);
    kind << 9 | u32::from(is_promotion) << 8 | (to as u32) << 2 | promotion
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::vec::Vec;

    use proptest::prelude::*;
    use shakmaty::fen::Fen;
    use shakmaty::{CastlingMode, MoveList};

    use super::*;

    /// All legal moves, by and by.
    fn listed(position: &Chess) -> Vec<Move> {
        let mut all = Vec::new();
        loop {
            let after = all.last().map(|&mv| place_in(position, mv));
            let more = candidates(position, Bitboard::FULL, Bitboard::FULL, after);
            all.extend(more.iter().copied());
            if !more.is_full() {
                return all;
            }
        }
    }

    fn as_shakmaty_lists_them(position: &Chess) {
        let expected: MoveList = position.legal_moves();
        assert_eq!(listed(position), expected.to_vec(), "{position:?}");
    }

    #[test]
    fn positions_with_every_kind_of_move_are_listed_in_order() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
            "8/2p5/3p4/KP5r/1R2Pp1k/8/6P1/8 b - e3 0 1",
            "1n1n4/P1P5/8/3pP3/8/8/8/4K2k w - d6 0 2",
            "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
        ] {
            let fen: Fen = fen.parse().expect("a FEN");
            let position = fen
                .into_position(CastlingMode::Standard)
                .or_else(shakmaty::PositionError::ignore_too_much_material)
                .expect("a legal position");
            as_shakmaty_lists_them(&position);
        }
    }

    proptest! {
        #[test]
        fn positions_of_any_game_are_listed_in_order(
            choices in proptest::collection::vec(any::<prop::sample::Index>(), 1..150),
        ) {
            let mut position = Chess::new();
            for choice in choices {
                as_shakmaty_lists_them(&position);
                let moves = position.legal_moves();
                if moves.is_empty() { break; }
                position.play_unchecked(moves[choice.index(moves.len())]);
            }
        }
    }
}
