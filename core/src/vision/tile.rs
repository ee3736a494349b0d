//! A square of the board, averaged down to a few cells.

use serde::{Deserialize, Serialize};
use shakmaty::Square;

use super::board_rect::PixelRect;
use super::luma_view::LumaView;

/// Cells along one side of a tile.
///
/// Eight cells tell all twelve pieces apart at 30 px a square, feel a shift of a fiftieth of a square, and keep a whole
/// board in 4 KiB.
pub const TILE_EDGE: usize = 8;
/// Cells of a tile.
pub(crate) const TILE_CELLS: usize = TILE_EDGE * TILE_EDGE;

/// Pixels of a row that are summed before they are dealt out to cells.
const COLUMN_CHUNK_PX: usize = 64;
/// A band of fewer rows is summed without a step between.
const LOW_BAND_ROWS: usize = 8;

/// Cells that differ by more than this since the last look say nothing of a small step, luma.
const STEP_DIFFERENCE_MAX_LUMA: i32 = 40;
/// More such cells than this, of 36, mean a large step.
const STEP_OUTLIERS_MAX: usize = 6;

/// Mean luma of the eight by eight cells of a square, row by row from the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tile {
    pub(crate) rows: [[u8; TILE_EDGE]; TILE_EDGE],
}

impl Tile {
    /// All cells of one luma.
    #[must_use]
    pub const fn flat(luma: u8) -> Self {
        Self { rows: [[luma; TILE_EDGE]; TILE_EDGE] }
    }

