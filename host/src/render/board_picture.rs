//! One picture of the board, composed from tiles and turned into the bytes that the encoder takes.

use resvg::tiny_skia::{Color as Ink, Paint, Pixmap, Rect, Transform};
use shakmaty::{Board, CastlingSide, Color, Move, Piece, Position, Square};

use super::coordinates::{self, Coordinates};
use super::effects::{Effects, Stage};
use super::layout::Layout;
use super::marks;
use super::piece_set::{PieceSet, PieceSetError};
use super::schedule::{Easing, Scene};
use super::theme::{Palette, Theme};
use super::yuv;
use crate::game_record::{GameRecord, Ply};

/// How strongly the last ply's squares are tinted, 0 to 1.
const HIGHLIGHT_STRENGTH: f32 = 0.5;

/// How a board looks.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Where the board lies.
    pub layout: Layout,
    /// Its colours.
    pub theme: Theme,
    /// Where coordinates stand.
    pub coordinates: Coordinates,
    /// Whether the squares of the last ply are tinted.
    pub highlight: bool,
    /// How a sliding piece's speed changes.
    pub easing: Easing,
    /// What is drawn beside the pieces.
    pub effects: Effects,
}

/// A piece in somebody's hand is so much larger.
const DRAGGED_SCALE: f32 = 1.15;
/// How much of it shows on the square that it has left.
const GHOST_OPACITY: f32 = 0.3;

/// A piece on its way between two squares.
#[derive(Clone, Copy, Debug)]
struct MovingPiece {
    piece: Piece,
    from: Square,
    to: Square,
}

/// Draws the scenes of one game.
pub struct BoardPicture<'a> {
    record: &'a GameRecord,
    look: Look,
    palette: Palette,
    pieces: PieceSet,
    empty_board: Pixmap,
    /// What lies behind the sliding piece, and of which ply.
    backdrop: Pixmap,
    backdrop_ply: Option<usize>,
    picture: Pixmap,
    frame: Vec<u8>,
}

