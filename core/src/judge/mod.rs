//! Who is ahead: evaluation, search, win probability and labels.

pub mod evaluation;
mod exchange;
pub mod hand_crafted;
mod hand_crafted_weights;
pub mod history;
pub mod label;
pub mod limits;
pub mod memory;
pub(crate) mod move_generation;
mod move_picker;
pub mod network;
mod node;
pub mod packed_move;
pub mod position_key;
mod pruning;
mod quiescence;
pub mod score;
pub mod search;
#[cfg(test)]
mod search_tests;
mod shortcuts;
pub mod steps;
pub mod transposition_table;
pub mod win_model;
