//! Says what a position is worth: `cargo run --example judge_position -- "FEN"` (default: the start position).

use plyscope::labeller::{Budget, LabelledGame, Labeller};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let position: Chess = match std::env::args().nth(1) {
        Some(fen) => fen.parse::<Fen>()?.into_position(CastlingMode::Standard)?,
        None => Chess::default(),
    };
    let labeller = Labeller { budget: Budget::Nodes(200_000), ..Labeller::default() };
    let game = LabelledGame::of_positions(vec![position]);
    for label in labeller.label(&game, &[], &|_progress| {}) {
        println!("White's win probability: {:.3}", label.p.get());
        println!("score: {:?}, depth {}", label.score.kind(), label.search.depth);
        println!("best line: {}", label.search.line.join(" "));
    }
    Ok(())
}
