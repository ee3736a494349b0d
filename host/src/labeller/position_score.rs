//! What a search said of one position of a game.

use plyscope_core::judge::{score::Score, search::Iteration};
use serde::{Deserialize, Serialize};
use shakmaty::{CastlingMode, Chess, Position};

/// The outcome of searching one position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PositionScore {
    /// White's view.
    pub score: Score,
    /// Completed depth in plies; 0 where the game is over and nothing was searched.
    pub depth: u8,
    /// Positions visited.
    pub nodes: u64,
    /// The best line from here, as UCI moves.
    pub line: Vec<String>,
}

impl PositionScore {
    /// What the rules say of a finished game.
    pub(crate) fn of_finished(score: Score) -> PositionScore {
        PositionScore { score, depth: 0, nodes: 0, line: Vec::new() }
    }

    /// What a search of `position` found.
    pub(crate) fn of_search(position: &Chess, found: &Iteration) -> PositionScore {
        PositionScore {
            score: position.turn().fold_wb(found.score, -found.score),
            depth: found.depth,
            nodes: found.nodes,
            line: uci_line(position, found),
        }
    }
}

/// The best line as UCI moves.
pub(crate) fn uci_line(position: &Chess, found: &Iteration) -> Vec<String> {
    let mut position = position.clone();
    let mut line = Vec::new();
    for packed in &found.line {
        let Some(m) = packed.unpack_legal(&position) else { break };
        line.push(m.to_uci(CastlingMode::Standard).to_string());
        position.play_unchecked(m);
    }
    line
}
