//! `plyscope watch` on sources that grow, end, stall and are interrupted.

#![cfg(unix)]

mod reconstructed;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use reconstructed::{Scene, ffmpeg, moves_in, rows};
use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(60);

/// A folder with the game as a stream that can be read from its beginning.
fn scene() -> Scene {
    let scene = Scene::with_video(&[]);
    ffmpeg(&scene, &["-i", "video.mp4", "-c", "copy", "-f", "mpegts", "video.ts"]);
    scene
}

struct Watch {
    child: Child,
    lines: Receiver<Value>,
}

impl Watch {
    fn start(scene: &Scene, arguments: &[&str], stdin: Stdio) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_plyscope"))
            .arg("watch")
            .args(arguments)
            .current_dir(scene.path("."))
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the program starts");
        let stdout = child.stdout.take().expect("it is piped");
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let event = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
                let _ = sender.send(event);
            }
        });
        Self { child, lines }
    }

    /// The next event of a kind; others before it are passed over.
    fn next(&self, kind: &str) -> Value {
        loop {
            let event = self.lines.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no event {kind}"));
            if event["event"] == kind {
                return event;
            }
            assert_ne!(event["event"], "done", "before any {kind}");
        }
    }

    /// All events to the end, and how the program ended.
    fn finish(mut self) -> (Vec<Value>, ExitStatus) {
        let events: Vec<Value> = self.lines.iter().collect();
        (events, self.child.wait().expect("it ends"))
    }
}

fn plies(events: &[Value]) -> Vec<&Value> {
    events.iter().filter(|event| event["event"] == "ply").collect()
}

#[test]
fn a_pipe_is_watched_to_its_end_and_every_ply_told_as_it_settles() {
    let scene = scene();
    let input = File::open(scene.path("video.ts")).expect("the stream is there");
    let arguments = ["-", "--no-labels", "--pgn", "live.pgn", "--time-control", "60+1"];
    let (events, status) = Watch::start(&scene, &arguments, input.into()).finish();
    assert!(status.success());
    assert_eq!(events[0]["event"], "board");
    assert_eq!(events[0]["orientation"], "white_bottom");
    let told: Vec<Value> =
        plies(&events).iter().flat_map(|ply| ply["rows"].as_array().cloned().unwrap_or_default()).collect();
    assert_eq!(told, scene.truth(), "the rows of the events are those of the truth");
    assert_eq!(scene.answer(), scene.truth());
    for ply in plies(&events) {
        let delay_s = ply["delay_s"].as_f64().expect("a number");
        assert!((0.0..=1.0).contains(&delay_s), "{ply}");
    }
    let last = events.last().expect("there are events");
    assert_eq!((&last["event"], &last["reason"]), (&"done".into(), &"the source is over".into()));
    assert_eq!(last["plies"].as_u64(), Some(moves_in(&scene.truth()) as u64));
    let pgn = fs::read_to_string(scene.path("live.pgn")).expect("the PGN is there");
    assert!(pgn.contains("[TimeControl \"60+1\"]") && pgn.contains("[%clk 0:01:0"), "{pgn}");
}

#[test]
fn ctrl_c_ends_an_endless_source_and_keeps_what_was_seen() {
    let scene = scene();
    let mut stream = Vec::new();
    File::open(scene.path("video.ts")).and_then(|mut file| file.read_to_end(&mut stream)).expect("it reads");
    let arguments = ["-", "--nodes", "500", "--pgn", "live.pgn"];
    let mut watch = Watch::start(&scene, &arguments, Stdio::piped());
    let mut pipe = watch.child.stdin.take().expect("it is piped");
    // Most of the game, and then nothing more, though the stream stays open.
    pipe.write_all(&stream[..stream.len() * 4 / 5]).expect("it takes the stream");
    pipe.flush().expect("it takes the stream");
    for number in 1..=4 {
        assert_eq!(watch.next("ply")["ply"], number);
    }
    assert!(moves_in(&scene.answer()) >= 4, "the answer on disk has what was told");
    let interrupted = Instant::now();
    let id = watch.child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().is_ok_and(|status| status.success()));
    let (events, status) = watch.finish();
    assert!(interrupted.elapsed() < Duration::from_secs(5), "{:?}", interrupted.elapsed());
    assert!(status.success(), "{status}");
    let last = events.last().expect("there are events");
    assert_eq!((&last["event"], &last["reason"]), (&"done".into(), &"interrupted".into()));
    let answer = scene.answer();
    assert_eq!(Some(moves_in(&answer) as u64), last["plies"].as_u64());
    let seen = |rows: &[Value]| {
        let fields = ["type", "idx", "color", "coord", "game_clock_s"];
        rows.iter().map(|row| fields.map(|field| row[field].clone())).collect::<Vec<_>>()
    };
    assert_eq!(seen(&answer), seen(&scene.truth()[..answer.len()]));
    let pgn = fs::read_to_string(scene.path("live.pgn")).expect("the PGN is there");
    assert!(pgn.contains("1. e4") && pgn.contains("[%eval"), "{pgn}");
    drop(pipe);
}

