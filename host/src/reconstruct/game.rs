//! The game as it has been read, and its labels.

use std::sync::Mutex;

use plyscope_core::event_row::{EventRow, RowWriter, Verdicts};
use plyscope_core::media_time::MediaTime;
use plyscope_core::track::{TimedPly, Tracker};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};

use super::checkpoint::{Keeper, KeptBack, KeptGame, KeptPly};
use super::rivals::Rivals;
use super::{Answers, Progress, ReconstructError, Unexplained};
use crate::external_engine::ExternalEngine;
use crate::labeller::{LabelledGame, Labeller, PlyLabel, PositionScore, Progress as LabelProgress};
use crate::output_file::OutputError;

/// Plies read from a video, with their times and the positions between them.
#[derive(Clone, Debug)]
pub struct ReadGame {
    plies: Vec<TimedPly>,
    positions: Vec<Chess>,
    /// How clearly each ply's square showed its piece, where that is known.
    clearness_percent: Vec<Option<u8>>,
    taken_back: Vec<TakenBack>,
    /// Plies before this number are in doubt.
    doubt_until: usize,
}

/// Plies that follow plies in doubt and are in doubt with them: had one ply more or less been played, the next ones
/// would hardly fit.
const DOUBT_PLIES: usize = 6;

/// Plies that were played and taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenBack {
    /// The number of plies before them that stand.
    pub after_ply: usize,
    /// The plies.
    pub plies: Vec<TimedPly>,
    /// Since when the board has shown the position before them again.
    pub time: MediaTime,
}

impl Default for ReadGame {
    fn default() -> Self {
        Self::from_start(Chess::default())
    }
}

impl ReadGame {
    /// A game from `start` in which nothing has been played.
    #[must_use]
    pub fn from_start(start: Chess) -> Self {
        Self {
            plies: Vec::new(),
            positions: vec![start],
            clearness_percent: Vec::new(),
            taken_back: Vec::new(),
            doubt_until: 0,
        }
    }

    /// The position before the first ply.
    #[must_use]
    pub fn start(&self) -> Chess {
        self.positions.first().cloned().unwrap_or_default()
    }

    /// Before the first ply, takes over the start that `rivals` agree on; says whether it is another one: now it is known
    /// whose turn it was.
    pub(super) fn learn_start(&mut self, rivals: &Rivals) -> bool {
        let is_news = self.plies.is_empty() && *rivals.start_position() != self.start();
        if is_news {
            *self = Self::from_start(rivals.start_position().clone());
        }
        is_news
    }

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

    /// Plies that were taken back, in the order in which they were.
    #[must_use]
    pub fn taken_back(&self) -> &[TakenBack] {
        &self.taken_back
    }

    /// Appends a ply; one that the rules forbid is left out, and the tracker makes none.
    ///
    /// A ply that had been taken back and is there again was only looked behind: it has its old time.
    pub(super) fn push(&mut self, mut ply: TimedPly) {
        let Ok(next) = self.position().play(ply.mv) else { return };
        let count = self.plies.len();
        if let Some(back) = self.taken_back.last_mut()
            && back.after_ply == count
            && back.plies.first().is_some_and(|before| before.mv == ply.mv)
        {
            ply = back.plies.remove(0);
            back.after_ply += 1;
            if back.plies.is_empty() {
                self.taken_back.pop();
            }
        }
        if count < self.doubt_until {
            // One that is in doubt for itself may make up for those before: doubt ends where it has not arisen again for long.
            if ply.is_ambiguous {
                self.doubt_until = count + 1 + DOUBT_PLIES;
            }
            ply.is_ambiguous = true;
        }
        self.plies.push(ply);
        self.positions.push(next);
        self.clearness_percent.push(None);
    }

    /// Appends a ply that `tracker` has settled, and how clearly its square shows the piece; `hidden` is the last stretch
    /// in which nothing explained the board.
    pub(super) fn take_down(&mut self, ply: TimedPly, tracker: &Tracker, hidden: Option<&Unexplained>) {
        match hidden {
            Some(stretch) if stretch.until >= ply.time => self.push_unseen(ply),
            _ => self.push(ply),
        }
        self.note_clearness(tracker.clearness_percent(ply.mv));
    }

    fn note_clearness(&mut self, percent: Option<u8>) {
        if let Some(last) = self.clearness_percent.last_mut() {
            *last = percent;
        }
    }

    /// How sure ply `index` (from 0) is, 0 to 1: how clearly its square showed its piece, and half of that where other
    /// plies would explain the pictures too. `None` where the piece was not seen there for itself.
    #[must_use]
    pub fn confidence(&self, index: usize) -> Option<f64> {
        let clearness = f64::from(self.clearness_percent.get(index).copied().flatten()?) / 100.0;
        Some(if self.plies.get(index)?.is_ambiguous { clearness / 2.0 } else { clearness })
    }

