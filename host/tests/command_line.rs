//! What the command says of itself, of a run and of the machine, on a terminal and to programs.

#![cfg(unix)]

mod reconstructed;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};

use plyscope::game_record::GameRecord;
use reconstructed::{Scene, moves_in};
use serde_json::Value;

fn plyscope(scene: &Scene, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_plyscope"))
        .args(arguments)
        .current_dir(scene.path("."))
        .stdin(Stdio::null())
        .output()
        .expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_doctor_says_what_is_there_and_what_is_missing() {
    let scene = Scene::new();
    let output = plyscope(&scene, &["doctor"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("ok       ffmpeg") && said.contains("libx264"), "{said}");
    let output = plyscope(&scene, &["doctor", "--format", "json"]);
    let checks: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let named = |name: &str| checks["checks"].as_array().is_some_and(|c| c.iter().any(|c| c["name"] == name));
    assert!(["plyscope", "threads", "ffmpeg", "ffprobe", "disk here"].into_iter().all(named), "{checks}");
    let output = Command::new(env!("CARGO_BIN_EXE_plyscope"))
        .arg("doctor")
        .env("PATH", scene.path("."))
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(5));
    assert!(text(&output.stdout).contains("broken   ffmpeg     not found; install ffmpeg"));
}

#[test]
fn completions_and_man_pages_know_every_command() {
    let scene = Scene::new();
    let help = text(&plyscope(&scene, &["--help"]).stdout);
    let listed = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let commands: Vec<&str> =
        listed.take_while(|line| !line.is_empty()).filter_map(|l| l.split_whitespace().next()).collect();
    assert!(commands.len() >= 12, "{commands:?}");
    for shell in ["bash", "zsh", "fish"] {
        let script = text(&plyscope(&scene, &["completions", shell]).stdout);
        assert!(commands.iter().all(|command| script.contains(command)), "{shell}");
    }
    let script = scene.path("completions.bash");
    fs::write(&script, plyscope(&scene, &["completions", "bash"]).stdout).expect("the folder takes a file");
    assert!(Command::new("bash").arg("-n").arg(&script).status().is_ok_and(|status| status.success()));
    assert!(plyscope(&scene, &["man", "pages"]).status.success());
    for command in commands.into_iter().filter(|command| *command != "help") {
        let page =
            fs::read_to_string(scene.path(format!("pages/plyscope-{command}.1"))).expect("it has a page");
        assert!(page.contains(".SH SYNOPSIS"), "{command}");
    }
}

#[test]
fn a_log_tells_of_each_step_and_quiet_of_none() {
    let scene = Scene::with_video(&[]);
    let output = plyscope(&scene, &["reconstruct", "video.mp4", "--nodes", "200", "--format", "json"]);
    assert!(output.status.success());
    let said = text(&output.stderr);
    let events: Vec<Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}")))
        .collect();
    let kinds: Vec<&str> = events.iter().filter_map(|event| event["event"].as_str()).collect();
    for kind in ["located", "watching", "labelling", "done"] {
        assert!(kinds.contains(&kind), "{kind} in {kinds:?}");
    }
    let done = events.last().expect("there are events");
    let plies = moves_in(&scene.truth()) as u64;
    assert_eq!(done["plies"].as_u64(), Some(plies), "{done}");
    assert_eq!(done["captures"].as_u64(), Some(scene.truth().len() as u64 - plies), "{done}");
    assert!(done["spent_s"].as_f64().is_some_and(|s| s > 0.0) && done["swings"].is_u64(), "{done}");
    let output =
        plyscope(&scene, &["reconstruct", "video.mp4", "--no-labels", "--format", "json", "--quiet"]);
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
}