#[test]
fn a_file_is_watched_while_it_is_being_written() {
    let scene = scene();
    let stream = fs::read(scene.path("video.ts")).expect("the stream is there");
    let (first, rest) = stream.split_at(stream.len() * 3 / 5);
    fs::write(scene.path("growing.ts"), first).expect("the folder takes a file");
    let watch = Watch::start(&scene, &["growing.ts", "--no-labels", "--patience", "3"], Stdio::null());
    assert_eq!(watch.next("ply")["ply"], 1);
    let so_far = moves_in(&rows(&scene.path("answer.json")));
    assert!(so_far < moves_in(&scene.truth()), "the rest is not written yet");
    let mut file = fs::OpenOptions::new().append(true).open(scene.path("growing.ts")).expect("it opens");
    file.write_all(rest).expect("it grows");
    let (_, status) = watch.finish();
    assert!(status.success());
    assert_eq!(scene.answer(), scene.truth());
}

#[test]
fn a_grabber_is_cut_to_its_region() {
    let scene = scene();
    // A filter graph stands in for a screen: the board lies off its corner.
    let screen = "movie=video.mp4,pad=400:300:120:40:gray";
    let arguments = ["--grab", "lavfi", screen, "--region", "260x280+110+20", "--no-labels"];
    let (events, status) = Watch::start(&scene, &arguments, Stdio::null()).finish();
    assert!(status.success());
    assert_eq!(plies(&events).len(), moves_in(&scene.truth()));
}

/// Everything that a watch of `video.ts` in the scene tells.
fn events_of(scene: &Scene) -> Vec<Value> {
    let input = File::open(scene.path("video.ts")).expect("the stream is there");
    let (events, status) =
        Watch::start(scene, &["-", "--no-labels", "--pgn", "live.pgn"], input.into()).finish();
    assert!(status.success());
    events
}

/// The squares moved to, by plies told or rows.
fn squares<'r>(rows: impl IntoIterator<Item = &'r Value>) -> Vec<&'r str> {
    rows.into_iter().filter(|row| row["type"] == "move").filter_map(|row| row["coord"].as_str()).collect()
}

#[test]
fn games_that_follow_each_other_have_answers_of_their_own_wherever_their_boards_stand() {
    let scene = scene();
    let second = "1. d4 {[%emt 0:00:00.5]} Nf6 {[%emt 0:00:00.5]} 2. c4 {[%emt 0:00:01]} e6 {[%emt 0:00:01]} \
        3. Nc3 {[%emt 0:00:01]} Bb4 {[%emt 0:00:01]} *\n";
    for (name, arguments) in
        [("turned.mp4", ["--orientation", "black"]), ("white.mp4", ["--orientation", "white"])]
    {
        scene.render(second, name, &[&["--truth", "second.json", "--no-labels"][..], &arguments].concat());
    }
    let graph =
        "[0]pad=400:300:20:30[a];[1]pad=400:300:20:30[b];[2]pad=400:300:130:40[c];[a][b][c]concat=n=3";
    ffmpeg(
        &scene,
        &[
            "-i",
            "video.mp4",
            "-i",
            "turned.mp4",
            "-i",
            "white.mp4",
            "-filter_complex",
            graph,
            "-f",
            "mpegts",
            "video.ts",
        ],
    );
    let events = events_of(&scene);
    let games: Vec<_> = events.iter().filter(|event| event["event"] == "game").collect();
    assert_eq!(
        games.iter().map(|game| game["game"].as_u64()).collect::<Vec<_>>(),
        [Some(1), Some(2), Some(3)]
    );
    assert!(games.iter().all(|game| game["read"] == false));
    let truth = rows(&scene.path("second.json"));
    assert_eq!(squares(&scene.answer()), squares(&scene.truth()));
    for name in ["answer.game2.json", "answer.game3.json"] {
        assert_eq!(squares(&rows(&scene.path(name))), squares(&truth), "{name}");
    }
    let of_third: Vec<_> = plies(&events).into_iter().filter(|ply| ply["game"] == 3).collect();
    assert_eq!(of_third.len(), moves_in(&truth));
    let boards = events.iter().filter(|event| event["event"] == "board").count();
    assert_eq!(boards, 3, "it is found, turned, and found elsewhere");
    let last = events.last().expect("there are events");
    assert_eq!((&last["event"], last["games"].as_u64()), (&"done".into(), Some(3)));
    let pgn = fs::read_to_string(scene.path("live.pgn")).expect("the PGN is there");
    assert_eq!(pgn.matches("[Result ").count(), 3, "{pgn}");
}

