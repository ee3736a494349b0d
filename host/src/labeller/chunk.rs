//! The search of a stretch of a game: every position from the last back, then again those whose labels are in doubt.

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
    transposition_table::{Bucket, TranspositionTable},
};
use serde::{Deserialize, Serialize};

use super::{Budget, LabelledGame, Labeller, PositionScore, Progress, Reporter, doubt};
use crate::{
    engine::{Engine, table_memory},
    evaluation::WithEvaluator,
};

/// Positions in a chunk. Longer chunks share more of what the search learns, shorter ones keep two threads equally busy
/// on short games.
pub const CHUNK_POSITIONS: usize = 24;

/// Share of a chunk's budget that its positions get alike, in per cent; the rest goes where labels are in doubt. Measured,
/// see `docs/search.md`.
const FIRST_LOOK_PERCENT: u64 = 45;
/// A further look at a position may cost so many times what was spent on it before.
const FURTHER_LOOK_FACTOR: u64 = 2;
/// Below this share of a position's equal part a further look is not worth while, in per cent.
const LAST_LOOK_PERCENT: u64 = 15;

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
        let stretches = stretches(count);
        let clock = GameClock::new(labeller, &stretches);
        let chunks = labeller.in_parallel(&stretches, |stretch| {
            let fits = |chunk: &&Chunk| chunk.first == stretch.start && chunk.scores.len() == stretch.len();
            if let Some(chunk) = known.iter().find(fits) {
                stretch.clone().for_each(|_| reporter.position_done());
                clock.chunk_done(stretch.len());
                return chunk.clone();
            }
            let buckets = table_memory(labeller.table_mib);
            let search = StretchSearch {
                labeller,
                game,
                stretch: stretch.clone(),
                purse: clock.purse(stretch.len()),
                engine: Engine::new(evaluator),
                buckets: &buckets,
            };
            let chunk = search.run(&reporter);
            clock.chunk_done(stretch.len());
            reporter.chunk_done(&chunk);
            chunk
        });
        chunks.into_iter().rev().flat_map(|chunk| chunk.scores).collect()
    }
}

/// What a chunk may cost, in nodes or in microseconds.
#[derive(Debug, Clone, Copy)]
struct Purse {
    /// An equal part for each position.
    each: u64,
    unit: Unit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Nodes,
    Microseconds,
    /// Every position to this depth, none again.
    Plies(u8),
}

impl Purse {
    /// A look at a position that costs `cost` at most.
    fn look(&self, cost: u64) -> (Limits, Watch) {
        match self.unit {
            Unit::Nodes => (Limits::nodes(cost), Watch::new(None)),
            Unit::Microseconds => (Limits::UNLIMITED, Watch::new(Some(Duration::from_micros(cost)))),
            Unit::Plies(depth) => (Limits::depth(depth), Watch::new(None)),
        }
    }
}

/// One chunk at work.
struct StretchSearch<'a, 'e, E: Evaluator> {
    labeller: &'a Labeller,
    game: &'a LabelledGame,
    stretch: Range<usize>,
    purse: Purse,
    engine: Engine<'e, E>,
    buckets: &'a [Bucket],
}

impl<E: Evaluator> StretchSearch<'_, '_, E> {
    fn run(mut self, reporter: &Reporter<'_>) -> Chunk {
        let buckets = self.buckets;
        let table = TranspositionTable::new(buckets);
        let stretch = self.stretch.clone();
        let (each, first_share) = (self.purse.each, self.first_share());
        if stretch.end < self.game.positions().len() {
            self.look(&table, stretch.end, first_share);
        }
        let mut left = each.saturating_mul(stretch.len() as u64);
        let mut spent = vec![0; stretch.len()];
        let mut scores = Vec::with_capacity(stretch.len());
        for index in stretch.clone().rev() {
            let (score, cost) = self.look(&table, index, first_share);
            scores.push(score);
            left = left.saturating_sub(cost);
            spent[index - stretch.start] = cost;
            reporter.position_done();
        }
        scores.reverse();
        if self.labeller.refines && !matches!(self.purse.unit, Unit::Plies(_)) {
            self.refine(&table, &mut scores, &mut spent, left);
        }
        Chunk { first: stretch.start, scores }
    }

