//! An installed UCI engine as the evaluator of a game's positions.
//!
//! The engine is told the moves of the game, so that it sees repetitions. Where it can say how many games in a thousand
//! it expects to win, draw and lose (`UCI_ShowWDL`), White's win probability is W + D / 2 of these; else its centipawns
//! go through a win model.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use plyscope_core::event_row::Verdict;
use plyscope_core::judge::label;
use plyscope_core::judge::score::{Score, ScoreKind};
use plyscope_core::judge::win_model::{WinModel, WinProbability};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position};

use crate::labeller::{Budget, LabelledGame, PlyLabel, PositionScore, game_ply};

/// An engine is given so long to say that it speaks UCI, and that it is ready.
const GREETING_PATIENCE: Duration = Duration::from_secs(10);
/// An engine is given so long beyond its time for any one position.
const SEARCH_PATIENCE: Duration = Duration::from_secs(600);

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

/// Why an engine gave no labels.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The program does not start.
    #[error("cannot start the engine {path:?}: {cause}; give the path of an installed UCI engine")]
    Start {
        /// The program.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// The program does not answer as an engine does.
    #[error("{path:?} does not answer {command:?}; give the path of a UCI engine")]
    NoAnswer {
        /// The program.
        path: PathBuf,
        /// What it was told.
        command: &'static str,
    },
    /// The engine ended, fell silent, or gave no score.
    #[error("the engine {path:?} gave no score for the position after ply {ply}; try it with another budget")]
    NoScore {
        /// The program.
        path: PathBuf,
        /// The ply after which the position stands.
        ply: usize,
    },
}

