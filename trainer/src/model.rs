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

/// Passes over positions that follow each other, forward and backward, at the cost of what differs between them.
///
/// Neighbours in a game or on a walk share most of their pieces. So the sums of the hidden layer are moved from one
/// position to the next instead of made anew; and since the gradient of a feature's row is the sum of what came back while the
/// feature was on, a running total that is subtracted when it comes and added when it goes serves all rows at once.
pub(crate) struct Pass<'a> {
    shape: &'a Shape,
    parameters: &'a [f32],
    gradient: &'a mut [f32],
    sides: [SidePass; 2],
    bucket: usize,
}

/// One perspective of a [`Pass`].
struct SidePass {
    /// The hidden layer before its activation.
    hidden: Vec<f32>,
    /// What came back to the hidden layer since the last refresh.
    came_back: Vec<f32>,
    /// The rows that are on.
    rows: [u32; 32],
    len: usize,
    /// A mark for each row, all [`Mark::OFF`] between calls.
    marks: Vec<u8>,
    added: Vec<u32>,
    removed: Vec<u32>,
}

/// Marks of rows while two positions are compared.
struct Mark;

impl Mark {
    const OFF: u8 = 0;
    const WAS_ON: u8 = 1;
    const STAYS: u8 = 2;
}

impl<'a> Pass<'a> {
    /// Before the first position; what comes back is added to `gradient`, which has a place for each parameter.
    pub(crate) fn new(shape: &'a Shape, parameters: &'a [f32], gradient: &'a mut [f32]) -> Self {
        let side = || SidePass {
            hidden: vec![0.0; shape.hidden()],
            came_back: vec![0.0; shape.hidden()],
            rows: [0; 32],
            len: 0,
            marks: vec![Mark::OFF; shape.rows()],
            added: Vec::with_capacity(32),
            removed: Vec::with_capacity(32),
        };
        Pass { shape, parameters, gradient, sides: [side(), side()], bucket: 0 }
    }

    /// Value of the next position for the side to move, in units of [`SCALE_CP`].
    pub(crate) fn forward(&mut self, inputs: &Inputs) -> f32 {
        let n = self.shape.hidden();
        self.bucket = inputs.bucket;
        let mut output = self.parameters[self.shape.output_biases_at() + inputs.bucket];
        for side in 0..2 {
            let rows = &inputs.rows[side][..inputs.len];
            self.sides[side].move_to(self.shape, self.parameters, rows, self.gradient);
            output += squared_dot(&self.sides[side].hidden, &self.parameters[self.output_row(side)..][..n]);
        }
        output
    }

    /// Takes in the gradient of `by_output` times the value that [`Pass::forward`] just found; it is whole after
    /// [`Pass::finish`].
    pub(crate) fn backward(&mut self, by_output: f32) {
        let n = self.shape.hidden();
        self.gradient[self.shape.output_biases_at() + self.bucket] += by_output;
        for side in 0..2 {
            let at = self.output_row(side);
            let weights = &self.parameters[at..][..n];
            let SidePass { hidden, came_back, .. } = &mut self.sides[side];
            for (((gradient, back), &h), &w) in
                self.gradient[at..][..n].iter_mut().zip(came_back).zip(hidden.iter()).zip(weights)
            {
                let active = h.clamp(0.0, 1.0);
                *gradient += by_output * active * active;
                let inside = if h > 0.0 && h < 1.0 { 2.0 * h } else { 0.0 };
                *back += by_output * w * inside;
            }
        }
    }

    /// Gives all that came back to the gradient.
    pub(crate) fn finish(mut self) {
        for side in &mut self.sides {
            side.flush(self.shape, self.gradient);
        }
    }

    fn output_row(&self, side: usize) -> usize {
        self.shape.output_weights_at() + (2 * self.bucket + side) * self.shape.hidden()
    }
}

impl SidePass {
    fn move_to(&mut self, shape: &Shape, parameters: &[f32], rows: &[u32], gradient: &mut [f32]) {
        let n = shape.hidden();
        self.compare(rows);
        if self.added.len() + self.removed.len() >= rows.len() {
            self.flush(shape, gradient);
            self.hidden.copy_from_slice(&parameters[shape.biases_at()..][..n]);
            shift(&mut self.hidden, parameters, rows, &[]);
        } else {
            shift(&mut self.hidden, parameters, &self.added, &self.removed);
            for &row in &self.added {
                for (g, back) in gradient[row as usize * n..][..n].iter_mut().zip(&self.came_back) {
                    *g -= back;
                }
            }
            for &row in &self.removed {
                add(&mut gradient[row as usize * n..][..n], &self.came_back);
            }
        }
        self.rows[..rows.len()].copy_from_slice(rows);
        self.len = rows.len();
    }

