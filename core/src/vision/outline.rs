//! Which cells of a square a piece covers, told from what the bare square looks like.

use shakmaty::{Board, Piece, Square};

use super::piece_model::{CLEAR_Q7, LookModel, Shade};
use super::tile::{BoardTiles, TILE_CELLS, TILE_EDGE, Tile};

/// The outline of a piece of any lumas, whose fill may be much like the square: a third of the largest difference counts as
/// covered.
const SILHOUETTE_PARTS: i32 = 3;

/// A piece seen on one background: cells like it that reach the border are background, and what they enclose is the piece.
pub(super) fn model_of_one(tile: &Tile, behind: &Tile) -> LookModel {
    LookModel::from_transparency(tile, behind, outline_q7(tile, behind, SILHOUETTE_PARTS))
}

/// A piece seen on two backgrounds.
pub(super) fn model_of_two(light: &Tile, dark: &Tile, behind_light: &Tile, behind_dark: &Tile) -> LookModel {
    let mut transparency_q7 = [[0; TILE_EDGE]; TILE_EDGE];
    let seen = light.cells().zip(dark.cells());
    let behind = behind_light.cells().zip(behind_dark.cells());
    for (share, ((light, dark), (behind_light, behind_dark))) in
        transparency_q7.iter_mut().flatten().zip(seen.zip(behind))
    {
        let contrast = i32::from(behind_light) - i32::from(behind_dark);
        let shown = i32::from(light) - i32::from(dark);
        let q7 = (shown * CLEAR_Q7).checked_div(contrast).unwrap_or(CLEAR_Q7).clamp(0, CLEAR_Q7);
        *share = u8::try_from(q7).unwrap_or(0);
    }
    LookModel::from_transparency(light, behind_light, transparency_q7)
        .with_mean_surface(&LookModel::from_transparency(dark, behind_dark, transparency_q7))
}

/// Guesses how much of the background shows through each cell of a piece of any lumas that was seen on one background,
/// in 1/128: cells like the background that reach the border are clear.
pub(super) fn silhouette_q7(tile: &Tile, behind: &Tile) -> Shares {
    let (differences, largest) = differences(tile, behind);
    let full = (largest / SILHOUETTE_PARTS).max(1);
    let outside = flood_from_border(&differences, full);
    shares(|row, column| {
        let difference = differences[row][column];
        if outside[row][column] { CLEAR_Q7 - share_q7(difference, full).min(CLEAR_Q7) } else { 0 }
    })
}

/// Measures how much of the background shows through each cell of a piece whose outline is of one luma, in 1/128. Cells
/// that the piece encloses are covered, whatever is drawn there; a cell belongs to it that differs from the background by
/// one of so many parts of the largest difference.
pub(super) fn outline_q7(tile: &Tile, behind: &Tile, parts: i32) -> Shares {
    let (differences, largest) = differences(tile, behind);
    let full = largest.checked_div(parts).unwrap_or(largest).max(1);
    let outside = flood_from_border(&differences, full);
    shares(|row, column| {
        let is_outside =
            |r: usize, c: usize| outside.get(r).and_then(|cells| cells.get(c)).is_none_or(|&o| o);
        let is_enclosed = !is_outside(row, column)
            && !is_outside(row.wrapping_sub(1), column)
            && !is_outside(row + 1, column)
            && !is_outside(row, column.wrapping_sub(1))
            && !is_outside(row, column + 1);
        if is_enclosed { 0 } else { CLEAR_Q7 - share_q7(differences[row][column], largest) }
    })
}

/// What share of `whole`, which is positive, a difference is, in 1/128.
fn share_q7(difference: i32, whole: i32) -> i32 {
    (difference * CLEAR_Q7).checked_div(whole).unwrap_or(CLEAR_Q7)
}

/// Transparency of each cell, in 1/128.
type Shares = [[u8; TILE_EDGE]; TILE_EDGE];

fn shares(share_of: impl Fn(usize, usize) -> i32) -> Shares {
    core::array::from_fn(|row| {
        core::array::from_fn(|column| u8::try_from(share_of(row, column).clamp(0, CLEAR_Q7)).unwrap_or(0))
    })
}

/// How far each cell differs from the background, and the largest difference, at least 1, luma.
fn differences(tile: &Tile, behind: &Tile) -> ([[i32; TILE_EDGE]; TILE_EDGE], i32) {
    let mut differences = [[0_i32; TILE_EDGE]; TILE_EDGE];
    for (difference, (luma, behind)) in differences.iter_mut().flatten().zip(tile.cells().zip(behind.cells()))
    {
        *difference = (i32::from(luma) - i32::from(behind)).abs();
    }
    let largest = differences.iter().flatten().copied().max().unwrap_or(0).max(1);
    (differences, largest)
}

/// What a piece looks like on the squares of one colour on which it stands; `None` where there are none.
pub(super) fn tile_of(tiles: &BoardTiles, shown: &Board, piece: Piece, shade: Shade) -> Option<Tile> {
    let on = |sq: Square| shown.piece_at(sq) == Some(piece) && Shade::of(sq) == shade;
    Square::ALL.into_iter().any(on).then(|| mean_tile(tiles, on))
}

/// Cell by cell mean of the tiles of the squares that `pick` picks.
pub(super) fn mean_tile(tiles: &BoardTiles, pick: impl Fn(Square) -> bool) -> Tile {
    let mut sums = [0_u32; TILE_CELLS];
    let mut count = 0;
    for square in Square::ALL.into_iter().filter(|&sq| pick(sq)) {
        for (sum, luma) in sums.iter_mut().zip(tiles.at(square).cells()) {
            *sum += u32::from(luma);
        }
        count += 1;
    }
    let mut mean = Tile::flat(0);
    for (cell, sum) in mean.rows.iter_mut().flatten().zip(sums) {
        *cell = u8::try_from((sum + count / 2).checked_div(count).unwrap_or(0)).unwrap_or(u8::MAX);
    }
    mean
}

/// Cells reached from the tile's border through cells that differ less than `full` from the bare square.
pub(super) fn flood_from_border(
    differences: &[[i32; TILE_EDGE]; TILE_EDGE],
    full: i32,
) -> [[bool; TILE_EDGE]; TILE_EDGE] {
    let mut outside = [[false; TILE_EDGE]; TILE_EDGE];
    // Each sweep carries the flood on by at least a cell; a tile has no path longer than its cells.
    for _ in 0..TILE_CELLS {
        let before = outside;
        for row in 0..TILE_EDGE {
            for column in 0..TILE_EDGE {
                let at_border = row == 0 || column == 0 || row == TILE_EDGE - 1 || column == TILE_EDGE - 1;
                let beside = (row > 0 && outside[row - 1][column])
                    || (column > 0 && outside[row][column - 1])
                    || (row + 1 < TILE_EDGE && outside[row + 1][column])
                    || (column + 1 < TILE_EDGE && outside[row][column + 1]);
                if (at_border || beside) && differences[row][column] < full {
                    outside[row][column] = true;
                }
            }
        }
        if outside == before {
            break;
        }
    }
    outside
}
