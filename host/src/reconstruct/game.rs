//! The game as it has been read, and its labels.

use std::sync::Mutex;

use plyscope_core::event_row::{EventRow, RowWriter, Verdicts};
use plyscope_core::track::TimedPly;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position};

use super::checkpoint::{Keeper, KeptPly};
use super::{Progress, ReconstructError};
use crate::answer_file::AnswerFile;
use crate::external_engine::ExternalEngine;
use crate::labeller::{LabelledGame, Labeller, PlyLabel, PositionScore, Progress as LabelProgress};
use crate::output_file::OutputError;

/// Plies read from a video, with their times and the positions between them.
#[derive(Clone, Debug)]
pub struct ReadGame {
    plies: Vec<TimedPly>,
    positions: Vec<Chess>,
}

impl Default for ReadGame {
    fn default() -> Self {
        Self { plies: Vec::new(), positions: vec![Chess::default()] }
    }
}

impl ReadGame {
    /// The plies in order.
    #[must_use]
    pub fn plies(&self) -> &[TimedPly] {
        &self.plies
    }

    /// The positions: the start, then one after each ply.
    #[must_use]
    pub fn positions(&self) -> &[Chess] {
        &self.positions
    }

    /// The position after the last ply.
    #[must_use]
    pub fn position(&self) -> Chess {
        self.positions.last().cloned().unwrap_or_default()
    }

    /// Appends a ply; one that the rules forbid is left out, and the tracker makes none.
    pub(super) fn push(&mut self, ply: TimedPly) {
        if let Ok(next) = self.position().play(ply.mv) {
            self.plies.push(ply);
            self.positions.push(next);
        }
    }

    /// The rows of the answer. `labels` holds the start position's label and one for each ply; plies beyond its end are
    /// called equal.
    #[must_use]
    pub fn rows(&self, labels: &[PlyLabel]) -> Vec<EventRow> {
        let mut writer = RowWriter::default();
        let mut rows = Vec::with_capacity(self.plies.len() * 2);
        for (index, (ply, before)) in self.plies.iter().zip(&self.positions).enumerate() {
            let verdicts = labels
                .get(index + 1)
                .map_or(Verdicts::EQUAL, |l| Verdicts { leader_after: l.leader_after, wr_swing: l.wr_swing });
            let (row, capture) = writer.rows(before.turn(), ply.mv, ply.time, verdicts);
            rows.push(row);
            rows.extend(capture);
        }
        rows
    }

    /// The plies as a checkpoint keeps them.
    pub(super) fn kept(&self) -> Vec<KeptPly> {
        self.plies
            .iter()
            .map(|ply| KeptPly {
                uci: UciMove::from_move(ply.mv, CastlingMode::Standard).to_string(),
                time: ply.time,
                is_ambiguous: ply.is_ambiguous,
            })
            .collect()
    }

    /// The game that a checkpoint kept; `None` where it is no game.
    pub(super) fn from_kept(kept: &[KeptPly]) -> Option<Self> {
        let mut game = Self::default();
        for ply in kept {
            let mv = ply.uci.parse::<UciMove>().ok()?.to_move(&game.position()).ok()?;
            game.push(TimedPly { mv, time: ply.time, is_ambiguous: ply.is_ambiguous });
        }
        Some(game)
    }
}

/// Searches the whole game and keeps the answer up to date: each stretch of the game gets its final labels when it has
/// been searched.
pub(super) fn label(
    labeller: &Labeller,
    game: &ReadGame,
    answer: &mut AnswerFile,
    keeper: &Keeper<'_>,
    progress: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<Vec<PlyLabel>, ReconstructError> {
    let whole = LabelledGame::of_positions(game.positions().to_vec());
    let known = keeper.chunks();
    struct Shared<'a, 'k> {
        answer: &'a mut AnswerFile,
        keeper: &'a Keeper<'k>,
        scores: Vec<PositionScore>,
        fault: Option<OutputError>,
    }
    let scores = keeper.provisional_scores();
    let shared = Mutex::new(Shared { answer, keeper, scores, fault: None });
    let labels = labeller.label(&whole, &known, &|step| {
        if let LabelProgress::Chunk(chunk) = step {
            let mut shared = shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let shared = &mut *shared;
            for (slot, score) in shared.scores.iter_mut().skip(chunk.first).zip(&chunk.scores) {
                slot.clone_from(score);
            }
            let kept = shared.keeper.keep_chunk(chunk).and_then(|()| {
                if shared.scores.len() == whole.positions().len() {
                    shared.answer.checkpoint(&game.rows(&labeller.decide(&whole, shared.scores.clone())))
                } else {
                    Ok(())
                }
            });
            if let Err(fault) = kept {
                shared.fault.get_or_insert(fault);
            }
        }
        progress(Progress::Labelling(step));
    });
    match shared.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).fault {
        Some(fault) => Err(fault.into()),
        None => Ok(labels),
    }
}

/// Has an installed engine search the whole game.
pub(super) fn label_by(
    engine: &ExternalEngine,
    game: &ReadGame,
    progress: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<Vec<PlyLabel>, ReconstructError> {
    let whole = LabelledGame::of_positions(game.positions().to_vec());
    let tell = |done, of| progress(Progress::Labelling(LabelProgress::Positions { done, of }));
    Ok(engine.label(&whole, &tell)?)
}