    /// Appends a ply that was played while something hid the board.
    pub(super) fn push_unseen(&mut self, ply: TimedPly) {
        self.push(ply);
        if ply.is_ambiguous {
            self.doubt_until = self.plies.len() + DOUBT_PLIES;
        }
    }

    /// Takes back all plies after the first `kept`; the board has shown so since `time`.
    pub(super) fn take_back_to(&mut self, kept: usize, time: MediaTime) {
        if kept >= self.plies.len() {
            return;
        }
        let last = self.plies.len();
        let mut plies = self.plies.split_off(kept);
        self.positions.truncate(kept + 1);
        self.clearness_percent.truncate(kept);
        // Back ply by ply is back all the way; what else had been taken back after these goes with them.
        if let Some(before) = self.taken_back.pop_if(|back| back.after_ply == last) {
            plies.extend(before.plies);
        }
        self.taken_back.retain(|back| back.after_ply <= kept);
        self.taken_back.push(TakenBack { after_ply: kept, plies, time });
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
    pub(super) fn kept(&self) -> KeptGame {
        let keep = |plies: &[TimedPly], clearness: &[Option<u8>]| {
            let clearness = clearness.iter().copied().chain(std::iter::repeat(None));
            let kept = plies.iter().zip(clearness).map(|(ply, clearness_percent)| KeptPly {
                clearness_percent,
                uci: UciMove::from_move(ply.mv, CastlingMode::Standard).to_string(),
                time: ply.time,
                is_ambiguous: ply.is_ambiguous,
            });
            kept.collect()
        };
        let taken_back = self.taken_back.iter().map(|back| KeptBack {
            after_ply: back.after_ply,
            plies: keep(&back.plies, &[]),
            time: back.time,
        });
        KeptGame {
            start: Fen::from_position(&self.start(), EnPassantMode::Legal).to_string(),
            plies: keep(&self.plies, &self.clearness_percent),
            taken_back: taken_back.collect(),
            doubt_until: self.doubt_until,
        }
    }

    /// The game that a checkpoint kept; `None` where it is no game.
    pub(super) fn from_kept(kept: &KeptGame) -> Option<Self> {
        let start: Chess = kept.start.parse::<Fen>().ok()?.into_position(CastlingMode::Standard).ok()?;
        let mut game = Self::from_start(start.clone());
        game.play_kept(&kept.plies)?;
        game.doubt_until = kept.doubt_until;
        for back in &kept.taken_back {
            let mut before = Self::from_start(start.clone());
            before.play_kept(kept.plies.get(..back.after_ply)?)?;
            before.play_kept(&back.plies)?;
            let plies = before.plies.split_off(back.after_ply);
            game.taken_back.push(TakenBack { after_ply: back.after_ply, plies, time: back.time });
        }
        Some(game)
    }

    fn play_kept(&mut self, kept: &[KeptPly]) -> Option<()> {
        for ply in kept {
            let mv = ply.uci.parse::<UciMove>().ok()?.to_move(&self.position()).ok()?;
            self.push(TimedPly { mv, time: ply.time, is_ambiguous: ply.is_ambiguous });
            self.note_clearness(ply.clearness_percent);
        }
        Some(())
    }
}

/// Searches a whole game, counted from 0, and keeps its answer up to date: each stretch of the game gets its final labels
/// when it has been searched.
pub(super) fn label(
    labeller: &Labeller,
    (index, game): (usize, &ReadGame),
    answers: &mut Answers,
    keeper: &Keeper<'_>,
    progress: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<Vec<PlyLabel>, ReconstructError> {
    let whole = LabelledGame::of_positions(game.positions().to_vec());
    let (known, scores) =
        keeper.of_game(index).map(|kept| (kept.chunks, kept.provisional)).unwrap_or_default();
    struct Shared<'a, 'k> {
        answers: &'a mut Answers,
        keeper: &'a Keeper<'k>,
        scores: Vec<PositionScore>,
        fault: Option<OutputError>,
    }
    let shared = Mutex::new(Shared { answers, keeper, scores, fault: None });
    let labels = labeller.label(&whole, &known, &|step| {
        if let LabelProgress::Chunk(chunk) = step {
            let mut shared = shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let shared = &mut *shared;
            for (slot, score) in shared.scores.iter_mut().skip(chunk.first).zip(&chunk.scores) {
                slot.clone_from(score);
            }
            let kept = shared.keeper.keep_chunk(index, chunk).and_then(|()| {
                if shared.scores.len() == whole.positions().len() {
                    let labels = labeller.decide(&whole, shared.scores.clone());
                    shared.answers.checkpoint(index + 1, &game.rows(&labels))
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
