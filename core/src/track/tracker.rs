//! Follows a game from frame to frame.

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};
use shakmaty::{Bitboard, Chess, Move, Position, Rank};

use super::differ::{Differ, Explanations, STEP_PLIES_MAX};
use super::hypothesis::{
    HYPOTHESIS_PLIES_MAX, Hypothesis, Sighting, landing_square, landing_squares, shows_flight,
};
use super::timeline::{HeldPly, TimedPly, Timeline, TimelineFull};
use crate::media_time::MediaTime;
use crate::vision::{
    BoardReading, BoardRect, Calibration, CalibrationError, Class, LumaView, Orientation, Placement, Retina,
    Scene,
};

/// Plies that may wait to be taken: all of a hypothesis, and one step more.
const TIMELINE_MAX: usize = HYPOTHESIS_PLIES_MAX + STEP_PLIES_MAX;
/// A hypothesis whose squares have not changed for this long is settled. A piece in flight changes its square with every
/// frame; twice the longest gap between two frames that a screen recorder doubles.
const STILL_MIN_US: i64 = 250_000;
/// A hypothesis that is shown for this long is settled even where a pointer or noise keeps its squares changing.
const SHOWN_MIN_US: i64 = 700_000;
/// After a board was hidden for this long, several plies at once may have been more: a piece that stopped on its way
/// leaves no trace.
const HIDDEN_MIN_US: i64 = 1_000_000;
/// Of so many plies played unseen it is certain that there were no more.
pub const HIDDEN_CERTAIN_PLIES: usize = 2;
/// A still picture that nothing explains for this long is read in doubt.
const DOUBT_MIN_US: i64 = 300_000;
/// The first ply of a hypothesis this long is certain: the plies after it fit no rival.
const CERTAIN_PLIES: usize = 4;
/// The most plies by which pieces are taken to have come back to an earlier placement in one step.
const RETURN_PLIES_MAX: usize = 2;
/// Positions tried for one frame.
const FRAME_BUDGET_NODES: u32 = 4_000;

/// Follows a game: frames in, timed plies out.
///
/// Its memory is its own: `HYPOTHESES` that are kept beside each other, `SIGHTINGS` that rivals among them are compared by,
/// and the looks of bare squares, of which `TEXTURES` may differ. The defaults are never too few; a device may choose
/// less.
#[derive(Clone, Debug)]
pub struct Tracker<const HYPOTHESES: usize = 8, const SIGHTINGS: usize = 12, const TEXTURES: usize = 64> {
    retina: Retina,
    calibration: Calibration<TEXTURES>,
    /// The last position known for certain.
    position: Chess,
    /// That nothing has been played since.
    root: Hypothesis,
    beam: ArrayVec<Hypothesis, HYPOTHESES>,
    sightings: ArrayVec<Sighting, SIGHTINGS>,
    timeline: Timeline<TIMELINE_MAX>,
    unexplained_since: Option<MediaTime>,
    /// The picture has not changed since it was read in doubt.
    is_doubt_spent: bool,
}

/// All that a tracker needs to go on, at a moment when nothing is in flight.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrackerSnapshot<const TEXTURES: usize = 64> {
    retina: Retina,
    calibration: Calibration<TEXTURES>,
    shown_since: MediaTime,
}

/// What the tracker knows of the present picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackerState {
    /// The board shows the last certain position.
    Settled,
    /// Something is in flight, or not yet certain.
    Unsettled,
    /// No legal plies explain the board.
    Lost {
        /// Since when.
        since: MediaTime,
    },
}

