//! What people draw over a board: arrows and circles over occupied squares, dots, tints, glows, a pointer, a piece in hand.

mod reading;

use plyscope::render::board_picture::BoardPicture;
use plyscope::render::effects::{Effect, Effects, Stage, arrows};
use plyscope::render::schedule::Scene;
use plyscope_core::media_time::MediaTime;
use plyscope_core::vision::{BoardRect, Orientation, Placement, Retina};
use reading::screens::{Follower, Screen, random_game};
use reading::{Fault, on_two_threads, wrong_plies};
use shakmaty::{Bitboard, Position, Square};

const BOARDS: usize = 30;

/// Which squares of a random position with two arrows and a circle over occupied squares are taken for something
/// else, once the looks are known from the start position.
fn wrong_squares(number: usize) -> Result<Vec<String>, Fault> {
    let plies = 8 + number * 2;
    let record = random_game(number as u64, plies, 500)?;
    let screen = Screen { highlight: true, ..Screen::numbered(number) };
    let mut board = BoardPicture::new(&record, screen.look()?)?;
    let side = (screen.side_px * screen.side_px) as usize;
    let rect = BoardRect::from_px(0, 0, screen.side_px, screen.side_px)?;
    let start = board.frame(Scene::Still { plies: 0 })[..side].to_vec();
    let (mut retina, calibration) =
        Retina::calibrate(&screen.view(&start)?, rect, Orientation::WhiteBottom, MediaTime::ZERO)?;

    let position = record.positions().last().ok_or("no position")?;
    let over = arrows(position, number);
    board.draw_staged(Scene::Still { plies: record.plies.len() }, &Stage { over, ..Stage::default() });
    let later = MediaTime::from_ms(2000);
    retina.look(&screen.view(&board.last_frame()[..side])?, Bitboard::FULL, later, &calibration);
    let likeliest = retina.likeliest_reading(&calibration);
    let name = |square: Square| {
        let piece = position.board().piece_at(square).map_or('-', shakmaty::Piece::char);
        format!("{piece}{square}")
    };
    Ok(likeliest.contradicted(&Placement::from(position.board())).into_iter().map(name).collect())
}

#[test]
fn boards_with_two_arrows_over_occupied_squares_are_read_once_calibrated() -> Result<(), Fault> {
    let numbers: Vec<usize> = (0..BOARDS).collect();
    let wrong: Vec<Vec<String>> =
        on_two_threads(&numbers, |&number| wrong_squares(number)).into_iter().collect::<Result<_, _>>()?;
    let right = wrong.iter().filter(|squares| squares.is_empty()).count();
    println!("{right} of {BOARDS} boards with two arrows and a circle over occupied squares are read");
    assert!(right == BOARDS, "wrong squares of each board: {wrong:?}");
    Ok(())
}

const GAMES: usize = 8;
const PLIES: usize = 26;

/// How many plies of a game with a ply every `pause_ms` are not read as they were played.
fn wrong_in_game(number: usize, effects: Effects, pause_ms: u32) -> Result<usize, Fault> {
    let record = random_game(1000 + number as u64, PLIES, pause_ms)?;
    let screen = Screen { effects, ..Screen::numbered(number) };
    let mut follower = Follower::new(screen);
    screen.show(&record, |shown| {
        follower.look(&shown.luma, shown.time)?;
        Ok(true)
    })?;
    follower.finish()?;
    let truth: Vec<String> = record.plies.iter().map(|ply| ply.uci.to_string()).collect();
    let read = follower.uci();
    let is_wrong = |index: &usize| truth.get(*index) != read.get(*index);
    if let Some(index) = (0..truth.len().max(read.len())).find(is_wrong) {
        println!(
            "game {number}: from ply {index} on {:?} is read as {:?}",
            truth.get(index..),
            read.get(index..)
        );
    }
    Ok(wrong_plies(&truth, &read))
}

fn assert_games_with(effects: &[Effect], pause_ms: u32) -> Result<(), Fault> {
    let games: Vec<usize> = (0..GAMES).collect();
    let effects: Effects = effects.iter().copied().collect();
    let wrong = on_two_threads(&games, |&number| wrong_in_game(number, effects, pause_ms));
    let wrong: Vec<usize> = wrong.into_iter().collect::<Result<_, _>>()?;
    assert!(wrong.iter().all(|&plies| plies == 0), "wrong plies of each game: {wrong:?}");
    Ok(())
}

#[test]
fn games_with_arrows_that_stay_for_some_plies_are_read_exactly() -> Result<(), Fault> {
    assert_games_with(&[Effect::Arrows], 700)
}

#[test]
fn games_with_arrows_and_a_ply_every_half_second_are_read_exactly() -> Result<(), Fault> {
    assert_games_with(&[Effect::Arrows], 500)
}

#[test]
fn games_with_dots_tints_and_glows_are_read_exactly() -> Result<(), Fault> {
    assert_games_with(&[Effect::Dots, Effect::Premove, Effect::Check], 700)
}

#[test]
fn games_played_by_a_pointer_that_drags_the_pieces_are_read_exactly() -> Result<(), Fault> {
    assert_games_with(&[Effect::Pointer, Effect::Drag, Effect::Dots], 700)
}
