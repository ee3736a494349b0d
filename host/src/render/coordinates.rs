//! The letters a to h and the digits 1 to 8 beside or on the board, drawn as strokes so that no font is needed.

use resvg::tiny_skia::{LineCap, LineJoin, Paint, Path, PixmapMut, Stroke, Transform};
use shakmaty::{Color, Square};

use super::layout::Layout;
use super::theme::{Palette, Rgb};

/// Where the coordinates stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Coordinates {
    /// Nowhere.
    #[default]
    None,
    /// Small, in the corners of the edge squares.
    Inside,
    /// On the surround, left of and below the board.
    Around,
}

/// The strokes of each glyph in a cell 10 wide, 14 high, as SVG path data; a baseline at 11.
const FILE_GLYPHS: [&str; 8] = [
    "M8 7.75 A2.9 3.25 0 1 1 2.2 7.75 A2.9 3.25 0 1 1 8 7.75 M8 4.5 V11",
    "M8 7.75 A2.9 3.25 0 1 1 2.2 7.75 A2.9 3.25 0 1 1 8 7.75 M2.2 1 V11",
    "M7.7 5.7 A2.9 3.25 0 1 0 7.7 9.8",
    "M8 7.75 A2.9 3.25 0 1 1 2.2 7.75 A2.9 3.25 0 1 1 8 7.75 M8 1 V11",
    "M2.2 7.6 H8 A2.9 3.25 0 1 0 7.4 9.8",
    "M8 1.5 C5.6 0.8 4.6 2 4.6 3.8 V11 M2.6 4.8 H7.4",
    "M8 7.75 A2.9 3.25 0 1 1 2.2 7.75 A2.9 3.25 0 1 1 8 7.75 M8 4.5 V11 C8 13.6 4.2 13.9 2.8 12.6",
    "M2.4 1 V11 M2.4 7.4 C2.6 3.6 7.8 3.2 7.8 7.2 V11",
];

const RANK_GLYPHS: [&str; 8] = [
    "M3.4 3.2 L5.8 1.2 V11",
    "M2.4 3.6 C2.4 0.6 7.8 0.6 7.8 3.6 C7.8 6 4 8 2.2 11 H8",
    "M2.4 1.2 H7.6 L4.6 5 C9 4.8 9 11 5 11 C3.6 11 2.6 10.4 2.1 9.4",
    "M6.4 11 V1.2 L2 8.2 H8.4",
    "M7.6 1.2 H3.2 L2.8 5.6 C4.4 4.4 8 4.8 8 7.8 C8 11.6 3.6 11.8 2.2 9.6",
    "M7 1.2 C4 2.4 2.2 5 2.2 7.9 A2.9 3.1 0 1 0 8 7.9 A2.9 3.1 0 1 0 2.2 7.9",
    "M2.2 1.2 H8 L4.4 11",
    "M5.1 6 A2.3 2.4 0 1 1 5.1 1.2 A2.3 2.4 0 1 1 5.1 6 A2.9 2.5 0 1 1 5.1 11 A2.9 2.5 0 1 1 5.1 6",
];

const CELL_WIDTH: f32 = 10.0;
const CELL_HEIGHT: f32 = 14.0;
const STROKE_WIDTH: f32 = 1.5;

/// The share of a square's side that the margin for [`Coordinates::Around`] takes.
const MARGIN_SHARE: f32 = 0.4;

/// The margin in pixels that coordinates around a board need.
pub fn margin_px(board_px: u32) -> u32 {
    (board_px as f32 / 8.0 * MARGIN_SHARE).ceil() as u32
}

/// Draws the coordinates onto an empty board.
pub fn draw(coordinates: Coordinates, layout: &Layout, palette: &Palette, picture: &mut PixmapMut<'_>) {
    match coordinates {
        Coordinates::None => {}
        Coordinates::Inside => draw_inside(layout, palette, picture),
        Coordinates::Around => draw_around(layout, palette, picture),
    }
}