/// Why no picture can be drawn.
#[derive(Debug, thiserror::Error)]
pub enum BoardPictureError {
    /// The pieces cannot be drawn.
    #[error(transparent)]
    Pieces(#[from] PieceSetError),
    /// A picture of that size does not fit into memory.
    #[error("a picture of {0}x{1} px cannot be drawn")]
    PictureSize(u32, u32),
}

impl<'a> BoardPicture<'a> {
    /// Prepares the empty board and the pieces.
    ///
    /// # Errors
    ///
    /// [`BoardPictureError`].
    pub fn new(record: &'a GameRecord, look: Look) -> Result<BoardPicture<'a>, BoardPictureError> {
        let Layout { width_px, height_px, board_px, .. } = look.layout;
        let picture =
            Pixmap::new(width_px, height_px).ok_or(BoardPictureError::PictureSize(width_px, height_px))?;
        let palette = look.theme.palette();
        let mut empty_board = picture.clone();
        draw_empty_board(&look, &palette, &mut empty_board);
        Ok(BoardPicture {
            record,
            look,
            palette,
            pieces: PieceSet::new(board_px as f32 / 8.0)?,
            empty_board,
            backdrop: picture.clone(),
            backdrop_ply: None,
            picture,
            frame: Vec::new(),
        })
    }

    /// Draws a scene and gives it as one planar YUV 4:2:0 frame, its chroma averaged over each two by two pixels.
    pub fn frame(&mut self, scene: Scene) -> &[u8] {
        self.draw_staged(scene, &Stage::default());
        self.last_frame()
    }

    /// Draws a scene and what is staged beside it, for [`Self::last_frame`].
    pub fn draw_staged(&mut self, scene: Scene, stage: &Stage) {
        self.draw(scene, stage);
        let Layout { width_px, height_px, .. } = self.look.layout;
        yuv::frame_from_rgba(self.picture.data(), width_px as usize, height_px as usize, &mut self.frame);
    }

    /// The frame drawn last.
    pub fn last_frame(&self) -> &[u8] {
        &self.frame
    }

    /// Draws a scene and gives it as a picture.
    pub fn picture(&mut self, scene: Scene) -> &Pixmap {
        self.draw(scene, &Stage::default());
        &self.picture
    }

    fn draw(&mut self, scene: Scene, stage: &Stage) {
        match scene {
            Scene::Still { plies } => {
                self.clear(stage);
                if let Some(last) = plies.checked_sub(1) {
                    self.draw_highlight(&self.record.plies[last]);
                }
                self.draw_marks_under(stage);
                self.draw_pieces(position_after(self.record, plies).board());
            }
            Scene::Sliding { ply, share_of_time } => {
                self.draw_slide(ply, self.look.easing.share_of_way(share_of_time) as f32, stage);
            }
        }
        for &mark in &stage.over {
            marks::draw(mark, &self.look.layout, &mut self.picture);
        }
    }

    fn clear(&mut self, stage: &Stage) {
        self.picture.data_mut().copy_from_slice(self.empty_board.data());
        if let Some((ply, frame)) = stage.panels {
            marks::draw_panels(ply, frame, &self.look.layout, &mut self.picture);
        }
    }

    fn draw_marks_under(&mut self, stage: &Stage) {
        for &mark in &stage.under {
            marks::draw(mark, &self.look.layout, &mut self.picture);
        }
    }

    fn draw_pieces(&mut self, board: &Board) {
        for (square, piece) in board {
            let rect = self.look.layout.square_rect(square);
            self.pieces.place(piece, rect.left_px, rect.top_px, 1.0, &mut self.picture.as_mut());
        }
    }

    /// The position before the ply without the piece that moves, and that piece on its way. A captured piece stays.
    fn draw_slide(&mut self, ply: usize, share_of_way: f32, stage: &Stage) {
        let before = position_after(self.record, ply).board();
        let moving = moving_pieces(before, &self.record.plies[ply]);
        self.draw_backdrop(ply, before, &moving, stage);
        let (scale, ghost) =
            if stage.is_dragged { (DRAGGED_SCALE, Some(GHOST_OPACITY)) } else { (1.0, None) };
        for moving in moving {
            let (from_x, from_y) = self.corner(moving.from);
            let (to_x, to_y) = self.corner(moving.to);
            let x = from_x + (to_x - from_x) * share_of_way;
            let y = from_y + (to_y - from_y) * share_of_way;
            if let Some(opacity) = ghost {
                let rect = self.look.layout.square_rect(moving.from);
                let picture = &mut self.picture.as_mut();
                self.pieces.place(moving.piece, rect.left_px, rect.top_px, opacity, picture);
            }
            self.pieces.draw(moving.piece, x, y, scale, &mut self.picture.as_mut());
        }
    }

    /// What stays the same during a slide, drawn for its first frame only.
    fn draw_backdrop(&mut self, ply: usize, before: &Board, moving: &[MovingPiece], stage: &Stage) {
        let is_bare = stage.under.is_empty() && stage.panels.is_none();
        if is_bare && self.backdrop_ply == Some(ply) {
            self.picture.data_mut().copy_from_slice(self.backdrop.data());
            return;
        }
        let mut resting = before.clone();
        for moving in moving {
            resting.discard_piece_at(moving.from);
        }
        self.clear(stage);
        self.draw_highlight(&self.record.plies[ply]);
        self.draw_marks_under(stage);
        self.draw_pieces(&resting);
        if is_bare {
            self.backdrop.data_mut().copy_from_slice(self.picture.data());
            self.backdrop_ply = Some(ply);
        }
    }

    fn corner(&self, square: Square) -> (f32, f32) {
        let rect = self.look.layout.square_rect(square);
        (rect.left_px as f32, rect.top_px as f32)
    }

    fn draw_highlight(&mut self, ply: &Ply) {
        if !self.look.highlight {
            return;
        }
        for square in ply.mv.from().into_iter().chain([ply.destination()]) {
            let [red, green, blue] = self.palette.highlight;
            let mut tint = Paint::default();
            tint.set_color_rgba8(red, green, blue, (HIGHLIGHT_STRENGTH * 255.0) as u8);
            fill_square(&self.look.layout, square, &tint, &mut self.picture);
        }
    }
}

/// The position after so many plies.
fn position_after(record: &GameRecord, plies: usize) -> &shakmaty::Chess {
    plies.checked_sub(1).map_or(&record.start, |last| &record.plies[last].after)
}

/// What moves in a ply: one piece, or castling's king and rook.
fn moving_pieces(before: &Board, ply: &Ply) -> Vec<MovingPiece> {
    let color = ply.color();
    let routes = match (ply.mv, ply.mv.castling_side()) {
        (Move::Castle { king, rook }, Some(side)) => castling_routes(king, rook, side, color),
        _ => ply.mv.from().map(|from| (from, ply.mv.to())).into_iter().collect(),
    };
    routes
        .into_iter()
        .filter_map(|(from, to)| before.piece_at(from).map(|piece| MovingPiece { piece, from, to }))
        .collect()
}

/// The rook first, so that the king passes over it.
fn castling_routes(king: Square, rook: Square, side: CastlingSide, color: Color) -> Vec<(Square, Square)> {
    vec![(rook, side.rook_to(color)), (king, side.king_to(color))]
}

fn draw_empty_board(look: &Look, palette: &Palette, picture: &mut Pixmap) {
    let [red, green, blue] = palette.surround;
    picture.fill(Ink::from_rgba8(red, green, blue, 255));
    for square in Square::ALL {
        let [red, green, blue] = if square.is_light() { palette.light } else { palette.dark };
        let mut paint = Paint::default();
        paint.set_color_rgba8(red, green, blue, 255);
        fill_square(&look.layout, square, &paint, picture);
    }
    coordinates::draw(look.coordinates, &look.layout, palette, &mut picture.as_mut());
}

fn fill_square(layout: &Layout, square: Square, paint: &Paint<'_>, picture: &mut Pixmap) {
    let rect = layout.square_rect(square);
    let edges =
        Rect::from_ltrb(rect.left_px as f32, rect.top_px as f32, rect.right_px as f32, rect.bottom_px as f32);
    if let Some(edges) = edges {
        picture.fill_rect(edges, paint, Transform::identity(), None);
    }
}
