//! A board that is hidden for a while, or goes back: the game is taken up again where the rules allow it.

mod reading;

use std::path::Path;

use plyscope::reconstruct::GameReading;
use reading::{Fault, draw, read, uci_of};

const SIDE_PX: u32 = 240;
const FRAMES_PER_SECOND: f64 = 5.0;
const GAME: &str = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O f6 6. d4 exd4 *";
/// As the game, but for Black's third ply and those after.
const OTHER: &str = "1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6 4. O-O Nxe4 *";

/// What the pictures show.
#[derive(Clone, Copy)]
enum Shown {
    /// The board after the first plies of a game.
    Plies(&'static str, usize),
    /// The same, with a box over the middle of the board.
    Covered(&'static str, usize),
    /// Nothing.
    Black,
}

fn picture_of(shown: Shown) -> Result<Vec<u8>, Fault> {
    let (moves, plies) = match shown {
        Shown::Plies(moves, plies) | Shown::Covered(moves, plies) => (moves, plies),
        Shown::Black => return Ok(vec![0; (SIDE_PX * SIDE_PX) as usize]),
    };
    let mut frame = draw(moves, plies, SIDE_PX)?;
    if matches!(shown, Shown::Covered(..)) {
        for row in 70..190 {
            frame[row * SIDE_PX as usize..][40..200].fill(245);
        }
    }
    Ok(frame)
}

/// Reads pictures of these boards, each shown for so many seconds.
fn read_pictures(shown: &[(Shown, u32)]) -> Result<GameReading, Fault> {
    let folder = tempfile::tempdir()?;
    let pictures = folder.path().join("pictures");
    std::fs::create_dir(&pictures)?;
    let mut number = 0;
    for &(shown, seconds) in shown {
        let picture = picture_of(shown)?;
        for _ in 0..seconds * FRAMES_PER_SECOND as u32 {
            save(&pictures.join(format!("{number:05}.png")), &picture)?;
            number += 1;
        }
    }
    read(&pictures, Some(FRAMES_PER_SECOND), &folder.path().join("answer.json"))
}

fn save(path: &Path, luma: &[u8]) -> Result<(), Fault> {
    Ok(image::save_buffer(path, luma, SIDE_PX, SIDE_PX, image::ColorType::L8)?)
}

/// The first plies of [`GAME`] one after the other, two seconds each.
fn played(plies: std::ops::RangeInclusive<usize>) -> Vec<(Shown, u32)> {
    plies.map(|ply| (Shown::Plies(GAME, ply), 2)).collect()
}

const PLIES: [&str; 12] =
    ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5c6", "d7c6", "e1g1", "f7f6", "d2d4", "e5d4"];

#[test]
fn plies_played_while_the_board_was_black_are_read_when_it_is_back() -> Result<(), Fault> {
    let mut shown = played(0..=4);
    shown.push((Shown::Black, 6));
    shown.extend(played(10..=12));
    let reading = read_pictures(&shown)?;
    assert_eq!(uci_of(&reading), PLIES);
    assert!(!reading.unexplained.is_empty(), "the black stretch is told");
    Ok(())
}

#[test]
fn a_box_over_the_board_makes_no_plies_and_loses_none() -> Result<(), Fault> {
    let mut shown = played(0..=5);
    shown.extend((5..=7).map(|ply| (Shown::Covered(GAME, ply), 2)));
    shown.extend(played(7..=12));
    assert_eq!(uci_of(&read_pictures(&shown)?), PLIES);
    Ok(())
}

#[test]
fn plies_taken_back_leave_the_game_and_are_remembered() -> Result<(), Fault> {
    let mut shown = played(0..=7);
    shown.push((Shown::Plies(GAME, 5), 4));
    shown.extend((6..=8).map(|ply| (Shown::Plies(OTHER, ply), 2)));
    let reading = read_pictures(&shown)?;
    assert_eq!(uci_of(&reading), ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "g8f6", "e1g1", "f6e4"]);
    let [back] = reading.game.taken_back() else { panic!("one time plies were taken back") };
    assert_eq!((back.after_ply, back.plies.len()), (5, 2));
    Ok(())
}

#[test]
fn a_look_back_changes_nothing() -> Result<(), Fault> {
    let mut shown = played(0..=7);
    shown.push((Shown::Plies(GAME, 6), 4));
    shown.push((Shown::Plies(GAME, 5), 4));
    shown.extend(played(6..=12));
    let reading = read_pictures(&shown)?;
    assert_eq!(uci_of(&reading), PLIES);
    assert!(reading.game.taken_back().is_empty());
    let straight = read_pictures(&played(0..=7))?;
    for (ply, before) in reading.game.plies().iter().zip(straight.game.plies()) {
        assert_eq!(ply.time, before.time);
    }
    Ok(())
}

#[test]
fn another_game_on_the_board_adds_nothing_to_this_one() -> Result<(), Fault> {
    let mut shown = played(0..=8);
    shown.push((Shown::Plies(GAME, 0), 6));
    let reading = read_pictures(&shown)?;
    assert_eq!(uci_of(&reading), PLIES[..8]);
    assert!(reading.unexplained.is_empty(), "the start position of a game that was not played");
    Ok(())
}
