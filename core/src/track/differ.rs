//! Which legal plies explain what has changed on the board?

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, Chess, Color, Move, Position};

use super::candidates::{Candidates, candidates, place_in};
use crate::vision::{BoardReading, Class, Placement};

/// The most plies that one step between two pictures is explained by.
pub(super) const STEP_PLIES_MAX: usize = 4;
/// Explanations of one step that are kept; more than a few are only orders of the same plies.
pub(super) const EXPLANATIONS_MAX: usize = 6;

/// Up to `N` plies in the order in which they are played.
pub type PlySequence<const N: usize = STEP_PLIES_MAX> = ArrayVec<Move, N>;
/// The shortest sequences, of up to `N` plies each, that explain a reading.
pub type Explanations<const N: usize = STEP_PLIES_MAX> = ArrayVec<PlySequence<N>, EXPLANATIONS_MAX>;

/// Finds the legal sequences of a given length that lead from a position to a reading.
#[derive(Clone, Copy, Debug)]
pub struct Differ<'a> {
    reading: &'a BoardReading,
    /// Squares that show a white piece, or a black one, and nothing else is plausible.
    surely: [Bitboard; 2],
}

impl<'a> Differ<'a> {
    /// A differ towards `reading`.
    #[must_use]
    pub fn new(reading: &'a BoardReading) -> Self {
        let of = |color: Color| {
            Class::all()
                .filter(|c| c.content().is_some_and(|p| p.color == color))
                .fold(Bitboard::EMPTY, |all, c| all | reading.plausible(c))
        };
        let (white, black, bare) = (of(Color::White), of(Color::Black), reading.plausible(Class::EMPTY));
        Self { reading, surely: [white & !black & !bare, black & !white & !bare] }
    }

    /// Whether the reading shows `after`, where `before` was the last placement known for certain: nothing clear
    /// contradicts it, and each square that changed is clear.
    #[must_use]
    pub fn shows(&self, before: &Placement, after: &Placement) -> bool {
        self.reading.contradicted(after).is_empty()
            && (before.difference(after) & !self.reading.clear()).is_empty()
    }

    /// Adds to `found` the sequences of exactly `plies` legal plies, `N` at most, from `from` to the reading.
    ///
    /// `budget_nodes` bounds the positions that are tried and is counted down; `before` is the last placement known
    /// for certain.
    pub fn explain<const N: usize>(
        &self,
        from: &Chess,
        before: &Placement,
        plies: usize,
        budget_nodes: &mut u32,
        found: &mut Explanations<N>,
    ) {
        // Without recursion, and with one position at a time, made anew for each place in the tree: a microcontroller has no
        // stack for more.
        let plies = plies.min(N);
        let mut sequence = PlySequence::<N>::new();
        let mut branches = ArrayVec::<Branch, N>::new();
        if let Some(root) = self.branch(from, before, plies, &sequence, found) {
            let _ = branches.try_push(root);
        }
        while let Some(branch) = branches.last_mut() {
            let Some(mv) = self.next_candidate(branch, from, &sequence) else {
                branches.pop();
                sequence.pop();
                continue;
            };
            if found.is_full() || *budget_nodes == 0 {
                return;
            }
            *budget_nodes -= 1;
            if sequence.try_push(mv).is_err() {
                return;
            }
            match self.branch(from, before, plies - sequence.len(), &sequence, found) {
                // There are no more branches than plies.
                Some(branch) => drop(branches.try_push(branch)),
                None => drop(sequence.pop()),
            }
        }
    }

    /// What may follow `sequence`, where plies are left and can still lead to the reading. Where none is left, adds the
    /// sequence to `found` if the reading shows what it leads to.
    // Not inlined: what it needs of the stack is not to lie below every later ply.
    #[inline(never)]
    fn branch<const N: usize>(
        &self,
        from: &Chess,
        before: &Placement,
        plies_left: usize,
        sequence: &PlySequence<N>,
        found: &mut Explanations<N>,
    ) -> Option<Branch> {
        let position = after(from, sequence);
        let placement = Placement::from(position.board());
        if plies_left == 0 {
            if self.shows(before, &placement) {
                let mut kept = PlySequence::<N>::new();
                // As many as there are in one of the same size always fit; more explanations than can be kept are let go.
                let _ = kept.try_extend_from_slice(sequence);
                let _ = found.try_push(kept);
            }
            return None;
        }
        let contradicted = self.reading.contradicted(&placement);
        if self.is_out_of_reach(&position, contradicted, plies_left) {
            return None;
        }
        // A piece leaves only a square that no longer shows it, and comes to rest only where something is seen.
        let candidates = candidates(&position, contradicted, self.reading.clear(), None);
        Some(Branch { contradicted, next: 0, candidates })
    }

