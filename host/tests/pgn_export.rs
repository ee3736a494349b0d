//! Exported games, read by somebody else's reader.

use std::path::Path;
use std::process::Command;

use plyscope::game_record::GameRecord;
use plyscope::pgn_export::{ExportEval, ExportPly, PgnExport};

/// Prints each ply of a PGN as `uci emt eval`, the evaluation from White's view in centipawns or mate in moves.
const READER: &str = "
import sys, chess.pgn
game = chess.pgn.read_game(sys.stdin)
assert not game.errors, game.errors
print(game.headers['White'], game.headers['Result'])
for node in game.mainline():
    score = node.eval().white()
    shown = score.score() if score.mate() is None else f'#{score.mate()}'
    print(node.move.uci(), round(node.emt(), 3), shown)
";

/// A Python that has python-chess: the one at `target/python-chess` or the system's.
fn python() -> Option<String> {
    let venv = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/python-chess/bin/python");
    let has_chess = |python: &String| {
        Command::new(python)
            .args(["-c", "import chess.pgn"])
            .output()
            .is_ok_and(|output| output.status.success())
    };
    [venv.to_string_lossy().into_owned(), "python3".to_owned()].into_iter().find(has_chess)
}

#[test]
fn python_chess_reads_moves_times_and_evaluations() {
    let Some(python) = python() else {
        eprintln!(
            "skipped: no python-chess; `python3 -m venv target/python-chess` and install `chess` there"
        );
        return;
    };
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples");
    for name in ["opera-1858", "promotions-1922", "en-passant-mate-1928"] {
        let record = GameRecord::read_file(&samples.join(name).with_extension("pgn")).expect("legal");
        let shown = record.timeline();
        let plies: Vec<ExportPly> = (0_i32..)
            .zip(record.plies.iter().zip(&shown))
            .map(|(index, (ply, &shown_at))| {
                let eval = if index % 3 == 2 {
                    ExportEval::Mate(index - 20)
                } else {
                    ExportEval::Centipawns(index * 37 - 500)
                };
                // python-chess has no mate in 0 with a side; that one is left to our own tests.
                let eval = if eval == ExportEval::Mate(0) { ExportEval::Mate(1) } else { eval };
                ExportPly { eval: Some(eval), ..ExportPly::new(ply.mv, shown_at) }
            })
            .collect();
        let mut pgn = Vec::new();
        let export =
            PgnExport { tags: &record.tags, start: &record.start, plies: &plies, result: record.result };
        export.write(&mut pgn).expect("memory takes it");

        let mut expected = format!("{} {}\n", record.tag("White").expect("a name"), record.result);
        let mut previous_s = 0.0;
        for (ply, written) in record.plies.iter().zip(&plies) {
            let elapsed_s = ((written.shown_at.seconds() - previous_s) * 1000.0).round() / 1000.0;
            previous_s = written.shown_at.seconds();
            let eval = match written.eval.expect("set above") {
                ExportEval::Centipawns(cp) => cp.to_string(),
                ExportEval::Mate(moves) => format!("#{moves}"),
            };
            expected += &format!("{} {elapsed_s:?} {eval}\n", ply.uci);
        }
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        std::fs::write(file.path(), pgn).expect("it takes the PGN");
        let input = std::fs::File::open(file.path()).expect("it opens");
        let output = Command::new(&python).args(["-c", READER]).stdin(input).output().expect("Python starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{name}");
    }
}
