//! From pixels to a board reading: no chess rules here beyond the start position's layout.

mod board_rect;
mod calibration;
mod difference;
mod grain;
mod ink;
mod luma_view;
mod outline;
mod piece_model;
mod placement;
mod reading;
mod retina;
mod scene;
mod textures;
mod tile;

pub use board_rect::{BoardRect, BoardRectError, Orientation};
pub use calibration::{Calibration, CalibrationError};
pub use difference::differing_squares;
pub use luma_view::{LumaView, LumaViewError};
pub use piece_model::{CLASS_COUNT, Class, LookModel};
pub use placement::Placement;
pub use reading::BoardReading;
pub use retina::{Retina, SquareWatch};
pub(crate) use scene::Scene;
pub use tile::{TILE_EDGE, Tile};
