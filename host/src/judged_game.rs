//! A game with all that is known of it: when each ply was seen, how long it took, what it was worth.
//!
//! What people look at (PGN, report, summary) is made from this one value.

use std::time::Duration;

use plyscope_core::event_row::Verdict;
use plyscope_core::judge::score::ScoreKind;
use plyscope_core::media_time::MediaTime;
use plyscope_core::track::TimedPly;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{ByColor, Chess, Color, KnownOutcome, Move, Outcome, Position};

use crate::game_record::{GameRecord, RunningClock, TimeControl};
use crate::labeller::PlyLabel;
use crate::move_quality::MoveQuality;
use crate::pgn_export::{ExportEval, ExportPly};
use crate::reconstruct::{ReadGame, TakenBack};

/// A ply and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedPly {
    /// The move.
    pub mv: Move,
    /// The move as people write it.
    pub san: SanPlus,
    /// The position after it.
    pub after: Chess,
    /// When its piece stands on its new square in the video.
    pub shown_at: MediaTime,
    /// The time since the ply before; of the first ply since the start of the video.
    pub think: Duration,
    /// What the mover's clock shows after it, where the time control is known.
    pub clock: Option<Duration>,
    /// What the position after it is worth, where it was searched.
    pub label: Option<PlyLabel>,
    /// What others wrote about it.
    pub note: Option<String>,
    /// Whether other plies would explain the same pictures.
    pub is_ambiguous: bool,
    /// How sure the reader is of the ply, 0 to 1, where it tells.
    pub confidence: Option<f64>,
}

/// A game and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedGame {
    /// PGN tag pairs.
    pub tags: Vec<(String, String)>,
    /// The position before the first ply.
    pub start: Chess,
    /// What that position is worth, where it was searched.
    pub start_label: Option<PlyLabel>,
    /// The plies in order.
    pub plies: Vec<JudgedPly>,
    /// Plies that were played and taken back.
    pub taken_back: Vec<TakenBack>,
    /// How the game ended.
    pub outcome: Outcome,
}

/// A line that would have been better than the ply played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BetterLine {
    /// The moves, with the position after each; at least one.
    pub moves: Vec<(SanPlus, Chess, Move)>,
}

