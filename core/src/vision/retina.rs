//! The last look at every square, and since when it has not changed.

use serde::{Deserialize, Serialize};
use shakmaty::{Bitboard, Square};

use super::board_rect::{BoardRect, Orientation};
use super::calibration::{Calibration, CalibrationError, SquareLook};
use super::luma_view::LumaView;
use super::piece_model::{CLASS_COUNT, Class};
use super::placement::Placement;
use super::reading::BoardReading;
use super::tile::Tile;
use crate::media_time::MediaTime;

/// A cell that differs more than this from the last look has changed, luma.
///
/// A piece of 100 luma contrast that moves by a hundredth of a square changes its edge cells by 8.
const CHANGE_THRESHOLD_LUMA: u8 = 10;

/// The same for a square that has just changed: a slide ends in steps too small to be told from noise elsewhere.
const AWAKE_THRESHOLD_LUMA: u8 = 6;
/// How long a square counts as just changed.
const AWAKE_MAX_US: i64 = 70_000;
/// What moves less than this with one change has not left its place, 1/64 cell.
const STEP_MAX_Q6: i16 = 16;

/// Steps below this are within the error of fits that a pointer disturbs, 1/64 cell.
const COARSE_STEP_MIN_Q6: i16 = 12;

/// One square: how it looked when it last changed, and what that look tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SquareWatch {
    tile: Tile,
    look: SquareLook,
    changed_at: MediaTime,
    rested_at: MediaTime,
    /// How far the content moved with the last change, right and down, 1/64 cell.
    step_q6: Option<[i16; 2]>,
}

impl SquareWatch {
    /// Since when the square has not changed.
    #[must_use]
    pub const fn changed_at(&self) -> MediaTime {
        self.changed_at
    }

    /// Since when the square has held its content at about the same place, whatever else (a pointer, a tint) changed
    /// there.
    #[must_use]
    pub const fn rested_at(&self) -> MediaTime {
        self.rested_at
    }

    /// How far the content moved with the last change, right and down, in 1/64 cell; `None` where it moved too far to
    /// measure.
    #[must_use]
    pub const fn step_q6(&self) -> Option<[i16; 2]> {
        self.step_q6
    }

    /// How badly each class explains the square, luma².
    #[must_use]
    pub const fn costs(&self) -> &[u16; CLASS_COUNT] {
        &self.look.costs
    }

    /// Whether the square shows nothing but its own colour.
    #[must_use]
    pub fn shows_bare(&self) -> bool {
        self.look.plausible == 1
    }

    /// The square's cells when it last changed.
    #[must_use]
    pub const fn tile(&self) -> &Tile {
        &self.tile
    }
}

/// The last look at every square.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retina {
    rect: BoardRect,
    orientation: Orientation,
    /// Eight ranks of eight squares.
    watches: [[SquareWatch; 8]; 8],
}

/// How far the same content has moved on a square, 1/64 cell.
fn step(before: &SquareWatch, tile: &Tile, look: &SquareLook) -> Option<[i16; 2]> {
    // Where too much differs for the gradients, the fits of the moved models tell; they feel only larger steps.
    tile.step_since(&before.tile).or_else(|| {
        let [x, y] = [0, 1].map(|axis| look.offset_q6[axis] - before.look.offset_q6[axis]);
        Some([x, y].map(|s| if s.abs() < COARSE_STEP_MIN_Q6 { 0 } else { s }))
    })
}

impl Retina {
    /// Learns the looks of the start position and takes the first look.
    ///
    /// # Errors
    ///
    /// [`CalibrationError`] when the picture does not show the start position.
    pub fn calibrate(
        view: &LumaView<'_>,
        rect: BoardRect,
        orientation: Orientation,
        time: MediaTime,
    ) -> Result<(Self, Calibration), CalibrationError> {
        let (mut retina, mut calibration) = (Self::BLANK, Calibration::BLANK);
        retina.recalibrate(&mut calibration, view, rect, orientation, time)?;
        Ok((retina, calibration))
    }

    /// What has seen nothing yet.
    pub(crate) const BLANK: Self = {
        const NOTHING: SquareWatch = SquareWatch {
            tile: Tile::flat(0),
            look: SquareLook { costs: [0; CLASS_COUNT], plausible: 0, best: Class::EMPTY, offset_q6: [0; 2] },
            changed_at: MediaTime::ZERO,
            rested_at: MediaTime::ZERO,
            step_q6: None,
        };
        Self {
            rect: BoardRect::LEAST,
            orientation: Orientation::WhiteBottom,
            watches: [const { [const { NOTHING }; 8] }; 8],
        }
    };

