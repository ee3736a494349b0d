//! Marks that somebody drew over a square: arrows and circles, of one ink, through which the square shows a little.

use super::piece_model::{CELL_WEIGHTS, WEIGHT_SUM};
use super::tile::{TILE_CELLS, Tile};

/// How much of a cell's look its ink takes where a mark covers it wholly: marks are drawn with four fifths of opacity or a
/// little more or less.
const FULL_Q7: i32 = 102;
/// How much where a shaft covers half of each cell that it passes: along a file or a rank it covers all cells alike.
const HALF_Q7: i32 = 64;
/// Inks are tried in steps of so much, luma.
const INK_STEP_LUMA: usize = 12;

/// What a cell costs for being covered as the others are, luma. These three were measured together on 400 boards with two
/// arrows and a circle each: 391 are read at these, 389 with 22 in place of 20, 385 with 28 and 32 in place of the last two.
const COVERED_LUMA: i32 = 8;
/// What a cell costs for being covered anyhow, as along the edge of a mark.
const EDGE_LUMA: i32 = 20;
/// What a cell costs at most, hidden by whatever it be.
const HIDDEN_LUMA: i32 = 24;

/// A cell that the look of a class does not explain.
#[derive(Clone, Copy, Debug)]
struct Cell {
    /// The luma that the class would show.
    shown: i32,
    seen: i32,
    weight: i32,
}

/// How badly what a class shows, `shown`, explains `tile` where a mark of any one ink may lie over it, luma².
///
/// A mark of luma m and opacity a shows a (m - p) more than the luma p beneath it. All its cells have one m, and most one
/// a; so a class is compared through the mark, and one that would need inks of several colours has no gain from it.
pub(super) fn cost_beneath_ink(shown: &Tile, tile: &Tile) -> u16 {
    let mut clear = 0_i32;
    let mut covered = [Cell { shown: 0, seen: 0, weight: 0 }; TILE_CELLS];
    let mut count = 0;
    let weights = CELL_WEIGHTS.iter().flat_map(|&down| CELL_WEIGHTS.iter().map(move |&across| down * across));
    for ((shown, seen), weight) in shown.cells().zip(tile.cells()).zip(weights) {
        let cell = Cell { shown: i32::from(shown), seen: i32::from(seen), weight };
        let difference = cell.seen - cell.shown;
        if difference.abs() <= COVERED_LUMA {
            clear += weight * difference * difference;
        } else if let Some(slot) = covered.get_mut(count) {
            *slot = cell;
            count += 1;
        }
    }
    let covered = covered.get(..count).unwrap_or(&[]);
    let inks = (0..=255).step_by(INK_STEP_LUMA);
    let mut least = covered.iter().map(|cell| cell.weight * HIDDEN_LUMA * HIDDEN_LUMA).sum::<i32>();
    for ink in inks {
        for opacity_q7 in [FULL_Q7, HALF_Q7] {
            let mut sum = 0;
            for cell in covered {
                sum += cell.weight * cell.cost(ink, opacity_q7);
                if sum >= least {
                    break;
                }
            }
            least = least.min(sum);
        }
    }
    u16::try_from((clear + least) / WEIGHT_SUM.cast_signed()).unwrap_or(u16::MAX)
}

impl Cell {
    /// How badly it is explained by an ink that covers most cells with this opacity, luma².
    fn cost(self, ink: i32, opacity_q7: i32) -> i32 {
        let difference = self.seen - self.shown;
        let towards_ink = ink - self.shown;
        let off = difference - towards_ink * opacity_q7 / 128;
        let covered = off * off + COVERED_LUMA * COVERED_LUMA;
        // Covered less than wholly, it lies between.
        let full = towards_ink * FULL_Q7 / 128;
        let is_towards_ink = (difference < 0) == (full < 0);
        let beyond = if is_towards_ink { (difference.abs() - full.abs()).max(0) } else { difference };
        let edge = beyond * beyond + EDGE_LUMA * EDGE_LUMA;
        difference.pow(2).min(covered).min(edge).min(HIDDEN_LUMA.pow(2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A dark piece of three columns on a bright square.
    fn piece() -> Tile {
        let mut tile = Tile::flat(200);
        for row in &mut tile.rows[1..7] {
            row[3..6].fill(40);
        }
        tile
    }

    /// The same beneath ink of luma `ink` on the columns 2 to 4.
    fn beneath(ink: i32, opacity_q7: i32, mut tile: Tile) -> Tile {
        for row in &mut tile.rows {
            for luma in &mut row[2..5] {
                let below = i32::from(*luma);
                *luma = u8::try_from(below + (ink - below) * opacity_q7 / 128).expect("a luma");
            }
        }
        tile
    }

    #[test]
    fn a_piece_is_seen_through_ink_of_any_colour_and_opacity() {
        for ink in [0, 70, 120, 255] {
            for opacity_q7 in [HALF_Q7, 85, FULL_Q7] {
                let seen = beneath(ink, opacity_q7, piece());
                let (right, bare) =
                    (cost_beneath_ink(&piece(), &seen), cost_beneath_ink(&Tile::flat(200), &seen));
                assert!(right * 5 < bare * 4, "ink {ink}, opacity {opacity_q7}: {right} and {bare}");
                let seen = beneath(ink, opacity_q7, Tile::flat(200));
                let (wrong, bare) =
                    (cost_beneath_ink(&piece(), &seen), cost_beneath_ink(&Tile::flat(200), &seen));
                assert!(bare < wrong, "ink {ink}, opacity {opacity_q7}: bare {bare}, piece {wrong}");
            }
        }
    }

    #[test]
    fn what_is_seen_as_it_is_costs_nothing_and_all_else_no_more_than_being_hidden() {
        assert_eq!(cost_beneath_ink(&piece(), &piece()), 0);
        let most = u16::try_from(HIDDEN_LUMA * HIDDEN_LUMA).expect("small");
        assert!(cost_beneath_ink(&Tile::flat(0), &Tile::flat(255)) <= most);
        let mut chequered = Tile::flat(0);
        for (index, luma) in chequered.rows.iter_mut().flatten().enumerate() {
            *luma = if (index + index / 8) % 2 == 0 { 0 } else { 255 };
        }
        assert_eq!(cost_beneath_ink(&Tile::flat(128), &chequered), most);
    }
}
