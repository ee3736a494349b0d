//! Plies in, labels out.

use arrayvec::ArrayVec;
use plyscope_core::event_row::Verdicts;
use plyscope_core::judge::{
    history::History,
    label,
    limits::Limits,
    memory::{Frame, MemoryTooSmall, SearchMemory},
    packed_move::ScoredMove,
    position_key::PositionKey,
    score::Score,
    search::{Iteration, Search},
    transposition_table::{Bucket, TranspositionTable},
    win_model::{WinModel, WinProbability},
};
use shakmaty::{Chess, Color, Move, Position};

use crate::device::Arbiter;
use crate::evaluation::{Evaluation, State};

/// Positions of a game that can still be repeated: none survives a pawn move or a capture, and after a hundred plies
/// without one the game is over.
const REPEATABLE_MAX: usize = 100;
/// Plies without a capture or a pawn move after which a draw may be claimed (fifty moves of each side).
const DRAWN_HALFMOVES: u32 = 100;

/// The part of a search's memory that begins as nothing but zeros, and so takes no flash: move lists, cells of each of the
/// four histories, and buckets of 64 bytes of transposition table.
#[derive(Debug)]
pub struct SearchTables<const MOVES: usize, const CELLS: usize, const BUCKETS: usize> {
    moves: [ScoredMove; MOVES],
    quiet: [i16; CELLS],
    capture: [i16; CELLS],
    continuation: [i16; CELLS],
    correction: [i16; CELLS],
    buckets: [Bucket; BUCKETS],
}

impl<const MOVES: usize, const CELLS: usize, const BUCKETS: usize> SearchTables<MOVES, CELLS, BUCKETS> {
    /// Bytes of the transposition table.
    pub const TABLE_BYTES: usize = BUCKETS * size_of::<Bucket>();

    /// Memory that remembers nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            moves: [ScoredMove::EMPTY; MOVES],
            quiet: [0; CELLS],
            capture: [0; CELLS],
            continuation: [0; CELLS],
            correction: [0; CELLS],
            buckets: [const { Bucket::EMPTY }; BUCKETS],
        }
    }

    /// Forgets all positions.
    pub fn clear(&mut self) {
        TranspositionTable::new(&self.buckets).clear();
    }

    /// How full the transposition table is, in 1/1000.
    #[must_use]
    pub fn fill_per_mille(&self) -> u32 {
        // Every search makes a table of its own over the buckets, and is its first.
        TranspositionTable::after_searches(&self.buckets, 1).fill_per_mille()
    }
}

impl<const MOVES: usize, const CELLS: usize, const BUCKETS: usize> Default
    for SearchTables<MOVES, CELLS, BUCKETS>
{
    fn default() -> Self {
        Self::new()
    }
}

/// How a referee judges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// Positions to visit for each ply.
    pub nodes: u64,
    /// From centipawns to win probability.
    pub model: WinModel,
}

/// A ply and what is said of it.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedPly {
    /// The labels.
    pub verdicts: Verdicts,
    /// White's view of the position after the ply.
    pub score: Score,
    /// White's win probability after the ply.
    pub p: WinProbability,
    /// Positions visited.
    pub nodes: u64,
}

/// Why a ply was not judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefereeError {
    /// The rules do not allow the ply.
    Illegal,
    /// The search has too little memory.
    Memory(MemoryTooSmall),
}

impl core::fmt::Display for RefereeError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Illegal => f.write_str("judge a ply that the rules do not allow"),
            Self::Memory(memory) => memory.fmt(f),
        }
    }
}

impl core::error::Error for RefereeError {}

/// The game so far, and `FRAMES` of a search's memory: one for each ply of its line.
#[derive(Debug)]
pub struct Referee<const FRAMES: usize> {
    frames: [Frame<State>; FRAMES],
    position: Chess,
    plies: u32,
    /// Keys of the positions before this one that can be repeated, oldest first.
    earlier: ArrayVec<PositionKey, REPEATABLE_MAX>,
    /// White's win probability before the next ply; `None` before the first.
    before: Option<WinProbability>,
}

