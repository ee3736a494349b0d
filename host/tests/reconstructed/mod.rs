//! A folder with a game, its video and its truth, in which `plyscope reconstruct` is run.

#![allow(dead_code, reason = "each test program uses its part")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// Six moves of each side with castling and captures, twelve seconds in all.
const GAME: &str = "1. e4 {[%emt 0:00:00.5]} e5 {[%emt 0:00:00.5]} 2. Nf3 {[%emt 0:00:00.5]} \
    Nc6 {[%emt 0:00:00.5]} 3. Bb5 {[%emt 0:00:00.5]} Nf6 {[%emt 0:00:00.5]} 4. O-O {[%emt 0:00:01]} \
    Nxe4 {[%emt 0:00:01]} 5. d4 {[%emt 0:00:01]} Nd6 {[%emt 0:00:01]} 6. Bxc6 {[%emt 0:00:01.5]} \
    dxc6 {[%emt 0:00:01.5]} *\n";

/// The folder.
pub(crate) struct Scene(TempDir);

impl Scene {
    /// An empty folder.
    pub(crate) fn new() -> Self {
        Self(TempDir::new().expect("a temporary folder"))
    }

    /// A folder with `video.mp4`, 240 pixels at 10 frames a second, and `truth.json`.
    pub(crate) fn with_video(arguments: &[&str]) -> Self {
        let scene = Self::new();
        let truth = ["--truth", "truth.json", "--no-labels"];
        scene.render(GAME, "video.mp4", &[&truth, arguments].concat());
        scene
    }

    /// A path in the folder.
    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    /// Renders a game to the video `name`, 240 pixels unless `arguments` say another `--size`.
    pub(crate) fn render(&self, pgn: &str, name: &str, arguments: &[&str]) {
        fs::write(self.path("game.pgn"), pgn).expect("the folder takes a file");
        let size: &[&str] = if arguments.contains(&"--size") { &[] } else { &["--size", "240"] };
        let output = Command::new(env!("CARGO_BIN_EXE_plyscope"))
            .args(["render", "game.pgn", "-o", name, "--fps", "10"])
            .args(size)
            .args(["--preset", "veryfast"])
            .args(arguments)
            .current_dir(self.0.path())
            .output()
            .expect("the program starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// `plyscope reconstruct` in the folder.
    pub(crate) fn labelling_command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plyscope"));
        command.arg("reconstruct").args(arguments).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    /// `plyscope reconstruct --no-labels` in the folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.labelling_command(&[&["--no-labels"], arguments].concat())
    }

    /// Runs [`Self::command`].
    pub(crate) fn reconstruct(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the program starts")
    }

    /// What was seen, by `answer.json`.
    pub(crate) fn answer(&self) -> Vec<Value> {
        rows(&self.path("answer.json"))
    }

    /// What is to be seen.
    pub(crate) fn truth(&self) -> Vec<Value> {
        rows(&self.path("truth.json"))
    }
}

/// The rows of an answer or truth.
pub(crate) fn rows(path: &Path) -> Vec<Value> {
    let text = fs::read(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let answer: Value = serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    answer["events"].as_array().cloned().unwrap_or_else(|| panic!("{path:?} has no events"))
}

/// How many of the rows are moves.
pub(crate) fn moves_in(rows: &[Value]) -> usize {
    rows.iter().filter(|row| row["type"] == "move").count()
}

/// Runs ffmpeg in the scene's folder.
pub(crate) fn ffmpeg(scene: &Scene, arguments: &[&str]) {
    let output = Command::new("ffmpeg")
        .args(["-hide_banner", "-loglevel", "error", "-nostdin", "-y"])
        .args(arguments)
        .current_dir(scene.path("."))
        .output()
        .expect("ffmpeg starts");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}
