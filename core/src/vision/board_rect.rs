//! Where the board lies in the picture.

use serde::{Deserialize, Serialize};
use shakmaty::{File, Rank, Square};

/// Which side sits at the bottom of the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Orientation {
    /// White at the bottom, files a to h from left to right.
    #[default]
    WhiteBottom,
    /// Black at the bottom, files h to a from left to right.
    BlackBottom,
}

impl Orientation {
    /// The same board seen from the other side.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::WhiteBottom => Self::BlackBottom,
            Self::BlackBottom => Self::WhiteBottom,
        }
    }
}

/// The eight by eight squares in the picture, without any margin, in 1/256 pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoardRect {
    left_q8: u32,
    top_q8: u32,
    width_q8: u32,
    height_q8: u32,
}

/// Why a rectangle is no board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardRectError {
    /// The board is smaller than a pixel for each cell that is looked at, 64 by 64 in all.
    TooSmall {
        /// The shorter side that was given, whole pixels.
        actual_px: u32,
        /// The least side.
        expected_px: u32,
    },
    /// The board reaches out of the largest picture that fits the arithmetic.
    TooLarge,
}

impl core::fmt::Display for BoardRectError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::TooSmall { actual_px, expected_px } => {
                write!(f, "look at a board of {actual_px} px, it takes {expected_px}")
            }
            Self::TooLarge => write!(f, "look at a board beyond {} px", BoardRect::COORDINATE_MAX_PX),
        }
    }
}

impl core::error::Error for BoardRectError {}

/// A rectangle of whole and part pixels, half open, in 1/256 pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PixelRect {
    pub(crate) left_q8: u32,
    pub(crate) top_q8: u32,
    pub(crate) right_q8: u32,
    pub(crate) bottom_q8: u32,
}

impl BoardRect {
    /// The least side of a board in pixels: one for each cell.
    pub const SIDE_MIN_PX: u32 = 64;
    /// The largest coordinate in pixels: with it, products of 1/256 pixels stay inside 32 bits.
    pub const COORDINATE_MAX_PX: u32 = 16_384;

    /// The least board, in the upper left corner.
    pub(crate) const LEAST: Self =
        Self { left_q8: 0, top_q8: 0, width_q8: Self::SIDE_MIN_PX << 8, height_q8: Self::SIDE_MIN_PX << 8 };

    /// A board at whole pixels.
    ///
    /// # Errors
    ///
    /// [`BoardRectError`] when a side is under 64 px or a border beyond 16384 px.
    pub const fn from_px(left: u32, top: u32, width: u32, height: u32) -> Result<Self, BoardRectError> {
        if left > Self::COORDINATE_MAX_PX
            || top > Self::COORDINATE_MAX_PX
            || width > Self::COORDINATE_MAX_PX
            || height > Self::COORDINATE_MAX_PX
        {
            return Err(BoardRectError::TooLarge);
        }
        Self::from_q8(left << 8, top << 8, width << 8, height << 8)
    }

    /// A board whose borders lie between pixels, all in 1/256 pixel.
    ///
    /// # Errors
    ///
    /// [`BoardRectError`] when a side is under 64 px or a border beyond 16384 px.
    pub const fn from_q8(
        left_q8: u32,
        top_q8: u32,
        width_q8: u32,
        height_q8: u32,
    ) -> Result<Self, BoardRectError> {
        let shorter = if width_q8 < height_q8 { width_q8 } else { height_q8 };
        if shorter < Self::SIDE_MIN_PX << 8 {
            return Err(BoardRectError::TooSmall { actual_px: shorter >> 8, expected_px: Self::SIDE_MIN_PX });
        }
        let limit = Self::COORDINATE_MAX_PX << 8;
        if left_q8.saturating_add(width_q8) > limit || top_q8.saturating_add(height_q8) > limit {
            return Err(BoardRectError::TooLarge);
        }
        Ok(Self { left_q8, top_q8, width_q8, height_q8 })
    }

    /// Left border in 1/256 pixel.
    #[must_use]
    pub const fn left_q8(&self) -> u32 {
        self.left_q8
    }

