//! The videos in `$PLYSCOPE_SHARED/videos`, drawn by other people's board software, against their truths.

mod reading;

use std::path::{Path, PathBuf};

use plyscope::scoring::event_file::{EventList, read_events};
use plyscope::scoring::exact_time::ExactTime;
use plyscope::scoring::judge::judge;
use reading::{FRAMES_OFF_MAX, Fault, on_two_threads, read, repository, uci_of, wrong_plies};
use serde_json::Value;

/// What is wrong with the reading of a video; nothing, where all is as it should be.
struct Finding {
    name: String,
    plies: usize,
    wrong: usize,
    t1_f1: f64,
    /// The worst time error in frames, and its ply.
    worst: (f64, usize),
}

impl Finding {
    fn is_exact(&self) -> bool {
        self.wrong == 0 && self.t1_f1 >= 1.0 && self.worst.0.abs() <= FRAMES_OFF_MAX
    }
}

fn shared() -> Option<PathBuf> {
    let named = std::env::var_os("PLYSCOPE_SHARED").map(PathBuf::from);
    let shared = named.unwrap_or_else(|| repository().join("../shared"));
    shared.join("videos").is_dir().then_some(shared)
}

fn examine(description: &Path, games: &Path, answers: &Path) -> Result<Finding, Fault> {
    let described: Value = serde_json::from_slice(&std::fs::read(description)?)?;
    let text =
        |field: &str| described[field].as_str().ok_or_else(|| format!("{description:?} has no {field}"));
    let name = text("name")?;
    let answer = answers.join(format!("{name}.json"));
    let reading = read(&description.with_file_name(text("file")?), None, &answer)?;

    let truth = std::fs::read_to_string(games.join(format!("{}.truth.json", text("game")?)))?;
    let truth = read_events(&truth, EventList::Default)?;
    let answer = read_events(&std::fs::read_to_string(answer)?, EventList::Default)?;
    let tolerance = ExactTime::parse_seconds("3").ok_or("no time")?;

    let plies = described["plies"].as_array().ok_or("no plies")?;
    let uci: Vec<String> = plies.iter().filter_map(|ply| ply["uci"].as_str().map(str::to_owned)).collect();
    let fps = described["fps"].as_f64().ok_or("no fps")?;
    let settled = plies.iter().map(|ply| ply["t_settled"].as_f64());
    let off = settled.zip(reading.game.plies()).enumerate().filter_map(|(index, (settled, ply))| {
        // Where a reply came before the piece was at rest only the judge's tolerance holds.
        Some(((ply.time.seconds() - settled?) * fps, index + 1))
    });
    Ok(Finding {
        name: name.to_owned(),
        plies: plies.len(),
        wrong: wrong_plies(&uci, &uci_of(&reading)),
        t1_f1: judge(&answer, &truth, tolerance).t1.f1,
        worst: off.max_by(|a, b| a.0.abs().total_cmp(&b.0.abs())).unwrap_or_default(),
    })
}

#[test]
fn every_video_of_other_peoples_boards_is_read_exactly_and_within_two_frames() -> Result<(), Fault> {
    let Some(shared) = shared() else {
        eprintln!(
            "SKIPPED: the videos of other people's boards, for PLYSCOPE_SHARED names no folder with videos/"
        );
        return Ok(());
    };
    let mut descriptions = Vec::new();
    for entry in std::fs::read_dir(shared.join("videos"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "json") {
            descriptions.push(path);
        }
    }
    descriptions.sort();
    assert!(!descriptions.is_empty(), "the folder of videos holds none");
    let answers = tempfile::tempdir()?;
    let games = shared.join("games");
    let findings = on_two_threads(&descriptions, |path| examine(path, &games, answers.path()));
    let mut faults = Vec::new();
    for finding in findings {
        let finding = finding?;
        let line = format!(
            "{:22} {:3} plies, {} wrong, T1 F1 {:.4}, {:+.2} frames off at ply {}",
            finding.name, finding.plies, finding.wrong, finding.t1_f1, finding.worst.0, finding.worst.1
        );
        eprintln!("{line}");
        if !finding.is_exact() {
            faults.push(line);
        }
    }
    assert!(faults.is_empty(), "not read exactly:\n{}", faults.join("\n"));
    Ok(())
}
