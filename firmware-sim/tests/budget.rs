//! The core in a memory budget on this computer, by the command.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples").join(name)
}

fn run(game: &str, arguments: &[&str]) -> std::io::Result<Output> {
    Command::new(env!("CARGO_BIN_EXE_plyscope-firmware-sim"))
        .args(["run", "--format", "json", "--input"])
        .arg(sample(game))
        .args(arguments)
        .output()
}

fn report(game: &str, arguments: &[&str]) -> Result<Value, Box<dyn std::error::Error>> {
    let output = run(game, arguments)?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[test]
fn the_whole_way_runs_in_64_kib_and_reads_every_sample() -> Outcome {
    for game in ["opera-1858.pgn", "evergreen-1852.pgn", "en-passant-mate-1928.pgn", "promotions-1922.pgn"] {
        let report = report(game, &["--budget-kib", "64", "--nodes", "300"])?;
        assert_eq!(report["t1_f1"], 1.0, "{game}");
        assert!(report["bytes"].as_u64() <= Some(64 * 1024), "{game}");
        let stages = report["stage_bytes"].as_object().ok_or("no stages")?;
        let sum: u64 = stages.values().filter_map(Value::as_u64).sum();
        assert_eq!(Some(sum), report["bytes"].as_u64());
    }
    Ok(())
}

#[test]
fn memory_changes_labels_at_most_and_never_what_is_seen() -> Outcome {
    let seen = |report: &Value| -> Vec<[Value; 4]> {
        let fields = ["type", "color", "coord", "game_clock_s"];
        let events = report["events"].as_array().into_iter().flatten();
        events.map(|e| fields.map(|field| e[field].clone())).collect()
    };
    let small = report("opera-1858.pgn", &["--budget-kib", "64", "--nodes", "300"])?;
    let large = report("opera-1858.pgn", &["--budget-kib", "2048", "--nodes", "300"])?;
    assert_eq!((&small["profile"], &large["profile"]), (&"small".into(), &"large".into()));
    assert_eq!(seen(&small), seen(&large));
    assert_eq!(seen(&small).len(), 45);
    Ok(())
}

#[test]
fn an_image_that_only_sees_calls_every_ply_equal() -> Outcome {
    let report = report("opera-1858.pgn", &["see", "--budget-kib", "64"])?;
    let events = report["events"].as_array().ok_or("no events")?;
    assert!(events.iter().filter(|e| e["type"] == "move").all(|e| e["leader_after"] == "equal"));
    Ok(())
}

#[test]
fn a_budget_that_is_too_small_is_wrong_usage_and_says_what_it_takes() -> Outcome {
    let output = run("opera-1858.pgn", &["--budget-kib", "8"])?;
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr)?;
    assert!(message.contains("give at least --budget-kib 40"), "{message}");
    Ok(())
}

#[test]
fn without_the_emulator_a_machine_is_refused_in_a_sentence_and_a_budget_still_works() -> Outcome {
    let nowhere = tempfile::tempdir()?;
    let run_without = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_plyscope-firmware-sim"))
            .env("PATH", nowhere.path())
            .args(["run", "see", "--input"])
            .arg(sample("opera-1858.pgn"))
            .args(arguments)
            .output()
    };
    let refused = run_without(&["--machine", "microbit"])?;
    assert_eq!(refused.status.code(), Some(1));
    let message = String::from_utf8(refused.stderr)?;
    assert!(message.contains("qemu-system-arm is missing: install it"), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    let output = run_without(&["--budget-kib", "16"])?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8(output.stdout)?.contains("45 rows. Against the host: T1 F1 1.0000"));
    Ok(())
}

#[test]
fn recorded_frames_are_read_as_the_game_they_were_made_from() -> Outcome {
    let folder = tempfile::tempdir()?;
    let (frames, rows) = (folder.path().join("frames"), folder.path().join("rows.json"));
    let of_game =
        run("opera-1858.pgn", &["see", "--budget-kib", "16", "--save-frames", &frames.to_string_lossy()])?;
    assert!(of_game.status.success(), "{}", String::from_utf8_lossy(&of_game.stderr));
    let of_frames = Command::new(env!("CARGO_BIN_EXE_plyscope-firmware-sim"))
        .args(["run", "see", "--budget-kib", "16", "--input"])
        .arg(&frames)
        .arg("-o")
        .arg(&rows)
        .output()?;
    assert!(of_frames.status.success(), "{}", String::from_utf8_lossy(&of_frames.stderr));
    let game: Value = serde_json::from_slice(&of_game.stdout)?;
    let read: Value = serde_json::from_slice(&std::fs::read(&rows)?)?;
    assert_eq!(game["events"], read["events"]);
    Ok(())
}

#[test]
fn a_machine_without_the_memory_for_an_image_is_wrong_usage() -> Outcome {
    let output = run("opera-1858.pgn", &["game", "--machine", "microbit"])?;
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr)?.contains("microbit has too little memory for game"));
    Ok(())
}
