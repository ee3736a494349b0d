//! The two charts as SVG paths over the plies: ply 0 (the start) at x = 0, one unit for each ply.

use std::fmt::Write as _;

use serde::Serialize;
use shakmaty::Color;

use super::spoken::{percent, seconds_short};
use crate::judged_game::JudgedGame;

/// Half the height of the time chart that the longest bar takes.
const BAR_HEIGHT_MAX: f64 = 47.0;
/// A bar's width as a share of a ply's.
const BAR_WIDTH: f64 = 0.84;

/// White's win probability; 100 % is at y = 0.
#[derive(Serialize)]
pub(super) struct WinChart {
    width: usize,
    line: String,
    area: String,
    swings: Vec<Dot>,
    summary: String,
}

/// A ply that shifted the balance.
#[derive(Serialize)]
struct Dot {
    x: usize,
    y: String,
    class: &'static str,
}

/// Time for each ply, White's bars upwards.
#[derive(Serialize)]
pub(super) struct TimeChart {
    width: usize,
    white: String,
    black: String,
    most: String,
    summary: String,
}

/// The chart; `None` where no ply was judged.
pub(super) fn win_chart(game: &JudgedGame) -> Option<WinChart> {
    let labels =
        game.plies.iter().enumerate().filter_map(|(i, ply)| Some((i + 1, ply.label.as_ref()?.p.get())));
    let start = game.start_label.as_ref().map(|label| (0, label.p.get()));
    let points: Vec<(usize, f64)> = start.into_iter().chain(labels).collect();
    let (first, last) = (points.first()?, points.last()?);
    let mut line = String::new();
    for (x, p) in &points {
        let command = if line.is_empty() { 'M' } else { 'L' };
        // Writing to a String cannot fail.
        let _ = write!(line, "{command}{x} {}", height(*p));
    }
    // From edge to edge of the picture, half a ply beyond the first and last.
    let (left, right) = (first.0 as f64 - 0.5, last.0 as f64 + 0.5);
    let area = format!("M{left} 105V{}{}H{right}V105z", height(first.1), line.replacen('M', "L", 1));
    let swings: Vec<Dot> = game
        .swings()
        .filter_map(|index| {
            let y = height(game.plies[index].label.as_ref()?.p.get());
            Some(Dot { x: index + 1, y, class: game.quality(index).map_or("gain", |quality| quality.word()) })
        })
        .collect();
    let summary = format!(
        "White's win probability over {} plies, from {} to {}, with {} swings",
        game.plies.len(),
        percent(first.1),
        percent(last.1),
        swings.len()
    );
    Some(WinChart { width: game.plies.len() + 1, line, area, swings, summary })
}

/// The chart; `None` where there is no ply.
pub(super) fn time_chart(game: &JudgedGame) -> Option<TimeChart> {
    let longest = game.plies.iter().map(|ply| ply.think).max()?;
    let most = longest.as_secs_f64().max(f64::MIN_POSITIVE);
    let mut bars = [String::new(), String::new()];
    for (index, ply) in game.plies.iter().enumerate() {
        let color = game.mover(index);
        let high = BAR_HEIGHT_MAX * (ply.think.as_secs_f64() / most).sqrt();
        let left = index as f64 + 1.0 - BAR_WIDTH / 2.0;
        let rise = color.fold_wb(-high, high);
        let path = &mut bars[color.fold_wb(0, 1)];
        let _ = write!(path, "M{left:.2} 50v{rise:.1}h{BAR_WIDTH}v{:.1}z", -rise);
    }
    let summary = format!("Time for each move, the longest {}", seconds_short(longest));
    let [white, black] = bars;
    Some(TimeChart { width: game.plies.len() + 1, white, black, most: seconds_short(longest), summary })
}

fn height(p: f64) -> String {
    format!("{:.1}", 100.0 * (1.0 - p))
}

/// Time that a side took in all, and its longest think.
pub(super) fn times_of(game: &JudgedGame, color: Color) -> Vec<std::time::Duration> {
    // The video does not tell how long the first ply took.
    let plies = game.plies.iter().enumerate().skip(1);
    plies.filter(|&(index, _)| game.mover(index) == color).map(|(_, ply)| ply.think).collect()
}
