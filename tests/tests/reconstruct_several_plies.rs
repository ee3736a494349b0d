//! Two, three and four plies between one frame and the next: exact where the pictures determine them, and where they do
//! not, one of the orders that they allow.

mod reading;

use std::ops::Range;
use std::path::Path;
use std::process::Command;

use plyscope::game_record::GameRecord;
use plyscope::reconstruct::GameReading;
use plyscope::render::frame_rate::FrameRate;
use reading::{Fault, Rendering, on_two_threads, read};
use shakmaty::{Chess, Move, Position};

/// Quick openings, a ply every tenth of a second. Each is looked at with two, three and four plies in a step.
const GAMES: [&str; 3] = [
    "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O Bg4 6. h3 Bxf3",
    "1. e4 d5 2. exd5 Qxd5 3. Nc3 Qa5 4. d4 c6 5. Bd2 Qb6 6. Nf3 Qxb2",
    "1. d4 Nf6 2. Bg5 e6 3. e4 h6 4. Bxf6 gxf6 5. d5 e5 6. Qh5 Rg8",
];

fn record(moves: &str) -> Result<GameRecord, Fault> {
    let mut pgn = String::new();
    for word in moves.split(' ') {
        pgn.push_str(word);
        pgn.push_str(if word.ends_with('.') { " " } else { " {[%emt 0:00:00.1]} " });
    }
    pgn.push_str("*\n");
    Ok(GameRecord::read(pgn.as_bytes())?)
}

/// All sequences of so many legal plies from one position to the pieces of another, by trying each.
fn sequences(from: &Chess, to: &Chess, plies: usize, path: &mut Vec<Move>, found: &mut Vec<Vec<Move>>) {
    if plies == 0 {
        if from.board() == to.board() {
            found.push(path.clone());
        }
        return;
    }
    // A ply changes four squares at most.
    let differing =
        shakmaty::Square::ALL.iter().filter(|&&sq| from.board().piece_at(sq) != to.board().piece_at(sq));
    if differing.count() > 4 * plies {
        return;
    }
    for mv in from.legal_moves() {
        let mut next = from.clone();
        next.play_unchecked(mv);
        path.push(mv);
        sequences(&next, to, plies - 1, path, found);
        path.pop();
    }
}

/// The plies that each frame with news shows at once.
fn steps(record: &GameRecord, rate: FrameRate) -> Vec<(u64, Range<usize>)> {
    let mut steps: Vec<(u64, Range<usize>)> = Vec::new();
    for (ply, time) in record.timeline().into_iter().enumerate() {
        let frame = rate.first_frame_at(time);
        match steps.last_mut() {
            Some((shown, plies)) if *shown == frame => plies.end = ply + 1,
            _ => steps.push((frame, ply..ply + 1)),
        }
    }
    steps
}

/// Checks each step; returns how many of two plies and more the pictures determine.
fn assert_steps(record: &GameRecord, rate: FrameRate, reading: &GameReading, what: &str) -> usize {
    let positions: Vec<&Chess> = record.positions().collect();
    let read = reading.game.plies();
    assert_eq!(read.len(), record.plies.len(), "{what}");
    let mut determined = 0;
    for (frame, plies) in steps(record, rate) {
        let (before, after) = (positions[plies.start], positions[plies.end]);
        let mut allowed = Vec::new();
        sequences(before, after, plies.len(), &mut Vec::new(), &mut allowed);
        for fewer in (1..plies.len()).filter(|fewer| (plies.len() - fewer).is_multiple_of(2)) {
            let mut shorter = Vec::new();
            sequences(before, after, fewer, &mut Vec::new(), &mut shorter);
            assert!(shorter.is_empty(), "{what}: the game is no fair test, {fewer} plies do the same");
        }
        let step = &read[plies.clone()];
        let moves: Vec<Move> = step.iter().map(|ply| ply.mv).collect();
        assert!(allowed.contains(&moves), "{what}: plies from {plies:?} are read as {moves:?}");
        for ply in step {
            let off_us = ply.time.us_since(rate.time_of(frame));
            assert!(off_us.abs() <= 1000, "{what}: plies from {plies:?} are seen {off_us} us off");
        }
        if allowed.len() == 1 && plies.len() > 1 {
            determined += 1;
            assert!(step.iter().all(|ply| !ply.is_ambiguous), "{what}: plies from {plies:?} are certain");
        }
    }
    determined
}

fn pictures_of(video: &Path, folder: &Path) -> Result<(), Fault> {
    std::fs::create_dir(folder)?;
    let status = Command::new("ffmpeg")
        .args(["-hide_banner", "-loglevel", "error", "-nostdin", "-i"])
        .arg(video)
        .args(["-fps_mode", "passthrough"])
        .arg(folder.join("frame%d.png"))
        .status()?;
    assert!(status.success());
    Ok(())
}

#[test]
fn up_to_four_plies_between_two_frames_are_exact_where_the_pictures_determine_them() -> Result<(), Fault> {
    let folder = tempfile::tempdir()?;
    let cases: Vec<(usize, usize)> =
        (0..GAMES.len()).flat_map(|game| [2, 3, 4].map(|in_step| (game, in_step))).collect();
    let determined = on_two_threads(&cases, |&(game, in_step)| -> Result<usize, Fault> {
        let record = record(GAMES[game])?;
        let at = |ending: &str| folder.path().join(format!("{game}-{in_step}{ending}"));
        let fps = [(5, 1), (10, 3), (5, 2)][in_step - 2];
        let rate = FrameRate::new(fps.0, fps.1).ok_or("no frame rate")?;
        let longest = steps(&record, rate).iter().map(|(_, plies)| plies.len()).max();
        assert_eq!(longest, Some(in_step));
        let rendering = Rendering { size_px: 240, fps, crf: 18, slide_frames: 0 };
        rendering.write(&record, &at(".mp4"))?;
        let by_video = read(&at(".mp4"), None, &at(".json"))?;
        pictures_of(&at(".mp4"), &at("-pictures"))?;
        let by_pictures = read(&at("-pictures"), Some(rendering.frames_per_second()), &at("-pictures.json"))?;
        let what = |source| format!("game {game}, {in_step} in a step, {source}");
        Ok(assert_steps(&record, rate, &by_video, &what("a video"))
            + assert_steps(&record, rate, &by_pictures, &what("a folder of pictures")))
    });
    let determined: usize = determined.into_iter().sum::<Result<usize, Fault>>()?;
    assert!(determined > 20, "only {determined} steps of several plies are determined by their pictures");
    Ok(())
}