impl<const FRAMES: usize> Referee<FRAMES> {
    /// A referee at the start of a game.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            frames: [const { Frame::with_state(State::BLANK) }; FRAMES],
            position: Chess::new(),
            plies: 0,
            earlier: ArrayVec::new_const(),
            before: None,
        }
    }

    /// The position after the plies judged so far.
    #[must_use]
    pub const fn position(&self) -> &Chess {
        &self.position
    }

    /// Searches a position without a game before it. What earlier searches left in the table helps; what they taught the
    /// histories is forgotten.
    ///
    /// # Errors
    ///
    /// [`MemoryTooSmall`] where the sizes are below what a search needs.
    pub fn search<const MOVES: usize, const CELLS: usize, const BUCKETS: usize>(
        &mut self,
        evaluation: &Evaluation,
        tables: &mut SearchTables<MOVES, CELLS, BUCKETS>,
        root: &Chess,
        limits: Limits,
    ) -> Result<Iteration, MemoryTooSmall> {
        search(&mut self.frames, tables, evaluation, root, &[], limits)
    }

    /// Plays a ply and judges it.
    ///
    /// # Errors
    ///
    /// [`RefereeError`]; the game then stands as it stood.
    pub fn judge<const MOVES: usize, const CELLS: usize, const BUCKETS: usize>(
        &mut self,
        mv: Move,
        judgement: &Judgement,
        evaluation: &Evaluation,
        tables: &mut SearchTables<MOVES, CELLS, BUCKETS>,
    ) -> Result<JudgedPly, RefereeError> {
        if !self.position.is_legal(mv) {
            return Err(RefereeError::Illegal);
        }
        let before = match self.before {
            Some(p) => p,
            None => self.valued(judgement, evaluation, tables)?.p,
        };
        self.follow(mv)?;
        let Valued { score, p, nodes } = self.valued(judgement, evaluation, tables)?;
        self.before = Some(p);
        let verdicts = Verdicts { leader_after: label::leader(p), wr_swing: label::swing(before, p) };
        Ok(JudgedPly { verdicts, score, p, nodes })
    }

    /// Plays a ply without judging it.
    ///
    /// # Errors
    ///
    /// [`RefereeError::Illegal`]; the game then stands as it stood.
    pub fn follow(&mut self, mv: Move) -> Result<(), RefereeError> {
        if !self.position.is_legal(mv) {
            return Err(RefereeError::Illegal);
        }
        let key = PositionKey::of(&self.position);
        self.position.play_unchecked(mv);
        self.plies += 1;
        self.before = None;
        if self.position.halfmoves() == 0 {
            self.earlier.clear();
        } else {
            if self.earlier.is_full() {
                self.earlier.pop_at(0);
            }
            // There is room now.
            let _ = self.earlier.try_push(key);
        }
        Ok(())
    }

    fn valued<const MOVES: usize, const CELLS: usize, const BUCKETS: usize>(
        &mut self,
        judgement: &Judgement,
        evaluation: &Evaluation,
        tables: &mut SearchTables<MOVES, CELLS, BUCKETS>,
    ) -> Result<Valued, RefereeError> {
        if self.is_drawn() {
            return Ok(Valued { score: Score::DRAW, p: WinProbability::HALF, nodes: 0 });
        }
        let limits = Limits::nodes(judgement.nodes);
        let found = search(&mut self.frames, tables, evaluation, &self.position, &self.earlier, limits)
            .map_err(RefereeError::Memory)?;
        let score = self.position.turn().fold_wb(found.score, -found.score);
        let is_stalemate = found.depth == 0 && !score.is_mate();
        let p =
            if is_stalemate { WinProbability::HALF } else { judgement.model.probability(score, self.plies) };
        Ok(Valued { score, p, nodes: found.nodes })
    }

    /// A finished draw other than stalemate: by dead material, by the move rules, or by a third occurrence.
    fn is_drawn(&self) -> bool {
        let is_mate = || self.position.legal_moves().is_empty();
        let key = PositionKey::of(&self.position);
        let occurred = || self.earlier.iter().filter(|&&k| k == key).count();
        let is_over = self.position.is_insufficient_material()
            || self.position.halfmoves() >= DRAWN_HALFMOVES
            || occurred() >= 2;
        is_over && !is_mate()
    }
}

/// Searches `root`, to which positions with the keys `game` led.
fn search<const MOVES: usize, const CELLS: usize, const BUCKETS: usize>(
    frames: &mut [Frame<State>],
    tables: &mut SearchTables<MOVES, CELLS, BUCKETS>,
    evaluation: &Evaluation,
    root: &Chess,
    game: &[PositionKey],
    limits: Limits,
) -> Result<Iteration, MemoryTooSmall> {
    let SearchTables { moves, quiet, capture, continuation, correction, buckets } = tables;
    let table = TranspositionTable::new(buckets);
    let history = History::new(quiet, capture, continuation, correction);
    let mut memory = SearchMemory::new(frames, moves, history)?;
    memory.clear();
    Ok(Search::new(evaluation, &table, memory).run(root, game, limits, &mut ()))
}

impl<const FRAMES: usize> Default for Referee<FRAMES> {
    fn default() -> Self {
        Self::new()
    }
}

/// A referee at work: with the memory, the evaluation and the judgement that it needs for each ply.
#[derive(Debug)]
pub struct SittingReferee<
    'm,
    const FRAMES: usize,
    const MOVES: usize,
    const CELLS: usize,
    const BUCKETS: usize,
> {
    /// The referee.
    pub referee: &'m mut Referee<FRAMES>,
    /// Memory to search in.
    pub tables: &'m mut SearchTables<MOVES, CELLS, BUCKETS>,
    /// What values positions.
    pub evaluation: &'m Evaluation,
    /// How to judge.
    pub judgement: Judgement,
    /// Positions visited so far.
    pub nodes: u64,
}

impl<const FRAMES: usize, const MOVES: usize, const CELLS: usize, const BUCKETS: usize> Arbiter
    for SittingReferee<'_, FRAMES, MOVES, CELLS, BUCKETS>
{
    fn turn(&self) -> Color {
        self.referee.position.turn()
    }

    fn verdicts(&mut self, mv: Move) -> Result<Verdicts, RefereeError> {
        let judged = self.referee.judge(mv, &self.judgement, self.evaluation, self.tables)?;
        self.nodes += judged.nodes;
        Ok(judged.verdicts)
    }
}

struct Valued {
    score: Score,
    p: WinProbability,
    nodes: u64,
}
