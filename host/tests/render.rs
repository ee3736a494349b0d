//! Rendered videos, decoded again: every change of the picture against the plan, and what bad input leads to.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

use plyscope::game_record::GameRecord;
use serde_json::Value;
use tempfile::TempDir;

const GAME: &str = "[TimeControl \"60\"]\n\n1. e4 {[%clk 0:00:59]} e5 {[%clk 0:00:59.9]} 2. Nf3 {[%clk 0:00:58.3]} \
                    Nc6 {[%clk 0:00:59.8]} 3. Bb5 {[%clk 0:00:58]} Nf6 {[%clk 0:00:59.4]} \
                    4. O-O {[%clk 0:00:57.9]} Nxe4 {[%clk 0:00:58.4]} *\n";

/// The mean difference of a square's pixels above which it has changed; the codec's noise at CRF 18 stays below 2.
const CHANGE_THRESHOLD: f64 = 4.0;

fn plyscope(folder: &TempDir, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_plyscope"))
        .args(arguments)
        .current_dir(folder.path())
        .output()
        .expect("the program starts")
}

fn folder_with_game(pgn: &str) -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    std::fs::write(folder.path().join("game.pgn"), pgn).expect("the folder takes a file");
    folder
}

/// Renders the game of the folder to `game.mp4` and `truth.json`.
fn render(folder: &TempDir, arguments: &[&str]) {
    let mut line = vec!["render", "game.pgn", "-o", "game.mp4", "--truth", "truth.json", "--no-labels"];
    line.extend(arguments);
    let output = plyscope(folder, &line);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// All frames of a square video as luma.
fn decode(video: &Path, side_px: usize) -> Vec<Vec<u8>> {
    let output = Command::new("ffmpeg")
        .args(["-loglevel", "error", "-i"])
        .arg(video)
        .args(["-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "gray", "-"])
        .output()
        .expect("ffmpeg starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout.chunks_exact(side_px * side_px).map(<[u8]>::to_vec).collect()
}

/// The mean difference of each square between two frames of a board without a margin, as seen from the upper left.
fn square_differences(a: &[u8], b: &[u8], side_px: usize) -> Vec<f64> {
    let square_px = side_px / 8;
    let mut sums = vec![0.0; 64];
    for (index, (&a, &b)) in a.iter().zip(b).enumerate() {
        let (x, y) = (index % side_px, index / side_px);
        sums[y / square_px * 8 + x / square_px] += f64::from(a.abs_diff(b));
    }
    sums.iter().map(|sum| sum / (square_px * square_px) as f64).collect()
}

fn differ(a: &[u8], b: &[u8], side_px: usize) -> bool {
    square_differences(a, b, side_px).iter().any(|&difference| difference > CHANGE_THRESHOLD)
}

/// The frames that differ from the one before them.
fn changes(frames: &[Vec<u8>], side_px: usize) -> Vec<usize> {
    (1..frames.len()).filter(|&frame| differ(&frames[frame - 1], &frames[frame], side_px)).collect()
}

fn truth(folder: &TempDir) -> Vec<Value> {
    let text = std::fs::read(folder.path().join("truth.json")).expect("the truth is written");
    let truth: Value = serde_json::from_slice(&text).expect("the truth is JSON");
    truth["events"].as_array().expect("the truth has events").clone()
}

fn move_times_s(folder: &TempDir) -> Vec<f64> {
    let is_move = |row: &&Value| row["type"] == "move";
    truth(folder).iter().filter(is_move).map(|row| row["game_clock_s"].as_f64().expect("a time")).collect()
}

#[test]
fn every_instant_ply_appears_on_the_frame_of_its_time() {
    for fps in [5, 10, 30] {
        let folder = folder_with_game(GAME);
        render(&folder, &["--size", "128", "--fps", &fps.to_string(), "--preset", "ultrafast"]);
        let times = move_times_s(&folder);
        assert_eq!(times, [2.0, 2.1, 2.8, 2.9, 3.2, 3.6, 3.7, 4.7]);
        // A tenth of a second is no whole number of frames: count in tenths to stay exact.
        let mut expected: Vec<usize> =
            times.iter().map(|time| ((time * 10.0).round() as usize * fps).div_ceil(10)).collect();
        expected.dedup();
        let frames = decode(&folder.path().join("game.mp4"), 128);
        assert_eq!(changes(&frames, 128), expected, "at {fps} fps");
        assert_eq!(frames.len(), 77 * fps / 10 + usize::from(77 * fps % 10 > 0), "3 s stay at {fps} fps");
    }
}

/// The presentation times of a video's frames in milliseconds.
fn frame_times_ms(video: &Path) -> Vec<i64> {
    let output = Command::new("ffprobe")
        .args(["-v", "error", "-select_streams", "v", "-show_entries", "frame=pts_time", "-of", "csv=p=0"])
        .arg(video)
        .output()
        .expect("ffprobe starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let fields = text.lines().map(|line| line.trim_end_matches(',')).filter(|field| !field.is_empty());
    let seconds = fields.map(|seconds| seconds.parse::<f64>().expect("a time"));
    seconds.map(|seconds| (seconds * 1000.0).round() as i64).collect()
}

#[test]
fn left_out_repeats_leave_the_times_of_the_others_alone() {
    let folder = folder_with_game(GAME);
    render(&folder, &["--size", "128", "--fps", "10", "--drop-repeats"]);
    let video = folder.path().join("game.mp4");
    assert_eq!(frame_times_ms(&video), [0, 2000, 2100, 2800, 2900, 3200, 3600, 3700, 4700]);
    let frames = decode(&video, 128);
    assert_eq!(changes(&frames, 128), [1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn a_sliding_piece_rests_from_the_truths_time_on() {
    let folder = folder_with_game(GAME);
    render(&folder, &["--size", "128", "--fps", "30"]);
    let instant = decode(&folder.path().join("game.mp4"), 128);
    render(&folder, &["--size", "128", "--fps", "30", "--slide", "6", "--easing", "cubic"]);
    let sliding = decode(&folder.path().join("game.mp4"), 128);
    let times = move_times_s(&folder);
    assert_eq!(times, [2.1, 2.3, 2.9, 3.1, 3.4, 3.7, 3.9, 4.9]);
    // Plies 1, 3 and 6 are answered before their six frames are over; the others are seen to come to rest.
    for ply in [2, 4, 5, 7, 8] {
        let frame = (times[ply - 1] * 30.0).round() as usize;
        assert!(!differ(&sliding[frame], &instant[frame], 128), "ply {ply} rests on frame {frame}");
        assert!(differ(&sliding[frame - 1], &instant[frame - 1], 128), "ply {ply} moves on the frame before");
    }
}

#[test]
fn a_slide_shows_the_piece_between_its_squares_and_never_again_afterwards() {
    let folder = folder_with_game("1. e4 {[%emt 0:00:01]} *\n");
    render(&folder, &["--size", "128", "--slide", "10", "--crf", "10"]);
    assert_eq!(move_times_s(&folder), [2.333]);
    let frames = decode(&folder.path().join("game.mp4"), 128);
    let after = frames.last().expect("frames");
    let e3 = 5 * 8 + 4;
    let passes_e3 = |frame: &[u8]| square_differences(frame, after, 128)[e3] > CHANGE_THRESHOLD;
    assert!(passes_e3(&frames[65]), "half way the pawn is over e3");
    assert!(!frames[..60].iter().any(|frame| passes_e3(frame)), "before its time it is not");
    assert!(differ(&frames[69], after, 128), "it still moves in the last frame of its slide");
    assert!(!frames[70..].iter().any(|frame| differ(frame, after, 128)), "then it rests");
}

#[test]
fn castling_slides_the_king_and_the_rook() {
    let folder = folder_with_game("[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. O-O *\n");
    render(&folder, &["--size", "128", "--slide", "10"]);
    let frames = decode(&folder.path().join("game.mp4"), 128);
    let last_rank = |frame: &[u8]| square_differences(frame, &frames[0], 128)[7 * 8..].to_vec();
    let half_way = last_rank(&frames[65]);
    let changed: Vec<usize> = (0..8).filter(|&file| half_way[file] > CHANGE_THRESHOLD).collect();
    assert_eq!(changed, [4, 5, 6, 7], "king over f1, rook over g1, both home squares empty");
}

#[test]
fn an_off_centre_board_leaves_the_surround_alone() {
    let folder = folder_with_game(GAME);
    render(&folder, &["--size", "96", "--canvas", "160x160", "--at", "50,8", "--highlight", "--crf", "10"]);
    let frames = decode(&folder.path().join("game.mp4"), 160);
    let (first, last) = (&frames[0], frames.last().expect("frames"));
    let changed: Vec<(usize, usize)> = (0..160 * 160)
        .filter(|&index| first[index].abs_diff(last[index]) > 24)
        .map(|index| (index % 160, index / 160))
        .collect();
    assert!(!changed.is_empty());
    assert!(changed.iter().all(|&(x, y)| (50..146).contains(&x) && (8..104).contains(&y)));
}

#[test]
fn the_truth_carries_captures_and_the_labels_of_a_file() {
    let folder = folder_with_game("1. e4 d5 2. exd5 *\n");
    let labels = r#"{"plies": [{"ply": 0}, {"ply": 1, "leader_after": "equal", "wr_swing": "equal"},
        {"ply": 2, "leader_after": "W", "wr_swing": "W"}, {"ply": 3, "leader_after": "B", "wr_swing": "B"}]}"#;
    std::fs::write(folder.path().join("labels.json"), labels).expect("the folder takes a file");
    let arguments =
        ["render", "game.pgn", "-o", "game.mp4", "--truth", "truth.json", "--labels", "labels.json"];
    let output = plyscope(&folder, &[&arguments[..], &["--fps", "5", "--size", "64"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let rows = truth(&folder);
    let expected = serde_json::json!([
        {"type": "move", "idx": 1, "color": "W", "coord": "E4", "game_clock_s": 2.0,
         "leader_after": "equal", "wr_swing": "equal"},
        {"type": "move", "idx": 2, "color": "B", "coord": "D5", "game_clock_s": 3.0,
         "leader_after": "W", "wr_swing": "W"},
        {"type": "move", "idx": 3, "color": "W", "coord": "D5", "game_clock_s": 4.0,
         "leader_after": "B", "wr_swing": "B"},
        {"type": "capture", "idx": 1, "color": "B", "coord": "D5", "game_clock_s": 4.0},
    ]);
    assert_eq!(Value::Array(rows), expected);
}

#[test]
fn odd_file_names_are_taken_as_they_are() {
    let folder = folder_with_game("1. e4 *\n");
    let name = "-50% d\u{e9}j\u{e0} %d:vu.mkv";
    let output = plyscope(&folder, &["render", "game.pgn", &format!("--output={name}"), "--size", "64"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(folder.path().join(name).metadata().expect("the video is there").len() > 1000);
}

#[test]
fn without_a_labels_file_the_truth_has_the_labels_of_a_search() {
    let folder = folder_with_game("1. e4 f6 2. d4 g5 3. Qh5# *\n");
    let arguments = ["render", "game.pgn", "-o", "game.mp4", "--truth", "truth.json", "--nodes", "2000"];
    let output = plyscope(&folder, &[&arguments[..], &["--fps", "5", "--size", "64"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let rows = truth(&folder);
    assert_eq!((&rows[4]["leader_after"], &rows[4]["coord"]), (&"W".into(), &"H5".into()));
    let labelled = plyscope(&folder, &["label", "game.pgn", "--nodes", "2000"]);
    let labels: Value = serde_json::from_slice(&labelled.stdout).expect("JSON");
    for (row, label) in rows.iter().zip(labels["plies"].as_array().expect("plies").iter().skip(1)) {
        assert_eq!(row["leader_after"], label["leader_after"]);
        assert_eq!(row["wr_swing"], label["wr_swing"]);
    }
}

/// The exit code and the message of a render that fails.
fn failure(folder: &TempDir, arguments: &[&str]) -> (Option<i32>, String) {
    let output = plyscope(folder, arguments);
    (output.status.code(), String::from_utf8_lossy(&output.stderr).trim().to_owned())
}

#[test]
fn an_illegal_move_ends_with_code_7_and_names_the_ply() {
    let folder = folder_with_game("1. e4 e5 2. Ke3 *\n");
    let (code, message) = failure(&folder, &["render", "game.pgn", "-o", "game.mp4"]);
    assert_eq!(code, Some(7));
    assert_eq!(
        message,
        "plyscope: cannot use \"game.pgn\": ply 3: 2. Ke3 is not a legal move in this position"
    );
    assert!(!folder.path().join("game.mp4").exists());
}

#[test]
fn a_missing_game_ends_with_code_7() {
    let folder = folder_with_game(GAME);
    let (code, message) = failure(&folder, &["render", "nowhere.pgn", "-o", "game.mp4"]);
    assert_eq!(code, Some(7));
    assert!(message.starts_with("plyscope: cannot use \"nowhere.pgn\": cannot read the PGN: "), "{message}");
}

#[test]
fn an_unwritable_output_ends_with_code_6_and_names_it() {
    let folder = folder_with_game(GAME);
    let (code, message) = failure(&folder, &["render", "game.pgn", "-o", "no/such/folder.mp4"]);
    assert_eq!(code, Some(6));
    assert!(message.starts_with("plyscope: cannot write \"no/such/folder.mp4\": "), "{message}");
}

#[test]
fn an_unwritable_truth_is_told_before_the_video_is_made() {
    let folder = folder_with_game(GAME);
    let arguments = ["render", "game.pgn", "-o", "game.mp4", "--truth", "no/truth.json", "--no-labels"];
    let (code, message) = failure(&folder, &arguments);
    assert_eq!(code, Some(6));
    assert!(message.starts_with("plyscope: cannot write \"no/truth.json\": "), "{message}");
    assert!(!folder.path().join("game.mp4").exists());
}

#[test]
fn a_missing_ffmpeg_ends_with_code_5_and_says_what_to_do() {
    let folder = folder_with_game(GAME);
    let output = Command::new(env!("CARGO_BIN_EXE_plyscope"))
        .args(["render", "game.pgn", "-o", "game.mp4"])
        .env("PATH", folder.path())
        .current_dir(folder.path())
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(5));
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        message.trim(),
        "plyscope: ffmpeg was not found; install it (for example with `apt install ffmpeg`) or put it on the PATH"
    );
    assert!(!folder.path().join("game.mp4").exists());
}

#[test]
fn a_name_without_a_known_container_is_refused_in_one_sentence() {
    let folder = folder_with_game(GAME);
    let (code, message) = failure(&folder, &["render", "game.pgn", "-o", "game.unknown"]);
    assert_eq!(code, Some(2));
    let expected = "\"game.unknown\" names no container for the video; end it in .mp4, .mkv, .mov, .avi, .ts";
    assert_eq!(message, format!("plyscope: {expected}"));
    assert!(!folder.path().join("game.unknown").exists());
}

#[test]
fn a_device_is_refused_and_stays() {
    let folder = folder_with_game(GAME);
    let (code, message) = failure(&folder, &["render", "game.pgn", "-o", "/dev/null"]);
    assert_eq!(code, Some(6));
    assert!(message.ends_with("a video goes to a regular file, give the name of one"), "{message}");
    assert!(std::path::Path::new("/dev/null").exists());
}

/// What a render says, and its exit code, where a script stands in ffmpeg's place.
#[cfg(unix)]
fn with_other_ffmpeg(folder: &TempDir, script: &str) -> (Option<i32>, String) {
    use std::os::unix::fs::PermissionsExt;
    let program = folder.path().join("ffmpeg");
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("a script");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("made to run");
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new(env!("CARGO_BIN_EXE_plyscope"))
        .args(["render", "game.pgn", "-o", "game.mp4"])
        .env("PATH", path)
        .current_dir(folder.path())
        .output()
        .expect("the program starts");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).trim().to_owned())
}

#[cfg(unix)]
#[test]
fn what_ffmpeg_refuses_is_shown_with_its_own_words_and_the_command() {
    let folder = folder_with_game(GAME);
    std::fs::write(folder.path().join("game.mp4"), "an older video").expect("written");
    let (code, message) = with_other_ffmpeg(&folder, "echo \"Unknown encoder 'libx264'\" >&2; exit 1");
    assert_eq!(code, Some(1));
    assert!(message.contains("Unknown encoder 'libx264'"), "{message}");
    assert!(message.contains("the command was: ffmpeg -hide_banner"), "{message}");
    let kept = std::fs::read_to_string(folder.path().join("game.mp4")).expect("still there");
    assert_eq!(kept, "an older video");
}

#[cfg(unix)]
#[test]
fn a_video_whose_end_found_no_room_is_no_video_though_ffmpeg_ends_with_0() {
    let folder = folder_with_game(GAME);
    let script = "cat >/dev/null; echo 'Error writing trailer of x: No space left on device' >&2; exit 0";
    let (code, message) = with_other_ffmpeg(&folder, script);
    assert_eq!(code, Some(6));
    assert!(message.contains("the disk is full"), "{message}");
    assert!(!folder.path().join("game.mp4").exists());
}

#[test]
fn the_game_is_never_overwritten_by_its_video() {
    let folder = folder_with_game(GAME);
    let (code, message) = failure(&folder, &["render", "game.pgn", "-o", "./game.pgn"]);
    assert_eq!(code, Some(2));
    assert_eq!(message, "plyscope: GAME and --output are the same file \"game.pgn\", name two");
    assert_eq!(std::fs::read_to_string(folder.path().join("game.pgn")).expect("still there"), GAME);
}

#[test]
fn wrong_usage_ends_with_code_2() {
    let folder = folder_with_game(GAME);
    let cases: [&[&str]; 6] = [
        &["--fps", "0"],
        &["--size", "8"],
        &["--canvas", "100x100", "--at", "0,0"],
        &["--canvas", "640x640"],
        &["--slide", "fast"],
        &["--output=-"],
    ];
    for case in cases {
        let mut line = vec!["render", "game.pgn"];
        if !case.contains(&"--output=-") {
            line.push("--output=game.mp4");
        }
        line.extend(case);
        let (code, message) = failure(&folder, &line);
        assert_eq!(code, Some(2), "{case:?}: {message}");
    }
}

#[test]
fn the_samples_are_legal_short_and_have_quick_replies() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples");
    let mut games = 0;
    for entry in std::fs::read_dir(samples).expect("the samples are there") {
        let path = entry.expect("the entry is readable").path();
        if path.extension() != Some(OsStr::new("pgn")) {
            continue;
        }
        let record = GameRecord::read_file(&path).expect("the sample is legal");
        let times = record.timeline();
        assert!(record.plies.iter().all(|ply| ply.clock.is_some()), "{}", path.display());
        let last_s = times.last().expect("the sample has plies").seconds();
        assert!(last_s < 90.0, "{} lasts {last_s} s", path.display());
        let quick = times.windows(2).filter(|pair| pair[1].us_since(pair[0]) <= 300_000).count();
        assert!(quick >= 5, "{} has {quick} quick replies", path.display());
        games += 1;
    }
    assert!(games >= 3);
}
