//! A search with memory of its own, at the sizes that suit a computer.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use plyscope_core::judge::{
    evaluation::Evaluator,
    history::{
        CAPTURE_CELLS_FULL, CONTINUATION_CELLS_FULL, CORRECTION_CELLS_FULL, History, QUIET_CELLS_FULL,
    },
    limits::{Limits, Observer},
    memory::{Frame, Line, SearchMemory},
    packed_move::ScoredMove,
    position_key::PositionKey,
    score::Score,
    search::{Iteration, Search},
    transposition_table::{Bucket, TranspositionTable},
};
use shakmaty::Chess;

const FRAMES: usize = 128;
const MOVES: usize = 8192;

/// Buckets for a transposition table of about so many MiB.
pub fn table_memory(mib: usize) -> Vec<Bucket> {
    let count = (mib << 20) / size_of::<Bucket>();
    std::iter::repeat_with(|| Bucket::EMPTY).take(count.max(1)).collect()
}

/// A transposition table that outlives searches and may be shared by threads.
#[derive(Debug)]
pub struct SharedTable {
    buckets: Vec<Bucket>,
    searches: AtomicU8,
}

impl SharedTable {
    /// An empty table of about so many MiB.
    pub fn new(mib: usize) -> SharedTable {
        SharedTable { buckets: table_memory(mib), searches: AtomicU8::new(0) }
    }

    /// Forgets everything.
    pub fn clear(&self) {
        TranspositionTable::new(&self.buckets).clear();
    }

    /// The table for the next search, in which what earlier ones left is the older the more came after.
    pub fn lend(&self) -> TranspositionTable<'_> {
        TranspositionTable::after_searches(&self.buckets, self.searches.fetch_add(1, Relaxed))
    }
}

/// The working memory of one search thread; the table comes from outside, for threads may share one.
#[derive(Debug)]
pub struct Engine<'e, E: Evaluator> {
    evaluator: &'e E,
    frames: Vec<Frame<E::State>>,
    moves: Vec<ScoredMove>,
    quiet: Vec<i16>,
    capture: Vec<i16>,
    continuation: Vec<i16>,
    correction: Vec<i16>,
}

impl<'e, E: Evaluator> Engine<'e, E> {
    /// Memory for a search that values positions by `evaluator` (about 3 MiB beside the evaluator's states).
    pub fn new(evaluator: &'e E) -> Engine<'e, E> {
        Engine {
            evaluator,
            frames: vec![Frame::default(); FRAMES],
            moves: vec![ScoredMove::EMPTY; MOVES],
            quiet: vec![0; QUIET_CELLS_FULL],
            capture: vec![0; CAPTURE_CELLS_FULL],
            continuation: vec![0; CONTINUATION_CELLS_FULL],
            correction: vec![0; CORRECTION_CELLS_FULL],
        }
    }

    /// Forgets what earlier searches taught; the table is its owner's to clear.
    pub fn clear(&mut self) {
        for cells in [&mut self.quiet, &mut self.capture, &mut self.continuation, &mut self.correction] {
            cells.fill(0);
        }
    }

    /// Searches `root`, to which the positions with the keys `game` led. See [`Search::run`].
    pub fn search(
        &mut self,
        table: &TranspositionTable<'_>,
        root: &Chess,
        game: &[PositionKey],
        limits: Limits,
        observer: &mut dyn Observer,
    ) -> Iteration {
        let history =
            History::new(&mut self.quiet, &mut self.capture, &mut self.continuation, &mut self.correction);
        match SearchMemory::new(&mut self.frames, &mut self.moves, history) {
            Ok(memory) => Search::new(self.evaluator, table, memory).run(root, game, limits, observer),
            // The sizes above are beyond what a search asks for.
            Err(_) => {
                Iteration { score: Score::DRAW, depth: 0, selective_depth: 0, nodes: 0, line: Line::new() }
            }
        }
    }
}
