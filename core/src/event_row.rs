//! One row of the answer file.

use serde::{Serialize, Serializer, ser::SerializeStruct};
use shakmaty::{Color, Move, Square};

use crate::media_time::MediaTime;

/// Whom a label names: a side, or neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// White leads, or the balance shifted towards White.
    White,
    /// Neither side.
    Equal,
    /// Black leads, or the balance shifted towards Black.
    Black,
}

impl Verdict {
    /// The word in the answer file: `"W"`, `"equal"` or `"B"`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::White => "W",
            Self::Equal => "equal",
            Self::Black => "B",
        }
    }

    /// The verdict that an answer file's word names.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "W" => Some(Self::White),
            "equal" => Some(Self::Equal),
            "B" => Some(Self::Black),
            _ => None,
        }
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

/// One row of the answer: a ply, or the piece that a ply removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventRow {
    /// A ply.
    Move {
        /// Ply number, from 1.
        idx: u32,
        /// The side that moved.
        color: Color,
        /// The square moved to; of castling the king's.
        coord: Square,
        /// When the piece first rests on its new square.
        time: MediaTime,
        /// Who is ahead after the ply.
        leader_after: Verdict,
        /// Towards whom the ply shifted the balance.
        wr_swing: Verdict,
    },
    /// The piece that the ply before removed.
    Capture {
        /// Ordinal of the capture, from 1.
        idx: u32,
        /// The colour of the piece removed.
        color: Color,
        /// Where the piece stood.
        coord: Square,
        /// The time of its ply.
        time: MediaTime,
    },
}

/// A square as the answer file writes it: upper case.
#[must_use]
pub const fn square_name(square: Square) -> &'static str {
    const NAMES: [&str; 64] = [
        "A1", "B1", "C1", "D1", "E1", "F1", "G1", "H1", "A2", "B2", "C2", "D2", "E2", "F2", "G2", "H2", "A3",
        "B3", "C3", "D3", "E3", "F3", "G3", "H3", "A4", "B4", "C4", "D4", "E4", "F4", "G4", "H4", "A5", "B5",
        "C5", "D5", "E5", "F5", "G5", "H5", "A6", "B6", "C6", "D6", "E6", "F6", "G6", "H6", "A7", "B7", "C7",
        "D7", "E7", "F7", "G7", "H7", "A8", "B8", "C8", "D8", "E8", "F8", "G8", "H8",
    ];
    NAMES[square as usize]
}

const fn color_name(color: Color) -> &'static str {
    match color {
        Color::White => "W",
        Color::Black => "B",
    }
}

impl Serialize for EventRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Move { idx, color, coord, time, leader_after, wr_swing } => {
                let mut row = serializer.serialize_struct("Move", 7)?;
                row.serialize_field("type", "move")?;
                row.serialize_field("idx", &idx)?;
                row.serialize_field("color", color_name(color))?;
                row.serialize_field("coord", square_name(coord))?;
                row.serialize_field("game_clock_s", &time.seconds())?;
                row.serialize_field("leader_after", &leader_after)?;
                row.serialize_field("wr_swing", &wr_swing)?;
                row.end()
            }
            Self::Capture { idx, color, coord, time } => {
                let mut row = serializer.serialize_struct("Capture", 5)?;
                row.serialize_field("type", "capture")?;
                row.serialize_field("idx", &idx)?;
                row.serialize_field("color", color_name(color))?;
                row.serialize_field("coord", square_name(coord))?;
                row.serialize_field("game_clock_s", &time.seconds())?;
                row.end()
            }
        }
    }
}

/// The two verdicts on a ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdicts {
    /// Who is ahead after the ply.
    pub leader_after: Verdict,
    /// Towards whom the ply shifted the balance.
    pub wr_swing: Verdict,
}

impl Verdicts {
    /// Neither side leads and nothing shifted.
    pub const EQUAL: Self = Self { leader_after: Verdict::Equal, wr_swing: Verdict::Equal };
}

/// Numbers the rows of a game as its plies come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowWriter {
    plies: u32,
    captures: u32,
}

impl RowWriter {
    /// At the start of a game.
    #[must_use]
    pub const fn new() -> Self {
        Self { plies: 0, captures: 0 }
    }

    /// The rows of the next ply, which `color` plays: the ply's own, and that of the piece it removed.
    pub fn rows(
        &mut self,
        color: Color,
        mv: Move,
        time: MediaTime,
        verdicts: Verdicts,
    ) -> (EventRow, Option<EventRow>) {
        self.plies += 1;
        let Verdicts { leader_after, wr_swing } = verdicts;
        let coord = mv.castling_side().map_or(mv.to(), |side| side.king_to(color));
        let row = EventRow::Move { idx: self.plies, color, coord, time, leader_after, wr_swing };
        let removed_at = match mv {
            // The pawn that is taken in passing stands beside the one that takes it.
            Move::EnPassant { from, to } => Some(Square::from_coords(to.file(), from.rank())),
            mv => mv.is_capture().then_some(mv.to()),
        };
        let capture = removed_at.map(|coord| {
            self.captures += 1;
            EventRow::Capture { idx: self.captures, color: color.other(), coord, time }
        });
        (row, capture)
    }
}

