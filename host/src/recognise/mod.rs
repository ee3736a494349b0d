//! Reads the pieces of a board whose looks nobody has taught: a video that begins in the middle of a game.
//!
//! Figures are told from the bare squares behind them, White's from Black's by their luma, and roles by a small network over
//! silhouette and inner lines ([`network`]). The rules then have a say: one king each, no pawns on the outer ranks. A board
//! of which any square stays in doubt is not read.

mod figure;
mod network;

use plyscope_core::media_time::MediaTime;
use plyscope_core::vision::{BoardRect, Class, LumaView, Orientation, Retina};
use shakmaty::{Board, Color, File, Piece, Rank, Role, Square};

use crate::video::OrientationChoice;
use figure::{Figure, figures};

/// By so much at least must the best assignment beat one in which any one piece is another, in nats.
const MARGIN_MIN: f32 = 3.0;
/// White's figures are brighter than Black's by this at least, luma.
const COLOUR_CONTRAST_MIN: i32 = 16;
/// White's pieces stand lower than Black's by so many ranks on the average, where White is at the bottom.
const SIDES_MIN_RANKS: f32 = 0.7;
/// Most pieces of one side.
const PIECES_MAX: usize = 16;
/// Most pawns of one side.
const PAWNS_MAX: usize = 8;
/// Log-probability of what cannot be.
const IMPOSSIBLE: f32 = -1e6;

/// The pieces on the board at `rect`, and who sits at the bottom; `None` where any of it is in doubt.
pub(crate) fn read_board(
    view: &LumaView<'_>,
    rect: BoardRect,
    choice: OrientationChoice,
    time: MediaTime,
) -> Option<(Board, Orientation)> {
    let figures = figures(view, rect)?;
    let looks = looks_of(&figures);
    let brightest_black = brightest_of_black(&figures)?;
    let mut placed = Vec::with_capacity(figures.len());
    for color in Color::ALL {
        let is_own = |figure: &Figure| (figure.luma > brightest_black) == color.is_white();
        let own: Vec<(&Figure, [f32; 6])> =
            figures.iter().zip(looks.iter().copied()).filter(|(figure, _)| is_own(figure)).collect();
        let roles = roles_of(&own)?;
        placed.extend(own.into_iter().zip(roles).map(|((figure, _), role)| (figure, Piece { color, role })));
    }
    let orientation = match choice {
        // Who is told the wrong side sees the board upside down.
        OrientationChoice::Fixed(fixed) => {
            orientation_of(&placed).is_none_or(|own| own == fixed).then_some(fixed)?
        }
        OrientationChoice::Auto => orientation_of(&placed)?,
    };
    let mut board = Board::empty();
    for (figure, piece) in placed {
        board.set_piece_at(figure.square(orientation)?, piece);
    }
    explains_itself(view, rect, orientation, time, &board).then_some((board, orientation))
}

/// The mean luma of Black's brightest figure: White's are the brighter ones.
fn brightest_of_black(figures: &[Figure]) -> Option<i32> {
    let mut lumas: Vec<i32> = figures.iter().map(|figure| figure.luma).collect();
    lumas.sort_unstable();
    // Where the two groups lie farthest apart compared to what lies within them (Otsu 1979).
    let between = |cut: usize| {
        let (dark, bright) = lumas.split_at(cut);
        let mean = |part: &[i32]| part.iter().sum::<i32>() as f32 / part.len() as f32;
        (mean(bright) - mean(dark)).powi(2) * (dark.len() * bright.len()) as f32
    };
    let cut = (1..lumas.len()).max_by(|&a, &b| between(a).total_cmp(&between(b)))?;
    let (darker, brighter) = (*lumas.get(cut - 1)?, *lumas.get(cut)?);
    let is_clear = brighter - darker >= COLOUR_CONTRAST_MIN;
    (is_clear && cut <= PIECES_MAX && lumas.len() - cut <= PIECES_MAX).then_some(darker)
}

/// What the network says of each figure, averaged over figures with the same outline.
fn looks_of(figures: &[Figure]) -> Vec<[f32; 6]> {
    let said: Vec<[f32; 6]> =
        figures.iter().map(|figure| network::log_probabilities(&figure.input)).collect();
    let mean = |figure: &Figure| {
        let group: Vec<&[f32; 6]> = figures
            .iter()
            .zip(&said)
            .filter(|(other, _)| figure.looks_like(other))
            .map(|(_, said)| said)
            .collect();
        std::array::from_fn(|role| group.iter().map(|said| said[role]).sum::<f32>() / group.len() as f32)
    };
    figures.iter().map(mean).collect()
}