    /// The next move to be tried after `sequence`.
    fn next_candidate(&self, branch: &mut Branch, from: &Chess, sequence: &[Move]) -> Option<Move> {
        if branch.next == branch.candidates.len() && branch.candidates.is_full() {
            let position = after(from, sequence);
            let tried = branch.candidates.last().map(|&mv| place_in(&position, mv));
            branch.next = 0;
            branch.candidates = candidates(&position, branch.contradicted, self.reading.clear(), tried);
        }
        let mv = branch.candidates.get(branch.next).copied();
        branch.next += 1;
        mv
    }

    /// Whether more pieces must arrive, or more squares change, than the plies left can do.
    fn is_out_of_reach(&self, position: &Chess, contradicted: Bitboard, plies_left: usize) -> bool {
        // A ply changes two squares, en passant three, castling four.
        if contradicted.count() > 2 * plies_left + 2 {
            return true;
        }
        [Color::White, Color::Black].into_iter().any(|color| {
            let own_plies = if position.turn() == color { plies_left.div_ceil(2) } else { plies_left / 2 };
            let arrivals = (contradicted & self.surely[if color.is_white() { 0 } else { 1 }]).count();
            // Castling brings two pieces to new squares.
            arrivals > own_plies + usize::from(own_plies > 0 && position.castles().has_color(color))
        })
    }
}

/// A place in the tree of plies: what may follow there.
#[derive(Debug)]
struct Branch {
    /// Squares that show something else than stands there.
    contradicted: Bitboard,
    /// Which of those at hand comes next.
    next: usize,
    candidates: Candidates,
}

