//! What a piece looks like: its own luma and how much of the square shows through it.

use serde::{Deserialize, Serialize};
use shakmaty::{Color, Piece, Role, Square};

use super::ink::cost_beneath_ink;
use super::tile::{TILE_CELLS, TILE_EDGE, Tile};

/// How many things can stand on a square: nothing, or one of twelve pieces.
pub const CLASS_COUNT: usize = 13;

/// What stands on a square: nothing, or one of twelve pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Class(u8);

impl Class {
    /// Nothing.
    pub const EMPTY: Self = Self(0);

    /// All thirteen, nothing first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..CLASS_COUNT as u8).map(Self)
    }

    /// The class of a square's content.
    #[must_use]
    pub const fn of(content: Option<Piece>) -> Self {
        match content {
            None => Self::EMPTY,
            Some(piece) => Self(
                piece.role as u8
                    + match piece.color {
                        Color::White => 0,
                        Color::Black => 6,
                    },
            ),
        }
    }

    /// The content of a square of this class.
    #[must_use]
    pub const fn content(self) -> Option<Piece> {
        let (color, role) = match self.0 {
            1..=6 => (Color::White, self.0),
            7..=12 => (Color::Black, self.0 - 6),
            _ => return None,
        };
        let role = match role {
            1 => Role::Pawn,
            2 => Role::Knight,
            3 => Role::Bishop,
            4 => Role::Rook,
            5 => Role::Queen,
            _ => Role::King,
        };
        Some(Piece { color, role })
    }

    /// A number from 0 to 12 for tables.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The colour of a bare square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Shade {
    Light,
    Dark,
}

impl Shade {
    pub(crate) fn of(square: Square) -> Self {
        if square.is_light() { Self::Light } else { Self::Dark }
    }

    pub(crate) const fn other(self) -> Self {
        match self {
            Self::Light => Self::Dark,
            Self::Dark => Self::Light,
        }
    }
}

/// Weights of the cells along one side, to be multiplied. Grid lines, frames around the last ply's squares, coordinates
/// and what a neighbour spills lie in the outer ring; pieces hardly reach it.
pub(super) const CELL_WEIGHTS: [i32; TILE_EDGE] = [1, 4, 4, 4, 4, 4, 4, 1];
/// All cells' weights together.
pub(super) const WEIGHT_SUM: u32 = 26 * 26;
/// Differences count up to this, luma: a pointer or an arrow hides some cells and says nothing about the rest.
const OUTLIER_LUMA: u32 = 64;
/// Of a square that is partly hidden a cell that differs by more than this tells nothing of the background, luma.
const HIDDEN_LUMA: i32 = 24;
/// How often hidden cells are left out anew.
const TRIMMING_ROUNDS: usize = 3;
/// Full transparency of a cell.
pub(crate) const CLEAR_Q7: i32 = 128;

/// How a class shows on a square of any luma: cell = surface + transparency * (background + texture).
///
/// The texture belongs to the square. The background is one unknown luma for the whole square, found by least squares at
/// each look. So a square that is
/// tinted (last ply, premove, check) costs nothing, and one model serves both square colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookModel {
    /// The piece's own light, already weighted by its opacity, in 1/16 luma.
    pub(super) surface_q4: [[i16; TILE_EDGE]; TILE_EDGE],
    /// The share of the background that shows, in 1/128.
    pub(super) transparency_q7: [[u8; TILE_EDGE]; TILE_EDGE],
}

/// How well a model explains a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fit {
    /// Mean squared difference, luma².
    pub(crate) cost: u16,
    /// The background luma that explains the tile best, in 1/16.
    pub(crate) background_q4: i32,
}

/// What a bare square shows beyond its mean luma: wood, grid lines, coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Texture {
    /// Luma.
    rows: [[i8; TILE_EDGE]; TILE_EDGE],
}

impl Texture {
    /// None.
    pub(crate) const PLAIN: Self = Self { rows: [[0; TILE_EDGE]; TILE_EDGE] };

