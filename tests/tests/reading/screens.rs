//! Games drawn at random and followed picture by picture, without a video between.

use std::fmt::Write;
use std::time::Duration;

use plyscope::game_record::GameRecord;
use plyscope::render::board_picture::{BoardPicture, Look};
use plyscope::render::coordinates::Coordinates;
use plyscope::render::effects::{Effects, Staging};
use plyscope::render::frame_rate::FrameRate;
use plyscope::render::layout::Layout;
use plyscope::render::schedule::{Easing, Scene, Schedule, Slide};
use plyscope::render::theme::Theme;
use plyscope_core::media_time::MediaTime;
use plyscope_core::track::{TimedPly, Tracker};
use plyscope_core::vision::{BoardRect, LumaView, Orientation};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Color, Position};

use super::Fault;

/// All themes.
pub(crate) const THEMES: [Theme; 6] =
    [Theme::Brown, Theme::Blue, Theme::Green, Theme::Grey, Theme::Pale, Theme::Night];

/// A game of legal plies drawn at random, captures three times as likely, a ply every `pause_ms`.
pub(crate) fn random_game(seed: u64, plies: usize, pause_ms: u32) -> Result<GameRecord, Fault> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut position = Chess::default();
    let mut pgn = String::new();
    for ply in 0..plies {
        let moves = position.legal_moves();
        let captures = moves.iter().filter(|mv| mv.is_capture());
        let weighted: Vec<shakmaty::Move> =
            moves.iter().chain(captures.clone()).chain(captures).copied().collect();
        if weighted.is_empty() {
            break;
        }
        let mv = weighted[rng.next_u32() as usize % weighted.len()];
        if ply % 2 == 0 {
            write!(pgn, "{}. ", ply / 2 + 1)?;
        }
        let san = SanPlus::from_move_and_play_unchecked(&mut position, mv);
        let pause_s = f64::from(pause_ms) / 1000.0;
        write!(pgn, "{san} {{[%emt 0:00:{pause_s:06.3}]}} ")?;
    }
    pgn.push_str("*\n");
    Ok(GameRecord::read(pgn.as_bytes())?)
}

/// A board on its own, as a person's screen shows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    /// The side of the board.
    pub(crate) side_px: u32,
    /// Its colours.
    pub(crate) theme: Theme,
    /// Coordinates inside its squares.
    pub(crate) coordinates: Coordinates,
    /// Whether the last ply's squares are tinted.
    pub(crate) highlight: bool,
    /// How long a piece slides.
    pub(crate) slide_frames: u32,
    /// How a sliding piece's speed changes.
    pub(crate) easing: Easing,
    /// Frames a second.
    pub(crate) fps: u32,
    /// What is drawn beside the pieces.
    pub(crate) effects: Effects,
}

/// A picture of a screen.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    /// When.
    pub(crate) time: MediaTime,
    /// What of the game.
    pub(crate) scene: Scene,
    /// Its luma.
    pub(crate) luma: Vec<u8>,
}

impl Screen {
    /// A screen of one of many looks, for tests that go through them by number.
    pub(crate) fn numbered(number: usize) -> Self {
        Self {
            side_px: [240, 320, 400, 480][number % 4],
            theme: THEMES[number % 6],
            coordinates: if number.is_multiple_of(2) { Coordinates::None } else { Coordinates::Inside },
            highlight: !number.is_multiple_of(3),
            slide_frames: 6,
            easing: if number % 4 < 2 { Easing::Linear } else { Easing::Cubic },
            fps: 30,
            effects: Effects::NONE,
        }
    }

    /// How it looks.
    pub(crate) fn look(&self) -> Result<Look, Fault> {
        Ok(Look {
            layout: Layout::with_margin(self.side_px, 0, Color::White)?,
            theme: self.theme,
            coordinates: self.coordinates,
            highlight: self.highlight,
            easing: self.easing,
            effects: self.effects,
        })
    }

    /// Hands every picture of a game to `visit`, which says whether to go on.
    pub(crate) fn show(
        &self,
        record: &GameRecord,
        mut visit: impl FnMut(&Shown) -> Result<bool, Fault>,
    ) -> Result<(), Fault> {
        let rate = FrameRate::new(self.fps, 1).ok_or("no frame rate")?;
        let slide = if self.slide_frames == 0 { Slide::Instant } else { Slide::Frames(self.slide_frames) };
        let schedule = Schedule::new(&record.timeline(), rate, slide, Duration::from_secs(2));
        let staging = Staging::new(record, &schedule, rate, self.effects, Color::White);
        let mut board = BoardPicture::new(record, self.look()?)?;
        let mut number = 0;
        for shot in schedule.shots() {
            for _ in 0..shot.frames {
                board.draw_staged(shot.scene, &staging.stage(number, shot.scene));
                let mut luma = board.last_frame().to_vec();
                luma.truncate((self.side_px * self.side_px) as usize);
                if !visit(&Shown { time: rate.time_of(number), scene: shot.scene, luma })? {
                    return Ok(());
                }
                number += 1;
            }
        }
        Ok(())
    }

    /// A view of a picture's luma.
    pub(crate) fn view<'l>(&self, luma: &'l [u8]) -> Result<LumaView<'l>, Fault> {
        let side = self.side_px as usize;
        Ok(LumaView::new(luma, side, side, side)?)
    }
}

/// A tracker and what it has told.
pub(crate) struct Follower {
    screen: Screen,
    tracker: Option<Tracker>,
    /// Plies that have settled.
    pub(crate) plies: Vec<TimedPly>,
}

impl Follower {
    /// One that has seen nothing.
    pub(crate) fn new(screen: Screen) -> Self {
        Self { screen, tracker: None, plies: Vec::new() }
    }

    /// Looks at a picture.
    pub(crate) fn look(&mut self, luma: &[u8], time: MediaTime) -> Result<(), Fault> {
        let view = self.screen.view(luma)?;
        match &mut self.tracker {
            Some(tracker) => tracker.observe(&view, time)?,
            None => {
                let rect = BoardRect::from_px(0, 0, self.screen.side_px, self.screen.side_px)?;
                self.tracker = Some(Tracker::start(&view, rect, Orientation::WhiteBottom, time)?);
            }
        }
        self.take();
        Ok(())
    }

    /// Tells that there are no more.
    pub(crate) fn finish(&mut self) -> Result<(), Fault> {
        if let Some(tracker) = &mut self.tracker {
            tracker.finish()?;
        }
        self.take();
        Ok(())
    }

    fn take(&mut self) {
        let Some(tracker) = &mut self.tracker else { return };
        self.plies.extend(std::iter::from_fn(|| tracker.take()));
    }

    /// The plies in UCI notation.
    pub(crate) fn uci(&self) -> Vec<String> {
        self.plies.iter().map(|ply| ply.mv.to_uci(shakmaty::CastlingMode::Standard).to_string()).collect()
    }
}