impl<const HYPOTHESES: usize, const SIGHTINGS: usize, const TEXTURES: usize>
    Tracker<HYPOTHESES, SIGHTINGS, TEXTURES>
{
    /// Starts from a picture of the start position.
    ///
    /// # Errors
    ///
    /// [`CalibrationError`] when the picture does not show the start position.
    pub fn start(
        view: &LumaView<'_>,
        rect: BoardRect,
        orientation: Orientation,
        time: MediaTime,
    ) -> Result<Self, CalibrationError> {
        let mut tracker = Self::blank();
        tracker.restart(view, rect, orientation, time)?;
        Ok(tracker)
    }

    /// Starts from a picture of `position`. Pieces that it does not hold are learned when a promotion brings them.
    ///
    /// # Errors
    ///
    /// [`CalibrationError`] when the picture does not show that position.
    pub fn start_from(
        view: &LumaView<'_>,
        rect: BoardRect,
        orientation: Orientation,
        time: MediaTime,
        position: Chess,
    ) -> Result<Self, CalibrationError> {
        let mut tracker = Self::blank();
        for rank in Rank::ALL {
            tracker.show_rank(view, rect, orientation, rank);
        }
        tracker.position = position;
        tracker.restart_here(rect, orientation, time)?;
        Ok(tracker)
    }

    /// A tracker that has seen nothing, to be placed in memory of fixed size and then started with [`Self::restart`].
    #[must_use]
    pub const fn blank() -> Self {
        Self::settled(Retina::BLANK, Calibration::BLANK, Chess::new(), MediaTime::ZERO)
    }

    /// Forgets everything and starts from a picture of the start position, as [`Self::start`] does, without a copy of
    /// itself on the stack.
    ///
    /// # Errors
    ///
    /// [`CalibrationError`] when the picture does not show the start position; the tracker is then of no use until a
    /// later restart succeeds.
    pub fn restart(
        &mut self,
        view: &LumaView<'_>,
        rect: BoardRect,
        orientation: Orientation,
        time: MediaTime,
    ) -> Result<(), CalibrationError> {
        for rank in Rank::ALL {
            self.show_rank(view, rect, orientation, rank);
        }
        self.restart_from_ranks(rect, orientation, time)
    }

    /// Takes in one rank of a picture that may show the start position, of which `view` need hold no more than the
    /// rank's rows ([`BoardRect::rows_of_rank`]). Looks of before are forgotten.
    pub fn show_rank(&mut self, view: &LumaView<'_>, rect: BoardRect, orientation: Orientation, rank: Rank) {
        self.retina.show_rank(view, rect, orientation, rank);
    }

    /// Forgets everything and starts, as [`Self::restart`] does, from the eight ranks last shown by [`Self::show_rank`].
    ///
    /// # Errors
    ///
    /// [`CalibrationError`] when they do not show the start position; the tracker is then of no use until a later restart
    /// succeeds.
    // Not inlined: what calibrating needs of the stack is not to lie below every later frame.
    #[inline(never)]
    pub fn restart_from_ranks(
        &mut self,
        rect: BoardRect,
        orientation: Orientation,
        time: MediaTime,
    ) -> Result<(), CalibrationError> {
        self.position = Chess::new();
        self.restart_here(rect, orientation, time)
    }

    /// Forgets everything but the position, and starts from the eight ranks last shown.
    fn restart_here(
        &mut self,
        rect: BoardRect,
        orientation: Orientation,
        time: MediaTime,
    ) -> Result<(), CalibrationError> {
        self.retina.recalibrate(&mut self.calibration, rect, orientation, time, self.position.board())?;
        self.root = Hypothesis::without_plies(time);
        self.beam.clear();
        self.sightings.clear();
        self.timeline.clear();
        self.unexplained_since = None;
        self.is_doubt_spent = false;
        Ok(())
    }

    /// What the tracker has learned and last seen, where nothing is in flight and every settled ply has been taken;
    /// `None` at other moments.
    #[must_use]
    pub fn snapshot(&self) -> Option<TrackerSnapshot<TEXTURES>> {
        let is_calm = self.beam.is_empty()
            && self.sightings.is_empty()
            && self.timeline.is_empty()
            && self.unexplained_since.is_none();
        let shown_since = self.root.shown_since().filter(|_| is_calm)?;
        Some(TrackerSnapshot {
            retina: self.retina.clone(),
            calibration: self.calibration.clone(),
            shown_since,
        })
    }

    /// A tracker that goes on from a snapshot; `position` is the one after all plies taken before it.
    #[must_use]
    pub fn resume(snapshot: TrackerSnapshot<TEXTURES>, position: Chess) -> Self {
        let TrackerSnapshot { retina, calibration, shown_since } = snapshot;
        Self::settled(retina, calibration, position, shown_since)
    }

    const fn settled(
        retina: Retina,
        calibration: Calibration<TEXTURES>,
        position: Chess,
        shown_since: MediaTime,
    ) -> Self {
        Self {
            retina,
            calibration,
            position,
            root: Hypothesis::without_plies(shown_since),
            beam: ArrayVec::new_const(),
            sightings: ArrayVec::new_const(),
            timeline: Timeline::new(),
            unexplained_since: None,
            is_doubt_spent: false,
        }
    }

    /// Looks at the next frame.
    ///
    /// # Errors
    ///
    /// [`TimelineFull`] when nobody took the plies that settled before.
    pub fn observe(&mut self, view: &LumaView<'_>, time: MediaTime) -> Result<(), TimelineFull> {
        self.observe_squares(view, Bitboard::FULL, time)
    }

    /// Looks at those squares of the next frame that differ from the frame looked at before
    /// ([`differing_squares`](crate::vision::differing_squares)): the same as [`Self::observe`], for less.
    ///
    /// # Errors
    ///
    /// [`TimelineFull`] when nobody took the plies that settled before.
    pub fn observe_squares(
        &mut self,
        view: &LumaView<'_>,
        differing: Bitboard,
        time: MediaTime,
    ) -> Result<(), TimelineFull> {
        let changed = self.retina.look(view, differing, time, &self.calibration);
        self.conclude(changed, time)
    }

    /// Looks at one rank of the next frame, of which `view` need hold no more than the rank's rows
    /// ([`BoardRect::rows_of_rank`]); returns the squares that changed. When all eight ranks have been looked at,
    /// [`Self::conclude`] is to be told of them.
    pub fn look_at_rank(&mut self, view: &LumaView<'_>, rank: Rank, time: MediaTime) -> Bitboard {
        self.retina.look(view, Bitboard::from_rank(rank), time, &self.calibration)
    }

    /// Concludes what has been played from a frame of which all ranks have been looked at, and that on the squares
    /// `changed`.
    ///
    /// # Errors
    ///
    /// [`TimelineFull`] when nobody took the plies that settled before.
    // Not inlined: see `restart_from_ranks`.
    #[inline(never)]
    pub fn conclude(&mut self, changed: Bitboard, time: MediaTime) -> Result<(), TimelineFull> {
        let seen_through = self.retina.look_through(time, &self.calibration);
        if changed.is_empty() && seen_through.is_empty() {
            self.stand(time);
        } else {
            self.is_doubt_spent = false;
            self.follow(time);
        }
        self.settle(time)
    }

    /// Tells that the picture of the last frame stood unchanged until `time`.
    ///
    /// # Errors
    ///
    /// [`TimelineFull`] when nobody took the plies that settled before.
    pub fn stand_until(&mut self, time: MediaTime) -> Result<(), TimelineFull> {
        self.conclude(Bitboard::EMPTY, time)
    }

    /// Tells that the video is over: what the last picture shows is taken as settled. Where it shows no board any more, plies
    /// that were seen to rest before are taken in doubt.
    ///
    /// # Errors
    ///
    /// [`TimelineFull`] when nobody took the plies that settled before.
    pub fn finish(&mut self) -> Result<(), TimelineFull> {
        if let Some(index) = self.best(|h| h.shown_since().is_some()) {
            return self.commit(index, usize::MAX, MediaTime::ZERO);
        }
        let Some(index) = self.best(Hypothesis::has_stood) else { return Ok(()) };
        if let Some(hypothesis) = self.beam.get_mut(index) {
            hypothesis.plies.iter_mut().for_each(|ply| ply.is_ambiguous = true);
        }
        self.commit(index, usize::MAX, MediaTime::ZERO)
    }

    /// Takes the oldest settled ply.
    pub fn take(&mut self) -> Option<TimedPly> {
        self.timeline.take()
    }

    /// The position after all settled plies.
    #[must_use]
    pub const fn position(&self) -> &Chess {
        &self.position
    }

    /// What is known of the present picture.
    #[must_use]
    pub fn state(&self) -> TrackerState {
        match self.unexplained_since {
            Some(since) => TrackerState::Lost { since },
            None if self.root.shown_since().is_some() => TrackerState::Settled,
            None => TrackerState::Unsettled,
        }
    }

    /// How clearly the board shows the piece of a settled ply on its square, in percent: 100 r / (r + o), where the piece
    /// leaves o of what is seen unexplained and the next best explanation leaves r (both luma²). `None` where another
    /// piece has come to that square since.
    #[must_use]
    pub fn clearness_percent(&self, mv: Move) -> Option<u8> {
        let square = landing_square(mv);
        let piece = self.position.board().piece_at(square)?;
        if piece.role != mv.promotion().unwrap_or(mv.role()) {
            return None;
        }
        let class = Class::of(Some(piece));
        let costs = self.calibration.costs(self.retina.tile(square), square).map(u32::from);
        let own = *costs.get(class.index())?;
        let others = costs.iter().enumerate().filter(|&(index, _)| index != class.index());
        let next = others.map(|(_, &cost)| cost).min()?;
        u8::try_from((next * 100).checked_div(next + own)?).ok()
    }

    /// What the board shows, where it has stood still for `us` microseconds.
    #[must_use]
    pub fn still_reading(&self, now: MediaTime, us: i64) -> Option<BoardReading> {
        (now.us_since(self.last_change()) >= us).then(|| self.retina.reading())
    }

    /// What a picture shows at another place, or seen from the other side, by the looks that were learned here.
    #[must_use]
    pub fn reading_elsewhere(
        &self,
        view: &LumaView<'_>,
        rect: BoardRect,
        orientation: Orientation,
    ) -> BoardReading {
        self.retina.reading_elsewhere(view, rect, orientation, &self.calibration)
    }

    /// When a square last changed.
    #[must_use]
    pub fn last_change(&self) -> MediaTime {
        let changes = shakmaty::Square::ALL.into_iter().map(|sq| self.retina.watch(sq).changed_at());
        changes.max().unwrap_or(MediaTime::ZERO)
    }

    /// Goes on from `position`, which the board is known to show since `time` by other means than the plies that the
    /// tracker has seen: what it took for certain or possible before is forgotten, what it has learned of the looks is
    /// not. Settled plies are to be taken before.
    pub fn go_on_from(&mut self, position: Chess, time: MediaTime) {
        self.position = position;
        self.root = Hypothesis::without_plies(time);
        self.beam.clear();
        self.sightings.clear();
        self.unexplained_since = None;
        self.is_doubt_spent = false;
    }

    /// The last looks at the squares.
    #[must_use]
    pub const fn retina(&self) -> &Retina {
        &self.retina
    }

    /// The last sighting still stands, where what is seen now is a sighting.
    fn stand(&mut self, now: MediaTime) {
        let is_shown = core::iter::once(&self.root).chain(&self.beam).any(|h| h.shown_since().is_some());
        if let Some(sighting) = self.sightings.last_mut().filter(|_| is_shown) {
            sighting.stand_until(now);
        }
    }

    /// Brings every hypothesis up to date with a changed picture, and looks for new ones where none is shown.
    fn follow(&mut self, now: MediaTime) {
        let reading = self.retina.reading();
        let differ = Differ::new(&reading);
        let certain = Placement::from(self.position.board());
        let (mut is_shown, mut is_news) = self.compare(&differ, &certain, now);
        // Even where an earlier placement is shown again: pieces may have come back to it, as in a repetition. Three plies
        // would explain a piece that was lifted and put back.
        let plies_max = if is_shown { RETURN_PLIES_MAX } else { 1 };
        let is_continued = self.explain(&differ, &certain, plies_max, now);
        is_news |= is_continued;
        is_shown |= is_continued;
        // A piece in flight has left its square, and that could be explained by captures that never were. Several plies
        // in one step are looked for only where no ply in flight explains the picture.
        let mut present = core::iter::once(&self.root).chain(&self.beam);
        if !is_shown && !present.any(|h| shows_flight(&h.position(&self.position), &reading)) {
            is_news = self.explain(&differ, &certain, STEP_PLIES_MAX, now);
            is_shown = is_news;
        }
        if is_news {
            if self.sightings.is_full() {
                self.sightings.pop_at(0);
            }
            // Without any room for sightings, rivals are compared by their plies and looks alone.
            let _ = self.sightings.try_push(Sighting::new(reading, now));
        }
        if is_shown {
            self.unexplained_since = None;
            self.beam.iter_mut().filter(|h| h.shown_since().is_none()).for_each(Hypothesis::give_way);
        } else {
            self.unexplained_since.get_or_insert(now);
        }
    }

    /// Compares every hypothesis with a changed picture; returns whether one is shown, and whether one newly is.
    #[inline(never)]
    fn compare(&mut self, differ: &Differ<'_>, certain: &Placement, now: MediaTime) -> (bool, bool) {
        let scene = Scene { retina: &self.retina, calibration: &self.calibration };
        let (mut is_shown, mut is_news) = (false, false);
        for hypothesis in core::iter::once(&mut self.root).chain(&mut self.beam) {
            let placement = Placement::from(hypothesis.position(&self.position).board());
            if differ.shows(certain, &placement) {
                is_shown = true;
                if hypothesis.shown_since().is_none() {
                    is_news = true;
                    hypothesis.set_shown_since(Some(now));
                }
                hypothesis.follow_last_ply(&placement, scene, now);
            } else {
                hypothesis.hide(now);
            }
        }
        (is_shown, is_news)
    }

    /// Where a still picture stays unexplained, decides its unclear squares by what explains them better than what stood
    /// there.
    fn follow_in_doubt(&mut self, now: MediaTime) {
        let is_still = |sq| now.us_since(self.retina.watch(sq).changed_at()) >= STILL_MIN_US;
        if self.is_doubt_spent || !shakmaty::Square::ALL.into_iter().all(is_still) {
            return;
        }
        self.is_doubt_spent = true;
        let certain = Placement::from(self.position.board());
        let reading = self.retina.doubtful_reading(&certain, &self.calibration);
        if self.explain(&Differ::new(&reading), &certain, 1, now) {
            self.unexplained_since = None;
        }
    }

    /// Adds the shortest continuations of the present hypotheses that the picture shows; returns whether there are any.
    fn explain(
        &mut self,
        differ: &Differ<'_>,
        certain: &Placement,
        plies_max: usize,
        now: MediaTime,
    ) -> bool {
        let mut budget_nodes = FRAME_BUDGET_NODES;
        let mut news = ArrayVec::new();
        for plies in 1..=plies_max {
            self.find_continuations(differ, certain, plies, &mut budget_nodes, now, &mut news);
            let has_news = !news.is_empty();
            while let Some(next) = news.pop_at(0) {
                self.admit(next);
            }
            if has_news {
                return true;
            }
        }
        false
    }

    /// Adds to `news` the continuations of the present hypotheses by so many plies that the picture shows, those of the beam
    /// aside.
    #[inline(never)]
    fn find_continuations(
        &self,
        differ: &Differ<'_>,
        certain: &Placement,
        plies: usize,
        budget_nodes: &mut u32,
        now: MediaTime,
        news: &mut ArrayVec<Hypothesis, HYPOTHESES>,
    ) {
        for hypothesis in core::iter::once(&self.root).chain(&self.beam) {
            let mut found: Explanations = Explanations::new();
            differ.explain(&hypothesis.position(&self.position), certain, plies, budget_nodes, &mut found);
            self.continue_by(hypothesis, &found, now, news);
        }
    }

    /// Adds the hypothesis followed by each of the explanations, where that is news.
    #[inline(never)]
    fn continue_by(
        &self,
        hypothesis: &Hypothesis,
        found: &Explanations,
        now: MediaTime,
        news: &mut ArrayVec<Hypothesis, HYPOTHESES>,
    ) {
        let scene = Scene { retina: &self.retina, calibration: &self.calibration };
        let was_hidden = self.unexplained_since.is_some_and(|since| now.us_since(since) >= HIDDEN_MIN_US);
        let plies = found.first().map_or(0, ArrayVec::len);
        let are_many = was_hidden && plies > HIDDEN_CERTAIN_PLIES;
        // What stays unclear where nothing moves may show a ply of its own.
        let is_ambiguous = found.len() > 1 || are_many || (plies > 1 && self.is_partly_hidden(now));
        for moves in found {
            let followed = hypothesis.followed_by(moves, &self.position, scene, now);
            let Some(mut next) = followed else { continue };
            for ply in next.plies.iter_mut().skip(hypothesis.plies.len()) {
                ply.is_ambiguous = is_ambiguous || !self.is_seen_to_land(ply.mv);
            }
            let is_known = |h: &Hypothesis| h.plies.iter().map(|p| p.mv).eq(next.plies.iter().map(|p| p.mv));
            if !self.beam.iter().chain(&*news).any(is_known) {
                // Beyond as many as can be kept, more are let go.
                let _ = news.try_push(next);
            }
        }
    }

    /// Whether what a ply puts on its squares is seen there, and could not be something else beneath a mark.
    fn is_seen_to_land(&self, mv: Move) -> bool {
        let through = self.retina.seen_through();
        landing_squares(mv).all(|sq| !through.contains(sq) || self.retina.watch(sq).shows_one_class())
    }

    /// Takes a hypothesis into the beam; where there is no room the worst one gives way.
    #[inline(never)]
    fn admit(&mut self, hypothesis: Hypothesis) {
        if self.beam.is_full() {
            let ranked = self.beam.iter().enumerate();
            if let Some((worst, _)) = ranked.max_by_key(|(_, h)| self.rank(h)) {
                self.beam.swap_pop(worst);
            }
        }
        // A beam without any room follows no game.
        let _ = self.beam.try_push(hypothesis);
    }

    /// What tells rivals apart: sightings left unexplained, then plies, then what the pieces' looks leave unexplained.
    fn rank(&self, hypothesis: &Hypothesis) -> (usize, usize, u32) {
        let scene = Scene { retina: &self.retina, calibration: &self.calibration };
        let cost = hypothesis.cost(&self.position, scene);
        (hypothesis.unexplained(&self.position, &self.sightings), hypothesis.plies.len(), cost)
    }

    /// The best hypothesis of the beam among those that `pick` picks.
    fn best(&self, pick: impl Fn(&Hypothesis) -> bool) -> Option<usize> {
        let picked = self.beam.iter().enumerate().filter(|(_, h)| pick(h));
        picked.min_by_key(|(_, h)| self.rank(h)).map(|(index, _)| index)
    }

    /// Commits what has become certain.
    fn settle(&mut self, now: MediaTime) -> Result<(), TimelineFull> {
        if self.unexplained_since.is_some_and(|since| now.us_since(since) >= DOUBT_MIN_US) {
            self.follow_in_doubt(now);
        }
        if self.beam.is_empty() {
            return Ok(());
        }
        if let Some(index) = self.best(|h| self.is_settled(h, now)) {
            return match self.undisputed_plies(index) {
                0 => Ok(()),
                count => self.commit(index, count, now),
            };
        }
        if self.root.shown_since().is_some_and(|since| now.us_since(since) >= SHOWN_MIN_US) {
            // Whatever passed over the board, nothing has been played.
            self.beam.clear();
            self.sightings.clear();
            return Ok(());
        }
        // Plies come faster than the board rests: what later plies were seen to follow is certain.
        while let Some(index) = self.best(|_| true)
            && let Some(hypothesis) = self.beam.get(index)
            && let [first, .., last] = hypothesis.plies.as_slice()
            && hypothesis.plies.len() >= CERTAIN_PLIES
            && first.time() < last.time()
        {
            self.commit(index, 1, now)?;
        }
        Ok(())
    }

    /// How many plies of a hypothesis no rival disputes that is shown as well and leaves the other side to move.
    ///
    /// A bishop that is seen on e2 and in the next frame on c4, with a reply beside it, may have been on its way, or have
    /// stopped and gone on after the reply. The pictures are the same; the next ply tells, for it is one side's or the
    /// other's.
    fn undisputed_plies(&self, index: usize) -> usize {
        let Some(hypothesis) = self.beam.get(index) else { return 0 };
        let plies = hypothesis.plies.as_slice();
        let is_rival = |h: &&Hypothesis| h.shown_since().is_some() && (h.plies.len() + plies.len()) % 2 == 1;
        let agreed = |h: &Hypothesis| h.plies.iter().zip(plies).take_while(|(a, b)| a.mv == b.mv).count();
        self.beam.iter().filter(is_rival).map(agreed).min().unwrap_or(plies.len())
    }

    /// Whether a square that shows nothing clearly has changed within the last `us` microseconds.
    fn is_in_motion(&self, reading: &BoardReading, now: MediaTime, us: i64) -> bool {
        (!reading.clear()).into_iter().any(|sq| now.us_since(self.retina.watch(sq).changed_at()) <= us)
    }

    /// Whether a square that shows nothing clearly has stood still: something lies over it.
    fn is_partly_hidden(&self, now: MediaTime) -> bool {
        let mut unclear = (!self.retina.reading().clear()).into_iter();
        unclear.any(|sq| now.us_since(self.retina.watch(sq).changed_at()) >= STILL_MIN_US)
    }

    /// Whether a hypothesis is shown, and nothing moves on the squares it changes nor on any that is unclear.
    fn is_settled(&self, hypothesis: &Hypothesis, now: MediaTime) -> bool {
        let Some(shown_since) = hypothesis.shown_since() else { return false };
        let is_still = hypothesis
            .touched_squares()
            .into_iter()
            .all(|sq| now.us_since(self.retina.watch(sq).changed_at()) >= STILL_MIN_US);
        let rests = || is_still && !self.is_in_motion(&self.retina.reading(), now, STILL_MIN_US - 1);
        now.us_since(shown_since) >= SHOWN_MIN_US || rests()
    }

    /// Makes the first `count` plies of a hypothesis certain.
    fn commit(&mut self, index: usize, count: usize, now: MediaTime) -> Result<(), TimelineFull> {
        let Some(chosen) = self.beam.get(index).cloned() else { return Ok(()) };
        let plies = chosen.plies.as_slice();
        let (certain, open) = plies.split_at_checked(count).unwrap_or((plies, &[]));
        let count = certain.len();
        for &ply in certain {
            self.timeline.push(ply)?;
            self.position.play_unchecked(ply.mv);
        }
        if open.is_empty() {
            self.root.set_shown_since(chosen.shown_since());
            self.beam.clear();
            self.sightings.clear();
            self.learn(certain, now);
        } else {
            self.root.set_shown_since(None);
            self.beam
                .retain(|h| h.plies.len() > count && h.plies.iter().zip(certain).all(|(a, b)| a.mv == b.mv));
            for hypothesis in &mut self.beam {
                hypothesis.forget(count);
            }
        }
        Ok(())
    }

    /// Learns from what the squares show for certain: kings and queens on the square colour on which they do not start,
    /// and the textures of bare squares that have changed since they were learned.
    fn learn(&mut self, plies: &[HeldPly], now: MediaTime) {
        let touched = plies
            .iter()
            .flat_map(|p| landing_squares(p.mv).chain(p.mv.from()))
            .fold(Bitboard::EMPTY, |all, sq| all | Bitboard::from(sq));
        let board = self.position.board().clone();
        let mut learned = Bitboard::EMPTY;
        // What lies over a square is not to be learned with it.
        let seen = !self.retina.seen_through();
        for square in touched & board.occupied() & seen {
            if let Some(piece) = board.piece_at(square)
                && self.calibration.learn_piece(piece, square, self.retina.tile(square))
            {
                learned = Bitboard::FULL;
            }
        }
        for square in !board.occupied() & seen {
            let watch = self.retina.watch(square);
            let stands = now.us_since(watch.changed_at()) >= STILL_MIN_US;
            let tile = self.retina.tile(square);
            let is_plainer = stands && self.calibration.is_plainer_than_learned(square, tile);
            let is_marked = touched.contains(square) && !is_plainer;
            if (is_marked || is_plainer || (stands && watch.shows_bare()))
                && self.calibration.learn_bare(square, tile, is_marked)
            {
                learned.add(square);
            }
        }
        self.retina.look_again(learned, &self.calibration);
    }
}
