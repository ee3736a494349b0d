//! The board and the pieces as SVG.

use plyscope_core::event_row::square_name;
use serde::Serialize;
use shakmaty::{Board, Chess, Color, Move, Position, Role, Square};

use crate::render::piece_set::drawing_of;

/// A board as the page's script takes it: 64 letters from a1 to h8, upper case for White, `.` for none.
pub(super) fn letters(position: &Chess) -> String {
    let board: &Board = position.board();
    Square::ALL.into_iter().map(|square| board.piece_at(square).map_or('.', |piece| piece.char())).collect()
}

/// The squares between which a move is marked: of castling the king's.
pub(super) fn marked_squares(mv: Move, mover: Color) -> (usize, usize) {
    let to = mv.castling_side().map_or_else(|| mv.to(), |side| side.king_to(mover));
    let from = mv.from().unwrap_or(to);
    (usize::from(from), usize::from(to))
}

/// All six drawings as symbols `piece-K` to `piece-P`.
pub(super) fn symbols() -> String {
    let mut markup = String::new();
    for role in Role::ALL {
        let drawing = drawing_of(role);
        let start = drawing.find("</style>").map_or(0, |i| i + "</style>".len());
        let end = drawing.rfind("</svg>").unwrap_or(drawing.len());
        let shapes =
            drawing.get(start..end).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
        let id = role.upper_char();
        markup += &format!("<symbol id=\"piece-{id}\" viewBox=\"0 0 100 100\">{shapes}</symbol>");
    }
    markup
}

/// The dark squares as one path.
pub(super) fn dark_squares() -> String {
    Square::ALL
        .into_iter()
        .filter(|square| square.is_dark())
        .map(|square| {
            let (x, y) = corner(square);
            format!("M{x} {y}h100v100h-100z")
        })
        .collect()
}

/// A piece of the start position.
#[derive(Serialize)]
pub(super) struct PieceView {
    role: char,
    color: &'static str,
    x: u32,
    y: u32,
}

/// The pieces of a position where they stand.
pub(super) fn pieces(position: &Chess) -> Vec<PieceView> {
    let on = |square: Square| {
        let piece = position.board().piece_at(square)?;
        let (x, y) = corner(square);
        Some(PieceView { role: piece.role.upper_char(), color: piece.color.fold_wb("white", "black"), x, y })
    };
    Square::ALL.into_iter().filter_map(on).collect()
}

/// A letter or digit at the edge.
#[derive(Serialize)]
pub(super) struct EdgeLabel {
    text: char,
    x: u32,
    y: u32,
    class: String,
    square: u32,
}

/// Files along the lower edge, ranks along the left.
pub(super) fn edge_labels() -> Vec<EdgeLabel> {
    let mut labels = Vec::new();
    for index in 0..8 {
        // a1 is dark, and so is every second square along either edge.
        let ground = if index % 2 == 0 { "on-dark" } else { "on-light" };
        let name = square_name(Square::new(index * 9));
        let mut characters = name.chars();
        let (file, rank) = (characters.next().unwrap_or(' '), characters.next().unwrap_or(' '));
        let label = |text, x, y, class: &str| EdgeLabel {
            text,
            x,
            y,
            class: format!("{class} {ground}"),
            square: index,
        };
        labels.push(label(file.to_ascii_lowercase(), index * 100 + 85, 793, "file"));
        labels.push(label(rank, 5, (7 - index) * 100 + 20, "rank"));
    }
    labels
}

fn corner(square: Square) -> (u32, u32) {
    (u32::from(square.file()) * 100, (7 - u32::from(square.rank())) * 100)
}
