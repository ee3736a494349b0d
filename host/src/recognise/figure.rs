//! Tells the figures on a board from the bare squares behind them.

use plyscope_core::vision::{BoardRect, LumaView};

/// Cells along one side of a square.
pub(super) const EDGE: usize = 16;
/// Cells of a square.
pub(super) const CELLS: usize = EDGE * EDGE;
/// What the network is shown of a figure: its silhouette, then its inner lines.
pub(super) const INPUTS: usize = 2 * CELLS;
/// Most that an input can be.
const FULL: i32 = 127;
/// A figure differs from its square by at least this somewhere, luma,
const CONTRAST_MIN: i32 = 20;
/// and by this share of what most figures do.
const CONTRAST_MIN_PERCENT: i32 = 50;
/// What differs by less than a figure and more than this, luma, may be one all the same: a dark piece on a dark square.
const DOUBT_MIN: i32 = 12;
/// It takes so many cells.
const FIGURE_CELLS: std::ops::RangeInclusive<usize> = 26..=200;
/// Outlines of figures of the same kind differ by less than this in each cell on the average.
const ALIKE_MAX: u32 = 7;

/// What stands on one square of the picture.
#[derive(Clone, Debug)]
pub(super) struct Figure {
    /// From the top, 0 to 7.
    pub(super) row: usize,
    /// From the left, 0 to 7.
    pub(super) column: usize,
    /// Mean luma of its cells.
    pub(super) luma: i32,
    /// By how much it differs from its square where it does most, luma.
    contrast: i32,
    /// Silhouette and inner lines, 0 to 127 each.
    pub(super) input: [u8; INPUTS],
}

type Cells = [i32; CELLS];

/// The figures on the board at `rect`; `None` where there are too few or too many for a game, or something may be one.
pub(super) fn figures(view: &LumaView<'_>, rect: BoardRect) -> Option<Vec<Figure>> {
    let squares: Vec<Cells> = (0..64).map(|place| sample(view, rect, place / 8, place % 8)).collect();
    let behind = [0, 1].map(|parity| background(&squares, parity));
    let mut figures: Vec<Figure> = Vec::new();
    for (place, square) in squares.iter().enumerate() {
        let (row, column) = (place / 8, place % 8);
        figures.extend(Figure::of(square, &behind[(row + column) % 2], row, column));
    }
    let usual = median(figures.iter().map(|figure| figure.contrast));
    let least = CONTRAST_MIN.max(usual * CONTRAST_MIN_PERCENT / 100);
    let is_clear = figures.iter().all(|figure| figure.contrast >= least);
    (is_clear && (2..=32).contains(&figures.len())).then_some(figures)
}

/// Mean luma of each cell of a square.
fn sample(view: &LumaView<'_>, rect: BoardRect, row: usize, column: usize) -> Cells {
    let (left, top) = (f64::from(rect.left_q8()) / 256.0, f64::from(rect.top_q8()) / 256.0);
    let across = f64::from(rect.width_q8()) / 256.0 / (8 * EDGE) as f64;
    let down = f64::from(rect.height_q8()) / 256.0 / (8 * EDGE) as f64;
    std::array::from_fn(|cell| {
        let (x, y) = (column * EDGE + cell % EDGE, row * EDGE + cell / EDGE);
        let across = (left + x as f64 * across, left + (x + 1) as f64 * across);
        let down = (top + y as f64 * down, top + (y + 1) as f64 * down);
        mean(view, across, down)
    })
}

/// Mean luma of a rectangle, each pixel weighted by its share in it.
fn mean(view: &LumaView<'_>, (left, right): (f64, f64), (top, bottom): (f64, f64)) -> i32 {
    let (mut sum, mut area) = (0.0, 0.0);
    let share =
        |pixel: usize, from: f64, to: f64| (to.min(pixel as f64 + 1.0) - from.max(pixel as f64)).max(0.0);
    for y in top as usize..(bottom.ceil() as usize).min(view.height_px()) {
        let pixels = view.row(y);
        for (x, &pixel) in pixels.iter().enumerate().take(right.ceil() as usize).skip(left as usize) {
            let weight = share(x, left, right) * share(y, top, bottom);
            sum += weight * f64::from(pixel);
            area += weight;
        }
    }
    if area > 0.0 { (sum / area) as i32 } else { 0 }
}