    /// Upper border in 1/256 pixel.
    #[must_use]
    pub const fn top_q8(&self) -> u32 {
        self.top_q8
    }

    /// Width in 1/256 pixel.
    #[must_use]
    pub const fn width_q8(&self) -> u32 {
        self.width_q8
    }

    /// Height in 1/256 pixel.
    #[must_use]
    pub const fn height_q8(&self) -> u32 {
        self.height_q8
    }

    /// The same board in a picture cut off `left_px` from the left and `top_px` from the top.
    ///
    /// # Errors
    ///
    /// [`BoardRectError::TooLarge`] when the cut goes through the board.
    pub const fn cropped(&self, left_px: u32, top_px: u32) -> Result<Self, BoardRectError> {
        match (
            self.left_q8.checked_sub(left_px.saturating_mul(256)),
            self.top_q8.checked_sub(top_px.saturating_mul(256)),
        ) {
            (Some(left), Some(top)) => Self::from_q8(left, top, self.width_q8, self.height_q8),
            _ => Err(BoardRectError::TooLarge),
        }
    }

    /// The rows of pixels, half open, on which a rank lies, in whole or in part.
    #[must_use]
    pub fn rows_of_rank(&self, rank: Rank, orientation: Orientation) -> core::ops::Range<usize> {
        let rect = self.square(Square::from_coords(File::A, rank), orientation);
        (rect.top_q8 >> 8) as usize..rect.bottom_q8.div_ceil(256) as usize
    }

    /// Where `square` lies in the picture.
    pub(crate) fn square(&self, square: Square, orientation: Orientation) -> PixelRect {
        let (column, row) = column_and_row(square, orientation);
        let (left, top) = (u64::from(self.left_q8), u64::from(self.top_q8));
        let (width, height) = (u64::from(self.width_q8), u64::from(self.height_q8));
        let at = |start: u64, side: u64, eighth: u32| {
            u32::try_from(start + side * u64::from(eighth) / 8).unwrap_or(u32::MAX)
        };
        PixelRect {
            left_q8: at(left, width, column),
            right_q8: at(left, width, column + 1),
            top_q8: at(top, height, row),
            bottom_q8: at(top, height, row + 1),
        }
    }
}

/// Column from the left and row from the top of a square, 0 to 7 each.
fn column_and_row(square: Square, orientation: Orientation) -> (u32, u32) {
    let (file, rank): (File, Rank) = (square.file(), square.rank());
    let (file, rank) = (u32::from(file), u32::from(rank));
    match orientation {
        Orientation::WhiteBottom => (file, 7 - rank),
        Orientation::BlackBottom => (7 - file, rank),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a1_lies_at_the_lower_left_for_white_and_the_upper_right_for_black() {
        let rect = BoardRect::from_px(10, 20, 80, 160).expect("large enough");
        let white = rect.square(Square::A1, Orientation::WhiteBottom);
        assert_eq!((white.left_q8 >> 8, white.top_q8 >> 8), (10, 160));
        let black = rect.square(Square::A1, Orientation::BlackBottom);
        assert_eq!((black.left_q8 >> 8, black.top_q8 >> 8), (80, 20));
        assert_eq!((black.right_q8 >> 8, black.bottom_q8 >> 8), (90, 40));
    }

    #[test]
    fn rectangles_that_are_no_board_are_refused() {
        assert!(matches!(BoardRect::from_px(0, 0, 63, 640), Err(BoardRectError::TooSmall { .. })));
        assert_eq!(BoardRect::from_px(16_000, 0, 640, 640), Err(BoardRectError::TooLarge));
        assert_eq!(BoardRect::from_px(u32::MAX, 0, 640, 640), Err(BoardRectError::TooLarge));
        let rect = BoardRect::from_px(100, 50, 640, 640).expect("it fits");
        assert_eq!(rect.cropped(100, 50), BoardRect::from_px(0, 0, 640, 640));
        assert_eq!(rect.cropped(101, 50), Err(BoardRectError::TooLarge));
    }
}