impl JudgedGame {
    /// The game that was read from a video. `labels` holds the start position's label and one for each ply, or nothing.
    /// Where `time_control` knows a clock, each ply gets what the clock shows after it: the video does not tell how
    /// long the first ply took, so that one costs nothing.
    #[must_use]
    pub fn of_video(read: &ReadGame, labels: &[PlyLabel], time_control: &TimeControl) -> Self {
        let mut clocks = ByColor::new_with(|_| RunningClock::start(time_control));
        let mut previous = MediaTime::ZERO;
        let mut plies = Vec::with_capacity(read.plies().len());
        for (index, (ply, before)) in read.plies().iter().zip(read.positions()).enumerate() {
            let think = duration_between(previous, ply.time);
            previous = ply.time;
            let press = |clock: &mut RunningClock<'_>| match index {
                0 => clock.press_first(),
                _ => clock.press(think),
            };
            let clock = clocks.get_mut(before.turn()).as_mut().map(press);
            let mut after = before.clone();
            let san = SanPlus::from_move_and_play_unchecked(&mut after, ply.mv);
            plies.push(JudgedPly {
                mv: ply.mv,
                san,
                after,
                shown_at: ply.time,
                think,
                clock,
                label: labels.get(index + 1).cloned(),
                note: None,
                is_ambiguous: ply.is_ambiguous,
                confidence: read.confidence(index),
            });
        }
        Self {
            tags: Vec::new(),
            start: read.start(),
            start_label: labels.first().cloned(),
            plies,
            taken_back: read.taken_back().to_vec(),
            outcome: outcome(&read.position()),
        }
    }

    /// The game of a PGN: its plies at their `[%vt]`, or else at the pace of its clocks. `labels` as in
    /// [`Self::of_video`].
    #[must_use]
    pub fn of_record(record: &GameRecord, labels: &[PlyLabel]) -> Self {
        let shown: Option<Vec<MediaTime>> =
            record.plies.iter().map(|ply| ply.video_time.map(moment)).collect();
        // Times that run backwards are no times of a video.
        let shown = shown.filter(|times| times.is_sorted()).unwrap_or_else(|| record.timeline());
        let mut previous = MediaTime::ZERO;
        let plies = record.plies.iter().zip(shown).enumerate().map(|(index, (ply, shown_at))| {
            let think = duration_between(previous, shown_at);
            previous = shown_at;
            JudgedPly {
                mv: ply.mv,
                san: ply.san,
                after: ply.after.clone(),
                shown_at,
                think,
                clock: ply.clock,
                label: labels.get(index + 1).cloned(),
                note: ply.note.clone(),
                is_ambiguous: false,
                confidence: None,
            }
        });
        Self {
            plies: plies.collect(),
            tags: record.tags.clone(),
            start: record.start.clone(),
            start_label: labels.first().cloned(),
            taken_back: Vec::new(),
            outcome: record.result,
        }
    }

    /// The value of the first tag of that name, where it says anything.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        let value = self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.trim());
        value.filter(|value| !value.chars().all(|c| matches!(c, '?' | '.' | '-' | ' ')))
    }

    /// The position before ply `index` (from 0).
    #[must_use]
    pub fn before(&self, index: usize) -> &Chess {
        index.checked_sub(1).and_then(|i| self.plies.get(i)).map_or(&self.start, |ply| &ply.after)
    }

    /// The side that makes ply `index`.
    #[must_use]
    pub fn mover(&self, index: usize) -> Color {
        self.before(index).turn()
    }

    /// The label of the position before ply `index`.
    #[must_use]
    pub fn label_before(&self, index: usize) -> Option<&PlyLabel> {
        match index.checked_sub(1) {
            None => self.start_label.as_ref(),
            Some(i) => self.plies.get(i)?.label.as_ref(),
        }
    }

    /// By how much ply `index` changed White's win probability.
    #[must_use]
    pub fn change(&self, index: usize) -> Option<f64> {
        let after = self.plies.get(index)?.label.as_ref()?;
        Some(after.p.get() - self.label_before(index)?.p.get())
    }

    /// What ply `index` is called, if it gave win probability away. A ply that the search would have played itself
    /// is never blamed: what it seems to lose is what the search sees better one ply later.
    #[must_use]
    pub fn quality(&self, index: usize) -> Option<MoveQuality> {
        let change = self.change(index)?;
        self.better(index)?;
        MoveQuality::of_loss(self.mover(index).fold_wb(-change, change))
    }

    /// The line that the search holds for better than ply `index`; `None` where it would have played that ply too.
    #[must_use]
    pub fn better(&self, index: usize) -> Option<BetterLine> {
        let played = self.plies.get(index)?.mv;
        let mut position = self.before(index).clone();
        let mut moves = Vec::new();
        for uci in &self.label_before(index)?.search.line {
            let Some(mv) = uci.parse::<UciMove>().ok().and_then(|uci| uci.to_move(&position).ok()) else {
                break;
            };
            if moves.is_empty() && mv == played {
                return None;
            }
            let san = SanPlus::from_move_and_play_unchecked(&mut position, mv);
            moves.push((san, position.clone(), mv));
        }
        (!moves.is_empty()).then_some(BetterLine { moves })
    }

    /// The plies that shifted the balance: those labelled so, and those that gave away as much.
    pub fn swings(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.plies.len()).filter(|&index| {
            let label = self.plies[index].label.as_ref();
            label.is_some_and(|label| label.wr_swing != Verdict::Equal) || self.quality(index).is_some()
        })
    }

    /// How many plies captured.
    #[must_use]
    pub fn captures(&self) -> usize {
        self.plies.iter().filter(|ply| ply.mv.is_capture()).count()
    }

    /// The number before a move: `12.` or `12...`.
    #[must_use]
    pub fn number(&self, index: usize) -> String {
        numbered(self.before(index))
    }

    /// The plies as a PGN takes them.
    #[must_use]
    pub fn export_plies(&self) -> Vec<ExportPly> {
        let export = |(index, ply): (usize, &JudgedPly)| ExportPly {
            mv: ply.mv,
            shown_at: ply.shown_at,
            clock: ply.clock,
            // There is nothing to evaluate where the game is over.
            eval: ply.label.as_ref().filter(|_| !ply.after.is_game_over()).map(eval),
            nag: self.quality(index).map(MoveQuality::nag),
            remark: self.remark(index),
            instead: self
                .taken_back_after(index)
                .map(|back| back.plies.iter().map(without_more).collect())
                .collect(),
        };
        let mut plies: Vec<ExportPly> = self.plies.iter().enumerate().map(export).collect();
        // What was taken back last, and nothing was played in its place, has no ply to stand beside.
        if let Some(last) = plies.last_mut() {
            for back in self.taken_back_after(self.plies.len()) {
                let remark = last.remark.take().map_or_else(String::new, |remark| remark + " ");
                last.remark = Some(format!("{remark}Taken back: {}.", self.spell(back)));
            }
        }
        plies
    }

    fn taken_back_after(&self, after_ply: usize) -> impl Iterator<Item = &TakenBack> {
        self.taken_back.iter().filter(move |back| back.after_ply == after_ply)
    }

    /// Plies that were taken back, as people write them.
    #[must_use]
    pub fn spell(&self, back: &TakenBack) -> String {
        let mut position = self.before(back.after_ply).clone();
        let mut words = Vec::new();
        for ply in &back.plies {
            if words.is_empty() || position.turn() == Color::White {
                words.push(numbered(&position));
            }
            words.push(SanPlus::from_move_and_play_unchecked(&mut position, ply.mv).to_string());
        }
        words.join(" ")
    }

    /// A sentence about a ply that gave something away.
    #[must_use]
    pub fn remark(&self, index: usize) -> Option<String> {
        let quality = self.quality(index)?;
        let after = self.plies.get(index)?.label.as_ref()?.p.get();
        let before = self.label_before(index)?.p.get();
        let (better, ..) = self.better(index)?.moves.into_iter().next()?;
        let word = quality.word();
        let (first, rest) = word.split_at(1);
        let (who, before, after) = match self.mover(index) {
            Color::White => ("White's", before, after),
            Color::Black => ("Black's", 1.0 - before, 1.0 - after),
        };
        let number = self.number(index);
        Some(format!(
            "{}{rest}: {who} win probability falls from {before:.2} to {after:.2}; better was {number} {better}.",
            first.to_uppercase()
        ))
    }
}