    /// The cells, row by row from the top.
    pub(crate) fn cells(&self) -> impl Iterator<Item = u8> + '_ {
        self.rows.iter().flatten().copied()
    }

    /// Mean luma in 1/16.
    pub(crate) fn mean_q4(&self) -> i32 {
        self.cells().map(i32::from).sum::<i32>() * 16 / TILE_CELLS as i32
    }

    /// The median of the cells along the border, luma.
    pub(crate) fn ring_median(&self) -> i32 {
        let [first, between @ .., last] = &self.rows;
        let sides = between.iter().flat_map(|[left, .., right]| [left, right]);
        let mut ring = [0; 4 * (TILE_EDGE - 1)];
        for (cell, luma) in ring.iter_mut().zip(first.iter().chain(last).chain(sides)) {
            *cell = *luma;
        }
        // By bisection: the least luma that more than half of the cells do not exceed.
        let (mut low, mut high) = (0, u8::MAX);
        while low < high {
            let middle = low.midpoint(high);
            if ring.iter().filter(|&&cell| cell <= middle).count() > ring.len() / 2 {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        i32::from(low)
    }

    /// The largest difference of one cell to the same cell of `other`.
    #[must_use]
    pub fn largest_difference(&self, other: &Self) -> u8 {
        let mut largest = 0;
        for (row, other) in self.rows.iter().zip(&other.rows) {
            for (a, b) in row.iter().zip(other) {
                largest = largest.max(a.abs_diff(*b));
            }
        }
        largest
    }

    /// How far what `earlier` showed has moved since, right and down, in 1/64 cell; `None` where it moved too far to
    /// measure, or something else came.
    ///
    /// Least squares for a small step along the gradients of `earlier` (Lucas and Kanade 1981). Cells that differ much
    /// are left out: they show that something else came or went, such as a pointer.
    pub(crate) fn step_since(&self, earlier: &Self) -> Option<[i16; 2]> {
        let mut outliers = 0;
        let (mut along, mut energy) = ([0_i32; 2], [0_i32; 2]);
        for row in 1..TILE_EDGE - 1 {
            for column in 1..TILE_EDGE - 1 {
                let at = |r: usize, c: usize| i32::from(earlier.rows[r][c]);
                let difference = i32::from(self.rows[row][column]) - at(row, column);
                if difference.abs() > STEP_DIFFERENCE_MAX_LUMA {
                    outliers += 1;
                    continue;
                }
                let gradients =
                    [at(row, column + 1) - at(row, column - 1), at(row + 1, column) - at(row - 1, column)];
                for axis in 0..2 {
                    along[axis] -= gradients[axis] * difference;
                    energy[axis] += gradients[axis] * gradients[axis];
                }
            }
        }
        // The gradients are those of two cells: a step of s cells gives along / energy = s / 2.
        let step_q6 = |axis: usize| i16::try_from((along[axis] * 128 / energy[axis].max(1)).clamp(-128, 128));
        if outliers > STEP_OUTLIERS_MAX { None } else { Some([step_q6(0).ok()?, step_q6(1).ok()?]) }
    }

    /// Averages the pixels of `rect` down to cells, each pixel weighted by its share in a cell; what lies outside the
    /// picture is not counted.
    pub(crate) fn sample(view: &LumaView<'_>, rect: PixelRect) -> Self {
        let mut tile = Self::flat(0);
        let columns_q8 = ends_q8(rect.left_q8, rect.right_q8);
        let rows_q8 = ends_q8(rect.top_q8, rect.bottom_q8);
        for (cells, band) in tile.rows.iter_mut().zip(rows_q8.windows(2)) {
            if let &[top_q8, bottom_q8] = band {
                sample_band(view, &columns_q8, top_q8, bottom_q8, cells);
            }
        }
        tile
    }
}

/// The tiles of a whole board: eight ranks of eight squares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BoardTiles([[Tile; 8]; 8]);

impl BoardTiles {
    /// Nothing but black.
    pub(crate) const BLACK: Self = Self([[Tile::flat(0); 8]; 8]);

    pub(crate) const fn at(&self, square: Square) -> &Tile {
        let index = square as usize;
        &self.0[(index / 8) & 7][index % 8]
    }

    pub(crate) const fn at_mut(&mut self, square: Square) -> &mut Tile {
        let index = square as usize;
        &mut self.0[(index / 8) & 7][index % 8]
    }
}

/// Where the cells between two ends begin, and where the last one ends, in 1/256 pixel.
fn ends_q8(start_q8: u32, end_q8: u32) -> [u32; TILE_EDGE + 1] {
    let whole = end_q8.saturating_sub(start_q8);
    core::array::from_fn(|index| start_q8 + part(whole, index))
}

/// `index` eighths of `whole`.
fn part(whole: u32, index: usize) -> u32 {
    u32::try_from(u64::from(whole) * index as u64 / TILE_EDGE as u64).unwrap_or(u32::MAX)
}

/// How much of pixel `index` lies between `start_q8` and `end_q8`, in 1/256.
fn overlap_q8(index: usize, start_q8: u32, end_q8: u32) -> u32 {
    let pixel_q8 = (index as u32) << 8;
    let from = start_q8.max(pixel_q8);
    let to = end_q8.min(pixel_q8 + 256);
    to.saturating_sub(from)
}

/// Averages one row of cells. Pixels are first summed down the columns, which compilers turn into vector code, and the
/// few sums are then dealt out to the cells.
fn sample_band(
    view: &LumaView<'_>,
    columns_q8: &[u32; TILE_EDGE + 1],
    top_q8: u32,
    bottom_q8: u32,
    cells: &mut [u8; TILE_EDGE],
) {
    let [left_q8, .., right_q8] = *columns_q8;
    let end_column = (right_q8.div_ceil(256) as usize).min(view.width_px());
    let mut sums = [0_u64; TILE_EDGE];
    let mut chunk_start = (left_q8 >> 8) as usize;
    while chunk_start < end_column {
        let chunk_end = (chunk_start + COLUMN_CHUNK_PX).min(end_column);
        let mut columns = [0_u32; COLUMN_CHUNK_PX];
        let columns = columns.get_mut(..chunk_end - chunk_start).unwrap_or(&mut []);
        sum_columns(view, chunk_start, top_q8, bottom_q8, columns);
        for (sum, cell) in sums.iter_mut().zip(columns_q8.windows(2)) {
            if let &[left_q8, right_q8] = cell {
                *sum += sum_between(columns, chunk_start, left_q8, right_q8);
            }
        }
        chunk_start = chunk_end;
    }
    let height_inside_q8 = bottom_q8.min((view.height_px() as u32) << 8).saturating_sub(top_q8);
    let picture_right_q8 = (view.width_px() as u32) << 8;
    for (luma, (sum, cell)) in cells.iter_mut().zip(sums.into_iter().zip(columns_q8.windows(2))) {
        if let &[left_q8, right_q8] = cell {
            let width_inside_q8 = right_q8.min(picture_right_q8).saturating_sub(left_q8);
            *luma = mean(sum, u64::from(width_inside_q8) * u64::from(height_inside_q8));
        }
    }
}

/// The part of the columns' sums that lies between two places; the first of the columns is pixel column `first`.
fn sum_between(columns: &[u32], first: usize, left_q8: u32, right_q8: u32) -> u64 {
    let from = ((left_q8 >> 8) as usize).max(first) - first;
    let to = (right_q8.div_ceil(256) as usize).saturating_sub(first).min(columns.len());
    let share = |index: usize, column: u32| {
        u64::from(overlap_q8(first + index, left_q8, right_q8)) * u64::from(column)
    };
    match columns.get(from..to) {
        None | Some([]) => 0,
        Some(&[only]) => share(from, only),
        Some(&[leftmost, ref between @ .., rightmost]) => {
            let between = between.iter().map(|&column| u64::from(column)).sum::<u64>() << 8;
            share(from, leftmost) + between + share(to - 1, rightmost)
        }
    }
}

/// A sum of luma over an area; 0 where there is none.
fn mean(sum: u64, area: u64) -> u8 {
    // Where 32 bits hold both, microcontrollers divide many times faster.
    let whole = match (u32::try_from(sum + area / 2), u32::try_from(area)) {
        (Ok(sum), Ok(area)) => sum.checked_div(area).map(u64::from),
        _ => (sum + area / 2).checked_div(area),
    };
    whole.map_or(0, |luma| u8::try_from(luma).unwrap_or(u8::MAX))
}

/// Sums the pixels of each column, from pixel column `first` on, over the rows of a band, in 1/256 luma rows.
fn sum_columns(view: &LumaView<'_>, first: usize, top_q8: u32, bottom_q8: u32, columns: &mut [u32]) {
    let rows = (top_q8 >> 8) as usize..(bottom_q8.div_ceil(256) as usize).min(view.height_px());
    // Whole rows are summed in 16 bits, up to as many as cannot overflow them; where there are few that is not worth it.
    if rows.len() < LOW_BAND_ROWS {
        for y in rows {
            let Some(pixels) = view.row(y).get(first..first + columns.len()) else { continue };
            let weight = overlap_q8(y, top_q8, bottom_q8);
            let sums = columns.iter_mut().zip(pixels);
            if weight == 256 {
                sums.for_each(|(sum, &pixel)| *sum += u32::from(pixel) << 8);
            } else {
                sums.for_each(|(sum, &pixel)| *sum += weight * u32::from(pixel));
            }
        }
        return;
    }
    let mut whole = [0_u16; COLUMN_CHUNK_PX];
    let mut pending = 0;
    for y in rows {
        let Some(pixels) = view.row(y).get(first..first + columns.len()) else { continue };
        let weight = overlap_q8(y, top_q8, bottom_q8);
        if weight == 256 {
            for (sum, &pixel) in whole.iter_mut().zip(pixels) {
                *sum += u16::from(pixel);
            }
            pending += 1;
            if pending == 256 {
                flush(&mut whole, columns);
                pending = 0;
            }
        } else {
            for (sum, &pixel) in columns.iter_mut().zip(pixels) {
                *sum += weight * u32::from(pixel);
            }
        }
    }
    flush(&mut whole, columns);
}

fn flush(whole: &mut [u16; COLUMN_CHUNK_PX], columns: &mut [u32]) {
    for (sum, part) in columns.iter_mut().zip(whole.iter_mut()) {
        *sum += u32::from(*part) << 8;
        *part = 0;
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::vec::Vec;

    use super::*;

    #[test]
    fn the_ring_is_the_middle_one_of_the_border_cells() {
        let mut tile = Tile::flat(9);
        assert_eq!(tile.ring_median(), 9);
        for (row, cells) in tile.rows.iter_mut().enumerate() {
            for (column, cell) in cells.iter_mut().enumerate() {
                *cell = (row * 37 + column * 11) as u8;
            }
        }
        let is_end = |index: usize| index == 0 || index == TILE_EDGE - 1;
        let all = (0..TILE_EDGE).flat_map(|row| (0..TILE_EDGE).map(move |column| (row, column)));
        let mut ring: Vec<u8> = all
            .filter(|(row, column)| is_end(*row) || is_end(*column))
            .map(|(row, column)| tile.rows[row][column])
            .collect();
        ring.sort_unstable();
        assert_eq!(tile.ring_median(), i32::from(ring[ring.len() / 2]));
    }

    fn naive(view: &LumaView<'_>, rect: PixelRect) -> Tile {
        let mut tile = Tile::flat(0);
        let (w, h) = (rect.right_q8 - rect.left_q8, rect.bottom_q8 - rect.top_q8);
        for row in 0..TILE_EDGE {
            for column in 0..TILE_EDGE {
                let (mut sum, mut area) = (0_u64, 0_u64);
                for y in 0..view.height_px() {
                    let wy = overlap_q8(y, rect.top_q8 + part(h, row), rect.top_q8 + part(h, row + 1));
                    for x in 0..view.width_px() {
                        let wx =
                            overlap_q8(x, rect.left_q8 + part(w, column), rect.left_q8 + part(w, column + 1));
                        let weight = u64::from(wx) * u64::from(wy);
                        sum += weight * u64::from(view.row(y)[x]);
                        area += weight;
                    }
                }
                tile.rows[row][column] = (sum + area / 2).checked_div(area).unwrap_or(0) as u8;
            }
        }
        tile
    }

    #[test]
    fn sampling_equals_the_plain_weighted_mean() {
        let (w, h) = (211, 190);
        let bytes: Vec<u8> = (0..w * h).map(|i| ((i * i + i / 7) % 256) as u8).collect();
        let view = LumaView::new(&bytes, w, h, w).expect("the size is right");
        for (l, t, r, b) in [(0, 0, 2048, 2048), (300, 777, 40_000, 41_123), (50_000, 0, 55_000, 49_000)] {
            let rect = PixelRect { left_q8: l, top_q8: t, right_q8: r, bottom_q8: b };
            assert_eq!(Tile::sample(&view, rect), naive(&view, rect));
        }
    }

    #[test]
    fn what_lies_outside_the_picture_is_dark_and_no_fault() {
        let view = LumaView::new(&[200; 64], 8, 8, 8).expect("the size is right");
        let rect = PixelRect { left_q8: 0, top_q8: 0, right_q8: 4096, bottom_q8: 4096 };
        let tile = Tile::sample(&view, rect);
        assert_eq!(tile.rows[0], [200, 200, 200, 200, 0, 0, 0, 0]);
        assert_eq!(tile.rows[7], [0; 8]);
    }
}
