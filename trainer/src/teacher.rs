//! A UCI engine as teacher: one child process, one thread of its own, a fixed number of nodes.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use anyhow::{Context, Result, bail, ensure};
use shakmaty::{Chess, EnPassantMode, Move, fen::Fen, uci::UciMove};

use crate::record::{Label, MATE_SCORE};

/// Lines the teacher may be asked for at once.
pub(crate) const LINES_MAX: usize = 6;

/// One of the teacher's lines: its first move and what it is worth to the side to move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub(crate) first: Move,
    pub(crate) label: Label,
}

/// What a search said.
#[derive(Clone, Debug, Default)]
pub(crate) struct Verdict {
    /// The last exact lines, best first.
    pub(crate) lines: Vec<Line>,
    /// First move of the best line after each finished depth, shallowest first.
    pub(crate) by_depth: Vec<Move>,
}

/// A running teacher.
pub(crate) struct Teacher {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    line: String,
    lines_asked: usize,
}

impl Teacher {
    /// Starts the engine at `path` with one thread and `hash_mb` of hash.
    pub(crate) fn start(path: &Path, hash_mb: u32) -> Result<Self> {
        let mut child = Command::new(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("failed to start the teacher {}", path.display()))?;
        let to = child.stdin.take().context("the teacher has no standard input")?;
        let from = BufReader::new(child.stdout.take().context("the teacher has no standard output")?);
        let mut teacher = Teacher { child, to, from, line: String::new(), lines_asked: 1 };
        teacher.send("uci")?;
        teacher.wait_for("uciok")?;
        teacher.send(&format!(
            "setoption name Threads value 1\nsetoption name Hash value {hash_mb}\nsetoption name UCI_ShowWDL value true"
        ))?;
        teacher.forget()?;
        Ok(teacher)
    }

    /// Empties the teacher's hash, so that what follows depends on nothing before.
    pub(crate) fn forget(&mut self) -> Result<()> {
        self.send("ucinewgame\nisready")?;
        self.wait_for("readyok")
    }

    /// Searches `pos`, which must have a legal move, for the `lines` best moves.
    pub(crate) fn search(&mut self, pos: &Chess, nodes: u64, lines: usize) -> Result<Verdict> {
        let lines = lines.clamp(1, LINES_MAX);
        if lines != self.lines_asked {
            self.send(&format!("setoption name MultiPV value {lines}"))?;
            self.lines_asked = lines;
        }
        let fen = Fen::from_position(pos, EnPassantMode::Legal);
        self.send(&format!("position fen {fen}\ngo nodes {nodes}"))?;
        let mut verdict = Verdict::default();
        loop {
            self.read_line()?;
            if self.line.starts_with("bestmove") {
                break;
            }
            if let Some((rank, line)) = parse_info(&self.line, pos)? {
                if rank == 1 {
                    verdict.by_depth.push(line.first);
                }
                if rank <= verdict.lines.len() {
                    verdict.lines[rank - 1] = line;
                } else if rank == verdict.lines.len() + 1 {
                    verdict.lines.push(line);
                }
            }
        }
        ensure!(!verdict.lines.is_empty(), "the teacher gave no exact score for {fen}");
        Ok(verdict)
    }

    fn send(&mut self, text: &str) -> Result<()> {
        self.to.write_all(text.as_bytes())?;
        self.to.write_all(b"\n")?;
        self.to.flush().context("the teacher does not listen")
    }

    fn read_line(&mut self) -> Result<()> {
        self.line.clear();
        let bytes = self.from.read_line(&mut self.line)?;
        ensure!(bytes > 0, "the teacher ended");
        Ok(())
    }

    fn wait_for(&mut self, word: &str) -> Result<()> {
        loop {
            self.read_line()?;
            if self.line.trim() == word {
                return Ok(());
            }
        }
    }
}

impl Drop for Teacher {
    fn drop(&mut self) {
        if self.send("quit").is_err() || self.child.wait().is_err() {
            eprintln!("the teacher did not end by itself");
        }
    }
}

/// Reads an `info` line; `None` when it holds no exact score with a line of moves.
fn parse_info(text: &str, pos: &Chess) -> Result<Option<(usize, Line)>> {
    let mut words = text.split_ascii_whitespace();
    if words.next() != Some("info") {
        return Ok(None);
    }
    let (mut rank, mut score, mut wdl, mut first) = (1usize, None, None, None);
    while let Some(word) = words.next() {
        match word {
            "string" => return Ok(None),
            "multipv" => rank = number(words.next())?,
            "score" => {
                let kind = words.next();
                let value: i32 = number(words.next())?;
                score = Some(match kind {
                    Some("cp") => value.clamp(-30_000, 30_000) as i16,
                    Some("mate") => {
                        let distance = value.unsigned_abs().min(999) as i16;
                        if value > 0 { MATE_SCORE - distance } else { distance - MATE_SCORE }
                    }
                    _ => bail!("cannot read the teacher's score in {text:?}"),
                });
            }
            "lowerbound" | "upperbound" => return Ok(None),
            "wdl" => {
                let win: u16 = number(words.next())?;
                let _draw: u16 = number(words.next())?;
                let loss: u16 = number(words.next())?;
                wdl = Some((win, loss));
            }
            "pv" => first = words.next(),
            _ => {}
        }
    }
    let (Some(score), Some((win_permille, loss_permille)), Some(first)) = (score, wdl, first) else {
        return Ok(None);
    };
    let uci: UciMove = first.parse().with_context(|| format!("no move: {first:?}"))?;
    let first = uci.to_move(pos).with_context(|| format!("the teacher plays the illegal {first}"))?;
    Ok(Some((rank, Line { first, label: Label { score, win_permille, loss_permille } })))
}

fn number<T: std::str::FromStr>(word: Option<&str>) -> Result<T> {
    word.and_then(|w| w.parse().ok()).context("cannot read a number in the teacher's answer")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_info_line_gives_score_shares_and_move() -> Result<()> {
        let pos = Chess::default();
        let text = "info depth 5 seldepth 6 multipv 2 score cp -37 wdl 2 944 54 nodes 60 pv e2e4 e7e5";
        let (rank, line) = parse_info(text, &pos)?.context("no line")?;
        assert_eq!(rank, 2);
        assert_eq!(line.label, Label { score: -37, win_permille: 2, loss_permille: 54 });
        assert_eq!(line.first.to(), shakmaty::Square::E4);
        Ok(())
    }

    #[test]
    fn bounds_and_strings_are_no_labels() -> Result<()> {
        let pos = Chess::default();
        let bound = "info depth 5 score cp 37 lowerbound wdl 54 944 2 nodes 60 pv e2e4";
        assert!(parse_info(bound, &pos)?.is_none());
        assert!(parse_info("info string NNUE evaluation enabled", &pos)?.is_none());
        Ok(())
    }

    #[test]
    fn mates_score_by_their_distance() -> Result<()> {
        let pos = Chess::default();
        let text = "info depth 5 score mate -3 wdl 0 0 1000 nodes 60 pv e2e4";
        let (_, line) = parse_info(text, &pos)?.context("no line")?;
        assert_eq!(line.label.score, 3 - MATE_SCORE);
        Ok(())
    }
}
