//! Draws what lies on the board beside the pieces, and what lies around it.

use resvg::tiny_skia::{
    Color as Paintable, FillRule, GradientStop, LineCap, Paint, PathBuilder, Pixmap, Point, RadialGradient,
    Rect, SpreadMode, Stroke, Transform,
};
use shakmaty::Square;

use super::effects::{Ink, IsCapture, Mark};
use super::layout::Layout;

/// The pointer's outline, in squares of the board from its tip.
const POINTER: [(f32, f32); 7] =
    [(0.0, 0.0), (0.0, 0.42), (0.1, 0.33), (0.17, 0.48), (0.24, 0.45), (0.17, 0.3), (0.3, 0.3)];

/// Draws one mark.
pub(super) fn draw(mark: Mark, layout: &Layout, picture: &mut Pixmap) {
    match mark {
        Mark::Selected(square) => tint(square, [20, 85, 30, 128], layout, picture),
        Mark::Premove(square) => tint(square, [20, 30, 85, 128], layout, picture),
        Mark::Check(square) => glow(square, layout, picture),
        Mark::Target(square, IsCapture::No) => {
            let (x, y) = middle(layout, square);
            let circle = PathBuilder::from_circle(x, y, square_px(layout) * 0.16);
            if let Some(circle) = circle {
                let paint = paint_of([20, 85, 30, 128]);
                picture.fill_path(&circle, &paint, FillRule::Winding, Transform::identity(), None);
            }
        }
        Mark::Target(square, IsCapture::Yes) => ring(square, 0.46, 0.07, [20, 85, 30, 128], layout, picture),
        Mark::Arrow(from, to, ink) => arrow(from, to, rgba(ink), layout, picture),
        Mark::Circle(square, ink) => ring(square, 0.46, 0.06, rgba(ink), layout, picture),
        Mark::Pointer(right, down) => pointer(right, down, layout, picture),
    }
}

/// Draws the panels around the board, where there is room: the bar for `ply`, the list of plies, and a camera's picture that is
/// another with each `frame`.
pub(super) fn draw_panels(ply: usize, frame: u64, layout: &Layout, picture: &mut Pixmap) {
    let (left, top, side) = (layout.board_x_px, layout.board_y_px, layout.board_px);
    let right = left + side;
    let unit = side / 30;
    if left > 3 * unit {
        let share = (0.5 + 0.4 * (ply as f32 * 0.9).sin()).clamp(0.0, 1.0);
        let split = top as f32 + side as f32 * share;
        fill(left - 2 * unit, top, unit, side, [240, 240, 240, 255], picture);
        fill(left - 2 * unit, top, unit, split as u32 - top, [64, 61, 57, 255], picture);
    }
    let room = layout.width_px.saturating_sub(right + 2 * unit);
    if room < 6 * unit || unit == 0 {
        return;
    }
    let list_left = right + unit;
    fill(list_left, top, room, side / 2, [48, 46, 43, 255], picture);
    for line in 0..(ply / 2).min(12) as u32 {
        let width = room / 3 + (line * 7919) % (room / 3);
        fill(list_left + unit, top + unit + line * unit, width, unit / 2, [190, 187, 182, 255], picture);
    }
    // The camera: noise on a slow gradient.
    let mut state = frame.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let (camera_top, camera_height) = (top + side / 2 + unit, side / 2 - unit);
    for y in 0..camera_height / 4 {
        for x in 0..room / 4 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let level = 60
                + x * 80 / (room / 4).max(1)
                + y * 60 / (camera_height / 4).max(1)
                + (state >> 40) as u32 % 40;
            let level = level.min(255) as u8;
            fill(list_left + x * 4, camera_top + y * 4, 4, 4, [level, level, level / 2 + 60, 255], picture);
        }
    }
}

fn rgba(ink: Ink) -> [u8; 4] {
    let [red, green, blue] = match ink {
        Ink::Green => [21, 120, 27],
        Ink::Red => [136, 32, 32],
        Ink::Blue => [0, 48, 136],
        Ink::Orange => [230, 143, 0],
    };
    [red, green, blue, 204]
}

fn paint_of([red, green, blue, alpha]: [u8; 4]) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, alpha);
    paint
}

fn square_px(layout: &Layout) -> f32 {
    layout.board_px as f32 / 8.0
}

fn middle(layout: &Layout, square: Square) -> (f32, f32) {
    let rect = layout.square_rect(square);
    ((rect.left_px + rect.right_px) as f32 / 2.0, (rect.top_px + rect.bottom_px) as f32 / 2.0)
}

