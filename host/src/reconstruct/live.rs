//! Watches a source that is still growing and tells of each ply as soon as it has settled.

use plyscope_core::event_row::EventRow;
use plyscope_core::media_time::MediaTime;
use plyscope_core::track::{TimedPly, Tracker, TrackerState};
use plyscope_core::vision::LumaView;
use shakmaty::{Chess, Position};

use super::notes::UNEXPLAINED_MIN_US;
use super::rejoin::Rejoiner;
use super::watch::core_error;
use super::{ReadGame, ReconstructError, Unexplained};
use crate::external_engine::ExternalEngine;
use crate::labeller::{LabelledGame, Labeller, PlyLabel, Provisional};
use crate::video::{LiveFrames, Located, OrientationChoice, VideoError, locate_in};

/// While there is no board, a picture is searched for one so often.
const SEARCH_PAUSE_US: i64 = 500_000;

/// How to watch a live source.
#[derive(Clone, Debug)]
pub struct LiveWatch {
    /// The position in which the game starts.
    pub start: Chess,
    /// Which side sits at the bottom.
    pub orientation: OrientationChoice,
    /// How to judge the positions; `None` to see only. Live, each position gets a quick look; when the source is over
    /// the whole game is searched, unless somebody stopped it.
    pub labeller: Option<Labeller>,
    /// An installed engine that searches the whole game in the labeller's place.
    pub engine: Option<ExternalEngine>,
}

/// What happened.
#[derive(Clone, Copy, Debug)]
pub enum LiveEvent<'e> {
    /// The board was found.
    Board(Located),
    /// A ply has settled.
    Ply {
        /// Its number, from 1.
        number: usize,
        /// The ply.
        ply: &'e TimedPly,
        /// Its label by a quick look, where labels are asked for.
        label: Option<&'e PlyLabel>,
        /// The time of the picture at which it was certain.
        seen_at: MediaTime,
    },
    /// Plies were taken back: the game is again as after the first `kept` plies.
    TakenBack {
        /// How many plies stand.
        kept: usize,
        /// Since when the board has shown so.
        time: MediaTime,
    },
    /// Nothing legal explained the board in this stretch.
    Unexplained(Unexplained),
    /// The source is over and the whole game is searched.
    Judging,
}

/// The game so far.
#[derive(Debug, Default)]
pub struct LiveGame {
    game: ReadGame,
    labels: Vec<PlyLabel>,
    unexplained: Vec<Unexplained>,
    lost_since: Option<MediaTime>,
    rejoiner: Rejoiner,
}

impl LiveGame {
    /// The plies and their times.
    #[must_use]
    pub const fn game(&self) -> &ReadGame {
        &self.game
    }

    /// Labels of the start position and every ply; empty where none were asked for.
    #[must_use]
    pub fn labels(&self) -> &[PlyLabel] {
        &self.labels
    }

    /// The rows of the answer so far.
    #[must_use]
    pub fn rows(&self) -> Vec<EventRow> {
        self.game.rows(&self.labels)
    }
}

