//! The network in floating point: shape, parameters, value and gradient of one position.
//!
//! All parameters lie in one vector, so that the optimiser and the reduction over threads are plain loops:
//! feature weights (row after row, king bucket after king bucket), biases, output weights, output biases.

use plyscope_core::judge::network::{
    Header,
    features::{FEATURES, View},
};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use shakmaty::{Role, Square};

use crate::record::Record;

/// Centipawns of an output of 1.0.
pub(crate) const SCALE_CP: u16 = 400;

/// Shape and quanta of the network to train.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) header: Header,
}

impl Shape {
    /// Feature rows.
    pub(crate) fn rows(&self) -> usize {
        self.header.rows()
    }

    /// Hidden neurons of a perspective.
    pub(crate) fn hidden(&self) -> usize {
        usize::from(self.header.hidden)
    }

    /// Output buckets.
    pub(crate) fn outputs(&self) -> usize {
        usize::from(self.header.output_buckets)
    }

    /// Where the biases begin.
    pub(crate) fn biases_at(&self) -> usize {
        self.rows() * self.hidden()
    }

    /// Where the output weights begin.
    pub(crate) fn output_weights_at(&self) -> usize {
        self.biases_at() + self.hidden()
    }

    /// Where the output biases begin.
    pub(crate) fn output_biases_at(&self) -> usize {
        self.output_weights_at() + self.outputs() * 2 * self.hidden()
    }

    /// Parameters in all.
    pub(crate) fn parameters(&self) -> usize {
        self.output_biases_at() + self.outputs()
    }

    /// Output bucket of a position; the inference has the same rule.
    pub(crate) fn output_bucket(&self, pieces: u32) -> usize {
        ((pieces as usize).saturating_sub(1) * self.outputs() / 32).min(self.outputs() - 1)
    }

    /// Parameters to start from: rows small and by chance, so that neurons differ.
    pub(crate) fn initial(&self, rng: &mut ChaCha8Rng) -> Vec<f32> {
        let mut out = vec![0f32; self.parameters()];
        let (weights, rest) = out.split_at_mut(self.biases_at());
        let (first_bucket, other_buckets) = weights.split_at_mut(FEATURES * self.hidden());
        for w in first_bucket.iter_mut() {
            *w = rng.random_range(-0.1..0.1);
        }
        for bucket in other_buckets.chunks_mut(first_bucket.len()) {
            bucket.copy_from_slice(first_bucket);
        }
        let (biases, rest) = rest.split_at_mut(self.hidden());
        biases.fill(0.2);
        let reach = 1.0 / (self.hidden() as f32).sqrt();
        let outputs = self.outputs() * 2 * self.hidden();
        for w in &mut rest[..outputs] {
            *w = rng.random_range(-reach..reach);
        }
        out
    }
}

/// Feature rows of a position: the side to move's, then the other's.
pub(crate) struct Inputs {
    rows: [[u32; 32]; 2],
    len: usize,
    bucket: usize,
}

impl Inputs {
    /// The rows that `record` turns on.
    pub(crate) fn of(record: &Record, shape: &Shape) -> Self {
        let mut kings = [Square::A1; 2];
        for (square, piece) in record.pieces() {
            if piece.role == Role::King {
                kings[usize::from(piece.color != record.turn)] = square;
            }
        }
        let views = [View::new(record.turn, kings[0]), View::new(!record.turn, kings[1])];
        let first_rows = [0, 1].map(|side: usize| {
            u32::from(shape.header.king_map[usize::from(views[side].see(kings[side]))]) * FEATURES as u32
        });
        let mut inputs = Inputs { rows: [[0; 32]; 2], len: 0, bucket: 0 };
        for (square, piece) in record.pieces() {
            for side in 0..2 {
                inputs.rows[side][inputs.len] = first_rows[side] + views[side].feature(piece, square) as u32;
            }
            inputs.len += 1;
        }
        inputs.bucket = shape.output_bucket(inputs.len as u32);
        inputs
    }
}

/// Room for one position's forward pass.
pub(crate) struct Scratch {
    hidden: [Vec<f32>; 2],
    back: Vec<f32>,
}

impl Scratch {
    /// Room for a network of this shape.
    pub(crate) fn new(shape: &Shape) -> Self {
        let zeros = || vec![0f32; shape.hidden()];
        Scratch { hidden: [zeros(), zeros()], back: zeros() }
    }
}

/// Value of a position for the side to move, in units of [`SCALE_CP`].
pub(crate) fn forward(shape: &Shape, parameters: &[f32], inputs: &Inputs, scratch: &mut Scratch) -> f32 {
    let n = shape.hidden();
    let biases = &parameters[shape.biases_at()..][..n];
    let mut output = parameters[shape.output_biases_at() + inputs.bucket];
    for side in 0..2 {
        let hidden = &mut scratch.hidden[side][..n];
        hidden.copy_from_slice(biases);
        for &row in &inputs.rows[side][..inputs.len] {
            add(hidden, &parameters[row as usize * n..][..n]);
        }
        output += squared_dot(hidden, &parameters[output_row(shape, inputs, side)..][..n]);
    }
    output
}

