//! The games of a live source so far.

use plyscope_core::event_row::EventRow;
use plyscope_core::media_time::MediaTime;
use plyscope_core::track::TrackerState;
use shakmaty::Chess;

use super::live::{LiveEvent, Tell};
use super::rejoin::{Rejoiner, Way};
use super::rivals::Rivals;
use super::{Beginning, ReadGame, ReconstructError, Unexplained};
use crate::labeller::{PlyLabel, Provisional};

/// One game as it was watched.
#[derive(Clone, Debug)]
pub struct WatchedGame {
    game: ReadGame,
    beginning: Beginning,
    labels: Vec<PlyLabel>,
    unexplained: Vec<Unexplained>,
    is_told: bool,
}

impl WatchedGame {
    fn new(start: Chess, beginning: Beginning) -> Self {
        let game = ReadGame::from_start(start);
        Self { game, beginning, labels: Vec::new(), unexplained: Vec::new(), is_told: false }
    }

    /// The plies and their times.
    #[must_use]
    pub const fn game(&self) -> &ReadGame {
        &self.game
    }

    /// How it began.
    #[must_use]
    pub const fn beginning(&self) -> Beginning {
        self.beginning
    }

    /// Labels of the start position and every ply; empty where none were asked for.
    #[must_use]
    pub fn labels(&self) -> &[PlyLabel] {
        &self.labels
    }

    /// The rows of its answer so far.
    #[must_use]
    pub fn rows(&self) -> Vec<EventRow> {
        self.game.rows(&self.labels)
    }
}

/// The games so far, the one under way last.
#[derive(Debug)]
pub struct LiveGames {
    over: Vec<WatchedGame>,
    under_way: WatchedGame,
    quick: Option<Provisional>,
    lost_since: Option<MediaTime>,
    rejoiner: Rejoiner,
}

impl LiveGames {
    /// No ply has been seen.
    pub(super) fn new(quick: Option<Provisional>) -> Self {
        let beginning = Beginning { time: MediaTime::ZERO, is_read: false };
        let under_way = WatchedGame::new(Chess::default(), beginning);
        Self { over: Vec::new(), under_way, quick, lost_since: None, rejoiner: Rejoiner::default() }
    }

    /// The game under way, or the last one.
    #[must_use]
    pub const fn under_way(&self) -> &WatchedGame {
        &self.under_way
    }

    /// The number of the game under way, from 1.
    #[must_use]
    pub const fn number(&self) -> usize {
        self.over.len() + 1
    }

    /// All games, the first one first.
    pub fn all(&self) -> impl Iterator<Item = &WatchedGame> {
        self.over.iter().chain([&self.under_way])
    }

    /// Begins a game; one in which nothing was played is forgotten.
    pub(super) fn begin(
        &mut self,
        start: Chess,
        beginning: Beginning,
        tell: &mut Tell<'_>,
    ) -> Result<(), ReconstructError> {
        self.close_unexplained(beginning.time, tell)?;
        let before = std::mem::replace(&mut self.under_way, WatchedGame::new(start, beginning));
        if !before.game.plies().is_empty() {
            self.over.push(before);
        }
        self.rejoiner = Rejoiner::default();
        self.label_anew();
        Ok(())
    }

    /// Takes the plies that have settled.
    pub(super) fn take_down(
        &mut self,
        rivals: &mut Rivals,
        now: MediaTime,
        tell: &mut Tell<'_>,
    ) -> Result<(), ReconstructError> {
        if self.under_way.game.learn_start(rivals) {
            self.label_anew();
        }
        let is_open = rivals.is_open();
        let tracker = rivals.first_mut();
        while let Some(ply) = tracker.take() {
            self.under_way.game.take_down(ply, tracker, self.under_way.unexplained.last());
            self.tell_last(now, tell)?;
        }
        if !is_open && let Some(way) = self.rejoiner.rejoin(tracker, &self.under_way.game, now) {
            self.follow(way, now, tell)?;
        }
        match tracker.state() {
            TrackerState::Lost { since } => {
                self.lost_since.get_or_insert(since);
                Ok(())
            }
            _ => self.close_unexplained(now, tell),
        }
    }

    /// Follows a way back into the game.
    pub(super) fn follow(
        &mut self,
        way: Way,
        now: MediaTime,
        tell: &mut Tell<'_>,
    ) -> Result<(), ReconstructError> {
        if way.kept < self.under_way.game.plies().len() {
            self.under_way.game.take_back_to(way.kept, way.time);
            self.under_way.labels.truncate(way.kept + 1);
            self.label_anew();
            tell(LiveEvent::TakenBack { kept: way.kept, time: way.time }, self)?;
        }
        for ply in way.hidden {
            self.under_way.game.push_unseen(ply);
            self.tell_last(now, tell)?;
        }
        Ok(())
    }

    /// Ends a stretch in which nothing explained the board.
    pub(super) fn close_unexplained(
        &mut self,
        until: MediaTime,
        tell: &mut Tell<'_>,
    ) -> Result<(), ReconstructError> {
        let lost_since = self.lost_since.take();
        let stretch = lost_since.and_then(|from| Unexplained::in_game(&self.under_way.game, from, until));
        let Some(stretch) = stretch else { return Ok(()) };
        self.under_way.unexplained.push(stretch);
        tell(LiveEvent::Unexplained(stretch), self)
    }

    /// Forgets a last game in which nothing was played, unless it is the only one.
    pub(super) fn forget_empty(&mut self) {
        if self.under_way.game.plies().is_empty()
            && let Some(before) = self.over.pop()
        {
            self.under_way = before;
        }
    }

    /// Gives every game its final labels.
    pub(super) fn label_all(
        &mut self,
        mut label: impl FnMut(&[Chess]) -> Result<Vec<PlyLabel>, ReconstructError>,
    ) -> Result<(), ReconstructError> {
        for game in self.over.iter_mut().chain([&mut self.under_way]) {
            game.labels = label(game.game.positions())?;
        }
        Ok(())
    }

    /// Tells of the last ply, and before the first one of its game.
    fn tell_last(&mut self, now: MediaTime, tell: &mut Tell<'_>) -> Result<(), ReconstructError> {
        if let Some(quick) = &mut self.quick {
            self.under_way.labels.push(quick.next(&self.under_way.game.position()));
        }
        if !std::mem::replace(&mut self.under_way.is_told, true) {
            tell(LiveEvent::Game(self.under_way.beginning), self)?;
        }
        let number = self.under_way.game.plies().len();
        let Some(ply) = self.under_way.game.plies().last().copied() else { return Ok(()) };
        let label = self.under_way.labels.get(number);
        tell(LiveEvent::Ply { number, ply: &ply, label, seen_at: now }, self)
    }

    /// Quick looks at all positions of the game under way, where it has changed otherwise than by another ply.
    fn label_anew(&mut self) {
        if let Some(quick) = &mut self.quick {
            let scores: Vec<_> = self.under_way.labels.iter().map(|label| label.search.clone()).collect();
            self.under_way.labels = quick.take_up(self.under_way.game.positions(), &scores);
        }
    }
}
