//! Learns from a known position, most often the start, what every piece and every bare square looks like in this video.

use serde::{Deserialize, Serialize};
use shakmaty::{Board, Color, Piece, Role, Square};

use super::grain::Grain;
use super::outline::{mean_tile, model_of_one, model_of_two, outline_q7, silhouette_q7, tile_of};
use super::piece_model::{CLASS_COUNT, CellShift, Class, LookModel, Shade, Texture};
use super::textures::Textures;
use super::tile::{BoardTiles, TILE_CELLS, TILE_EDGE, Tile};

/// A bare square shows less than this share of the weakest piece's contrast.
const BARE_ENERGY_MAX_PERCENT: u32 = 25;
/// What a piece's model leaves unexplained of the square's contrast, at most. A piece half a square off its centre
/// leaves all of it; compression at x264 crf 35 leaves a few per cent.
const PIECE_RESIDUE_MAX_PERCENT: u32 = 30;
/// The same for a piece that has been seen on one square colour only: its transparency is guessed.
const GUESSED_RESIDUE_MAX_PERCENT: u32 = 45;
/// A piece's possible looks on the other square colour leave so many times less unexplained than one look would: many things
/// look a little like one of them.
const SPANNED_COST_FACTOR: u16 = 3;
/// Where a piece in flight may stand in the tile of a square, cells right and down.
const STEPS_ASIDE: [[isize; 2]; 16] = [
    [0, 1],
    [0, 2],
    [0, -1],
    [0, -2],
    [1, 0],
    [2, 0],
    [-1, 0],
    [-2, 0],
    [1, 1],
    [2, 2],
    [1, -1],
    [2, -2],
    [-1, 1],
    [-2, 2],
    [-1, -1],
    [-2, -2],
];
/// Another class stays plausible up to this multiple of the best one's cost.
const RIVAL_COST_PERCENT: u32 = 200;
/// Costs below this are compression noise, luma².
const NOISE_COST: u32 = 12;
/// A shifted template that explains this much less of the cost shows a piece off its centre.
const OFF_CENTRE_PERCENT: u32 = 75;
/// Counterparts whose outlines differ in more cells than this are drawn differently.
const OUTLINE_CELLS_MAX: usize = 4;
/// The outline of a piece of one luma: half the largest difference is the middle of its edge.
const OUTLINE_PARTS: i32 = 2;
/// The two square colours are told apart only beyond this, 1/16 luma; nearer, transparency cannot be measured.
const SHADE_CONTRAST_MIN_Q4: i32 = 12 * 16;
/// The weakest piece shows at least this contrast, luma².
const PIECE_ENERGY_MIN: u32 = 14;

/// What every piece and every bare square looks like in one video. Of the bare squares `TEXTURES` may differ from each other
/// beyond their luma; where there are more, some are taken for the nearest of those.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calibration<const TEXTURES: usize = 64> {
    /// The mean bare light and dark square.
    bare: [Tile; 2],
    /// What each bare square shows beyond its mean luma.
    textures: Textures<TEXTURES>,
    /// Squares that have been seen bare.
    seen_bare: u64,
    pieces: [LookModel; 12],
    /// For light and dark squares, bit i: piece i has been seen there. One that has been seen nowhere looks like nothing.
    seen_on: [u16; 2],
    /// The least contrast of a piece on a light and on a dark square, luma².
    weakest_energy: [u32; 2],
}

/// Why a picture does not show the position that it is to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CalibrationError {
    /// Where squares are to be bare, they are not, or not of two shades.
    NoBareSquares,
    /// Where pieces are to stand, none stand out.
    NoPieces,
    /// The pieces that are to be White's are the darker ones.
    UpsideDown,
    /// A square does not show what is to stand there.
    OtherContent {
        /// The first such square.
        square: Square,
    },
}

impl core::fmt::Display for CalibrationError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::NoBareSquares => f.write_str("find bare squares where none are occupied"),
            Self::NoPieces => f.write_str("find pieces on the occupied squares"),
            Self::UpsideDown => f.write_str("find the brighter pieces where White's stand"),
            Self::OtherContent { square } => write!(f, "find what stands on {square}"),
        }
    }
}

impl core::error::Error for CalibrationError {}

