//! Finds a board that was moved or resized while a game went on, or another game at another place of the picture.

use plyscope_core::media_time::MediaTime;
use plyscope_core::track::{Tracker, TrackerState};
use plyscope_core::vision::{BoardReading, BoardRect, LumaView, Orientation};
use shakmaty::{Board, Chess};

use super::ReadGame;
use super::rejoin::{LOST_MIN_US, Way, way_to};
use super::rivals::Rivals;
use crate::video::{
    Located, OrientationChoice, VideoError, VideoInput, find_boards_in_play, is_same_place, locate_in,
};

/// A board is looked for elsewhere when nothing has explained it for as long as a way back is looked for, and again after
/// twice as long each time, up to this.
const PAUSE_MAX_US: i64 = 30_000_000;
/// A board that was found elsewhere shows the game there within so long, or is given up.
pub(super) const ARRIVAL_MAX_US: i64 = 3_000_000;
/// Places that are looked at in one picture.
const PLACES_MAX: usize = 48;
/// Boards are looked for down to this side, in pixels.
const SIDE_MIN_PX: usize = 120;
/// So many squares must show something clearly.
const CLEAR_MIN: usize = 60;

/// Looks for the board in whole pictures, at longer and longer intervals.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Elsewhere {
    lost_since: Option<MediaTime>,
    searched: Option<MediaTime>,
    pause_us: i64,
}

/// A board at another place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) located: Located,
    /// Since when it may have been there.
    pub(super) since: MediaTime,
    /// Whether it shows the start of another game.
    pub(super) is_another_game: bool,
}

impl Elsewhere {
    /// Looks for the board in the whole picture at `now`, where the tracker is lost and it is time.
    pub(super) fn search(
        &mut self,
        input: &VideoInput,
        tracker: &Tracker,
        game: &ReadGame,
        place: (Located, OrientationChoice),
        now: MediaTime,
    ) -> Result<Option<Found>, VideoError> {
        let Some(since) = self.due_since(tracker, now) else { return Ok(None) };
        let Some((width, height, pixels)) = input.luma_at(now)? else { return Ok(None) };
        let Ok(view) = LumaView::new(&pixels, width, height, width) else { return Ok(None) };
        Ok(found_in(&view, tracker, game, place, (since, now)))
    }

    /// The same in a whole picture that is at hand.
    pub(super) fn search_in(
        &mut self,
        view: &LumaView<'_>,
        tracker: &Tracker,
        game: &ReadGame,
        place: (Located, OrientationChoice),
        now: MediaTime,
    ) -> Option<Found> {
        let since = self.due_since(tracker, now)?;
        found_in(view, tracker, game, place, (since, now))
    }

    /// Since when the tracker has been lost, if it is time to search; the next time is then later.
    fn due_since(&mut self, tracker: &Tracker, now: MediaTime) -> Option<MediaTime> {
        let TrackerState::Lost { since } = tracker.state() else { return None };
        if self.lost_since != Some(since) {
            *self = Self { lost_since: Some(since), searched: None, pause_us: LOST_MIN_US };
        }
        if now.us_since(self.searched.unwrap_or(since)) < self.pause_us {
            return None;
        }
        self.searched = Some(now);
        self.pause_us = (self.pause_us * 2).min(PAUSE_MAX_US);
        Some(since)
    }
}

/// The board of the game, or the start of another, at another place of a picture.
fn found_in(
    view: &LumaView<'_>,
    tracker: &Tracker,
    game: &ReadGame,
    (located, choice): (Located, OrientationChoice),
    (since, now): (MediaTime, MediaTime),
) -> Option<Found> {
    let found = |located, is_another_game| Found { located, since, is_another_game };
    let moved = moved_to(view, tracker, game, (located, choice), now);
    moved.map(|located| found(located, false)).or_else(|| {
        let other = locate_in(view, choice, now, &Board::new())?;
        // At the same place it is the successor's business.
        (!is_same_place(&other.rect, &located.rect)).then(|| found(other, true))
    })
}

/// What a board that was found elsewhere goes on with.
pub(super) enum Arrival {
    /// The game, by this way.
    Game(Way, Rivals),
    /// Another game.
    AnotherGame(Rivals),
}

impl Found {
    /// What goes on at the new place, of which `view` shows the board at `rect`; `None` where it does not show yet.
    pub(super) fn arrive(
        &self,
        view: &LumaView<'_>,
        rect: BoardRect,
        before: &Rivals,
        game: &ReadGame,
        now: MediaTime,
    ) -> Option<Arrival> {
        let orientation = self.located.orientation;
        let start =
            |positions: &[Chess]| Rivals::start(view, rect, orientation, now, positions).and_then(Result::ok);
        if self.is_another_game {
            return start(&[Chess::default()]).map(Arrival::AnotherGame);
        }
        let reading = before.first().reading_elsewhere(view, rect, orientation);
        let way = way_to(&reading, game, now)?;
        let positions = if before.is_open() { before.positions() } else { vec![way.end(game)] };
        start(&positions).map(|rivals| Arrival::Game(way, rivals))
    }
}

/// Where the board of the game stands in a picture, if not where it was.
fn moved_to(
    view: &LumaView<'_>,
    tracker: &Tracker,
    game: &ReadGame,
    (located, choice): (Located, OrientationChoice),
    now: MediaTime,
) -> Option<Located> {
    let own = located.orientation;
    let shows = |rect: BoardRect| {
        let is_here = is_same_place(&rect, &located.rect);
        let shows_it = |&orientation: &Orientation| {
            let is_new = !is_here || orientation != own;
            is_new && shows_game(&tracker.reading_elsewhere(view, rect, orientation), game, now)
        };
        let orientation = choice.orientations(own).find(shows_it)?;
        Some(Located { rect: if is_here { located.rect } else { rect }, orientation, time: now })
    };
    find_boards_in_play(view, SIDE_MIN_PX).take(PLACES_MAX).find_map(shows)
}

/// Whether a reading shows the game, a few plies on or back at most.
fn shows_game(reading: &BoardReading, game: &ReadGame, time: MediaTime) -> bool {
    reading.clear().count() >= CLEAR_MIN && way_to(reading, game, time).is_some()
}
