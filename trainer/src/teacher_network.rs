//! The teacher's own network, read from the file that its UCI command `export_net` writes.
//!
//! ```text
//! pieces and own king as each side sees them (22528) -> 1024 --+-- halves clamped, multiplied: 2 x 512 --+
//!                                                              |                                         |
//!                                                              +-- piece-square sums (8 sets) --> + <-- 16 -> 30 -> 32 -> 1 (8 sets)
//! ```
//!
//! This is the layout of Stockfish 15.1 ("HalfKAv2_hm", `src/nnue` there); the arithmetic below follows its description and
//! is checked against the engine's `eval` command. What the engine's search starts from at every node is thus known
//! for any position at the price of one sum, without asking the engine.

use anyhow::{Context, Result, ensure};
use shakmaty::{Color, Piece, Role, Square};

use crate::record::Record;

/// Neurons of one perspective.
const HIDDEN: usize = 1024;
/// Features of one king bucket, and all.
const FEATURES_OF_A_BUCKET: usize = 704;
const FEATURES: usize = 32 * FEATURES_OF_A_BUCKET;
/// Piece-square sets and layer stacks, chosen by the number of pieces.
const BUCKETS: usize = 8;
/// Outputs of the first layer; the last one goes straight to the output.
const FIRST: usize = 16;
const SECOND: usize = 32;
/// Units of 1.0 after an activation, bits of a weight's fraction, units of the output in the engine's internal unit.
const ONE: i32 = 127;
const WEIGHT_BITS: i32 = 6;
const OUTPUT_SCALE: i32 = 16;
const VERSION: u32 = 0x7AF3_2F20;

/// The engine's internal units of a printed pawn (its `NormalizeToPawnValue`).
const PAWN_UNITS: f32 = 361.0;
/// Internal units of the pieces but pawns and kings, for the scaling by material.
const PIECE_UNITS: [(Role, i32); 4] =
    [(Role::Knight, 781), (Role::Bishop, 825), (Role::Rook, 1276), (Role::Queen, 2538)];
/// The scaling by material: so many 1/1024, and so many more for each 5120 units of pieces. Found by least absolute error
/// from the engine's own `eval` output, before and after scaling, over 1,589 positions.
const MATERIAL_SCALE: (i32, i32) = (1064, 106);
/// The damping with the halfmove clock, at 0 halfmoves.
const UNMOVED_SCALE: f32 = 197.0 / 214.0;

struct Stack {
    first_biases: [i32; FIRST],
    first_weights: Vec<i8>,
    second_biases: [i32; SECOND],
    second_weights: Vec<i8>,
    last_bias: i32,
    last_weights: [i8; SECOND],
}

/// The network, ready to value positions.
pub(crate) struct TeacherNetwork {
    biases: Vec<i16>,
    weights: Vec<i16>,
    piece_square: Vec<[i32; BUCKETS]>,
    stacks: Vec<Stack>,
}

/// Takes numbers off the front of the file.
struct Source<'a>(&'a [u8]);

impl Source<'_> {
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk::<N>().context("the network file ends too early")?;
        self.0 = rest;
        Ok(*bytes)
    }

    fn skip(&mut self, bytes: usize) -> Result<()> {
        self.0 = self.0.get(bytes..).context("the network file ends too early")?;
        Ok(())
    }

    fn word(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.bytes()?))
    }

    fn i8s(&mut self, count: usize) -> Result<Vec<i8>> {
        (0..count).map(|_| Ok(i8::from_le_bytes(self.bytes()?))).collect()
    }

    fn i16s(&mut self, count: usize) -> Result<Vec<i16>> {
        (0..count).map(|_| Ok(i16::from_le_bytes(self.bytes()?))).collect()
    }

    fn i32s<const N: usize>(&mut self) -> Result<[i32; N]> {
        let mut out = [0; N];
        for x in &mut out {
            *x = i32::from_le_bytes(self.bytes()?);
        }
        Ok(out)
    }
}