    /// Luma beyond the mean, cell by cell.
    pub(super) fn cells_mut(&mut self) -> impl Iterator<Item = &mut i8> + '_ {
        self.rows.iter_mut().flatten()
    }

    /// By how much its cells differ from each other, luma².
    pub(super) fn variance(&self) -> u32 {
        let cells = || self.rows.iter().flatten().map(|&grain| i32::from(grain));
        let (sum, squares) = (cells().sum::<i32>(), cells().map(|grain| grain * grain).sum::<i32>());
        let count = TILE_CELLS as i32;
        ((squares - sum * sum / count) / count).unsigned_abs()
    }

    /// The texture of a bare square.
    pub(crate) fn of(bare: &Tile) -> Self {
        let mean = (bare.mean_q4() + 8) >> 4;
        let mut texture = Self::default();
        for (grain, luma) in texture.rows.iter_mut().flatten().zip(bare.cells()) {
            let clamped = (i32::from(luma) - mean).clamp(i32::from(i8::MIN), i32::from(i8::MAX));
            *grain = i8::try_from(clamped).unwrap_or(0);
        }
        texture
    }

    /// How far two textures lie apart: the summed differences of their cells, luma.
    pub(crate) fn distance(&self, other: &Self) -> u32 {
        let cells = self.rows.iter().flatten().zip(other.rows.iter().flatten());
        cells.map(|(a, b)| u32::from(a.abs_diff(*b))).sum()
    }

    /// The texture on a mean luma, in 1/16.
    pub(crate) fn on(&self, mean_q4: i32) -> Tile {
        let mut tile = Tile::flat(0);
        for (cell, grain) in tile.rows.iter_mut().flatten().zip(self.rows.iter().flatten()) {
            *cell = u8::try_from((((mean_q4 + 8) >> 4) + i32::from(*grain)).clamp(0, 255)).unwrap_or(u8::MAX);
        }
        tile
    }
}

/// A step of a template by whole cells: right and down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CellShift {
    pub(crate) right: isize,
    pub(crate) down: isize,
}

impl LookModel {
    /// A bare square: all background.
    pub(crate) const BARE: Self = Self {
        surface_q4: [[0; TILE_EDGE]; TILE_EDGE],
        transparency_q7: [[CLEAR_Q7 as u8; TILE_EDGE]; TILE_EDGE],
    };

    /// A piece seen on a known background, with the share of it that shows through each cell given.
    pub(crate) fn from_transparency(
        tile: &Tile,
        background: &Tile,
        transparency_q7: [[u8; TILE_EDGE]; TILE_EDGE],
    ) -> Self {
        let mut model = Self { transparency_q7, ..Self::BARE };
        let lumas = tile.cells().zip(background.cells());
        let shares = transparency_q7.iter().flatten();
        for ((surface, (luma, behind)), share) in model.surface_q4.iter_mut().flatten().zip(lumas).zip(shares)
        {
            *surface = saturate(i32::from(luma) * 16 - i32::from(*share) * i32::from(behind) * 16 / CLEAR_Q7);
        }
        model
    }

    /// The share of the background that shows through each cell, in 1/128.
    pub(crate) const fn transparency_q7(&self) -> &[[u8; TILE_EDGE]; TILE_EDGE] {
        &self.transparency_q7
    }

    /// The mean of two models' surfaces over the first one's transparency.
    pub(crate) fn with_mean_surface(mut self, other: &Self) -> Self {
        for (a, b) in self.surface_q4.iter_mut().flatten().zip(other.surface_q4.iter().flatten()) {
            *a = saturate(i32::midpoint(i32::from(*a), i32::from(*b)));
        }
        self
    }

    /// What the model looks like on a background.
    pub(crate) fn paint(&self, background: &Tile) -> Tile {
        let mut tile = Tile::flat(0);
        let model = self.surface_q4.iter().flatten().zip(self.transparency_q7.iter().flatten());
        for ((cell, behind), (surface, share)) in
            tile.rows.iter_mut().flatten().zip(background.cells()).zip(model)
        {
            let luma_q4 = i32::from(*surface) + i32::from(*share) * i32::from(behind) * 16 / CLEAR_Q7;
            *cell = u8::try_from(((luma_q4 + 8) >> 4).clamp(0, 255)).unwrap_or(u8::MAX);
        }
        tile
    }

    /// How well the model, moved by `shift`, explains `tile` on a square of this texture, on the background luma that
    /// suits it best.
    pub(crate) fn fit(&self, tile: &Tile, texture: &Texture, shift: CellShift) -> Fit {
        // With d = tile - surface - w * texture and w = transparency, least squares for d = w * b gives
        // b = sum(w d) / sum(w w).
        let (mut wd, mut ww) = (0_i64, 0_i64);
        let mut cells = [(0_i16, 0_u8); TILE_CELLS];
        let mut slots = cells.iter_mut();
        self.each_cell(tile, texture, shift, |rest_q4, share_q7, weight| {
            wd += i64::from(weight * share_q7 * rest_q4);
            ww += i64::from(weight * share_q7 * share_q7);
            if let Some(slot) = slots.next() {
                *slot = (saturate(rest_q4), u8::try_from(share_q7).unwrap_or(u8::MAX));
            }
        });
        let background = (wd * i64::from(CLEAR_Q7)).checked_div(ww).unwrap_or(0);
        let background_q4 = i32::try_from(background).unwrap_or(0).clamp(0, 255 * 16);
        let mut sum = 0_u32;
        let weights =
            CELL_WEIGHTS.iter().flat_map(|&down| CELL_WEIGHTS.iter().map(move |&across| down * across));
        for ((rest_q4, share_q7), weight) in cells.into_iter().zip(weights) {
            let (rest_q4, share_q7) = (i32::from(rest_q4), i32::from(share_q7));
            // In 1/4 luma from here, so that the sum stays inside 32 bits.
            let difference = ((rest_q4 - share_q7 * background_q4 / CLEAR_Q7) / 4).unsigned_abs();
            let difference = difference.min(OUTLIER_LUMA * 4);
            sum = sum.saturating_add(weight.unsigned_abs() * difference * difference);
        }
        let cost = u16::try_from(sum / (16 * WEIGHT_SUM)).unwrap_or(u16::MAX);
        Fit { cost, background_q4 }
    }

