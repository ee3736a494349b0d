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
    assert!(message.contains("give at least --budget-kib 4"), "{message}");
    Ok(())
}
