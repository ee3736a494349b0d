//! A video of a game at its own pace, on a board drawn here, and the truth beside it.
//!
//! [`GameRecord`] and its timeline -> [`schedule::Schedule`] (which frames show what) -> [`board_picture::BoardPicture`]
//! (one picture for each scene that differs) -> [`encoder::Encoder`] (ffmpeg).

pub mod board_picture;
pub mod coordinates;
pub mod effects;
pub mod encoder;
pub mod frame_rate;
pub mod labels;
pub mod layout;
mod marks;
pub mod piece_set;
pub mod schedule;
pub mod theme;
pub mod truth;
mod yuv;

use std::path::Path;
use std::time::Duration;

use plyscope_core::media_time::MediaTime;

use crate::exit_code::{Coded, ExitCode};
use crate::game_record::GameRecord;
use board_picture::{BoardPicture, BoardPictureError, Look};
use effects::{Stage, Staging};
use encoder::{Encoder, EncoderError, Encoding};
use schedule::{Schedule, Slide};

/// How a game becomes a video.
#[derive(Clone, Debug)]
pub struct RenderOptions {
    /// How the board looks.
    pub look: Look,
    /// How long a piece slides.
    pub slide: Slide,
    /// How long the last picture stays.
    pub tail: Duration,
    /// Frame rate and compression.
    pub encoding: Encoding,
}

/// A video that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// When each ply's piece stands on its new square.
    pub settled_at: Vec<MediaTime>,
    /// The number of frames.
    pub frames: u64,
}

/// Why a video was not written.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// The board cannot be drawn.
    #[error(transparent)]
    Picture(#[from] BoardPictureError),
    /// The frames cannot be encoded.
    #[error(transparent)]
    Encoder(#[from] EncoderError),
}

impl Coded for RenderError {
    fn exit_code(&self) -> ExitCode {
        match self {
            RenderError::Encoder(EncoderError::Missing) => ExitCode::FfmpegMissing,
            RenderError::Encoder(EncoderError::Output(error)) => error.exit_code(),
            RenderError::Encoder(EncoderError::Container { .. }) => ExitCode::WrongUsage,
            RenderError::Encoder(_) | RenderError::Picture(_) => ExitCode::Failed,
        }
    }
}

/// Renders the game to a video file. `progress` is told the frames done and the frames in all.
///
/// # Errors
///
/// [`RenderError`] where a picture cannot be drawn, ffmpeg is missing or fails, or the output cannot be written.
pub fn render_to_file(
    record: &GameRecord,
    options: &RenderOptions,
    output: &Path,
    mut progress: impl FnMut(u64, u64),
) -> Result<Rendered, RenderError> {
    let schedule = Schedule::new(&record.timeline(), options.encoding.rate, options.slide, options.tail);
    let mut board = BoardPicture::new(record, options.look)?;
    let size_px = (options.look.layout.width_px, options.look.layout.height_px);
    let mut encoder = Encoder::start(&options.encoding, size_px, output)?;
    let staging = Staging::new(
        record,
        &schedule,
        options.encoding.rate,
        options.look.effects,
        options.look.layout.bottom,
    );
    let mut frames_done = 0;
    for shot in schedule.shots() {
        let mut drawn: Option<Stage> = None;
        for _ in 0..shot.frames {
            let stage = staging.stage(frames_done, shot.scene);
            if drawn.as_ref() != Some(&stage) {
                board.draw_staged(shot.scene, &stage);
                drawn = Some(stage);
            }
            encoder.write_frame(board.last_frame())?;
            frames_done += 1;
            progress(frames_done, schedule.total_frames());
        }
    }
    encoder.finish()?;
    Ok(Rendered { settled_at: schedule.settled_at(), frames: frames_done })
}
