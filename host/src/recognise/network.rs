//! A network of 512 inputs, 64 hidden cells and 6 roles, in 8-bit weights.
//!
//! `docs/training.md` says what it was trained on and how well it does. `roles.bin` holds, in little-endian order: 64 rows of 512
//! hidden weights (i8), 64 biases (i32), 6 rows of 64 output weights (i8), 6 biases (i32), and two factors (i32) in 1/65536
//! that bring hidden values and outputs to 1/256.

use super::figure::INPUTS;

const HIDDEN: usize = 64;
const ROLES: usize = 6;
const BYTES: usize = HIDDEN * INPUTS + HIDDEN * 4 + ROLES * HIDDEN + ROLES * 4 + 8;
static WEIGHTS: &[u8; BYTES] = include_bytes!("roles.bin");

const HIDDEN_BIASES: usize = HIDDEN * INPUTS;
const OUTPUT_WEIGHTS: usize = HIDDEN_BIASES + HIDDEN * 4;
const OUTPUT_BIASES: usize = OUTPUT_WEIGHTS + ROLES * HIDDEN;
const FACTORS: usize = OUTPUT_BIASES + ROLES * 4;

fn weight(at: usize) -> i64 {
    WEIGHTS.get(at).map_or(0, |&byte| i64::from(byte.cast_signed()))
}

fn number(at: usize) -> i64 {
    let bytes = WEIGHTS.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
    bytes.map_or(0, |bytes| i64::from(i32::from_le_bytes(bytes)))
}

/// The log-probability of each role, pawn to king, of a figure that shows `input`.
pub(super) fn log_probabilities(input: &[u8; INPUTS]) -> [f32; ROLES] {
    let hidden: [i64; HIDDEN] = std::array::from_fn(|cell| {
        let products = input.iter().enumerate().map(|(i, &x)| i64::from(x) * weight(cell * INPUTS + i));
        let sum = number(HIDDEN_BIASES + cell * 4) + products.sum::<i64>();
        (sum.max(0) * number(FACTORS)) >> 16
    });
    let outputs: [f32; ROLES] = std::array::from_fn(|role| {
        let products = hidden.iter().enumerate().map(|(i, x)| x * weight(OUTPUT_WEIGHTS + role * HIDDEN + i));
        let sum = number(OUTPUT_BIASES + role * 4) + products.sum::<i64>();
        ((sum * number(FACTORS + 4)) >> 16) as f32 / 256.0
    });
    let largest = outputs.iter().copied().fold(f32::MIN, f32::max);
    let all = outputs.iter().map(|output| (output - largest).exp()).sum::<f32>().ln() + largest;
    outputs.map(|output| output - all)
}