    /// How badly the model explains a tile of which an arrow, a circle or a pointer may hide some cells, luma². Its
    /// background is either what the border shows or `usual_q4`, 1/16 luma, or about that.
    pub(crate) fn cost_in_part(&self, tile: &Tile, texture: &Texture, usual_q4: i32) -> u16 {
        let [shown, usual] =
            [tile.ring_median() * 16, usual_q4].map(|b| self.background_in_part(tile, texture, b));
        let cost = |background_q4| cost_beneath_ink(&self.paint(&texture.on(background_q4)), tile);
        if shown == usual { cost(shown) } else { cost(shown).min(cost(usual)) }
    }

    /// The background of a tile that may be hidden in part, 1/16 luma.
    ///
    /// Least squares over the cells that fit the background found before, begun with `background_q4` (iterative trimming;
    /// Rousseeuw and Leroy 1987).
    fn background_in_part(&self, tile: &Tile, texture: &Texture, mut background_q4: i32) -> i32 {
        for _ in 0..TRIMMING_ROUNDS {
            let (mut wd, mut ww) = (0_i64, 0_i64);
            self.each_cell(tile, texture, CellShift::default(), |rest_q4, share_q7, weight| {
                if (rest_q4 - share_q7 * background_q4 / CLEAR_Q7).abs() <= HIDDEN_LUMA * 16 {
                    wd += i64::from(weight * share_q7 * rest_q4);
                    ww += i64::from(weight * share_q7 * share_q7);
                }
            });
            if let Some(background) = (wd * i64::from(CLEAR_Q7)).checked_div(ww) {
                background_q4 = i32::try_from(background).unwrap_or(0).clamp(0, 255 * 16);
            }
        }
        background_q4
    }

    /// How badly a piece whose look is known on one square colour alone explains `tile`, which shows `behind` where it is
    /// bare, luma²; `home` is a bare square of the colour on which it is known.
    ///
    /// A cell of its look at home is ink and so much of the square; the less of the square it holds, the darker or brighter
    /// its ink must be, and beyond black and white there is none. What a cell may show on the other square lies between.
    pub(crate) fn cost_on_other_shade(
        &self,
        tile: &Tile,
        behind: &Tile,
        home: &Tile,
        shift: CellShift,
    ) -> u16 {
        let at_home = self.paint(home);
        let mut sum = 0_u32;
        for (row, (cells, behind)) in tile.rows.iter().zip(&behind.rows).enumerate() {
            let source_row = row.checked_add_signed(-shift.down);
            for (column, (&luma, &behind)) in cells.iter().zip(behind).enumerate() {
                let source_column = column.checked_add_signed(-shift.right);
                let of = |tile: &Tile| Some(i32::from(*tile.rows.get(source_row?)?.get(source_column?)?));
                let (luma, behind) = (i32::from(luma), i32::from(behind));
                let (least, most) = match (of(&at_home), of(home)) {
                    (Some(shown), Some(bare)) => possible_lumas(shown, bare, behind),
                    // Beyond the edge lies the next square, bare.
                    _ => (behind, behind),
                };
                let difference = (least - luma).max(luma - most).clamp(0, OUTLIER_LUMA as i32);
                let weight = CELL_WEIGHTS[row] * CELL_WEIGHTS[column];
                sum = sum.saturating_add((weight * difference * difference).unsigned_abs());
            }
        }
        u16::try_from(sum / WEIGHT_SUM).unwrap_or(u16::MAX)
    }

