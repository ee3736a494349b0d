//! Videos that begin in a known position other than the start.

mod reading;

use std::path::Path;

use plyscope::game_record::GameRecord;
use plyscope::reconstruct::GameReading;
use plyscope::render::board_picture::Look;
use plyscope::render::coordinates::Coordinates;
use plyscope::render::effects::Effects;
use plyscope::render::encoder::Encoding;
use plyscope::render::frame_rate::FrameRate;
use plyscope::render::layout::Layout;
use plyscope::render::schedule::{Easing, Slide};
use plyscope::render::theme::Theme;
use plyscope::render::{RenderOptions, render_to_file};
use reading::{Fault, read_games, uci_of};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Color};

/// A position of a game, most pieces on one square colour or two.
const MIDDLE: &str = "r2r2k1/pp2p1bp/4n1p1/2p2pP1/2pP1P2/2P1PNBP/PP6/R4RK1 w - - 1 21";
/// No queen is on the board until one is promoted.
const PAWNS: &str = "8/4P1k1/8/8/1p6/8/6K1/8 w - - 0 1";
/// The start position without castling.
const NO_CASTLING: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1";

/// Renders moves of one second each from a position, with slides and marks, White or Black at the bottom, and reads them.
fn reread(fen: &str, moves: &str, bottom: Color, slide: Slide) -> Result<GameReading, Fault> {
    let folder = tempfile::tempdir()?;
    let paced: Vec<String> = moves.split(' ').map(|mv| format!("{mv} {{[%emt 0:00:01]}}")).collect();
    let pgn = format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n{} *\n", paced.join(" "));
    let record = GameRecord::read(pgn.as_bytes())?;
    let rate = FrameRate::new(10, 1).ok_or("no frame rate")?;
    let options = RenderOptions {
        look: Look {
            layout: Layout::with_margin(320, 24, bottom)?,
            theme: Theme::Brown,
            coordinates: Coordinates::Inside,
            highlight: true,
            easing: Easing::Linear,
            effects: Effects::NONE,
        },
        slide,
        tail: std::time::Duration::from_secs(2),
        encoding: Encoding { rate, crf: 23, preset: "veryfast".to_owned(), drop_repeats: false },
    };
    let video = folder.path().join("video.mp4");
    render_to_file(&record, &options, &video, |_, _| {})?;
    read_fen(fen, &video, &folder.path().join("answer.json"))
}

fn read_fen(fen: &str, video: &Path, answer: &Path) -> Result<GameReading, Fault> {
    let start: Chess = fen.parse::<Fen>()?.into_position(CastlingMode::Standard)?;
    read_games(Some(start), video, None, answer)?.games.into_iter().next().ok_or_else(|| "no game".into())
}

#[test]
fn a_game_from_its_middle_is_read_whoever_sits_at_the_bottom() -> Result<(), Fault> {
    for (bottom, slide) in [(Color::White, Slide::Instant), (Color::Black, Slide::Frames(2))] {
        let reading = reread(MIDDLE, "a4 Kf7 Rfc1 a6 Ne5+ Bxe5 dxe5 Nc7 Rd1 Ne6 Kf2 h6 Rd6", bottom, slide)?;
        let plies = "a2a4 g8f7 f1c1 a7a6 f3e5 g7e5 d4e5 e6c7 c1d1 c7e6 g1f2 h7h6 d1d6";
        assert_eq!(uci_of(&reading).join(" "), plies, "{bottom:?}");
        assert!(reading.unexplained.is_empty() && reading.game.plies().iter().all(|ply| !ply.is_ambiguous));
    }
    Ok(())
}

#[test]
fn a_queen_that_was_never_seen_is_known_from_its_promotion_on() -> Result<(), Fault> {
    let moves = "e8=Q b3 Qe5+ Kh7 Qb2 Kg8 Qc3 b2 Kf2 b1=Q Qe3 Qb7 Qe5 Qb6+ Kf3 Qc6+";
    let reading = reread(PAWNS, moves, Color::White, Slide::Instant)?;
    let plies = "e7e8q b4b3 e8e5 g7h7 e5b2 h7g8 b2c3 b3b2 g2f2 b2b1q c3e3 b1b7 e3e5 b7b6 f2f3 b6c6";
    assert_eq!(uci_of(&reading).join(" "), plies);
    assert!(reading.game.plies()[0].is_ambiguous, "any piece might look so");
    Ok(())
}

#[test]
fn what_may_not_castle_starts_from_its_own_position() -> Result<(), Fault> {
    let reading = reread(NO_CASTLING, "e4 e5 Ke2 Nf6", Color::White, Slide::Instant)?;
    assert_eq!(uci_of(&reading), ["e2e4", "e7e5", "e1e2", "g8f6"]);
    Ok(())
}

#[test]
fn a_board_that_shows_another_position_is_not_taken() -> Result<(), Fault> {
    let folder = tempfile::tempdir()?;
    let pixels = reading::draw("1. e4 *", 1, 240)?;
    let pictures = folder.path().join("pictures");
    std::fs::create_dir(&pictures)?;
    image::save_buffer(pictures.join("0.png"), &pixels, 240, 240, image::ColorType::L8)?;
    let start: Chess = MIDDLE.parse::<Fen>()?.into_position(CastlingMode::Standard)?;
    let fault = read_games(Some(start), &pictures, Some(1.0), &folder.path().join("answer.json"));
    let said = fault.err().ok_or("it was taken")?.to_string();
    assert!(said.contains("no board in the position of --fen"), "{said}");
    Ok(())
}
