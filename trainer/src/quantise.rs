//! From floating point to the network file, and back for comparison.

use plyscope_core::judge::network::Header;

use crate::model::Shape;

/// What a parameter is, for its quantum and its limits.
#[derive(Clone, Copy, Debug)]
struct Grid {
    quantum: f32,
    limit: f32,
}

impl Grid {
    /// The nearest whole number of quanta.
    fn units(self, x: f32) -> i32 {
        (x.clamp(-self.limit, self.limit) * self.quantum).round() as i32
    }

    fn nearest(self, x: f32) -> f32 {
        self.units(x) as f32 / self.quantum
    }
}

/// Largest feature weight and bias: 32 pieces of it and a bias must fit 16 bits.
fn feature_grid(header: &Header) -> Grid {
    let quantum = f32::from(header.hidden_quantum);
    let units: f32 = if header.weight_bytes == 1 { 127.0 } else { 900.0 };
    Grid { quantum, limit: (units / quantum).min(1.98) }
}

fn bias_grid(header: &Header) -> Grid {
    let quantum = f32::from(header.hidden_quantum);
    Grid { quantum, limit: (3000.0 / quantum).min(8.0) }
}

fn output_grid(header: &Header) -> Grid {
    let quantum = f32::from(header.output_quantum);
    Grid { quantum, limit: 127.0 / quantum }
}

fn output_bias_grid(header: &Header) -> Grid {
    Grid { quantum: f32::from(header.hidden_quantum) * f32::from(header.output_quantum), limit: 8.0 }
}

/// The kinds of parameters in their order, with the end of each.
fn grids(shape: &Shape) -> [(usize, Grid); 4] {
    let header = &shape.header;
    [
        (shape.biases_at(), feature_grid(header)),
        (shape.output_weights_at(), bias_grid(header)),
        (shape.output_biases_at(), output_grid(header)),
        (shape.parameters(), output_bias_grid(header)),
    ]
}

/// Keeps every parameter where its quantised form can follow.
pub(crate) fn clip(shape: &Shape, parameters: &mut [f32]) {
    let mut start = 0;
    for (end, grid) in grids(shape) {
        for x in &mut parameters[start..end] {
            *x = x.clamp(-grid.limit, grid.limit);
        }
        start = end;
    }
}

/// The parameters as their quantised form has them.
pub(crate) fn round(shape: &Shape, parameters: &[f32], rounded: &mut [f32]) {
    let mut start = 0;
    for (end, grid) in grids(shape) {
        for (out, &x) in rounded[start..end].iter_mut().zip(&parameters[start..end]) {
            *out = grid.nearest(x);
        }
        start = end;
    }
}

/// The network file.
pub(crate) fn to_bytes(shape: &Shape, parameters: &[f32]) -> Vec<u8> {
    let header = &shape.header;
    let mut out = header.to_bytes().to_vec();
    let mut start = 0;
    for ((end, grid), bytes) in grids(shape).into_iter().zip([usize::from(header.weight_bytes), 2, 1, 4]) {
        for &x in &parameters[start..end] {
            out.extend_from_slice(&grid.units(x).to_le_bytes()[..bytes]);
        }
        start = end;
    }
    out
}