/// Adds the gradient of `by_output` times the value that [`forward`] just found.
pub(crate) fn backward(
    shape: &Shape,
    parameters: &[f32],
    inputs: &Inputs,
    scratch: &mut Scratch,
    by_output: f32,
    gradient: &mut [f32],
) {
    let n = shape.hidden();
    gradient[shape.output_biases_at() + inputs.bucket] += by_output;
    for side in 0..2 {
        let at = output_row(shape, inputs, side);
        let hidden = &scratch.hidden[side][..n];
        let weights = &parameters[at..][..n];
        for (((gradient, back), &h), &w) in
            gradient[at..][..n].iter_mut().zip(&mut scratch.back).zip(hidden).zip(weights)
        {
            let active = h.clamp(0.0, 1.0);
            *gradient += by_output * active * active;
            let inside = if h > 0.0 && h < 1.0 { 2.0 * h } else { 0.0 };
            *back = by_output * w * inside;
        }
        add(&mut gradient[shape.biases_at()..][..n], &scratch.back);
        for &row in &inputs.rows[side][..inputs.len] {
            add(&mut gradient[row as usize * n..][..n], &scratch.back);
        }
    }
}

fn output_row(shape: &Shape, inputs: &Inputs, side: usize) -> usize {
    shape.output_weights_at() + (2 * inputs.bucket + side) * shape.hidden()
}

fn add(sum: &mut [f32], x: &[f32]) {
    for (sum, x) in sum.iter_mut().zip(x) {
        *sum += x;
    }
}

/// Dot product of the squared, clamped hidden layer with weights, in lanes that vector units can keep apart.
fn squared_dot(hidden: &[f32], weights: &[f32]) -> f32 {
    const LANES: usize = 16;
    let mut lanes = [0f32; LANES];
    let (hidden_chunks, hidden_rest) = hidden.as_chunks::<LANES>();
    let (weight_chunks, weight_rest) = weights.as_chunks::<LANES>();
    for (h, w) in hidden_chunks.iter().zip(weight_chunks) {
        for i in 0..LANES {
            let active = h[i].clamp(0.0, 1.0);
            lanes[i] += active * active * w[i];
        }
    }
    let rest: f32 = hidden_rest.iter().zip(weight_rest).map(|(h, w)| h.clamp(0.0, 1.0).powi(2) * w).sum();
    lanes.iter().sum::<f32>() + rest
}

/// The king map of a number of buckets, by the own king's square seen from its side and mirrored to A to D.
///
/// One bucket: everywhere the same. Three: the castled corner (first rank, A to C), the rest of the first two
/// ranks, and everything above.
pub(crate) fn king_map(buckets: u8) -> Option<[u8; 64]> {
    let mut map = [0u8; 64];
    for square in Square::ALL {
        let (file, rank) = (square.file() as u8, square.rank() as u8);
        map[usize::from(square)] = match (buckets, rank) {
            (1, _) => 0,
            (2, 0) => 0,
            (2, _) => 1,
            (3, 0) if file < 3 => 0,
            (3, 0 | 1) => 1,
            (3, _) => 2,
            _ => return None,
        };
    }
    Some(map)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use shakmaty::{Chess, Position};

    use super::*;
    use crate::record::Label;

    #[test]
    fn the_gradient_is_the_slope_of_the_value() {
        let header = Header {
            weight_bytes: 2,
            hidden: 20,
            king_buckets: 3,
            output_buckets: 8,
            hidden_quantum: 255,
            output_quantum: 64,
            scale_cp: SCALE_CP,
            king_map: king_map(3).unwrap_or([0; 64]),
        };
        let shape = Shape { header };
        let mut parameters = shape.initial(&mut ChaCha8Rng::seed_from_u64(3));
        let pos = Chess::default();
        let label = Label { score: 0, win_permille: 0, loss_permille: 0 };
        let record = Record::new(&pos, label, pos.legal_moves()[0], false);
        let inputs = Inputs::of(&record, &shape);
        let mut scratch = Scratch::new(&shape);
        forward(&shape, &parameters, &inputs, &mut scratch);
        let mut gradient = vec![0f32; shape.parameters()];
        backward(&shape, &parameters, &inputs, &mut scratch, 1.0, &mut gradient);
        let step = 1e-3;
        let mut checked = 0;
        for i in (0..shape.parameters()).filter(|&i| gradient[i] != 0.0).step_by(37) {
            let kept = parameters[i];
            parameters[i] = kept + step;
            let above = forward(&shape, &parameters, &inputs, &mut scratch);
            parameters[i] = kept - step;
            let below = forward(&shape, &parameters, &inputs, &mut scratch);
            parameters[i] = kept;
            let slope = (above - below) / (2.0 * step);
            assert!((slope - gradient[i]).abs() < 0.01 + 0.02 * slope.abs(), "{i}: {slope} {}", gradient[i]);
            checked += 1;
        }
        assert!(checked > 5);
    }
}