#[test]
fn a_terminal_gets_a_table_and_colours_only_where_they_are_wanted() {
    let scene = Scene::with_video(&[]);
    if Command::new("script").arg("--version").output().is_err() {
        eprintln!("SKIPPED: what a terminal shows, for there is no `script` to make one");
        return;
    }
    let shown = |arguments: &str, no_color: Option<&str>| {
        let line =
            format!("{} reconstruct video.mp4 --no-labels {arguments}", env!("CARGO_BIN_EXE_plyscope"));
        let mut command = Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).current_dir(scene.path(".")).stdin(Stdio::null());
        command.env("TERM", "xterm").env_remove("NO_COLOR");
        if let Some(value) = no_color {
            command.env("NO_COLOR", value);
        }
        text(&command.output().expect("it starts").stdout)
    };
    let coloured = shown("", None);
    assert!(coloured.contains("\u{1b}[1m12\u{1b}[0m"), "{coloured:?}");
    assert!(coloured.contains("plies") && coloured.contains("confidence") && coloured.contains("time spent"));
    assert!(coloured.contains("s left"), "progress says how much time is left: {coloured:?}");
    let plain = shown("", Some("1"));
    assert!(plain.contains("plies") && !plain.contains("\u{1b}[1m"), "{plain:?}");
    assert_eq!(shown("--quiet", None).trim(), "");
}

#[test]
fn an_installed_engine_judges_in_place_of_the_own_search() {
    let scene = Scene::with_video(&[]);
    // Our own engine, as somebody else's program.
    let engine = scene.path("engine");
    fs::write(&engine, format!("#!/bin/sh\nexec '{}' uci\n", env!("CARGO_BIN_EXE_plyscope")))
        .expect("a file");
    fs::set_permissions(&engine, fs::Permissions::from_mode(0o755)).expect("it may be run");
    let arguments =
        ["reconstruct", "video.mp4", "--engine", "./engine", "--depth", "4", "--pgn", "by-engine.pgn"];
    let output = plyscope(&scene, &arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(moves_in(&scene.answer()), moves_in(&scene.truth()));
    assert!(
        fs::read_to_string(scene.path("by-engine.pgn")).is_ok_and(|pgn| pgn.matches("[%eval").count() == 12)
    );
    let output = plyscope(&scene, &["label", "by-engine.pgn", "--engine", "./engine", "--depth", "3"]);
    let labels: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let rows = labels["plies"].as_array().cloned().unwrap_or_default();
    assert_eq!(rows.len(), 13);
    assert!(
        rows.iter().all(|row| row["depth"] == 3 && row["p"].as_f64().is_some_and(|p| p > 0.0)),
        "{labels}"
    );
    let output = plyscope(&scene, &["label", "by-engine.pgn", "--engine", "/bin/cat"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("does not answer \"uci\""), "{}", text(&output.stderr));
}

#[test]
fn the_clocks_of_a_pgn_tell_the_times_of_the_video_again() {
    let scene = Scene::with_video(&[]);
    for control in ["60+1", "3/20+1:30"] {
        let arguments =
            ["reconstruct", "video.mp4", "--no-labels", "--pgn", "clocks.pgn", "--time-control", control];
        assert!(plyscope(&scene, &arguments).status.success());
        let record = GameRecord::read_file(&scene.path("clocks.pgn")).expect("our own PGN is legal");
        assert_eq!(record.tag("TimeControl"), Some(control));
        assert!(record.plies.iter().all(|ply| ply.clock.is_some()));
        let shown_s: Vec<f64> = record.timeline().iter().map(|time| time.seconds()).collect();
        let truth_s: Vec<f64> = scene
            .truth()
            .iter()
            .filter(|row| row["type"] == "move")
            .filter_map(|row| row["game_clock_s"].as_f64())
            .collect();
        assert_eq!(shown_s, truth_s, "{control}");
    }
    let output = plyscope(&scene, &["reconstruct", "video.mp4", "--time-control", "blitz"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("give a time control such as 600"), "{}", text(&output.stderr));
}

#[test]
fn reconstruct_writes_a_report_that_says_how_sure_it_is() {
    let scene = Scene::with_video(&[]);
    let arguments =
        ["reconstruct", "video.mp4", "--nodes", "500", "--report", "game.html", "--pgn", "game2.pgn"];
    let output = plyscope(&scene, &arguments);
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    let page = fs::read_to_string(scene.path("game.html")).expect("the page is there");
    for words in ["How sure this is", "video.mp4", "500 nodes a position", "id=\"eval-chart\"", "dxc6"] {
        assert!(page.contains(words), "{words}");
    }
    let output = plyscope(&scene, &["reconstruct", "video.mp4", "--pgn", "same", "--report", "same"]);
    assert_eq!(output.status.code(), Some(2), "two outputs in one file");
}
