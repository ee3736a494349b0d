//! One labelled position in 40 bytes, and files of them.
//!
//! | bytes | content |
//! |---|---|
//! | 0..8 | occupied squares, little-endian bitboard, A1 the lowest bit |
//! | 8..24 | one nibble an occupied square in square order: role - 1, plus 8 for Black; low nibble first |
//! | 24..26 | teacher's score for the side to move: centipawns as it prints them; a mate in n plies' worth of moves is +-(32000 - n) |
//! | 26..28, 28..30 | win and loss per mille for the side to move |
//! | 30..32 | ply of the game, the start position being 0 |
//! | 32 | 1 when Black is to move |
//! | 33 | result of the game for White: 0 lost, 1 drawn, 2 won |
//! | 34 | flags, see [`Flags`] |
//! | 35 | halfmove clock |
//! | 36 | castling rights: bits K, Q, k, q |
//! | 37 | square of the legal en passant capture, 64 for none |
//! | 38..40 | teacher's move: from + 64 * to |

use std::{
    fs,
    io::{self, Write},
    num::NonZeroU32,
    path::{Path, PathBuf},
};

use shakmaty::{
    CastlingMode, CastlingSide, Chess, Color, EnPassantMode, FromSetup, Move, Piece, Position, Role, Setup,
    Square,
};

/// Bytes of one record.
pub(crate) const RECORD_BYTES: usize = 40;

/// Score of a mate on the board; a mate in n moves is this less n.
pub(crate) const MATE_SCORE: i16 = 32_000;

/// How a position stands to a static evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags(pub(crate) u8);

impl Flags {
    /// The side to move is in check.
    pub(crate) const CHECK: u8 = 1;
    /// The teacher's move captures or promotes.
    pub(crate) const NOISY_BEST: u8 = 2;
    /// Reached by a random move off the game's path.
    pub(crate) const ASIDE: u8 = 4;
    /// The teacher announced a mate.
    pub(crate) const MATE: u8 = 8;
    /// Valued by the teacher's network alone; the move and the game's result mean nothing.
    pub(crate) const STATIC: u8 = 16;

    /// Whether any of `bits` is set.
    pub(crate) const fn any(self, bits: u8) -> bool {
        self.0 & bits != 0
    }
}

/// A labelled position. Scores and shares are the side to move's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) occupied: u64,
    pub(crate) nibbles: [u8; 16],
    pub(crate) score: i16,
    pub(crate) win_permille: u16,
    pub(crate) loss_permille: u16,
    pub(crate) ply: u16,
    pub(crate) turn: Color,
    /// 0, 1 or 2: lost, drawn or won by White.
    pub(crate) result: u8,
    pub(crate) flags: Flags,
    pub(crate) halfmoves: u8,
    pub(crate) castling: u8,
    pub(crate) ep_square: u8,
    pub(crate) best: u16,
}

/// What the teacher says of a position, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    pub(crate) score: i16,
    pub(crate) win_permille: u16,
    pub(crate) loss_permille: u16,
}

impl Record {
    /// Packs a position and its label; the game's result is filled in later.
    pub(crate) fn new(pos: &Chess, label: Label, best: Move, aside: bool) -> Self {
        let board = pos.board();
        let mut nibbles = [0u8; 16];
        for (i, square) in board.occupied().into_iter().enumerate().take(32) {
            if let Some(piece) = board.piece_at(square) {
                let code = (piece.role as u8 - 1) | if piece.color.is_black() { 8 } else { 0 };
                nibbles[i / 2] |= code << (4 * (i % 2));
            }
        }
        let mut flags = 0;
        if pos.is_check() {
            flags |= Flags::CHECK;
        }
        if best.is_capture() || best.promotion().is_some() {
            flags |= Flags::NOISY_BEST;
        }
        if aside {
            flags |= Flags::ASIDE;
        }
        if label.score.abs() > MATE_SCORE - 1000 {
            flags |= Flags::MATE;
        }
        let castles = pos.castles();
        let mut castling = 0;
        for (bit, color, side) in [
            (1, Color::White, CastlingSide::KingSide),
            (2, Color::White, CastlingSide::QueenSide),
            (4, Color::Black, CastlingSide::KingSide),
            (8, Color::Black, CastlingSide::QueenSide),
        ] {
            if castles.has(color, side) {
                castling |= bit;
            }
        }
        let ply = 2 * (pos.fullmoves().get() - 1) + u32::from(pos.turn().is_black());
        Record {
            occupied: board.occupied().into(),
            nibbles,
            score: label.score,
            win_permille: label.win_permille,
            loss_permille: label.loss_permille,
            ply: ply.min(u32::from(u16::MAX)) as u16,
            turn: pos.turn(),
            result: 1,
            flags: Flags(flags),
            halfmoves: pos.halfmoves().min(255) as u8,
            castling,
            ep_square: pos.ep_square(EnPassantMode::Legal).map_or(64, |s| s as u8),
            best: best.from().map_or(0, |s| s as u16) + 64 * best.to() as u16,
        }
    }

