//! The search as the caller sees it: a position, its game, limits in; an exact score and the best line out.

use shakmaty::{Chess, Position};

use super::{
    evaluation::Evaluator,
    history::PieceTo,
    limits::{Limits, NODES_BETWEEN_QUESTIONS, Observer},
    memory::{Line, SearchMemory},
    position_key::PositionKey,
    pruning::depth_after_fails_high,
    score::{INFINITE, PLY_MAX, Score, is_mate},
    steps::{Step, Steps},
    transposition_table::TranspositionTable,
};

/// Half the first aspiration window, in centipawns.
const ASPIRATION_CP: i32 = 12;
/// From this depth on an iteration begins with a window around the last score.
const ASPIRATION_DEPTH: i32 = 4;
/// The deepest iteration.
const DEPTH_MAX: i32 = 120;

/// What a completed iteration found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Iteration {
    /// The exact score as the side to move sees it.
    pub score: Score,
    /// The depth of the iteration in plies; 0 where the game is over or no search was needed.
    pub depth: u8,
    /// The longest line looked at, in plies.
    pub selective_depth: u8,
    /// Positions visited since the search began.
    pub nodes: u64,
    /// The best line (a search broken off has looked deeper along it than `depth` and `score` say), at most [`super::memory::LINE_MAX`] moves; empty only where there is no legal move.
    pub line: Line,
}

/// An alpha-beta search over the caller's memory.
///
/// The same position, game, table contents and limits give the same result, bit for bit, on every machine (as long as
/// no [`Observer`] ends it).
#[derive(Debug)]
pub struct Search<'a, E: Evaluator> {
    evaluator: &'a E,
    table: &'a TranspositionTable<'a>,
    memory: SearchMemory<'a, E::State>,
    steps: Steps,
}

impl<'a, E: Evaluator> Search<'a, E> {
    /// A search that values positions by `evaluator`.
    pub fn new(
        evaluator: &'a E,
        table: &'a TranspositionTable<'a>,
        memory: SearchMemory<'a, E::State>,
    ) -> Search<'a, E> {
        Search { evaluator, table, memory, steps: Steps::ALL }
    }

    /// The same search with these steps only.
    #[must_use]
    pub fn with_steps(self, steps: Steps) -> Search<'a, E> {
        Search { steps, ..self }
    }

    /// Forgets what earlier searches taught (the table is the caller's to clear).
    pub fn clear(&mut self) {
        self.memory.clear();
    }

    /// Searches `root`. `game` holds the keys of the positions before it, oldest first (those since the last capture or
    /// pawn move are enough); a position that occurred there twice, or once in the line being searched, is a draw.
    ///
    /// The result is the last completed iteration; its `nodes` are those of the whole search.
    pub fn run(
        &mut self,
        root: &Chess,
        game: &[PositionKey],
        limits: Limits,
        observer: &mut dyn Observer,
    ) -> Iteration {
        self.table.start_search();
        let mut worker = Worker {
            evaluator: self.evaluator,
            table: self.table,
            memory: &mut self.memory,
            steps: self.steps,
            game,
            limits,
            observer,
            nodes: 0,
            selective_depth: 0,
            stopped: false,
            may_stop: false,
            null_move_min_ply: 0,
        };
        worker.place_root(root);
        worker.deepen()
    }
}

/// A search under way.
pub(crate) struct Worker<'s, 'a, E: Evaluator> {
    pub(crate) evaluator: &'s E,
    pub(crate) table: &'s TranspositionTable<'s>,
    pub(crate) memory: &'s mut SearchMemory<'a, E::State>,
    pub(crate) steps: Steps,
    game: &'s [PositionKey],
    limits: Limits,
    observer: &'s mut dyn Observer,
    pub(crate) nodes: u64,
    pub(crate) selective_depth: usize,
    /// Nothing that comes back from here on counts.
    pub(crate) stopped: bool,
    /// There is a completed iteration to fall back on.
    may_stop: bool,
    /// No null moves above this ply while one is verified.
    pub(crate) null_move_min_ply: usize,
}

impl<E: Evaluator> Worker<'_, '_, E> {
    fn place_root(&mut self, root: &Chess) {
        let frame = &mut self.memory.frames[0];
        frame.position.clone_from(root);
        frame.key = PositionKey::of(root);
        frame.arrived_by = None;
        frame.arrived_piece_to = PieceTo::NONE;
        frame.plies_since_null = 0;
        frame.excluded = None;
        frame.double_extensions = 0;
        frame.reduction = 0;
        self.evaluator.refresh(root, &mut frame.state);
        frame.state_is_current = true;
        for frame in self.memory.frames.iter_mut() {
            frame.killer = None;
            frame.cutoffs = 0;
            frame.line.clear();
        }
    }

