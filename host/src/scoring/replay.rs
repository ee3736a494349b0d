//! The game that a list of rows tells of, so that a row can be shown with the board before and after it.
//!
//! Rows name only where pieces arrive. The game is the first that the rules allow with plies to these squares and
//! captures on these squares; where the rows fit several games (two knights could go to one square), it may not be
//! the one that was played, and [`Replay::is_certain`] says so.

use shakmaty::san::SanPlus;
use shakmaty::{Chess, Move, Position, Role, Square};

use super::event_file::{Row, RowType, Sighting};
use super::exact_time::ExactTime;

/// Plies tried before the search for a game is given up.
const TRIES_MAX: usize = 200_000;

/// A ply as the rows tell it.
#[derive(Clone, Copy, Debug)]
struct ToldPly {
    sighting: Sighting,
    captured: Option<Square>,
    time: ExactTime,
}

/// A game that fits the rows.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The start position, then one after each ply.
    positions: Vec<Chess>,
    sans: Vec<SanPlus>,
    times: Vec<ExactTime>,
    /// The ply (from 0) that each row belongs to.
    ply_of_row: Vec<Option<usize>>,
    /// Whether at every ply only one move fits (a promotion to a queen goes before others).
    pub is_certain: bool,
}

/// A board before and after a ply.
#[derive(Clone, Debug)]
pub struct Scene<'r> {
    /// The position before it.
    pub before: &'r Chess,
    /// The ply and the position after it; `None` where the rules know no such ply there.
    pub after: Option<(SanPlus, Chess)>,
}

impl Replay {
    /// The game from the start position that fits `rows`; `None` where there is none.
    #[must_use]
    pub fn of(rows: &[Row]) -> Option<Self> {
        let (told, ply_of_row) = told_plies(rows);
        let mut positions = vec![Chess::default()];
        // For each ply the moves that have not been tried.
        let mut open: Vec<Vec<Move>> = vec![fitting(&positions[0], told.first()?)];
        let mut choices: Vec<usize> = vec![open[0].len()];
        let mut sans = Vec::new();
        let mut tries = 0;
        while sans.len() < told.len() {
            tries += 1;
            let moves = open.last_mut()?;
            match moves.pop() {
                Some(mv) if tries <= TRIES_MAX => {
                    let mut next = positions.last()?.clone();
                    sans.push(SanPlus::from_move_and_play_unchecked(&mut next, mv));
                    if let Some(wanted) = told.get(sans.len()) {
                        open.push(fitting(&next, wanted));
                        choices.push(open.last()?.len());
                    }
                    positions.push(next);
                }
                _ => {
                    open.pop();
                    choices.pop();
                    positions.pop();
                    sans.pop();
                    if open.is_empty() || tries > TRIES_MAX {
                        return None;
                    }
                }
            }
        }
        let is_certain = choices.iter().all(|&choices| choices == 1);
        Some(Self {
            positions,
            sans,
            times: told.iter().map(|ply| ply.time).collect(),
            ply_of_row,
            is_certain,
        })
    }

    /// The board before and after the ply of row `index`.
    #[must_use]
    pub fn scene_of_row(&self, index: usize) -> Option<Scene<'_>> {
        let ply = (*self.ply_of_row.get(index)?)?;
        let (san, after) = (*self.sans.get(ply)?, self.positions.get(ply + 1)?.clone());
        Some(Scene { before: &self.positions[ply], after: Some((san, after)) })
    }

    /// The board that stands when a row of another list claims its ply, and what that ply would make of it; `None` where
    /// the row has no time.
    #[must_use]
    pub fn scene_of_claim(&self, row: &Row) -> Option<Scene<'_>> {
        let (sighting, time) = (row.sighting?, row.time?);
        let plies_before = self.times.partition_point(|at| *at < time);
        let before = self.positions.get(plies_before)?;
        let after = (sighting.row_type == RowType::Move && sighting.color == before.turn())
            .then(|| arrivals(before, sighting).pop())
            .flatten()
            .map(|mv| {
                let mut next = before.clone();
                (SanPlus::from_move_and_play_unchecked(&mut next, mv), next)
            });
        Some(Scene { before, after })
    }
}

/// The moves in the order of time, each with its capture, and which ply each row belongs to.
fn told_plies(rows: &[Row]) -> (Vec<ToldPly>, Vec<Option<usize>>) {
    let mut order: Vec<usize> = (0..rows.len()).filter(|&index| rows[index].fault().is_none()).collect();
    order.sort_by_key(|&index| (rows[index].time, index));
    let mut told: Vec<ToldPly> = Vec::new();
    let mut ply_of_row = vec![None; rows.len()];
    for index in order {
        let (Some(sighting), Some(time)) = (rows[index].sighting, rows[index].time) else { continue };
        match sighting.row_type {
            RowType::Move => {
                ply_of_row[index] = Some(told.len());
                told.push(ToldPly { sighting, captured: None, time });
            }
            RowType::Capture => {
                let last = told.len().checked_sub(1);
                if let Some(ply) = last.and_then(|last| told.get_mut(last)) {
                    ply.captured = Some(sighting.coord);
                    ply_of_row[index] = last;
                }
            }
        }
    }
    (told, ply_of_row)
}

