//! The last look at every square, and since when it has not changed.

use serde::{Deserialize, Serialize};
use shakmaty::{Bitboard, Board, Rank, Square};

use super::board_rect::{BoardRect, Orientation};
use super::calibration::{Calibration, CalibrationError};
use super::luma_view::LumaView;
use super::piece_model::Class;
use super::placement::Placement;
use super::reading::BoardReading;
use super::tile::{BoardTiles, Tile};
use crate::media_time::{CompactTime, MediaTime};

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

/// Costs of a square that is partly hidden are alike up to this beyond a quarter, 1/4 luma².
const PART_NOISE_COST: u32 = 48;
/// What stands beneath a mark is looked for where nothing has changed for so long: a piece in flight changes its squares
/// sooner, even where a recorder doubles frames.
const STEADY_MIN_US: i64 = 90_000;
/// Steps below this are within the error of fits that a pointer disturbs, 1/64 cell.
const COARSE_STEP_MIN_Q6: i16 = 12;

/// One square: when it last changed, and what that look told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SquareWatch {
    changed_at: CompactTime,
    rested_at: CompactTime,
    /// How far the content moved with the last change, right and down, 1/64 cell.
    step_q6: Option<[i16; 2]>,
    /// Bit i: class i explains the square well. None set: the square is unclear.
    plausible: u16,
    /// The class that explains the square best.
    best: Class,
}

impl SquareWatch {
    const NOTHING: Self = Self {
        changed_at: CompactTime::ZERO,
        rested_at: CompactTime::ZERO,
        step_q6: None,
        plausible: 0,
        best: Class::EMPTY,
    };

    /// Since when the square has not changed.
    #[must_use]
    pub const fn changed_at(&self) -> MediaTime {
        self.changed_at.time()
    }

    /// Since when the square has held its content at about the same place, whatever else (a pointer, a tint) changed
    /// there.
    #[must_use]
    pub const fn rested_at(&self) -> MediaTime {
        self.rested_at.time()
    }

    /// How far the content moved with the last change, right and down, in 1/64 cell; `None` where it moved too far to
    /// measure.
    #[must_use]
    pub const fn step_q6(&self) -> Option<[i16; 2]> {
        self.step_q6
    }

    /// Whether one class alone explains the square.
    pub(crate) const fn shows_one_class(&self) -> bool {
        self.plausible.is_power_of_two()
    }

    /// Whether the square shows nothing but its own colour.
    #[must_use]
    pub const fn shows_bare(&self) -> bool {
        self.plausible == 1
    }
}

