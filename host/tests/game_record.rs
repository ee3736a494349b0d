//! Real games with real clocks: their timelines against the published ones.

use std::path::PathBuf;

use plyscope::game_record::GameRecord;

/// The shared material, or `None` (said on stderr) where it is absent.
fn shared_games() -> Option<PathBuf> {
    let shared = std::env::var_os("PLYSCOPE_SHARED")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared")), PathBuf::from);
    let games = shared.join("games");
    if games.is_dir() {
        Some(games)
    } else {
        eprintln!("skipped: no games at {}", games.display());
        None
    }
}

#[test]
fn timelines_equal_the_published_ones_of_every_real_game() {
    let Some(games) = shared_games() else { return };
    let mut compared = 0;
    for entry in std::fs::read_dir(games).expect("the folder is readable") {
        let path = entry.expect("the entry is readable").path();
        if path.extension().is_none_or(|extension| extension != "pgn") {
            continue;
        }
        let record = GameRecord::read_file(&path).expect("the game is legal");
        let truth = std::fs::read(path.with_extension("truth.json")).expect("the truth lies beside its game");
        let truth: serde_json::Value = serde_json::from_slice(&truth).expect("the truth is JSON");
        let published = truth["plies"].as_array().expect("the truth has plies");
        let times = record.timeline();
        assert_eq!(times.len(), published.len(), "{}", path.display());
        for ((ply, time), row) in record.plies.iter().zip(times).zip(published) {
            let where_ = format!("{} ply {}", path.display(), row["ply"]);
            assert_eq!(Some(time.seconds()), row["t"].as_f64(), "{where_}");
            assert_eq!(Some(ply.uci.to_string().as_str()), row["uci"].as_str(), "{where_}");
            let coord = ply.destination().to_string().to_uppercase();
            assert_eq!(Some(coord.as_str()), row["coord"].as_str(), "{where_}");
            let captured = ply.captured_at().map(|square| square.to_string().to_uppercase());
            assert_eq!(captured.as_deref(), row["captured"].as_str(), "{where_}");
            compared += 1;
        }
    }
    assert!(compared > 0, "the folder holds no game");
}
