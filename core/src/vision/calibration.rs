//! Learns from the start position what every piece and every bare square looks like in this video.

use serde::{Deserialize, Serialize};
use shakmaty::{Board, Color, Piece, Rank, Role, Square};

use super::piece_model::{CLASS_COUNT, CLEAR_Q7, CellShift, Class, LookModel, Shade};
use super::tile::{TILE_CELLS, TILE_EDGE, Tile};

/// A bare square shows less than this share of the weakest piece's contrast.
const BARE_ENERGY_MAX_PERCENT: u32 = 25;
/// What a piece's model leaves unexplained of the square's contrast, at most. A piece half a square off its centre
/// leaves all of it; compression at x264 crf 35 leaves a few per cent.
const PIECE_RESIDUE_MAX_PERCENT: u32 = 30;
/// The same for a king or queen on the square colour on which it never stood: its transparency is guessed there.
const GUESSED_RESIDUE_MAX_PERCENT: u32 = 45;
/// Another class stays plausible up to this multiple of the best one's cost.
const RIVAL_COST_PERCENT: u32 = 200;
/// Costs below this are compression noise, luma².
const NOISE_COST: u32 = 12;
/// A shifted template that explains this much less of the cost shows a piece off its centre.
const OFF_CENTRE_PERCENT: u32 = 75;
/// A piece whose centre moves by more than this is still in motion, 1/64 cell: a fiftieth of a square.
const REST_OFFSET_MAX_Q6: u16 = 10;
/// The two square colours are told apart only beyond this, 1/16 luma; nearer, transparency cannot be measured.
const SHADE_CONTRAST_MIN_Q4: i32 = 12 * 16;
/// The weakest piece shows at least this contrast, luma².
const PIECE_ENERGY_MIN: u32 = 40;

/// What every piece and every bare square looks like in one video.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calibration {
    bare: [LookModel; 2],
    background_q4: [i32; 2],
    pieces: [LookModel; 12],
    /// Bit i: the model of piece i has been measured on both square colours.
    measured: u16,
    /// The least contrast of a piece on a light and on a dark square, luma².
    weakest_energy: [u32; 2],
}

/// Why a picture does not show the start position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CalibrationError {
    /// The middle ranks are not bare squares of two shades.
    NoBareSquares,
    /// The outer ranks show no pieces that stand out.
    NoPieces,
    /// The pieces on White's side of the board are the darker ones.
    UpsideDown,
    /// A square does not show what stands there at the start.
    NotTheStartPosition {
        /// The first such square.
        square: Square,
    },
}

impl core::fmt::Display for CalibrationError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::NoBareSquares => f.write_str("find bare squares in the middle of the board"),
            Self::NoPieces => f.write_str("find pieces on the outer ranks"),
            Self::UpsideDown => f.write_str("find the brighter pieces on White's side"),
            Self::NotTheStartPosition { square } => {
                write!(f, "find the start position's content on {square}")
            }
        }
    }
}

impl core::error::Error for CalibrationError {}

/// What a look at one square tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SquareLook {
    /// How badly each class explains the square, luma².
    pub(crate) costs: [u16; CLASS_COUNT],
    /// Bit i: class i explains the square well. None set: the square is unclear.
    pub(crate) plausible: u16,
    /// The class that explains the square best.
    pub(crate) best: Class,
    /// How far the best piece stands from the centre, right and down, in 1/64 cell; zero on a bare square.
    pub(crate) offset_q6: [i16; 2],
}

impl SquareLook {
    /// Whether both looks show the same class, and at the same place.
    pub(crate) fn rests_like(&self, earlier: &Self) -> bool {
        self.plausible != 0
            && earlier.plausible != 0
            && self.best == earlier.best
            && self
                .offset_q6
                .iter()
                .zip(earlier.offset_q6)
                .all(|(now, before)| now.abs_diff(before) <= REST_OFFSET_MAX_Q6)
    }
}

