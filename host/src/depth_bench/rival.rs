//! Another engine, searched over the same games in the same way, for comparison.

use std::{
    io::{self, BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Instant,
};

use plyscope_core::judge::{score::Score, win_model::WinModel};
use shakmaty::{EnPassantMode, Position, fen::Fen};

use super::{BenchGame, Limit, Measured, Subject};
use crate::labeller::PositionScore;

const HASH_MIB: u32 = 64;

/// From the centipawns that Stockfish 15.1 prints to the shares that it prints beside them, found from its printed numbers by
/// least squares (`plyscope-trainer` does so before every training; `core/nets/large.card.json`).
const STOCKFISH_15_1: WinModel = WinModel::WinDrawLoss {
    a: [94.928, 4.2276, 0.743_73, -0.161_58],
    b: [20.391, -5.7375, 4.426_86, -0.736_89],
};

/// Talking to the engine failed.
#[derive(Debug, thiserror::Error)]
#[error("the engine {path:?} {what}")]
pub struct RivalError {
    path: PathBuf,
    what: String,
}

/// A running UCI engine.
#[derive(Debug)]
pub struct Rival {
    path: PathBuf,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Rival {
    /// Starts the engine with one thread.
    ///
    /// # Errors
    /// [`RivalError`] where it can't be started or doesn't speak UCI.
    pub fn start(path: &Path) -> Result<Rival, RivalError> {
        let error = |what: String| RivalError { path: path.to_owned(), what };
        let mut child = Command::new(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|cause| error(format!("cannot be started: {cause}")))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(error("has no standard input or output".into()));
        };
        let mut rival = Rival { path: path.to_owned(), child, input, output: BufReader::new(output) };
        rival.send("uci")?;
        rival.until("uciok", |_| {})?;
        rival.send(&format!("setoption name Hash value {HASH_MIB}\nsetoption name Threads value 1"))?;
        Ok(rival)
    }

    /// What is measured of it: its own win models, taken to be Stockfish 15.1's.
    pub fn subject(&self) -> Subject {
        let name = self.path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        Subject { name, sf: STOCKFISH_15_1, lichess: WinModel::LICHESS }
    }

    /// Searches one game from its last position back, its hash empty at first and then kept.
    ///
    /// # Errors
    /// [`RivalError`] where the engine ends or gives no score.
    pub fn measure(&mut self, game: &BenchGame, nodes: u64) -> Result<Measured, RivalError> {
        self.send("ucinewgame\nisready")?;
        self.until("readyok", |_| {})?;
        let positions = game.game.positions();
        let start = Fen::from_position(&positions[0], EnPassantMode::Legal);
        let started = Instant::now();
        let mut scores = Vec::with_capacity(positions.len());
        for (index, position) in positions.iter().enumerate().rev() {
            if let Some(score) = game.game.final_score(index) {
                scores.push(PositionScore::of_finished(score));
                continue;
            }
            let moves = game.moves[..index].join(" ");
            self.send(&format!("position fen {start} moves {moves}\ngo nodes {nodes}"))?;
            let mut last = None;
            self.until("bestmove", |line| last = exact_score(line).or(last.take()))?;
            let Some(Said { score, depth, nodes }) = last else {
                return Err(self.error("gave no exact score"));
            };
            let score = position.turn().fold_wb(score, -score);
            scores.push(PositionScore { score, depth, nodes, line: Vec::new() });
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

    fn error(&self, what: &str) -> RivalError {
        RivalError { path: self.path.clone(), what: what.into() }
    }

    fn send(&mut self, text: &str) -> Result<(), RivalError> {
        let written = writeln!(self.input, "{text}").and_then(|()| self.input.flush());
        written.map_err(|_| self.error("does not listen"))
    }

    /// Shows the engine's lines to `see` up to the one that begins with `word`.
    fn until(&mut self, word: &str, mut see: impl FnMut(&str)) -> Result<(), RivalError> {
        let mut line = String::new();
        loop {
            line.clear();
            match self.output.read_line(&mut line) {
                Ok(0) => return Err(self.error("ended by itself")),
                Err(cause) if cause.kind() != io::ErrorKind::Interrupted => {
                    return Err(self.error(&format!("cannot be read: {cause}")));
                }
                _ if line.split_whitespace().next() == Some(word) => return Ok(()),
                _ => see(&line),
            }
        }
    }
}

impl Drop for Rival {
    fn drop(&mut self) {
        // An engine that is gone already needs no telling.
        let _ = self.send("quit");
        let _ = self.child.wait();
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Said {
    score: Score,
    depth: u8,
    nodes: u64,
}

/// The score in an `info` line, unless it is a bound.
fn exact_score(line: &str) -> Option<Said> {
    let mut words = line.split_whitespace();
    let (mut score, mut depth, mut nodes) = (None, 0, 0);
    while let Some(word) = words.next() {
        match word {
            "string" | "lowerbound" | "upperbound" => return None,
            "depth" => depth = words.next()?.parse().ok()?,
            "nodes" => nodes = words.next()?.parse().ok()?,
            "score" => {
                let kind = words.next()?;
                let value: i32 = words.next()?.parse().ok()?;
                score = Some(match kind {
                    "cp" => Score::centipawns(value),
                    "mate" if value > 0 => Score::mate_in((2 * value - 1).min(200) as u16),
                    "mate" => Score::mated_in((-2 * value).min(200) as u16),
                    _ => return None,
                });
            }
            "pv" => break,
            _ => {}
        }
    }
    Some(Said { score: score?, depth, nodes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_taken_only_where_it_is_exact() {
        let said =
            exact_score("info depth 12 seldepth 14 multipv 1 score cp -31 nodes 20011 nps 900000 pv e7e5");
        assert_eq!(said, Some(Said { score: Score::centipawns(-31), depth: 12, nodes: 20_011 }));
        let mate = exact_score("info depth 5 score mate -2 nodes 9 pv a1a2").map(|said| said.score);
        assert_eq!(mate, Some(Score::mated_in(4)));
        assert_eq!(exact_score("info depth 9 score cp 10 lowerbound nodes 7 pv e7e5"), None);
        assert_eq!(exact_score("info string depth 9 score cp 10"), None);
    }

    #[test]
    fn an_engine_that_is_not_there_is_named() {
        let error = Rival::start(Path::new("/nowhere/engine")).unwrap_err().to_string();
        assert!(error.contains("/nowhere/engine"), "{error}");
    }
}