    /// Iterative deepening.
    fn deepen(&mut self) -> Iteration {
        let root = &self.memory.frames[0].position;
        if root.legal_moves().is_empty() {
            let score = if root.is_check() { Score::mated_in(0) } else { Score::DRAW };
            return Iteration { score, depth: 0, selective_depth: 0, nodes: 0, line: Line::new() };
        }
        let last_depth = i32::from(self.limits.depth.max(1)).min(DEPTH_MAX);
        let mut completed: Option<Iteration> = None;
        for depth in 1..=last_depth {
            self.selective_depth = 0;
            let value = self.search_with_aspiration(depth, completed.as_ref().map(|c| c.score.value()));
            if self.stopped {
                break;
            }
            let iteration = Iteration {
                score: Score::from_value(value),
                depth: depth as u8,
                selective_depth: self.selective_depth.min(PLY_MAX) as u8,
                nodes: self.nodes,
                line: self.memory.frames[0].line.clone(),
            };
            self.may_stop = true;
            let enough = self.observer.completed(&iteration) || self.nodes >= self.limits.nodes;
            completed = Some(iteration);
            if enough {
                break;
            }
        }
        match completed {
            Some(iteration) => {
                // What an iteration broken off has found already is a better line than that of the one before: its first move
                // was searched to the end, and each that came after only because it was better still.
                let later = &self.memory.frames[0].line;
                let line = if self.stopped && !later.is_empty() { later.clone() } else { iteration.line };
                Iteration { score: iteration.score, line, nodes: self.nodes, ..iteration }
            }
            // The first iteration can't be stopped, so this is not reached.
            None => Iteration {
                score: Score::DRAW,
                depth: 0,
                selective_depth: 0,
                nodes: self.nodes,
                line: Line::new(),
            },
        }
    }

    /// One iteration: a narrow window around the last score, widened until the value lies inside and so is exact.
    fn search_with_aspiration(&mut self, depth: i32, last: Option<i32>) -> i32 {
        let mut width = ASPIRATION_CP;
        let (mut alpha, mut beta) = match last {
            Some(last) if depth >= ASPIRATION_DEPTH && self.steps.has(Step::Aspiration) => {
                (last - width, last + width)
            }
            _ => (-INFINITE, INFINITE),
        };
        let mut fails_high = 0;
        loop {
            alpha = alpha.max(-INFINITE);
            beta = beta.min(INFINITE);
            let value = self.search_root(depth_after_fails_high(depth, fails_high), alpha, beta);
            if self.stopped || (alpha < value && value < beta) {
                return value;
            }
            width += width;
            if value <= alpha {
                beta = (alpha + beta) / 2;
                alpha = value - width;
                fails_high = 0;
            } else {
                beta = value + width;
                fails_high += i32::from(!is_mate(value));
            }
            if width > 1000 {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    /// Counts a node; true where the search has to end.
    pub(crate) fn count_node(&mut self, ply: usize) -> bool {
        self.selective_depth = self.selective_depth.max(ply);
        if self.may_stop {
            let asked = self.nodes.is_multiple_of(NODES_BETWEEN_QUESTIONS);
            if self.nodes >= self.limits.nodes || (asked && self.observer.must_stop(self.nodes)) {
                self.stopped = true;
            }
        }
        self.nodes += u64::from(!self.stopped);
        self.stopped
    }

    /// True where the position at `ply` came before: once within the line, or twice with the game counted in.
    pub(crate) fn is_repetition(&self, ply: usize) -> bool {
        let frames = &self.memory.frames;
        let frame = &frames[ply];
        let reversible = frame.position.halfmoves() as usize;
        let plies_back = reversible.min(if usize::from(frame.plies_since_null) < ply {
            usize::from(frame.plies_since_null)
        } else {
            ply + self.game.len()
        });
        let mut earlier_in_game = 0;
        for back in (4..=plies_back).step_by(2) {
            if back <= ply {
                if frames[ply - back].key == frame.key {
                    if back < ply {
                        return true;
                    }
                    earlier_in_game += 1;
                }
            } else if self.game[self.game.len() - (back - ply)] == frame.key {
                earlier_in_game += 1;
            }
            if earlier_in_game == 2 {
                return true;
            }
        }
        false
    }

    /// Brings the evaluator's state at `ply` up to date from the nearest ply that is, and values the position.
    pub(crate) fn raw_evaluation(&mut self, ply: usize) -> i32 {
        let frames = &mut *self.memory.frames;
        let mut current = ply;
        while current > 0 && !frames[current].state_is_current {
            current -= 1;
        }
        for next in current + 1..=ply {
            let (before, after) = frames.split_at_mut(next);
            let (before, after) = (&before[next - 1], &mut after[0]);
            match after.arrived_by {
                Some(m) => self.evaluator.advance(&before.state, &before.position, m, &mut after.state),
                None => after.state.clone_from(&before.state),
            }
            after.state_is_current = true;
        }
        let frame = &frames[ply];
        Score::centipawns(self.evaluator.evaluate(&frame.state, &frame.position)).value()
    }

    /// The evaluation as the search uses it: corrected by what the histories learned, and the nearer to a draw the
    /// longer nothing happened.
    pub(crate) fn corrected(&self, ply: usize, raw: i32) -> i32 {
        let position = &self.memory.frames[ply].position;
        let moves_left = 200 - position.halfmoves().min(100) as i32;
        let correction_cp = if self.steps.has(Step::Correction) {
            self.memory.history.correction_cp(position, self.moves_before(ply))
        } else {
            0
        };
        Score::centipawns(raw * moves_left / 200 + correction_cp).value()
    }
}