/// The position after plies.
fn after(from: &Chess, sequence: &[Move]) -> Chess {
    let mut position = from.clone();
    for &mv in sequence {
        position.play_unchecked(mv);
    }
    position
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::vec::Vec;

    use proptest::prelude::*;
    use shakmaty::fen::Fen;
    use shakmaty::uci::UciMove;
    use shakmaty::{CastlingMode, Square};

    use super::*;

    /// The reading of a board on which every square is seen clearly, but for `unclear`.
    fn reading_of(position: &Chess, unclear: Bitboard) -> BoardReading {
        BoardReading::from_masks(Square::ALL.into_iter().map(|sq| {
            let class = Class::of(position.board().piece_at(sq));
            (sq, if unclear.contains(sq) { 0 } else { 1 << class.index() })
        }))
    }

    fn position(fen: &str) -> Chess {
        fen.parse::<Fen>().expect("a FEN").into_position(CastlingMode::Standard).expect("a legal position")
    }

    fn after(start: &Chess, plies: &[&str]) -> Chess {
        plies.iter().fold(start.clone(), |position, uci| {
            let mv = uci.parse::<UciMove>().expect("a move").to_move(&position).expect("a legal move");
            position.play(mv).expect("a legal move")
        })
    }

    /// All shortest explanations, as positions they lead to, and how many plies they have.
    fn explain(start: &Chess, reading: &BoardReading) -> (usize, Explanations) {
        let before = Placement::from(start.board());
        for plies in 1..=STEP_PLIES_MAX {
            let mut found: Explanations = Explanations::new();
            Differ::new(reading).explain(start, &before, plies, &mut 100_000, &mut found);
            if !found.is_empty() {
                return (plies, found);
            }
        }
        (0, Explanations::new())
    }

    fn explains_by(start: &Chess, plies: &[&str]) {
        let reading = reading_of(&after(start, plies), Bitboard::EMPTY);
        let (count, found) = explain(start, &reading);
        assert_eq!(count, plies.len(), "{plies:?}");
        let ucis: Vec<Vec<_>> = found
            .iter()
            .map(|s| s.iter().map(|mv| std::format!("{}", mv.to_uci(CastlingMode::Standard))).collect())
            .collect();
        assert!(ucis.iter().any(|s| s == plies), "{plies:?} is not among {ucis:?}");
    }

    #[test]
    fn castling_en_passant_and_promotions_are_single_plies() {
        let castling = position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
        for ply in ["e1g1", "e1c1"] {
            explains_by(&castling, &[ply]);
        }
        let black = position("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1");
        for ply in ["e8g8", "e8c8"] {
            explains_by(&black, &[ply]);
        }
        explains_by(&position("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2"), &["e5d6"]);
        let promotion = position("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1");
        for ply in ["a7a8q", "a7a8r", "a7a8b", "a7a8n", "a7b8q", "a7b8r", "a7b8b", "a7b8n"] {
            explains_by(&promotion, &[ply]);
        }
    }

    #[test]
    fn up_to_four_plies_in_one_step_are_found() {
        let start = Chess::default();
        explains_by(&start, &["e2e4", "e7e5"]);
        explains_by(&start, &["e2e4", "d7d5", "e4d5"]);
        explains_by(&start, &["e2e4", "d7d5", "e4d5", "d8d5"]);
        explains_by(&start, &["g1f3", "g8f6", "g2g3", "g7g6"]);
        let exchange = position("r3k2r/ppp2ppp/2n5/3q4/3Q4/2N5/PPP2PPP/R3K2R w KQkq - 0 1");
        explains_by(&exchange, &["d4d5", "e8g8", "e1c1", "f8e8"]);
    }

    #[test]
    fn an_order_that_the_pictures_cannot_tell_is_found_in_every_order() {
        let start = Chess::default();
        let reading = reading_of(&after(&start, &["e2e4", "e7e5", "d2d4"]), Bitboard::EMPTY);
        let (count, found) = explain(&start, &reading);
        assert_eq!((count, found.len()), (3, 2), "e4 and d4 may come in either order");
    }

    #[test]
    fn a_piece_in_flight_explains_nothing() {
        let start = Chess::default();
        let mut in_flight = Bitboard::from(Square::E3);
        in_flight.add(Square::E4);
        // The pawn has left e2 and lies across e3 and e4.
        let reading = reading_of(&after(&start, &["e2e4"]), in_flight);
        assert_eq!(explain(&start, &reading).0, 0);
    }

    #[test]
    fn what_is_no_chess_stays_unexplained_within_the_budget() {
        let start = Chess::default();
        let scrambled = position("4k3/8/8/8/8/8/8/QQQQKQQQ w - - 0 1");
        let reading = reading_of(&scrambled, Bitboard::EMPTY);
        let mut found: Explanations = Explanations::new();
        let mut budget_nodes = 500;
        let before = Placement::from(start.board());
        Differ::new(&reading).explain(&start, &before, 4, &mut budget_nodes, &mut found);
        assert!(found.is_empty());
    }

    proptest! {
        #[test]
        fn any_step_of_any_game_is_explained_by_no_more_plies_than_were_played(
            choices in proptest::collection::vec(any::<prop::sample::Index>(), 1..120),
            step in 1..=STEP_PLIES_MAX,
        ) {
            let mut positions = std::vec![Chess::default()];
            let mut played = Vec::new();
            for choice in choices {
                let position = &positions[positions.len() - 1];
                let moves = position.legal_moves();
                if moves.is_empty() { break; }
                let mv = moves[choice.index(moves.len())];
                positions.push(position.clone().play(mv).expect("a legal move"));
                played.push(mv);
            }
            for (pair, moves) in positions.windows(step + 1).zip(played.windows(step)).step_by(step) {
                let (from, to) = (&pair[0], &pair[step]);
                let reading = reading_of(to, Bitboard::EMPTY);
                // A piece that comes back, or whose like takes its place, leaves no trace: pictures cannot determine it.
                let leaves_a_trace = pair.iter().zip(moves).all(|(before, mv)| {
                    let contradicted = reading.contradicted(&Placement::from(before.board()));
                    mv.from().is_some_and(|origin| contradicted.contains(origin))
                });
                if !leaves_a_trace { continue; }
                let (plies, found) = explain(from, &reading);
                prop_assert!(plies > 0, "nothing explains {step} plies");
                // A piece that stops on its way costs a ply more than one that does not.
                prop_assert!(plies <= step);
                for sequence in &found {
                    let reached = sequence.iter().fold(from.clone(), |p, mv| p.play(*mv).expect("a legal move"));
                    prop_assert_eq!(reached.board(), to.board());
                }
            }
        }
    }
}
