//! Which legal plies explain what has changed on the board?

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, Chess, Color, Move, Position};

use crate::vision::{BoardReading, Class, Placement};

/// The most plies that one step between two pictures is explained by.
pub(super) const STEP_PLIES_MAX: usize = 4;
/// Explanations of one step that are kept; more than a few are only orders of the same plies.
pub(super) const EXPLANATIONS_MAX: usize = 6;

/// Plies in the order in which they are played.
pub type PlySequence = ArrayVec<Move, STEP_PLIES_MAX>;
/// The shortest sequences that explain a reading.
pub type Explanations = ArrayVec<PlySequence, EXPLANATIONS_MAX>;

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

    /// Adds to `found` the sequences of exactly `plies` legal plies from `from` to the reading.
    ///
    /// `budget_nodes` bounds the positions that are tried and is counted down; `before` is the last placement known
    /// for certain.
    pub fn explain(
        &self,
        from: &Chess,
        before: &Placement,
        plies: usize,
        budget_nodes: &mut u32,
        found: &mut Explanations,
    ) {
        let mut sequence = PlySequence::new();
        self.extend(from, before, plies.min(STEP_PLIES_MAX), &mut sequence, budget_nodes, found);
    }

    fn extend(
        &self,
        position: &Chess,
        before: &Placement,
        plies_left: usize,
        sequence: &mut PlySequence,
        budget_nodes: &mut u32,
        found: &mut Explanations,
    ) {
        let placement = Placement::from(position.board());
        if plies_left == 0 {
            if !found.is_full() && self.shows(before, &placement) {
                found.push(sequence.clone());
            }
            return;
        }
        let contradicted = self.reading.contradicted(&placement);
        if self.is_out_of_reach(position, contradicted, plies_left) {
            return;
        }
        for mv in position.legal_moves() {
            let Some(origin) = mv.from() else { continue };
            // A piece leaves only a square that no longer shows it, and comes to rest only where something is seen.
            if !contradicted.contains(origin) || !self.reading.clear().contains(mv.to()) {
                continue;
            }
            if found.is_full() || *budget_nodes == 0 {
                return;
            }
            *budget_nodes -= 1;
            let mut next = position.clone();
            next.play_unchecked(mv);
            sequence.push(mv);
            self.extend(&next, before, plies_left - 1, sequence, budget_nodes, found);
            sequence.pop();
        }
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
