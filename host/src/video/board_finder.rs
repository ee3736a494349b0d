//! Finds where in a picture a chess board may lie: squares of two shades that alternate.

use plyscope_core::vision::{BoardRect, LumaView};

/// Squares are looked for down to this size, in pixels of the picture that is searched.
const SQUARE_MIN_PX: f32 = 7.9;
/// Pictures are searched at about this size; borders are then measured at full size.
const SEARCH_SIDE_PX: usize = 480;
/// Each size tried is this share of the one before.
const SQUARE_STEP: f32 = 0.965;
/// The two shades differ by at least this, luma.
const SHADE_CONTRAST_MIN: f32 = 5.0;
/// Pairs of neighbours in one row, of 56, that may not alternate on a board in play.
const CORNER_BREAKS_MAX: usize = 8;
/// How often the lines are fitted anew to the steps near where they lie.
const REFINEMENTS: usize = 2;
/// Candidates of about one size that are measured at full size.
const CANDIDATES_MAX: usize = 24;

/// How squares show that they alternate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pattern {
    /// Four ranks are bare, as in the start position.
    BareRanks,
    /// Any position: pieces leave the corners of their squares free.
    Corners,
}

/// Where boards may lie in a picture, the largest first and among those of about one size the likeliest.
///
/// In the start position four ranks are bare. The search looks for four rows of eight squares whose means alternate
/// between two lumas, over all sizes and places, with sums over rectangles from an integral image; the best are then
/// measured by the steps of luma along the lines between squares. Smaller sizes are searched only when asked for: they
/// have many more places, and most boards are large.
pub fn find_boards<'v>(view: &'v LumaView<'v>) -> impl Iterator<Item = BoardRect> + 'v {
    find(view, Pattern::BareRanks, 0)
}

/// Where boards of at least about `side_px_min` may lie that show any position, as [`find_boards`] does for the start
/// position: the corners of almost all 64 squares alternate.
pub fn find_boards_in_play<'v>(
    view: &'v LumaView<'v>,
    side_px_min: usize,
) -> impl Iterator<Item = BoardRect> + 'v {
    find(view, Pattern::Corners, side_px_min).filter(move |rect| !goes_on_beyond(view, *rect))
}

/// Squares beside a board, of eight, that must go on with its pattern: it is then only a part of one.
const BEYOND_MIN: usize = 7;

/// Whether the pattern of a board goes on beside it: a lattice that is off by a square.
fn goes_on_beyond(view: &LumaView<'_>, rect: BoardRect) -> bool {
    let px = |q8: u32| q8 as f32 / 256.0;
    let (left, top) = (px(rect.left_q8()), px(rect.top_q8()));
    let (across, down) = (px(rect.width_q8()) / 8.0, px(rect.height_q8()) / 8.0);
    // The median of four corners, as of the squares inside; `None` outside the picture.
    let luma = |column: i32, row: i32| {
        let mut corners = [[0.1, 0.1], [0.1, 0.9], [0.9, 0.1], [0.9, 0.9]].map(|[x, y]: [f32; 2]| {
            let (x, y) = (left + (column as f32 + x) * across, top + (row as f32 + y) * down);
            let is_inside = x >= 0.0 && y >= 0.0 && y < view.height_px() as f32;
            is_inside.then(|| view.row(y as usize).get(x as usize).copied()).flatten()
        });
        corners.sort_unstable();
        Some(f32::midpoint(f32::from(corners[1]?), f32::from(corners[2]?)))
    };
    let shade = |parity: i32| {
        let own =
            (0..64).map(|place| (place % 8, place / 8)).filter(|(column, row)| (column + row) % 2 == parity);
        let mut lumas: Vec<f32> = own.filter_map(|(column, row)| luma(column, row)).collect();
        lumas.sort_by(f32::total_cmp);
        lumas.get(lumas.len() / 2).copied()
    };
    let (Some(even), Some(odd)) = (shade(0), shade(1)) else { return false };
    let is_square = |(column, row): (i32, i32)| {
        let own = if (column + row).rem_euclid(2) == 0 { even } else { odd };
        // Nearer to its own shade than a quarter of the way to the other one.
        luma(column, row).is_some_and(|luma| (luma - own).abs() * 4.0 <= (even - odd).abs())
    };
    let sides: [fn(i32) -> (i32, i32); 4] = [|i| (-1, i), |i| (8, i), |i| (i, -1), |i| (i, 8)];
    sides.into_iter().any(|side| (0..8).map(side).filter(|&place| is_square(place)).count() >= BEYOND_MIN)
}

