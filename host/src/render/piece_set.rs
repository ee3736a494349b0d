//! The project's own pieces: vector pictures in `assets/pieces`, drawn to pixels by resvg.

use resvg::tiny_skia::{Pixmap, PixmapMut, PixmapPaint, Transform};
use resvg::usvg::{Options, Tree};
use shakmaty::{ByColor, ByRole, Color, Piece, Role};

/// The side of the drawings' own coordinate system.
const DRAWING_SIDE: f32 = 100.0;

/// The drawings come in White's colours; for Black these rules, more exact than the drawings' own, win over them.
const BLACK_STYLE: &str = "path.body,rect.body,circle.body{fill:#3d3936;stroke:#110f0e}\
                           path.detail{stroke:#d9d3c8}circle.dot{fill:#d9d3c8}";

/// Why the pieces cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum PieceSetError {
    /// A drawing that is no SVG.
    #[error("the drawing of the {role:?} is broken: {source}")]
    Drawing {
        /// The piece.
        role: Role,
        /// What the SVG parser says.
        source: resvg::usvg::Error,
    },
    /// A square without a pixel, or with too many for the memory.
    #[error("pieces cannot be drawn for squares of {0} px")]
    SquareSize(f32),
}

/// All twelve pieces at one size.
pub struct PieceSet {
    drawings: ByColor<ByRole<Tree>>,
    tiles: ByColor<ByRole<Pixmap>>,
    scale: f32,
}

impl PieceSet {
    /// Draws the pieces for squares of `square_px` (which may be broken) once.
    ///
    /// # Errors
    ///
    /// [`PieceSetError`] where a drawing cannot be parsed or the size is impossible.
    pub fn new(square_px: f32) -> Result<PieceSet, PieceSetError> {
        let drawings = ByColor { black: parse_drawings(Color::Black)?, white: parse_drawings(Color::White)? };
        let scale = square_px / DRAWING_SIDE;
        let tiles = ByColor {
            black: draw_tiles(&drawings.black, square_px)?,
            white: draw_tiles(&drawings.white, square_px)?,
        };
        Ok(PieceSet { drawings, tiles, scale })
    }

    /// Copies a piece to whole pixels: a square's upper left corner. `opacity` is 1 for all of it.
    pub fn place(&self, piece: Piece, left_px: u32, top_px: u32, opacity: f32, picture: &mut PixmapMut<'_>) {
        let tile = self.tiles.get(piece.color).get(piece.role);
        let (x, y) = (left_px.cast_signed(), top_px.cast_signed());
        let paint = PixmapPaint { opacity, ..PixmapPaint::default() };
        picture.draw_pixmap(x, y, tile.as_ref(), &paint, Transform::identity(), None);
    }

    /// Draws a piece between pixels, smooth at its edges, `scale` times as large as its square and about its middle.
    pub fn draw(&self, piece: Piece, left_px: f32, top_px: f32, scale: f32, picture: &mut PixmapMut<'_>) {
        let drawing = self.drawings.get(piece.color).get(piece.role);
        let excess_px = (scale - 1.0) * self.scale * DRAWING_SIDE / 2.0;
        let scale = self.scale * scale;
        let transform = Transform::from_row(scale, 0.0, 0.0, scale, left_px - excess_px, top_px - excess_px);
        resvg::render(drawing, transform, picture);
    }
}

fn parse_drawings(color: Color) -> Result<ByRole<Tree>, PieceSetError> {
    let style_sheet = (color == Color::Black).then(|| BLACK_STYLE.to_owned());
    let options = Options { style_sheet, ..Options::default() };
    let parse = |role: Role| {
        Tree::from_str(drawing_of(role), &options).map_err(|source| PieceSetError::Drawing { role, source })
    };
    Ok(ByRole {
        pawn: parse(Role::Pawn)?,
        knight: parse(Role::Knight)?,
        bishop: parse(Role::Bishop)?,
        rook: parse(Role::Rook)?,
        queen: parse(Role::Queen)?,
        king: parse(Role::King)?,
    })
}

/// The drawing of a piece in White's colours, as an SVG file's text.
pub(crate) fn drawing_of(role: Role) -> &'static str {
    match role {
        Role::Pawn => include_str!("../../assets/pieces/pawn.svg"),
        Role::Knight => include_str!("../../assets/pieces/knight.svg"),
        Role::Bishop => include_str!("../../assets/pieces/bishop.svg"),
        Role::Rook => include_str!("../../assets/pieces/rook.svg"),
        Role::Queen => include_str!("../../assets/pieces/queen.svg"),
        Role::King => include_str!("../../assets/pieces/king.svg"),
    }
}

fn draw_tiles(drawings: &ByRole<Tree>, square_px: f32) -> Result<ByRole<Pixmap>, PieceSetError> {
    let draw = |drawing: &Tree| {
        let side_px = square_px.ceil() as u32;
        let mut tile = Pixmap::new(side_px, side_px).ok_or(PieceSetError::SquareSize(square_px))?;
        let scale = square_px / DRAWING_SIDE;
        resvg::render(drawing, Transform::from_scale(scale, scale), &mut tile.as_mut());
        Ok(tile)
    };
    Ok(ByRole {
        pawn: draw(&drawings.pawn)?,
        knight: draw(&drawings.knight)?,
        bishop: draw(&drawings.bishop)?,
        rook: draw(&drawings.rook)?,
        queen: draw(&drawings.queen)?,
        king: draw(&drawings.king)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ink that each of two pieces has where the other has none or another shade, as a share of all ink.
    fn difference(a: &Pixmap, b: &Pixmap) -> f64 {
        let pairs = || a.data().iter().zip(b.data());
        let apart: u32 = pairs().map(|(&a, &b)| u32::from(a.abs_diff(b))).sum();
        let ink: u32 = pairs().map(|(&a, &b)| u32::from(a.max(b))).sum();
        f64::from(apart) / f64::from(ink)
    }

    #[test]
    fn all_twelve_pieces_differ_clearly() {
        let set = PieceSet::new(30.0).expect("the drawings parse");
        let tiles: Vec<(Color, Role, &Pixmap)> = Color::ALL
            .into_iter()
            .flat_map(|color| Role::ALL.into_iter().map(move |role| (color, role)))
            .map(|(color, role)| (color, role, set.tiles.get(color).get(role)))
            .collect();
        for (index, (color, role, tile)) in tiles.iter().enumerate() {
            for (other_color, other_role, other) in &tiles[index + 1..] {
                let difference = difference(tile, other);
                assert!(
                    difference > 0.15,
                    "{color} {role:?} and {other_color} {other_role:?}: {difference:.3}"
                );
            }
        }
    }

    #[test]
    fn every_piece_stays_inside_its_square() {
        let set = PieceSet::new(64.0).expect("the drawings parse");
        for color in Color::ALL {
            for role in Role::ALL {
                let tile = set.tiles.get(color).get(role);
                let (width, height) = (tile.width(), tile.height());
                for index in 0..64 {
                    let edges = [(index, 0), (index, height - 1), (0, index), (width - 1, index)];
                    for (x, y) in edges {
                        let alpha = tile.pixel(x, y).map(|pixel| pixel.alpha());
                        assert_eq!(alpha, Some(0), "{color} {role:?} at {x},{y}");
                    }
                }
            }
        }
    }
}
