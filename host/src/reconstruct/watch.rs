//! Watches the video and takes down the plies.

use std::time::{Duration, Instant};

use plyscope_core::media_time::MediaTime;
use plyscope_core::track::{Tracker, TrackerState};
use plyscope_core::vision::{LumaView, differing_squares};
use serde::{Deserialize, Serialize};
use shakmaty::{Bitboard, Position};

use super::checkpoint::{Keeper, WatchState};
use super::game::ReadGame;
use super::rejoin::Rejoiner;
use super::{Progress, ReconstructError, Reconstruction};
use crate::answer_file::AnswerFile;
use crate::exit_code::{Coded, ExitCode};
use crate::labeller::{PlyLabel, PositionScore, Provisional};
use crate::video::{Located, VideoError, VideoInput, locate_board};

/// A stretch of the video in which nothing legal explained the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unexplained {
    /// From when on.
    pub from: MediaTime,
    /// Until when.
    pub until: MediaTime,
    /// Plies read before it.
    pub after_ply: usize,
}

/// Shorter stretches are pieces in flight and pointers.
pub(super) const UNEXPLAINED_MIN_US: i64 = 2_000_000;
/// The answer is written at most so often.
const ANSWER_PAUSE: Duration = Duration::from_millis(250);
/// A checkpoint is due after so long, or after so many plies: what is lost with a run that is killed.
const CHECKPOINT_PAUSE: Duration = Duration::from_secs(2);
const CHECKPOINT_PLIES: usize = 8;

/// What came of watching.
pub(super) struct Sighting {
    /// The plies.
    pub(super) game: ReadGame,
    /// What stayed unexplained.
    pub(super) unexplained: Vec<Unexplained>,
    /// Why the video was not read to its end.
    pub(super) broken_off: Option<VideoBreak>,
}

/// Why the video was not read to its end, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct VideoBreak(String);

impl Coded for VideoBreak {
    fn exit_code(&self) -> ExitCode {
        ExitCode::VideoUnreadable
    }
}

