//! Games rendered in many ways and read back: a table that a person can read in a diff. `scripts/matrix` runs the large
//! one.
//!
//! After an intended change: `PLYSCOPE_WRITE_GOLDEN=1 cargo test -p plyscope-tests --test reconstruct_matrix`

mod reading;

use std::fmt::Write;
use std::path::Path;

use plyscope::game_record::GameRecord;
use plyscope::reconstruct::GameReading;
use reading::{FRAMES_OFF_MAX, Fault, Rendering, on_two_threads, read, repository, uci_of, wrong_plies};

#[derive(Clone, Debug)]
struct Case {
    /// A PGN in the repository.
    game: &'static str,
    rendering: Rendering,
}

struct Row {
    plies: usize,
    wrong: usize,
    frames_off: f64,
}

const OPERA: &str = "samples/opera-1858.pgn";
const EN_PASSANT: &str = "samples/en-passant-mate-1928.pgn";
const PROMOTIONS: &str = "samples/promotions-1922.pgn";
const KINGSIDE: &str = "tests/data/slides/castling-kingside.pgn";
const QUEENSIDE: &str = "tests/data/slides/castling-queenside.pgn";

fn case(game: &'static str, size_px: u32, fps: u32, crf: u8, slide_frames: u32) -> Case {
    Case { game, rendering: Rendering { size_px, fps: (fps, 1), crf, slide_frames } }
}

fn examine(case: &Case, folder: &Path) -> Result<Row, Fault> {
    let record = GameRecord::read_file(&repository().join(case.game))?;
    let Rendering { size_px, fps, crf, slide_frames } = case.rendering;
    let stem = Path::new(case.game).file_stem().unwrap_or_default().to_string_lossy();
    let at = |ending: &str| folder.join(format!("{stem}-{size_px}-{}-{crf}-{slide_frames}.{ending}", fps.0));
    let settled_at = case.rendering.write(&record, &at("mp4"))?;
    let reading: GameReading = read(&at("mp4"), None, &at("json"))?;
    let truth: Vec<String> = record.plies.iter().map(|ply| ply.uci.to_string()).collect();
    let off = settled_at.iter().zip(reading.game.plies()).map(|(settled, ply)| {
        (ply.time.us_since(*settled) as f64 / 1e6 * case.rendering.frames_per_second()).abs()
    });
    std::fs::remove_file(at("mp4"))?;
    Ok(Row {
        plies: truth.len(),
        wrong: wrong_plies(&truth, &uci_of(&reading)),
        frames_off: off.fold(0.0, f64::max),
    })
}

/// Runs the cases and compares their table with the one that is kept.
fn assert_table_is(golden: &str, cases: &[Case]) -> Result<(), Fault> {
    let folder = tempfile::tempdir()?;
    let rows = on_two_threads(cases, |case| examine(case, folder.path()));
    let mut table =
        String::from("game                       px  fps  crf  slide | plies  wrong  frames off\n");
    for (case, row) in cases.iter().zip(rows) {
        let Row { plies, wrong, frames_off } = row?;
        let Rendering { size_px, fps, crf, slide_frames } = case.rendering;
        let stem = Path::new(case.game).file_stem().unwrap_or_default().to_string_lossy();
        // Within the two frames that are allowed it may depend on the encoder's version.
        let off = if frames_off <= FRAMES_OFF_MAX { "<= 2".to_owned() } else { format!("{frames_off:.1}") };
        writeln!(
            table,
            "{stem:25} {size_px:3}  {:3}  {crf:3}  {slide_frames:5} | {plies:5}  {wrong:5}  {off:>10}",
            fps.0
        )?;
    }
    let path = repository().join("tests/golden").join(golden);
    if std::env::var_os("PLYSCOPE_WRITE_GOLDEN").is_some() {
        std::fs::create_dir_all(repository().join("tests/golden"))?;
        std::fs::write(&path, &table)?;
    }
    let kept = std::fs::read_to_string(&path)?;
    assert!(table == kept, "another table than {golden}:\n{table}");
    Ok(())
}

#[test]
fn sample_games_are_read_at_every_size_rate_and_quality() -> Result<(), Fault> {
    let mut cases = Vec::new();
    for fps in [5, 10, 30] {
        for crf in [18, 35] {
            cases.push(case(OPERA, 240, fps, crf, 0));
        }
    }
    for game in [EN_PASSANT, PROMOTIONS] {
        cases.push(case(game, 240, 10, 35, 0));
    }
    cases.push(case(OPERA, 480, 10, 35, 0));
    cases.push(case(EN_PASSANT, 720, 5, 18, 0));
    assert_table_is("sample_games.txt", &cases)
}

#[test]
fn slides_of_any_length_with_a_reply_every_half_second_are_read_exactly() -> Result<(), Fault> {
    let mut cases: Vec<Case> = (0..=15).map(|slide| case(KINGSIDE, 240, 30, 18, slide)).collect();
    cases.extend([0, 1, 2, 3, 5, 8, 12, 15].map(|slide| case(QUEENSIDE, 240, 30, 18, slide)));
    assert_table_is("slides.txt", &cases)
}