/// What the squares of one colour look like when bare: the median of each cell, for most of them are or show it beside their
/// figure.
fn background(squares: &[Cells], parity: usize) -> Cells {
    let own: Vec<&Cells> = squares
        .iter()
        .enumerate()
        .filter(|(place, _)| (place / 8 + place % 8) % 2 == parity)
        .map(|(_, s)| s)
        .collect();
    std::array::from_fn(|cell| median(own.iter().map(|square| square[cell])))
}

fn median(values: impl Iterator<Item = i32>) -> i32 {
    let mut values: Vec<i32> = values.collect();
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}

const fn is_ring(cell: usize) -> bool {
    let (row, column) = (cell / EDGE, cell % EDGE);
    row == 0 || column == 0 || row == EDGE - 1 || column == EDGE - 1
}

/// The cells beside a cell.
fn beside(cell: usize) -> impl Iterator<Item = usize> {
    let (row, column) = (cell / EDGE, cell % EDGE);
    let up = row.checked_sub(1).map(|row| row * EDGE + column);
    let down = (row + 1 < EDGE).then_some(cell + EDGE);
    let left = column.checked_sub(1).map(|column| row * EDGE + column);
    let right = (column + 1 < EDGE).then_some(cell + 1);
    [up, down, left, right].into_iter().flatten()
}

impl Figure {
    /// The figure on a square, if there is one.
    fn of(square: &Cells, behind: &Cells, row: usize, column: usize) -> Option<Self> {
        let mut ring: Vec<i32> =
            (0..CELLS).filter(|&cell| is_ring(cell)).map(|cell| square[cell] - behind[cell]).collect();
        ring.sort_unstable();
        // The square may be tinted: what reaches its border tells by how much.
        let tint = ring.get(ring.len() / 2).copied().unwrap_or(0);
        let differs: Cells = std::array::from_fn(|cell| (square[cell] - behind[cell] - tint).abs());
        let largest =
            (0..CELLS).filter(|&cell| !is_ring(cell)).map(|cell| differs[cell]).max().unwrap_or(0).max(1);
        let edge = (largest / 4).max(8);
        let outside = flood(&differs, edge);
        let inside: Vec<usize> = (0..CELLS).filter(|&cell| !outside[cell]).collect();
        if largest < DOUBT_MIN || !FIGURE_CELLS.contains(&inside.len()) {
            return None;
        }
        let is_inner = |&&cell: &&usize| !is_ring(cell) && beside(cell).all(|other| !outside[other]);
        let inner: Vec<usize> = inside.iter().filter(is_inner).copied().collect();
        let core = if inner.is_empty() { &inside } else { &inner };
        let fill = median(core.iter().map(|&cell| square[cell]));
        let sum: i32 = inside.iter().map(|&cell| square[cell]).sum();
        let luma = sum / i32::try_from(inside.len()).unwrap_or(1).max(1);
        let mut input = [0; INPUTS];
        let quantised = |value: i32| u8::try_from(value.clamp(0, FULL)).unwrap_or(0);
        for cell in 0..CELLS {
            input[cell] =
                if outside[cell] { quantised(differs[cell] * FULL / edge) } else { quantised(FULL) };
            if !outside[cell] {
                input[CELLS + cell] = quantised((square[cell] - fill).abs() * FULL / largest);
            }
        }
        Some(Self { row, column, luma, contrast: largest, input })
    }

    /// Whether two figures, of one colour or two, have the same outline but for noise.
    pub(super) fn looks_like(&self, other: &Self) -> bool {
        let outlines = self.input.iter().zip(&other.input).take(CELLS);
        outlines.map(|(a, b)| u32::from(a.abs_diff(*b))).sum::<u32>() <= ALIKE_MAX * CELLS as u32
    }
}

/// Cells reached from the border through cells that differ by less than `edge`.
fn flood(differs: &Cells, edge: i32) -> [bool; CELLS] {
    let mut outside = [false; CELLS];
    let mut open: Vec<usize> = (0..CELLS).filter(|&cell| is_ring(cell) && differs[cell] < edge).collect();
    open.iter().for_each(|&cell| outside[cell] = true);
    while let Some(cell) = open.pop() {
        for next in beside(cell) {
            if !outside[next] && differs[next] < edge {
                outside[next] = true;
                open.push(next);
            }
        }
    }
    outside
}