fn find<'v>(
    view: &'v LumaView<'v>,
    pattern: Pattern,
    side_px_min: usize,
) -> impl Iterator<Item = BoardRect> + 'v {
    let divisor = (view.width_px().max(view.height_px()) / SEARCH_SIDE_PX).max(1);
    let integral = Integral::new(view, divisor);
    let longest = integral.width.min(integral.height) as f32 / 8.0;
    let octaves = std::iter::successors(Some(longest), |square| Some(square * 0.5));
    octaves
        .take_while(move |&square| square >= SQUARE_MIN_PX.max(side_px_min as f32 / (8 * divisor) as f32))
        .flat_map(move |square| candidates(&integral, square, pattern))
        .flat_map(move |candidate| {
            let scale = divisor as f32;
            let Candidate { left, top, square, .. } = candidate;
            measure(view, left * scale, top * scale, square * scale, pattern)
        })
        .filter_map(|grid| grid.rect(view))
}

/// The likeliest places of boards with squares of this size and down to half of it.
fn candidates(integral: &Integral, largest: f32, pattern: Pattern) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    let mut square = largest;
    while square >= (largest * 0.5).max(SQUARE_MIN_PX) {
        search_size(integral, square, pattern, &mut candidates);
        square *= SQUARE_STEP;
    }
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut distinct: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        if distinct.iter().all(|d| !d.is_near(&candidate)) {
            distinct.push(candidate);
        }
        if distinct.len() >= CANDIDATES_MAX {
            break;
        }
    }
    distinct
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    score: f32,
    left: f32,
    top: f32,
    square: f32,
}

impl Candidate {
    fn is_near(&self, other: &Self) -> bool {
        let near = self.square.max(other.square) * 0.4;
        (self.left - other.left).abs() < near
            && (self.top - other.top).abs() < near
            && (self.square - other.square).abs() * 8.0 < near
    }
}

/// Sums of luma over rectangles from the upper left corner, of a picture made smaller by whole steps.
struct Integral {
    width: usize,
    height: usize,
    sums: Vec<u64>,
}

impl Integral {
    fn new(view: &LumaView<'_>, divisor: usize) -> Self {
        let (width, height) = (view.width_px() / divisor, view.height_px() / divisor);
        let mut sums = vec![0_u64; (width + 1) * (height + 1)];
        for y in 0..height {
            let mut row_sum = 0_u64;
            for x in 0..width {
                let block = (0..divisor).map(|dy| {
                    let row = view.row(y * divisor + dy);
                    row[x * divisor..(x + 1) * divisor].iter().map(|&p| u64::from(p)).sum::<u64>()
                });
                row_sum += block.sum::<u64>() / (divisor * divisor) as u64;
                sums[(y + 1) * (width + 1) + x + 1] = sums[y * (width + 1) + x + 1] + row_sum;
            }
        }
        Self { width, height, sums }
    }

    fn mean(&self, left: f32, top: f32, right: f32, bottom: f32) -> f32 {
        // To the nearest; what is below zero becomes zero.
        let clamp = |value: f32, max: usize| ((value + 0.5) as usize).min(max);
        let (left, right) = (clamp(left, self.width), clamp(right, self.width));
        let (top, bottom) = (clamp(top, self.height), clamp(bottom, self.height));
        let area = right.saturating_sub(left) * bottom.saturating_sub(top);
        if area == 0 {
            return 0.0;
        }
        let at = |x: usize, y: usize| self.sums[y * (self.width + 1) + x];
        let sum = at(right, bottom) + at(left, top) - at(left, bottom) - at(right, top);
        sum as f32 / area as f32
    }

