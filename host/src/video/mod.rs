//! Videos in: what ffprobe says of them, frames from ffmpeg, folders of pictures, standard input.

mod board_finder;
mod frame_plan;
mod frames;
mod live;
mod locate;
mod pictures;
mod probe;
mod source;
mod still;

use std::io;
use std::path::PathBuf;

pub use board_finder::{find_boards, find_boards_in_play};
pub use frame_plan::FramePlan;
pub use frames::{Crop, Frame, VideoFrames};
pub use live::{LiveFrame, LiveFrames, LiveSource, Region, Stopper};
pub(crate) use locate::{BoardSearch, is_same_place, locate_in};
pub use locate::{Located, OrientationChoice, locate_board};
pub use pictures::{PictureFolder, PictureFrames};
pub use probe::Probe;
pub use source::{FrameSource, VideoInput};

use crate::exit_code::{Coded, ExitCode};

/// Why a video gives no game, or not the whole of it.
#[derive(Debug, thiserror::Error)]
pub enum VideoError {
    /// A program is not installed.
    #[error(
        "{program} was not found; install ffmpeg (for example with `apt install ffmpeg`) or put it on the PATH"
    )]
    ProgramMissing {
        /// `ffmpeg` or `ffprobe`.
        program: &'static str,
    },
    /// A program does not start.
    #[error("{program} cannot be started: {cause}")]
    ProgramFails {
        /// `ffmpeg` or `ffprobe`.
        program: &'static str,
        /// What the system said.
        cause: io::Error,
    },
    /// The input cannot be opened.
    #[error("cannot read {name:?}: {cause}; give a video file, a folder of pictures, or '-'")]
    Unreadable {
        /// The input as the user named it.
        name: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The input is no video.
    #[error(
        "{name:?} is no video that ffmpeg can read ({said}); give a video file, a folder of pictures, or '-'"
    )]
    NoVideo {
        /// The input as the user named it.
        name: PathBuf,
        /// The end of what ffprobe said.
        said: String,
    },
    /// The video ends before its time.
    #[error("{name:?} breaks off after {after_s:.1} s ({said}); what was read until then is kept")]
    BreaksOff {
        /// The input as the user named it.
        name: PathBuf,
        /// The time of the last frame.
        after_s: f64,
        /// The end of what ffmpeg said.
        said: String,
    },
    /// A temporary file cannot be written: standard input, or the list of frames to decode.
    #[error(
        "cannot write a temporary file: {0}; make room in the folder for them, or name another one by TMPDIR"
    )]
    Spool(io::Error),
    /// A picture of a folder cannot be used.
    #[error("cannot use the picture {name:?}: {reason}")]
    BadPicture {
        /// The picture.
        name: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A folder holds no pictures.
    #[error("{name:?} holds no PNG, JPEG, BMP or WebP pictures; give a folder that does, or a video")]
    NoPictures {
        /// The folder.
        name: PathBuf,
    },
    /// Nowhere in the video stands a board in its start position.
    #[error(
        "no board in its start position was found in {name:?} ({looked} frames looked at); \
         give a video that shows the whole board flat before the first move, or say by --fen where the game starts"
    )]
    NoBoard {
        /// The input as the user named it.
        name: PathBuf,
        /// How many frames were searched.
        looked: usize,
    },
    /// Nowhere in the video stands a board in the position that the user gave.
    #[error(
        "no board in the position of --fen was found in {name:?} ({looked} frames looked at); \
         compare the FEN with the first picture of the game, or give a video that shows it flat and whole"
    )]
    NoSuchPosition {
        /// The input as the user named it.
        name: PathBuf,
        /// How many frames were searched.
        looked: usize,
    },
    /// A core stage could not go on.
    #[error("failed to {0}")]
    Core(Box<dyn std::error::Error + Send + Sync>),
}

impl Coded for VideoError {
    fn exit_code(&self) -> ExitCode {
        match self {
            Self::ProgramMissing { .. } => ExitCode::FfmpegMissing,
            Self::NoBoard { .. } | Self::NoSuchPosition { .. } => ExitCode::BoardNotFound,
            Self::Core(_) => ExitCode::Failed,
            _ => ExitCode::VideoUnreadable,
        }
    }
}

impl VideoError {
    /// That no board was found in so many frames, in the position that was given or in any that can be read.
    pub(crate) fn not_found(name: PathBuf, looked: usize, is_given: bool) -> Self {
        if is_given { Self::NoSuchPosition { name, looked } } else { Self::NoBoard { name, looked } }
    }

    fn start(program: &'static str, cause: io::Error) -> Self {
        match cause.kind() {
            io::ErrorKind::NotFound => Self::ProgramMissing { program },
            _ => Self::ProgramFails { program, cause },
        }
    }
}
