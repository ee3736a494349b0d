//! What is seen, and what it is compared with.

use shakmaty::Square;

use super::calibration::Calibration;
use super::piece_model::Class;
use super::retina::{Retina, SquareWatch};

/// The last looks and what they are compared with, together: how well a square is explained is not kept, as that would take
/// more memory than working it out for the few squares that it is asked of takes time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene<'a, const TEXTURES: usize> {
    pub(crate) retina: &'a Retina,
    pub(crate) calibration: &'a Calibration<TEXTURES>,
}

impl<const TEXTURES: usize> Scene<'_, TEXTURES> {
    /// What is known of one square.
    pub(crate) const fn watch(&self, square: Square) -> &SquareWatch {
        self.retina.watch(square)
    }

    /// How badly `class` explains what a square shows, luma².
    pub(crate) fn cost(&self, square: Square, class: Class) -> u16 {
        self.calibration.cost(self.retina.tile(square), square, class)
    }
}