/// The last look at every square.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retina {
    rect: BoardRect,
    orientation: Orientation,
    /// The squares' cells when they last changed.
    tiles: BoardTiles,
    /// Eight ranks of eight squares.
    watches: [[SquareWatch; 8]; 8],
    /// Squares that have been looked at anew, through what may lie over them, since they last changed.
    looked_through: u64,
    /// Those of which that told more than the first look.
    seen_through: u64,
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
        Self::calibrate_by(view, rect, orientation, time, &Board::new())
    }

    /// Learns the looks of a known placement and takes the first look. Of pieces that it does not hold, the looks are
    /// learned when a promotion brings them.
    ///
    /// # Errors
    ///
    /// [`CalibrationError`] when the picture does not show that placement.
    pub fn calibrate_by(
        view: &LumaView<'_>,
        rect: BoardRect,
        orientation: Orientation,
        time: MediaTime,
        shown: &Board,
    ) -> Result<(Self, Calibration), CalibrationError> {
        let (mut retina, mut calibration) = (Self::BLANK, Calibration::BLANK);
        for rank in Rank::ALL {
            retina.show_rank(view, rect, orientation, rank);
        }
        retina.recalibrate(&mut calibration, rect, orientation, time, shown)?;
        Ok((retina, calibration))
    }

    /// What has seen nothing yet.
    pub(crate) const BLANK: Self = Self {
        rect: BoardRect::LEAST,
        orientation: Orientation::WhiteBottom,
        tiles: BoardTiles::BLACK,
        watches: [const { [const { SquareWatch::NOTHING }; 8] }; 8],
        looked_through: 0,
        seen_through: 0,
    };

    /// Takes in one rank of a picture that may show a known position.
    pub(crate) fn show_rank(
        &mut self,
        view: &LumaView<'_>,
        rect: BoardRect,
        orientation: Orientation,
        rank: Rank,
    ) {
        for square in Bitboard::from_rank(rank) {
            *self.tiles.at_mut(square) = Tile::sample(view, rect.square(square, orientation));
        }
    }

    /// Forgets everything but the eight ranks that were shown, learns the looks of what they show from them and takes
    /// them as the first look, without a copy of itself or the calibration on the stack. After an error neither is of use
    /// until it has been calibrated anew.
    pub(crate) fn recalibrate<const TEXTURES: usize>(
        &mut self,
        calibration: &mut Calibration<TEXTURES>,
        rect: BoardRect,
        orientation: Orientation,
        time: MediaTime,
        shown: &Board,
    ) -> Result<(), CalibrationError> {
        calibration.learn(&self.tiles, shown)?;
        (self.rect, self.orientation) = (rect, orientation);
        (self.looked_through, self.seen_through) = (0, 0);
        let time = CompactTime::from_time(time);
        for square in Square::ALL {
            let look = calibration.look(self.tiles.at(square), square);
            *self.watch_mut(square) = SquareWatch {
                changed_at: time,
                rested_at: time,
                step_q6: None,
                plausible: look.plausible,
                best: look.best,
            };
        }
        Ok(())
    }

    /// Looks at those squares of a frame that differ from the frame before ([`Bitboard::FULL`] where that is not
    /// known), of which `view` need hold no more; returns the squares that changed by more than noise.
    pub fn look<const TEXTURES: usize>(
        &mut self,
        view: &LumaView<'_>,
        differing: Bitboard,
        time: MediaTime,
        calibration: &Calibration<TEXTURES>,
    ) -> Bitboard {
        let mut changed = Bitboard::EMPTY;
        for square in differing {
            let tile = Tile::sample(view, self.rect.square(square, self.orientation));
            let is_awake = time.us_since(self.watch(square).changed_at()) <= AWAKE_MAX_US;
            let threshold = if is_awake { AWAKE_THRESHOLD_LUMA } else { CHANGE_THRESHOLD_LUMA };
            if tile.largest_difference(self.tiles.at(square)) > threshold {
                self.change(square, tile, time, calibration);
                changed.add(square);
            }
        }
        changed
    }

    /// Takes down what a square shows anew.
    fn change<const TEXTURES: usize>(
        &mut self,
        square: Square,
        tile: Tile,
        time: MediaTime,
        calibration: &Calibration<TEXTURES>,
    ) {
        let before = self.watch(square);
        let look = calibration.look(&tile, square);
        let step_q6 = if look.best == before.best && before.plausible != 0 {
            let before_tile = self.tiles.at(square);
            // Where too much differs for the gradients, the fits of the moved models tell; they feel only larger steps.
            tile.step_since(before_tile).or_else(|| {
                let offset_q6 = calibration.offset_q6(before_tile, square, before.best);
                let ([right, down], [right_before, down_before]) = (look.offset_q6, offset_q6);
                let moved = [right - right_before, down - down_before];
                Some(moved.map(|s| if s.abs() < COARSE_STEP_MIN_Q6 { 0 } else { s }))
            })
        } else {
            None
        };
        let rests = step_q6.is_some_and(|step| step.iter().all(|s| s.abs() <= STEP_MAX_Q6));
        let changed_at = CompactTime::from_time(time);
        let rested_at = if rests { before.rested_at } else { changed_at };
        let (plausible, best) = (look.plausible, look.best);
        *self.watch_mut(square) = SquareWatch { changed_at, rested_at, step_q6, plausible, best };
        *self.tiles.at_mut(square) = tile;
        self.forget_through(square);
    }

    /// Looks at squares that are unclear, or show what their classes are only guessed to look like there, for what stands
    /// beneath an arrow or a circle, where they have not changed for a while; returns those of which that tells something.
    pub(crate) fn look_through<const TEXTURES: usize>(
        &mut self,
        now: MediaTime,
        calibration: &Calibration<TEXTURES>,
    ) -> Bitboard {
        let mut read = Bitboard::EMPTY;
        if calibration.unknown_classes() != 0 {
            return read;
        }
        for square in !Bitboard(self.looked_through) {
            let SquareWatch { plausible, changed_at, .. } = *self.watch(square);
            let is_known = plausible & !calibration.guessed_classes(square) != 0;
            if is_known || now.us_since(changed_at.time()) < STEADY_MIN_US {
                continue;
            }
            self.looked_through |= Bitboard::from(square).0;
            let costs = calibration.costs_in_part(self.tile(square), square).map(u32::from);
            let least = costs.iter().copied().min().unwrap_or(0);
            let near = Class::all().zip(costs).filter(|&(_, cost)| cost * 4 <= least * 5 + PART_NOISE_COST);
            let both = near.fold(plausible, |mask, (class, _)| mask | 1 << class.index());
            if both != plausible {
                self.watch_mut(square).plausible = both;
                read.add(square);
            }
        }
        self.seen_through |= read.0;
        read
    }

    const fn forget_through(&mut self, square: Square) {
        self.looked_through &= !(1 << square as u32);
        self.seen_through &= !(1 << square as u32);
    }

    /// Squares whose content was seen through what may lie over them.
    #[must_use]
    pub const fn seen_through(&self) -> Bitboard {
        Bitboard(self.seen_through)
    }

    /// Compares the last look of these squares anew, after the calibration has learned what they are compared with.
    pub fn look_again<const TEXTURES: usize>(
        &mut self,
        squares: Bitboard,
        calibration: &Calibration<TEXTURES>,
    ) {
        for square in squares {
            let look = calibration.look(self.tiles.at(square), square);
            let watch = self.watch_mut(square);
            (watch.plausible, watch.best) = (look.plausible, look.best);
            self.forget_through(square);
        }
    }

    /// What a picture shows at another place, or seen from the other side, by the looks that were learned here.
    #[must_use]
    pub fn reading_elsewhere<const TEXTURES: usize>(
        &self,
        view: &LumaView<'_>,
        rect: BoardRect,
        orientation: Orientation,
        calibration: &Calibration<TEXTURES>,
    ) -> BoardReading {
        BoardReading::from_masks(Square::ALL.into_iter().map(|square| {
            let tile = Tile::sample(view, rect.square(square, orientation));
            // Textures belong to the picture, not to the square that is shown there.
            let place = if orientation == self.orientation { square } else { square.rotate_180() };
            (square, calibration.look(&tile, place).plausible)
        }))
    }

    /// What is known of one square.
    #[must_use]
    pub const fn watch(&self, square: Square) -> &SquareWatch {
        let index = square as usize;
        &self.watches[(index / 8) & 7][index % 8]
    }

    const fn watch_mut(&mut self, square: Square) -> &mut SquareWatch {
        let index = square as usize;
        &mut self.watches[(index / 8) & 7][index % 8]
    }

    /// A square's cells when it last changed.
    #[must_use]
    pub const fn tile(&self, square: Square) -> &Tile {
        self.tiles.at(square)
    }

    /// What the last looks say together.
    #[must_use]
    pub fn reading(&self) -> BoardReading {
        let looks = self.watches.iter().flatten().map(|w| w.plausible);
        BoardReading::from_masks(Square::ALL.into_iter().zip(looks))
    }

    /// A reading that takes of each square the class that explains it best, whatever that leaves unexplained.
    #[must_use]
    pub fn likeliest_reading<const TEXTURES: usize>(
        &self,
        calibration: &Calibration<TEXTURES>,
    ) -> BoardReading {
        BoardReading::from_masks(Square::ALL.into_iter().map(|square| {
            let costs = calibration.costs_in_part(self.tile(square), square);
            let bare = u32::from(costs.first().copied().unwrap_or(0));
            let pieces = costs.iter().enumerate().skip(1).map(|(index, &cost)| (u32::from(cost), index));
            // What lies over a bare square is like some piece, a little.
            let best = pieces.min().filter(|&(cost, _)| cost * 20 <= bare * 19).map_or(0, |(_, index)| index);
            (square, 1 << best)
        }))
    }

    /// A reading that decides unclear squares by what their costs are where something may hide a part of them: on them a
    /// class is plausible that explains the rest about best, and clearly better than what stood there by `certain`. A square that shows no piece
    /// well may show any that has never been seen.
    #[must_use]
    pub fn doubtful_reading<const TEXTURES: usize>(
        &self,
        certain: &Placement,
        calibration: &Calibration<TEXTURES>,
    ) -> BoardReading {
        let masks = Square::ALL.into_iter().map(|square| {
            let plausible = self.watch(square).plausible;
            let unknown = calibration.unknown_classes();
            if plausible != 0 && unknown == 0 {
                return (square, plausible);
            }
            let costs = if plausible == 0 && unknown == 0 {
                calibration.costs_in_part(self.tile(square), square)
            } else {
                calibration.costs(self.tile(square), square)
            };
            let costs = costs.map(u32::from);
            let least = costs.iter().copied().min().unwrap_or(0);
            let of_classes = |is_plausible: &dyn Fn(Class, u32) -> bool| {
                let found = Class::all().zip(costs).filter(|&(class, cost)| is_plausible(class, cost));
                found.fold(0, |mask, (class, _)| mask | 1 << class.index())
            };
            if plausible != 0 {
                // What looks like nothing that is known may be a piece that was never seen before.
                let may_be = |class: Class, cost| unknown & (1 << class.index()) != 0 && cost <= least * 2;
                return (square, plausible | of_classes(&may_be));
            }
            let stood = Class::of(certain.at(square));
            let cost_of_stood = costs.get(stood.index()).copied().unwrap_or(u32::MAX);
            // What hides a part of the square adds about as much to every class's cost.
            let explains = |class, cost: u32| {
                if unknown != 0 {
                    let is_clearly_better = cost.saturating_mul(2) <= cost_of_stood;
                    return is_clearly_better || (class == stood && cost <= least * 2);
                }
                let is_near_best = cost * 4 <= least * 5 + PART_NOISE_COST;
                is_near_best && (class == stood || cost * 4 <= cost_of_stood * 3)
            };
            (square, of_classes(&explains))
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
