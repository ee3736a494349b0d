//! A box that says the game is over, or the next game, comes before the last ply has stood for long: that ply is written down,
//! and told to be in doubt.

mod reading;

use plyscope::render::schedule::Scene;
use plyscope_core::media_time::MediaTime;
use reading::screens::{Follower, Screen, random_game};
use reading::{Fault, on_two_threads};

const GAMES: usize = 12;
/// How long the last ply is seen before it is covered.
const STAY_MS: i64 = 133;

/// What comes over the board.
#[derive(Clone, Copy, Debug)]
enum Cover {
    /// A bright box over the middle.
    Box,
    /// The same on a board that is dimmed.
    DimmedBox,
    /// The board is dimmed to a third.
    Dimmed,
}

impl Cover {
    fn lay_over(self, luma: &mut [u8], side: usize) {
        let kept_percent = match self {
            Self::Box => 100,
            Self::DimmedBox => 50,
            Self::Dimmed => 35,
        };
        luma.iter_mut().for_each(|luma| *luma = (u32::from(*luma) * kept_percent / 100) as u8);
        if !matches!(self, Self::Dimmed) {
            for row in side / 4..side * 3 / 4 {
                luma[row * side..][side / 8..side * 7 / 8].fill(235);
            }
        }
    }
}

/// Follows a game whose board is covered soon after the last ply; says what was read wrongly.
fn fault_of(number: usize, cover: Cover) -> Result<Option<String>, Fault> {
    let screen = Screen::numbered(number);
    let record = random_game(7000 + number as u64, 5 + number * 2, 700)?;
    let mut follower = Follower::new(screen);
    let mut landed: Option<MediaTime> = None;
    screen.show(&record, |shown| {
        if matches!(shown.scene, Scene::Still { plies } if plies == record.plies.len()) {
            landed.get_or_insert(shown.time);
        }
        let mut luma = shown.luma.clone();
        if landed.is_some_and(|at| shown.time.us_since(at) > STAY_MS * 1000) {
            cover.lay_over(&mut luma, screen.side_px as usize);
        }
        follower.look(&luma, shown.time)?;
        Ok(true)
    })?;
    follower.finish()?;
    let truth: Vec<String> = record.plies.iter().map(|ply| ply.uci.to_string()).collect();
    let read = follower.uci();
    if read != truth {
        return Ok(Some(format!("game {number}, {cover:?}: {truth:?} is read as {read:?}")));
    }
    let is_told = follower.plies.last().is_some_and(|ply| ply.is_ambiguous);
    Ok((!is_told).then(|| format!("game {number}, {cover:?}: the last ply is not told to be in doubt")))
}

#[test]
fn the_last_ply_of_a_board_that_is_covered_at_once_is_read_and_told_to_be_in_doubt() -> Result<(), Fault> {
    for cover in [Cover::Box, Cover::DimmedBox, Cover::Dimmed] {
        let numbers: Vec<usize> = (0..GAMES).collect();
        let faults = on_two_threads(&numbers, |&number| fault_of(number, cover));
        let faults: Vec<String> =
            faults.into_iter().filter_map(Result::transpose).collect::<Result<_, _>>()?;
        assert!(faults.is_empty(), "{faults:#?}");
    }
    Ok(())
}
