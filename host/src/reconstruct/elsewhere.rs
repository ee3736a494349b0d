//! Finds a board that was moved or resized while a game went on, or another game at another place of the picture.

use plyscope_core::media_time::MediaTime;
use plyscope_core::track::{Tracker, TrackerState};
use plyscope_core::vision::{BoardReading, BoardRect, LumaView, Orientation};
use shakmaty::Board;

use super::ReadGame;
use super::rejoin::way_to;
use crate::video::{
    Located, OrientationChoice, VideoError, VideoInput, find_boards_in_play, is_same_place, locate_in,
};

/// A board is looked for elsewhere when nothing has explained it for so long,
const LOST_MIN_US: i64 = 1_500_000;
/// and again after twice as long each time, up to this.
const PAUSE_MAX_US: i64 = 30_000_000;
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
        (located, choice): (Located, OrientationChoice),
        now: MediaTime,
    ) -> Result<Option<Found>, VideoError> {
        let TrackerState::Lost { since } = tracker.state() else { return Ok(None) };
        if self.lost_since != Some(since) {
            *self = Self { lost_since: Some(since), searched: None, pause_us: LOST_MIN_US };
        }
        let due_us = now.us_since(self.searched.unwrap_or(since));
        if due_us < self.pause_us {
            return Ok(None);
        }
        self.searched = Some(now);
        self.pause_us = (self.pause_us * 2).min(PAUSE_MAX_US);
        let Some((width, height, pixels)) = input.luma_at(now)? else { return Ok(None) };
        let Ok(view) = LumaView::new(&pixels, width, height, width) else { return Ok(None) };
        let found = |located, is_another_game| Found { located, since, is_another_game };
        let moved = moved_to(&view, tracker, game, (located, choice), now);
        Ok(moved.map(|located| found(located, false)).or_else(|| {
            let other = locate_in(&view, choice, now, &Board::new())?;
            // At the same place it is the successor's business.
            (!is_same_place(&other.rect, &located.rect)).then(|| found(other, true))
        }))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_the_same_up_to_a_tenth_of_a_square() {
        let rect = |left, side| BoardRect::from_px(left, 40, side, side).expect("a board");
        assert!(is_same_place(&rect(100, 800), &rect(109, 800)));
        assert!(!is_same_place(&rect(100, 800), &rect(111, 800)));
        assert!(!is_same_place(&rect(100, 800), &rect(100, 780)));
    }
}
