//! A small quantised network as evaluator: integers only, updated move by move, the same everywhere.
//!
//! ```text
//! pieces as White sees them  (736 x K) -> N  --+
//!                                              +-- side to move first: clamp to 0..1, square, 2N -> 1 (B sets) -> centipawns
//! pieces as Black sees them  (736 x K) -> N  --+
//! ```
//!
//! Both perspectives share their weights. The sum of the weights of all pieces on the board, one vector a perspective,
//! is the [`Accumulator`]: a move changes two to four pieces, so it costs a few vector additions. `K` sets of
//! feature weights are chosen by the own king's square, `B` sets of output weights by the number of pieces. Output is on
//! the scale of the teacher's printed centipawns.

pub mod features;
pub mod format;
mod shipped;

use shakmaty::{Chess, Color, Move, Piece, Position, Square};

use self::features::{Change, FEATURES, View, king_of};
pub use self::format::{Header, NetworkError};
#[cfg(feature = "net-large")]
pub use self::shipped::{LargeNetwork, large};
#[cfg(feature = "net-small")]
pub use self::shipped::{SmallNetwork, small};
use super::evaluation::Evaluator;

/// Pieces that may stand on a board: the bound behind the overflow check.
const PIECES_MAX: i32 = 32;

/// A network of `N` hidden neurons a perspective with feature weights of `BYTES` (1 or 2) bytes, read in place.
#[derive(Clone, Copy, Debug)]
pub struct Network<'a, const BYTES: usize, const N: usize> {
    header: Header,
    /// `FEATURES` rows for each king bucket.
    rows: &'a [[[u8; BYTES]; N]],
    biases: &'a [[u8; 2]; N],
    /// Two rows for each output bucket: the side to move's half, the other's.
    outputs: &'a [[u8; N]],
    output_biases: &'a [[u8; 4]],
}

/// The hidden layer before its activation, for White's and Black's perspective.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Accumulator<const N: usize> {
    sides: [[i16; N]; 2],
}

impl<const N: usize> Accumulator<N> {
    /// One that has been filled from no position yet, to place in memory of fixed size.
    pub const BLANK: Self = Accumulator { sides: [[0; N]; 2] };
}

impl<const N: usize> Default for Accumulator<N> {
    fn default() -> Self {
        Self::BLANK
    }
}