impl TeacherNetwork {
    /// Reads the file.
    ///
    /// # Errors
    ///
    /// When it is not a network of this layout.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self> {
        let mut source = Source(bytes);
        ensure!(source.word()? == VERSION, "this is no network of Stockfish 15.1's layout");
        source.word()?;
        let description = source.word()? as usize;
        source.skip(description)?;
        source.word()?;
        let biases = source.i16s(HIDDEN)?;
        let weights = source.i16s(FEATURES * HIDDEN)?;
        let piece_square = (0..FEATURES).map(|_| source.i32s()).collect::<Result<_>>()?;
        let stacks = (0..BUCKETS)
            .map(|_| {
                source.word()?;
                Ok(Stack {
                    first_biases: source.i32s()?,
                    first_weights: source.i8s(FIRST * HIDDEN)?,
                    second_biases: source.i32s()?,
                    second_weights: source.i8s(SECOND * SECOND)?,
                    last_bias: source.i32s::<1>()?[0],
                    last_weights: source.bytes::<SECOND>()?.map(|b| b as i8),
                })
            })
            .collect::<Result<_>>()?;
        ensure!(source.0.is_empty(), "the network file is longer than its layout");
        Ok(TeacherNetwork { biases, weights, piece_square, stacks })
    }

    /// The two parts of the value for the side to move, in internal units times [`OUTPUT_SCALE`]: the sum over pieces, and what
    /// the layers add.
    fn parts(&self, record: &Record) -> (i32, i32) {
        let mut kings = [Square::A1; 2];
        let mut pieces = 0;
        for (square, piece) in record.pieces() {
            pieces += 1;
            if piece.role == Role::King {
                kings[usize::from(piece.color != record.turn)] = square;
            }
        }
        let bucket = (pieces.max(1) - 1_usize) / 4 % BUCKETS;
        let mut clamped = [0u8; HIDDEN];
        let mut sums = [0i32; 2];
        for (side, perspective) in [record.turn, !record.turn].into_iter().enumerate() {
            let mut hidden: [i16; HIDDEN] = [0; HIDDEN];
            hidden.copy_from_slice(&self.biases);
            for (square, piece) in record.pieces() {
                let feature = feature(perspective, kings[side], square, piece);
                let row = &self.weights[feature * HIDDEN..][..HIDDEN];
                for (sum, &w) in hidden.iter_mut().zip(row) {
                    *sum = sum.wrapping_add(w);
                }
                sums[side] += self.piece_square[feature][bucket];
            }
            let (low, high) = hidden.split_at(HIDDEN / 2);
            for ((out, &x), &y) in clamped[side * HIDDEN / 2..].iter_mut().zip(low).zip(high) {
                let product = i32::from(x).clamp(0, ONE) * i32::from(y).clamp(0, ONE);
                *out = (product / 128) as u8;
            }
        }
        ((sums[0] - sums[1]) / 2, self.stacks[bucket].value(&clamped))
    }

    /// Centipawns for the side to move as the engine's search starts from them (no moves made towards the fifty-move
    /// draw, neither side favoured).
    pub(crate) fn centipawns(&self, record: &Record) -> f32 {
        let (pieces, layers) = self.parts(record);
        let material: i32 = record
            .pieces()
            .map(|(_, piece)| {
                PIECE_UNITS.iter().find(|(role, _)| *role == piece.role).map_or(0, |(_, units)| *units)
            })
            .sum();
        // Where much material is left, the layers count a little more.
        let lean = 24 - material / 9560;
        let value = ((1024 - lean) * (pieces / OUTPUT_SCALE) + (1024 + lean) * (layers / OUTPUT_SCALE))
            as f32
            / 1024.0;
        let scale = (MATERIAL_SCALE.0 + MATERIAL_SCALE.1 * material / 5120) as f32 / 1024.0;
        value * scale * UNMOVED_SCALE * 100.0 / PAWN_UNITS
    }
}

impl Stack {
    fn value(&self, input: &[u8; HIDDEN]) -> i32 {
        let mut first = self.first_biases;
        for (out, weights) in first.iter_mut().zip(self.first_weights.chunks_exact(HIDDEN)) {
            *out += weights.iter().zip(input).map(|(&w, &x)| i32::from(w) * i32::from(x)).sum::<i32>();
        }
        let straight = first[FIRST - 1];
        // The squares of fifteen outputs, then the outputs themselves; two places stay empty.
        let mut middle = [0i32; SECOND];
        for (i, &x) in first[..FIRST - 1].iter().enumerate() {
            let squared = (i64::from(x) * i64::from(x)) >> (2 * WEIGHT_BITS);
            middle[i] = (squared / 128).min(i64::from(ONE)) as i32;
            middle[FIRST - 1 + i] = (x >> WEIGHT_BITS).clamp(0, ONE);
        }
        let mut output = self.last_bias;
        for ((bias, weights), &last) in
            self.second_biases.iter().zip(self.second_weights.chunks_exact(SECOND)).zip(&self.last_weights)
        {
            let sum = bias + weights.iter().zip(&middle).map(|(&w, &x)| i32::from(w) * x).sum::<i32>();
            output += i32::from(last) * (sum >> WEIGHT_BITS).clamp(0, ONE);
        }
        output + straight * (600 * OUTPUT_SCALE) / (ONE << WEIGHT_BITS)
    }
}

