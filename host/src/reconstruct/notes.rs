//! What has been taken down of a video so far.

use std::time::{Duration, Instant};

use plyscope_core::event_row::EventRow;
use plyscope_core::media_time::MediaTime;
use plyscope_core::track::{TrackerSnapshot, TrackerState};
use shakmaty::Chess;

use super::checkpoint::{Keeper, KeptReading, WatchState};
use super::rejoin::{Rejoiner, Way};
use super::rivals::Rivals;
use super::watch::VideoBreak;
use super::{Answers, Beginning, ReadGame, ReconstructError, Reconstruction, Unexplained};
use crate::labeller::{PlyLabel, PositionScore, Provisional};
use crate::video::Located;

/// The answer is written at most so often.
const ANSWER_PAUSE: Duration = Duration::from_millis(250);
/// A checkpoint is due after so long, or after so many plies: what is lost with a run that is killed.
const CHECKPOINT_PAUSE: Duration = Duration::from_secs(2);
const CHECKPOINT_PLIES: usize = 8;

/// What was seen of one game.
#[derive(Clone, Debug)]
pub(super) struct SeenGame {
    /// The plies.
    pub(super) game: ReadGame,
    /// How it began.
    pub(super) beginning: Beginning,
    /// What stayed unexplained.
    pub(super) unexplained: Vec<Unexplained>,
    scores: Vec<PositionScore>,
}

impl SeenGame {
    fn new(start: Chess, beginning: Beginning) -> Self {
        let game = ReadGame::from_start(start);
        Self { game, beginning, unexplained: Vec::new(), scores: Vec::new() }
    }

    fn kept(&self) -> KeptReading {
        KeptReading {
            game: self.game.kept(),
            beginning: self.beginning,
            unexplained: self.unexplained.clone(),
            provisional: self.scores.clone(),
            chunks: Vec::new(),
        }
    }

    fn from_kept(kept: KeptReading) -> Option<Self> {
        let KeptReading { game, beginning, unexplained, provisional, .. } = kept;
        Some(Self { game: ReadGame::from_kept(&game)?, beginning, unexplained, scores: provisional })
    }
}

/// What has been taken down so far.
pub(super) struct Notes {
    /// Games that are over.
    over: Vec<SeenGame>,
    /// The game under way.
    seen: SeenGame,
    quick: Option<Provisional>,
    labels: Vec<PlyLabel>,
    lost_since: Option<MediaTime>,
    rejoiner: Rejoiner,
    pub(super) last_frame: MediaTime,
    answer_saved: Instant,
    plies_saved: usize,
    checkpoint_saved: Instant,
    checkpoint_plies: usize,
}

impl Notes {
    pub(super) fn new(job: &Reconstruction, start: Chess, beginning: Beginning) -> Self {
        let mut notes = Self {
            over: Vec::new(),
            seen: SeenGame::new(start, beginning),
            quick: job.labeller.as_ref().map(|labeller| labeller.provisional()),
            labels: Vec::new(),
            lost_since: None,
            rejoiner: Rejoiner::default(),
            last_frame: beginning.time,
            answer_saved: Instant::now(),
            plies_saved: 0,
            checkpoint_saved: Instant::now(),
            checkpoint_plies: 0,
        };
        notes.look_quickly();
        notes
    }

    /// Takes up what an earlier run had taken down: games, the one under way last.
    pub(super) fn take_up(
        &mut self,
        games: Vec<KeptReading>,
        answers: &mut Answers,
    ) -> Result<(), ReconstructError> {
        let mut seen: Vec<SeenGame> = games.into_iter().filter_map(SeenGame::from_kept).collect();
        let Some(last) = seen.pop() else { return Ok(()) };
        (self.over, self.seen) = (seen, last);
        self.checkpoint_plies = self.seen.game.plies().len();
        self.label_anew();
        // The earlier run may have come further than its last checkpoint: the answer never shrinks.
        self.plies_saved = answers.plies_on_disk(self.number())?;
        Ok(())
    }

    /// The game under way.
    pub(super) const fn game(&self) -> &ReadGame {
        &self.seen.game
    }

    /// The number of the game under way, from 1.
    pub(super) const fn number(&self) -> usize {
        self.over.len() + 1
    }

    /// Takes the plies that have settled.
    pub(super) fn take_down(&mut self, rivals: &mut Rivals, now: MediaTime) {
        if self.seen.game.learn_start(rivals) {
            self.label_anew();
        }
        let is_open = rivals.is_open();
        let tracker = rivals.first_mut();
        while let Some(ply) = tracker.take() {
            self.seen.game.take_down(ply, tracker, self.seen.unexplained.last());
            self.look_quickly();
        }
        self.last_frame = now;
        if !is_open && let Some(way) = self.rejoiner.rejoin(tracker, &self.seen.game, now) {
            self.follow(way);
        }
        match tracker.state() {
            TrackerState::Lost { since } => {
                self.lost_since.get_or_insert(since);
            }
            _ => self.close_unexplained(now),
        }
    }