pub(super) fn watch(
    job: &Reconstruction,
    input: &VideoInput,
    answer: &mut AnswerFile,
    keeper: &mut Keeper<'_>,
    progress: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<Sighting, ReconstructError> {
    let earlier = keeper.last();
    let located = match &earlier {
        Some(checkpoint) => checkpoint.located,
        None => locate_board(input, job.orientation, job.start.board())?,
    };
    progress(Progress::Located { duration: input.duration() });
    let mut notes = Notes::new(job, located);
    let mut tracker = None;
    let mut watched_until = None;
    if let Some(checkpoint) = earlier
        && let Some(game) = ReadGame::from_kept(&checkpoint.game)
    {
        notes.take_up(game, checkpoint.provisional, checkpoint.unexplained);
        // The earlier run may have come further than its last checkpoint: the answer never shrinks.
        notes.plies_saved = answer.plies_on_disk();
        match checkpoint.tracker {
            Some(snapshot) => {
                tracker = Some(Tracker::resume(snapshot, notes.game.position()));
                watched_until = Some(checkpoint.watched_until);
            }
            None => return Ok(notes.into_sighting(checkpoint.broken_off.map(VideoBreak))),
        }
    }

    let (crop, rect) = located.crop()?;
    let mut frames = input.frames(crop, watched_until.or(Some(located.time)))?;
    let mut broken_off = None;
    let (width, height) = (crop.width as usize, crop.height as usize);
    let mut has_looked = false;
    loop {
        let frame = match frames.next_frame() {
            Ok(Some(frame)) => frame,
            Ok(None) => break,
            Err(error @ VideoError::BreaksOff { .. }) => {
                broken_off = Some(VideoBreak(error.to_string()));
                break;
            }
            Err(error @ VideoError::BadPicture { .. }) => {
                broken_off = Some(VideoBreak(format!("{error}; what was read until then is kept")));
                break;
            }
            Err(error) => return Err(error.into()),
        };
        if watched_until.is_some_and(|until| frame.time <= until) {
            continue;
        }
        let view = LumaView::new(frames.luma(), width, height, width).map_err(core_error)?;
        match &mut tracker {
            None => {
                let (orientation, start) = (located.orientation, job.start.clone());
                let started = Tracker::start_from(&view, rect, orientation, frame.time, start);
                let started = tracker.insert(started.map_err(core_error)?);
                // From here on the answer is this run's: whoever goes on from the checkpoint may rely on that.
                answer.checkpoint(&[])?;
                notes.save_checkpoint(started, frame.time, keeper)?;
            }
            Some(tracker) => {
                if let Some(until) = frame.stood_until {
                    tracker.stand_until(until).map_err(core_error)?;
                }
                let differing = match LumaView::new(frames.luma_before(), width, height, width) {
                    Ok(before) if has_looked => differing_squares(&before, &view, rect, located.orientation),
                    _ => Bitboard::FULL,
                };
                tracker.observe_squares(&view, differing, frame.time).map_err(core_error)?;
                notes.take_down(tracker, frame.time);
            }
        }
        has_looked = true;
        let (plies, duration) = (notes.game.plies().len(), input.duration());
        progress(Progress::Watched { time: frame.time, plies, duration });
        notes.save_now_and_then(tracker.as_ref(), frame.time, answer, keeper)?;
    }
    if let Some(tracker) = &mut tracker {
        tracker.finish().map_err(core_error)?;
        notes.take_down(tracker, notes.last_frame);
    }
    notes.close_unexplained(notes.last_frame);
    answer.checkpoint(&notes.rows())?;
    keeper.keep_watch(notes.state(None, notes.last_frame, broken_off.as_ref()))?;
    Ok(notes.into_sighting(broken_off))
}

pub(super) fn core_error(error: impl std::error::Error + Send + Sync + 'static) -> VideoError {
    VideoError::Core(Box::new(error))
}

/// What has been taken down so far.
struct Notes {
    located: Located,
    game: ReadGame,
    quick: Option<Provisional>,
    labels: Vec<PlyLabel>,
    scores: Vec<PositionScore>,
    unexplained: Vec<Unexplained>,
    lost_since: Option<MediaTime>,
    rejoiner: Rejoiner,
    last_frame: MediaTime,
    answer_saved: Instant,
    plies_saved: usize,
    checkpoint_saved: Instant,
    checkpoint_plies: usize,
}

impl Notes {
    fn new(job: &Reconstruction, located: Located) -> Self {
        let mut notes = Self {
            located,
            game: ReadGame::from_start(job.start.clone()),
            quick: job.labeller.as_ref().map(|labeller| labeller.provisional()),
            labels: Vec::new(),
            scores: Vec::new(),
            unexplained: Vec::new(),
            lost_since: None,
            rejoiner: Rejoiner::default(),
            last_frame: located.time,
            answer_saved: Instant::now(),
            plies_saved: 0,
            checkpoint_saved: Instant::now(),
            checkpoint_plies: 0,
        };
        notes.look_quickly();
        notes
    }

    /// Takes up what an earlier run had taken down.
    fn take_up(&mut self, game: ReadGame, scores: Vec<PositionScore>, unexplained: Vec<Unexplained>) {
        self.checkpoint_plies = game.plies().len();
        self.game = game;
        self.unexplained = unexplained;
        if let Some(quick) = &mut self.quick {
            self.labels = quick.take_up(self.game.positions(), &scores);
            self.scores = self.labels.iter().map(|label| label.search.clone()).collect();
        }
    }

    /// Takes the plies that have settled.
    fn take_down(&mut self, tracker: &mut Tracker, now: MediaTime) {
        while let Some(ply) = tracker.take() {
            self.game.take_down(ply, tracker, self.unexplained.last());
            self.look_quickly();
        }
        self.last_frame = now;
        if let Some(way) = self.rejoiner.rejoin(tracker, &self.game, now) {
            self.take_back_to(way.kept, way.time);
            for ply in way.hidden {
                self.game.push_unseen(ply);
                self.look_quickly();
            }
        }
        match tracker.state() {
            TrackerState::Lost { since } => {
                self.lost_since.get_or_insert(since);
            }
            _ => self.close_unexplained(now),
        }
    }

    fn close_unexplained(&mut self, until: MediaTime) {
        if let Some(from) = self.lost_since.take()
            && until.us_since(from) >= UNEXPLAINED_MIN_US
        {
            self.unexplained.push(Unexplained { from, until, after_ply: self.game.plies().len() });
        }
    }

    fn look_quickly(&mut self) {
        if let Some(quick) = &mut self.quick {
            let label = quick.next(&self.game.position());
            self.scores.push(label.search.clone());
            self.labels.push(label);
        }
    }

    fn take_back_to(&mut self, kept: usize, time: MediaTime) {
        if kept == self.game.plies().len() {
            return;
        }
        self.game.take_back_to(kept, time);
        if let Some(quick) = &mut self.quick {
            self.scores.truncate(kept + 1);
            self.labels = quick.take_up(self.game.positions(), &self.scores);
        }
        // What is on disk is no longer the beginning of this answer, and what is in the checkpoint not of this game.
        self.plies_saved = 0;
        self.checkpoint_plies = 0;
    }

    fn rows(&self) -> Vec<plyscope_core::event_row::EventRow> {
        self.game.rows(&self.labels)
    }

    /// Writes the answer when there is news, and a checkpoint when nothing is in flight; neither too often.
    fn save_now_and_then(
        &mut self,
        tracker: Option<&Tracker>,
        now: MediaTime,
        answer: &mut AnswerFile,
        keeper: &Keeper<'_>,
    ) -> Result<(), ReconstructError> {
        if self.plies_saved < self.game.plies().len() && self.answer_saved.elapsed() >= ANSWER_PAUSE {
            answer.checkpoint(&self.rows())?;
            self.plies_saved = self.game.plies().len();
            self.answer_saved = Instant::now();
        }
        let is_due = self.checkpoint_saved.elapsed() >= CHECKPOINT_PAUSE
            || self.game.plies().len() >= self.checkpoint_plies + CHECKPOINT_PLIES;
        match tracker {
            Some(tracker) if is_due => self.save_checkpoint(tracker, now, keeper),
            _ => Ok(()),
        }
    }

    /// Writes a checkpoint if nothing is in flight.
    fn save_checkpoint(
        &mut self,
        tracker: &Tracker,
        now: MediaTime,
        keeper: &Keeper<'_>,
    ) -> Result<(), ReconstructError> {
        if let Some(snapshot) = tracker.snapshot() {
            keeper.keep_watch(self.state(Some(snapshot), now, None))?;
            self.checkpoint_saved = Instant::now();
            self.checkpoint_plies = self.game.plies().len();
        }
        Ok(())
    }

    fn state(
        &self,
        tracker: Option<plyscope_core::track::TrackerSnapshot>,
        watched_until: MediaTime,
        broken_off: Option<&VideoBreak>,
    ) -> WatchState {
        WatchState {
            located: self.located,
            watched_until,
            tracker,
            game: self.game.kept(),
            unexplained: self.unexplained.clone(),
            broken_off: broken_off.map(ToString::to_string),
            provisional: self.scores.clone(),
        }
    }

    fn into_sighting(self, broken_off: Option<VideoBreak>) -> Sighting {
        Sighting { game: self.game, unexplained: self.unexplained, broken_off }
    }
}