impl<'a, const BYTES: usize, const N: usize> Network<'a, BYTES, N> {
    /// Reads a network in place. Every check is made here, none while searching.
    ///
    /// # Errors
    ///
    /// [`NetworkError`] where the bytes are no network of this shape, or where some position could overflow.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, NetworkError> {
        let header = Header::parse(bytes)?;
        let actual = (usize::from(header.hidden), usize::from(header.weight_bytes));
        if actual != (N, BYTES) {
            return Err(NetworkError::WrongShape { expected: (N, BYTES), actual });
        }
        let wrong_length = NetworkError::WrongLength { expected: header.file_bytes(), actual: bytes.len() };
        let split = |bytes: &'a [u8], at: usize| bytes.split_at_checked(at).ok_or(wrong_length);
        let (_, rest) = split(bytes, format::HEADER_BYTES)?;
        let (rows, rest) = split(rest, header.feature_weight_bytes())?;
        let (biases, rest) = split(rest, 2 * N)?;
        let (outputs, rest) = split(rest, usize::from(header.output_buckets) * 2 * N)?;
        let network = Network {
            header,
            rows: rows.as_chunks::<BYTES>().0.as_chunks::<N>().0,
            biases: biases.as_chunks::<2>().0.first_chunk::<N>().ok_or(wrong_length)?,
            outputs: outputs.as_chunks::<N>().0,
            output_biases: rest.as_chunks::<4>().0,
        };
        if network.can_overflow() { Err(NetworkError::Overflows) } else { Ok(network) }
    }

    /// Shape and quanta.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Whether 32 pieces on any squares could leave 16 bits, or any hidden layer 32 bits in the output sum.
    fn can_overflow(&self) -> bool {
        let mut largest = [0i32; N];
        for row in self.rows {
            for (largest, &w) in largest.iter_mut().zip(row) {
                *largest = (*largest).max(i32::from(weight(w)).abs());
            }
        }
        let hidden = largest
            .iter()
            .zip(self.biases)
            .any(|(&w, &bias)| i32::from(weight(bias)).abs() + PIECES_MAX * w > i32::from(i16::MAX));
        let quantum = i64::from(self.header.hidden_quantum);
        let output = self.outputs.chunks(2).any(|halves| {
            let sum: i64 = halves.iter().flatten().map(|&w| i64::from(w as i8).abs()).sum();
            sum * quantum * quantum > i64::from(i32::MAX)
        });
        hidden || output
    }

    /// First row of the king bucket of a perspective.
    fn bucket_row(&self, view: View, king: Square) -> usize {
        usize::from(self.header.king_map[view.see(king) as usize]) * FEATURES
    }

    fn row(&self, first_row: usize, view: View, piece: (Piece, Square)) -> &'a [[u8; BYTES]; N] {
        // In bounds: `Header::check` bounds the bucket, `View::feature` the feature.
        &self.rows[first_row + view.feature(piece.0, piece.1)]
    }

    /// Sums one perspective from nothing.
    fn refresh_side(&self, position: &Chess, perspective: Color, side: &mut [i16; N]) {
        let board = position.board();
        let king = king_of(board, perspective);
        let view = View::new(perspective, king);
        let first_row = self.bucket_row(view, king);
        for (sum, &bias) in side.iter_mut().zip(self.biases) {
            *sum = weight(bias);
        }
        for square in board.occupied() {
            if let Some(piece) = board.piece_at(square) {
                let row = self.row(first_row, view, (piece, square));
                for (sum, &w) in side.iter_mut().zip(row) {
                    *sum = sum.wrapping_add(weight(w));
                }
            }
        }
    }

    /// Makes one perspective's sum after a change from the one before it.
    fn advance_side(
        &self,
        change: &Change,
        view: View,
        first_row: usize,
        before: &[i16; N],
        after: &mut [i16; N],
    ) {
        let added = self.row(first_row, view, change.added);
        let removed = self.row(first_row, view, change.removed);
        match (change.added_too, change.removed_too) {
            (None, None) => shift(before, after, [added], [removed]),
            (None, Some(too)) => shift(before, after, [added], [removed, self.row(first_row, view, too)]),
            (Some(too), None) => shift(before, after, [added, self.row(first_row, view, too)], [removed]),
            (Some(too), Some(gone)) => {
                let added_too = self.row(first_row, view, too);
                let removed_too = self.row(first_row, view, gone);
                shift(before, after, [added, added_too], [removed, removed_too]);
            }
        }
    }

    /// Output set for a number of pieces.
    fn output_bucket(&self, pieces: usize) -> usize {
        let buckets = usize::from(self.header.output_buckets);
        (pieces.saturating_sub(1) * buckets / 32).min(buckets - 1)
    }
}

impl<const BYTES: usize, const N: usize> Evaluator for Network<'_, BYTES, N> {
    type State = Accumulator<N>;

    fn refresh(&self, position: &Chess, state: &mut Accumulator<N>) {
        for color in Color::ALL {
            self.refresh_side(position, color, &mut state.sides[side_index(color)]);
        }
    }

    fn advance(&self, before: &Accumulator<N>, position: &Chess, played: Move, after: &mut Accumulator<N>) {
        let Some(change) = Change::of(position, played) else {
            after.clone_from(before);
            return;
        };
        for color in Color::ALL {
            let king = king_of(position.board(), color);
            let view = View::new(color, king);
            let first_row = self.bucket_row(view, king);
            if let Some(king_to) = change.king_to().filter(|_| color == position.turn()) {
                let view_to = View::new(color, king_to);
                if view_to != view || self.bucket_row(view_to, king_to) != first_row {
                    let mut moved = position.clone();
                    moved.play_unchecked(played);
                    self.refresh_side(&moved, color, &mut after.sides[side_index(color)]);
                    continue;
                }
            }
            let index = side_index(color);
            self.advance_side(&change, view, first_row, &before.sides[index], &mut after.sides[index]);
        }
    }

    fn evaluate(&self, state: &Accumulator<N>, position: &Chess) -> i32 {
        let bucket = self.output_bucket(position.board().occupied().count());
        let quantum = self.header.hidden_quantum as i16;
        let us = &state.sides[side_index(position.turn())];
        let them = &state.sides[side_index(!position.turn())];
        let sum = squared_dot(us, &self.outputs[2 * bucket], quantum).wrapping_add(squared_dot(
            them,
            &self.outputs[2 * bucket + 1],
            quantum,
        ));
        let (qa, qb) = (i64::from(self.header.hidden_quantum), i64::from(self.header.output_quantum));
        let output = i64::from(sum) / qa + i64::from(i32::from_le_bytes(self.output_biases[bucket]));
        // At most 2^31 / 1 + 2^31 times 65535: far inside 64 bits; the clamp makes the narrowing exact.
        (output * i64::from(self.header.scale_cp) / (qa * qb)).clamp(-30_000, 30_000) as i32
    }
}

