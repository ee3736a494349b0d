//! Talking to an installed UCI engine: starting it, telling it lines, taking what it says of a position.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use plyscope_core::judge::score::Score;
use shakmaty::Color;

use crate::labeller::PositionScore;

/// An engine is given so long to say that it speaks UCI, and that it is ready.
const GREETING_PATIENCE: Duration = Duration::from_secs(10);
/// An engine is given so long beyond its time for any one position.
const SEARCH_PATIENCE: Duration = Duration::from_secs(600);

/// Why an engine gave no scores.
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

/// What an engine said last and for certain of one position, as the side to move sees it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Said {
    score: Option<Score>,
    /// Wins, draws and losses in a thousand games.
    wdl: Option<[u32; 3]>,
    depth: u8,
    nodes: u64,
    line: Vec<String>,
}

/// The engine under way; it ends with this value.
#[derive(Debug)]
pub(crate) struct EngineProcess {
    path: PathBuf,
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
}

impl EngineProcess {
    /// Starts the program and sets those of the options that it offers. It begins with a new game.
    ///
    /// # Errors
    /// [`EngineError`] where the program does not start or does not answer as an engine does.
    pub(crate) fn start(path: &Path, options: &[(&str, String)]) -> Result<Self, EngineError> {
        let start = |cause| EngineError::Start { path: path.to_owned(), cause };
        let mut child = Command::new(path)
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
        let mut process = Self { path: path.to_owned(), child, stdin, lines };
        process.tell("uci");
        let offered = process.wait_for("uciok", "uci")?;
        let offers =
            |name: &str| offered.iter().any(|line| line.starts_with(&format!("option name {name} ")));
        for (name, value) in options.iter().filter(|(name, _)| offers(name)) {
            process.tell(&format!("setoption name {name} value {value}"));
        }
        process.begin_game()?;
        Ok(process)
    }

    /// Has the engine forget the game before.
    pub(crate) fn begin_game(&mut self) -> Result<(), EngineError> {
        self.tell("ucinewgame");
        self.tell("isready");
        self.wait_for("readyok", "isready").map(drop)
    }

    /// Tells the engine a line. One that has ended is noticed by its silence.
    pub(crate) fn tell(&mut self, line: &str) {
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

    /// Has the engine search the position that it was told, which stands after `ply` with `turn` to move. Gives also the wins,
    /// draws and losses in a thousand games that the side to move may expect, where the engine says so.
    ///
    /// # Errors
    /// [`EngineError`] where the engine ends, falls silent or gives no exact score.
    pub(crate) fn search(
        &mut self,
        go: &str,
        ply: usize,
        turn: Color,
    ) -> Result<(PositionScore, Option<[u32; 3]>), EngineError> {
        self.tell(go);
        let mut said = Said::default();
        loop {
            match self.lines.recv_timeout(SEARCH_PATIENCE) {
                Ok(line) if line.starts_with("bestmove") => break,
                Ok(line) => said.take(&line),
                Err(_) => return Err(EngineError::NoScore { path: self.path.clone(), ply }),
            }
        }
        let Said { score, wdl, depth, nodes, line } = said;
        let score = score.ok_or_else(|| EngineError::NoScore { path: self.path.clone(), ply })?;
        Ok((PositionScore { score: turn.fold_wb(score, -score), depth: depth.max(1), nodes, line }, wdl))
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
}