fn draw_inside(layout: &Layout, palette: &Palette, picture: &mut PixmapMut<'_>) {
    let square_px = layout.board_px as f32 / 8.0;
    let height = square_px * 0.22;
    let width = height * CELL_WIDTH / CELL_HEIGHT;
    for square in edge_squares(layout) {
        let rect = layout.square_rect(square);
        let (column, row) = layout.column_and_row(square);
        let ink = if square.is_light() { palette.dark } else { palette.light };
        let gap = square_px * 0.03;
        if row == 7 {
            let (left, top) = (rect.right_px as f32 - width - gap, rect.bottom_px as f32 - height);
            draw_glyph(FILE_GLYPHS[usize::from(square.file())], left, top, height, ink, picture);
        }
        if column == 0 {
            let (left, top) = (rect.left_px as f32 + gap / 2.0, rect.top_px as f32 + gap);
            draw_glyph(RANK_GLYPHS[usize::from(square.rank())], left, top, height, ink, picture);
        }
    }
}

fn draw_around(layout: &Layout, palette: &Palette, picture: &mut PixmapMut<'_>) {
    let square_px = layout.board_px as f32 / 8.0;
    let height = square_px * MARGIN_SHARE * 0.8;
    let width = height * CELL_WIDTH / CELL_HEIGHT;
    let margin = square_px * MARGIN_SHARE;
    for square in edge_squares(layout) {
        let rect = layout.square_rect(square);
        let (column, row) = layout.column_and_row(square);
        let ink = palette.surround_ink;
        if row == 7 {
            let left = (rect.left_px + rect.right_px) as f32 / 2.0 - width / 2.0;
            let top = rect.bottom_px as f32 + (margin - height) / 2.0;
            draw_glyph(FILE_GLYPHS[usize::from(square.file())], left, top, height, ink, picture);
        }
        if column == 0 {
            let left = rect.left_px as f32 - (margin + width) / 2.0;
            let top = (rect.top_px + rect.bottom_px) as f32 / 2.0 - height / 2.0;
            draw_glyph(RANK_GLYPHS[usize::from(square.rank())], left, top, height, ink, picture);
        }
    }
}

/// The squares of the left column and the bottom row as seen.
fn edge_squares(layout: &Layout) -> impl Iterator<Item = Square> + '_ {
    let (left_file, bottom_rank) = match layout.bottom {
        Color::White => (shakmaty::File::A, shakmaty::Rank::First),
        Color::Black => (shakmaty::File::H, shakmaty::Rank::Eighth),
    };
    Square::ALL.into_iter().filter(move |square| square.file() == left_file || square.rank() == bottom_rank)
}

fn draw_glyph(strokes: &str, left: f32, top: f32, height: f32, ink: Rgb, picture: &mut PixmapMut<'_>) {
    let Some(path) = parse_path(strokes) else { return };
    let scale = height / CELL_HEIGHT;
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(ink[0], ink[1], ink[2], 255);
    let stroke = Stroke {
        width: STROKE_WIDTH,
        line_cap: LineCap::Round,
        line_join: LineJoin::Round,
        ..Stroke::default()
    };
    let transform = Transform::from_row(scale, 0.0, 0.0, scale, left, top);
    picture.stroke_path(&path, &paint, &stroke, transform, None);
}

/// SVG path data into a path, by way of the SVG parser.
fn parse_path(data: &str) -> Option<Path> {
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{CELL_WIDTH}\" height=\"{CELL_HEIGHT}\">\
         <path d=\"{data}\" stroke=\"#000\" fill=\"none\"/></svg>"
    );
    let tree = resvg::usvg::Tree::from_str(&svg, &resvg::usvg::Options::default()).ok()?;
    match tree.root().children().first()? {
        resvg::usvg::Node::Path(path) => Some(path.data().clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_glyph_is_a_path_that_keeps_to_its_cell() {
        for strokes in FILE_GLYPHS.iter().chain(&RANK_GLYPHS) {
            let path = parse_path(strokes).expect("path data");
            let bounds = path.compute_tight_bounds().expect("finite");
            assert!(bounds.left() > 1.0 && bounds.right() < CELL_WIDTH - 1.0, "{strokes}: {bounds:?}");
            assert!(bounds.top() >= 0.5 && bounds.bottom() < CELL_HEIGHT, "{strokes}: {bounds:?}");
        }
    }
}