    /// The mean of the middle of a square.
    fn core_mean(&self, left: f32, top: f32, square: f32) -> f32 {
        self.mean(left + square * 0.2, top + square * 0.2, left + square * 0.8, top + square * 0.8)
    }

    /// The median of a square's four corners: coordinates stand in one or two.
    fn corner_median(&self, left: f32, top: f32, square: f32) -> f32 {
        let near = (square * 0.05, square * 0.19);
        let far = (square * 0.81, square * 0.95);
        let mut corners = [(near, near), (near, far), (far, near), (far, far)]
            .map(|(x, y)| self.mean(left + x.0, top + y.0, left + x.1, top + y.1));
        corners.sort_by(f32::total_cmp);
        (corners[1] + corners[2]) / 2.0
    }
}

/// Adds the places where squares of this size alternate.
fn search_size(integral: &Integral, square: f32, pattern: Pattern, candidates: &mut Vec<Candidate>) {
    let score = match pattern {
        Pattern::BareRanks => score,
        Pattern::Corners => score_of_corners,
    };
    let step = (square / 6.0).max(1.0);
    let steps = |room: f32| (room / step).floor().max(0.0) as usize;
    let (across, down) = (integral.width as f32 - square * 8.0, integral.height as f32 - square * 8.0);
    for j in 0..=steps(down) {
        for i in 0..=steps(across) {
            let (left, top) = (i as f32 * step, j as f32 * step);
            if let Some(score) = score(integral, left, top, square) {
                candidates.push(Candidate { score, left, top, square });
            }
        }
    }
}

/// How clearly the middle ranks alternate; `None` where they do not.
fn score(integral: &Integral, left: f32, top: f32, square: f32) -> Option<f32> {
    let mut means = [[0.0_f32; 8]; 4];
    for (row, means) in means.iter_mut().enumerate() {
        let mean_of = |column: usize| {
            integral.core_mean(left + column as f32 * square, top + (row + 2) as f32 * square, square)
        };
        means[0] = mean_of(0);
        means[1] = mean_of(1);
        let first = means[1] - means[0];
        if first.abs() < SHADE_CONTRAST_MIN {
            return None;
        }
        for column in 2..8 {
            means[column] = mean_of(column);
            // Neighbours that do not alternate end the search of most places after a few squares.
            let sign = if column % 2 == 1 { 1.0 } else { -1.0 };
            if (means[column] - means[column - 1]) * sign * first <= 0.0 {
                return None;
            }
        }
    }
    let shade = |parity: usize| {
        let lumas: Vec<f32> =
            (0..32).filter(|i| (i / 8 + i % 8) % 2 == parity).map(|i| means[i / 8][i % 8]).collect();
        let mean = lumas.iter().sum::<f32>() / 16.0;
        let variance = lumas.iter().map(|l| (l - mean).powi(2)).sum::<f32>() / 16.0;
        (mean, variance)
    };
    let ((a, variance_a), (b, variance_b)) = (shade(0), shade(1));
    let contrast = (a - b).abs();
    let spread = (variance_a + variance_b).sqrt();
    (contrast > SHADE_CONTRAST_MIN && contrast > spread * 2.0)
        .then(|| contrast / (contrast * 0.02 + spread + 1.0) * square.sqrt())
}

