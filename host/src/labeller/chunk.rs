//! The search of a stretch of a game, from its last position back.

use std::{
    ops::Range,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use plyscope_core::judge::{
    evaluation::Evaluator,
    limits::{Limits, Observer},
    transposition_table::TranspositionTable,
};
use serde::{Deserialize, Serialize};

use super::{Budget, LabelledGame, Labeller, PositionScore, Progress, Reporter};
use crate::{
    engine::{Engine, table_memory},
    evaluation::WithEvaluator,
};

/// Positions in a chunk. Longer chunks share more of what the search learns, shorter ones keep two threads equally busy
/// on short games.
pub const CHUNK_POSITIONS: usize = 24;

/// The scores of a stretch of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// Index of the first position.
    pub first: usize,
    /// The scores of that position and of those that follow it.
    pub scores: Vec<PositionScore>,
}

/// The stretches into which a game of `positions` is cut: whole chunks from the end, the rest at the beginning.
fn stretches(positions: usize) -> Vec<Range<usize>> {
    let mut stretches = Vec::new();
    let mut end = positions;
    while end > 0 {
        let first = end.saturating_sub(CHUNK_POSITIONS);
        stretches.push(first..end);
        end = first;
    }
    stretches
}

/// The search of all positions of a game; those in `known` chunks are taken from there.
pub(super) struct SearchAll<'a> {
    pub(super) labeller: &'a Labeller,
    pub(super) game: &'a LabelledGame,
    pub(super) known: &'a [Chunk],
    pub(super) progress: &'a (dyn Fn(Progress<'_>) + Sync),
}

impl WithEvaluator for SearchAll<'_> {
    type Output = Vec<PositionScore>;

    /// The scores in order.
    fn run<E>(self, evaluator: &E) -> Vec<PositionScore>
    where
        E: Evaluator + Sync,
        E::State: Send,
    {
        let SearchAll { labeller, game, known, progress } = self;
        let count = game.positions().len();
        let reporter = Reporter { progress, done: Mutex::default(), of: count };
        let clock = GameClock::new(labeller, count);
        let chunks = labeller.in_parallel(&stretches(count), |stretch| {
            let fits = |chunk: &&Chunk| chunk.first == stretch.start && chunk.scores.len() == stretch.len();
            if let Some(chunk) = known.iter().find(fits) {
                stretch.clone().for_each(|_| {
                    clock.position_done();
                    reporter.position_done();
                });
                return chunk.clone();
            }
            let chunk = search_stretch(labeller, evaluator, game, stretch.clone(), &clock, &reporter);
            reporter.chunk_done(&chunk);
            chunk
        });
        chunks.into_iter().rev().flat_map(|chunk| chunk.scores).collect()
    }
}

fn search_stretch<E: Evaluator>(
    labeller: &Labeller,
    evaluator: &E,
    game: &LabelledGame,
    stretch: Range<usize>,
    clock: &GameClock,
    reporter: &Reporter<'_>,
) -> Chunk {
    let buckets = table_memory(labeller.table_mib);
    let table = TranspositionTable::new(&buckets);
    let mut engine = Engine::new(evaluator);
    let mut search = |index: usize| {
        if let Some(score) = game.final_score(index) {
            return PositionScore::of_finished(score);
        }
        let (limits, mut watch) = clock.limits(labeller.budget);
        let position = &game.positions()[index];
        let found = engine.search(&table, position, game.keys_before(index), limits, &mut watch);
        PositionScore::of_search(position, &found)
    };
    if stretch.end < game.positions().len() {
        search(stretch.end);
    }
    let mut scores = Vec::with_capacity(stretch.len());
    for index in stretch.clone().rev() {
        scores.push(search(index));
        clock.position_done();
        reporter.position_done();
    }
    scores.reverse();
    Chunk { first: stretch.start, scores }
}

/// Shares the time for a game among its positions.
struct GameClock {
    deadline: Option<Instant>,
    threads: u32,
    /// Searches still to do, those that warm a chunk's table included.
    left: AtomicUsize,
}

impl GameClock {
    fn new(labeller: &Labeller, positions: usize) -> GameClock {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if labeller.threads == 0 { cores } else { labeller.threads };
        GameClock {
            deadline: labeller.deadline(),
            threads: u32::try_from(threads).unwrap_or(1).max(1),
            left: AtomicUsize::new(positions + positions / CHUNK_POSITIONS),
        }
    }

    fn position_done(&self) {
        let _ = self.left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1));
    }

    /// What the next search may use.
    fn limits(&self, budget: Budget) -> (Limits, Watch) {
        let share = |deadline: Instant| {
            let left = u32::try_from(self.left.load(Relaxed)).unwrap_or(u32::MAX).max(1);
            deadline.saturating_duration_since(Instant::now()) * self.threads.min(left) / left
        };
        let (limits, time) = match budget {
            Budget::Nodes(nodes) => (Limits::nodes(nodes), None),
            Budget::Depth(depth) => (Limits::depth(depth), None),
            Budget::MoveTime(time) => (Limits::UNLIMITED, Some(time)),
            Budget::Game(_) => (Limits::UNLIMITED, self.deadline.map(share)),
        };
        (limits, Watch::new(time))
    }
}

/// Ends a search when its time is over.
struct Watch {
    deadline: Option<Instant>,
}

impl Watch {
    fn new(time: Option<Duration>) -> Watch {
        Watch { deadline: time.and_then(|time| Instant::now().checked_add(time)) }
    }
}

impl Observer for Watch {
    fn must_stop(&mut self, _nodes: u64) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