#[test]
fn a_board_that_is_moved_while_it_is_watched_goes_on_with_its_game() {
    let scene = scene();
    let graph = "[0]split[a][b];[a]trim=end=5.2,pad=400:300:20:30[c];\
        [b]trim=start=5.2,setpts=PTS-STARTPTS,tpad=start_mode=clone:start_duration=3,pad=400:300:140:50[d];[c][d]concat";
    ffmpeg(&scene, &["-i", "video.mp4", "-filter_complex", graph, "-f", "mpegts", "video.ts"]);
    let events = events_of(&scene);
    assert_eq!(squares(&scene.answer()), squares(&scene.truth()));
    assert!(!scene.path("answer.game2.json").exists());
    let boards: Vec<_> = events.iter().filter(|event| event["event"] == "board").collect();
    let left = |board: &Value| board["rect_px"][0].as_f64().unwrap_or(-1.0).round();
    assert_eq!(boards.into_iter().map(left).collect::<Vec<_>>(), [20.0, 140.0]);
}

#[test]
fn a_game_that_is_joined_in_its_middle_is_watched_from_there() {
    let scene = Scene::with_video(&["--size", "400"]);
    ffmpeg(&scene, &["-ss", "3.7", "-i", "video.mp4", "-f", "mpegts", "video.ts"]);
    let events = events_of(&scene);
    let game = events.iter().find(|event| event["event"] == "game").expect("a game is told of");
    assert_eq!(game["read"], true, "{game}");
    let answer = scene.answer();
    let (seen, played) = (squares(&answer), scene.truth());
    assert!(seen.len() >= 5 && squares(&played).ends_with(&seen), "{seen:?}");
    let pgn = fs::read_to_string(scene.path("live.pgn")).expect("the PGN is there");
    assert!(pgn.contains("[SetUp \"1\"]"), "{pgn}");
}

#[test]
fn events_that_cannot_be_written_are_an_error_and_the_answer_is_kept() {
    let scene = scene();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("the device opens");
    let output = Command::new(env!("CARGO_BIN_EXE_plyscope"))
        .args(["watch", "video.ts", "--no-labels", "--patience", "1"])
        .current_dir(scene.path("."))
        .stdin(Stdio::null())
        .stdout(full)
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(6), "{said}");
    assert!(said.contains("cannot write \"standard output\""), "{said}");
}

#[test]
fn what_is_no_video_and_what_shows_no_board_are_told_in_one_sentence() {
    let scene = scene();
    fs::write(scene.path("no.ts"), "not a video").expect("the folder takes a file");
    ffmpeg(&scene, &["-f", "lavfi", "-i", "color=gray:s=320x320:d=2:r=5", "-f", "mpegts", "gray.ts"]);
    for (source, code, words) in
        [("no.ts", 3, "is no video"), ("gray.ts", 4, "no board"), ("gone.ts", 3, "cannot read")]
    {
        let output = Command::new(env!("CARGO_BIN_EXE_plyscope"))
            .args(["watch", source, "--no-labels", "--patience", "1"])
            .current_dir(scene.path("."))
            .stdin(Stdio::null())
            .output()
            .expect("the program starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.starts_with("plyscope: ") && said.contains(words), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}
