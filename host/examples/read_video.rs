//! Reads the plies of a video and prints them with their times: `cargo run --example read_video -- game.mp4`.

use std::path::Path;

use plyscope::game_record::TimeControl;
use plyscope::judged_game::JudgedGame;
use plyscope::labeller::{Budget, Labeller};
use plyscope::reconstruct::{Answers, CheckpointFile, Reconstruction};
use plyscope::video::{OrientationChoice, VideoInput};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let video = std::env::args().nth(1).ok_or("give the name of a video")?;
    let input = VideoInput::open(Path::new(&video), None)?;

    // The answer is kept on disk while the video is read; "-" would keep it for standard output.
    let path = std::env::temp_dir().join("plyscope-example-answer.json");
    let mut answer = Answers::open(&path, None)?;
    let checkpoint = CheckpointFile::beside(&answer, &path);
    let job = Reconstruction {
        start: None,
        game: None,
        orientation: OrientationChoice::Auto,
        labeller: Some(Labeller { budget: Budget::Nodes(20_000), ..Labeller::default() }),
        engine: None,
        resume: false,
        settings: String::new(),
    };
    let reading = job.run(&input, &mut answer, &checkpoint, &|_progress| {})?;
    checkpoint.remove();

    let first = reading.first().ok_or("the video shows no game")?;
    let game = JudgedGame::of_video(&first.game, &first.labels, &TimeControl::Unknown);
    for (index, ply) in game.plies.iter().enumerate() {
        let sign = game.quality(index).map_or("", |quality| quality.sign());
        let p = ply.label.as_ref().map_or(f64::NAN, |label| label.p.get());
        println!("{:9.3} s  {} {}{sign}  p = {p:.2}", ply.shown_at.seconds(), game.number(index), ply.san);
    }
    Ok(())
}
