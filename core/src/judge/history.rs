//! What earlier parts of the search taught about moves and evaluations.
//!
//! Every table is a slice of the caller's; of any length only the largest power of two is used. With the full lengths
//! each case has its own cell; in shorter tables cases share cells, which costs strength and nothing else.

use shakmaty::{Chess, Color, Move, Position, Role};

use super::{move_generation::Attacks, packed_move::PackedMove};

/// Cells of a full table of quiet moves: whether the squares are attacked, side, from, to.
pub const QUIET_CELLS_FULL: usize = 4 * 2 * 64 * 64;
/// Cells of a full table of captures: taken role, moving piece, to.
pub const CAPTURE_CELLS_FULL: usize = 8 * PIECE_TO_CELLS;
/// Cells of a full table of continuations: earlier piece and to, then piece and to.
pub const CONTINUATION_CELLS_FULL: usize = PIECE_TO_CELLS * PIECE_TO_CELLS;
/// Cells of a full table of evaluation corrections (four keys of 8192 cases for each side).
pub const CORRECTION_CELLS_FULL: usize = 4 * 2 * 8192;

const PIECE_TO_CELLS: usize = 16 * 64;
/// Bound of every cell of the move tables.
const MOVE_HISTORY_MAX: i32 = 8192;
/// Corrections are kept in 1/32 centipawn and bounded at this many centipawns.
const CORRECTION_GRAIN: i32 = 32;
const CORRECTION_MAX: i32 = 96 * CORRECTION_GRAIN;
/// The sum of the four corrections, in their grain, is divided by this: they overlap.
const CORRECTION_DIVISOR: i32 = 50;
/// What a move's worth after the moves one, two and four plies before counts, beside its own worth of 128.
const AFTER_MOVES: [i32; 3] = [133, 105, 64];
const WHOLE_WEIGHT: i32 = 128;

/// A moving piece and its destination, as one index; "no move" has its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PieceTo(u16);

impl PieceTo {
    /// Stands where no move was made (before the root, or a null move).
    pub(crate) const NONE: PieceTo = PieceTo(15 * 64);

    pub(crate) fn of(turn: Color, m: Move) -> PieceTo {
        let piece = m.role() as u16 - 1 + if turn.is_white() { 0 } else { 6 };
        PieceTo(piece * 64 + m.to().to_u32() as u16)
    }
}

/// A quiet move as the histories file it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QuietMove {
    cell: u16,
    now: PieceTo,
}

impl QuietMove {
    /// `attacked` is what the other side attacks: to flee from them and to step onto them are other moves.
    pub(crate) fn new(turn: Color, m: Move, packed: PackedMove, attacked: &Attacks) -> QuietMove {
        let (from, to) = (packed.from(), packed.to());
        let bit = |set: bool, at: u32| u16::from(set) << at;
        let squares = to as u16 | (from as u16) << 6;
        let flags = bit(turn.is_black(), 12)
            | bit(attacked.all.contains(from), 13)
            | bit(attacked.all.contains(to), 14);
        QuietMove { cell: squares | flags, now: PieceTo::of(turn, m) }
    }
}

/// What was moved one, two and four plies before.
pub(crate) type Before = [PieceTo; 3];

/// The search's memory of moves and corrections, in the caller's cells.
#[derive(Debug)]
pub struct History<'a> {
    quiet: &'a mut [i16],
    capture: &'a mut [i16],
    continuation: &'a mut [i16],
    correction: &'a mut [i16],
}

impl<'a> History<'a> {
    /// Uses the four slices, of any lengths (an empty one remembers nothing).
    pub fn new(
        quiet: &'a mut [i16],
        capture: &'a mut [i16],
        continuation: &'a mut [i16],
        correction: &'a mut [i16],
    ) -> History<'a> {
        History {
            quiet: power_of_two(quiet),
            capture: power_of_two(capture),
            continuation: power_of_two(continuation),
            correction: power_of_two(correction),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.quiet.fill(0);
        self.capture.fill(0);
        self.continuation.fill(0);
        self.correction.fill(0);
    }

    fn continuation_index(before: PieceTo, now: PieceTo) -> usize {
        usize::from(now.0) | usize::from(before.0) << 10
    }

    fn capture_index(turn: Color, m: Move) -> usize {
        let taken = m.capture().map_or(0, |role| role as usize);
        usize::from(PieceTo::of(turn, m).0) | taken << 10
    }

    /// How well a quiet move did: of itself, and after the moves before (see [`AFTER_MOVES`]).
    pub(crate) fn quiet_score(&self, m: QuietMove, before: Before) -> i32 {
        let after = |earlier| read(self.continuation, Self::continuation_index(earlier, m.now));
        let continued = AFTER_MOVES.into_iter().zip(before).map(|(weight, earlier)| weight * after(earlier));
        read(self.quiet, usize::from(m.cell)) + continued.sum::<i32>() / WHOLE_WEIGHT
    }

    pub(crate) fn capture_score(&self, turn: Color, m: Move) -> i32 {
        read(self.capture, Self::capture_index(turn, m))
    }

    /// Rewards (or with a negative bonus punishes) a quiet move.
    pub(crate) fn learn_quiet(&mut self, m: QuietMove, before: Before, bonus: i32) {
        self.learn_quiet_alone(m, bonus);
        self.learn_continuation(m, before, bonus);
    }

    /// Rewards or punishes a quiet move of itself, whatever came before.
    pub(crate) fn learn_quiet_alone(&mut self, m: QuietMove, bonus: i32) {
        learn(self.quiet, usize::from(m.cell), bonus);
    }