/// What a look at one square tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SquareLook {
    /// Bit i: class i explains the square well. None set: the square is unclear.
    pub(crate) plausible: u16,
    /// The class that explains the square best.
    pub(crate) best: Class,
    /// How far the best piece stands from the centre, right and down, 1/64 cell; zero on a bare square.
    pub(crate) offset_q6: [i16; 2],
}

impl<const TEXTURES: usize> Calibration<TEXTURES> {
    /// What has learned nothing yet.
    pub(crate) const BLANK: Self = Self {
        bare: [Tile::flat(0); 2],
        textures: Textures::PLAIN,
        seen_bare: 0,
        pieces: [LookModel::BARE; 12],
        seen_on: [0; 2],
        weakest_energy: [0; 2],
    };

    /// Forgets everything and learns from the tiles of a board that shows `shown`, without a copy of itself on the stack.
    /// After an error it is of no use until it has learned anew.
    pub(crate) fn learn(&mut self, tiles: &BoardTiles, shown: &Board) -> Result<(), CalibrationError> {
        let is_bare = |sq: Square| shown.piece_at(sq).is_none();
        let mut shades = [Shade::Light, Shade::Dark].into_iter();
        if !shades.all(|shade| Square::ALL.into_iter().any(|sq| is_bare(sq) && Shade::of(sq) == shade)) {
            return Err(CalibrationError::NoBareSquares);
        }
        self.bare = [Shade::Light, Shade::Dark]
            .map(|shade| mean_tile(tiles, |sq| is_bare(sq) && Shade::of(sq) == shade));
        self.seen_bare = (!shown.occupied()).0;
        self.seen_on = [0; 2];
        self.textures.clear();
        for square in Square::ALL {
            // Under a piece the texture is taken to be that of the bare squares of its file: coordinates and grid lines
            // repeat along a file.
            let alike =
                |sq: Square| is_bare(sq) && sq.file() == square.file() && Shade::of(sq) == Shade::of(square);
            let tile = if is_bare(square) {
                *tiles.at(square)
            } else if Square::ALL.into_iter().any(alike) {
                mean_tile(tiles, alike)
            } else {
                self.bare[Shade::of(square) as usize]
            };
            self.textures.set(square, Texture::of(&tile));
        }
        for role in Role::ALL {
            for color in Color::ALL {
                self.learn_where_it_stands(tiles, shown, Piece { color, role });
            }
            self.share_outlines(tiles, shown, role);
        }
        self.learn_grain(tiles, shown);
        self.measure_energies();
        self.check_bare_squares(tiles, shown)?;
        if self.weakest_energy.iter().any(|&e| e < PIECE_ENERGY_MIN) {
            return Err(CalibrationError::NoPieces);
        }
        if self.brightness(tiles, shown, Color::White) <= self.brightness(tiles, shown, Color::Black) {
            return Err(CalibrationError::UpsideDown);
        }
        for square in Square::ALL {
            let look = self.look(tiles.at(square), square);
            if look.plausible & (1 << Class::of(shown.piece_at(square)).index()) == 0 {
                return Err(CalibrationError::OtherContent { square });
            }
        }
        Ok(())
    }

    /// Where bare squares differ from each other, keeps their grain out of the looks of pieces, and learns of the squares
    /// beneath pieces what those leave to be seen.
    fn learn_grain(&mut self, tiles: &BoardTiles, shown: &Board) {
        let grain = Grain::measure(tiles, shown, &self.bare);
        if grain.is_none() {
            return;
        }
        for class in Class::all() {
            let Some(piece) = class.content().filter(|&piece| self.is_known(piece)) else { continue };
            let seen = [Shade::Light, Shade::Dark].map(|shade| tile_of(tiles, shown, piece, shade));
            if let Some(model) = self.pieces.get_mut(piece_slot(piece)) {
                *model = grain.cleared(*model, &seen, &self.bare);
            }
        }
        for square in shown.occupied() {
            let shade = Shade::of(square);
            if grain.is_on(shade) {
                let model = self.model(Class::of(shown.piece_at(square)));
                // The mean of all bare squares tells more than that of the few of a file.
                let assumed = Texture::of(&self.bare[shade as usize]);
                let texture = grain.texture_behind(model, tiles.at(square), shade, &assumed);
                self.textures.set(square, texture);
            }
        }
    }

