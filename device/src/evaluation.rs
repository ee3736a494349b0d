//! What values positions on a device: the small network, whose weights stay in flash.

use plyscope_core::judge::network::{Accumulator, NetworkError, SmallNetwork, small};

/// The evaluation.
pub type Evaluation = SmallNetwork;
/// What it keeps for each ply of a search.
pub type State = Accumulator<64>;

/// Finds the network in flash and checks it.
///
/// # Errors
///
/// [`NetworkError`] where it is damaged.
pub fn evaluation() -> Result<Evaluation, NetworkError> {
    small()
}
