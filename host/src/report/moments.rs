//! The plies that mattered most, each with what would have been better.

use serde::Serialize;

use super::drawing::{letters, marked_squares};
use super::spoken::moment;
use super::thumbnails::{Thumbnail, Thumbnails};
use crate::judged_game::{JudgedGame, numbered};

/// So many moments are shown at most.
pub(super) const MOMENTS_MAX: usize = 12;
/// So many moves of a better line are shown at most.
const LINE_MOVES_MAX: usize = 8;

/// A ply that shifted the balance.
#[derive(Serialize)]
pub(super) struct MomentView<'a> {
    ply: usize,
    r#move: String,
    sign: Option<&'static str>,
    quality: Option<&'static str>,
    at: String,
    before: String,
    after: String,
    delta: String,
    direction: &'static str,
    line: Vec<LineStep>,
    note: Option<&'a str>,
    picture: Option<&'a Thumbnail>,
}

/// A move of a line that was not played.
#[derive(Serialize)]
struct LineStep {
    number: Option<String>,
    san: String,
    name: String,
    board: String,
    from: usize,
    to: usize,
}

/// The plies that shifted the balance most, the largest shift first.
pub(super) fn largest(game: &JudgedGame) -> Vec<usize> {
    let size = |index: &usize| game.change(*index).map_or(0.0, f64::abs);
    let mut swings: Vec<usize> = game.swings().collect();
    swings.sort_by(|a, b| size(b).total_cmp(&size(a)));
    swings
}

/// The largest shifts as the page shows them.
pub(super) fn moments<'a>(game: &'a JudgedGame, thumbnails: &'a Thumbnails) -> Vec<MomentView<'a>> {
    largest(game)
        .into_iter()
        .take(MOMENTS_MAX)
        .filter_map(|index| moment_view(game, thumbnails, index))
        .collect()
}

fn moment_view<'a>(game: &'a JudgedGame, thumbnails: &'a Thumbnails, index: usize) -> Option<MomentView<'a>> {
    let ply = game.plies.get(index)?;
    let after = ply.label.as_ref()?.p.get();
    let before = game.label_before(index)?.p.get();
    let quality = game.quality(index);
    let whole = |p: f64| format!("{:.0}", p * 100.0);
    Some(MomentView {
        ply: index + 1,
        r#move: format!("{} {}", game.number(index), ply.san),
        sign: quality.map(|quality| quality.sign()),
        quality: quality.map(|quality| quality.word()),
        at: moment(ply.shown_at),
        before: whole(before),
        after: whole(after),
        delta: format!("{:.0}", (after - before).abs() * 100.0),
        direction: if after >= before { "up" } else { "down" },
        line: line_steps(game, index),
        note: ply.note.as_deref(),
        picture: thumbnails.get(index + 1),
    })
}

fn line_steps(game: &JudgedGame, index: usize) -> Vec<LineStep> {
    let Some(better) = game.better(index) else { return Vec::new() };
    let mut before = game.before(index).clone();
    let mut steps = Vec::new();
    for (san, after, mv) in better.moves.into_iter().take(LINE_MOVES_MAX) {
        let mover = shakmaty::Position::turn(&before);
        let number = numbered(&before);
        let (from, to) = marked_squares(mv, mover);
        let name = format!("{number} {san}");
        let is_numbered = steps.is_empty() || mover == shakmaty::Color::White;
        steps.push(LineStep {
            number: is_numbered.then_some(number),
            san: san.to_string(),
            name,
            board: letters(&after),
            from,
            to,
        });
        before = after;
    }
    steps
}