    /// Learns one piece from where it stands.
    fn learn_where_it_stands(&mut self, tiles: &BoardTiles, shown: &Board, piece: Piece) {
        let slot = piece_slot(piece);
        self.pieces[slot] = match [Shade::Light, Shade::Dark].map(|shade| tile_of(tiles, shown, piece, shade))
        {
            [Some(light), Some(dark)] => self.model_of_two(&light, &dark),
            [Some(tile), None] => model_of_one(&tile, &self.bare[Shade::Light as usize]),
            [None, Some(tile)] => model_of_one(&tile, &self.bare[Shade::Dark as usize]),
            [None, None] => LookModel::BARE,
        };
        for shade in [Shade::Light, Shade::Dark] {
            let stands = |sq: Square| shown.piece_at(sq) == Some(piece) && Shade::of(sq) == shade;
            self.seen_on[shade as usize] |= u16::from(Square::ALL.into_iter().any(stands)) << slot;
        }
    }

    /// A piece seen on both square colours: what differs between the two is the background that shows through.
    fn model_of_two(&self, light: &Tile, dark: &Tile) -> LookModel {
        let [behind_light, behind_dark] = &self.bare;
        if (behind_light.mean_q4() - behind_dark.mean_q4()).abs() < SHADE_CONTRAST_MIN_Q4 {
            let one = model_of_one(light, behind_light);
            return one.with_mean_surface(&model_of_one(dark, behind_dark));
        }
        model_of_two(light, dark, behind_light, behind_dark)
    }

    /// Where a piece is seen on one square colour only, a white one's fill may have the square's own luma. The black
    /// counterpart is of one luma, so its outline can be measured, and in almost every set it is the same; so is that of
    /// a counterpart that is seen on both square colours.
    fn share_outlines(&mut self, tiles: &BoardTiles, shown: &Board, role: Role) {
        let [white, black] = Color::ALL.map(|color| Piece { color, role });
        let once = |calibration: &Self, piece| {
            let shade = calibration.only_shade(piece)?;
            Some((tile_of(tiles, shown, piece, shade)?, calibration.bare[shade as usize]))
        };
        let (white_once, black_once) = (once(self, white), once(self, black));
        let outline = match (&white_once, &black_once) {
            (_, Some((tile, behind))) if !self.is_measured(white) => outline_q7(tile, behind, OUTLINE_PARTS),
            (None, Some(_)) => *self.model(Class::of(Some(white))).transparency_q7(),
            (Some(_), None) if self.is_measured(black) => {
                *self.model(Class::of(Some(black))).transparency_q7()
            }
            _ => return,
        };
        // The counterparts may be drawn differently.
        if let Some((tile, behind)) = white_once.as_ref().or(black_once.as_ref()) {
            let guess = silhouette_q7(tile, behind);
            // The outer ring may hold grid lines and coordinates.
            let inner = |index: &usize| (1..TILE_EDGE - 1).contains(index);
            let rows = outline.iter().zip(&guess).enumerate().filter(|(row, _)| inner(row));
            let cells = rows.flat_map(|(_, (outlines, guesses))| {
                outlines.iter().zip(guesses).enumerate().filter(|(column, _)| inner(column))
            });
            if cells.filter(|(_, (outline, guess))| **outline > 108 && **guess < 20).count()
                > OUTLINE_CELLS_MAX
            {
                return;
            }
        }
        for (piece, once) in [(white, white_once), (black, black_once)] {
            if let (Some((tile, behind)), Some(model)) = (once, self.pieces.get_mut(piece_slot(piece))) {
                *model = LookModel::from_transparency(&tile, &behind, outline);
            }
        }
    }

    /// Whether a piece has been seen on both square colours.
    const fn is_measured(&self, piece: Piece) -> bool {
        self.seen_on[0] & self.seen_on[1] & (1 << piece_slot(piece)) != 0
    }

    /// Whether a piece has been seen anywhere.
    const fn is_known(&self, piece: Piece) -> bool {
        (self.seen_on[0] | self.seen_on[1]) & (1 << piece_slot(piece)) != 0
    }

    /// The pieces that have been seen nowhere: bit i for class i.
    pub(crate) const fn unknown_classes(&self) -> u16 {
        const PIECES: u16 = (1 << (CLASS_COUNT - 1)) - 1;
        (PIECES & !(self.seen_on[0] | self.seen_on[1])) << 1
    }

