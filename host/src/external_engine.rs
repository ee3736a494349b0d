//! An installed UCI engine as the evaluator of a game's positions.
//!
//! The engine is told the moves of the game, so that it sees repetitions. Where it can say how many games in a thousand
//! it expects to win, draw and lose (`UCI_ShowWDL`), White's win probability is W + D / 2 of these; else its centipawns
//! go through a win model.

use std::path::{Path, PathBuf};

use plyscope_core::event_row::Verdict;
use plyscope_core::judge::label;
use plyscope_core::judge::score::{Score, ScoreKind};
use plyscope_core::judge::win_model::{WinModel, WinProbability};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position};

use crate::labeller::{Budget, LabelledGame, PlyLabel, PositionScore, game_ply};
pub use crate::uci_client::EngineError;
use crate::uci_client::EngineProcess;

/// An engine and how it is to search.
#[derive(Clone, Debug, PartialEq)]
pub struct ExternalEngine {
    /// The program.
    pub path: PathBuf,
    /// How much search each position gets.
    pub budget: Budget,
    /// From centipawns to win probability, where the engine tells only these.
    pub model: WinModel,
    /// Threads that the engine may use; 0: as it likes.
    pub threads: usize,
}

impl ExternalEngine {
    /// Labels every position of `game`: the start position, then one for each ply. `progress` is told positions done and in
    /// all.
    ///
    /// # Errors
    /// [`EngineError`] where the engine does not start, does not speak UCI or gives no score.
    pub fn label(
        &self,
        game: &LabelledGame,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Vec<PlyLabel>, EngineError> {
        let mut options = vec![("UCI_ShowWDL", "true".to_owned())];
        if self.threads > 0 {
            options.push(("Threads", self.threads.to_string()));
        }
        let mut process = EngineProcess::start(&self.path, &options)?;
        let moves = moves_between(game.positions());
        let count = game.positions().len();
        let mut labels: Vec<PlyLabel> = Vec::with_capacity(count);
        for (ply, position) in game.positions().iter().enumerate() {
            let (search, p) = match game.final_score(ply) {
                Some(score) => (PositionScore::of_finished(score), p_of_finished(score)),
                None => {
                    process.tell(&position_command(&game.positions()[0], &moves[..ply]));
                    let (search, wdl) = process.search(&self.go_command(count), ply, position.turn())?;
                    let p = self.judge(search.score, wdl, position);
                    (search, p)
                }
            };
            let before = labels.last().map(|label| label.p);
            labels.push(PlyLabel {
                ply,
                score: search.score,
                p,
                leader_after: label::leader(p),
                wr_swing: before.map_or(Verdict::Equal, |before| label::swing(before, p)),
                search,
            });
            progress(ply + 1, count);
        }
        Ok(labels)
    }

    /// White's win probability by what the engine said for the side to move, or else by its score as White sees it.
    fn judge(&self, score: Score, wdl: Option<[u32; 3]>, position: &Chess) -> WinProbability {
        match wdl {
            Some([win, draw, loss]) if win + draw + loss > 0 => {
                let share = (f64::from(win) + f64::from(draw) / 2.0) / f64::from(win + draw + loss);
                WinProbability::new(position.turn().fold_wb(share, 1.0 - share))
            }
            _ => self.model.probability(score, game_ply(position)),
        }
    }

    fn go_command(&self, positions: usize) -> String {
        match self.budget {
            Budget::Nodes(nodes) => format!("go nodes {nodes}"),
            Budget::Depth(depth) => format!("go depth {depth}"),
            Budget::MoveTime(time) => format!("go movetime {}", time.as_millis().max(1)),
            Budget::Game(time) => format!("go movetime {}", (time.as_millis() / positions as u128).max(1)),
        }
    }
}

fn p_of_finished(score: Score) -> WinProbability {
    match score.kind() {
        ScoreKind::Centipawns(_) => WinProbability::HALF,
        ScoreKind::Mate { .. } => WinProbability::ONE,
        // On the board a mate is of the side to move, and White's view of it tells whose.
        ScoreKind::Mated { .. } => WinProbability::ZERO,
    }
}

/// The moves that lead from each position to the next.
pub(crate) fn moves_between(positions: &[Chess]) -> Vec<String> {
    let between = |before: &Chess, after: &Chess| {
        let leads = |mv: &Move| before.clone().play(*mv).is_ok_and(|reached| reached == *after);
        before.legal_moves().into_iter().find(leads)
    };
    let uci = |mv: Move| mv.to_uci(CastlingMode::Standard).to_string();
    positions.windows(2).map_while(|pair| between(&pair[0], &pair[1]).map(uci)).collect()
}

pub(crate) fn position_command(start: &Chess, moves: &[String]) -> String {
    let mut command = String::from("position ");
    if *start == Chess::default() {
        command.push_str("startpos");
    } else {
        command += &format!("fen {}", Fen::from_position(start, EnPassantMode::Legal));
    }
    if !moves.is_empty() {
        command += &format!(" moves {}", moves.join(" "));
    }
    command
}

/// The engine's name for people: its file's.
#[must_use]
pub fn name_of(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_game_is_told_by_its_moves() {
        let record = crate::game_record::GameRecord::read(&b"1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. O-O *"[..]);
        let record = record.expect("legal").positions().cloned().collect::<Vec<_>>();
        let moves = moves_between(&record);
        assert_eq!(
            position_command(&record[0], &moves),
            "position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1"
        );
        let fen = Fen::from_position(&record[1], EnPassantMode::Legal).to_string();
        assert_eq!(position_command(&record[1], &moves[1..2]), format!("position fen {fen} moves e7e5"));
    }

    #[test]
    fn what_is_no_engine_is_told() {
        let engine = |path: &str| ExternalEngine {
            path: path.into(),
            budget: Budget::Nodes(1),
            model: WinModel::LICHESS,
            threads: 0,
        };
        let game = LabelledGame::of_positions(vec![Chess::default()]);
        let gone =
            engine("/no/such/engine").label(&game, &|_, _| {}).expect_err("it is not there").to_string();
        assert!(gone.contains("cannot start the engine"), "{gone}");
        let mute = engine("/bin/true").label(&game, &|_, _| {}).expect_err("it says nothing").to_string();
        assert!(mute.contains("does not answer \"uci\""), "{mute}");
    }
}