/// What an engine said of one position, as the side to move sees it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Said {
    score: Option<Score>,
    /// Wins, draws and losses in a thousand games.
    wdl: Option<[u32; 3]>,
    depth: u8,
    nodes: u64,
    line: Vec<String>,
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
        let mut process = EngineProcess::start(self)?;
        let moves = moves_between(game.positions());
        let count = game.positions().len();
        let mut labels: Vec<PlyLabel> = Vec::with_capacity(count);
        for (ply, position) in game.positions().iter().enumerate() {
            let (search, p) = match game.final_score(ply) {
                Some(score) => (PositionScore::of_finished(score), p_of_finished(score)),
                None => {
                    process.tell(&position_command(&game.positions()[0], &moves[..ply]));
                    let said = process.search(&self.go_command(count), ply)?;
                    self.judge(said, position, ply)?
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

    fn judge(
        &self,
        said: Said,
        position: &Chess,
        ply: usize,
    ) -> Result<(PositionScore, WinProbability), EngineError> {
        let turn = position.turn();
        let Some(own) = said.score else {
            return Err(EngineError::NoScore { path: self.path.clone(), ply });
        };
        let score = turn.fold_wb(own, -own);
        let p = match said.wdl {
            Some([win, draw, loss]) if win + draw + loss > 0 => {
                let share = (f64::from(win) + f64::from(draw) / 2.0) / f64::from(win + draw + loss);
                WinProbability::new(turn.fold_wb(share, 1.0 - share))
            }
            _ => self.model.probability(score, game_ply(position)),
        };
        Ok((PositionScore { score, depth: said.depth.max(1), nodes: said.nodes, line: said.line }, p))
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

/// The engine under way; it ends with this value.
struct EngineProcess {
    path: PathBuf,
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
}

impl EngineProcess {
    fn start(engine: &ExternalEngine) -> Result<Self, EngineError> {
        let path = engine.path.clone();
        let start = |cause| EngineError::Start { path: path.clone(), cause };
        let mut child = Command::new(&engine.path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(start)?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(start(std::io::ErrorKind::BrokenPipe.into()));
        };
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).split(b'\n').map_while(Result::ok) {
                if sender.send(String::from_utf8_lossy(&line).trim().to_owned()).is_err() {
                    break;
                }
            }
        });
        let mut process = Self { path, child, stdin, lines };
        process.tell("uci");
        let offered = process.wait_for("uciok", "uci")?;
        let offers =
            |name: &str| offered.iter().any(|line| line.starts_with(&format!("option name {name} ")));
        if offers("UCI_ShowWDL") {
            process.tell("setoption name UCI_ShowWDL value true");
        }
        if engine.threads > 0 && offers("Threads") {
            process.tell(&format!("setoption name Threads value {}", engine.threads));
        }
        process.tell("ucinewgame");
        process.tell("isready");
        process.wait_for("readyok", "isready")?;
        Ok(process)
    }

    /// Tells the engine a line. One that has ended is noticed by its silence.
    fn tell(&mut self, line: &str) {
        let _ = writeln!(self.stdin, "{line}").and_then(|()| self.stdin.flush());
    }

    fn wait_for(&mut self, word: &str, command: &'static str) -> Result<Vec<String>, EngineError> {
        let deadline = Instant::now() + GREETING_PATIENCE;
        let mut before = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) if line == word => return Ok(before),
                Ok(line) => before.push(line),
                Err(_) => return Err(EngineError::NoAnswer { path: self.path.clone(), command }),
            }
        }
    }

    fn search(&mut self, go: &str, ply: usize) -> Result<Said, EngineError> {
        self.tell(go);
        let mut said = Said::default();
        loop {
            match self.lines.recv_timeout(SEARCH_PATIENCE) {
                Ok(line) if line.starts_with("bestmove") => return Ok(said),
                Ok(line) => said.take(&line),
                Err(_) => return Err(EngineError::NoScore { path: self.path.clone(), ply }),
            }
        }
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        self.tell("quit");
        let deadline = Instant::now() + Duration::from_secs(1);
        while Instant::now() < deadline && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Said {
    /// Takes an `info` line that holds an exact score of the best line; others are passed over.
    fn take(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        if words.next() != Some("info") {
            return;
        }
        let mut new = Self { nodes: self.nodes, ..Self::default() };
        while let Some(word) = words.next() {
            let mut number = || words.next().and_then(|word| word.parse::<i64>().ok());
            match word {
                "string" => return,
                "lowerbound" | "upperbound" => new.score = None,
                "depth" => new.depth = number().and_then(|n| u8::try_from(n).ok()).unwrap_or(u8::MAX),
                "nodes" => new.nodes = number().and_then(|n| u64::try_from(n).ok()).unwrap_or(0),
                "multipv" if number() != Some(1) => return,
                "cp" => new.score = number().map(|cp| Score::centipawns(cp.clamp(-30_000, 30_000) as i32)),
                "mate" => new.score = number().map(mate),
                "wdl" => new.wdl = three(&mut number),
                "pv" => {
                    new.line = words.by_ref().map(str::to_owned).collect();
                }
                _ => {}
            }
        }
        if new.score.is_some() {
            *self = new;
        }
    }
}

/// A mate in so many moves, negative where the side to move is mated.
fn mate(moves: i64) -> Score {
    let plies = |moves: i64| u16::try_from(moves.unsigned_abs().saturating_mul(2)).unwrap_or(u16::MAX);
    if moves > 0 { Score::mate_in(plies(moves) - 1) } else { Score::mated_in(plies(moves)) }
}

fn three(number: &mut impl FnMut() -> Option<i64>) -> Option<[u32; 3]> {
    let mut next = || number().and_then(|n| u32::try_from(n).ok());
    Some([next()?, next()?, next()?])
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
fn moves_between(positions: &[Chess]) -> Vec<String> {
    let between = |before: &Chess, after: &Chess| {
        let leads = |mv: &Move| before.clone().play(*mv).is_ok_and(|reached| reached == *after);
        before.legal_moves().into_iter().find(leads)
    };
    let uci = |mv: Move| mv.to_uci(CastlingMode::Standard).to_string();
    positions.windows(2).map_while(|pair| between(&pair[0], &pair[1]).map(uci)).collect()
}

fn position_command(start: &Chess, moves: &[String]) -> String {
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

    fn said(lines: &[&str]) -> Said {
        let mut said = Said::default();
        lines.iter().for_each(|line| said.take(line));
        said
    }

    #[test]
    fn the_last_exact_score_of_the_best_line_counts() {
        let found = said(&[
            "info string NNUE evaluation",
            "info depth 9 seldepth 12 multipv 1 score cp 31 wdl 60 900 40 nodes 1000 nps 5 pv e2e4 e7e5",
            "info depth 10 multipv 2 score cp 500 nodes 1100 pv d2d4",
            "info depth 10 score cp 90 lowerbound nodes 1200 pv e2e4",
            "info depth 10 currmove e2e4 currmovenumber 1",
        ]);
        let expected = Said {
            score: Some(Score::centipawns(31)),
            wdl: Some([60, 900, 40]),
            depth: 9,
            nodes: 1000,
            line: vec!["e2e4".into(), "e7e5".into()],
        };
        assert_eq!(found, expected);
        assert_eq!(said(&["info depth 1 score mate 2"]).score, Some(Score::mate_in(3)));
        assert_eq!(said(&["info depth 1 score mate -2"]).score, Some(Score::mated_in(4)));
        assert_eq!(said(&["info depth 1 score mate 0"]).score, Some(Score::mated_in(0)));
        assert_eq!(said(&["info score cp", "info depth x score cp 1x"]).score, None);
    }

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