/// The row of a piece on a square, as a side with its king on `king` sees it: its king on the files E to H, below.
fn feature(perspective: Color, king: Square, square: Square, piece: Piece) -> usize {
    let ranks = if perspective.is_white() { 0 } else { 0b111_000 };
    let files = if king as u32 & 0b100 == 0 { 0b111 } else { 0 };
    let see = |square: Square| (square as u32 ^ ranks ^ files) as usize;
    let seen_king = see(king);
    // Counted from the far corner: bucket 31 is E1, 0 is H8... row by row, four squares each.
    let bucket = (7 - seen_king / 8) * 4 + 7 - seen_king % 8;
    let kind = match piece.role {
        Role::King => 10,
        role => 2 * (role as usize - 1) + usize::from(piece.color != perspective),
    };
    bucket * FEATURES_OF_A_BUCKET + kind * 64 + see(square)
}

#[cfg(test)]
mod tests {
    use std::{
        io::Write,
        path::Path,
        process::{Command, Stdio},
    };

    use shakmaty::{CastlingMode, Chess, fen::Fen};

    use super::*;
    use crate::record::Label;

    const ENGINE: &str = "/usr/games/stockfish";
    const FENS: [&str; 5] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r1bq1rk1/pp2bppp/2n2n2/2pp4/3P4/2NBPN2/PP3PPP/R1BQ1RK1 b - - 0 9",
        "8/5pk1/6p1/8/3R4/6P1/r4PK1/8 b - - 0 1",
        "2kr3r/ppp2ppp/2n5/4p3/4P3/2NP4/PPP3PP/R4RK1 w - - 0 14",
        "r1bqk2r/ppp2ppp/2n5/3np1N1/1bB5/8/PPPP1PPP/RNBQ1RK1 b kq - 3 6",
    ];

    #[test]
    fn the_network_values_as_the_engine_that_brought_it_says() -> Result<()> {
        if !Path::new(ENGINE).exists() {
            eprintln!("skipped: {ENGINE} is not installed");
            return Ok(());
        }
        let folder = std::env::temp_dir().join(format!("plyscope-teacher-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let file = folder.join("teacher.nnue");
        let mut engine = Command::new(ENGINE).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut input = engine.stdin.take().context("no standard input")?;
        writeln!(input, "export_net {}", file.display())?;
        for fen in FENS {
            writeln!(input, "position fen {fen}\neval")?;
        }
        writeln!(input, "quit")?;
        drop(input);
        let output = String::from_utf8(engine.wait_with_output()?.stdout)?;
        let said: Vec<f32> = output
            .lines()
            .filter_map(|line| line.strip_prefix("NNUE evaluation")?.split_whitespace().next()?.parse().ok())
            .collect();
        let network = TeacherNetwork::parse(&std::fs::read(&file)?)?;
        std::fs::remove_dir_all(&folder)?;
        ensure!(said.len() == FENS.len(), "{output}");
        for (fen, said) in FENS.into_iter().zip(said) {
            let position: Chess = fen.parse::<Fen>()?.into_position(CastlingMode::Standard)?;
            let label = Label { score: 0, win_permille: 0, loss_permille: 0 };
            let record = Record::new(&position, label, shakmaty::Position::legal_moves(&position)[0], false);
            let (pieces, layers) = network.parts(&record);
            let for_white = record.turn.fold_wb(1.0, -1.0);
            let pawns = for_white * ((pieces + layers) / OUTPUT_SCALE) as f32 / PAWN_UNITS;
            assert!((pawns - said).abs() < 0.0101, "{fen}: {pawns} for {said}");
        }
        Ok(())
    }
}
