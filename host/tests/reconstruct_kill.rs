//! `plyscope reconstruct` killed at random moments: the answer is whole each time, and `--resume` ends as an undisturbed
//! run does.

#![cfg(unix)]

mod reconstructed;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use reconstructed::{Scene, moves_in, rows};
use serde_json::Value;

const KILLS: usize = 50;
/// Enough to make the labelling about as long as the watching.
const NODES: &str = "--nodes=6000";
const ANSWER: &str = "answer.json";
const CHECKPOINT: &str = ".answer.json.resume";

/// Plies of the game: its 34 positions are searched in two stretches.
const PLIES: usize = 33;
/// A folder with the video of a game, what an undisturbed run made of it, and how long that took.
struct Undisturbed {
    scene: Scene,
    answer: Vec<u8>,
    pgn: Vec<u8>,
    took: Duration,
}

impl Undisturbed {
    fn new() -> Self {
        let scene = Scene::new();
        let game = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/opera-1858.pgn");
        let pgn = fs::read_to_string(game).expect("the game is in the repository");
        scene.render(&pgn, "video.mp4", &["--slide", "1"]);
        let begun = Instant::now();
        let output = command(&scene, &[]).output().expect("the program starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let took = begun.elapsed();
        let read = |name: &str| fs::read(scene.path(name)).expect("the run wrote it");
        let (answer, pgn) = (read(ANSWER), read("game-read.pgn"));
        assert_eq!(moves_in(&scene.answer()), PLIES);
        assert!(!scene.path(CHECKPOINT).exists(), "a complete answer needs no checkpoint");
        Self { scene, answer, pgn, took }
    }

    /// Puts the folder back to where a harness starts.
    fn start_over(&self) {
        fs::write(self.scene.path(ANSWER), "{\"events\": []}").expect("the folder takes a file");
        for name in ["game-read.pgn", CHECKPOINT] {
            if self.scene.path(name).exists() {
                fs::remove_file(self.scene.path(name)).expect("it can be removed");
            }
        }
    }

    /// Starts a run and kills it after `wait`; returns whether it was still running.
    fn kill_after(&self, wait: Duration, arguments: &[&str]) -> bool {
        let mut child = command(&self.scene, arguments).stderr(Stdio::null()).spawn().expect("it starts");
        thread::sleep(wait);
        let was_running = child.try_wait().expect("its state can be asked").is_none();
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        was_running
    }

    /// Starts a run and kills it as soon as its checkpoint is `ripe`.
    fn kill_with_checkpoint(&self, ripe: impl Fn(&Value) -> bool) {
        self.start_over();
        let mut child = command(&self.scene, &[]).stderr(Stdio::null()).spawn().expect("it starts");
        let checkpoint = || serde_json::from_slice(&fs::read(self.scene.path(CHECKPOINT)).ok()?).ok();
        while !checkpoint().is_some_and(|checkpoint| ripe(&checkpoint)) {
            assert!(
                child.try_wait().expect("its state can be asked").is_none(),
                "it left no such checkpoint"
            );
            thread::sleep(Duration::from_millis(2));
        }
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
    }

    /// The rows of the complete answer.
    fn rows(&self) -> usize {
        let complete: Value = serde_json::from_slice(&self.answer).expect("the answer is JSON");
        complete["events"].as_array().map_or(0, Vec::len)
    }

    /// The rows on disk, having made sure that they are the first of the complete answer but for their labels.
    fn rows_on_disk(&self) -> usize {
        let seen = |rows: Vec<Value>| -> Vec<[Value; 5]> {
            let fields = ["type", "idx", "color", "coord", "game_clock_s"];
            rows.iter().map(|row| fields.map(|field| row[field].clone())).collect()
        };
        let complete: Value = serde_json::from_slice(&self.answer).expect("the answer is JSON");
        let complete = seen(complete["events"].as_array().expect("it has events").clone());
        let kept = seen(rows(&self.scene.path(ANSWER)));
        assert!(complete.starts_with(&kept), "the first {} rows are not those of the answer", kept.len());
        kept.len()
    }

    /// Runs to the end with `--resume` and makes sure that nothing tells its outputs from an undisturbed run's; returns
    /// what it said.
    fn resume(&self) -> String {
        let output = command(&self.scene, &["--resume"]).output().expect("the program starts");
        self.assert_complete(&output)
    }

    fn assert_complete(&self, output: &Output) -> String {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        let is_same = |name: &str, bytes: &[u8]| fs::read(self.scene.path(name)).is_ok_and(|b| b == bytes);
        assert!(is_same(ANSWER, &self.answer), "another answer, after: {said}");
        assert!(is_same("game-read.pgn", &self.pgn), "another PGN, after: {said}");
        assert!(!self.scene.path(CHECKPOINT).exists());
        said
    }
}

fn command(scene: &Scene, arguments: &[&str]) -> Command {
    scene.labelling_command(&[&["video.mp4", "--pgn=game-read.pgn", NODES, "--jobs=1"], arguments].concat())
}

#[test]
fn a_run_killed_at_any_moment_leaves_a_whole_answer_and_resumes_to_the_same_bytes() {
    let undisturbed = Undisturbed::new();
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let mut longest = undisturbed.took;
    let (mut kills, mut kills_twice) = (0, 0);
    let (mut went_on_watching, mut went_on_labelling, mut began_again) = (0, 0, 0);
    while kills < KILLS {
        undisturbed.start_over();
        if !undisturbed.kill_after(longest.mul_f64(random.random_range(0.0..1.0)), &[]) {
            // The machine has become faster since: keep the moments within the run.
            longest = longest.mul_f64(0.8);
        }
        kills += 1;
        let kept = undisturbed.rows_on_disk();
        let is_half_done = (1..undisturbed.rows()).contains(&kept);
        assert!(
            !is_half_done || undisturbed.scene.path(CHECKPOINT).exists(),
            "{kept} rows and no way to go on"
        );
        if random.random_bool(0.4) {
            let wait = longest.mul_f64(random.random_range(0.0..0.7));
            if undisturbed.kill_after(wait, &["--resume"]) {
                kills_twice += 1;
            }
            kills += 1;
            // A run that was complete is done anew.
            assert!(
                !is_half_done || undisturbed.rows_on_disk() >= kept,
                "the answer shrank when its run went on"
            );
        }
        let said = undisturbed.resume();
        went_on_watching += usize::from(said.contains("goes on at "));
        went_on_labelling += usize::from(said.contains("goes on after the video"));
        began_again += usize::from(said.contains("begins at the start"));
    }
    eprintln!(
        "{kills} kills, {kills_twice} of them the second of a run; went on in the video {went_on_watching} times, after it \
         {went_on_labelling} times, began again {began_again} times"
    );
    assert!(kills_twice > 0 && went_on_watching > 0 && went_on_labelling > 0);
}

#[test]
fn a_resumed_run_goes_on_in_the_video_where_its_checkpoint_was_made() {
    let undisturbed = Undisturbed::new();
    undisturbed.kill_with_checkpoint(|checkpoint| plies_in(checkpoint) >= 20);
    let kept = fs::read(undisturbed.scene.path(CHECKPOINT)).expect("it is there");
    let kept: Value = serde_json::from_slice(&kept).expect("it is JSON");
    let said = undisturbed.resume();
    let seconds = kept["watched_until"].as_f64().expect("a time") / 1e6;
    assert!(said.contains(&format!("goes on at {seconds:.1} s: {} plies", plies_in(&kept))), "{said}");
}

#[test]
fn ctrl_c_says_how_to_go_on_and_leaves_what_was_read() {
    let undisturbed = Undisturbed::new();
    undisturbed.start_over();
    let child = command(&undisturbed.scene, &[]).stderr(Stdio::piped()).spawn().expect("it starts");
    while !undisturbed.scene.path(CHECKPOINT).exists() {
        thread::sleep(Duration::from_millis(2));
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(
        said.contains("interrupted; \"answer.json\" holds what was read") && said.contains("--resume"),
        "{said}"
    );
    undisturbed.rows_on_disk();
    let said = undisturbed.resume();
    assert!(said.contains("goes on "), "{said}");
}

fn plies_in(checkpoint: &Value) -> usize {
    checkpoint["games"][0]["game"]["plies"].as_array().map_or(0, Vec::len)
}

#[test]
fn a_run_that_was_labelling_is_resumed_without_a_look_at_the_video() {
    let undisturbed = Undisturbed::new();
    undisturbed.kill_with_checkpoint(|checkpoint| {
        checkpoint["games"][0]["chunks"].as_array().is_some_and(|c| !c.is_empty())
    });
    // Without ffmpeg no frame can be read.
    let tools = undisturbed.scene.path("tools");
    fs::create_dir(&tools).expect("the folder takes a folder");
    std::os::unix::fs::symlink(program("ffprobe"), tools.join("ffprobe")).expect("a link can be made");
    let output = command(&undisturbed.scene, &["--resume"]).env("PATH", &tools).output().expect("it starts");
    let said = undisturbed.assert_complete(&output);
    let (_, positions) = said.split_once(&format!("{PLIES} plies, ")).unwrap_or_else(|| panic!("{said}"));
    let positions: usize = positions.split(' ').next().and_then(|text| text.parse().ok()).expect("a number");
    assert!((1..=PLIES).contains(&positions), "{said}");
}

fn program(name: &str) -> PathBuf {
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
        .unwrap_or_else(|| panic!("{name} is installed for the tests"))
}

#[test]
fn a_checkpoint_of_other_options_or_a_damaged_one_is_not_used() {
    let undisturbed = Undisturbed::new();
    let path = undisturbed.scene.path(CHECKPOINT);
    undisturbed.kill_with_checkpoint(|checkpoint| plies_in(checkpoint) >= 16);
    let checkpoint = fs::read_to_string(&path).expect("it is there");

    let other =
        command(&undisturbed.scene, &["--resume", "--orientation=white"]).output().expect("it starts");
    let said = undisturbed.assert_complete(&other);
    assert!(said.contains("begins at the start"), "{said}");

    let half = &checkpoint[..checkpoint.len() / 2];
    let illegal = checkpoint.replacen("\"uci\":\"", "\"uci\":\"a1a8", 1);
    let other_video = checkpoint.replacen("video.mp4", "other.mp4", 1);
    for damaged in ["", half, &illegal, &other_video] {
        undisturbed.start_over();
        assert_ne!(damaged, checkpoint);
        fs::write(&path, damaged).expect("the folder takes a file");
        let said = undisturbed.resume();
        assert!(said.contains("begins at the start"), "{said}");
    }
    undisturbed.start_over();
    let said = undisturbed.resume();
    assert!(said.contains("begins at the start"), "without a checkpoint: {said}");
    undisturbed.start_over();
    fs::write(&path, &checkpoint).expect("the folder takes a file");
    let said = undisturbed.resume();
    assert!(said.contains("goes on at "), "the undamaged one is used: {said}");
}