    /// Follows a way back into the game.
    pub(super) fn follow(&mut self, way: Way) {
        self.take_back_to(way.kept, way.time);
        for ply in way.hidden {
            self.seen.game.push_unseen(ply);
            self.look_quickly();
        }
    }

    /// Ends a stretch in which nothing explained the board.
    pub(super) fn close_unexplained(&mut self, until: MediaTime) {
        let lost_since = self.lost_since.take();
        self.seen
            .unexplained
            .extend(lost_since.and_then(|from| Unexplained::in_game(&self.seen.game, from, until)));
    }

    /// Begins another game; one in which nothing was played is forgotten.
    pub(super) fn begin_game(
        &mut self,
        start: Chess,
        beginning: Beginning,
        answers: &mut Answers,
    ) -> Result<(), ReconstructError> {
        self.close_unexplained(beginning.time);
        let next = SeenGame::new(start, beginning);
        if !self.seen.game.plies().is_empty() {
            answers.checkpoint(self.number(), &self.rows())?;
            self.over.push(std::mem::replace(&mut self.seen, next));
        } else {
            self.seen = next;
        }
        self.rejoiner = Rejoiner::default();
        (self.plies_saved, self.checkpoint_plies) = (0, 0);
        self.label_anew();
        Ok(())
    }

    /// Quick looks at all positions of the game under way, where it has changed otherwise than by another ply.
    fn label_anew(&mut self) {
        if let Some(quick) = &mut self.quick {
            self.labels = quick.take_up(self.seen.game.positions(), &self.seen.scores);
            self.seen.scores = self.labels.iter().map(|label| label.search.clone()).collect();
        }
    }

    fn look_quickly(&mut self) {
        if let Some(quick) = &mut self.quick {
            let label = quick.next(&self.seen.game.position());
            self.seen.scores.push(label.search.clone());
            self.labels.push(label);
        }
    }

    fn take_back_to(&mut self, kept: usize, time: MediaTime) {
        if kept == self.seen.game.plies().len() {
            return;
        }
        self.seen.game.take_back_to(kept, time);
        self.seen.scores.truncate(kept + 1);
        self.label_anew();
        // What is on disk is no longer the beginning of this answer, and what is in the checkpoint not of this game.
        self.plies_saved = 0;
        self.checkpoint_plies = 0;
    }

    /// The rows of the game under way.
    pub(super) fn rows(&self) -> Vec<EventRow> {
        self.seen.game.rows(&self.labels)
    }

    /// Writes the answer when there is news, and a checkpoint when nothing is in flight; neither too often.
    pub(super) fn save_now_and_then(
        &mut self,
        rivals: &Rivals,
        located: Located,
        answers: &mut Answers,
        keeper: &Keeper<'_>,
    ) -> Result<(), ReconstructError> {
        let plies = self.seen.game.plies().len();
        if self.plies_saved < plies && self.answer_saved.elapsed() >= ANSWER_PAUSE {
            answers.checkpoint(self.number(), &self.rows())?;
            self.plies_saved = plies;
            self.answer_saved = Instant::now();
        }
        let is_due = self.checkpoint_saved.elapsed() >= CHECKPOINT_PAUSE
            || plies >= self.checkpoint_plies + CHECKPOINT_PLIES;
        if is_due { self.save_checkpoint(rivals, located, keeper) } else { Ok(()) }
    }

    /// Writes a checkpoint if nothing is in flight.
    pub(super) fn save_checkpoint(
        &mut self,
        rivals: &Rivals,
        located: Located,
        keeper: &Keeper<'_>,
    ) -> Result<(), ReconstructError> {
        if !rivals.is_open()
            && let Some(snapshot) = rivals.first().snapshot()
        {
            keeper.keep_watch(self.state(located, Some(snapshot), None))?;
            self.checkpoint_saved = Instant::now();
            self.checkpoint_plies = self.seen.game.plies().len();
        }
        Ok(())
    }

    pub(super) fn state(
        &self,
        located: Located,
        tracker: Option<TrackerSnapshot>,
        broken_off: Option<&VideoBreak>,
    ) -> WatchState {
        WatchState {
            located,
            watched_until: self.last_frame,
            tracker,
            games: self.over.iter().chain([&self.seen]).map(SeenGame::kept).collect(),
            broken_off: broken_off.map(ToString::to_string),
        }
    }

    /// Forgets a last game in which nothing was played, unless it is the only one.
    pub(super) fn forget_empty(&mut self) {
        if self.seen.game.plies().is_empty()
            && let Some(before) = self.over.pop()
        {
            self.seen = before;
            self.label_anew();
        }
    }

    /// All games.
    pub(super) fn into_games(self) -> Vec<SeenGame> {
        let mut games = self.over;
        games.push(self.seen);
        games
    }
}
