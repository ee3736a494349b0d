//! What people's screens show beside the pieces: arrows, glows, dots, tints, a pointer, panels. What of it each frame has.

use plyscope_core::media_time::MediaTime;
use shakmaty::{Chess, Color, Move, Position, Role, Square};

use super::frame_rate::FrameRate;
use super::schedule::{Scene, Schedule};
use crate::game_record::GameRecord;

/// Something drawn beside the pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Effect {
    /// Two arrows between occupied squares and a circle around another, for three plies of every six.
    Arrows,
    /// The king in check stands in a red glow.
    Check,
    /// The squares to which the piece about to move may go, for half a second before it does.
    Dots,
    /// The squares of the ply to come are tinted for 0.4 s before it.
    Premove,
    /// A pointer goes to the piece that is about to move and stays with it.
    Pointer,
    /// A sliding piece is larger, and a ghost of it stays on its square, as where a player drags it.
    Drag,
    /// Around the board, where there is room: a bar that tells who is ahead, a list of moves, a camera's picture in a corner.
    Panels,
}

/// A set of effects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effects(u8);

impl Effects {
    /// No effect.
    pub const NONE: Self = Self(0);

    /// Whether there are none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether an effect is among them.
    pub const fn contains(self, effect: Effect) -> bool {
        self.0 & (1 << effect as u8) != 0
    }
}

impl FromIterator<Effect> for Effects {
    fn from_iter<I: IntoIterator<Item = Effect>>(effects: I) -> Self {
        Self(effects.into_iter().fold(0, |set, effect| set | 1 << effect as u8))
    }
}

/// The colour of an arrow or a circle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Green.
    Green,
    /// Red.
    Red,
    /// Blue.
    Blue,
    /// Orange.
    Orange,
}

/// One thing drawn on the board.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mark {
    /// A square is tinted as that of a piece picked up.
    Selected(Square),
    /// A square is tinted as one of a ply to come.
    Premove(Square),
    /// A red glow.
    Check(Square),
    /// A dot on a bare square, or corners on one with a piece to be captured.
    Target(Square, IsCapture),
    /// An arrow.
    Arrow(Square, Square, Ink),
    /// A circle.
    Circle(Square, Ink),
    /// A pointer; its tip's distance from the board's upper left corner, right and down, in squares.
    Pointer(f32, f32),
}

/// Whether a target holds a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IsCapture {
    /// It does.
    Yes,
    /// It is bare.
    No,
}

/// What a frame shows beside the pieces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stage {
    /// What lies below the pieces.
    pub under: Vec<Mark>,
    /// What lies above them.
    pub over: Vec<Mark>,
    /// The piece on its way is in somebody's hand.
    pub is_dragged: bool,
    /// The panels: the ply that they tell of and the camera's frame.
    pub panels: Option<(usize, u64)>,
}

/// When pointer and dots come before a ply, in milliseconds.
const POINTER_LEAVES_MS: i64 = 600;
const POINTER_ARRIVES_MS: i64 = 250;
const DOTS_MS: i64 = 500;
const PREMOVE_MS: i64 = 400;
/// Arrows are there for so many plies, and then away for as many.
const ARROW_PLIES: usize = 3;

/// Tells what each frame shows beside the pieces.
#[derive(Clone, Debug)]
pub struct Staging<'a> {
    record: &'a GameRecord,
    effects: Effects,
    bottom: Color,
    rate: FrameRate,
    /// The frame with which each ply begins.
    starts: Vec<u64>,
}

impl<'a> Staging<'a> {
    /// The staging of a game as scheduled, on a board with `bottom` at the bottom.
    pub fn new(
        record: &'a GameRecord,
        schedule: &Schedule,
        rate: FrameRate,
        effects: Effects,
        bottom: Color,
    ) -> Self {
        Self { record, effects, bottom, rate, starts: schedule.first_frames() }
    }

    /// What frame number `frame` shows beside `scene`.
    pub fn stage(&self, frame: u64, scene: Scene) -> Stage {
        let mut stage = Stage::default();
        // The plies begun, and the one that comes next.
        let begun = match scene {
            Scene::Still { plies } => plies,
            Scene::Sliding { ply, .. } => ply + 1,
        };
        let next = self.starts.get(begun).map(|&start| (begun, self.ms_between(frame, start)));
        if self.effects.contains(Effect::Check) {
            stage.under.extend(checked_king(self.position(begun)).map(Mark::Check));
        }
        if let Some((ply, wait_ms)) = next {
            self.announce(ply, wait_ms, &mut stage);
        }
        if self.effects.contains(Effect::Arrows) && (begun / ARROW_PLIES) % 2 == 1 {
            let since = begun / ARROW_PLIES * ARROW_PLIES;
            stage.over.extend(arrows(self.position(since), since));
        }
        if self.effects.contains(Effect::Pointer) {
            let (right, down) = self.pointer(scene, begun, next);
            stage.over.push(Mark::Pointer(right, down));
        }
        stage.is_dragged = self.effects.contains(Effect::Drag) && matches!(scene, Scene::Sliding { .. });
        stage.panels = self.effects.contains(Effect::Panels).then_some((begun, frame));
        stage
    }

    /// Dots and tints that come before ply `ply`, which begins in `wait_ms`.
    fn announce(&self, ply: usize, wait_ms: i64, stage: &mut Stage) {
        let Some(mv) = self.record.plies.get(ply).map(|p| p.mv) else { return };
        let Some(from) = mv.from() else { return };
        if self.effects.contains(Effect::Premove) && wait_ms <= PREMOVE_MS {
            stage.under.extend([from, landing(mv)].map(Mark::Premove));
        }
        if self.effects.contains(Effect::Dots) && wait_ms <= DOTS_MS {
            let position = self.position(ply);
            stage.under.push(Mark::Selected(from));
            let targets = position.legal_moves().into_iter().filter(|m| m.from() == Some(from)).map(landing);
            let is_capture = |square| {
                if position.board().piece_at(square).is_some() { IsCapture::Yes } else { IsCapture::No }
            };
            stage.over.extend(targets.map(|square| Mark::Target(square, is_capture(square))));
        }
    }

