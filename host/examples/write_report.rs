//! Makes a page of a PGN game: `cargo run --example write_report -- game.pgn game.html`.

use std::path::Path;

use plyscope::game_record::GameRecord;
use plyscope::judged_game::JudgedGame;
use plyscope::labeller::{Budget, LabelledGame, Labeller};
use plyscope::report::thumbnails::Thumbnails;
use plyscope::report::{Fact, Report};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(pgn), Some(page)) = (arguments.next(), arguments.next()) else {
        return Err("give the name of a PGN and of the page to write".into());
    };
    let record = GameRecord::read_file(Path::new(&pgn))?;
    let labeller = Labeller { budget: Budget::Nodes(20_000), ..Labeller::default() };
    let positions = LabelledGame::of_positions(record.positions().cloned().collect());
    let labels = labeller.label(&positions, &[], &|_progress| {});

    let game = JudgedGame::of_record(&record, &labels);
    let thumbnails = Thumbnails::default();
    let facts = [Fact::new("Game", pgn.as_str())];
    let report =
        Report { game: &game, title: &pgn, unexplained: None, thumbnails: &thumbnails, facts: &facts };
    std::fs::write(&page, report.to_html()?)?;
    println!("{} plies, {} swings: {page}", game.plies.len(), game.swings().count());
    Ok(())
}