fn without_more(ply: &TimedPly) -> ExportPly {
    ExportPly::new(ply.mv, ply.time)
}

/// The number before a move in `position`: `12.` or `12...`.
#[must_use]
pub fn numbered(position: &Chess) -> String {
    let dots = if position.turn() == Color::White { "." } else { "..." };
    format!("{}{dots}", position.fullmoves())
}

fn eval(label: &PlyLabel) -> ExportEval {
    match label.score.kind() {
        ScoreKind::Centipawns(cp) => ExportEval::Centipawns(cp),
        ScoreKind::Mate { moves } => ExportEval::Mate(i32::from(moves)),
        ScoreKind::Mated { moves } => ExportEval::Mate(-i32::from(moves)),
    }
}

/// What the rules say of a game that ends in `position`; a video does not tell who resigned.
fn outcome(position: &Chess) -> Outcome {
    if position.is_checkmate() {
        Outcome::Known(KnownOutcome::Decisive { winner: position.turn().other() })
    } else if position.is_stalemate() || position.is_insufficient_material() {
        Outcome::Known(KnownOutcome::Draw)
    } else {
        Outcome::Unknown
    }
}

fn duration_between(from: MediaTime, until: MediaTime) -> Duration {
    Duration::from_micros(until.us_since(from).max(0).cast_unsigned())
}

fn moment(from_start: Duration) -> MediaTime {
    MediaTime::from_us(i64::try_from(from_start.as_micros()).unwrap_or(i64::MAX))
}