    /// The pieces that have been seen, but not on the colour of this square: bit i for class i.
    pub(crate) fn guessed_classes(&self, square: Square) -> u16 {
        let shade = Shade::of(square);
        (self.seen_on[shade.other() as usize] & !self.seen_on[shade as usize]) << 1
    }

    /// The square colour on which alone a piece has been seen.
    fn only_shade(&self, piece: Piece) -> Option<Shade> {
        let bit = 1 << piece_slot(piece);
        match self.seen_on.map(|seen| seen & bit != 0) {
            [true, false] => Some(Shade::Light),
            [false, true] => Some(Shade::Dark),
            _ => None,
        }
    }

    /// Learns a piece from a tile on which it rests for certain, where it had not been seen on that square colour.
    ///
    /// Returns whether anything was learned.
    pub(crate) fn learn_piece(&mut self, piece: Piece, square: Square, tile: &Tile) -> bool {
        let slot = piece_slot(piece);
        let shade = Shade::of(square);
        let texture = self.textures.at(square);
        if !self.is_known(piece) {
            // The square may be tinted: what reaches its border tells its background.
            self.pieces[slot] = model_of_one(tile, &texture.on(tile.ring_median() * 16));
        } else if self.only_shade(piece) == Some(shade.other()) {
            // The square may be tinted: its background is what explains the cells that the piece leaves clear.
            let behind = texture.on(self.pieces[slot].fit(tile, texture, CellShift::default()).background_q4);
            let behind_home = &self.bare[shade.other() as usize];
            if (behind.mean_q4() - behind_home.mean_q4()).abs() < SHADE_CONTRAST_MIN_Q4 {
                return false;
            }
            let home = self.pieces[slot].paint(behind_home);
            self.pieces[slot] = match shade {
                Shade::Light => model_of_two(tile, &home, &behind, behind_home),
                Shade::Dark => model_of_two(&home, tile, behind_home, &behind),
            };
        } else {
            return false;
        }
        self.seen_on[shade as usize] |= 1 << slot;
        self.measure_energies();
        true
    }

    /// Learns the texture of a square that is bare for certain; `is_marked` says that it may bear the mark of the last
    /// ply, and is then learned only where it had never been seen bare.
    ///
    /// Returns whether anything was learned.
    pub(crate) fn learn_bare(&mut self, square: Square, tile: &Tile, is_marked: bool) -> bool {
        let bit = 1 << (square as u32);
        if is_marked && self.seen_bare & bit != 0 {
            return false;
        }
        self.seen_bare |= bit;
        self.textures.set(square, Texture::of(tile))
    }

    /// Whether a square that is bare for certain is far plainer than what was learned of it: an arrow lay on it then.
    pub(crate) fn is_plainer_than_learned(&self, square: Square, tile: &Tile) -> bool {
        let plain = LookModel::BARE.fit(tile, &Texture::PLAIN, CellShift::default()).cost;
        let learned = self.cost(tile, square, Class::EMPTY);
        u32::from(learned) > NOISE_COST && u32::from(plain) * 4 <= u32::from(learned)
    }

    fn measure_energies(&mut self) {
        for shade in [Shade::Light, Shade::Dark] {
            let behind = &self.bare[shade as usize];
            let texture = Texture::of(behind);
            let energy =
                |m: &LookModel| LookModel::BARE.fit(&m.paint(behind), &texture, CellShift::default()).cost;
            let weakest = |is_counted: &dyn Fn(Piece) -> bool| {
                let counted = Class::all().filter(|class| class.content().is_some_and(is_counted));
                counted.map(|class| energy(self.model(class))).min()
            };
            // What a piece that was never seen on this colour would look like there is a guess.
            let seen = weakest(&|piece| self.seen_on[shade as usize] & (1 << piece_slot(piece)) != 0);
            let least = seen.or_else(|| weakest(&|piece| self.is_known(piece)));
            self.weakest_energy[shade as usize] = least.unwrap_or(0).into();
        }
    }

