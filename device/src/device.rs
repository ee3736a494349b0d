//! The whole way in one value: frames in, JSON rows out.

use plyscope_core::event_row::{EventRow, RowError, RowWriter, Verdicts};
use plyscope_core::judge::transposition_table::Bucket;
use plyscope_core::media_time::MediaTime;
use plyscope_core::track::{TimedPly, Tracker};
use shakmaty::Position;

use crate::eye::{Eye, EyeError, Sight};
use crate::referee::{Judgement, Referee, RefereeError};

/// All memory of the core's whole way.
///
/// `FRAME_BYTES`: of the frame buffer. `FRAMES`, `MOVES`, `CELLS`, `BUCKETS`: see
/// [`SearchStore`](crate::referee::SearchStore).
#[derive(Debug)]
pub struct Device<
    const FRAME_BYTES: usize,
    const FRAMES: usize,
    const MOVES: usize,
    const CELLS: usize,
    const BUCKETS: usize,
> {
    eye: Eye<FRAME_BYTES>,
    referee: Referee<FRAMES, MOVES, CELLS, BUCKETS>,
    /// `None`: see only, and call every ply equal.
    judgement: Option<Judgement>,
    rows: RowWriter,
    row: [u8; EventRow::JSON_BYTES_MAX],
}

/// Why a frame led to no rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceError {
    /// The frame could not be looked at.
    Eye(EyeError),
    /// A ply could not be judged.
    Referee(RefereeError),
    /// A row did not fit its buffer.
    Row(RowError),
}

impl core::fmt::Display for DeviceError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Eye(error) => error.fmt(f),
            Self::Referee(error) => error.fmt(f),
            Self::Row(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for DeviceError {}

/// A stage and the bytes that it keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageBytes {
    /// What keeps them.
    pub stage: &'static str,
    /// How many.
    pub bytes: usize,
}

impl<
    const FRAME_BYTES: usize,
    const FRAMES: usize,
    const MOVES: usize,
    const CELLS: usize,
    const BUCKETS: usize,
> Device<FRAME_BYTES, FRAMES, MOVES, CELLS, BUCKETS>
{
    /// A device that has seen nothing; without a judgement it only sees.
    #[must_use]
    pub const fn new(judgement: Option<Judgement>) -> Self {
        Self {
            eye: Eye::new(),
            referee: Referee::new(),
            judgement,
            rows: RowWriter::new(),
            row: [0; EventRow::JSON_BYTES_MAX],
        }
    }

    /// Says how to judge from now on.
    pub const fn set_judgement(&mut self, judgement: Option<Judgement>) {
        self.judgement = judgement;
    }

    /// Where the camera puts the next frame: 8-bit luma, row by row without gaps.
    pub const fn frame_mut(&mut self) -> &mut [u8; FRAME_BYTES] {
        self.eye.frame_mut()
    }

    /// Looks at the frame in the buffer, a square of `side_px`, and hands the rows of the plies that have settled to
    /// `emit`, each as one JSON object.
    ///
    /// # Errors
    ///
    /// [`DeviceError`]; later frames may be looked at all the same.
    pub fn observe(
        &mut self,
        side_px: usize,
        time: MediaTime,
        emit: &mut dyn FnMut(&[u8]),
    ) -> Result<Sight, DeviceError> {
        let sight = self.eye.look(side_px, time).map_err(DeviceError::Eye)?;
        self.take_down(emit)?;
        Ok(sight)
    }

    /// Tells that there are no more frames, and hands out the last rows.
    ///
    /// # Errors
    ///
    /// [`DeviceError`].
    pub fn finish(&mut self, emit: &mut dyn FnMut(&[u8])) -> Result<(), DeviceError> {
        self.eye.finish().map_err(DeviceError::Eye)?;
        self.take_down(emit)
    }

    fn take_down(&mut self, emit: &mut dyn FnMut(&[u8])) -> Result<(), DeviceError> {
        while let Some(TimedPly { mv, time, .. }) = self.eye.take() {
            let turn = self.referee.position().turn();
            let verdicts = match &self.judgement {
                Some(judgement) => self.referee.judge(mv, judgement).map(|judged| judged.verdicts),
                None => self.referee.follow(mv).map(|()| Verdicts::EQUAL),
            }
            .map_err(DeviceError::Referee)?;
            let (row, capture) = self.rows.rows(turn, mv, time, verdicts);
            for row in core::iter::once(row).chain(capture) {
                let bytes = row.write_json(&mut self.row).map_err(DeviceError::Row)?;
                emit(&self.row[..bytes]);
            }
        }
        Ok(())
    }

    /// What each stage keeps, in bytes; together with padding they are the size of the whole.
    #[must_use]
    pub const fn stages() -> [StageBytes; 6] {
        let table = BUCKETS * size_of::<Bucket>();
        let search = size_of::<Referee<FRAMES, MOVES, CELLS, BUCKETS>>() - table;
        let named = FRAME_BYTES + size_of::<Tracker>() + search + table + EventRow::JSON_BYTES_MAX;
        [
            StageBytes { stage: "frame buffer", bytes: FRAME_BYTES },
            StageBytes { stage: "seeing and tracking", bytes: size_of::<Tracker>() },
            StageBytes { stage: "search", bytes: search },
            StageBytes { stage: "transposition table", bytes: table },
            StageBytes { stage: "row buffer", bytes: EventRow::JSON_BYTES_MAX },
            StageBytes { stage: "game and padding", bytes: size_of::<Self>() - named },
        ]
    }
}
