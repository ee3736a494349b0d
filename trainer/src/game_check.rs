//! Label accuracy of a search with a network on games with engine truth: a check, never a fit.
//!
//! The folder holds `NAME.truth.json` files with `meta.start`, and for each ply `uci`, `p_sf`, `terminal`,
//! `leader_after_sf` and `wr_swing_sf`. One table serves a game, from the last ply back.

use std::{fs, path::Path, time::Instant};

use anyhow::{Context, Result};
use plyscope_core::{
    event_row::Verdict,
    judge::{
        evaluation::Evaluator, label, limits::Limits, position_key::PositionKey, score::ScoreKind,
        search::Search, transposition_table::TranspositionTable, win_model::WinProbability,
    },
};
use serde_json::Value;
use shakmaty::{Chess, Color, KnownOutcome, Outcome, Position, uci::UciMove};

use crate::{own_search::with_search, win_rate::WinRate};

/// A game to check against.
pub(crate) struct TruthGame {
    /// The position before the first ply, then after each.
    positions: Vec<Chess>,
    /// White's expected score in each, by the truth.
    p: Vec<f64>,
}

impl TruthGame {
    /// Reads all games of a folder, in name order.
    ///
    /// # Errors
    ///
    /// When a file cannot be read or holds no such game.
    pub(crate) fn read_all(dir: &Path) -> Result<Vec<Self>> {
        let mut paths = Vec::new();
        for entry in fs::read_dir(dir).with_context(|| format!("failed to list {}", dir.display()))? {
            let path = entry?.path();
            if path.to_string_lossy().ends_with(".truth.json") {
                paths.push(path);
            }
        }
        paths.sort();
        paths
            .iter()
            .map(|p| Self::read(p).with_context(|| format!("failed to read {}", p.display())))
            .collect()
    }

    fn read(path: &Path) -> Result<Self> {
        let truth: Value = serde_json::from_slice(&fs::read(path)?)?;
        let p_of = |v: &Value| v["p_sf"].as_f64().context("no p_sf");
        let mut pos = Chess::default();
        let mut game = TruthGame { p: vec![p_of(&truth["meta"]["start"])?], positions: vec![pos.clone()] };
        for ply in truth["plies"].as_array().context("no plies")? {
            let uci: UciMove = ply["uci"].as_str().context("no uci")?.parse()?;
            pos = pos.clone().play(uci.to_move(&pos)?)?;
            game.positions.push(pos.clone());
            game.p.push(p_of(ply)?);
        }
        Ok(game)
    }
}

/// Right labels by class.
#[derive(Default)]
struct Tally {
    right: [u32; 3],
    all: [u32; 3],
}

impl Tally {
    fn add(&mut self, truth: Verdict, found: Verdict) {
        self.all[truth as usize] += 1;
        self.right[truth as usize] += u32::from(truth == found);
    }

    /// Share of all, mean share of the classes, in per cent.
    fn accuracy(&self) -> (f64, f64) {
        let share = |right: u32, all: u32| 100.0 * f64::from(right) / f64::from(all.max(1));
        let classes = self.all.iter().filter(|&&n| n > 0).count().max(1) as f64;
        let recalls: f64 = (0..3).map(|c| share(self.right[c], self.all[c])).sum();
        (share(self.right.iter().sum(), self.all.iter().sum()), recalls / classes)
    }
}

/// Labels every ply of `games` by a search of `nodes` and prints accuracy and time.
///
/// # Errors
///
/// When the search's memory is refused.
pub(crate) fn report<E: Evaluator>(
    evaluator: &E,
    games: &[TruthGame],
    nodes: u64,
    win_rate: &WinRate,
) -> Result<()> {
    with_search(evaluator, |search, table| label_games(search, table, games, nodes, win_rate))
}

fn label_games<E: Evaluator>(
    search: &mut Search<'_, E>,
    table: &TranspositionTable<'_>,
    games: &[TruthGame],
    nodes: u64,
    win_rate: &WinRate,
) -> Result<()> {
    let start = Instant::now();
    let (mut leader, mut swing, mut both) = (Tally::default(), Tally::default(), 0u32);
    let (mut searched, mut spent, mut error) = (0u64, 0u64, 0f64);
    for game in games {
        table.clear();
        search.clear();
        let keys: Vec<PositionKey> = game.positions.iter().map(PositionKey::of).collect();
        let mut p = vec![0.5; game.positions.len()];
        for i in (0..game.positions.len()).rev() {
            let pos = &game.positions[i];
            p[i] = match pos.outcome() {
                Outcome::Known(KnownOutcome::Decisive { winner }) => f64::from(u8::from(winner.is_white())),
                Outcome::Known(KnownOutcome::Draw) => 0.5,
                Outcome::Unknown => {
                    let found = search.run(pos, &keys[..i], Limits::nodes(nodes), &mut ());
                    searched += 1;
                    spent += found.nodes;
                    let own = match found.score.kind() {
                        ScoreKind::Mate { .. } => 1.0,
                        ScoreKind::Mated { .. } => 0.0,
                        ScoreKind::Centipawns(cp) => f64::from(win_rate.expected(cp as f32, i as u16).p),
                    };
                    if pos.turn() == Color::White { own } else { 1.0 - own }
                }
            };
            error += (p[i] - game.p[i]).abs();
        }
        for i in 1..p.len() {
            let labels = |p: &[f64]| {
                let (before, after) = (WinProbability::new(p[i - 1]), WinProbability::new(p[i]));
                (label::leader(after), label::swing(before, after))
            };
            let (truth, found) = (labels(&game.p), labels(&p));
            leader.add(truth.0, found.0);
            swing.add(truth.1, found.1);
            both += u32::from(truth == found);
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let ((leader, leader_macro), (swing, swing_macro)) = (leader.accuracy(), swing.accuracy());
    let plies: usize = games.iter().map(|g| g.p.len() - 1).sum();
    println!(
        "  games at {nodes} nodes: leader {leader:.1}/{leader_macro:.1} swing {swing:.1}/{swing_macro:.1} both {:.1} \
         error of p {:.4}; {:.1} ms a position, {:.0} knodes/s",
        100.0 * f64::from(both) / plies as f64,
        error / searched as f64,
        1000.0 * seconds / searched as f64,
        spent as f64 / seconds / 1000.0
    );
    Ok(())
}
