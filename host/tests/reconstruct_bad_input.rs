//! `plyscope reconstruct` on what is no video, half a video, another board, an odd name, a full disk: what it says, with
//! which code it ends, and what it leaves on disk.

#![cfg(unix)]

mod reconstructed;

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use reconstructed::{Scene, ffmpeg, moves_in};
use serde_json::Value;

/// Ends and says one sentence that holds `words`, with exit code `code`.
#[track_caller]
fn assert_refuses(scene: &Scene, arguments: &[&str], code: i32, words: &str) {
    let output = scene.reconstruct(arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{arguments:?} said {said:?}");
    assert!(said.starts_with("plyscope: ") && said.contains(words), "{arguments:?} said {said:?}");
    assert_eq!(said.lines().count(), 1, "one sentence: {said:?}");
}

#[track_caller]
fn assert_reads_all(scene: &Scene, arguments: &[&str]) {
    let output = scene.reconstruct(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(scene.answer(), scene.truth(), "{arguments:?}");
}

fn cut(scene: &Scene, from: &str, to: &str, percent: u64) {
    let whole = scene.path(from);
    fs::copy(&whole, scene.path(to)).expect("the folder takes a file");
    let size = whole.metadata().expect("the video is there").len();
    let file = File::options().write(true).open(scene.path(to)).expect("the copy can be cut");
    file.set_len(size * percent / 100).expect("the copy can be cut");
}

#[test]
fn what_is_no_video_is_told_with_code_3_and_an_empty_answer() {
    let scene = Scene::new();
    fs::write(scene.path("text.mp4"), "hello\n").expect("the folder takes a file");
    fs::write(scene.path("empty.mp4"), "").expect("the folder takes a file");
    ffmpeg(&scene, &["-f", "lavfi", "-i", "sine=duration=2", "sound.mp4"]);
    for name in ["text.mp4", "empty.mp4"] {
        assert_refuses(&scene, &[name], 3, &format!("{name:?} is no video that ffmpeg can read"));
        assert!(scene.answer().is_empty());
    }
    assert_refuses(&scene, &["sound.mp4"], 3, "it holds no video stream");
    assert_refuses(&scene, &["missing.mp4"], 3, "cannot read \"missing.mp4\": No such file");
}

#[test]
fn a_video_without_a_board_in_its_start_position_is_told_with_code_4() {
    let scene = Scene::with_video(&[]);
    ffmpeg(&scene, &["-f", "lavfi", "-i", "testsrc2=size=320x240:rate=10:duration=3", "no-board.mp4"]);
    ffmpeg(&scene, &["-f", "lavfi", "-i", "color=gray:size=320x240:rate=10:duration=3", "grey.mp4"]);
    for name in ["no-board.mp4", "grey.mp4"] {
        assert_refuses(&scene, &[name], 4, "no board in its start position was found in");
        assert!(scene.answer().is_empty());
    }
    // The start position is there, and seen from the other side.
    assert_refuses(&scene, &["video.mp4", "--orientation", "black"], 4, "no board in its start position");
}

#[test]
fn a_position_that_is_none_and_a_game_that_is_not_there_are_told() {
    let scene = Scene::with_video(&[]);
    for (fen, words) in [("nonsense", "Forsyth-Edwards"), ("8/8/8/8/8/8/8/K7 w - - 0 1", "the rules forbid")]
    {
        let output = scene.reconstruct(&["video.mp4", "--fen", fen]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(words), "{said}");
    }
    let ending = "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1";
    assert_refuses(&scene, &["video.mp4", "--fen", ending], 4, "no board in the position of --fen was found");
    assert_refuses(
        &scene,
        &["video.mp4", "--game", "2"],
        4,
        "the video shows no game 2, for it has one game",
    );
    assert!(scene.answer().is_empty());
}

#[test]
fn a_video_that_begins_after_two_plies_holds_the_others_when_told_where_it_begins() {
    let scene = Scene::with_video(&[]);
    ffmpeg(&scene, &["-ss", "2.7", "-i", "video.mp4", "later.mp4"]);
    let start = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    let output = scene.reconstruct(&["later.mp4", "--pgn", "later.pgn", "--fen", start]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let squares = |rows: &[Value]| -> Vec<Value> {
        rows.iter().filter(|row| row["type"] == "move").map(|row| row["coord"].clone()).collect()
    };
    assert_eq!(squares(&scene.answer()), squares(&scene.truth())[2..]);
    let pgn = fs::read_to_string(scene.path("later.pgn")).expect("a PGN");
    assert!(pgn.contains(&format!("[SetUp \"1\"]\n[FEN \"{start}\"]")), "{pgn}");
}

#[test]
fn a_truncated_video_ends_with_code_3_and_keeps_what_was_read() {
    let scene = Scene::with_video(&[]);
    ffmpeg(&scene, &["-i", "video.mp4", "-c", "copy", "-movflags", "faststart", "front.mp4"]);
    ffmpeg(&scene, &["-i", "video.mp4", "-c", "copy", "video.mkv"]);
    cut(&scene, "front.mp4", "cut-front.mp4", 85);
    cut(&scene, "video.mkv", "cut.mkv", 85);
    let truth = scene.truth();
    for name in ["cut-front.mp4", "cut.mkv"] {
        assert_refuses(&scene, &[name], 3, "what was read until then is kept");
        let kept = scene.answer();
        assert!(kept.len() >= 2 && kept.len() < truth.len(), "{name}: {} rows", kept.len());
        for (kept, truth) in kept.iter().zip(&truth) {
            // Of the frames between the last reference and the cut some are missing.
            let time = |row: &Value| row["game_clock_s"].as_f64().expect("a time");
            assert!((time(kept) - time(truth)).abs() <= 0.21, "{name}: {kept} for {truth}");
            assert!(["type", "idx", "color", "coord"].iter().all(|&field| kept[field] == truth[field]));
        }
    }
    // An mp4 whose index stood at its cut-off end says nothing at all.
    cut(&scene, "video.mp4", "cut.mp4", 75);
    assert_refuses(&scene, &["cut.mp4"], 3, "is no video that ffmpeg can read");
}

#[test]
fn a_game_cut_off_in_the_middle_is_a_whole_video_of_fewer_plies() {
    let scene = Scene::with_video(&[]);
    ffmpeg(&scene, &["-t", "4.3", "-i", "video.mp4", "half.mp4"]);
    let output = scene.reconstruct(&["half.mp4"]);
    assert!(output.status.success());
    let kept = scene.answer();
    assert_eq!(moves_in(&kept), 5, "e4 e5 Nf3 Nc6 Bb5 stand by 4.3 s");
    assert_eq!(kept, scene.truth()[..kept.len()]);
}

#[test]
fn an_output_that_cannot_be_written_is_told_with_code_6_before_the_video_is_read() {
    let scene = Scene::with_video(&[]);
    let to = |name| ["video.mp4", "-o", name];
    assert_refuses(&scene, &to("no/such/answer.json"), 6, "its folder does not exist");
    assert_refuses(&scene, &to("."), 6, "it is a folder");
    assert_refuses(&scene, &["video.mp4", "--pgn", "no/game.pgn"], 6, "its folder does not exist");
    fs::create_dir(scene.path("sealed")).expect("the folder takes a folder");
    fs::set_permissions(scene.path("sealed"), fs::Permissions::from_mode(0o555)).expect("it can be sealed");
    if File::create(scene.path("sealed/probe")).is_ok() {
        eprintln!("SKIPPED: the case of a folder without permission, for this user may write everywhere");
    } else {
        assert_refuses(&scene, &to("sealed/answer.json"), 6, "no permission to write there");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_with_code_6_and_what_was_there_before_is_kept() {
    let scene = Scene::with_video(&[]);
    assert_refuses(&scene, &["video.mp4", "-o", "/dev/full"], 6, "the disk is full");
    let disk = scene.path("disk");
    fs::create_dir(&disk).expect("the folder takes a folder");
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"]).arg(&disk).output();
    if !mount.is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: the case of a small full disk, for this user may not mount one");
        return;
    }
    let _unmounted_at_the_end = Mounted(&disk);
    fs::write(disk.join("answer.json"), "{\"events\": []}\n").expect("an empty disk takes a file");
    fs::write(disk.join("filling"), vec![0; 252 << 10]).expect("it has room for this");
    assert_refuses(&scene, &["video.mp4", "-o", "disk/answer.json"], 6, "the disk is full");
    assert_eq!(fs::read(disk.join("answer.json")).expect("it is there"), b"{\"events\": []}\n");
    fs::remove_file(disk.join("filling")).expect("it can go");
    assert!(scene.reconstruct(&["video.mp4", "-o", "disk/answer.json"]).status.success());
    assert_eq!(reconstructed::rows(&disk.join("answer.json")), scene.truth());
}

struct Mounted<'p>(&'p Path);

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

#[test]
fn a_missing_ffmpeg_is_told_with_code_5() {
    let scene = Scene::with_video(&[]);
    let output = scene.command(&["video.mp4"]).env("PATH", "/nonexistent").output().expect("it starts");
    assert_eq!(output.status.code(), Some(5));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("ffprobe was not found; install ffmpeg"), "{said}");

    // ffprobe alone is not enough.
    let tools = scene.path("tools");
    fs::create_dir(&tools).expect("the folder takes a folder");
    let probe = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .map(|folder| folder.join("ffprobe"))
        .find(|path| path.is_file())
        .expect("ffprobe is installed for the tests");
    std::os::unix::fs::symlink(probe, tools.join("ffprobe")).expect("a link can be made");
    let output = scene.command(&["video.mp4"]).env("PATH", &tools).output().expect("it starts");
    assert_eq!(output.status.code(), Some(5));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("ffmpeg was not found; install ffmpeg"), "{said}");
}

#[test]
fn any_file_name_works_for_the_video_the_answer_and_the_pgn() {
    let scene = Scene::with_video(&[]);
    let mut names: Vec<OsString> = [
        "-v",
        "a b",
        "%d %03d %20",
        "co:lon",
        "http:x",
        "concat:video.mp4|video.mp4",
        "pipe:0",
        "Ünï♞ 棋",
        "new\nline",
        "q'uo\"te\\",
        "[a],b=c;d",
        "*?",
    ]
    .map(OsString::from)
    .to_vec();
    if cfg!(target_os = "linux") {
        names.push(OsString::from_vec(b"no text \xff\xfe".to_vec()));
    }
    for name in names {
        let named = |ending: &str| {
            let mut named = name.clone();
            named.push(ending);
            named
        };
        let option = |option: &str, value: &OsStr| {
            let mut text = OsString::from(option);
            text.push(value);
            text
        };
        fs::copy(scene.path("video.mp4"), scene.path(named(".mp4"))).expect("the folder takes the name");
        let output = Command::new(env!("CARGO_BIN_EXE_plyscope"))
            .current_dir(scene.path("."))
            .args(["reconstruct", "--no-labels"])
            .arg(option("--output=", &named(".json")))
            .arg(option("--pgn=", &named(".pgn")))
            .arg("--")
            .arg(named(".mp4"))
            .output()
            .expect("the program starts");
        assert!(output.status.success(), "{name:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(reconstructed::rows(&scene.path(named(".json"))), scene.truth(), "{name:?}");
        let pgn = fs::read(scene.path(named(".pgn"))).expect("the PGN is written");
        assert!(pgn.windows(4).any(|word| word == b"Bxc6"), "{name:?}");
    }
    let left: Vec<_> = fs::read_dir(scene.path("."))
        .expect("the folder can be read")
        .flatten()
        .map(|entry| entry.file_name())
        .filter(|name| name.as_bytes().starts_with(b"."))
        .collect();
    assert!(left.is_empty(), "nothing is left over beside the outputs: {left:?}");
}

#[test]
fn one_file_for_two_purposes_is_wrong_usage_and_stays_as_it_was() {
    let scene = Scene::with_video(&[]);
    let video = fs::read(scene.path("video.mp4")).expect("the video is there");
    assert_refuses(&scene, &["video.mp4", "-o", "./video.mp4"], 2, "VIDEO and --output are the same file");
    assert_refuses(&scene, &["video.mp4", "--pgn", "video.mp4"], 2, "VIDEO and --pgn are the same file");
    assert_refuses(
        &scene,
        &["video.mp4", "--pgn", "./answer.json"],
        2,
        "--output and --pgn are the same file",
    );
    assert_eq!(fs::read(scene.path("video.mp4")).expect("the video is there"), video);
}

#[test]
fn standard_input_is_a_video_or_is_told_to_be_none() {
    let scene = Scene::with_video(&[]);
    let from = |name: &str| Stdio::from(File::open(scene.path(name)).expect("the video is there"));
    let output = scene.command(&["-"]).stdin(from("video.mp4")).output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(scene.answer(), scene.truth());
    let output = scene.command(&["-"]).stdin(Stdio::null()).output().expect("it starts");
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("\"standard input\" is no video"), "{said}");
}

#[test]
fn closed_standard_streams_do_no_harm() {
    let scene = Scene::with_video(&[]);
    let shell = |redirection: &str, arguments: &str| {
        let program = env!("CARGO_BIN_EXE_plyscope");
        let line = format!("exec \"{program}\" reconstruct --no-labels {arguments} {redirection}");
        let status = Command::new("sh").args(["-c", &line]).current_dir(scene.path(".")).status();
        status.expect("a shell starts").code()
    };
    for redirection in ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"] {
        fs::write(scene.path("answer.json"), "{\"events\": []}").expect("the folder takes a file");
        assert_eq!(shell(redirection, "video.mp4"), Some(0), "{redirection}");
        assert_eq!(scene.answer(), scene.truth(), "{redirection}");
    }
    assert_eq!(shell("<&-", "-"), Some(3), "a closed standard input is no video");
    assert_eq!(shell("| true", "video.mp4 -o -"), Some(0), "a reader that goes away has seen all it wanted");
}