impl Calibration {
    /// Learns from the 64 tiles of the start position, a1 first.
    ///
    /// # Errors
    ///
    /// [`CalibrationError`] when the tiles do not show the start position.
    pub fn from_start(tiles: &[Tile; 64]) -> Result<Self, CalibrationError> {
        let start = Board::new();
        let bare_mean = |shade| mean_tile(tiles, |sq| start.piece_at(sq).is_none() && Shade::of(sq) == shade);
        let bare_tiles = [bare_mean(Shade::Light), bare_mean(Shade::Dark)];
        let background_q4 = [bare_tiles[0].mean_q4(), bare_tiles[1].mean_q4()];
        let bare = [LookModel::bare(&bare_tiles[0]), LookModel::bare(&bare_tiles[1])];
        let mut calibration =
            Self { bare, background_q4, pieces: [LookModel::FLAT; 12], measured: 0, weakest_energy: [0; 2] };
        for color in Color::ALL {
            for role in Role::ALL {
                calibration.learn_at_start(tiles, &start, Piece { color, role });
            }
        }
        calibration.measure_energies();
        calibration.check_bare_squares(tiles, &start)?;
        if calibration.weakest_energy.iter().any(|&e| e < PIECE_ENERGY_MIN) {
            return Err(CalibrationError::NoPieces);
        }
        if side_luma(tiles, [Rank::First, Rank::Second]) <= side_luma(tiles, [Rank::Seventh, Rank::Eighth]) {
            return Err(CalibrationError::UpsideDown);
        }
        for square in Square::ALL {
            let look = calibration.look(&tiles[square as usize], square);
            if look.plausible & (1 << Class::of(start.piece_at(square)).index()) == 0 {
                return Err(CalibrationError::NotTheStartPosition { square });
            }
        }
        Ok(calibration)
    }

    /// Learns one piece from where it stands at the start.
    fn learn_at_start(&mut self, tiles: &[Tile; 64], start: &Board, piece: Piece) {
        let seen = |shade| {
            let on = move |sq: Square| start.piece_at(sq) == Some(piece) && Shade::of(sq) == shade;
            Square::ALL.into_iter().any(on).then(|| mean_tile(tiles, on))
        };
        let slot = piece_slot(piece);
        match (seen(Shade::Light), seen(Shade::Dark)) {
            (Some(light), Some(dark)) => {
                self.pieces[slot] = self.model_of_two(&light, &dark);
                self.measured |= 1 << slot;
            }
            (Some(tile), None) => self.pieces[slot] = self.model_of_one(&tile, Shade::Light),
            (None, Some(tile)) => self.pieces[slot] = self.model_of_one(&tile, Shade::Dark),
            (None, None) => {}
        }
    }

    /// A piece seen on both square colours: what differs between the two is the background that shows through.
    fn model_of_two(&self, light: &Tile, dark: &Tile) -> LookModel {
        let [light_q4, dark_q4] = self.background_q4;
        let contrast_q4 = light_q4 - dark_q4;
        if contrast_q4.abs() < SHADE_CONTRAST_MIN_Q4 {
            let one = self.model_of_one(light, Shade::Light);
            return one.with_mean_surface(&self.model_of_one(dark, Shade::Dark));
        }
        let mut transparency_q7 = [[0; TILE_EDGE]; TILE_EDGE];
        for (share, (l, d)) in transparency_q7.iter_mut().flatten().zip(light.cells().zip(dark.cells())) {
            let difference_q4 = (i32::from(l) - i32::from(d)) * 16;
            let q7 = (difference_q4 * CLEAR_Q7 / contrast_q4).clamp(0, CLEAR_Q7);
            *share = u8::try_from(q7).unwrap_or(0);
        }
        LookModel::from_transparency(light, light_q4, transparency_q7)
            .with_mean_surface(&LookModel::from_transparency(dark, dark_q4, transparency_q7))
    }

    /// A piece seen on one square colour only: cells like the bare square that reach the border are background, and
    /// what they enclose is the piece.
    fn model_of_one(&self, tile: &Tile, shade: Shade) -> LookModel {
        let background_q4 = self.background_q4[shade as usize];
        let background = (background_q4 + 8) >> 4;
        let mut differences = [[0_i32; TILE_EDGE]; TILE_EDGE];
        for (difference, luma) in differences.iter_mut().flatten().zip(tile.cells()) {
            *difference = (i32::from(luma) - background).abs();
        }
        let largest = differences.iter().flatten().copied().max().unwrap_or(0).max(1);
        // A cell that differs by a third of the largest difference counts as wholly covered.
        let full = (largest / 3).max(1);
        let outside = flood_from_border(&differences, full);
        let mut transparency_q7 = [[0; TILE_EDGE]; TILE_EDGE];
        for (share, (difference, outside)) in transparency_q7
            .iter_mut()
            .flatten()
            .zip(differences.iter().flatten().zip(outside.iter().flatten()))
        {
            let clear = if *outside { CLEAR_Q7 - (difference * CLEAR_Q7 / full).min(CLEAR_Q7) } else { 0 };
            *share = u8::try_from(clear).unwrap_or(0);
        }
        LookModel::from_transparency(tile, background_q4, transparency_q7)
    }