    /// Fills `added` and `removed` with what `rows` have more and less than the rows that are on.
    fn compare(&mut self, rows: &[u32]) {
        self.added.clear();
        self.removed.clear();
        for &row in &self.rows[..self.len] {
            self.marks[row as usize] = Mark::WAS_ON;
        }
        for &row in rows {
            let mark = &mut self.marks[row as usize];
            if *mark == Mark::WAS_ON {
                *mark = Mark::STAYS;
            } else {
                self.added.push(row);
            }
        }
        for &row in &self.rows[..self.len] {
            let mark = &mut self.marks[row as usize];
            if *mark == Mark::WAS_ON {
                self.removed.push(row);
            }
            *mark = Mark::OFF;
        }
    }

    /// Gives the rows that are on, and the biases, what came back.
    fn flush(&mut self, shape: &Shape, gradient: &mut [f32]) {
        let n = shape.hidden();
        for &row in &self.rows[..self.len] {
            add(&mut gradient[row as usize * n..][..n], &self.came_back);
        }
        add(&mut gradient[shape.biases_at()..][..n], &self.came_back);
        self.came_back.fill(0.0);
    }
}

/// `sum += rows of added - rows of removed`, a block of neurons at a time, which stays in registers.
fn shift(sum: &mut [f32], parameters: &[f32], added: &[u32], removed: &[u32]) {
    const BLOCK: usize = 64;
    let n = sum.len();
    let mut from = 0;
    while from + BLOCK <= n {
        if let Some(sum) = sum[from..].first_chunk_mut::<BLOCK>() {
            shift_block(sum, parameters, n, from, added, removed);
        }
        from += BLOCK;
    }
    for i in from..n {
        let at = |row: &u32| parameters[*row as usize * n + i];
        sum[i] += added.iter().map(at).sum::<f32>() - removed.iter().map(at).sum::<f32>();
    }
}

fn shift_block<const BLOCK: usize>(
    sum: &mut [f32; BLOCK],
    parameters: &[f32],
    n: usize,
    from: usize,
    added: &[u32],
    removed: &[u32],
) {
    let mut block = *sum;
    for &row in added {
        if let Some(weights) = parameters[row as usize * n + from..].first_chunk::<BLOCK>() {
            for (x, w) in block.iter_mut().zip(weights) {
                *x += w;
            }
        }
    }
    for &row in removed {
        if let Some(weights) = parameters[row as usize * n + from..].first_chunk::<BLOCK>() {
            for (x, w) in block.iter_mut().zip(weights) {
                *x -= w;
            }
        }
    }
    *sum = block;
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
    use shakmaty::{Chess, Position, uci::UciMove};

    use super::*;
    use crate::record::Label;

    #[test]
    fn the_gradient_is_the_slope_of_the_value() {
        let header = Header {
            weight_bytes: 2,
            hidden: 68,
            king_buckets: 3,
            output_buckets: 8,
            hidden_quantum: 255,
            output_quantum: 64,
            scale_cp: SCALE_CP,
            king_map: king_map(3).unwrap_or([0; 64]),
        };
        let shape = Shape { header };
        let mut parameters = shape.initial(&mut ChaCha8Rng::seed_from_u64(3));
        let game = inputs_of_a_game(&shape);
        // Each position by itself, so that nothing is carried over.
        let value = |parameters: &[f32]| -> f32 {
            let mut nowhere = vec![0f32; shape.parameters()];
            game.iter().map(|inputs| Pass::new(&shape, parameters, &mut nowhere).forward(inputs)).sum()
        };
        let mut gradient = vec![0f32; shape.parameters()];
        let mut pass = Pass::new(&shape, &parameters, &mut gradient);
        let mut in_passing = 0.0;
        for inputs in &game {
            in_passing += pass.forward(inputs);
            pass.backward(1.0);
        }
        pass.finish();
        assert!((in_passing - value(&parameters)).abs() < 1e-4);
        let step = 1e-3;
        let mut checked = 0;
        for i in (0..shape.parameters()).filter(|&i| gradient[i].abs() > 1e-3).step_by(37) {
            let kept = parameters[i];
            parameters[i] = kept + step;
            let above = value(&parameters);
            parameters[i] = kept - step;
            let below = value(&parameters);
            parameters[i] = kept;
            let slope = (above - below) / (2.0 * step);
            assert!((slope - gradient[i]).abs() < 0.02 + 0.03 * slope.abs(), "{i}: {slope} {}", gradient[i]);
            checked += 1;
        }
        assert!(checked > 20);
    }

    /// Positions of a game in which a side castles, pieces are taken and a king changes its half of the board.
    fn inputs_of_a_game(shape: &Shape) -> Vec<Inputs> {
        let moves = "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 e1g1 f6e4 c4f7 e8f7 f3e5 c6e5";
        let mut position = Chess::default();
        let mut inputs = Vec::new();
        for word in moves.split(' ') {
            let label = Label { score: 0, win_permille: 0, loss_permille: 0 };
            let record = Record::new(&position, label, position.legal_moves()[0], false);
            inputs.push(Inputs::of(&record, shape));
            let played = word.parse::<UciMove>().ok().and_then(|m| m.to_move(&position).ok());
            assert!(played.is_some(), "{word}");
            if let Some(m) = played {
                position.play_unchecked(m);
            }
        }
        inputs
    }
}