#[test]
fn the_answer_goes_to_standard_output_as_it_goes_to_a_file() {
    let scene = Scene::with_video(&[]);
    assert_reads_all(&scene, &["video.mp4"]);
    let output = scene.reconstruct(&["video.mp4", "-o", "-"]);
    assert!(output.status.success() && output.stderr.is_empty());
    assert_eq!(output.stdout, fs::read(scene.path("answer.json")).expect("the answer is there"));
}

#[test]
fn an_answer_that_is_already_there_is_the_normal_start() {
    let scene = Scene::with_video(&[]);
    for before in ["{\"events\": []}", "{\"events\":[]}\n", "no answer at all", ""] {
        fs::write(scene.path("answer.json"), before).expect("the folder takes a file");
        assert_reads_all(&scene, &["video.mp4"]);
        assert_reads_all(&scene, &["video.mp4"]);
        fs::write(scene.path("answer.json"), before).expect("the folder takes a file");
        assert_refuses(&scene, &["missing.mp4"], 3, "cannot read");
        let after = fs::read_to_string(scene.path("answer.json")).expect("the answer is there");
        assert_eq!(after, before, "a run that reads nothing changes nothing");
    }
}

#[test]
fn rotation_in_the_metadata_is_followed() {
    let scene = Scene::with_video(&[]);
    for (transpose, rotate) in [("clock", "270"), ("cclock", "90")] {
        let filter = format!("transpose={transpose}");
        ffmpeg(&scene, &["-i", "video.mp4", "-vf", &filter, "lying.mp4"]);
        let tag = format!("rotate={rotate}");
        ffmpeg(&scene, &["-i", "lying.mp4", "-c", "copy", "-metadata:s:v:0", &tag, "turned.mp4"]);
        assert_refuses(&scene, &["lying.mp4"], 4, "no board in its start position");
        assert_reads_all(&scene, &["turned.mp4"]);
    }
}

#[test]
fn a_portrait_video_a_variable_frame_rate_and_black_at_the_bottom_are_read() {
    let scene = Scene::with_video(&["--drop-repeats"]);
    assert_reads_all(&scene, &["video.mp4"]);
    let scene = Scene::with_video(&["--canvas", "270x480", "--at", "13,201"]);
    assert_reads_all(&scene, &["video.mp4"]);
    let scene = Scene::with_video(&["--orientation", "black"]);
    assert_reads_all(&scene, &["video.mp4"]);
    assert_reads_all(&scene, &["video.mp4", "--orientation", "auto"]);
    assert_reads_all(&scene, &["video.mp4", "--orientation", "black"]);
    assert_refuses(&scene, &["video.mp4", "--orientation", "white"], 4, "no board in its start position");
}