    /// Where the pointer's tip is.
    fn pointer(&self, scene: Scene, begun: usize, next: Option<(usize, i64)>) -> (f32, f32) {
        let route = |ply: usize| {
            let mv = self.record.plies.get(ply)?.mv;
            Some((self.spot(mv.from()?), self.spot(landing(mv))))
        };
        let between = |from: (f32, f32), to: (f32, f32), share: f32| {
            (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share)
        };
        let rest = begun.checked_sub(1).and_then(route).map_or((4.0, 4.0), |(_, to)| to);
        match (scene, next) {
            (Scene::Sliding { ply, share_of_time }, _) => {
                route(ply).map_or(rest, |(from, to)| between(from, to, share_of_time as f32))
            }
            (_, Some((ply, wait_ms))) if wait_ms < POINTER_LEAVES_MS => {
                let share =
                    (POINTER_LEAVES_MS - wait_ms) as f32 / (POINTER_LEAVES_MS - POINTER_ARRIVES_MS) as f32;
                route(ply).map_or(rest, |(from, _)| between(rest, from, share.min(1.0)))
            }
            _ => rest,
        }
    }

    /// Where a hand takes a piece, a little off the middle of its square.
    fn spot(&self, square: Square) -> (f32, f32) {
        let (file, rank) = (square.file() as u8, square.rank() as u8);
        let (column, row) = if self.bottom == Color::White { (file, 7 - rank) } else { (7 - file, rank) };
        (f32::from(column) + 0.55, f32::from(row) + 0.45)
    }

    fn position(&self, plies: usize) -> &Chess {
        let after = plies.checked_sub(1).and_then(|last| self.record.plies.get(last));
        after.map_or(&self.record.start, |ply| &ply.after)
    }

    fn ms_between(&self, frame: u64, later: u64) -> i64 {
        let time = |frame: u64| -> MediaTime { self.rate.time_of(frame) };
        time(later).us_since(time(frame)) / 1000
    }
}

/// Two arrows between occupied squares and a circle around another, as `seed` draws them.
pub fn arrows(position: &Chess, seed: usize) -> Vec<Mark> {
    let mut occupied: Vec<Square> = position.board().occupied().into_iter().collect();
    // Xorshift (Marsaglia 2003): the same marks on every machine.
    let mut state = (seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut draw = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let index = (state >> 16) as usize % occupied.len().max(1);
        if occupied.is_empty() { Square::E4 } else { occupied.swap_remove(index) }
    };
    let [a, b, c, d, e] = std::array::from_fn(|_| draw());
    let [one, two, three] = match seed % 3 {
        0 => [Ink::Green, Ink::Red, Ink::Blue],
        1 => [Ink::Orange, Ink::Blue, Ink::Green],
        _ => [Ink::Blue, Ink::Orange, Ink::Red],
    };
    vec![Mark::Arrow(a, b, one), Mark::Arrow(c, d, two), Mark::Circle(e, three)]
}

fn checked_king(position: &Chess) -> Option<Square> {
    let king = position.board().by_piece(Role::King.of(position.turn())).first();
    king.filter(|_| position.is_check())
}

/// Where a player drops the piece.
fn landing(mv: Move) -> Square {
    match (mv, mv.castling_side()) {
        (Move::Castle { king, .. }, Some(side)) => {
            side.king_to(if king.rank() == shakmaty::Rank::First { Color::White } else { Color::Black })
        }
        _ => mv.to(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::render::schedule::Slide;

    #[test]
    fn each_effect_is_there_when_it_is_due_and_only_then() {
        let record = GameRecord::read(&b"1. e4 f5 2. Qh5+ g6 3. Qxg6+ hxg6 *"[..]).expect("a game");
        let rate = FrameRate::new(10, 1).expect("a rate");
        let schedule = Schedule::new(&record.timeline(), rate, Slide::Frames(3), Duration::from_secs(1));
        let all =
            [Effect::Arrows, Effect::Check, Effect::Dots, Effect::Premove, Effect::Pointer, Effect::Drag];
        let staging = Staging::new(&record, &schedule, rate, all.into_iter().collect(), Color::White);
        let mut frame = 0;
        let mut stages = Vec::new();
        for shot in schedule.shots() {
            for _ in 0..shot.frames {
                stages.push((shot.scene, staging.stage(frame, shot.scene)));
                frame += 1;
            }
        }
        assert!(stages[0].1.under.is_empty(), "nothing is announced two seconds before the first ply");
        for (scene, stage) in &stages {
            let has = |pick: fn(&Mark) -> bool| stage.under.iter().chain(&stage.over).any(pick);
            let begun = match *scene {
                Scene::Still { plies } => plies,
                Scene::Sliding { ply, .. } => ply + 1,
            };
            assert_eq!(has(|m| matches!(m, Mark::Check(_))), matches!(begun, 3 | 5), "{scene:?}");
            assert_eq!(has(|m| matches!(m, Mark::Arrow(..))), (3..6).contains(&begun), "{scene:?}");
            assert_eq!(stage.is_dragged, matches!(scene, Scene::Sliding { .. }));
            assert!(has(|m| matches!(m, Mark::Pointer(..))));
        }
        let just_before = &stages[19].1;
        assert!(just_before.under.contains(&Mark::Premove(Square::E4)));
        assert!(just_before.over.contains(&Mark::Target(Square::E3, IsCapture::No)));
    }
}