    /// How much brighter a side's pieces make their squares than those are when bare, on the average, in 1/4096 luma.
    fn brightness(&self, tiles: &BoardTiles, shown: &Board, color: Color) -> i64 {
        let (mut sum, mut count) = (0_i64, 0_i64);
        for square in shown.by_color(color) {
            let bare = &self.bare[Shade::of(square) as usize];
            let lumas = tiles.at(square).cells().zip(bare.cells());
            sum += lumas.map(|(luma, bare)| i64::from(luma) - i64::from(bare)).sum::<i64>();
            count += 1;
        }
        (sum * (4096 / TILE_CELLS as i64)).checked_div(count).unwrap_or(0)
    }

    fn check_bare_squares(&self, tiles: &BoardTiles, shown: &Board) -> Result<(), CalibrationError> {
        let all_bare = Square::ALL
            .into_iter()
            .filter(|&sq| shown.piece_at(sq).is_none())
            .all(|square| self.look(tiles.at(square), square).plausible & 1 != 0);
        if all_bare { Ok(()) } else { Err(CalibrationError::NoBareSquares) }
    }

    fn model(&self, class: Class) -> &LookModel {
        let slot = class.index().wrapping_sub(1);
        self.pieces.get(slot).unwrap_or(&LookModel::BARE)
    }

    /// How badly a class explains a square that shows `tile`, luma². A piece that has been seen nowhere may look like
    /// anything: it is taken to leave as much as any other piece may.
    pub(crate) fn cost(&self, tile: &Tile, square: Square, class: Class) -> u16 {
        self.cost_moved(tile, square, class, CellShift::default())
    }

    /// How badly a class explains a tile where what it shows is moved.
    fn cost_moved(&self, tile: &Tile, square: Square, class: Class, shift: CellShift) -> u16 {
        let (model, texture) = (self.model(class), self.textures.at(square));
        let cost = model.fit(tile, texture, shift).cost;
        let Some(piece) = class.content() else { return cost };
        if !self.is_known(piece) {
            let most = u32::from(cost) * PIECE_RESIDUE_MAX_PERCENT / 100;
            return u16::try_from(most).unwrap_or(u16::MAX);
        }
        let Some(spanned) = self.cost_spanned(tile, square, class, shift) else {
            return cost;
        };
        // It counts where it explains the square, and does not pass for the best of bad explanations.
        let spanned = spanned.saturating_mul(SPANNED_COST_FACTOR);
        let energy = u32::from(LookModel::BARE.fit(tile, texture, CellShift::default()).cost);
        let explains = u32::from(spanned) * 100 <= energy * GUESSED_RESIDUE_MAX_PERCENT;
        if explains { cost.min(spanned) } else { cost }
    }

    /// How badly a piece that is known on the other square colour alone explains a tile, whatever of the looks that its look
    /// there allows; `None` for a class that is known better, or not at all.
    fn cost_spanned(&self, tile: &Tile, square: Square, class: Class, shift: CellShift) -> Option<u16> {
        let home = self.only_shade(class.content()?).filter(|&home| home != Shade::of(square))?;
        let behind = self.textures.at(square).on(tile.ring_median() * 16);
        let bare_home = &self.bare[home as usize];
        Some(self.model(class).cost_on_other_shade(tile, &behind, bare_home, shift))
    }

    /// How badly each class explains what is seen of a square that something may partly hide, luma².
    pub(crate) fn costs_in_part(&self, tile: &Tile, square: Square) -> [u16; CLASS_COUNT] {
        let usual_q4 = self.bare[Shade::of(square) as usize].mean_q4();
        let mut costs = [0; CLASS_COUNT];
        for (cost, class) in costs.iter_mut().zip(Class::all()) {
            let guessed = self.model(class).cost_in_part(tile, self.textures.at(square), usual_q4);
            *cost = self.cost(tile, square, class).min(guessed);
        }
        costs
    }

    /// How badly each class explains a square that shows `tile`, luma².
    pub(crate) fn costs(&self, tile: &Tile, square: Square) -> [u16; CLASS_COUNT] {
        let mut costs = [0; CLASS_COUNT];
        for (cost, class) in costs.iter_mut().zip(Class::all()) {
            *cost = self.cost(tile, square, class);
        }
        costs
    }

    /// How far a piece of this class stands from the centre of a square that shows `tile`, right and down, 1/64 cell; zero
    /// for a bare square.
    pub(crate) fn offset_q6(&self, tile: &Tile, square: Square, class: Class) -> [i16; 2] {
        if class == Class::EMPTY {
            return [0; 2];
        }
        self.stance(tile, square, class, u32::from(self.cost(tile, square, class))).offset_q6
    }

