//! Trackers that follow one board side by side: a picture of a board does not tell whose turn it is.

use plyscope_core::media_time::MediaTime;
use plyscope_core::track::{TimelineFull, Tracker, TrackerState};
use plyscope_core::vision::{BoardRect, CalibrationError, LumaView, Orientation};
use shakmaty::{Bitboard, Board, CastlingMode, Chess, Color, Position, PositionError, Rank, Setup, Square};

/// At least one tracker; the first that sees a ply settle stays alone.
#[derive(Debug)]
pub(super) struct Rivals {
    first: Tracker,
    others: Vec<Tracker>,
    start: Chess,
}

impl Rivals {
    /// Starts from a picture of a board whose pieces stand as in each of these positions, the likeliest first; `None` where
    /// there is none.
    pub(super) fn start(
        view: &LumaView<'_>,
        rect: BoardRect,
        orientation: Orientation,
        time: MediaTime,
        positions: &[Chess],
    ) -> Option<Result<Self, CalibrationError>> {
        let start = |position: &Chess| Tracker::start_from(view, rect, orientation, time, position.clone());
        let (first, others) = positions.split_first()?;
        let all = || {
            let others = others.iter().map(start).collect::<Result<_, _>>()?;
            Ok(Self { first: start(first)?, others, start: first.clone() })
        };
        Some(all())
    }

    /// Goes on with a tracker that is alone.
    pub(super) fn alone(tracker: Tracker) -> Self {
        let start = tracker.position().clone();
        Self { first: tracker, others: Vec::new(), start }
    }

    /// The positions that are still possible at the start, the likeliest first.
    pub(super) fn positions(&self) -> Vec<Chess> {
        std::iter::once(&self.first).chain(&self.others).map(|tracker| tracker.position().clone()).collect()
    }

    /// The tracker that speaks for all.
    pub(super) const fn first(&self) -> &Tracker {
        &self.first
    }

    /// The tracker that speaks for all.
    pub(super) const fn first_mut(&mut self) -> &mut Tracker {
        &mut self.first
    }

    /// Whether nothing legal explains the board, whosever turn it was.
    pub(super) fn is_lost(&self) -> bool {
        let mut all = std::iter::once(&self.first).chain(&self.others);
        all.all(|tracker| matches!(tracker.state(), TrackerState::Lost { .. }))
    }

    /// Whether it is open whose turn it was at the start.
    pub(super) fn is_open(&self) -> bool {
        !self.others.is_empty()
    }

    /// The position in which the tracker that speaks for all started.
    pub(super) const fn start_position(&self) -> &Chess {
        &self.start
    }

    /// How many plies have settled since the start.
    pub(super) fn plies(&self) -> u32 {
        let ply = |position: &Chess| u32::from(position.fullmoves()) * 2 + position.turn().fold_wb(0, 1);
        ply(self.first.position()).saturating_sub(ply(&self.start))
    }

    /// Looks at the next frame, as [`Tracker::observe_squares`].
    pub(super) fn observe(
        &mut self,
        view: &LumaView<'_>,
        differing: Bitboard,
        time: MediaTime,
    ) -> Result<(), TimelineFull> {
        self.each(|tracker| tracker.observe_squares(view, differing, time))
    }

    /// Tells that the last picture stood until `time`.
    pub(super) fn stand_until(&mut self, time: MediaTime) -> Result<(), TimelineFull> {
        self.each(|tracker| tracker.stand_until(time))
    }

    /// Tells that the video is over.
    pub(super) fn finish(&mut self) -> Result<(), TimelineFull> {
        self.each(Tracker::finish)
    }

    fn each(
        &mut self,
        mut tell: impl FnMut(&mut Tracker) -> Result<(), TimelineFull>,
    ) -> Result<(), TimelineFull> {
        tell(&mut self.first)?;
        for other in &mut self.others {
            let before = other.position().clone();
            tell(other)?;
            if *other.position() != before && self.first.position() == &self.start {
                std::mem::swap(&mut self.first, other);
                self.start = before;
                self.others.clear();
                return Ok(());
            }
        }
        if self.first.position() != &self.start {
            self.others.clear();
        }
        Ok(())
    }
}

/// The positions that a board may show, the likeliest first: White to move, Black to move, and where a pawn may just have
/// passed another, that it did. Castling is allowed where king and rook stand at home; plies to come tell. None where the
/// rules forbid the board.
pub(crate) fn positions_of(board: &Board) -> Vec<Chess> {
    let setup = |turn: Color, ep_square: Option<Square>| {
        let mut setup = Setup::empty();
        setup.board = board.clone();
        setup.turn = turn;
        setup.castling_rights = rooks_at_home(board);
        setup.ep_square = ep_square;
        let position: Result<Chess, PositionError<Chess>> = setup.position(CastlingMode::Standard);
        position
            .or_else(PositionError::ignore_invalid_castling_rights)
            .or_else(PositionError::ignore_too_much_material)
            .ok()
    };
    let plain = Color::ALL.into_iter().filter_map(|turn| setup(turn, None));
    let passed = Color::ALL.into_iter().flat_map(|turn| {
        let behind = Bitboard::from_rank(turn.fold_wb(Rank::Sixth, Rank::Third)) & !board.occupied();
        behind.into_iter().filter_map(move |square| {
            // Only where a pawn can take in passing does it matter.
            setup(turn, Some(square)).filter(|position| position.legal_ep_square().is_some())
        })
    });
    plain.chain(passed).collect()
}

/// The rooks that stand at home with their king.
fn rooks_at_home(board: &Board) -> Bitboard {
    let mut rooks = Bitboard::EMPTY;
    for (color, king, corners) in [
        (Color::White, Square::E1, [Square::A1, Square::H1]),
        (Color::Black, Square::E8, [Square::A8, Square::H8]),
    ] {
        if board.king_of(color) == Some(king) {
            let own = board.rooks() & board.by_color(color);
            rooks |= corners.into_iter().filter(|&corner| own.contains(corner)).collect::<Bitboard>();
        }
    }
    rooks
}

#[cfg(test)]
mod tests {
    use shakmaty::fen::Fen;

    use super::*;

    fn board(fen: &str) -> Board {
        let position: Chess =
            fen.parse::<Fen>().expect("a FEN").into_position(CastlingMode::Standard).expect("a position");
        position.board().clone()
    }

    #[test]
    fn a_board_does_not_tell_whose_turn_it_is_unless_a_king_is_attacked() {
        let quiet = positions_of(&board("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"));
        assert_eq!(quiet.iter().map(Position::turn).collect::<Vec<_>>(), [Color::White, Color::Black]);
        let check = positions_of(&board("4k3/8/8/8/4R3/8/8/4K3 b - - 0 1"));
        assert_eq!(check.iter().map(Position::turn).collect::<Vec<_>>(), [Color::Black]);
    }

    #[test]
    fn pawns_that_may_have_passed_each_other_and_rooks_at_home_are_thought_of() {
        let passed = positions_of(&board("4k3/8/8/3pP3/8/8/8/4K2R w K - 0 1"));
        assert_eq!(passed.len(), 3);
        assert!(passed.iter().any(|position| position.legal_ep_square() == Some(Square::D6)));
        assert!(
            passed
                .iter()
                .all(|position| position.castles().has(Color::White, shakmaty::CastlingSide::KingSide))
        );
    }
}