    /// What each position gets at first.
    fn first_share(&self) -> u64 {
        let each = self.purse.each;
        if self.labeller.refines { (each.saturating_mul(FIRST_LOOK_PERCENT) / 100).max(1) } else { each }
    }

    /// Spends what is `left` where it is likeliest to change a label for what it costs.
    fn refine(
        &mut self,
        table: &TranspositionTable<'_>,
        scores: &mut [PositionScore],
        spent: &mut [u64],
        mut left: u64,
    ) {
        let least = self.purse.each.saturating_mul(LAST_LOOK_PERCENT) / 100;
        while left > least {
            let positions = &self.game.positions()[self.stretch.clone()];
            let doubts = doubt::doubts(self.labeller, positions, scores);
            let worth = |i: usize| doubts[i] / spent[i].max(1) as f64;
            let dearest = (0..scores.len()).max_by(|&i, &j| worth(i).total_cmp(&worth(j)));
            let Some(i) = dearest.filter(|&i| doubts[i] > doubt::NONE) else { return };
            let wanted = spent[i].saturating_mul(FURTHER_LOOK_FACTOR).min(left);
            let (score, cost) = self.look(table, self.stretch.start + i, wanted);
            let nodes = scores[i].nodes + score.nodes;
            if score.depth >= scores[i].depth {
                scores[i] = score;
            }
            scores[i].nodes = nodes;
            // Even a look that cost next to nothing counts, so that this comes to an end.
            let cost = cost.max(least).max(1);
            spent[i] += cost;
            left = left.saturating_sub(cost);
        }
    }

    /// Searches one position; tells also what that cost.
    fn look(&mut self, table: &TranspositionTable<'_>, index: usize, cost: u64) -> (PositionScore, u64) {
        if let Some(score) = self.game.final_score(index) {
            return (PositionScore::of_finished(score), 0);
        }
        let (limits, mut watch) = self.purse.look(cost);
        let started = Instant::now();
        let position = &self.game.positions()[index];
        let found = self.engine.search(table, position, self.game.keys_before(index), limits, &mut watch);
        let cost = match self.purse.unit {
            Unit::Microseconds => u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
            Unit::Nodes | Unit::Plies(_) => found.nodes,
        };
        (PositionScore::of_search(position, &found), cost)
    }
}

/// Shares the time for a game among its chunks.
struct GameClock<'a> {
    labeller: &'a Labeller,
    deadline: Option<Instant>,
    threads: usize,
    /// Positions in chunks not yet done.
    positions_left: AtomicUsize,
    chunks_left: AtomicUsize,
}

impl GameClock<'_> {
    fn new<'a>(labeller: &'a Labeller, stretches: &[Range<usize>]) -> GameClock<'a> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        GameClock {
            labeller,
            deadline: labeller.deadline(),
            threads: if labeller.threads == 0 { cores } else { labeller.threads },
            positions_left: AtomicUsize::new(stretches.iter().map(Range::len).sum()),
            chunks_left: AtomicUsize::new(stretches.len()),
        }
    }

    fn chunk_done(&self, positions: usize) {
        self.positions_left.fetch_sub(positions, Relaxed);
        self.chunks_left.fetch_sub(1, Relaxed);
    }

    /// What a chunk of so many positions may cost that begins now.
    fn purse(&self, positions: usize) -> Purse {
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let (each, unit) = match self.labeller.budget {
            Budget::Nodes(nodes) => (nodes, Unit::Nodes),
            Budget::Depth(depth) => (0, Unit::Plies(depth)),
            Budget::MoveTime(time) => (micros(time), Unit::Microseconds),
            Budget::Game(_) => {
                let left =
                    self.deadline.map_or(Duration::ZERO, |end| end.saturating_duration_since(Instant::now()));
                let chunks = self.chunks_left.load(Relaxed).max(1);
                // Chunks run in rounds, one a thread; a short one needs less of its round. The position that warms its table
                // has to be paid for too.
                let rounds = chunks.div_ceil(self.threads).max(1) as u64;
                let mean = self.positions_left.load(Relaxed).div_ceil(chunks).max(positions).max(1) as u64;
                (micros(left) / rounds / (mean + 1), Unit::Microseconds)
            }
        };
        Purse { each, unit }
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