const fn side_index(color: Color) -> usize {
    match color {
        Color::White => 0,
        Color::Black => 1,
    }
}

/// A weight of one or two bytes.
#[inline(always)]
fn weight<const BYTES: usize>(bytes: [u8; BYTES]) -> i16 {
    if BYTES == 1 { i16::from(bytes[0] as i8) } else { i16::from_le_bytes([bytes[0], bytes[BYTES - 1]]) }
}

/// `after = before + sum(added) - sum(removed)`, neuron by neuron; compilers make vector code of it.
#[inline(always)]
fn shift<const BYTES: usize, const N: usize, const A: usize, const R: usize>(
    before: &[i16; N],
    after: &mut [i16; N],
    added: [&[[u8; BYTES]; N]; A],
    removed: [&[[u8; BYTES]; N]; R],
) {
    for i in 0..N {
        let mut sum = before[i];
        for row in added {
            sum = sum.wrapping_add(weight(row[i]));
        }
        for row in removed {
            sum = sum.wrapping_sub(weight(row[i]));
        }
        after[i] = sum;
    }
}

/// Neurons of one block of the output sum.
const BLOCK: usize = 64;

/// Dot product of the squared, clamped hidden layer with output weights.
///
/// `clamped * weight` fits 16 bits ([`format::HIDDEN_QUANTUM_MAX`]), so each step is one 16-bit product and one
/// multiply-add of 16-bit pairs into 32 bits, which vector units have. Compilers find the latter only when the
/// factors come as whole blocks and neither is known to be positive (measured: 45 ns against 194 ns for 256 neurons on
/// baseline x86-64).
#[inline(always)]
fn squared_dot<const N: usize>(hidden: &[i16; N], weights: &[u8; N], quantum: i16) -> i32 {
    let (hidden_blocks, hidden_rest) = hidden.as_chunks::<BLOCK>();
    let (weight_blocks, weight_rest) = weights.as_chunks::<BLOCK>();
    let mut sum = 0i32;
    for (hidden, weights) in hidden_blocks.iter().zip(weight_blocks) {
        let mut clamped = [0i16; BLOCK];
        let mut weighted = [0i16; BLOCK];
        for i in 0..BLOCK {
            clamped[i] = activate(hidden[i], quantum);
            weighted[i] = clamped[i].wrapping_mul(i16::from(weights[i] as i8));
        }
        for i in 0..BLOCK {
            sum = sum.wrapping_add(i32::from(clamped[i]).wrapping_mul(i32::from(weighted[i])));
        }
    }
    for (&h, &w) in hidden_rest.iter().zip(weight_rest) {
        let clamped = i32::from(activate(h, quantum));
        sum = sum.wrapping_add(clamped * clamped * i32::from(w as i8));
    }
    sum
}

/// The neuron's output before squaring. (`clamp` would tell the compiler that it is positive, see [`squared_dot`].)
#[inline(always)]
fn activate(hidden: i16, quantum: i16) -> i16 {
    hidden.max(0).min(quantum)
}

#[cfg(test)]
mod tests;
