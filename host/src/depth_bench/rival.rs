//! Another engine, searched over the same games in the same way, for comparison.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use plyscope_core::judge::win_model::WinModel;
use shakmaty::Position;

use super::{BenchGame, Limit, Measured, Subject};
use crate::external_engine::{moves_between, name_of, position_command};
use crate::labeller::PositionScore;
use crate::uci_client::{EngineError, EngineProcess};

const HASH_MIB: u32 = 64;

/// From the centipawns that Stockfish 15.1 prints to the shares that it prints beside them, found from its printed numbers by
/// least squares (`plyscope-trainer` does so before every training; `core/nets/large.card.json`).
const STOCKFISH_15_1: WinModel = WinModel::WinDrawLoss {
    a: [94.928, 4.2276, 0.743_73, -0.161_58],
    b: [20.391, -5.7375, 4.426_86, -0.736_89],
};

/// A running UCI engine.
#[derive(Debug)]
pub struct Rival {
    path: PathBuf,
    process: EngineProcess,
}

impl Rival {
    /// Starts the engine with one thread.
    ///
    /// # Errors
    /// [`EngineError`] where it can't be started or doesn't speak UCI.
    pub fn start(path: &Path) -> Result<Rival, EngineError> {
        let options = [("Hash", HASH_MIB.to_string()), ("Threads", "1".to_owned())];
        Ok(Rival { path: path.to_owned(), process: EngineProcess::start(path, &options)? })
    }

    /// What is measured of it: its own win models, taken to be Stockfish 15.1's.
    pub fn subject(&self) -> Subject {
        Subject { name: name_of(&self.path), sf: STOCKFISH_15_1, lichess: WinModel::LICHESS }
    }

    /// Searches one game from its last position back, its hash empty at first and then kept.
    ///
    /// # Errors
    /// [`EngineError`] where the engine ends or gives no score.
    pub fn measure(&mut self, game: &BenchGame, nodes: u64) -> Result<Measured, EngineError> {
        self.process.begin_game()?;
        let positions = game.game.positions();
        let moves = moves_between(positions);
        let started = Instant::now();
        let mut scores = Vec::with_capacity(positions.len());
        for (ply, position) in positions.iter().enumerate().rev() {
            if let Some(score) = game.game.final_score(ply) {
                scores.push(PositionScore::of_finished(score));
                continue;
            }
            self.process.tell(&position_command(&positions[0], &moves[..ply]));
            let (score, _) = self.process.search(&format!("go nodes {nodes}"), ply, position.turn())?;
            scores.push(score);
        }
        scores.reverse();
        Ok(Measured {
            game: game.name.clone(),
            evaluation: self.subject().name,
            limit: Limit::Nodes(nodes),
            form: None,
            seconds: started.elapsed().as_secs_f64(),
            scores,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_is_not_there_is_named() {
        let error = Rival::start(Path::new("/nowhere/engine")).unwrap_err().to_string();
        assert!(error.contains("/nowhere/engine"), "{error}");
    }
}
