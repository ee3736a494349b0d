//! Several games in one video, boards that are moved, and videos that begin in the middle of a game.

mod reading;

use std::path::Path;

use plyscope::reconstruct::Reading;
use reading::{Fault, draw_for, read_games, uci_of};
use shakmaty::Color::{self, Black, White};
use shakmaty::Position;

const WIDTH_PX: u32 = 560;
const HEIGHT_PX: u32 = 340;
const FRAMES_PER_SECOND: f64 = 5.0;
const ITALIAN: &str = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. Ng5 d5 5. exd5 Na5 *";
const ITALIAN_PLIES: [&str; 10] =
    ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "g8f6", "f3g5", "d7d5", "e4d5", "c6a5"];
const INDIAN: &str = "1. d4 Nf6 2. c4 e6 3. Nc3 Bb4 4. Qc2 O-O *";
const INDIAN_PLIES: [&str; 8] = ["d2d4", "g8f6", "c2c4", "e7e6", "b1c3", "f8b4", "d1c2", "e8g8"];

/// Where a board stands in the picture, and who sits at its bottom.
#[derive(Clone, Copy)]
struct Seat {
    left: u32,
    top: u32,
    side: u32,
    bottom: Color,
}

const SEAT: Seat = Seat { left: 20, top: 10, side: 320, bottom: White };

/// The board after so many plies of a game, for so many seconds.
type Shown = (Seat, &'static str, usize, u32);

/// A game ply by ply, a second each.
fn played(seat: Seat, game: &'static str, plies: std::ops::RangeInclusive<usize>) -> Vec<Shown> {
    plies.map(|ply| (seat, game, ply, 1)).collect()
}

fn read(shown: &[Shown]) -> Result<Reading, Fault> {
    let folder = tempfile::tempdir()?;
    let pictures = folder.path().join("pictures");
    std::fs::create_dir(&pictures)?;
    let mut number = 0;
    for &(seat, game, plies, seconds) in shown {
        let board = draw_for(seat.bottom, game, plies, seat.side)?;
        let mut picture = vec![90; (WIDTH_PX * HEIGHT_PX) as usize];
        for (row, pixels) in board.chunks(seat.side as usize).enumerate() {
            let start = (seat.top as usize + row) * WIDTH_PX as usize + seat.left as usize;
            picture[start..start + pixels.len()].copy_from_slice(pixels);
        }
        for _ in 0..seconds * FRAMES_PER_SECOND as u32 {
            save(&pictures.join(format!("{number:05}.png")), &picture)?;
            number += 1;
        }
    }
    read_games(None, &pictures, Some(FRAMES_PER_SECOND), &folder.path().join("answer.json"))
}

fn save(path: &Path, luma: &[u8]) -> Result<(), Fault> {
    Ok(image::save_buffer(path, luma, WIDTH_PX, HEIGHT_PX, image::ColorType::L8)?)
}

#[test]
fn games_on_one_board_are_told_apart_when_colours_are_swapped_and_the_first_ply_comes_at_once()
-> Result<(), Fault> {
    let black = Seat { bottom: Black, ..SEAT };
    let mut shown = played(SEAT, ITALIAN, 0..=10);
    shown.extend(played(black, INDIAN, 0..=8));
    shown.extend(played(black, ITALIAN, 0..=10));
    let reading = read(&shown)?;
    assert_eq!(reading.games_seen, 3);
    let plies: Vec<_> = reading.games.iter().map(uci_of).collect();
    assert_eq!(plies, [ITALIAN_PLIES.to_vec(), INDIAN_PLIES.to_vec(), ITALIAN_PLIES.to_vec()]);
    assert!(reading.games.iter().all(|game| game.unexplained.is_empty()));
    Ok(())
}

#[test]
fn another_game_elsewhere_in_the_picture_is_another_game() -> Result<(), Fault> {
    let mut shown = played(SEAT, ITALIAN, 0..=10);
    let other = Seat { left: 250, top: 50, side: 264, bottom: Black };
    shown.push((other, INDIAN, 0, 4));
    shown.extend(played(other, INDIAN, 1..=8));
    let reading = read(&shown)?;
    let plies: Vec<_> = reading.games.iter().map(uci_of).collect();
    assert_eq!(plies, [ITALIAN_PLIES.to_vec(), INDIAN_PLIES.to_vec()]);
    Ok(())
}

#[test]
fn plies_taken_back_to_the_start_are_no_other_game() -> Result<(), Fault> {
    let mut shown = played(SEAT, ITALIAN, 0..=2);
    shown.push((SEAT, ITALIAN, 0, 4));
    shown.extend(played(SEAT, INDIAN, 1..=8));
    let reading = read(&shown)?;
    assert_eq!(reading.games_seen, 1);
    assert_eq!(uci_of(&reading.games[0]), INDIAN_PLIES);
    assert_eq!(reading.games[0].game.taken_back().len(), 1);
    Ok(())
}

#[test]
fn a_board_that_is_moved_resized_or_turned_goes_on_with_its_game() -> Result<(), Fault> {
    let seats = [
        Seat { left: 221, top: 13, ..SEAT },
        Seat { left: 60, top: 40, side: 248, bottom: White },
        Seat { bottom: Black, ..SEAT },
    ];
    for seat in seats {
        // A ply is played on the old board, and the next when the board is already elsewhere.
        let mut shown = played(SEAT, ITALIAN, 0..=4);
        shown.extend(played(seat, ITALIAN, 4..=10));
        let reading = read(&shown)?;
        assert_eq!(reading.games_seen, 1);
        let game = &reading.games[0];
        assert_eq!(uci_of(game), ITALIAN_PLIES, "{} {} {}", seat.left, seat.side, seat.bottom);
        // Ply 6 stands after seven seconds.
        assert_eq!(game.game.plies()[5].time.seconds(), 7.0);
    }
    Ok(())
}

#[test]
fn a_game_that_is_joined_in_its_middle_is_read_from_the_picture() -> Result<(), Fault> {
    for bottom in [White, Black] {
        let mut shown = vec![(Seat { bottom, ..SEAT }, ITALIAN, 5, 3)];
        shown.extend(played(Seat { bottom, ..SEAT }, ITALIAN, 6..=10));
        let reading = read(&shown)?;
        let game = &reading.games[0];
        // It begins as soon as all pieces can be told for certain.
        let plies = uci_of(game);
        assert!(ITALIAN_PLIES.ends_with(&plies.iter().map(String::as_str).collect::<Vec<_>>()), "{plies:?}");
        assert!(plies.len() >= 4 && game.beginning.is_read, "{plies:?}");
        assert_eq!(game.game.start().turn(), if plies.len().is_multiple_of(2) { White } else { Black });
    }
    Ok(())
}