impl EventRow {
    /// The bytes of the longest row, and a little to spare.
    pub const JSON_BYTES_MAX: usize = 192;

    /// Writes the row as JSON into `buffer` and returns how many bytes it took.
    ///
    /// # Errors
    ///
    /// [`RowError`] when `buffer` is too short; [`EventRow::JSON_BYTES_MAX`] bytes always suffice.
    pub fn write_json(&self, buffer: &mut [u8]) -> Result<usize, RowError> {
        serde_json_core::to_slice(self, buffer)
            .map_err(|_| RowError { actual_bytes: buffer.len(), expected_bytes: Self::JSON_BYTES_MAX })
    }
}

/// A row did not fit the buffer it was to be written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowError {
    /// Size of the buffer that was given.
    pub actual_bytes: usize,
    /// Size that always suffices.
    pub expected_bytes: usize,
}

impl core::fmt::Display for RowError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "write a row into {} bytes, {} always suffice", self.actual_bytes, self.expected_bytes)
    }
}

impl core::error::Error for RowError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(row: &EventRow) -> heapless::String<{ EventRow::JSON_BYTES_MAX }> {
        let mut buffer = [0; EventRow::JSON_BYTES_MAX];
        let n = row.write_json(&mut buffer).expect("the buffer suffices");
        heapless::String::try_from(core::str::from_utf8(&buffer[..n]).expect("JSON is UTF-8"))
            .expect("it fits")
    }

    #[test]
    fn rows_are_written_as_the_design_says() {
        let ply = EventRow::Move {
            idx: 7,
            color: Color::White,
            coord: Square::E4,
            time: MediaTime::from_us(2_033_333),
            leader_after: Verdict::Equal,
            wr_swing: Verdict::Black,
        };
        assert_eq!(
            json(&ply),
            r#"{"type":"move","idx":7,"color":"W","coord":"E4","game_clock_s":2.033,"leader_after":"equal","wr_swing":"B"}"#
        );
        let capture = EventRow::Capture {
            idx: 1,
            color: Color::Black,
            coord: Square::H8,
            time: MediaTime::from_ms(3000),
        };
        assert_eq!(
            json(&capture),
            r#"{"type":"capture","idx":1,"color":"B","coord":"H8","game_clock_s":3.0}"#
        );
    }

    #[test]
    fn the_longest_row_fits_the_stated_size() {
        let row = EventRow::Move {
            idx: u32::MAX,
            color: Color::White,
            coord: Square::E4,
            time: MediaTime::from_us(i64::MIN),
            leader_after: Verdict::Equal,
            wr_swing: Verdict::Equal,
        };
        assert!(json(&row).len() < EventRow::JSON_BYTES_MAX);
    }

    #[test]
    fn castling_names_the_kings_square_and_en_passant_the_pawns() {
        let mut writer = RowWriter::default();
        let castling = Move::Castle { king: Square::E8, rook: Square::A8 };
        let (row, capture) = writer.rows(Color::Black, castling, MediaTime::ZERO, Verdicts::EQUAL);
        assert!(matches!(row, EventRow::Move { idx: 1, coord: Square::C8, .. }) && capture.is_none());
        let passing = Move::EnPassant { from: Square::E5, to: Square::D6 };
        let (row, capture) = writer.rows(Color::White, passing, MediaTime::ZERO, Verdicts::EQUAL);
        assert!(matches!(row, EventRow::Move { idx: 2, coord: Square::D6, .. }));
        let expected =
            EventRow::Capture { idx: 1, color: Color::Black, coord: Square::D5, time: MediaTime::ZERO };
        assert_eq!(capture, Some(expected));
    }

    #[test]
    fn a_short_buffer_is_an_error_that_says_how_short() {
        let row = EventRow::Capture { idx: 1, color: Color::Black, coord: Square::H8, time: MediaTime::ZERO };
        let error = row.write_json(&mut [0; 10]).expect_err("ten bytes are too few");
        assert_eq!(error.actual_bytes, 10);
    }

    #[test]
    fn every_square_has_its_own_name() {
        for square in Square::ALL {
            let mut upper = heapless::String::<2>::new();
            core::fmt::Write::write_fmt(&mut upper, format_args!("{square}")).expect("two letters");
            assert!(upper.eq_ignore_ascii_case(square_name(square)));
        }
    }
}
