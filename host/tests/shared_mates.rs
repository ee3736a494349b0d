//! Every short mate of real games is found, at its right distance or (where the truth's search had missed it) a shorter one.

use std::{
    fs,
    path::{Path, PathBuf},
};

use plyscope::{
    engine::{Engine, table_memory},
    evaluation::{Evaluation, WithEvaluator},
};
use plyscope_core::judge::{
    evaluation::Evaluator,
    limits::{Limits, Observer},
    score::{Score, ScoreKind},
    search::Iteration,
    transposition_table::TranspositionTable,
};
use serde_json::Value;
use shakmaty::{CastlingMode, Chess, Position, fen::Fen};

/// The longest mates asked for, in moves.
const MOVES_MAX: u64 = 5;
/// Nodes within which each has to be found.
const NODES: u64 = 40_000_000;

fn games() -> PathBuf {
    let shared = std::env::var_os("PLYSCOPE_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    shared.join("games")
}

/// Positions, and in how many moves White (positive) or Black gives mate.
fn mates(folder: &Path) -> Vec<(String, i64)> {
    let mut mates = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return mates };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if !path.to_string_lossy().ends_with(".truth.json") {
            continue;
        }
        let truth: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        for ply in truth["plies"].as_array().unwrap() {
            match ply["cp"]["mate"].as_i64() {
                Some(moves) if (1..=MOVES_MAX).contains(&moves.unsigned_abs()) => {
                    mates.push((ply["fen"].as_str().unwrap().to_owned(), moves));
                }
                _ => {}
            }
        }
    }
    mates
}

/// Ends a search as soon as it sees a mate of at most so many moves.
struct Until(u16);

impl Observer for Until {
    fn completed(&mut self, iteration: &Iteration) -> bool {
        distance(iteration.score).is_some_and(|moves| moves.unsigned_abs() <= u64::from(self.0))
    }
}

/// Moves to mate, positive where the side to move gives it.
fn distance(score: Score) -> Option<i64> {
    match score.kind() {
        ScoreKind::Mate { moves } => Some(i64::from(moves)),
        ScoreKind::Mated { moves } => Some(-i64::from(moves)),
        ScoreKind::Centipawns(_) => None,
    }
}

struct Hunt<'a>(&'a [(String, i64)]);

impl WithEvaluator for Hunt<'_> {
    type Output = Vec<String>;

    /// What went wrong.
    fn run<E>(self, evaluator: &E) -> Vec<String>
    where
        E: Evaluator + Sync,
        E::State: Send,
    {
        let buckets = table_memory(16);
        let mut engine = Engine::new(evaluator);
        let mut wrong = Vec::new();
        for (fen, for_white) in self.0 {
            let position: Chess = fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
            let expected = position.turn().fold_wb(*for_white, -for_white);
            let table = TranspositionTable::new(&buckets);
            table.clear();
            engine.clear();
            let mut until = Until(expected.unsigned_abs() as u16);
            let found = engine.search(&table, &position, &[], Limits::nodes(NODES), &mut until);
            // The truth is a search's too: a shorter mate is a better answer, and no score of mate comes unproven.
            let is_right = distance(found.score).is_some_and(|moves| {
                moves.signum() == expected.signum() && moves.unsigned_abs() <= expected.unsigned_abs()
            });
            if !is_right {
                wrong.push(format!(
                    "{fen}: mate {expected}, found {:?} at depth {}",
                    found.score.kind(),
                    found.depth
                ));
            }
        }
        wrong
    }
}

#[test]
fn every_mate_in_one_to_five_of_the_shared_games_is_found_at_its_distance() {
    let mates = mates(&games());
    if mates.is_empty() {
        eprintln!("skipped: no games with truth in {}", games().display());
        return;
    }
    let wrong = Evaluation::default().lend(Hunt(&mates));
    eprintln!("{} mates, {} found wrong", mates.len(), wrong.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
}
