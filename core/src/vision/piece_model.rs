//! What a piece looks like: its own luma and how much of the square shows through it.

use serde::{Deserialize, Serialize};
use shakmaty::{Color, Piece, Role, Square};

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

/// Full transparency of a cell.
pub(crate) const CLEAR_Q7: i32 = 128;

/// How a class shows on a square of any luma: cell = surface + transparency * background.
///
/// The background is one unknown for the whole square, found by least squares at each look. So a square that is
/// tinted (last ply, premove, check) costs nothing, and one model serves both square colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookModel {
    /// The piece's own light, already weighted by its opacity, in 1/16 luma.
    surface_q4: [[i16; TILE_EDGE]; TILE_EDGE],
    /// The share of the background that shows, in 1/128.
    transparency_q7: [[u8; TILE_EDGE]; TILE_EDGE],
}

/// How well a model explains a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fit {
    /// Mean squared difference, luma².
    pub(crate) cost: u16,
    /// The background luma that explains the tile best, in 1/16.
    pub(crate) background_q4: i32,
}

/// A step of a template by whole cells: right and down.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CellShift {
    pub(crate) right: isize,
    pub(crate) down: isize,
}

impl LookModel {
    /// A model that explains nothing but a flat square.
    pub(crate) const FLAT: Self = Self {
        surface_q4: [[0; TILE_EDGE]; TILE_EDGE],
        transparency_q7: [[CLEAR_Q7 as u8; TILE_EDGE]; TILE_EDGE],
    };

    /// A bare square: what remains of `tile` beyond its mean luma is the board's texture.
    pub(crate) fn bare(tile: &Tile) -> Self {
        let mean_q4 = tile.mean_q4();
        let mut model = Self::FLAT;
        for (surface, luma) in model.surface_q4.iter_mut().flatten().zip(tile.cells()) {
            *surface = saturate(i32::from(luma) * 16 - mean_q4);
        }
        model
    }

    /// A piece seen on one background, with the share of the background that shows through each cell given.
    pub(crate) fn from_transparency(
        tile: &Tile,
        background_q4: i32,
        transparency_q7: [[u8; TILE_EDGE]; TILE_EDGE],
    ) -> Self {
        let mut model = Self { transparency_q7, ..Self::FLAT };
        let shares = transparency_q7.iter().flatten();
        for ((surface, luma), share) in model.surface_q4.iter_mut().flatten().zip(tile.cells()).zip(shares) {
            *surface = saturate(i32::from(luma) * 16 - i32::from(*share) * background_q4 / CLEAR_Q7);
        }
        model
    }

    /// The mean of two models' surfaces over the first one's transparency.
    pub(crate) fn with_mean_surface(mut self, other: &Self) -> Self {
        for (a, b) in self.surface_q4.iter_mut().flatten().zip(other.surface_q4.iter().flatten()) {
            *a = saturate(i32::midpoint(i32::from(*a), i32::from(*b)));
        }
        self
    }

    /// What the model looks like on a background.
    pub(crate) fn paint(&self, background_q4: i32) -> Tile {
        let mut tile = Tile::flat(0);
        let model = self.surface_q4.iter().flatten().zip(self.transparency_q7.iter().flatten());
        for (cell, (surface, share)) in tile.rows.iter_mut().flatten().zip(model) {
            let luma_q4 = i32::from(*surface) + i32::from(*share) * background_q4 / CLEAR_Q7;
            *cell = u8::try_from(((luma_q4 + 8) >> 4).clamp(0, 255)).unwrap_or(u8::MAX);
        }
        tile
    }

    /// How well the model, moved by `shift`, explains `tile` on the background that suits it best.
    pub(crate) fn fit(&self, tile: &Tile, shift: CellShift) -> Fit {
        // With d = tile - surface and w = transparency, least squares for d = w * b gives b = sum(w d) / sum(w w).
        let (mut wd, mut ww) = (0_i32, 0_i32);
        self.each_cell(tile, shift, |luma_q4, surface_q4, share_q7| {
            wd += share_q7 * (luma_q4 - surface_q4);
            ww += share_q7 * share_q7;
        });
        let background_q4 = if ww == 0 {
            0
        } else {
            i32::try_from(i64::from(wd) * i64::from(CLEAR_Q7) / i64::from(ww)).unwrap_or(0).clamp(0, 255 * 16)
        };
        let mut sum = 0_u32;
        self.each_cell(tile, shift, |luma_q4, surface_q4, share_q7| {
            let difference = (luma_q4 - surface_q4 - share_q7 * background_q4 / CLEAR_Q7).unsigned_abs();
            sum = sum.saturating_add(difference * difference);
        });
        let cost = u16::try_from(sum / (TILE_CELLS as u32 * 256)).unwrap_or(u16::MAX);
        Fit { cost, background_q4 }
    }

    fn each_cell(&self, tile: &Tile, shift: CellShift, mut visit: impl FnMut(i32, i32, i32)) {
        for (row, cells) in tile.rows.iter().enumerate() {
            let source_row = row.checked_add_signed(-shift.down);
            let surfaces = source_row.and_then(|r| self.surface_q4.get(r));
            let shares = source_row.and_then(|r| self.transparency_q7.get(r));
            for (column, &luma) in cells.iter().enumerate() {
                let source_column = column.checked_add_signed(-shift.right);
                let surface =
                    surfaces.zip(source_column).and_then(|(r, c)| r.get(c)).map_or(0, |&s| i32::from(s));
                let share =
                    shares.zip(source_column).and_then(|(r, c)| r.get(c)).map_or(CLEAR_Q7, |&s| i32::from(s));
                visit(i32::from(luma) * 16, surface, share);
            }
        }
    }
}

fn saturate(value: i32) -> i16 {
    i16::try_from(value).unwrap_or(if value < 0 { i16::MIN } else { i16::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring() -> LookModel {
        let mut model = LookModel::FLAT;
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

    #[test]
    fn classes_and_contents_are_one_to_one() {
        for class in Class::all() {
            assert_eq!(Class::of(class.content()), class);
        }
        assert_eq!(Class::all().count(), CLASS_COUNT);
    }

    #[test]
    fn a_model_explains_itself_on_every_background() {
        for background in [0, 60, 130, 255] {
            let fit = ring().fit(&ring().paint(background * 16), CellShift::default());
            assert!(
                fit.cost == 0 && (fit.background_q4 - background * 16).abs() <= 16,
                "{background}: {fit:?}"
            );
        }
    }

    #[test]
    fn a_piece_off_its_centre_is_explained_better_by_a_shifted_model() {
        let mut moved = Tile::flat(80);
        for row in &mut moved.rows[2..6] {
            row[3..7].fill(200);
        }
        let shifted = ring().fit(&moved, CellShift { right: 1, down: 0 });
        assert_eq!(shifted.cost, 0);
        assert!(ring().fit(&moved, CellShift::default()).cost > 500);
    }

    #[test]
    fn costs_saturate_at_the_extremes_of_luma() {
        let bright = ring().fit(&Tile::flat(255), CellShift::default());
        let dark = LookModel::FLAT.fit(&ring().paint(0), CellShift::default());
        assert!(bright.cost < u16::MAX && dark.cost > bright.cost);
    }
}
