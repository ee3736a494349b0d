//! Quick labels while a game is still being read; better ones follow when it is complete.

use plyscope_core::judge::{
    evaluation::Evaluator,
    limits::Limits,
    search::Iteration,
    transposition_table::{Bucket, TranspositionTable},
};
use shakmaty::Chess;

use super::{LabelledGame, Labeller, PlyLabel, PositionScore, decision};
use crate::{
    engine::{search_once, table_memory},
    evaluation::WithEvaluator,
};

/// Nodes for a quick look: some milliseconds.
const NODES: u64 = 4_000;
/// MiB of its table.
const TABLE_MIB: usize = 4;

/// Labels plies one after the other as they are read.
#[derive(Debug)]
pub struct Provisional {
    labeller: Labeller,
    buckets: Vec<Bucket>,
    positions: Vec<Chess>,
    scores: Vec<PositionScore>,
}

impl Provisional {
    pub(super) fn new(labeller: Labeller) -> Provisional {
        Provisional { labeller, buckets: table_memory(TABLE_MIB), positions: Vec::new(), scores: Vec::new() }
    }

    /// Takes up a game that an earlier run looked at: `positions` from the start, and what it found of each. Returns
    /// their labels; where the scores are not as many as the positions, looks anew.
    pub fn take_up(&mut self, positions: &[Chess], scores: &[PositionScore]) -> Vec<PlyLabel> {
        self.positions.clear();
        self.scores.clear();
        if positions.len() != scores.len() {
            return positions.iter().map(|position| self.next(position)).collect();
        }
        self.positions.extend_from_slice(positions);
        self.scores.extend_from_slice(scores);
        decision::decide(&self.labeller, &LabelledGame::of_positions(positions.to_vec()), scores.to_vec())
    }

    /// The label of the position that the game has come to: first the start, then one for each ply. The same positions
    /// give the same labels.
    pub fn next(&mut self, position: &Chess) -> PlyLabel {
        self.positions.push(position.clone());
        let game = LabelledGame::of_positions(self.positions.clone());
        let last = self.positions.len() - 1;
        let score = match game.final_score(last) {
            Some(score) => PositionScore::of_finished(score),
            None => {
                let look = Look { buckets: &self.buckets, game: &game, index: last };
                let found = self.labeller.evaluation.lend(look);
                PositionScore::of_search(position, &found)
            }
        };
        self.scores.push(score);
        let before = last.saturating_sub(1);
        let pair = LabelledGame::of_positions(self.positions[before..].to_vec());
        let mut labels = decision::decide(&self.labeller, &pair, self.scores[before..].to_vec());
        let mut label = labels.remove(labels.len() - 1);
        label.ply = last;
        label
    }
}

/// A quick search of one position.
struct Look<'a> {
    buckets: &'a [Bucket],
    game: &'a LabelledGame,
    index: usize,
}

impl WithEvaluator for Look<'_> {
    type Output = Iteration;

    fn run<E>(self, evaluator: &E) -> Iteration
    where
        E: Evaluator + Sync,
        E::State: Send,
    {
        let table = TranspositionTable::new(self.buckets);
        let position = &self.game.positions()[self.index];
        let before = self.game.keys_before(self.index);
        search_once(evaluator, &table, position, before, Limits::nodes(NODES), &mut ())
    }
}
