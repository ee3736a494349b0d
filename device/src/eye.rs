//! Frames in, plies out.

use plyscope_core::media_time::MediaTime;
use plyscope_core::track::{TimedPly, TimelineFull, Tracker};
use plyscope_core::vision::{BoardRect, CalibrationError, LumaView, Orientation};

/// A frame buffer and the tracker that looks at it. The board fills the frame, White at the bottom.
#[derive(Debug)]
pub struct Eye<const FRAME_BYTES: usize> {
    tracker: Tracker,
    /// The start position has been seen.
    is_following: bool,
    frame: [u8; FRAME_BYTES],
}

/// Why a frame could not be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EyeError {
    /// The frame's size is none that fits the buffer, or the board is too small to be read.
    FrameSize {
        /// The side that was claimed, pixels.
        side_px: usize,
    },
    /// Nobody took the plies.
    Full(TimelineFull),
}

impl core::fmt::Display for EyeError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::FrameSize { side_px } => write!(f, "look at a square frame of {side_px} px"),
            Self::Full(full) => full.fmt(f),
        }
    }
}

impl core::error::Error for EyeError {}

/// What the eye makes of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// A game is being followed.
    Game,
    /// The start position has not been seen yet, and this is what the frame lacks of it.
    NoStartYet(CalibrationError),
}

impl<const FRAME_BYTES: usize> Eye<FRAME_BYTES> {
    /// An eye that has seen nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self { tracker: Tracker::blank(), is_following: false, frame: [0; FRAME_BYTES] }
    }

    /// Where the camera puts the next frame: 8-bit luma, row by row without gaps.
    pub const fn frame_mut(&mut self) -> &mut [u8; FRAME_BYTES] {
        &mut self.frame
    }

    /// Looks at the frame in the buffer, a square of `side_px`.
    ///
    /// # Errors
    ///
    /// [`EyeError`] when the size does not fit, or nobody took the plies that settled before.
    pub fn look(&mut self, side_px: usize, time: MediaTime) -> Result<Sight, EyeError> {
        let size_error = EyeError::FrameSize { side_px };
        let view = LumaView::new(&self.frame, side_px, side_px, side_px).map_err(|_| size_error)?;
        if self.is_following {
            self.tracker.observe(&view, time).map_err(EyeError::Full)?;
            return Ok(Sight::Game);
        }
        let side = u32::try_from(side_px).map_err(|_| size_error)?;
        let rect = BoardRect::from_px(0, 0, side, side).map_err(|_| size_error)?;
        match self.tracker.restart(&view, rect, Orientation::WhiteBottom, time) {
            Ok(()) => {
                self.is_following = true;
                Ok(Sight::Game)
            }
            Err(lacks) => Ok(Sight::NoStartYet(lacks)),
        }
    }

    /// Tells that there are no more frames: what the last one shows is taken as settled.
    ///
    /// # Errors
    ///
    /// [`EyeError::Full`] when nobody took the plies that settled before.
    pub fn finish(&mut self) -> Result<(), EyeError> {
        if self.is_following { self.tracker.finish().map_err(EyeError::Full) } else { Ok(()) }
    }

    /// Takes the oldest settled ply.
    pub fn take(&mut self) -> Option<TimedPly> {
        self.tracker.take()
    }
}

impl<const FRAME_BYTES: usize> Default for Eye<FRAME_BYTES> {
    fn default() -> Self {
        Self::new()
    }
}