/// How clearly the corners of all squares alternate; `None` where they do not.
fn score_of_corners(integral: &Integral, left: f32, top: f32, square: f32) -> Option<f32> {
    let mut lumas = [[0.0_f32; 8]; 8];
    let mut breaks = 0;
    for (row, lumas) in lumas.iter_mut().enumerate() {
        // Rows that do not alternate end the search of most places early. What marks a square breaks two pairs.
        let (mut up, mut down) = (0, 0);
        for column in 0..8 {
            lumas[column] =
                integral.corner_median(left + column as f32 * square, top + row as f32 * square, square);
            let Some(before) = column.checked_sub(1) else { continue };
            let step = (lumas[column] - lumas[before]) * if (row + before) % 2 == 0 { 1.0 } else { -1.0 };
            up += usize::from(step > SHADE_CONTRAST_MIN);
            down += usize::from(step < -SHADE_CONTRAST_MIN);
            if breaks + column - up.max(down) > CORNER_BREAKS_MAX {
                return None;
            }
        }
        breaks += 7 - up.max(down);
    }
    let shade = |parity: usize| {
        let mut own: Vec<f32> =
            (0..64).filter(|i| (i / 8 + i % 8) % 2 == parity).map(|i| lumas[i / 8][i % 8]).collect();
        own.sort_by(f32::total_cmp);
        // The middle half: marked squares do not count.
        (own[16], own[24] - own[8])
    };
    let ((a, spread_a), (b, spread_b)) = (shade(0), shade(1));
    let (contrast, spread) = ((a - b).abs(), spread_a + spread_b);
    (contrast > SHADE_CONTRAST_MIN && contrast > spread)
        .then(|| contrast / (contrast * 0.02 + spread + 1.0) * square.sqrt())
}

/// A grid measured at full size.
#[derive(Clone, Copy, Debug)]
struct Grid {
    left: f32,
    square_width: f32,
    top: f32,
    square_height: f32,
}

impl Grid {
    fn rect(&self, view: &LumaView<'_>) -> Option<BoardRect> {
        let fits = |start: f32, side: f32, room: usize| {
            start > -side / 40.0 && start + side < room as f32 + side / 40.0
        };
        let (width, height) = (self.square_width * 8.0, self.square_height * 8.0);
        if !fits(self.left, width, view.width_px()) || !fits(self.top, height, view.height_px()) {
            return None;
        }
        // What sticks out by less than a third of a square's tenth is an error of measurement.
        let span = |start: f32, side: f32, room: usize| {
            // Both ends are rounded, so that a board that fills the picture does not reach beyond it.
            let q8 = |end: f32| (end.clamp(0.0, room as f32) * 256.0).round() as u32;
            (q8(start), q8(start + side) - q8(start))
        };
        let (left, width) = span(self.left, width, view.width_px());
        let (top, height) = span(self.top, height, view.height_px());
        BoardRect::from_q8(left, top, width, height).ok()
    }
}

