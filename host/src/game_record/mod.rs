//! A chess game read from PGN: its moves, the positions between them, and what the clocks said.

mod clock_comment;
mod movetext_check;
mod read;
mod time_control;
mod timeline;

use std::time::Duration;

use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Color, Move, Outcome, Position, Square};

pub use read::GameRecordError;
pub use time_control::{Period, RunningClock, TimeControl, TimeControlError};
pub use timeline::FIRST_PLY_AT;

/// One ply of a [`GameRecord`], with the clock that its comment showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The move as the rules see it (castling: from the king's square to the rook's).
    pub mv: Move,
    /// The move as engines write it, `e1g1` for castling unless the game is Chess960.
    pub uci: UciMove,
    /// The move in standard algebraic notation, with its check or mate sign.
    pub san: SanPlus,
    /// The position after the ply.
    pub after: Chess,
    /// `[%clk]`: what the mover's clock showed after the ply.
    pub clock: Option<Duration>,
    /// `[%emt]`: the time that the mover took for the ply.
    pub elapsed: Option<Duration>,
    /// `[%vt]`: when the ply appears in a video, from its start.
    pub video_time: Option<Duration>,
    /// The words of the comments after the ply, without commands.
    pub note: Option<String>,
}

impl Ply {
    /// The side that made the ply.
    pub fn color(&self) -> Color {
        self.after.turn().other()
    }

    /// The square on which the moved piece stands afterwards; of castling the king's.
    pub fn destination(&self) -> Square {
        match self.mv.castling_side() {
            Some(side) => side.king_to(self.color()),
            None => self.mv.to(),
        }
    }

    /// The square on which the captured piece stood: en passant the pawn's own square, not the destination.
    pub fn captured_at(&self) -> Option<Square> {
        match self.mv {
            Move::EnPassant { from, to } => Some(Square::from_coords(to.file(), from.rank())),
            mv if mv.is_capture() => Some(mv.to()),
            _ => None,
        }
    }
}

/// A game: where it starts, its plies in order, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// The tag pairs in the order of the file.
    pub tags: Vec<(String, String)>,
    /// The position before the first ply; the `FEN` tag where there is one.
    pub start: Chess,
    /// Chess960 where the start position can only be castled from by its rules.
    pub castling_mode: CastlingMode,
    /// The plies of the main line.
    pub plies: Vec<Ply>,
    /// The result at the end of the moves, else that of the `Result` tag.
    pub result: Outcome,
}

impl GameRecord {
    /// The value of the first tag of that name.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    /// The `TimeControl` tag; unknown where it is absent or not to be understood.
    pub fn time_control(&self) -> TimeControl {
        self.tag("TimeControl").and_then(|text| text.parse().ok()).unwrap_or(TimeControl::Unknown)
    }

    /// The positions of the game from the start position on: one more than there are plies.
    pub fn positions(&self) -> impl Iterator<Item = &Chess> {
        std::iter::once(&self.start).chain(self.plies.iter().map(|ply| &ply.after))
    }
}
