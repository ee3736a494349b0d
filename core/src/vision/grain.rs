//! Boards whose bare squares differ from each other, as wood and marble do: what is known of the squares beneath pieces.

use shakmaty::{Board, File, Square};

use super::outline::{flood_from_border, mean_tile};
use super::piece_model::{CLEAR_Q7, CellShift, LookModel, Shade, Texture};
use super::tile::{BoardTiles, TILE_EDGE, Tile};

/// Squares that differ by less than this are alike but for compression, luma².
const GRAIN_MIN: u32 = 12;
/// Cells that differ from the mean bare square by less than this are like it, standard deviations of the grain in 1/2.
const LIKE_MAX_HALVES: i32 = 5;
/// Standard deviations are counted in 1/16 of one.
const SIGMA_Q4: i32 = 16;
/// A cell tells the square behind it where so much of that shows through, 1/128.
const TELLING_SHARE_Q7: i32 = 96;

/// By how much the bare squares of each colour differ from what their like would tell of them, luma; `None` for colours
/// whose bare squares are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grain([Option<i32>; 2]);

impl Grain {
    /// Measures the grain of the squares that are bare while the board shows `shown`; `bare` are the mean ones.
    pub(super) fn measure(tiles: &BoardTiles, shown: &Board, bare: &[Tile; 2]) -> Self {
        Self([Shade::Light, Shade::Dark].map(|shade| {
            let of_shade = Texture::of(&bare[shade as usize]);
            let is_bare = |sq: Square| Shade::of(sq) == shade && shown.piece_at(sq).is_none();
            let (mut by_shade, mut by_file, mut count) = (0, 0, 0);
            for file in File::ALL {
                for square in Square::ALL.into_iter().filter(|&sq| sq.file() == file && is_bare(sq)) {
                    // Coordinates and grid lines repeat along a file.
                    let others = |sq: Square| sq != square && sq.file() == file && is_bare(sq);
                    if !Square::ALL.into_iter().any(others) {
                        continue;
                    }
                    by_shade += difference(tiles.at(square), &of_shade);
                    by_file += difference(tiles.at(square), &Texture::of(&mean_tile(tiles, others)));
                    count += 1;
                }
            }
            let variance = by_shade.min(by_file).checked_div(count).unwrap_or(0);
            (variance > GRAIN_MIN).then(|| i32::try_from(variance.isqrt()).unwrap_or(i32::MAX))
        }))
    }

    /// Whether the squares of a colour differ.
    pub(super) const fn is_on(self, shade: Shade) -> bool {
        self.0[shade as usize].is_some()
    }

    /// Whether the squares of both colours are alike.
    pub(super) const fn is_none(self) -> bool {
        matches!(self.0, [None, None])
    }

    /// A model without what it took of the grain around its piece: `seen` are its mean tiles on light and on dark squares,
    /// `bare` the mean bare ones. Cells that are like the bare square wherever the piece was seen, and reach the border
    /// over such cells, are not the piece's.
    pub(super) fn cleared(self, model: LookModel, seen: &[Option<Tile>; 2], bare: &[Tile; 2]) -> LookModel {
        let mut differences_q4 = [[0_i32; TILE_EDGE]; TILE_EDGE];
        for ((tile, behind), sigma) in seen.iter().zip(bare).zip(self.0) {
            let Some(tile) = tile else { continue };
            let sigma = sigma.unwrap_or(1).max(GRAIN_MIN.isqrt() as i32);
            for (most, (luma, behind)) in
                differences_q4.iter_mut().flatten().zip(tile.cells().zip(behind.cells()))
            {
                let difference = (i32::from(luma) - i32::from(behind)).abs();
                let in_sigmas = (difference * SIGMA_Q4).checked_div(sigma).unwrap_or(0);
                *most = in_sigmas.max(*most);
            }
        }
        model.cleared(&flood_from_border(&differences_q4, LIKE_MAX_HALVES * SIGMA_Q4 / 2))
    }

    /// What the square behind a piece shows beyond its mean: where the piece leaves it clear that is seen, elsewhere it
    /// is taken to be as `assumed`.
    pub(super) fn texture_behind(
        self,
        model: &LookModel,
        tile: &Tile,
        shade: Shade,
        assumed: &Texture,
    ) -> Texture {
        let Some(sigma) = self.0[shade as usize] else { return *assumed };
        let most = sigma.saturating_mul(LIKE_MAX_HALVES) / 2;
        let background = model.fit(tile, assumed, CellShift::default()).background_q4;
        model.texture_behind(tile, assumed, background, TELLING_SHARE_Q7, most)
    }
}

/// Mean squared difference of a bare square's texture from another, luma².
fn difference(tile: &Tile, texture: &Texture) -> u32 {
    LookModel::BARE.fit(tile, texture, CellShift::default()).cost.into()
}

