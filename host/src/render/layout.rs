//! Where the board lies in the picture and where its squares lie on the board.

use shakmaty::{Color, Square};

/// The smallest board: below this a piece has too few pixels to be told from another.
pub const BOARD_PX_MIN: u32 = 64;

/// The largest board or picture: as far as common H.264 players go.
pub const PICTURE_PX_MAX: u32 = 8192;

/// A board that cannot lie in the picture as asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// The board is too small or too large.
    #[error("a board of {0} px cannot be drawn; choose {BOARD_PX_MIN} to {PICTURE_PX_MAX} px")]
    BoardSize(u32),
    /// The picture is too large.
    #[error("a picture of {0}x{1} px is too large; at most {PICTURE_PX_MAX} px each way")]
    PictureSize(u32, u32),
    /// The board sticks out of the picture.
    #[error("a board of {board_px} px at {x},{y} does not fit into a picture of {width}x{height} px")]
    BoardOutside {
        /// The board's side.
        board_px: u32,
        /// The board's left edge.
        x: u32,
        /// The board's upper edge.
        y: u32,
        /// The picture's width.
        width: u32,
        /// The picture's height.
        height: u32,
    },
}

/// Where everything lies, in pixels from the upper left corner of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The picture's width, even.
    pub width_px: u32,
    /// The picture's height, even.
    pub height_px: u32,
    /// The board's left edge.
    pub board_x_px: u32,
    /// The board's upper edge.
    pub board_y_px: u32,
    /// The side of the board.
    pub board_px: u32,
    /// The side whose first rank is at the bottom.
    pub bottom: Color,
}

/// The pixels of a square: the left and upper edge are inside, the right and lower edge are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SquareRect {
    /// Left edge.
    pub left_px: u32,
    /// Upper edge.
    pub top_px: u32,
    /// Right edge.
    pub right_px: u32,
    /// Lower edge.
    pub bottom_px: u32,
}

impl Layout {
    /// A board with the same margin on all sides.
    ///
    /// # Errors
    ///
    /// [`LayoutError`] where the board or the picture is too small or too large.
    pub fn with_margin(board_px: u32, margin_px: u32, bottom: Color) -> Result<Layout, LayoutError> {
        let side_px = margin_px.saturating_mul(2).saturating_add(board_px);
        Layout::on_canvas(board_px, (side_px, side_px), (margin_px, margin_px), bottom)
    }

    /// A board with its upper left corner at `at` in a picture of size `canvas`; an odd size grows by one pixel, for
    /// the video's chroma is stored in pairs.
    ///
    /// # Errors
    ///
    /// [`LayoutError`] where the board or the picture has no possible size, or the board sticks out.
    pub fn on_canvas(
        board_px: u32,
        canvas: (u32, u32),
        at: (u32, u32),
        bottom: Color,
    ) -> Result<Layout, LayoutError> {
        if !(BOARD_PX_MIN..=PICTURE_PX_MAX).contains(&board_px) {
            return Err(LayoutError::BoardSize(board_px));
        }
        let (width, height) = canvas;
        if width > PICTURE_PX_MAX || height > PICTURE_PX_MAX {
            return Err(LayoutError::PictureSize(width, height));
        }
        let (x, y) = at;
        let fits = |start: u32, length: u32| start.checked_add(board_px).is_some_and(|end| end <= length);
        if !fits(x, width) || !fits(y, height) {
            return Err(LayoutError::BoardOutside { board_px, x, y, width, height });
        }
        Ok(Layout {
            width_px: width.next_multiple_of(2),
            height_px: height.next_multiple_of(2),
            board_x_px: x,
            board_y_px: y,
            board_px,
            bottom,
        })
    }

    /// The column and row of a square as seen, from the upper left.
    pub fn column_and_row(&self, square: Square) -> (u32, u32) {
        let (file, rank) = (u32::from(square.file()), u32::from(square.rank()));
        match self.bottom {
            Color::White => (file, 7 - rank),
            Color::Black => (7 - file, rank),
        }
    }

    /// The square's pixels; squares may differ by one pixel where the board is no multiple of 8.
    pub fn square_rect(&self, square: Square) -> SquareRect {
        let edge = |index: u32| (index * self.board_px + 4) / 8;
        let (column, row) = self.column_and_row(square);
        SquareRect {
            left_px: self.board_x_px + edge(column),
            top_px: self.board_y_px + edge(row),
            right_px: self.board_x_px + edge(column + 1),
            bottom_px: self.board_y_px + edge(row + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_tile_a_board_that_is_no_multiple_of_eight() {
        let layout = Layout::with_margin(333, 10, Color::White).expect("fits");
        let mut covered = 0;
        for square in Square::ALL {
            let rect = layout.square_rect(square);
            covered += (rect.right_px - rect.left_px) * (rect.bottom_px - rect.top_px);
        }
        assert_eq!(covered, 333 * 333);
        assert_eq!((layout.width_px, layout.height_px), (354, 354));
    }

    #[test]
    fn the_orientation_puts_the_chosen_side_at_the_bottom() {
        let white = Layout::with_margin(80, 0, Color::White).expect("fits");
        let black = Layout::with_margin(80, 0, Color::Black).expect("fits");
        assert_eq!(white.column_and_row(Square::A1), (0, 7));
        assert_eq!(black.column_and_row(Square::A1), (7, 0));
    }

    #[test]
    fn a_board_that_sticks_out_is_refused_with_the_numbers() {
        let error = Layout::on_canvas(100, (120, 120), (30, 0), Color::White).expect_err("sticks out");
        assert_eq!(error.to_string(), "a board of 100 px at 30,0 does not fit into a picture of 120x120 px");
        assert_eq!(Layout::with_margin(8, 0, Color::White), Err(LayoutError::BoardSize(8)));
        let too_wide = Layout::on_canvas(100, (9000, 100), (u32::MAX, 0), Color::White);
        assert_eq!(too_wide, Err(LayoutError::PictureSize(9000, 100)));
    }
}
