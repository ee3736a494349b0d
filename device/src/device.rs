//! The way from frames to JSON rows.

use plyscope_core::event_row::{EventRow, RowError, RowWriter, Verdicts};
use plyscope_core::media_time::MediaTime;
use plyscope_core::track::TimedPly;
use shakmaty::{Color, Move, Rank};

use crate::referee::RefereeError;
use crate::seer::{Seer, SeerError, Sight};

/// Gives plies their labels, one after the other.
pub trait Arbiter {
    /// Whose turn it is.
    fn turn(&self) -> Color;

    /// Plays a ply and labels it.
    ///
    /// # Errors
    ///
    /// [`RefereeError`]; the game then stands as it stood.
    fn verdicts(&mut self, mv: Move) -> Result<Verdicts, RefereeError>;
}

/// Calls every ply equal: for a device without memory to search in.
#[derive(Clone, Copy, Debug)]
pub struct Unjudged {
    turn: Color,
}

impl Unjudged {
    /// At the start of a game.
    #[must_use]
    pub const fn new() -> Self {
        Self { turn: Color::White }
    }
}

impl Default for Unjudged {
    fn default() -> Self {
        Self::new()
    }
}

impl Arbiter for Unjudged {
    fn turn(&self) -> Color {
        self.turn
    }

    fn verdicts(&mut self, _: Move) -> Result<Verdicts, RefereeError> {
        self.turn = self.turn.other();
        Ok(Verdicts::EQUAL)
    }
}

/// All memory from frames to rows, the arbiter's aside. For the sizes see
/// [`Tracker`](plyscope_core::track::Tracker).
#[derive(Debug)]
pub struct Device<const HYPOTHESES: usize, const SIGHTINGS: usize, const TEXTURES: usize> {
    seer: Seer<HYPOTHESES, SIGHTINGS, TEXTURES>,
    rows: RowWriter,
}

/// Why a frame led to no rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceError {
    /// The frame could not be looked at.
    Seer(SeerError),
    /// A ply could not be judged.
    Referee(RefereeError),
    /// A row did not fit its buffer.
    Row(RowError),
}

impl core::fmt::Display for DeviceError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Seer(error) => error.fmt(f),
            Self::Referee(error) => error.fmt(f),
            Self::Row(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for DeviceError {}

impl<const HYPOTHESES: usize, const SIGHTINGS: usize, const TEXTURES: usize>
    Device<HYPOTHESES, SIGHTINGS, TEXTURES>
{
    /// A device that has seen nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self { seer: Seer::new(), rows: RowWriter::new() }
    }

    /// Looks at a rank of a frame, see [`Seer::look_at_rank`].
    ///
    /// # Errors
    ///
    /// [`DeviceError::Seer`].
    pub fn look_at_rank(
        &mut self,
        strip: &[u8],
        side_px: usize,
        rank: Rank,
        time: MediaTime,
    ) -> Result<(), DeviceError> {
        self.seer.look_at_rank(strip, side_px, rank, time).map_err(DeviceError::Seer)
    }

    /// Concludes what has been played from the frame whose ranks have been looked at, and hands the rows of the plies
    /// that have settled to `emit`, each as one JSON object.
    ///
    /// # Errors
    ///
    /// [`DeviceError`]; later frames may be looked at all the same.
    pub fn conclude(
        &mut self,
        side_px: usize,
        time: MediaTime,
        arbiter: &mut dyn Arbiter,
        emit: &mut dyn FnMut(&[u8]),
    ) -> Result<Sight, DeviceError> {
        let sight = self.seer.conclude(side_px, time).map_err(DeviceError::Seer)?;
        self.take_down(arbiter, emit)?;
        Ok(sight)
    }

    /// Tells that there are no more frames, and hands out the last rows.
    ///
    /// # Errors
    ///
    /// [`DeviceError`].
    pub fn finish(
        &mut self,
        arbiter: &mut dyn Arbiter,
        emit: &mut dyn FnMut(&[u8]),
    ) -> Result<(), DeviceError> {
        self.seer.finish().map_err(DeviceError::Seer)?;
        self.take_down(arbiter, emit)
    }

    fn take_down(
        &mut self,
        arbiter: &mut dyn Arbiter,
        emit: &mut dyn FnMut(&[u8]),
    ) -> Result<(), DeviceError> {
        while let Some(TimedPly { mv, time, .. }) = self.seer.take() {
            let turn = arbiter.turn();
            let verdicts = arbiter.verdicts(mv).map_err(DeviceError::Referee)?;
            let (row, capture) = self.rows.rows(turn, mv, time, verdicts);
            for row in core::iter::once(row).chain(capture) {
                write_row(&row, emit)?;
            }
        }
        Ok(())
    }
}

// Not inlined: the row's bytes are not to lie below the search.
#[inline(never)]
fn write_row(row: &EventRow, emit: &mut dyn FnMut(&[u8])) -> Result<(), DeviceError> {
    let mut buffer = [0; EventRow::JSON_BYTES_MAX];
    let bytes = row.write_json(&mut buffer).map_err(DeviceError::Row)?;
    emit(buffer.get(..bytes).unwrap_or_default());
    Ok(())
}

impl<const HYPOTHESES: usize, const SIGHTINGS: usize, const TEXTURES: usize> Default
    for Device<HYPOTHESES, SIGHTINGS, TEXTURES>
{
    fn default() -> Self {
        Self::new()
    }
}