    /// Forgets everything, learns the looks of the start position and takes the first look, without a copy of itself or
    /// the calibration on the stack. After an error neither is of use until it has been calibrated anew.
    pub(crate) fn recalibrate(
        &mut self,
        calibration: &mut Calibration,
        view: &LumaView<'_>,
        rect: BoardRect,
        orientation: Orientation,
        time: MediaTime,
    ) -> Result<(), CalibrationError> {
        let mut tiles = [Tile::flat(0); 64];
        for (square, tile) in Square::ALL.into_iter().zip(&mut tiles) {
            *tile = Tile::sample(view, rect.square(square, orientation));
        }
        calibration.learn_start(&tiles)?;
        (self.rect, self.orientation) = (rect, orientation);
        let watches = self.watches.iter_mut().flatten();
        for ((square, watch), tile) in Square::ALL.into_iter().zip(watches).zip(tiles) {
            let look = calibration.look(&tile, square);
            *watch = SquareWatch { tile, look, changed_at: time, rested_at: time, step_q6: None };
        }
        Ok(())
    }

    /// Looks at a frame; returns the squares that changed.
    pub fn look(&mut self, view: &LumaView<'_>, time: MediaTime, calibration: &Calibration) -> Bitboard {
        let mut changed = Bitboard::EMPTY;
        for (square, watch) in Square::ALL.into_iter().zip(self.watches.iter_mut().flatten()) {
            let tile = Tile::sample(view, self.rect.square(square, self.orientation));
            let is_awake = time.us_since(watch.changed_at) <= AWAKE_MAX_US;
            let threshold = if is_awake { AWAKE_THRESHOLD_LUMA } else { CHANGE_THRESHOLD_LUMA };
            if tile.largest_difference(&watch.tile) > threshold {
                let look = calibration.look(&tile, square);
                let is_same = look.best == watch.look.best && watch.look.plausible != 0;
                let step_q6 = if is_same { step(watch, &tile, &look) } else { None };
                let rests = step_q6.is_some_and(|step| step.iter().all(|s| s.abs() <= STEP_MAX_Q6));
                let rested_at = if rests { watch.rested_at } else { time };
                *watch = SquareWatch { tile, look, changed_at: time, rested_at, step_q6 };
                changed.add(square);
            }
        }
        changed
    }

    /// Compares every square's last look anew, after the calibration has learned.
    pub fn look_again(&mut self, calibration: &Calibration) {
        for (square, watch) in Square::ALL.into_iter().zip(self.watches.iter_mut().flatten()) {
            watch.look = calibration.look(&watch.tile, square);
        }
    }

    /// What is known of one square.
    #[must_use]
    pub const fn watch(&self, square: Square) -> &SquareWatch {
        let index = square as usize;
        &self.watches[index / 8][index % 8]
    }

    /// What the last looks say together.
    #[must_use]
    pub fn reading(&self) -> BoardReading {
        let looks = self.watches.iter().flatten().map(|w| w.look.plausible);
        BoardReading::from_masks(Square::ALL.into_iter().zip(looks))
    }

    /// A reading that decides unclear squares by their costs: on them a class is plausible that explains what is seen
    /// twice as well as what stood there by `certain`, or that no other class beats twofold.
    #[must_use]
    pub fn doubtful_reading(&self, certain: &Placement) -> BoardReading {
        let masks = Square::ALL.into_iter().zip(self.watches.iter().flatten()).map(|(square, watch)| {
            if watch.look.plausible != 0 {
                return (square, watch.look.plausible);
            }
            let costs = watch.look.costs.map(u32::from);
            let stood = Class::of(certain.at(square)).index();
            let least = costs.iter().copied().min().unwrap_or(0);
            let is_plausible =
                |&i: &usize| costs[i] * 2 <= costs[stood] || (i == stood && costs[i] <= least * 2);
            (square, (0..CLASS_COUNT).filter(is_plausible).fold(0, |mask, i| mask | 1 << i))
        });
        BoardReading::from_masks(masks)
    }

    /// Where the board lies.
    #[must_use]
    pub const fn rect(&self) -> BoardRect {
        self.rect
    }

    /// Which side sits at the bottom.
    #[must_use]
    pub const fn orientation(&self) -> Orientation {
        self.orientation
    }
}
