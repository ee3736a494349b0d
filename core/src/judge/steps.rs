//! The steps of the search that can be left out, to measure what each is worth.

/// A step that the search can do without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// Cutting by the transposition table's values (its moves are still tried first).
    TableCutoff,
    /// Correcting static evaluations by the errors seen with the same pawns and pieces.
    Correction,
    /// Asking the quiescence search at once far below alpha.
    Razoring,
    /// Returning at once far above beta.
    ReverseFutility,
    /// Passing.
    NullMove,
    /// Proving a cutoff by a capture in a shallow search.
    ProbCut,
    /// Taking back part of a reduction, or going on with it, once the position is evaluated.
    Hindsight,
    /// Searching one ply less without a remembered move.
    InternalReduction,
    /// Leaving out late quiet moves.
    LateMovePruning,
    /// Leaving out quiet moves that did badly before.
    HistoryPruning,
    /// Leaving out quiet moves that can't reach alpha.
    Futility,
    /// Leaving out moves that lose material.
    ExchangePruning,
    /// Extending the only good move, and cutting where there are several.
    Singular,
    /// Searching late moves less deep.
    LateMoveReduction,
    /// Teaching the history by how the evaluation changed over a quiet move.
    EvaluationHistory,
    /// Trying the move first that refuted a sister position.
    Killer,
    /// Trying quiet checks early.
    CheckOrder,
    /// Trying early what saves a piece from a lesser one, late what offers it to one.
    ThreatOrder,
    /// Searching a ply less after a move that raised alpha on the principal variation.
    RaisedAlpha,
    /// Leaving out captures in quiescence that can't reach alpha.
    DeltaPruning,
    /// Beginning an iteration with a window around the last score.
    Aspiration,
}

impl Step {
    /// All, in the order in which a node meets them.
    pub const ALL: [Step; 21] = [
        Step::Aspiration,
        Step::TableCutoff,
        Step::Correction,
        Step::EvaluationHistory,
        Step::Hindsight,
        Step::Razoring,
        Step::ReverseFutility,
        Step::NullMove,
        Step::ProbCut,
        Step::InternalReduction,
        Step::Killer,
        Step::CheckOrder,
        Step::ThreatOrder,
        Step::LateMovePruning,
        Step::HistoryPruning,
        Step::Futility,
        Step::ExchangePruning,
        Step::Singular,
        Step::LateMoveReduction,
        Step::RaisedAlpha,
        Step::DeltaPruning,
    ];
}

/// The steps that a search takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Steps(u32);

impl Steps {
    /// Every step.
    pub const ALL: Steps = Steps(u32::MAX);

    /// These but one.
    #[must_use]
    pub const fn without(self, step: Step) -> Steps {
        Steps(self.0 & !(1 << step as u32))
    }

    pub(crate) const fn has(self, step: Step) -> bool {
        self.0 & (1 << step as u32) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaving_out_one_step_leaves_the_others() {
        for left_out in Step::ALL {
            let steps = Steps::ALL.without(left_out);
            for step in Step::ALL {
                assert_eq!(steps.has(step), step != left_out);
            }
        }
    }
}
