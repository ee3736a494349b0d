use std::io::Cursor;

use super::*;

/// What the engine answers to a script of lines.
fn answers(script: &str) -> Vec<String> {
    let written: Arc<Mutex<Vec<u8>>> = Arc::default();
    let output: Output = written.clone();
    run(Cursor::new(script.to_owned()), output).unwrap();
    let written = written.lock().unwrap().clone();
    String::from_utf8(written).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn the_handshake_names_the_engine_and_its_options() {
    let lines = answers("uci\nisready\nquit\n");
    assert!(lines[0].starts_with("id name Plyscope"));
    assert!(lines.iter().any(|line| line.starts_with("option name Hash type spin")));
    assert_eq!(lines[lines.len() - 2..], ["uciok", "readyok"]);
}

#[test]
fn a_search_reports_its_depths_and_answers_with_a_legal_move() {
    let lines = answers(
        "setoption name UCI_ShowWDL value true\nsetoption name Hash value 1\nposition startpos moves e2e4 e7e5\n\
         go nodes 5000\n",
    );
    let (last, infos) = lines.split_last().unwrap();
    assert!(last.starts_with("bestmove "), "{last}");
    assert!(!infos.is_empty());
    for (i, info) in infos.iter().enumerate() {
        assert!(info.starts_with(&format!("info depth {} ", i + 1)), "{info}");
        let wdl: Vec<i32> = info
            .split(" wdl ")
            .nth(1)
            .unwrap()
            .split_whitespace()
            .take(3)
            .map(|word| word.parse().unwrap())
            .collect();
        assert_eq!(wdl.iter().sum::<i32>(), 1000, "{info}");
    }
}

#[test]
fn a_mate_is_announced_and_a_finished_game_has_no_best_move() {
    let lines = answers("position fen 6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1\ngo depth 3\n");
    assert!(lines.iter().any(|line| line.contains("score mate 1 ")), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("bestmove d1d8")));
    let lines = answers("position fen 7k/5KQ1/8/8/8/8/8/8 b - - 0 1\ngo depth 3\n");
    assert_eq!(lines, ["info depth 0 score mate 0", "bestmove (none)"]);
}

#[test]
fn an_endless_search_answers_only_when_stopped() {
    let lines = answers("go infinite\nisready\nstop\nisready\nquit\n");
    let at = |wanted: &str| lines.iter().position(|line| line.starts_with(wanted)).unwrap();
    assert!(at("readyok") < at("bestmove"), "{lines:?}");
    assert_eq!(lines.last().unwrap(), "readyok");
}

#[test]
fn more_threads_play_a_legal_move_as_well() {
    let lines = answers("setoption name Threads value 3\nposition startpos\ngo depth 6\n");
    assert!(lines.last().unwrap().starts_with("bestmove "));
}

#[test]
fn nonsense_is_answered_and_changes_nothing() {
    let lines = answers(
        "xyzzy\nposition startpos moves e2e5\nposition fen 8/8 w\nsetoption name Hash value 0\n\
         setoption name EvalNet value nowhere.plynet\ngo depth 1\n",
    );
    assert_eq!(lines.iter().filter(|line| line.starts_with("info string")).count(), 5, "{lines:?}");
    assert!(lines.last().unwrap().starts_with("bestmove "));
}
