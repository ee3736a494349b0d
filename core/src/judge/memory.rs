//! All the memory that a search works in, apart from its transposition table: handed in by the caller.

use arrayvec::ArrayVec;
use shakmaty::{Chess, Move};

use super::{
    history::{History, PieceTo},
    move_generation::Attacks,
    packed_move::{PackedMove, ScoredMove},
    position_key::PositionKey,
};

/// Moves of a best line that are kept; longer lines are cut.
pub const LINE_MAX: usize = 24;

/// A best line, at most [`LINE_MAX`] moves.
pub type Line = ArrayVec<PackedMove, LINE_MAX>;

/// What is kept for each ply of the line being searched.
#[derive(Debug, Clone)]
pub struct Frame<S> {
    pub(crate) position: Chess,
    pub(crate) key: PositionKey,
    /// The evaluator's state; stale until `state_is_current`.
    pub(crate) state: S,
    pub(crate) state_is_current: bool,
    /// The move that led here from the frame before (`None`: a null move, or the root).
    pub(crate) arrived_by: Option<Move>,
    pub(crate) arrived_piece_to: PieceTo,
    /// Plies since the last null move or the root, for repetitions.
    pub(crate) plies_since_null: u16,
    /// The corrected static evaluation (`None` in check).
    pub(crate) evaluation: Option<i32>,
    /// A quiet move that refuted a sister position.
    pub(crate) killer: Option<PackedMove>,
    /// The move left out while it is tested for being the only good one.
    pub(crate) excluded: Option<PackedMove>,
    /// How often the line up to here was extended by two plies.
    pub(crate) double_extensions: u8,
    pub(crate) cutoffs: u16,
    /// The squares that the side not to move attacks, once its moves are tried.
    pub(crate) attacked: Attacks,
    /// The position is, or in an earlier search was, on a principal variation.
    pub(crate) on_pv: bool,
    /// By how many plies the search of this position is shortened.
    pub(crate) reduction: u8,
    pub(crate) line: Line,
}

impl<S> Frame<S> {
    /// A frame to fill memory with, around a state of the evaluator.
    pub const fn with_state(state: S) -> Frame<S> {
        Frame {
            position: Chess::new(),
            key: PositionKey(0),
            state,
            state_is_current: false,
            arrived_by: None,
            arrived_piece_to: PieceTo::NONE,
            plies_since_null: 0,
            evaluation: None,
            killer: None,
            excluded: None,
            double_extensions: 0,
            cutoffs: 0,
            attacked: Attacks::NONE,
            on_pv: false,
            reduction: 0,
            line: Line::new_const(),
        }
    }
}

impl<S: Default> Default for Frame<S> {
    fn default() -> Frame<S> {
        Frame::with_state(S::default())
    }
}

/// The memory of one search: a frame for each ply, one arena for the move lists of the whole line, and the histories.
///
/// `frames` bounds how deep lines go; `moves` bounds the sum of the move lists along a line (about 40 a ply; where it is
/// full, a position is valued statically).
#[derive(Debug)]
pub struct SearchMemory<'a, S> {
    pub(crate) frames: &'a mut [Frame<S>],
    pub(crate) moves: &'a mut [ScoredMove],
    pub(crate) history: History<'a>,
}

/// The fewest frames with which a search can run: the root, a move, and an answer.
pub const FRAMES_MIN: usize = 4;
/// The fewest cells of the move arena: the most moves that a position has is 218.
pub const MOVES_MIN: usize = 256;

/// The memory handed in is too small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryTooSmall {
    /// Frames needed and given.
    pub frames: (usize, usize),
    /// Cells of the move arena needed and given.
    pub moves: (usize, usize),
}

impl core::fmt::Display for MemoryTooSmall {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let ((frames, frames_given), (moves, moves_given)) = (self.frames, self.moves);
        write!(
            f,
            "search memory needs {frames} frames and {moves} moves, not {frames_given} and {moves_given}"
        )
    }
}

impl core::error::Error for MemoryTooSmall {}

impl<'a, S> SearchMemory<'a, S> {
    /// Takes the caller's memory.
    ///
    /// # Errors
    /// [`MemoryTooSmall`] below [`FRAMES_MIN`] frames or [`MOVES_MIN`] moves.
    pub fn new(
        frames: &'a mut [Frame<S>],
        moves: &'a mut [ScoredMove],
        history: History<'a>,
    ) -> Result<SearchMemory<'a, S>, MemoryTooSmall> {
        if frames.len() < FRAMES_MIN || moves.len() < MOVES_MIN {
            return Err(MemoryTooSmall {
                frames: (FRAMES_MIN, frames.len()),
                moves: (MOVES_MIN, moves.len()),
            });
        }
        Ok(SearchMemory { frames, moves, history })
    }

    /// Forgets what earlier searches taught.
    pub fn clear(&mut self) {
        self.history.clear();
    }
}