    /// Visits what each cell shows beyond the piece and the square's texture, in 1/16 luma, the cell's transparency and
    /// its weight.
    fn each_cell(
        &self,
        tile: &Tile,
        texture: &Texture,
        shift: CellShift,
        mut visit: impl FnMut(i32, i32, i32),
    ) {
        if shift == CellShift::default() {
            let rows =
                tile.rows.iter().zip(&texture.rows).zip(self.surface_q4.iter().zip(&self.transparency_q7));
            for (((cells, texture), (surfaces, shares)), down) in rows.zip(CELL_WEIGHTS) {
                let cells = cells.iter().zip(texture).zip(surfaces.iter().zip(shares));
                for (((&luma, &grain), (&surface_q4, &share_q7)), across) in cells.zip(CELL_WEIGHTS) {
                    let share_q7 = i32::from(share_q7);
                    let grain_q4 = i32::from(grain) * 16 * share_q7 / CLEAR_Q7;
                    visit(i32::from(luma) * 16 - i32::from(surface_q4) - grain_q4, share_q7, down * across);
                }
            }
            return;
        }
        for (row, (cells, texture)) in tile.rows.iter().zip(&texture.rows).enumerate() {
            let source_row = row.checked_add_signed(-shift.down);
            let surfaces = source_row.and_then(|r| self.surface_q4.get(r));
            let shares = source_row.and_then(|r| self.transparency_q7.get(r));
            for (column, (&luma, &grain)) in cells.iter().zip(texture).enumerate() {
                let source_column = column.checked_add_signed(-shift.right);
                let surface_q4 =
                    surfaces.zip(source_column).and_then(|(r, c)| r.get(c)).map_or(0, |&s| i32::from(s));
                let share_q7 =
                    shares.zip(source_column).and_then(|(r, c)| r.get(c)).map_or(CLEAR_Q7, |&s| i32::from(s));
                let grain_q4 = i32::from(grain) * 16 * share_q7 / CLEAR_Q7;
                let weight = CELL_WEIGHTS[row] * CELL_WEIGHTS[column];
                visit(i32::from(luma) * 16 - surface_q4 - grain_q4, share_q7, weight);
            }
        }
    }
}

/// The least and the largest luma that a cell may show on a square of luma `behind` where it shows `shown` on one of luma
/// `bare`.
fn possible_lumas(shown: i32, bare: i32, behind: i32) -> (i32, i32) {
    // shown = ink + t * bare with 0 <= ink <= 255 * (1 - t): t is at most what leaves the ink between black and white.
    let white = 255;
    let part = |part: i32, whole: i32| (part * CLEAR_Q7).checked_div(whole).unwrap_or(CLEAR_Q7);
    let clearest_q7 = part(shown, bare).min(part(white - shown, white - bare)).clamp(0, CLEAR_Q7);
    let clearest = shown + (behind - bare) * clearest_q7 / CLEAR_Q7;
    (shown.min(clearest), shown.max(clearest))
}

fn saturate(value: i32) -> i16 {
    i16::try_from(value).unwrap_or(if value < 0 { i16::MIN } else { i16::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring() -> LookModel {
        let mut model = LookModel::BARE;
        for (i, (s, t)) in
            model.surface_q4.iter_mut().flatten().zip(model.transparency_q7.iter_mut().flatten()).enumerate()
        {
            let (x, y) = (i % 8, i / 8);
            if (2..6).contains(&x) && (2..6).contains(&y) {
                *s = 200 * 16;
                *t = 0;
            }
        }
        model
    }

    fn wood() -> Texture {
        let mut tile = Tile::flat(100);
        for (i, cell) in tile.rows.iter_mut().flatten().enumerate() {
            *cell += (i * 7 % 30) as u8;
        }
        Texture::of(&tile)
    }

    #[test]
    fn classes_and_contents_are_one_to_one() {
        for class in Class::all() {
            assert_eq!(Class::of(class.content()), class);
        }
        assert_eq!(Class::all().count(), CLASS_COUNT);
    }

    #[test]
    fn a_model_explains_itself_on_every_background_and_texture() {
        for texture in [Texture::default(), wood()] {
            for background in [20, 60, 130, 235] {
                let tile = ring().paint(&texture.on(background * 16));
                let fit = ring().fit(&tile, &texture, CellShift::default());
                assert!(
                    fit.cost == 0 && (fit.background_q4 - background * 16).abs() <= 16,
                    "{background}: {fit:?}"
                );
            }
        }
    }

    #[test]
    fn a_piece_off_its_centre_is_explained_better_by_a_shifted_model() {
        let mut moved = Tile::flat(80);
        for row in &mut moved.rows[2..6] {
            row[3..7].fill(200);
        }
        let plain = Texture::default();
        let shifted = ring().fit(&moved, &plain, CellShift { right: 1, down: 0 });
        assert_eq!(shifted.cost, 0);
        assert!(ring().fit(&moved, &plain, CellShift::default()).cost > 500);
    }

    #[test]
    fn costs_stay_in_range_at_the_extremes_of_luma() {
        let plain = Texture::default();
        let bright = ring().fit(&Tile::flat(255), &plain, CellShift::default());
        let dark = LookModel::BARE.fit(&ring().paint(&Tile::flat(0)), &plain, CellShift::default());
        assert!(bright.cost < u16::MAX && dark.cost > bright.cost);
    }
}
