//! What the benches measure: boards as luma, positions to explain, and searches at a fixed budget.

use anyhow::{Context, Result};
use plyscope::engine::{Engine, table_memory};
use plyscope::game_record::GameRecord;
use plyscope::render::board_picture::{BoardPicture, Look};
use plyscope::render::coordinates::Coordinates;
use plyscope::render::effects::Effects;
use plyscope::render::layout::Layout;
use plyscope::render::schedule::{Easing, Scene};
use plyscope::render::theme::Theme;
use plyscope_core::judge::hand_crafted::HandCrafted;
use plyscope_core::judge::limits::Limits;
use plyscope_core::judge::transposition_table::TranspositionTable;
use plyscope_core::media_time::MediaTime;
use plyscope_core::track::{Differ, Explanations};
use plyscope_core::vision::{BoardReading, BoardRect, Calibration, LumaView, Orientation, Placement, Retina};
use shakmaty::{Bitboard, Chess, Color, Position};

/// A middlegame comes of it: the ply after the twentieth captures with check, and four plies on White has castled.
const GAME: &str = include_str!("../../samples/opera-1858.pgn");
/// The ply before which positions are taken.
const PLY: usize = 20;

/// The sample game.
///
/// # Errors
///
/// Where the sample is no game.
pub fn sample() -> Result<GameRecord> {
    GameRecord::read(GAME.as_bytes()).context("the sample is no game")
}

/// Luma of the boards after so many plies.
fn draw<const N: usize>(record: &GameRecord, side_px: u32, plies: [usize; N]) -> Result<[Vec<u8>; N]> {
    let look = Look {
        layout: Layout::with_margin(side_px, 0, Color::White)?,
        theme: Theme::Brown,
        coordinates: Coordinates::None,
        highlight: false,
        easing: Easing::Linear,
        effects: Effects::NONE,
    };
    let mut picture = BoardPicture::new(record, look)?;
    Ok(plies.map(|plies| {
        let mut frame = picture.frame(Scene::Still { plies }).to_vec();
        frame.truncate((side_px * side_px) as usize);
        frame
    }))
}

/// A retina that knows the start position, and frames to look at.
pub struct Sight {
    side_px: usize,
    calibration: Calibration,
    retina: Retina,
    /// Luma of the positions before and after a ply.
    frames: [Vec<u8>; 2],
}

impl Sight {
    /// Boards of `side_px`, all of the picture.
    ///
    /// # Errors
    ///
    /// Where the board cannot be drawn, or its start position is not recognised.
    pub fn new(record: &GameRecord, side_px: u32) -> Result<Self> {
        let [start, before, after] = draw(record, side_px, [0, PLY, PLY + 1])?;
        let side_px = side_px as usize;
        let view = LumaView::new(&start, side_px, side_px, side_px)?;
        let rect = BoardRect::from_px(0, 0, side_px as u32, side_px as u32)?;
        let (retina, calibration) =
            Retina::calibrate(&view, rect, Orientation::WhiteBottom, MediaTime::ZERO)?;
        let mut sight = Self { side_px, calibration, retina, frames: [before, after] };
        sight.look(0, MediaTime::ZERO);
        Ok(sight)
    }

    /// Looks at one of the two frames; returns how many squares changed.
    pub fn look(&mut self, frame: usize, time: MediaTime) -> usize {
        let side_px = self.side_px;
        let Some(bytes) = self.frames.get(frame) else { return 0 };
        LumaView::new(bytes, side_px, side_px, side_px)
            .map_or(0, |view| self.retina.look(&view, Bitboard::FULL, time, &self.calibration).count())
    }

    /// What the retina reads now.
    #[must_use]
    pub fn reading(&self) -> BoardReading {
        self.retina.reading()
    }
}

/// A position and a reading of what stands some plies later.
pub struct Riddle {
    from: Chess,
    plies: usize,
    reading: BoardReading,
}

impl Riddle {
    /// The sample's middlegame and the board `plies` later.
    ///
    /// # Errors
    ///
    /// As [`Sight::new`].
    pub fn new(record: &GameRecord, plies: usize) -> Result<Self> {
        let mut sight = Sight::new(record, 480)?;
        let [later] = draw(record, 480, [PLY + plies])?;
        sight.frames[1] = later;
        sight.look(1, MediaTime::from_ms(500));
        let from = record.plies[PLY - 1].after.clone();
        Ok(Self { from, plies, reading: sight.reading() })
    }

    /// Explains the reading; returns how many sequences of plies do.
    #[must_use]
    pub fn explain(&self) -> usize {
        let before = Placement::from(self.from.board());
        let mut budget_nodes = 1_000_000;
        let mut found: Explanations = Explanations::new();
        Differ::new(&self.reading).explain(&self.from, &before, self.plies, &mut budget_nodes, &mut found);
        found.len()
    }
}

/// Searches the sample's middlegame with an empty table of 16 MiB; returns the nodes visited.
#[must_use]
pub fn search(record: &GameRecord, nodes: u64) -> u64 {
    let buckets = table_memory(16);
    let table = TranspositionTable::new(&buckets);
    let Some(ply) = record.plies.get(PLY - 1) else { return 0 };
    Engine::new(&HandCrafted).search(&table, &ply.after, &[], Limits::nodes(nodes), &mut ()).nodes
}
