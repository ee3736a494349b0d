//! How a position is valued without looking ahead: the border behind which a network or hand-made terms stand.

use shakmaty::{Chess, Move};

/// Values positions statically, and may carry a state along the line being searched so that a move costs an update
/// rather than a recomputation.
///
/// The search keeps one [`Evaluator::State`] for each ply in the caller's memory. It fills a state either by
/// [`Evaluator::refresh`] from the position alone or by [`Evaluator::advance`] from the state one ply earlier, and both
/// ways must give the same value. States are brought up to date only for positions that are in fact valued.
pub trait Evaluator {
    /// What is kept for each ply (a network's accumulators; `()` where nothing is).
    type State: Clone + Default;

    /// Fills `state` for `position` from nothing.
    fn refresh(&self, position: &Chess, state: &mut Self::State);

    /// Fills `after` for the position that the legal move `played` makes of `position`, whose state is `before`.
    fn advance(&self, before: &Self::State, position: &Chess, played: Move, after: &mut Self::State);

    /// The value of `position` in centipawns as the side to move sees it. The search clamps it to the range that is
    /// not a mate.
    fn evaluate(&self, state: &Self::State, position: &Chess) -> i32;
}
