//! Labels for a whole game: every position searched, its win probability, and for every ply the two verdicts.
//!
//! A game is searched from its last position back, so that what the search learned of the later positions is known in
//! its table when the earlier ones are searched. It is cut into chunks of [`CHUNK_POSITIONS`], counted from the end;
//! each begins with an empty table, warmed by searching the position just after it. Chunks are independent of each
//! other: they give the same scores whatever the number of threads, and those done before need not be done again.
//!
//! ```
//! use plyscope::labeller::{Budget, LabelledGame, Labeller};
//! use shakmaty::{Chess, Position};
//!
//! let start = Chess::default();
//! let first_move = start.legal_moves()[0];
//! let game = LabelledGame::new(start, &[first_move]).unwrap();
//! let labeller = Labeller { budget: Budget::Nodes(1000), ..Labeller::default() };
//! let labels = labeller.label(&game, &[], &|_| {});
//! assert_eq!(labels.len(), 2, "the start position and one ply");
//! ```

mod chunk;
mod decision;
mod doubt;
mod game;
mod position_score;
mod provisional;

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use plyscope_core::{
    event_row::Verdict,
    judge::{
        score::Score,
        win_model::{WinModel, WinProbability},
    },
};
use rayon::prelude::*;

use crate::{
    evaluation::Evaluation,
    win_models::{self, Form},
};

pub use chunk::{CHUNK_POSITIONS, Chunk};
pub use decision::Optimise;
pub(crate) use decision::game_ply;
pub use game::{IllegalMove, LabelledGame};
pub use position_score::PositionScore;
pub(crate) use position_score::uci_line;
pub use provisional::Provisional;

/// How much search a position gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Budget {
    /// Positions visited for each on the average; the results are the same on every machine.
    Nodes(u64),
    /// Plies of depth for each; the results are the same on every machine.
    Depth(u8),
    /// Time for each on the average; the results depend on the machine and its load.
    MoveTime(Duration),
    /// Time for the whole game; the results depend on the machine and its load.
    Game(Duration),
}

/// How games are labelled.
#[derive(Debug, Clone)]
pub struct Labeller {
    /// How much search each position gets.
    pub budget: Budget,
    /// What values the positions.
    pub evaluation: Evaluation,
    /// From centipawns to win probability.
    pub model: WinModel,
    /// What the labels are to be best at.
    pub optimise: Optimise,
    /// Whether part of the budget goes where labels are in doubt, rather than the same to each position.
    pub refines: bool,
    /// MiB of transposition table for each thread.
    pub table_mib: usize,
    /// Threads to use; 0: as many as there are cores.
    pub threads: usize,
}

/// Nodes for a position unless asked otherwise.
pub const NODES_DEFAULT: u64 = 250_000;

impl Default for Labeller {
    fn default() -> Labeller {
        let evaluation = Evaluation::default();
        Labeller {
            budget: Budget::Nodes(NODES_DEFAULT),
            evaluation,
            model: win_models::shipped(&evaluation, Form::Sf),
            optimise: Optimise::default(),
            refines: true,
            table_mib: 64,
            threads: 0,
        }
    }
}

/// What is said of one position, and of the ply that led to it.
#[derive(Debug, Clone, PartialEq)]
pub struct PlyLabel {
    /// The ply after which the position stands; 0 is the start.
    pub ply: usize,
    /// White's view.
    pub score: Score,
    /// White's win probability.
    pub p: WinProbability,
    /// Who is ahead.
    pub leader_after: Verdict,
    /// Towards whom the ply shifted the balance (the start position: neither).
    pub wr_swing: Verdict,
    /// What the search did.
    pub search: PositionScore,
}

/// How far a labelling is.
#[derive(Debug, Clone, Copy)]
pub enum Progress<'p> {
    /// So many of all positions have been searched.
    Positions {
        /// Searched so far.
        done: usize,
        /// All positions of the game.
        of: usize,
    },
    /// A chunk is complete; keep it, and a later run may be handed it.
    Chunk(&'p Chunk),
}

impl Labeller {
    /// Labels every position of `game`: one label for the start and one for each ply.
    ///
    /// `known` holds chunks that an earlier run over the same game with the same settings completed; they are taken as
    /// they are. `progress` is called from several threads, one at a time.
    pub fn label(
        &self,
        game: &LabelledGame,
        known: &[Chunk],
        progress: &(dyn Fn(Progress<'_>) + Sync),
    ) -> Vec<PlyLabel> {
        let scores = self.search(game, known, progress);
        self.decide(game, scores)
    }

    /// The scores of every position of `game`, from which [`Labeller::decide`] makes the labels.
    pub fn search(
        &self,
        game: &LabelledGame,
        known: &[Chunk],
        progress: &(dyn Fn(Progress<'_>) + Sync),
    ) -> Vec<PositionScore> {
        self.evaluation.lend(chunk::SearchAll { labeller: self, game, known, progress })
    }

    /// The labels that scores of all positions lead to.
    pub fn decide(&self, game: &LabelledGame, scores: Vec<PositionScore>) -> Vec<PlyLabel> {
        decision::decide(self, game, scores)
    }

    /// A labeller for plies as they come, by a quick look at each.
    pub fn provisional(&self) -> Provisional {
        Provisional::new(self.clone())
    }

    fn deadline(&self) -> Option<Instant> {
        match self.budget {
            Budget::Game(time) => Instant::now().checked_add(time),
            _ => None,
        }
    }

    /// Runs `work` for each item on the threads asked for.
    fn in_parallel<T: Sync, R: Send>(&self, items: &[T], work: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
        let run = || items.par_iter().map(&work).collect();
        match rayon::ThreadPoolBuilder::new().num_threads(self.threads).build() {
            Ok(pool) => pool.install(run),
            Err(_) => items.iter().map(&work).collect(),
        }
    }
}

/// Calls the caller's progress function from one thread at a time.
struct Reporter<'p> {
    progress: &'p (dyn Fn(Progress<'_>) + Sync),
    done: Mutex<usize>,
    of: usize,
}

impl Reporter<'_> {
    fn position_done(&self) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        *done += 1;
        (self.progress)(Progress::Positions { done: *done, of: self.of });
    }

    fn chunk_done(&self, chunk: &Chunk) {
        let _one_at_a_time = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        (self.progress)(Progress::Chunk(chunk));
    }
}

#[cfg(test)]
mod tests;