impl LookModel {
    /// The model with these cells clear.
    fn cleared(mut self, is_clear: &[[bool; TILE_EDGE]; TILE_EDGE]) -> Self {
        let cells = self.surface_q4.iter_mut().flatten().zip(self.transparency_q7.iter_mut().flatten());
        for ((surface, share), _) in cells.zip(is_clear.iter().flatten()).filter(|(_, clear)| **clear) {
            (*surface, *share) = (0, CLEAR_Q7 as u8);
        }
        self
    }

    /// What a tile shows of its square's texture through the cells that are so clear, up to `most` luma from the mean
    /// `background_q4`; elsewhere `assumed`.
    fn texture_behind(
        &self,
        tile: &Tile,
        assumed: &Texture,
        background_q4: i32,
        telling_q7: i32,
        most: i32,
    ) -> Texture {
        let mut texture = *assumed;
        let model = self.surface_q4.iter().flatten().zip(self.transparency_q7.iter().flatten());
        for ((grain, luma), (surface, share)) in texture.cells_mut().zip(tile.cells()).zip(model) {
            let share = i32::from(*share);
            if share < telling_q7 {
                continue;
            }
            let behind_q4 = ((i32::from(luma) * 16 - i32::from(*surface)) * CLEAR_Q7).checked_div(share);
            let beyond = (behind_q4.unwrap_or(background_q4) - background_q4) / 16;
            *grain = i8::try_from(beyond.max(-most).min(most)).unwrap_or(*grain);
        }
        texture
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{Piece, Role};

    use super::*;
    use crate::vision::Calibration;
    use crate::vision::piece_model::Class;

    /// Luma beyond the mean of one row of a square's cells: streaks of -14 to 14, no two squares alike.
    fn streak(square: Square, row: usize) -> i32 {
        let mixed = (square as u32 * 8 + row as u32 + 1).wrapping_mul(0x9e37_79b9);
        ((mixed ^ mixed >> 15).wrapping_mul(0x85eb_ca6b) >> 16) as i32 % 29 - 14
    }

    /// A square of streaked wood with a piece on it: each role another block, Black's hardly darker than dark squares.
    fn tile(square: Square, content: Option<Piece>) -> Tile {
        let bare = if square.is_light() { 150 } else { 85 };
        let mut tile = Tile::flat(0);
        for (row, cells) in tile.rows.iter_mut().enumerate() {
            for (column, cell) in cells.iter_mut().enumerate() {
                let covers = |piece: &Piece| match piece.role {
                    Role::Pawn => (3..7).contains(&row) && (3..5).contains(&column),
                    Role::Knight => (1..7).contains(&row) && (1..2 + row).contains(&column) && column < 7,
                    Role::Bishop => row.abs_diff(4) + column.abs_diff(4) < 4,
                    Role::Rook => (1..7).contains(&row) && (2..6).contains(&column) && row != 2,
                    Role::Queen => {
                        (1..7).contains(&row) && (1..7).contains(&column) && (row + column) % 3 != 0
                    }
                    Role::King => {
                        (1..7).contains(&row) && (1..7).contains(&column) && row.abs_diff(column) != 2
                    }
                };
                let luma = match content.filter(covers) {
                    Some(piece) => piece.color.fold_wb(225, 62),
                    None => bare + streak(square, row),
                };
                *cell = u8::try_from(luma).expect("a luma");
            }
        }
        tile
    }

    #[test]
    fn pieces_are_known_on_streaked_wood_that_hides_them_and_so_are_the_squares_they_leave() {
        let start = Board::new();
        let mut tiles = BoardTiles::BLACK;
        for square in Square::ALL {
            *tiles.at_mut(square) = tile(square, start.piece_at(square));
        }
        let mut calibration = Calibration::<64>::BLANK;
        assert_eq!(calibration.learn(&tiles, &start), Ok(()));
        for file in File::ALL {
            for (from, to) in [(1, 3), (6, 4)] {
                let [from, to] = [from, to].map(|rank| Square::from_coords(file, shakmaty::Rank::new(rank)));
                let pawn = start.piece_at(from);
                let plausible = |square, content| calibration.look(&tile(square, content), square).plausible;
                assert_eq!(plausible(to, pawn), 1 << Class::of(pawn).index(), "{to} occupied");
                assert_eq!(plausible(to, None), 1, "{to} bare");
                assert_eq!(plausible(from, None), 1, "{from} bare");
            }
        }
    }

    #[test]
    fn squares_that_are_alike_have_no_grain() {
        let start = Board::new();
        let mut tiles = BoardTiles::BLACK;
        for square in Square::ALL {
            // Grid lines and letters repeat along a file.
            *tiles.at_mut(square) = tile(Square::from_coords(square.file(), shakmaty::Rank::First), None);
            let shade = if square.is_light() { 0 } else { 40 };
            tiles.at_mut(square).rows.iter_mut().flatten().for_each(|cell| *cell -= shade);
        }
        let bare = [Shade::Light, Shade::Dark].map(|shade| mean_tile(&tiles, |sq| Shade::of(sq) == shade));
        assert!(Grain::measure(&tiles, &start, &bare).is_none());
    }
}