/// The legal moves that the ply may be; the likeliest last.
fn fitting(position: &Chess, wanted: &ToldPly) -> Vec<Move> {
    if wanted.sighting.color != position.turn() {
        return Vec::new();
    }
    let mut moves = arrivals(position, wanted.sighting);
    moves.retain(|mv| captured_at(*mv) == wanted.captured);
    // Of the promotions only the one to a queen: the others arrive alike.
    if moves.iter().any(|mv| mv.promotion() == Some(Role::Queen)) {
        moves.retain(|mv| matches!(mv.promotion(), None | Some(Role::Queen)));
    }
    moves
}

fn arrivals(position: &Chess, sighting: Sighting) -> Vec<Move> {
    let arrives = |mv: &Move| {
        let to = mv.castling_side().map_or_else(|| mv.to(), |side| side.king_to(position.turn()));
        to == sighting.coord
    };
    let mut moves: Vec<Move> = position.legal_moves().into_iter().filter(arrives).collect();
    moves.sort_by_key(likelihood);
    moves
}

/// How likely a move is among those that arrive on one square: pieces that are seldom moved without need come last.
fn likelihood(mv: &Move) -> u8 {
    match (mv, mv.role(), mv.promotion()) {
        (Move::Castle { .. }, ..) | (_, _, Some(Role::Queen)) => 6,
        (_, Role::Knight, _) => 5,
        (_, Role::Bishop, _) => 4,
        (_, Role::Pawn, None) => 3,
        (_, Role::Rook, _) => 2,
        (_, Role::Queen, _) => 1,
        (_, Role::King | Role::Pawn, _) => 0,
    }
}

fn captured_at(mv: Move) -> Option<Square> {
    match mv {
        Move::EnPassant { from, to } => Some(Square::from_coords(to.file(), from.rank())),
        mv if mv.is_capture() => Some(mv.to()),
        _ => None,
    }
}

/// A board as eight lines of letters, with ranks at the left and files below.
#[must_use]
pub fn board_lines(position: &Chess) -> Vec<String> {
    let piece = |square: Square| position.board().piece_at(square).map_or('.', |piece| piece.char());
    let mut lines: Vec<String> = (0..8_u32)
        .rev()
        .map(|rank| {
            let squares = (0..8).map(|file| format!(" {}", piece(Square::new(rank * 8 + file))));
            format!("{} {}", rank + 1, squares.collect::<String>())
        })
        .collect();
    lines.push("   a b c d e f g h".to_owned());
    lines
}

#[cfg(test)]
mod tests {
    use super::super::event_file::{EventList, read_events};
    use super::*;

    fn rows(text: &str) -> Vec<Row> {
        let rows: Vec<String> = text
            .split_whitespace()
            .enumerate()
            .map(|(index, row)| {
                let (kind, rest) = row.split_at(1);
                let (color, coord) = rest.split_at(1);
                let kind = if kind == "m" { "move" } else { "capture" };
                format!(
                    "{{\"type\":\"{kind}\",\"color\":\"{color}\",\"coord\":\"{coord}\",\"game_clock_s\":{}}}",
                    // A capture has its ply's time.
                    if kind == "move" { index } else { index - 1 }
                )
            })
            .collect();
        let text = format!("{{\"events\": [{}]}}", rows.join(","));
        read_events(&text, EventList::Default).expect("it is an event file")
    }

    fn sans(replay: &Replay) -> String {
        replay.sans.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn rows_make_the_game_that_they_tell_of() {
        let replay =
            Replay::of(&rows("mWE4 mBD5 mWD5 cBD5 mBD5 cWD5 mWC3 mBD8 mWD4 mBC6 mWD2")).expect("a game");
        assert_eq!(sans(&replay), "e4 d5 exd5 Qxd5 Nc3 Qd8 d4 Nc6 Bd2");
        assert!(
            !replay.is_certain,
            "the queen's knight or the pawn might have gone to c3, the queen or bishop to d2"
        );
        let scene = replay.scene_of_row(3).expect("the capture has a ply");
        assert_eq!(scene.after.map(|(san, _)| san.to_string()), Some("exd5".into()));
    }

    #[test]
    fn a_choice_that_leads_nowhere_is_taken_back() {
        // Only the knight from b1 can have gone to d2 if the one from f3 takes on e5 next.
        let replay = Replay::of(&rows("mWF3 mBE5 mWD4 mBA6 mWD2 mBA5 mWE5 cBE5 mBA4 mWC4")).expect("a game");
        assert!(sans(&replay).contains("Nxe5") || sans(&replay).contains("dxe5"), "{}", sans(&replay));
        assert!(Replay::of(&rows("mWE4 mBE4")).is_none(), "no such game");
        assert!(Replay::of(&[]).is_none());
    }

    #[test]
    fn an_invented_ply_is_shown_on_the_board_of_its_time() {
        let replay = Replay::of(&rows("mWE4 mBE5")).expect("a game");
        let claim = &rows("mWE4 mBE5 mWF3")[2];
        let scene = replay.scene_of_claim(claim).expect("it has a time");
        assert_eq!(scene.before.turn(), shakmaty::Color::White);
        assert_eq!(scene.after.map(|(san, _)| san.to_string()).as_deref(), Some("Nf3"));
        let impossible = &rows("mWE4 mBE5 mWH5 mBA1")[3];
        assert!(replay.scene_of_claim(impossible).is_some_and(|scene| scene.after.is_none()));
        assert_eq!(board_lines(scene.before)[7], "1  R N B Q K B N R");
    }
}