fn fill(left: u32, top: u32, width: u32, height: u32, colour: [u8; 4], picture: &mut Pixmap) {
    if let Some(rect) = Rect::from_xywh(left as f32, top as f32, width as f32, height as f32) {
        picture.fill_rect(rect, &paint_of(colour), Transform::identity(), None);
    }
}

fn tint(square: Square, colour: [u8; 4], layout: &Layout, picture: &mut Pixmap) {
    let rect = layout.square_rect(square);
    fill(
        rect.left_px,
        rect.top_px,
        rect.right_px - rect.left_px,
        rect.bottom_px - rect.top_px,
        colour,
        picture,
    );
}

fn glow(square: Square, layout: &Layout, picture: &mut Pixmap) {
    let (x, y) = middle(layout, square);
    let stops = [(0.0, 255), (0.25, 231), (0.89, 0)];
    let stops = stops.map(|(at, alpha)| GradientStop::new(at, Paintable::from_rgba8(231, 0, 0, alpha)));
    let point = Point::from_xy(x, y);
    let radius = square_px(layout) * 0.7;
    let shader = RadialGradient::new(
        point,
        0.0,
        point,
        radius,
        stops.to_vec(),
        SpreadMode::Pad,
        Transform::identity(),
    );
    let rect = layout.square_rect(square);
    let edges =
        Rect::from_ltrb(rect.left_px as f32, rect.top_px as f32, rect.right_px as f32, rect.bottom_px as f32);
    if let (Some(shader), Some(edges)) = (shader, edges) {
        picture.fill_rect(edges, &Paint { shader, ..Paint::default() }, Transform::identity(), None);
    }
}

/// A ring of a radius and a width in squares.
fn ring(square: Square, radius: f32, width: f32, colour: [u8; 4], layout: &Layout, picture: &mut Pixmap) {
    let ((x, y), unit) = (middle(layout, square), square_px(layout));
    if let Some(circle) = PathBuilder::from_circle(x, y, radius * unit) {
        let stroke = Stroke { width: width * unit, ..Stroke::default() };
        picture.stroke_path(&circle, &paint_of(colour), &stroke, Transform::identity(), None);
    }
}

/// An arrow from the middle of one square to that of another, a sixth of a square wide; shaft and head are one shape, so that
/// nothing is drawn twice.
fn arrow(from: Square, to: Square, colour: [u8; 4], layout: &Layout, picture: &mut Pixmap) {
    let unit = square_px(layout);
    let ((from_x, from_y), (to_x, to_y)) = (middle(layout, from), middle(layout, to));
    let length = (to_x - from_x).hypot(to_y - from_y);
    if length <= 0.0 {
        return;
    }
    let (along_x, along_y) = ((to_x - from_x) / length, (to_y - from_y) / length);
    let (shaft, head) = (unit * 0.08, unit * 0.24);
    let neck = length - unit * 0.42;
    let outline = [
        (0.0, -shaft),
        (neck, -shaft),
        (neck, -head),
        (length, 0.0),
        (neck, head),
        (neck, shaft),
        (0.0, shaft),
    ];
    let on_board = |(along, across): (f32, f32)| {
        (from_x + along_x * along - along_y * across, from_y + along_y * along + along_x * across)
    };
    fill_outline(outline.map(on_board), &paint_of(colour), picture);
}

fn pointer(right: f32, down: f32, layout: &Layout, picture: &mut Pixmap) {
    let unit = square_px(layout);
    let on_board = |(x, y): (f32, f32)| {
        (layout.board_x_px as f32 + (right + x) * unit, layout.board_y_px as f32 + (down + y) * unit)
    };
    let outline = POINTER.map(on_board);
    fill_outline(outline, &paint_of([255, 255, 255, 255]), picture);
    if let Some(path) = path_of(outline) {
        let stroke = Stroke { width: (unit * 0.03).max(1.0), line_cap: LineCap::Round, ..Stroke::default() };
        picture.stroke_path(&path, &paint_of([0, 0, 0, 255]), &stroke, Transform::identity(), None);
    }
}

fn path_of<const N: usize>(outline: [(f32, f32); N]) -> Option<resvg::tiny_skia::Path> {
    let mut path = PathBuilder::new();
    for (index, (x, y)) in outline.into_iter().enumerate() {
        if index == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
    }
    path.close();
    path.finish()
}

fn fill_outline<const N: usize>(outline: [(f32, f32); N], paint: &Paint<'_>, picture: &mut Pixmap) {
    let paint = Paint { anti_alias: true, ..paint.clone() };
    if let Some(path) = path_of(outline) {
        picture.fill_path(&path, &paint, FillRule::Winding, Transform::identity(), None);
    }
}