    /// Learns a piece from a tile on which it rests for certain, where it had been seen on one square colour only.
    ///
    /// Returns whether anything was learned.
    pub(crate) fn learn(&mut self, piece: Piece, square: Square, tile: &Tile) -> bool {
        let slot = piece_slot(piece);
        let shade = Shade::of(square);
        if self.measured & (1 << slot) != 0 || shade == home_shade(piece) {
            return false;
        }
        // The square may be tinted: its background is what explains the cells that the piece leaves clear.
        let background_q4 = self.pieces[slot].fit(tile, CellShift::default()).background_q4;
        let home_q4 = self.background_q4[shade.other() as usize];
        if (background_q4 - home_q4).abs() < SHADE_CONTRAST_MIN_Q4 {
            return false;
        }
        let home = self.pieces[slot].paint(home_q4);
        let mut seen = self.clone_backgrounds();
        seen[shade as usize] = background_q4;
        let kept = core::mem::replace(&mut self.background_q4, seen);
        self.pieces[slot] = match shade {
            Shade::Light => self.model_of_two(tile, &home),
            Shade::Dark => self.model_of_two(&home, tile),
        };
        self.background_q4 = kept;
        self.measured |= 1 << slot;
        self.measure_energies();
        true
    }

    const fn clone_backgrounds(&self) -> [i32; 2] {
        self.background_q4
    }

    fn measure_energies(&mut self) {
        for shade in [Shade::Light, Shade::Dark] {
            let background_q4 = self.background_q4[shade as usize];
            self.weakest_energy[shade as usize] = self
                .pieces
                .iter()
                .map(|m| {
                    u32::from(
                        self.bare[shade as usize].fit(&m.paint(background_q4), CellShift::default()).cost,
                    )
                })
                .min()
                .unwrap_or(0);
        }
    }

    fn check_bare_squares(&self, tiles: &[Tile; 64], start: &Board) -> Result<(), CalibrationError> {
        let all_bare = Square::ALL
            .into_iter()
            .filter(|&sq| start.piece_at(sq).is_none())
            .all(|square| self.look(&tiles[square as usize], square).plausible & 1 != 0);
        if all_bare { Ok(()) } else { Err(CalibrationError::NoBareSquares) }
    }

    fn model(&self, class: Class, shade: Shade) -> &LookModel {
        match class.index() {
            0 => &self.bare[shade as usize],
            index => &self.pieces[index - 1],
        }
    }

    /// Compares a tile with every class.
    pub(crate) fn look(&self, tile: &Tile, square: Square) -> SquareLook {
        let shade = Shade::of(square);
        let mut costs = [0; CLASS_COUNT];
        for class in Class::all() {
            costs[class.index()] = self.model(class, shade).fit(tile, CellShift::default()).cost;
        }
        let piece = Class::all().skip(1).min_by_key(|c| costs[c.index()]).unwrap_or(Class::EMPTY);
        let energy = u32::from(costs[0]);
        let cost = u32::from(costs[piece.index()]);
        let bare_max = self.weakest_energy[shade as usize] * BARE_ENERGY_MAX_PERCENT / 100;
        // A faint mark on a bare square is no piece: the piece has to explain most of what is seen.
        if energy <= bare_max.max(NOISE_COST) && cost * 2 > energy {
            return SquareLook { costs, plausible: 1, best: Class::EMPTY, offset_q6: [0; 2] };
        }
        let stance = self.stance(tile, piece, cost);
        let mut plausible = u16::from(energy <= bare_max);
        if stance.is_centred {
            plausible |= self.plausible_pieces(&costs, cost);
        }
        SquareLook { costs, plausible, best: piece, offset_q6: stance.offset_q6 }
    }

    /// The pieces that explain a tile well, where the best of them costs `best_cost`.
    fn plausible_pieces(&self, costs: &[u16; CLASS_COUNT], best_cost: u32) -> u16 {
        let energy = u32::from(costs[0]);
        let mut plausible = 0;
        for class in Class::all().skip(1) {
            let cost = u32::from(costs[class.index()]);
            let residue_max_percent = if self.measured & (1 << (class.index() - 1)) == 0 {
                GUESSED_RESIDUE_MAX_PERCENT
            } else {
                PIECE_RESIDUE_MAX_PERCENT
            };
            let near_best = cost <= best_cost * RIVAL_COST_PERCENT / 100 + NOISE_COST;
            if near_best && cost * 100 <= energy * residue_max_percent {
                plausible |= 1 << class.index();
            }
        }
        plausible
    }

