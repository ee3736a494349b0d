//! The positions of a game, and what the rules say of its end.

use plyscope_core::judge::{position_key::PositionKey, score::Score};
use shakmaty::{Chess, Move, Position};

/// The ply at which a list of moves leaves the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("ply {ply} is not legal")]
pub struct IllegalMove {
    /// Counted from 1.
    pub ply: usize,
}

/// A game to be labelled: its positions, from the start to the last.
#[derive(Debug, Clone)]
pub struct LabelledGame {
    positions: Vec<Chess>,
    keys: Vec<PositionKey>,
}

impl LabelledGame {
    /// The game that `moves` make from `start`.
    ///
    /// # Errors
    /// [`IllegalMove`] names the first move that the rules don't allow.
    pub fn new(start: Chess, moves: &[Move]) -> Result<LabelledGame, IllegalMove> {
        let mut positions = vec![start];
        for (i, &m) in moves.iter().enumerate() {
            let before = &positions[i];
            positions.push(before.clone().play(m).map_err(|_| IllegalMove { ply: i + 1 })?);
        }
        Ok(LabelledGame::of_positions(positions))
    }

    /// The game through these positions, each reached from the one before by one ply; at least one.
    pub fn of_positions(positions: Vec<Chess>) -> LabelledGame {
        let keys = positions.iter().map(PositionKey::of).collect();
        LabelledGame { positions, keys }
    }

    /// The positions, the start first.
    pub fn positions(&self) -> &[Chess] {
        &self.positions
    }

    /// The keys of the positions before position `index`.
    pub(crate) fn keys_before(&self, index: usize) -> &[PositionKey] {
        &self.keys[..index]
    }

    /// The exact score (White's view) of a position in which the game is over: mate, stalemate, a dead position; and in
    /// the last one also a draw by repetition or by the fifty-move rule.
    pub(crate) fn final_score(&self, index: usize) -> Option<Score> {
        let position = &self.positions[index];
        if position.legal_moves().is_empty() {
            return Some(match position.is_check() {
                true => position.turn().fold_wb(Score::mated_in(0), -Score::mated_in(0)),
                false => Score::DRAW,
            });
        }
        let seen_before = || {
            let key = self.keys[index];
            self.keys[..index].iter().rev().take(position.halfmoves() as usize).filter(|k| **k == key).count()
        };
        let is_last = index + 1 == self.positions.len();
        let drawn_at_the_end = is_last && (position.halfmoves() >= 100 || seen_before() >= 2);
        let drawn = position.is_insufficient_material() || position.halfmoves() >= 150 || drawn_at_the_end;
        drawn.then_some(Score::DRAW)
    }
}
