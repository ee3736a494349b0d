//! Games such as people play them: two sides of uneven strength that blunder now and then.
//!
//! A side's moves come from the teacher's full search, from what the teacher preferred at a shallow depth, from
//! a choice among its best lines, or by chance. Every position on the way is labelled by the teacher's search that
//! the game needs anyway; some positions one random move off the path are labelled too, because a search
//! meets refuted blunders all the time.

use std::collections::HashMap;

use anyhow::{Context, Result};
use rand::{Rng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use shakmaty::{Chess, Color, EnPassantMode, KnownOutcome, Move, Outcome, Position, zobrist::Zobrist64};

use crate::{
    record::{MATE_SCORE, Record},
    teacher::{LINES_MAX, Line, Teacher, Verdict},
};

/// Games still undecided after this many plies are drawn.
const PLIES_MAX: u32 = 400;
/// Centipawns of loss that make an opening move e times rarer.
const OPENING_SPREAD_CP: f64 = 25.0;
/// Positions before this ply repeat from game to game and are not kept.
const FIRST_PLY_KEPT: u32 = 5;
/// Share of positions beside which one off the path is labelled.
const ASIDE_SHARE: f64 = 0.12;
/// Share of games that end by resignation or agreement once the teacher is sure.
const ADJUDICATED_SHARE: f64 = 0.85;
/// Centipawns at which one side has as good as won, and for how many plies.
const DECIDED_CP: i16 = 650;
const DECIDED_PLIES: u32 = 5;
/// Centipawns ahead from which a side plays less carefully.
const CARELESS_CP: i16 = 130;
/// Centipawns within which a late game is a draw, for how many plies, from which ply on.
const DEAD_CP: i16 = 10;
const DEAD_PLIES: u32 = 20;
const DEAD_FROM_PLY: u32 = 70;

/// How a side picks its moves: shares of the ways, in order; the rest is chance.
#[derive(Clone, Copy, Debug)]
struct Temper {
    best: f64,
    shallow: f64,
    sampled: f64,
    /// Centipawns of loss that make a sampled move e times rarer.
    spread_cp: f64,
}

impl Temper {
    /// From a beginner (0) to a master (1).
    fn of_skill(skill: f64) -> Self {
        let between = |low: f64, high: f64| low + (high - low) * skill;
        Temper {
            best: between(0.30, 0.80),
            shallow: between(0.45, 0.13),
            sampled: between(0.17, 0.065),
            spread_cp: between(120.0, 25.0),
        }
    }

    /// Who is well ahead grows careless, so that the balance comes back often enough.
    fn when_at(self, score: i16) -> Self {
        if score < CARELESS_CP {
            self
        } else {
            Temper { best: self.best * 0.5, sampled: self.sampled * 2.5, ..self }
        }
    }
}

/// How the opening leaves the known paths.
enum Opening {
    /// This many plies by chance.
    Random(u32),
    /// This many plies among the teacher's best lines.
    Sampled(u32),
}

/// Plays one game and returns its labelled positions.
pub(crate) fn play(teacher: &mut Teacher, nodes: u64, rng: &mut ChaCha8Rng) -> Result<Vec<Record>> {
    let tempers = {
        let skill: f64 = rng.random();
        let other = (skill + rng.random_range(-0.25..0.25)).clamp(0.0, 1.0);
        [Temper::of_skill(skill), Temper::of_skill(other)]
    };
    let opening = match rng.random_range(0..4) {
        0 => Opening::Random(rng.random_range(2..=8)),
        1 => Opening::Random(rng.random_range(1..=3)),
        _ => Opening::Sampled(rng.random_range(4..=12)),
    };
    let adjudicated = rng.random_bool(ADJUDICATED_SHARE);

    let mut records = Vec::new();
    let mut pos = Chess::default();
    let mut seen: HashMap<Zobrist64, u8> = HashMap::new();
    let (mut decided_plies, mut dead_plies) = (0, 0);
    let mut ply = 0;
    let result = loop {
        if let Outcome::Known(outcome) = pos.outcome() {
            break result_code(outcome);
        }
        let times = seen.entry(pos.zobrist_hash(EnPassantMode::Legal)).or_insert(0);
        *times += 1;
        if *times >= 3 || pos.halfmoves() >= 100 || ply >= PLIES_MAX {
            break 1;
        }

        let random_opening = matches!(opening, Opening::Random(plies) if ply < plies);
        let chosen = if random_opening {
            random_move(&pos, rng)?
        } else {
            let verdict = teacher.search(&pos, nodes, 1)?;
            let line = verdict.lines[0];
            if ply >= FIRST_PLY_KEPT {
                records.push(Record::new(&pos, line.label, line.first, false));
                if rng.random_bool(ASIDE_SHARE) {
                    label_aside(teacher, &pos, nodes, rng, &mut records)?;
                }
            }
            let score = line.label.score;
            decided_plies = if score.abs() >= DECIDED_CP { decided_plies + 1 } else { 0 };
            dead_plies = if score.abs() <= DEAD_CP { dead_plies + 1 } else { 0 };
            if adjudicated && decided_plies >= DECIDED_PLIES {
                break if (score > 0) == pos.turn().is_white() { 2 } else { 0 };
            }
            if adjudicated && ply >= DEAD_FROM_PLY && dead_plies >= DEAD_PLIES {
                break 1;
            }
            let sampled_opening = matches!(opening, Opening::Sampled(plies) if ply < plies);
            let temper = tempers[usize::from(pos.turn().is_black())].when_at(score);
            choose(teacher, &pos, &verdict, nodes, temper, sampled_opening, rng)?
        };
        pos = pos.play(chosen).context("an illegal move in self-play")?;
        ply += 1;
    };
    for record in &mut records {
        record.result = result;
    }
    Ok(records)
}

fn result_code(outcome: KnownOutcome) -> u8 {
    match outcome.winner() {
        Some(Color::White) => 2,
        Some(Color::Black) => 0,
        None => 1,
    }
}

fn random_move(pos: &Chess, rng: &mut ChaCha8Rng) -> Result<Move> {
    pos.legal_moves().choose(rng).copied().context("no legal move")
}

/// Labels the position after a random move, unless the game ends there.
fn label_aside(
    teacher: &mut Teacher,
    pos: &Chess,
    nodes: u64,
    rng: &mut ChaCha8Rng,
    records: &mut Vec<Record>,
) -> Result<()> {
    let aside = pos.clone().play(random_move(pos, rng)?).context("an illegal move in self-play")?;
    if !aside.outcome().is_known() {
        let line = teacher.search(&aside, nodes, 1)?.lines[0];
        records.push(Record::new(&aside, line.label, line.first, true));
    }
    Ok(())
}

/// The move that a side of this temper plays.
fn choose(
    teacher: &mut Teacher,
    pos: &Chess,
    verdict: &Verdict,
    nodes: u64,
    temper: Temper,
    sampled_opening: bool,
    rng: &mut ChaCha8Rng,
) -> Result<Move> {
    let best = verdict.lines[0].first;
    if sampled_opening {
        let lines = teacher.search(pos, nodes, LINES_MAX)?.lines;
        return Ok(sample(&lines, OPENING_SPREAD_CP, rng));
    }
    let way: f64 = rng.random();
    if way < temper.best {
        return Ok(best);
    }
    if way < temper.best + temper.shallow {
        let depths = verdict.by_depth.len().min(4);
        return Ok(verdict.by_depth[rng.random_range(0..depths)]);
    }
    if way < temper.best + temper.shallow + temper.sampled {
        let lines = teacher.search(pos, nodes, 4)?.lines;
        return Ok(sample(&lines, temper.spread_cp, rng));
    }
    random_move(pos, rng)
}

/// Picks a line, the rarer the more it loses against the best.
fn sample(lines: &[Line], spread_cp: f64, rng: &mut ChaCha8Rng) -> Move {
    let top = f64::from(lines[0].label.score.min(MATE_SCORE));
    let weights: Vec<f64> =
        lines.iter().map(|l| ((f64::from(l.label.score) - top) / spread_cp).min(0.0).exp()).collect();
    let mut at = rng.random::<f64>() * weights.iter().sum::<f64>();
    for (line, weight) in lines.iter().zip(&weights) {
        at -= weight;
        if at <= 0.0 {
            return line.first;
        }
    }
    lines[0].first
}