    /// Where a piece stands on its square, from how well its model fits when moved by a cell each way.
    fn stance(&self, tile: &Tile, piece: Class, cost: u32) -> Stance {
        let model = self.model(piece, Shade::Light);
        let moved = |right, down| u32::from(model.fit(tile, CellShift { right, down }).cost);
        let beside = [[moved(-1, 0), moved(1, 0)], [moved(0, -1), moved(0, 1)]];
        let is_centred = cost <= NOISE_COST
            || beside.iter().flatten().all(|&shifted| shifted * 100 >= cost * OFF_CENTRE_PERCENT);
        Stance { is_centred, offset_q6: beside.map(|[before, after]| vertex_q6(before, cost, after)) }
    }
}

/// How a piece stands on its square.
struct Stance {
    /// No model moved by a cell explains the tile clearly better.
    is_centred: bool,
    /// Distance from the centre, right and down, in 1/64 cell.
    offset_q6: [i16; 2],
}

/// The vertex of the parabola through three costs a cell apart, in 1/64 cell from the middle one.
fn vertex_q6(before: u32, middle: u32, after: u32) -> i16 {
    let [before, middle, after] = [before, middle, after].map(i64::from);
    let bend = before + after - 2 * middle;
    if bend <= 0 {
        return if after < before { 64 } else { -64 };
    }
    i16::try_from(((before - after) * 32 / bend).clamp(-64, 64)).unwrap_or(0)
}

const fn piece_slot(piece: Piece) -> usize {
    Class::of(Some(piece)).index() - 1
}

/// The square colour on which a king or queen stands at the start.
fn home_shade(piece: Piece) -> Shade {
    match (piece.color, piece.role) {
        (Color::White, Role::Queen) | (Color::Black, Role::King) => Shade::Light,
        _ => Shade::Dark,
    }
}

/// Cell by cell mean of the tiles of the squares that `pick` picks.
fn mean_tile(tiles: &[Tile; 64], pick: impl Fn(Square) -> bool) -> Tile {
    let mut sums = [0_u32; TILE_CELLS];
    let mut count = 0;
    for square in Square::ALL.into_iter().filter(|&sq| pick(sq)) {
        for (sum, luma) in sums.iter_mut().zip(tiles[square as usize].cells()) {
            *sum += u32::from(luma);
        }
        count += 1;
    }
    let mut mean = Tile::flat(0);
    for (cell, sum) in mean.rows.iter_mut().flatten().zip(sums) {
        *cell = u8::try_from((sum + count / 2).checked_div(count).unwrap_or(0)).unwrap_or(u8::MAX);
    }
    mean
}

/// Summed luma of two ranks, which hold as many light squares as dark ones.
fn side_luma(tiles: &[Tile; 64], ranks: [Rank; 2]) -> u32 {
    let on_ranks = Square::ALL.into_iter().filter(|sq| ranks.contains(&sq.rank()));
    on_ranks.flat_map(|sq| tiles[sq as usize].cells()).map(u32::from).sum()
}

/// Cells reached from the tile's border through cells that differ less than `full` from the bare square.
fn flood_from_border(
    differences: &[[i32; TILE_EDGE]; TILE_EDGE],
    full: i32,
) -> [[bool; TILE_EDGE]; TILE_EDGE] {
    let mut outside = [[false; TILE_EDGE]; TILE_EDGE];
    // Each sweep carries the flood on by at least a cell; a tile has no path longer than its cells.
    for _ in 0..TILE_CELLS {
        let before = outside;
        for row in 0..TILE_EDGE {
            for column in 0..TILE_EDGE {
                let at_border = row == 0 || column == 0 || row == TILE_EDGE - 1 || column == TILE_EDGE - 1;
                let beside = (row > 0 && outside[row - 1][column])
                    || (column > 0 && outside[row][column - 1])
                    || (row + 1 < TILE_EDGE && outside[row + 1][column])
                    || (column + 1 < TILE_EDGE && outside[row][column + 1]);
                if (at_border || beside) && differences[row][column] < full {
                    outside[row][column] = true;
                }
            }
        }
        if outside == before {
            break;
        }
    }
    outside
}