/// The roles of one side's figures; `None` where another assignment is nearly as likely.
fn roles_of(own: &[(&Figure, [f32; 6])]) -> Option<Vec<Role>> {
    let without_pawns = |&(figure, mut look): &(&Figure, [f32; 6])| {
        if figure.is_on_outer_rank() {
            look[0] = IMPOSSIBLE;
        }
        look
    };
    let scores: Vec<[f32; 6]> = own.iter().map(without_pawns).collect();
    // One king: the figure that gains most by being it.
    let best_of = |score: &[f32; 6]| {
        let ranked = score.iter().take(5).enumerate();
        ranked.max_by(|a, b| a.1.total_cmp(b.1)).map_or((0, IMPOSSIBLE), |(role, &value)| (role, value))
    };
    let gain = |score: &[f32; 6]| score[5] - best_of(score).1;
    let king = (0..scores.len()).max_by(|&a, &b| gain(&scores[a]).total_cmp(&gain(&scores[b])))?;
    let mut margins = Vec::new();
    let mut roles = Vec::with_capacity(scores.len());
    for (index, score) in scores.iter().enumerate() {
        if index == king {
            let next = (0..scores.len()).filter(|&other| other != king).map(|other| gain(&scores[other]));
            margins.push(gain(score) - next.fold(IMPOSSIBLE, f32::max));
            roles.push(Role::King);
            continue;
        }
        let (role, value) = best_of(score);
        let next = (0..5).filter(|&other| other != role).map(|other| score[other]).fold(IMPOSSIBLE, f32::max);
        margins.push(value - next);
        roles.push(*Role::ALL.get(role)?);
    }
    let is_sure = margins.iter().all(|&margin| margin >= MARGIN_MIN);
    let pawns = roles.iter().filter(|&&role| role == Role::Pawn).count();
    (is_sure && pawns <= PAWNS_MAX).then_some(roles)
}

/// Who sits at the bottom, by where the sides stand; pawns count twice.
fn orientation_of(placed: &[(&Figure, Piece)]) -> Option<Orientation> {
    let mean_row = |color: Color| {
        let own = placed.iter().filter(|(_, piece)| piece.color == color);
        let (sum, weight) = own.fold((0.0, 0.0), |(sum, weight), (figure, piece)| {
            let own = if piece.role == Role::Pawn { 2.0 } else { 1.0 };
            (sum + own * figure.row as f32, weight + own)
        });
        sum / weight
    };
    let lower = mean_row(Color::White) - mean_row(Color::Black);
    if lower.abs() < SIDES_MIN_RANKS {
        return None;
    }
    Some(if lower > 0.0 { Orientation::WhiteBottom } else { Orientation::BlackBottom })
}

/// Squares that the looks of another class may explain as well.
const MISTAKABLE_MAX: usize = 2;

/// Whether the looks that this placement teaches explain every square, and hardly any by another class.
fn explains_itself(
    view: &LumaView<'_>,
    rect: BoardRect,
    orientation: Orientation,
    time: MediaTime,
    board: &Board,
) -> bool {
    let Ok((retina, _)) = Retina::calibrate_by(view, rect, orientation, time, board) else { return false };
    let reading = retina.reading();
    let is_mistakable = |&square: &Square| {
        let own = Class::of(board.piece_at(square));
        Class::all().any(|class| class != own && reading.plausible(class).contains(square))
    };
    Square::ALL.into_iter().filter(is_mistakable).count() <= MISTAKABLE_MAX
}

impl Figure {
    /// The square on which it stands.
    fn square(&self, orientation: Orientation) -> Option<Square> {
        let (file, rank) = match orientation {
            Orientation::WhiteBottom => (self.column, 7_usize.checked_sub(self.row)?),
            Orientation::BlackBottom => (7_usize.checked_sub(self.column)?, self.row),
        };
        Some(Square::from_coords(*File::ALL.get(file)?, *Rank::ALL.get(rank)?))
    }

    const fn is_on_outer_rank(&self) -> bool {
        self.row == 0 || self.row == 7
    }
}
