//! The engine as another program sees it: python-chess plays a whole game with it.

use std::{path::Path, process::Command};

/// Plays both sides by different limits until the game ends or for 200 plies, and checks every reply.
const MATCH: &str = r#"
import sys, chess, chess.engine
with chess.engine.SimpleEngine.popen_uci([sys.argv[1], "uci"]) as engine:
    engine.configure({"Hash": 4, "UCI_ShowWDL": True})
    board = chess.Board()
    limits = [chess.engine.Limit(nodes=300), chess.engine.Limit(white_clock=1.0, black_clock=1.0, white_inc=0.0, black_inc=0.0),
              chess.engine.Limit(time=0.005), chess.engine.Limit(depth=3)]
    while not board.is_game_over(claim_draw=True) and board.ply() < 200:
        result = engine.play(board, limits[board.ply() % len(limits)], info=chess.engine.INFO_ALL)
        assert result.move in board.legal_moves, (result.move, board.fen())
        assert result.info["depth"] >= 1 and "wdl" in result.info, result.info
        board.push(result.move)
    assert board.is_game_over(claim_draw=True) or board.ply() == 200
    with engine.analysis(chess.Board()) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 4:
                break
    engine.ping()
    mate = engine.analyse(chess.Board("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"), chess.engine.Limit(depth=4))
    assert mate["score"].white() == chess.engine.Mate(1), mate
print("done after", board.ply())
"#;

#[test]
fn python_chess_plays_a_whole_game_with_the_engine() {
    let venv = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/python-chess/bin/python");
    let has_chess = |python: &String| {
        Command::new(python)
            .args(["-c", "import chess.engine"])
            .output()
            .is_ok_and(|output| output.status.success())
    };
    let found = [venv.to_string_lossy().into_owned(), "python3".to_owned()].into_iter().find(has_chess);
    let Some(python) = found else {
        eprintln!("skipped: no python-chess; scripts/python-with-chess sets it up");
        return;
    };
    let output = Command::new(python)
        .args(["-c", MATCH, env!("CARGO_BIN_EXE_plyscope")])
        .output()
        .expect("Python starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("done after"));
}
