//! Another game on the same board: the start position comes back, from either side, or another position stands there.

use plyscope_core::media_time::MediaTime;
use plyscope_core::track::{TimelineFull, Tracker, TrackerState};
use plyscope_core::vision::{BoardReading, BoardRect, Class, LumaView, Orientation, Placement};
use shakmaty::{Bitboard, Board, Chess, Position, Square};

use super::ReadGame;
use super::rivals::{Rivals, positions_of};
use crate::video::OrientationChoice;

/// A start position shown so long, while nothing explains the game before it, begins another.
const START_SHOWN_MIN_US: i64 = 1_500_000;
/// Another game that has been lost for so long, before its first ply, was none.
const LOST_MAX_US: i64 = 1_000_000;
/// Up to so many plies are taken back to the start position; after more, it is another game.
const BACK_PLIES_MAX: usize = 2;
/// Squares that may contradict the start position by the looks learned before; the start itself is then looked at closely.
const CONTRADICTED_MAX: usize = 8;
/// A position that is not of the game begins another when the game has been lost for so long,
const LOST_MIN_US: i64 = 5_000_000;
/// and it has stood still for so long,
const STILL_MIN_US: i64 = 1_000_000;
/// and so many plies have been played from it.
const READ_PLIES_MIN: u32 = 2;

/// Another game that may have begun while nothing explains the one before.
#[derive(Debug)]
pub(super) struct Successor {
    pub(super) rivals: Rivals,
    pub(super) orientation: Orientation,
    /// Since when its first position has been seen.
    pub(super) since: MediaTime,
    /// Whether that position was read and is not the start position.
    pub(super) is_read: bool,
}

impl Successor {
    /// Looks whether another game begins with this picture, of which `rect` shows the board.
    pub(super) fn begin(
        tracker: &Tracker,
        game: &ReadGame,
        choice: OrientationChoice,
        view: &LumaView<'_>,
        rect: BoardRect,
        now: MediaTime,
    ) -> Option<Self> {
        let TrackerState::Lost { since: lost_since } = tracker.state() else { return None };
        let reading = tracker.retina().reading();
        let own = tracker.retina().orientation();
        let (start, turned) = (Board::new(), turned(&Board::new()));
        let is_again = game.plies().len() > BACK_PLIES_MAX || *game.start().board() != start;
        let candidates =
            [(own, &start, is_again), (own.opposite(), &turned, choice == OrientationChoice::Auto)];
        for (orientation, shown, _) in candidates.into_iter().filter(|candidate| candidate.2) {
            if reading.contradicted(&Placement::from(shown)).count() <= CONTRADICTED_MAX
                && let Some(Ok(rivals)) = Rivals::start(view, rect, orientation, now, &[Chess::default()])
            {
                return Some(Self { rivals, orientation, since: now, is_read: false });
            }
        }
        if now.us_since(lost_since) < LOST_MIN_US {
            return None;
        }
        let board = board_of(&tracker.still_reading(now, STILL_MIN_US)?)?;
        // Who looks back at the game comes back to it.
        if game.positions().iter().any(|position| *position.board() == board) {
            return None;
        }
        let rivals = Rivals::start(view, rect, own, now, &positions_of(&board))?.ok()?;
        Some(Self { rivals, orientation: own, since: tracker.last_change(), is_read: true })
    }

    /// Looks at the next frame.
    pub(super) fn observe(
        &mut self,
        view: &LumaView<'_>,
        differing: Bitboard,
        stood_until: Option<MediaTime>,
        now: MediaTime,
    ) -> Result<(), TimelineFull> {
        if let Some(until) = stood_until {
            self.rivals.stand_until(until)?;
        }
        self.rivals.observe(view, differing, now)
    }

    /// Whether it certainly is another game.
    pub(super) fn has_begun(&self, now: MediaTime) -> bool {
        if self.is_read {
            return self.rivals.plies() >= READ_PLIES_MIN;
        }
        let is_shown = self.rivals.first().state() == TrackerState::Settled;
        self.rivals.plies() > 0 || (is_shown && now.us_since(self.since) >= START_SHOWN_MIN_US)
    }

    /// Whether it was none: the board shows something else.
    pub(super) fn is_over(&self, now: MediaTime) -> bool {
        match self.rivals.first().state() {
            TrackerState::Lost { since } => self.rivals.plies() == 0 && now.us_since(since) >= LOST_MAX_US,
            _ => false,
        }
    }
}

/// A board seen from the other side.
fn turned(board: &Board) -> Board {
    let mut turned = Board::empty();
    for (square, piece) in board.clone() {
        turned.set_piece_at(square.rotate_180(), piece);
    }
    turned
}

/// The pieces of a reading that leaves no doubt of any square.
fn board_of(reading: &BoardReading) -> Option<Board> {
    let mut board = Board::empty();
    for square in Square::ALL {
        let mut classes = Class::all().filter(|&class| reading.plausible(class).contains(square));
        let class = classes.next()?;
        if classes.next().is_some() {
            return None;
        }
        if let Some(piece) = class.content() {
            board.set_piece_at(square, piece);
        }
    }
    Some(board)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_without_doubt_is_a_board_and_one_with_doubt_is_none() {
        let start = Board::new();
        let of = |extra: u16| {
            BoardReading::from_masks(Square::ALL.into_iter().map(|square| {
                let mask = 1 << Class::of(start.piece_at(square)).index();
                (square, if square == Square::D1 { mask | extra } else { mask })
            }))
        };
        assert_eq!(board_of(&of(0)), Some(start.clone()));
        assert_eq!(board_of(&of(1)), None);
        assert_eq!(turned(&turned(&start)), start);
    }
}