/// Measures the lines between squares near a candidate; the whole picture is offered too where it comes near.
fn measure(view: &LumaView<'_>, left: f32, top: f32, square: f32, pattern: Pattern) -> Vec<Grid> {
    // Seven lines between files along the four bare ranks, and three between those ranks along eight files; in any other
    // position, seven between ranks too.
    let (ranks, lines_down) = match pattern {
        Pattern::BareRanks => (2..6, 3..6),
        Pattern::Corners => (0..8, 1..8),
    };
    let across = profile(view, left, top, square, Axis::Across, ranks);
    let down = profile(view, left, top, square, Axis::Down, 0..8);
    let (left, square_width) = best_lines(&across, left, square, 1..8);
    let (top, square_height) = best_lines(&down, top, square, lines_down);
    // The ranks' lines are few; where both sizes come near, the files' size is the better measure of both.
    let mut grids = vec![Grid { left, square_width, top, square_height }];
    if (square_height / square_width - 1.0).abs() < 0.04 {
        let middle = top + square_height * 4.0;
        grids.insert(
            0,
            Grid { left, square_width, top: middle - square_width * 4.0, square_height: square_width },
        );
    }
    grids
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Axis {
    Across,
    Down,
}

/// For each pixel along an axis the step of luma from it to the next, summed along the lines between squares with the
/// sign in which the squares alternate.
fn profile(
    view: &LumaView<'_>,
    left: f32,
    top: f32,
    square: f32,
    axis: Axis,
    lanes: std::ops::Range<usize>,
) -> Vec<f32> {
    let pixel = |x: f32, y: f32| {
        let row = view.row((y.max(0.0) as usize).min(view.height_px() - 1));
        f32::from(row[(x.max(0.0) as usize).min(row.len() - 1)])
    };
    let length = if axis == Axis::Across { view.width_px() } else { view.height_px() };
    let mut profile = vec![0.0; length];
    for lane in lanes {
        let sign = if lane % 2 == 0 { 1.0 } else { -1.0 };
        // Samples across the middle of a lane, away from its borders.
        for sample in 0..12 {
            let along = (lane as f32 + 0.2 + sample as f32 * 0.05) * square;
            for (position, sum) in profile.iter_mut().enumerate().take(length - 1) {
                let position = position as f32;
                let step = match axis {
                    Axis::Across => pixel(position + 1.0, top + along) - pixel(position, top + along),
                    Axis::Down => pixel(left + along, position + 1.0) - pixel(left + along, position),
                };
                *sum += sign * step;
            }
        }
    }
    profile
}

/// The start and size of squares whose lines `lines` meet the largest alternating steps.
fn best_lines(profile: &[f32], start: f32, square: f32, lines: std::ops::Range<usize>) -> (f32, f32) {
    let centre = start + square * 4.0;
    let mut best = (f32::MIN, start, square);
    let step_at = |line: f32| {
        // A line at `line` lies between the pixels before and after it; blur spreads the step over a few.
        let index = line - 1.0;
        let (low, part) = (index.floor(), index - index.floor());
        let at = |i: f32| if i < 0.0 { 0.0 } else { profile.get(i as usize).copied().unwrap_or(0.0) };
        (at(low) * (1.0 - part) + at(low + 1.0) * part) + 0.5 * (at(low - 1.0) + at(low + 2.0))
    };
    let mut size = square * 0.955;
    while size <= square * 1.045 {
        let mut shift = -square * 0.3;
        while shift <= square * 0.3 {
            let from = centre + shift - size * 4.0;
            let sum: f32 = lines
                .clone()
                .map(|k| step_at(from + k as f32 * size) * if k % 2 == 0 { 1.0 } else { -1.0 })
                .sum();
            if sum.abs() > best.0 {
                best = (sum.abs(), from, size);
            }
            shift += 0.25;
        }
        size += (square * 0.002).max(0.03);
    }
    let mut grid = (best.1, best.2);
    for _ in 0..REFINEMENTS {
        grid = through_steps(profile, grid, square, lines.clone()).unwrap_or(grid);
    }
    grid
}

/// The grid, start and size of a square, whose lines lie closest to the steps of luma near the lines of `grid`: least
/// squares, each line weighted by its step. `None` where fewer than two lines show one.
fn through_steps(
    profile: &[f32],
    grid: (f32, f32),
    square: f32,
    lines: std::ops::Range<usize>,
) -> Option<(f32, f32)> {
    // Where a line's step lies: the centre of what rises by it within reach. Pieces that touch the border of their square
    // stay out of reach.
    let reach = (square * 0.08).clamp(1.5, 3.0);
    let step_near = |line: f32, sign: f32| {
        let first = (line - 1.0 - reach).ceil().max(0.0) as usize;
        let last = (line - 1.0 + reach).floor().max(0.0) as usize;
        let steps = profile.get(first..=last)?.iter().enumerate();
        let (weight, moment) = steps.fold((0.0, 0.0), |(weight, moment), (i, step)| {
            let rise = (step * sign).max(0.0);
            (weight + rise, moment + rise * ((first + i) as f32 + 1.0))
        });
        (weight > 0.0).then(|| (weight, moment / weight))
    };
    let near = |sign: f32| {
        let alternating = lines.clone().map(move |k| (k as f32, if k % 2 == 0 { sign } else { -sign }));
        let steps = alternating.filter_map(|(k, sign)| {
            step_near(grid.0 + k * grid.1, sign).map(|(weight, place)| (k, weight, place))
        });
        steps.collect::<Vec<_>>()
    };
    let weight_of = |steps: &[(f32, f32, f32)]| steps.iter().map(|(_, weight, _)| weight).sum::<f32>();
    let (light_first, dark_first) = (near(1.0), near(-1.0));
    let steps = if weight_of(&light_first) > weight_of(&dark_first) { light_first } else { dark_first };
    let weight = weight_of(&steps);
    let mean = |of: &dyn Fn(f32, f32) -> f32| {
        steps.iter().map(|&(k, weight, place)| weight * of(k, place)).sum::<f32>() / weight
    };
    let (mean_k, mean_place) = (mean(&|k, _| k), mean(&|_, place| place));
    let spread = mean(&|k, _| (k - mean_k).powi(2));
    (spread > 0.1).then(|| {
        let size = mean(&|k, place| (k - mean_k) * (place - mean_place)) / spread;
        (mean_place - mean_k * size, size)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(width: usize, height: usize, left: usize, top: usize, square: usize) -> Vec<u8> {
        let mut pixels = vec![30_u8; width * height];
        for y in 0..square * 8 {
            for x in 0..square * 8 {
                let is_light = (x / square + y / square).is_multiple_of(2);
                let rank = y / square;
                let (dx, dy) = (x % square, y % square);
                let in_piece = !(2..6).contains(&rank)
                    && (square / 4..square * 3 / 4).contains(&dx)
                    && (square / 4..square * 3 / 4).contains(&dy);
                pixels[(top + y) * width + left + x] = match (in_piece, is_light) {
                    (true, _) => {
                        if rank < 2 {
                            10
                        } else {
                            250
                        }
                    }
                    (_, true) => 210,
                    (_, false) => 140,
                };
            }
        }
        pixels
    }

    #[test]
    fn a_board_inside_a_larger_picture_is_found_to_a_fifth_of_a_pixel() {
        for (left, top, square) in [(292, 41, 80), (0, 0, 90), (13, 257, 33), (700, 100, 20), (300, 100, 25)]
        {
            let pixels = board(1280, 720, left, top, square);
            let view = LumaView::new(&pixels, 1280, 720, 1280).expect("the size is right");
            let found: Vec<BoardRect> = find_boards(&view).collect();
            let near = |a: u32, b: usize| (a as f32 / 256.0 - b as f32).abs() < 0.2;
            assert!(
                found.iter().any(|r| near(r.left_q8(), left)
                    && near(r.top_q8(), top)
                    && near(r.width_q8(), square * 8)
                    && near(r.height_q8(), square * 8)),
                "{left} {top} {square}: {found:?}"
            );
        }
    }

    #[test]
    fn a_board_never_reaches_beyond_its_picture() {
        let pixels = vec![0; 160 * 160];
        let view = LumaView::new(&pixels, 160, 160, 160).expect("the size is right");
        for start in [-0.3, -0.004, 0.0, 0.001, 0.002, 0.004, 0.006, 0.3] {
            for square_width in [19.95, 19.999, 20.0, 20.001, 20.04] {
                let grid = Grid { left: start, top: start, square_width, square_height: square_width };
                let rect = grid.rect(&view).expect("it is about as large as the picture");
                assert!(rect.left_q8() + rect.width_q8() <= 160 * 256, "{grid:?}: {rect:?}");
            }
        }
    }

    #[test]
    fn a_picture_without_a_board_has_no_candidates() {
        let pixels: Vec<u8> = (0..640 * 480).map(|i| (i % 640 / 3) as u8).collect();
        let view = LumaView::new(&pixels, 640, 480, 640).expect("the size is right");
        assert_eq!(find_boards(&view).next(), None);
    }
}