    /// Where a piece stands on its square, from how well it explains the tile when moved by a cell each way.
    fn stance(&self, tile: &Tile, square: Square, class: Class, cost: u32) -> Stance {
        let moved = |right, down| u32::from(self.cost_moved(tile, square, class, CellShift { right, down }));
        let beside = [[moved(-1, 0), moved(1, 0)], [moved(0, -1), moved(0, 1)]];
        let is_centred = cost <= NOISE_COST
            || beside.iter().flatten().all(|&shifted| shifted * 100 >= cost * OFF_CENTRE_PERCENT);
        Stance { is_centred, offset_q6: beside.map(|[before, after]| vertex_q6(before, cost, after)) }
    }

    /// Compares a tile with every class.
    pub(crate) fn look(&self, tile: &Tile, square: Square) -> SquareLook {
        let shade = Shade::of(square);
        let costs = self.costs(tile, square);
        let energy = u32::from(costs[0]);
        let is_known = |class: Class| class.content().is_some_and(|piece| self.is_known(piece));
        let pieces = Class::all().zip(costs.map(u32::from)).filter(|&(class, _)| is_known(class));
        let (piece, cost) = pieces.min_by_key(|&(_, cost)| cost).unwrap_or((Class::EMPTY, energy));
        let bare_max = self.weakest_energy[shade as usize] * BARE_ENERGY_MAX_PERCENT / 100;
        // A faint mark on a bare square is no piece: the piece has to explain most of what is seen.
        // Of a square that was never seen bare the grain is a guess.
        let is_guessed = self.seen_bare & (1 << (square as u32)) == 0;
        let guessed = if is_guessed { self.textures.at(square).variance() } else { 0 };
        let is_faint =
            energy <= bare_max.max(NOISE_COST) + guessed || (energy <= bare_max * 2 && cost > energy);
        if is_faint && cost * 2 > energy {
            return SquareLook { plausible: 1, best: Class::EMPTY, offset_q6: [0; 2] };
        }
        let stance = self.stance(tile, square, piece, cost);
        let mut plausible = u16::from(energy <= bare_max);
        if stance.is_centred && !self.is_rather_in_flight(tile, square, piece) {
            plausible |= self.plausible_pieces(&costs, cost);
        }
        SquareLook { plausible, best: piece, offset_q6: stance.offset_q6 }
    }

    /// Whether a tile that may show `piece`, of which only the look on the other square colour is known, is explained as well
    /// by a piece that is known better and stands off its centre.
    fn is_rather_in_flight(&self, tile: &Tile, square: Square, piece: Class) -> bool {
        let is_spanned = |class: Class| {
            let home = class.content().and_then(|content| self.only_shade(content));
            home.is_some_and(|home| home != Shade::of(square))
        };
        if !is_spanned(piece) {
            return false;
        }
        let energy = u32::from(self.cost(tile, square, Class::EMPTY));
        let explains = |class: Class, [right, down]: [isize; 2]| {
            let cost = u32::from(self.cost_moved(tile, square, class, CellShift { right, down }));
            cost * 100 <= energy * PIECE_RESIDUE_MAX_PERCENT
        };
        let known = |class: &Class| class.content().is_some_and(|content| self.is_known(content));
        let mut others = Class::all().filter(known).filter(|&class| !is_spanned(class));
        others.any(|class| STEPS_ASIDE.iter().any(|&step| explains(class, step)))
    }

    /// The pieces that explain a tile well, where the best of them costs `best_cost`.
    fn plausible_pieces(&self, costs: &[u16; CLASS_COUNT], best_cost: u32) -> u16 {
        let energy = u32::from(costs[0]);
        let mut plausible = 0;
        for (class, cost) in Class::all().zip(costs.map(u32::from)).skip(1) {
            let Some(piece) = class.content().filter(|&piece| self.is_known(piece)) else { continue };
            let residue_max_percent =
                if self.is_measured(piece) { PIECE_RESIDUE_MAX_PERCENT } else { GUESSED_RESIDUE_MAX_PERCENT };
            let near_best = cost <= best_cost * RIVAL_COST_PERCENT / 100 + NOISE_COST;
            if near_best && cost * 100 <= energy * residue_max_percent {
                plausible |= 1 << class.index();
            }
        }
        plausible
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
