//! A search with memory of its own, at the sizes that suit a computer.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU8, Ordering::Relaxed},
};

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
    steps::Steps,
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

/// A transposition table that outlives searches and may be shared by threads, and what the main one of them learned.
#[derive(Debug)]
pub struct SharedTable {
    buckets: Vec<Bucket>,
    searches: AtomicU8,
    histories: Mutex<Histories>,
}

impl SharedTable {
    /// An empty table of about so many MiB.
    pub fn new(mib: usize) -> SharedTable {
        let histories = Mutex::new(Histories::default());
        SharedTable { buckets: table_memory(mib), searches: AtomicU8::new(0), histories }
    }

    /// Forgets everything.
    pub fn clear(&self) {
        TranspositionTable::new(&self.buckets).clear();
        self.keep_histories(Histories::default());
    }

    /// What the last search learned, for the next; it has to be brought back.
    pub fn take_histories(&self) -> Histories {
        std::mem::take(&mut self.histories.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Keeps what a search learned.
    pub fn keep_histories(&self, histories: Histories) {
        *self.histories.lock().unwrap_or_else(PoisonError::into_inner) = histories;
    }

    /// The table for the next search, in which what earlier ones left is the older the more came after.
    pub fn lend(&self) -> TranspositionTable<'_> {
        TranspositionTable::after_searches(&self.buckets, self.searches.fetch_add(1, Relaxed))
    }
}

/// What searches taught about moves and evaluations: it may pass from one engine to the next.
#[derive(Debug)]
pub struct Histories {
    quiet: Vec<i16>,
    capture: Vec<i16>,
    continuation: Vec<i16>,
    correction: Vec<i16>,
}

impl Default for Histories {
    /// Nothing learned yet (about 2 MiB).
    fn default() -> Histories {
        Histories {
            quiet: vec![0; QUIET_CELLS_FULL],
            capture: vec![0; CAPTURE_CELLS_FULL],
            continuation: vec![0; CONTINUATION_CELLS_FULL],
            correction: vec![0; CORRECTION_CELLS_FULL],
        }
    }
}

impl Histories {
    fn clear(&mut self) {
        for cells in [&mut self.quiet, &mut self.capture, &mut self.continuation, &mut self.correction] {
            cells.fill(0);
        }
    }
}

/// One search that has learned nothing yet, over a table from outside.
pub fn search_once<E: Evaluator>(
    evaluator: &E,
    table: &TranspositionTable<'_>,
    root: &Chess,
    game: &[PositionKey],
    limits: Limits,
    observer: &mut dyn Observer,
) -> Iteration {
    Engine::new(evaluator).search(table, root, game, limits, observer)
}

/// The working memory of one search thread; the table comes from outside, for threads may share one.
#[derive(Debug)]
pub struct Engine<'e, E: Evaluator> {
    evaluator: &'e E,
    frames: Vec<Frame<E::State>>,
    moves: Vec<ScoredMove>,
    histories: Histories,
    steps: Steps,
}

impl<'e, E: Evaluator> Engine<'e, E> {
    /// Memory for a search that values positions by `evaluator` (about 3 MiB beside the evaluator's states).
    pub fn new(evaluator: &'e E) -> Engine<'e, E> {
        Engine::with_histories(evaluator, Histories::default())
    }

    /// The same with what earlier searches taught.
    pub fn with_histories(evaluator: &'e E, histories: Histories) -> Engine<'e, E> {
        Engine {
            evaluator,
            frames: vec![Frame::default(); FRAMES],
            moves: vec![ScoredMove::EMPTY; MOVES],
            histories,
            steps: Steps::ALL,
        }
    }

    /// What it was taught.
    pub fn into_histories(self) -> Histories {
        self.histories
    }

    /// The same engine that takes these steps only.
    #[must_use]
    pub fn with_steps(self, steps: Steps) -> Engine<'e, E> {
        Engine { steps, ..self }
    }

    /// Forgets what earlier searches taught; the table is its owner's to clear.
    pub fn clear(&mut self) {
        self.histories.clear();
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
        let Histories { quiet, capture, continuation, correction } = &mut self.histories;
        let history = History::new(quiet, capture, continuation, correction);
        match SearchMemory::new(&mut self.frames, &mut self.moves, history) {
            Ok(memory) => Search::new(self.evaluator, table, memory)
                .with_steps(self.steps)
                .run(root, game, limits, observer),
            // The sizes above are beyond what a search asks for.
            Err(_) => {
                Iteration { score: Score::DRAW, depth: 0, selective_depth: 0, nodes: 0, line: Line::new() }
            }
        }
    }
}