    /// Rewards or punishes a quiet move as an answer to the moves before alone.
    pub(crate) fn learn_continuation(&mut self, m: QuietMove, before: Before, bonus: i32) {
        for earlier in before {
            learn(self.continuation, Self::continuation_index(earlier, m.now), bonus);
        }
    }

    pub(crate) fn learn_capture(&mut self, turn: Color, m: Move, bonus: i32) {
        learn(self.capture, Self::capture_index(turn, m), bonus);
    }

    /// The mean error of evaluations in positions with the same pawns, and with the same pieces of either side, in
    /// centipawns as the side to move sees it.
    pub(crate) fn correction_cp(&self, position: &Chess, before: Before) -> i32 {
        let sum: i32 =
            correction_indices(position, before).into_iter().map(|i| read(self.correction, i)).sum();
        sum / CORRECTION_DIVISOR
    }

    /// Learns that a search to `depth` found `error_cp` more than the evaluation.
    pub(crate) fn learn_correction(&mut self, position: &Chess, before: Before, depth: i32, error_cp: i32) {
        let weight = (depth + 1).min(17);
        for index in correction_indices(position, before) {
            if let Some(cell) = cell(self.correction, index) {
                let old = i32::from(*cell);
                let seen = error_cp.clamp(-400, 400) * CORRECTION_GRAIN;
                let new = (old * (256 - weight) + seen * weight) / 256;
                *cell = new.clamp(-CORRECTION_MAX, CORRECTION_MAX) as i16;
            }
        }
    }
}

/// What evaluations tend to misjudge together: the same pawns, the same pieces of either side, and the same last two moves.
fn correction_indices(position: &Chess, before: Before) -> [usize; 4] {
    let board = position.board();
    let mix = |hash: u64, bits: u64| (hash ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let cell_of = |hash: u64| (hash >> 40) as usize & 0x1fff;
    let side = usize::from(position.turn().is_black());
    let pawns =
        Color::ALL.into_iter().fold(0, |hash, color| mix(hash, (board.pawns() & board.by_color(color)).0));
    let pieces = Color::ALL.map(|color| {
        Role::ALL
            .into_iter()
            .skip(1)
            .fold(0, |hash, role| mix(hash, (board.by_role(role) & board.by_color(color)).0))
    });
    [
        cell_of(mix(pawns, 1)) | side << 13,
        cell_of(mix(pieces[0], 2)) | side << 13 | 1 << 14,
        cell_of(mix(pieces[1], 3)) | side << 13 | 2 << 14,
        cell_of(mix(mix(0, u64::from(before[0].0)), u64::from(before[1].0) | 4 << 16)) | side << 13 | 3 << 14,
    ]
}

fn power_of_two(cells: &mut [i16]) -> &mut [i16] {
    let used = if cells.is_empty() { 0 } else { 1 << cells.len().ilog2() };
    &mut cells[..used]
}

fn read(cells: &[i16], index: usize) -> i32 {
    cells.get(index & cells.len().wrapping_sub(1)).copied().map_or(0, i32::from)
}

fn cell(cells: &mut [i16], index: usize) -> Option<&mut i16> {
    let mask = cells.len().wrapping_sub(1);
    cells.get_mut(index & mask)
}

/// Moves a cell towards `bonus` so that it never leaves its bounds (the "gravity" update).
fn learn(cells: &mut [i16], index: usize, bonus: i32) {
    if let Some(cell) = cell(cells, index) {
        let bonus = bonus.clamp(-MOVE_HISTORY_MAX, MOVE_HISTORY_MAX);
        let old = i32::from(*cell);
        *cell = (old + bonus - old * bonus.abs() / MOVE_HISTORY_MAX) as i16;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOWHERE: Before = [PieceTo::NONE; 3];

    #[test]
    fn a_history_cell_never_leaves_its_bounds() {
        let mut cells = [0_i16; 4];
        for _ in 0..10_000 {
            learn(&mut cells, 7, 5000);
        }
        assert!((8000..=8192).contains(&cells[3]), "{}", cells[3]);
        for _ in 0..10_000 {
            learn(&mut cells, 3, -9000);
        }
        assert!((-8192..=-8000).contains(&cells[3]), "{}", cells[3]);
    }

    #[test]
    fn empty_tables_remember_nothing_and_break_nothing() {
        let mut history = History::new(&mut [], &mut [], &mut [], &mut []);
        let position = Chess::default();
        let m = position.legal_moves()[0];
        let packed = PackedMove::pack(m).unwrap();
        let quiet = QuietMove::new(Color::White, m, packed, &Attacks::NONE);
        history.learn_quiet(quiet, NOWHERE, 100);
        history.learn_correction(&position, NOWHERE, 5, 100);
        assert_eq!(history.quiet_score(quiet, NOWHERE), 0);
        assert_eq!(history.correction_cp(&position, NOWHERE), 0);
    }

    #[test]
    fn corrections_approach_the_error_they_are_shown() {
        let mut correction = [0_i16; CORRECTION_CELLS_FULL];
        let mut history = History::new(&mut [], &mut [], &mut [], &mut correction);
        let position = Chess::default();
        for _ in 0..1000 {
            history.learn_correction(&position, NOWHERE, 10, 40);
        }
        assert!((95..=103).contains(&history.correction_cp(&position, NOWHERE)), "four of 40, by 50/32");
    }
}
