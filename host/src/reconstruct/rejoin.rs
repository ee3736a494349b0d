//! Finds back into a game where the board stands still and no few plies explain it: plies were taken back, or played
//! while something hid the board.

use plyscope_core::media_time::MediaTime;
use plyscope_core::track::{Differ, Explanations, HIDDEN_CERTAIN_PLIES, TimedPly, Tracker, TrackerState};
use plyscope_core::vision::{BoardReading, Placement};
use shakmaty::{Bitboard, Chess, Position};

use super::ReadGame;

/// Nothing has explained the board for so long: a piece in hand may take its time.
pub(super) const LOST_MIN_US: i64 = 1_500_000;
/// And it has stood still for so long: longer than a screen recorder may double a frame of a slide.
const STILL_MIN_US: i64 = 250_000;
/// Plies that may have been taken back at once. A board that shows something older shows another game, or a look back
/// at this one.
const BACK_PLIES_MAX: usize = 6;
/// Plies that may have been played unseen.
const HIDDEN_PLIES_MAX: usize = 8;
/// Plies that may have been played unseen after others had been taken back.
const REPLAYED_PLIES_MAX: usize = 2;
/// Positions that are tried for one picture.
const BUDGET_NODES: u32 = 400_000;

/// How the game goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Way {
    /// Plies of the game so far that stand; those after them were taken back.
    pub(super) kept: usize,
    /// Plies played after them unseen.
    pub(super) hidden: Vec<TimedPly>,
    /// Since when the board has shown so.
    pub(super) time: MediaTime,
}

impl Way {
    /// The position to which it leads.
    pub(super) fn end(&self, game: &ReadGame) -> Chess {
        let mut position = game.positions().get(self.kept).cloned().unwrap_or_default();
        self.hidden.iter().for_each(|ply| position.play_unchecked(ply.mv));
        position
    }
}

/// Looks for a way back into the game at each picture that nothing explains, once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rejoiner {
    /// When the picture had last changed that was tried last.
    tried: Option<MediaTime>,
}

impl Rejoiner {
    /// Where the tracker is lost before a board that stands still, brings it to what the board shows; returns how the
    /// game is to follow.
    pub(super) fn rejoin(&mut self, tracker: &mut Tracker, game: &ReadGame, now: MediaTime) -> Option<Way> {
        let TrackerState::Lost { since } = tracker.state() else { return None };
        if now.us_since(since) < LOST_MIN_US {
            return None;
        }
        let changed = tracker.last_change();
        // A piece in hand lies across squares, which are then not clear.
        let reading = tracker.still_reading(now, STILL_MIN_US).filter(|r| r.clear() == Bitboard::FULL)?;
        if self.tried.replace(changed) == Some(changed) {
            return None;
        }
        let way = way_to(&reading, game, changed)?;
        tracker.go_on_from(way.end(game), changed);
        Some(way)
    }
}

/// The shortest way from the game to what the board shows: back, or on, or back and on.
pub(super) fn way_to(reading: &BoardReading, game: &ReadGame, time: MediaTime) -> Option<Way> {
    let differ = Differ::new(reading);
    let positions = game.positions();
    let last = positions.len() - 1;
    let certain = Placement::from(positions[last].board());
    // Back to the start position is another game, unless hardly anything had been played.
    let oldest = if last <= 2 { 0 } else { 1 };
    let earlier = |back: usize| last.checked_sub(back).filter(|&kept| kept >= oldest);
    for kept in (1..=BACK_PLIES_MAX).map_while(earlier) {
        if differ.shows(&certain, &Placement::from(positions[kept].board())) {
            return Some(Way { kept, hidden: Vec::new(), time });
        }
    }
    let mut budget_nodes = BUDGET_NODES;
    let mut explain = |kept: usize, plies: usize| {
        let mut found = Explanations::<HIDDEN_PLIES_MAX>::new();
        differ.explain(&positions[kept], &certain, plies, &mut budget_nodes, &mut found);
        // So many may have been more: a piece that stopped on its way leaves no trace.
        let is_ambiguous = found.len() > 1 || plies > HIDDEN_CERTAIN_PLIES;
        let hidden = found.first()?.iter().map(|&mv| TimedPly { mv, time, is_ambiguous }).collect();
        Some(Way { kept, hidden, time })
    };
    (1..=HIDDEN_PLIES_MAX).find_map(|plies| explain(last, plies)).or_else(|| {
        let back = (1..=BACK_PLIES_MAX).map_while(earlier);
        back.into_iter().find_map(|kept| (1..=REPLAYED_PLIES_MAX).find_map(|plies| explain(kept, plies)))
    })
}

#[cfg(test)]
mod tests {
    use plyscope_core::vision::Class;
    use shakmaty::Square;
    use shakmaty::san::San;

    use super::*;

    fn reading_of(position: &Chess) -> BoardReading {
        BoardReading::from_masks(
            Square::ALL.into_iter().map(|sq| (sq, 1 << Class::of(position.board().piece_at(sq)).index())),
        )
    }

    fn game(moves: &str) -> ReadGame {
        let mut game = ReadGame::default();
        for (index, word) in moves.split_whitespace().enumerate() {
            let mv = word.parse::<San>().expect("a move").to_move(&game.position()).expect("a legal move");
            let time = MediaTime::from_ms(1000 * (index as i64 + 1));
            game.push(TimedPly { mv, time, is_ambiguous: false });
        }
        game
    }

    /// The way from one game to the board of another: plies kept, plies played unseen.
    fn way(from: &str, to: &str) -> Option<(usize, usize)> {
        let way = way_to(&reading_of(&game(to).position()), &game(from), MediaTime::from_ms(90_000))?;
        assert_eq!(way.end(&game(from)).board(), game(to).position().board());
        Some((way.kept, way.hidden.len()))
    }

    #[test]
    fn plies_taken_back_are_told_from_plies_played() {
        assert_eq!(way("e4 e5 Nf3 Nc6", "e4 e5 Nf3"), Some((3, 0)));
        assert_eq!(way("e4 e5 Nf3 Nc6 Bb5 a6", "e4 e5 Nf3 Nc6"), Some((4, 0)));
        assert_eq!(way("e4 e5 Nf3 Nc6 Bb5 a6", "e4 e5 Nf3 Nc6 Bc4"), Some((4, 1)));
    }

    #[test]
    fn more_plies_than_a_step_has_are_found_after_a_board_was_hidden() {
        let from = "e4 e5 Nf3";
        assert_eq!(way(from, "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6"), Some((3, 5)));
        assert_eq!(way(from, "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6 O-O f6 d4"), Some((3, 8)));
    }

    #[test]
    fn another_game_is_no_way_on() {
        assert_eq!(way("e4 e5 Nf3 Nc6 Bb5 a6", ""), None);
        assert_eq!(way("e4 e5 Nf3 Nc6 Bb5 a6", "d4 d5 c4 c6 Nc3 Nf6 cxd5 cxd5 Bf4 Nc6 e3 Bf5 Qb3 Na5"), None);
    }
}
