//! Frames in, plies out.

use core::ops::Range;

use plyscope_core::media_time::MediaTime;
use plyscope_core::track::{TimedPly, TimelineFull, Tracker};
use plyscope_core::vision::{BoardRect, CalibrationError, LumaView, Orientation};
use shakmaty::{Bitboard, Rank};

/// A tracker that is shown square frames rank by rank, so that no frame is ever held whole. The board fills the frame, White
/// at the bottom.
#[derive(Debug)]
pub struct Seer<const HYPOTHESES: usize, const SIGHTINGS: usize, const TEXTURES: usize> {
    tracker: Tracker<HYPOTHESES, SIGHTINGS, TEXTURES>,
    /// The start position has been seen.
    is_following: bool,
    /// Squares that have changed on the ranks of this frame looked at so far.
    changed: Bitboard,
}

/// Why a frame could not be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeerError {
    /// The bytes are not those of a rank, or the board is too small or too large to be read.
    FrameSize {
        /// The side of the frame that was claimed, pixels.
        side_px: usize,
    },
    /// Nobody took the plies.
    Full(TimelineFull),
}

impl core::fmt::Display for SeerError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::FrameSize { side_px } => write!(f, "look at a square frame of {side_px} px"),
            Self::Full(full) => full.fmt(f),
        }
    }
}

impl core::error::Error for SeerError {}

/// What the seer makes of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// A game is being followed.
    Game,
    /// The start position has not been seen yet, and this is what the frame lacks of it.
    NoStartYet(CalibrationError),
}

/// The rows of pixels, half open, that hold a rank of a square frame of `side_px`, in whole or in part.
///
/// # Errors
///
/// [`SeerError::FrameSize`] where no board of that size can be read.
pub fn rows_of_rank(side_px: usize, rank: Rank) -> Result<Range<usize>, SeerError> {
    Ok(rect(side_px)?.rows_of_rank(rank, Orientation::WhiteBottom))
}

fn rect(side_px: usize) -> Result<BoardRect, SeerError> {
    let size_error = SeerError::FrameSize { side_px };
    let side = u32::try_from(side_px).map_err(|_| size_error)?;
    BoardRect::from_px(0, 0, side, side).map_err(|_| size_error)
}

impl<const HYPOTHESES: usize, const SIGHTINGS: usize, const TEXTURES: usize>
    Seer<HYPOTHESES, SIGHTINGS, TEXTURES>
{
    /// A seer that has seen nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self { tracker: Tracker::blank(), is_following: false, changed: Bitboard::EMPTY }
    }

    /// Looks at a rank of a frame; `strip` holds the rows that [`rows_of_rank`] names, without gaps.
    ///
    /// # Errors
    ///
    /// [`SeerError::FrameSize`] where the strip is too short or no board of that size can be read.
    pub fn look_at_rank(
        &mut self,
        strip: &[u8],
        side_px: usize,
        rank: Rank,
        time: MediaTime,
    ) -> Result<(), SeerError> {
        let size_error = SeerError::FrameSize { side_px };
        let rect = rect(side_px)?;
        let rows = rect.rows_of_rank(rank, Orientation::WhiteBottom);
        if strip.len() < rows.len().saturating_mul(side_px) {
            return Err(size_error);
        }
        let view = LumaView::strip(strip, side_px, side_px, side_px, rows.start).map_err(|_| size_error)?;
        if self.is_following {
            self.changed |= self.tracker.look_at_rank(&view, rank, time);
        } else {
            self.tracker.show_rank(&view, rect, Orientation::WhiteBottom, rank);
        }
        Ok(())
    }

    /// Concludes what has been played from the frame whose ranks have been looked at.
    ///
    /// # Errors
    ///
    /// [`SeerError`] when no board of that size can be read, or nobody took the plies that settled before.
    pub fn conclude(&mut self, side_px: usize, time: MediaTime) -> Result<Sight, SeerError> {
        let changed = core::mem::replace(&mut self.changed, Bitboard::EMPTY);
        if self.is_following {
            self.tracker.conclude(changed, time).map_err(SeerError::Full)?;
            return Ok(Sight::Game);
        }
        match self.tracker.restart_from_ranks(rect(side_px)?, Orientation::WhiteBottom, time) {
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
    /// [`SeerError::Full`] when nobody took the plies that settled before.
    pub fn finish(&mut self) -> Result<(), SeerError> {
        if self.is_following { self.tracker.finish().map_err(SeerError::Full) } else { Ok(()) }
    }

    /// Takes the oldest settled ply.
    pub fn take(&mut self) -> Option<TimedPly> {
        self.tracker.take()
    }
}

impl<const HYPOTHESES: usize, const SIGHTINGS: usize, const TEXTURES: usize> Default
    for Seer<HYPOTHESES, SIGHTINGS, TEXTURES>
{
    fn default() -> Self {
        Self::new()
    }
}
