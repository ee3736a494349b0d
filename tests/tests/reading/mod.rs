//! Games rendered to videos and videos read back, within the test's own process.

#![allow(dead_code, reason = "each test program uses its part")]

pub(crate) mod screens;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use plyscope::game_record::GameRecord;
use plyscope::reconstruct::{Answers, CheckpointFile, GameReading, Reading, Reconstruction};
use plyscope::render::board_picture::{BoardPicture, Look};
use plyscope::render::coordinates::Coordinates;
use plyscope::render::effects::Effects;
use plyscope::render::encoder::Encoding;
use plyscope::render::frame_rate::FrameRate;
use plyscope::render::layout::Layout;
use plyscope::render::schedule::{Easing, Scene, Slide};
use plyscope::render::theme::Theme;
use plyscope::render::{RenderOptions, render_to_file};
use plyscope::video::{OrientationChoice, VideoInput};
use plyscope_core::media_time::MediaTime;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Color};

/// A fault of any kind; tests end with it.
pub(crate) type Fault = Box<dyn Error + Send + Sync>;

/// Two frames, and the rounding of times to milliseconds.
pub(crate) const FRAMES_OFF_MAX: f64 = 2.05;

/// The repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A brown board of `side_px`, nothing around or upon it.
fn plain_look(side_px: u32, bottom: Color) -> Result<Look, Fault> {
    Ok(Look {
        layout: Layout::with_margin(side_px, 0, bottom)?,
        theme: Theme::Brown,
        coordinates: Coordinates::None,
        highlight: false,
        easing: Easing::Linear,
        effects: Effects::NONE,
    })
}

/// Luma of the plain board after the first `plies` plies of a game, `side_px` rows of as many pixels.
pub(crate) fn draw(moves: &str, plies: usize, side_px: u32) -> Result<Vec<u8>, Fault> {
    draw_for(Color::White, moves, plies, side_px)
}

/// The same with a side at the bottom.
pub(crate) fn draw_for(bottom: Color, moves: &str, plies: usize, side_px: u32) -> Result<Vec<u8>, Fault> {
    let record = GameRecord::read(moves.as_bytes())?;
    let mut frame =
        BoardPicture::new(&record, plain_look(side_px, bottom)?)?.frame(Scene::Still { plies }).to_vec();
    frame.truncate((side_px * side_px) as usize);
    Ok(frame)
}

/// How a game is rendered: a board of its own size, nothing around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rendering {
    /// The side of the board in pixels.
    pub(crate) size_px: u32,
    /// Frames a second, as a fraction.
    pub(crate) fps: (u32, u32),
    /// x264's quality.
    pub(crate) crf: u8,
    /// How many frames a piece slides.
    pub(crate) slide_frames: u32,
}

impl Rendering {
    /// Renders `record` to `video`; returns when each piece rests.
    pub(crate) fn write(&self, record: &GameRecord, video: &Path) -> Result<Vec<MediaTime>, Fault> {
        self.write_with(record, video, |_| Ok(()))
    }

    /// The same with other options.
    pub(crate) fn write_with(
        &self,
        record: &GameRecord,
        video: &Path,
        change: impl FnOnce(&mut RenderOptions) -> Result<(), Fault>,
    ) -> Result<Vec<MediaTime>, Fault> {
        let mut options = RenderOptions {
            look: plain_look(self.size_px, Color::White)?,
            slide: if self.slide_frames == 0 { Slide::Instant } else { Slide::Frames(self.slide_frames) },
            tail: Duration::from_secs(2),
            encoding: Encoding {
                rate: FrameRate::new(self.fps.0, self.fps.1).ok_or("no frame rate")?,
                crf: self.crf,
                preset: "veryfast".to_owned(),
                drop_repeats: false,
            },
        };
        change(&mut options)?;
        Ok(render_to_file(record, &options, video, |_, _| {})?.settled_at)
    }

    /// Frames a second.
    pub(crate) fn frames_per_second(&self) -> f64 {
        f64::from(self.fps.0) / f64::from(self.fps.1)
    }
}

/// Sees a video, or a folder of pictures, `fps` of them a second; the answer goes to `answer`.
pub(crate) fn read(video: &Path, fps: Option<f64>, answer: &Path) -> Result<GameReading, Fault> {
    let games = read_games(None, video, fps, answer)?.games;
    games.into_iter().next().ok_or_else(|| "no game".into())
}

/// Sees all games of a video, of which the first begins in `start`, as [`read`] does.
pub(crate) fn read_games(
    start: Option<Chess>,
    video: &Path,
    fps: Option<f64>,
    answer: &Path,
) -> Result<Reading, Fault> {
    let job = Reconstruction {
        start,
        game: None,
        orientation: OrientationChoice::Auto,
        labeller: None,
        engine: None,
        resume: false,
        settings: String::new(),
    };
    let mut file = Answers::open(answer, None)?;
    let checkpoint = CheckpointFile::beside(&file, answer);
    let reading = job.run(&VideoInput::open(video, fps)?, &mut file, &checkpoint, &|_| {})?;
    checkpoint.remove();
    Ok(reading)
}

/// The plies of a reading in UCI notation.
pub(crate) fn uci_of(reading: &GameReading) -> Vec<String> {
    let uci = |mv| UciMove::from_move(mv, CastlingMode::Standard).to_string();
    reading.game.plies().iter().map(|ply| uci(ply.mv)).collect()
}

/// How many plies of the truth are not at their place in what was read, and how many are there in excess.
pub(crate) fn wrong_plies<T: PartialEq>(truth: &[T], read: &[T]) -> usize {
    let right = truth.iter().zip(read).filter(|(a, b)| a == b).count();
    truth.len().max(read.len()) - right
}

/// Does `work` for each item on two threads; the results are in the order of the items.
pub(crate) fn on_two_threads<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = Mutex::new(items.iter().enumerate());
    let results = Mutex::new(Vec::with_capacity(items.len()));
    let take = || next.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
    let work_off = || {
        while let Some((index, item)) = take() {
            let result = work(item);
            results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((index, result));
        }
    };
    thread::scope(|scope| {
        scope.spawn(work_off);
        work_off();
    });
    let mut results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by_key(|&(index, _)| index);
    results.into_iter().map(|(_, result)| result).collect()
}
