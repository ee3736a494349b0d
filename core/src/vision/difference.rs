//! Which squares differ between two pictures, pixel by pixel.

use shakmaty::{Bitboard, Square};

use super::board_rect::{BoardRect, Orientation};
use super::luma_view::LumaView;

/// The squares of the board at `rect` on which any pixel differs between `before` and `now`, which have one size;
/// all squares where they have not.
///
/// A square that does not differ need not be sampled again: on a screen most squares of most frames are the very same
/// bytes, and comparing bytes costs a small part of averaging them.
#[must_use]
pub fn differing_squares(
    before: &LumaView<'_>,
    now: &LumaView<'_>,
    rect: BoardRect,
    orientation: Orientation,
) -> Bitboard {
    if (before.width_px(), before.height_px()) != (now.width_px(), now.height_px()) {
        return Bitboard::FULL;
    }
    let areas = Square::ALL.map(|square| {
        let area = rect.square(square, orientation);
        let pixels = |start_q8: u32, end_q8: u32| (start_q8 >> 8) as usize..end_q8.div_ceil(256) as usize;
        (pixels(area.left_q8, area.right_q8), pixels(area.top_q8, area.bottom_q8))
    });
    let mut differing = Bitboard::EMPTY;
    for y in 0..now.height_px() {
        let (old, new) = (before.row(y), now.row(y));
        if old == new {
            continue;
        }
        for square in !differing {
            let (columns, rows) = &areas[usize::from(square)];
            if rows.contains(&y) {
                let columns = columns.start.min(new.len())..columns.end.min(new.len());
                if old.get(columns.clone()) != new.get(columns) {
                    differing.add(square);
                }
            }
        }
    }
    differing
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::vec;

    use super::*;

    #[test]
    fn a_pixel_on_a_border_belongs_to_both_squares() {
        // Squares of 10.5 px: the pixels of column 10 lie half on the file a and half on the file b.
        let rect = BoardRect::from_q8(0, 0, 84 << 8, 84 << 8).expect("large enough");
        let before = vec![7; 84 * 84];
        let differs = |x: usize, y: usize| {
            let mut now = before.clone();
            now[y * 84 + x] = 8;
            let view = |bytes| LumaView::new(bytes, 84, 84, 84).expect("the size is right");
            differing_squares(&view(&before), &view(&now), rect, Orientation::WhiteBottom)
        };
        let squares = |list: &[Square]| list.iter().copied().collect::<Bitboard>();
        assert_eq!(differs(10, 0), squares(&[Square::A8, Square::B8]));
        assert_eq!(differs(9, 0), squares(&[Square::A8]));
        assert_eq!(differs(83, 83), squares(&[Square::H1]));
        assert_eq!(differs(10, 10), squares(&[Square::A8, Square::B8, Square::A7, Square::B7]));
    }

    #[test]
    fn pictures_of_two_sizes_differ_everywhere() {
        let rect = BoardRect::from_px(0, 0, 64, 64).expect("large enough");
        let bytes = [0; 65 * 64];
        let (before, now) = (LumaView::new(&bytes, 64, 64, 64), LumaView::new(&bytes, 65, 64, 65));
        let (before, now) = (before.expect("the size is right"), now.expect("the size is right"));
        assert_eq!(differing_squares(&before, &now, rect, Orientation::WhiteBottom), Bitboard::FULL);
        assert_eq!(differing_squares(&before, &before, rect, Orientation::WhiteBottom), Bitboard::EMPTY);
    }
}