impl LiveWatch {
    /// Watches `frames` until they are over or stopped. `tell` is called with each event and the game so far.
    ///
    /// # Errors
    ///
    /// [`ReconstructError`] where the source has no picture or no board, or where `tell` fails.
    pub fn run(
        &self,
        frames: &mut LiveFrames,
        tell: &mut dyn FnMut(LiveEvent<'_>, &LiveGame) -> Result<(), ReconstructError>,
    ) -> Result<LiveGame, ReconstructError> {
        let mut live = LiveGame { game: ReadGame::from_start(self.start.clone()), ..LiveGame::default() };
        let mut quick = self.labeller.as_ref().map(Labeller::provisional);
        look_quickly(&mut live, quick.as_mut());
        let mut tracker: Option<Tracker> = None;
        let mut searched_at: Option<MediaTime> = None;
        let (mut looked, mut now) = (0, MediaTime::ZERO);
        while let Some(frame) = frames.next_frame()? {
            now = frame.time;
            let view =
                LumaView::new(frames.luma(), frame.width, frame.height, frame.width).map_err(core_error)?;
            let Some(tracker) = &mut tracker else {
                if searched_at.is_some_and(|at| now.us_since(at) < SEARCH_PAUSE_US) {
                    continue;
                }
                (searched_at, looked) = (Some(now), looked + 1);
                if let Some(located) = locate_in(&view, self.orientation, now, self.start.board()) {
                    let Located { rect, orientation, .. } = located;
                    let started = Tracker::start_from(&view, rect, orientation, now, self.start.clone());
                    tracker = Some(started.map_err(core_error)?);
                    tell(LiveEvent::Board(located), &live)?;
                }
                continue;
            };
            tracker.observe(&view, now).map_err(core_error)?;
            live.take_down(tracker, quick.as_mut(), now, tell)?;
        }
        let Some(mut tracker) = tracker else {
            if frames.stopper().is_stopped() {
                return Ok(live);
            }
            return Err(
                VideoError::not_found(frames.name().clone(), looked, self.start != Chess::default()).into()
            );
        };
        tracker.finish().map_err(core_error)?;
        live.take_down(&mut tracker, quick.as_mut(), now, tell)?;
        live.close_unexplained(now, tell)?;
        if let Some(labeller) = self.labeller.as_ref().filter(|_| !frames.stopper().is_stopped()) {
            tell(LiveEvent::Judging, &live)?;
            let whole = LabelledGame::of_positions(live.game.positions().to_vec());
            live.labels = match &self.engine {
                Some(engine) => engine.label(&whole, &|_, _| {})?,
                None => labeller.label(&whole, &[], &|_| {}),
            };
        }
        Ok(live)
    }
}

impl LiveGame {
    fn take_down(
        &mut self,
        tracker: &mut Tracker,
        mut quick: Option<&mut Provisional>,
        now: MediaTime,
        tell: &mut dyn FnMut(LiveEvent<'_>, &LiveGame) -> Result<(), ReconstructError>,
    ) -> Result<(), ReconstructError> {
        while let Some(ply) = tracker.take() {
            self.game.take_down(ply, tracker, self.unexplained.last());
            self.tell_last(quick.as_deref_mut(), now, tell)?;
        }
        if let Some(way) = self.rejoiner.rejoin(tracker, &self.game, now) {
            if way.kept < self.game.plies().len() {
                self.game.take_back_to(way.kept, way.time);
                self.labels.truncate(way.kept + 1);
                let scores: Vec<_> = self.labels.iter().map(|label| label.search.clone()).collect();
                if let Some(quick) = &mut quick {
                    self.labels = quick.take_up(self.game.positions(), &scores);
                }
                tell(LiveEvent::TakenBack { kept: way.kept, time: way.time }, self)?;
            }
            for ply in way.hidden {
                self.game.push_unseen(ply);
                self.tell_last(quick.as_deref_mut(), now, tell)?;
            }
        }
        match tracker.state() {
            TrackerState::Lost { since } => {
                self.lost_since.get_or_insert(since);
                Ok(())
            }
            _ => self.close_unexplained(now, tell),
        }
    }

    fn tell_last(
        &mut self,
        quick: Option<&mut Provisional>,
        now: MediaTime,
        tell: &mut dyn FnMut(LiveEvent<'_>, &LiveGame) -> Result<(), ReconstructError>,
    ) -> Result<(), ReconstructError> {
        look_quickly(self, quick);
        let number = self.game.plies().len();
        let Some(ply) = self.game.plies().last().copied() else { return Ok(()) };
        let label = self.labels.get(number);
        tell(LiveEvent::Ply { number, ply: &ply, label, seen_at: now }, self)
    }

    fn close_unexplained(
        &mut self,
        until: MediaTime,
        tell: &mut dyn FnMut(LiveEvent<'_>, &LiveGame) -> Result<(), ReconstructError>,
    ) -> Result<(), ReconstructError> {
        let Some(from) = self.lost_since.take() else { return Ok(()) };
        if until.us_since(from) < UNEXPLAINED_MIN_US {
            return Ok(());
        }
        let stretch = Unexplained { from, until, after_ply: self.game.plies().len() };
        self.unexplained.push(stretch);
        tell(LiveEvent::Unexplained(stretch), self)
    }
}

fn look_quickly(live: &mut LiveGame, quick: Option<&mut Provisional>) {
    if let Some(quick) = quick {
        live.labels.push(quick.next(&live.game.position()));
    }
}