    /// The pieces and their squares, A1 first.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> + '_ {
        let mut rest = self.occupied;
        let mut i = 0;
        std::iter::from_fn(move || {
            if rest == 0 || i >= 32 {
                return None;
            }
            let square = Square::new(rest.trailing_zeros());
            rest &= rest - 1;
            let code = self.nibbles[i / 2] >> (4 * (i % 2)) & 15;
            i += 1;
            let role = Role::try_from(u32::from(code & 7) + 1).unwrap_or(Role::Pawn);
            Some((square, Piece { role, color: Color::from_white(code & 8 == 0) }))
        })
    }

    /// The position itself; `None` where a damaged record describes none that is legal.
    pub(crate) fn to_position(self) -> Option<Chess> {
        let mut setup = Setup::empty();
        for (square, piece) in self.pieces() {
            setup.board.set_piece_at(square, piece);
        }
        for (bit, square) in [(1, Square::H1), (2, Square::A1), (4, Square::H8), (8, Square::A8)] {
            if self.castling & bit != 0 {
                setup.castling_rights.add(square);
            }
        }
        setup.turn = self.turn;
        setup.ep_square = Square::try_from(u32::from(self.ep_square)).ok();
        setup.halfmoves = u32::from(self.halfmoves);
        setup.fullmoves = NonZeroU32::new(u32::from(self.ply) / 2 + 1)?;
        Chess::from_setup(setup, CastlingMode::Standard).ok()
    }

    /// Packs into bytes.
    pub(crate) fn to_bytes(self) -> [u8; RECORD_BYTES] {
        let mut out = [0u8; RECORD_BYTES];
        out[0..8].copy_from_slice(&self.occupied.to_le_bytes());
        out[8..24].copy_from_slice(&self.nibbles);
        out[24..26].copy_from_slice(&self.score.to_le_bytes());
        out[26..28].copy_from_slice(&self.win_permille.to_le_bytes());
        out[28..30].copy_from_slice(&self.loss_permille.to_le_bytes());
        out[30..32].copy_from_slice(&self.ply.to_le_bytes());
        out[32] = u8::from(self.turn.is_black());
        out[33] = self.result;
        out[34] = self.flags.0;
        out[35] = self.halfmoves;
        out[36] = self.castling;
        out[37] = self.ep_square;
        out[38..40].copy_from_slice(&self.best.to_le_bytes());
        out
    }

    /// Unpacks from bytes.
    pub(crate) fn from_bytes(b: &[u8; RECORD_BYTES]) -> Self {
        let u16_at = |i: usize| u16::from_le_bytes([b[i], b[i + 1]]);
        let mut occupied = [0u8; 8];
        occupied.copy_from_slice(&b[0..8]);
        let mut nibbles = [0u8; 16];
        nibbles.copy_from_slice(&b[8..24]);
        Record {
            occupied: u64::from_le_bytes(occupied),
            nibbles,
            score: u16_at(24) as i16,
            win_permille: u16_at(26),
            loss_permille: u16_at(28),
            ply: u16_at(30),
            turn: Color::from_white(b[32] == 0),
            result: b[33],
            flags: Flags(b[34]),
            halfmoves: b[35],
            castling: b[36],
            ep_square: b[37],
            best: u16_at(38),
        }
    }
}

/// Writes a file of records; it appears under its name only when complete.
pub(crate) fn write_file(path: &Path, records: &[Record]) -> io::Result<()> {
    let partial = path.with_extension("partial");
    let mut out = io::BufWriter::new(fs::File::create(&partial)?);
    for record in records {
        out.write_all(&record.to_bytes())?;
    }
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
    fs::rename(&partial, path)
}

/// The complete files of records in a folder, in name order.
pub(crate) fn shard_files(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "bin") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// All records of a file; a torn tail is left out.
pub(crate) fn read_file(path: &Path) -> io::Result<Vec<Record>> {
    let bytes = fs::read(path)?;
    let (whole, _) = bytes.as_chunks::<RECORD_BYTES>();
    Ok(whole.iter().map(Record::from_bytes).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_survives_its_bytes_and_gives_back_every_piece() {
        let pos = Chess::default();
        let best = pos.legal_moves()[3];
        let label = Label { score: -37, win_permille: 10, loss_permille: 60 };
        let record = Record::new(&pos, label, best, true);
        assert_eq!(Record::from_bytes(&record.to_bytes()), record);
        let pieces: Vec<_> = record.pieces().collect();
        let expected: Vec<_> = pos.board().clone().into_iter().collect();
        assert_eq!(pieces, expected);
        assert_eq!(record.to_position(), Some(pos));
        assert!(record.flags.any(Flags::ASIDE));
        assert!(!record.flags.any(Flags::CHECK | Flags::MATE));
    }
}
