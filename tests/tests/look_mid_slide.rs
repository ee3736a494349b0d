//! Videos that end, or freeze, while a piece is on its way: what was not played is not written down, or told to be in doubt.

mod reading;

use plyscope::render::schedule::{Easing, Scene};
use plyscope_core::media_time::MediaTime;
use reading::screens::{Follower, Screen, random_game};
use reading::{Fault, on_two_threads};

const VIDEOS: usize = 30;
const FRAME_MS: i64 = 33;
/// A piece so near to the middle of a square, in squares, is seen standing there by a person too.
const ON_A_SQUARE: f64 = 0.12;

/// What comes after the last picture of a slide.
#[derive(Clone, Copy, Debug)]
enum Then {
    /// Nothing: the video ends.
    End,
    /// The picture stands still for two seconds.
    Freeze,
}

/// What a video told: plies that were not played, and how many of them are not told to be in doubt.
#[derive(Clone, Copy, Debug, Default)]
struct Told {
    wrong: usize,
    silent: usize,
}

/// Whether a piece at this share of its way is seen away from the middle of every square.
fn is_between_squares(record: &plyscope::game_record::GameRecord, ply: usize, share_of_way: f64) -> bool {
    let Some(ply) = record.plies.get(ply) else { return false };
    let Some(from) = ply.mv.from() else { return false };
    let to = ply.destination();
    let across = f64::from(to.file() as i32 - from.file() as i32) * share_of_way;
    let up = f64::from(to.rank() as i32 - from.rank() as i32) * share_of_way;
    let off = |way: f64| (way - way.round()).abs();
    off(across).max(off(up)) > ON_A_SQUARE
}

/// Follows a game up to a picture of the slide of its last ply.
fn cut(number: usize, then: Then) -> Result<Told, Fault> {
    // Slides are long enough that each has pictures of all its stages.
    let screen =
        Screen { slide_frames: 12, easing: Easing::Linear, highlight: false, ..Screen::numbered(number) };
    let plies = 4 + number % 12;
    let record = random_game(5000 + number as u64, plies, 700)?;
    let last = record.plies.len() - 1;
    let wanted = (number * 7 % 11 + 1) as f64 / 12.0;
    let mut follower = Follower::new(screen);
    screen.show(&record, |shown| {
        follower.look(&shown.luma, shown.time)?;
        let Scene::Sliding { ply, share_of_time } = shown.scene else { return Ok(true) };
        if ply < last || share_of_time < wanted || !is_between_squares(&record, ply, share_of_time) {
            return Ok(true);
        }
        if matches!(then, Then::Freeze) {
            for frame in 1..60 {
                let time = MediaTime::from_us(shown.time.us() + frame * FRAME_MS * 1000);
                follower.look(&shown.luma, time)?;
            }
        }
        Ok(false)
    })?;
    follower.finish()?;
    let truth: Vec<String> = record.plies.iter().map(|ply| ply.uci.to_string()).collect();
    let read = follower.uci();
    let mut told = Told::default();
    for (index, uci) in read.iter().enumerate().filter(|&(index, uci)| truth.get(index) != Some(uci)) {
        told.wrong += 1;
        if !follower.plies[index].is_ambiguous {
            println!("video {number}: ply {index} is read as {uci}, and was {:?}", truth.get(index));
            told.silent += 1;
        }
    }
    assert!(read.len() + 1 >= truth.len(), "video {number}: plies before the last one are missing: {read:?}");
    Ok(told)
}

fn assert_none_is_silently_wrong(then: Then) -> Result<(), Fault> {
    let numbers: Vec<usize> = (0..VIDEOS).collect();
    let told: Vec<Told> =
        on_two_threads(&numbers, |&number| cut(number, then)).into_iter().collect::<Result<_, _>>()?;
    let (wrong, silent): (usize, usize) =
        told.iter().fold((0, 0), |(wrong, silent), t| (wrong + t.wrong, silent + t.silent));
    println!("{VIDEOS} videos, {then:?} in mid-slide: {wrong} wrong plies, {silent} of them untold");
    assert_eq!(silent, 0);
    Ok(())
}

#[test]
fn no_video_that_ends_in_mid_slide_has_an_untold_wrong_ply() -> Result<(), Fault> {
    assert_none_is_silently_wrong(Then::End)
}

#[test]
fn no_video_that_freezes_in_mid_slide_has_an_untold_wrong_ply() -> Result<(), Fault> {
    assert_none_is_silently_wrong(Then::Freeze)
}
