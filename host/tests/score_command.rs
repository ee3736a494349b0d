//! `plyscope score` as a person or a program meets it: messages, exit codes, file names.

use std::error::Error;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

type Outcome = Result<(), Box<dyn Error>>;

const TRUTH: &str = r#"{"events": [
{"type":"move","idx":1,"color":"W","coord":"E4","game_clock_s":2.0,"leader_after":"equal","wr_swing":"equal"},
{"type":"move","idx":2,"color":"B","coord":"D5","game_clock_s":3.5,"leader_after":"W","wr_swing":"W"},
{"type":"move","idx":3,"color":"W","coord":"D5","game_clock_s":5.0,"leader_after":"W","wr_swing":"equal"},
{"type":"capture","idx":1,"color":"B","coord":"D5","game_clock_s":5.0}
]}
"#;

/// As the truth, but one label is wrong, one capture is missing and one move is invented.
const ANSWER: &str = r#"{"events": [
{"type":"move","idx":1,"color":"W","coord":"E4","game_clock_s":2.1,"leader_after":"equal","wr_swing":"equal"},
{"type":"move","idx":2,"color":"B","coord":"D5","game_clock_s":3.5,"leader":"B","wr_swing":"W"},
{"type":"move","idx":3,"color":"W","coord":"D5","game_clock_s":5.0,"leader_after":"W","wr_swing":"equal"},
{"type":"move","idx":4,"color":"B","coord":"D5","game_clock_s":"soon","leader_after":"W","wr_swing":"equal"}
]}
"#;

fn score<S: AsRef<OsStr>>(folder: &Path, args: impl IntoIterator<Item = S>) -> std::io::Result<Output> {
    Command::new(env!("CARGO_BIN_EXE_plyscope")).arg("score").args(args).current_dir(folder).output()
}

fn with_files() -> Result<tempfile::TempDir, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("answer.json"), ANSWER)?;
    fs::write(folder.path().join("truth.json"), TRUTH)?;
    Ok(folder)
}

/// The one line on stderr of a run that must have ended with `code` and printed nothing else.
fn complaint(output: &Output, code: i32) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    assert!(output.stdout.is_empty());
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.starts_with("plyscope: "), "{stderr}");
    stderr
}

#[test]
fn the_table_shows_all_scores_and_explains_every_fault() -> Outcome {
    let folder = with_files()?;
    let output = score(folder.path(), ["answer.json", "truth.json", "--explain"])?;
    assert_eq!(output.status.code(), Some(0));
    let expected = "          F1      precision  recall
strict    0.5000  0.5000     0.5000
T1        0.7500  0.7500     0.7500

          plain   macro   recall of B    of W           of equal
T2        1.0000  1.0000  - (0)          1.0000 (1)     1.0000 (2)
T3        0.6667  0.7500  - (0)          0.5000 (2)     1.0000 (1)

rows: 4 in the answer, 4 in the truth
time error: mean 0.033 s, max 0.100 s

missed (in the truth, not in the answer): 1
  {\"type\":\"capture\",\"idx\":1,\"color\":\"B\",\"coord\":\"D5\",\"game_clock_s\":5.0}
    before 2.                    after 2. exd5
    8  r n b q k b n r           8  r n b q k b n r
    7  p p p . p p p p           7  p p p . p p p p
    6  . . . . . . . .           6  . . . . . . . .
    5  . . . p . . . .           5  . . . P . . . .
    4  . . . . P . . .           4  . . . . . . . .
    3  . . . . . . . .           3  . . . . . . . .
    2  P P P P . P P P           2  P P P P . P P P
    1  R N B Q K B N R           1  R N B Q K B N R
       a b c d e f g h              a b c d e f g h

invented (in the answer, not in the truth): 1
  {\"type\":\"move\",\"idx\":4,\"color\":\"B\",\"coord\":\"D5\",\"game_clock_s\":\"soon\",\"leader_after\":\"W\",\"wr_swing\":\"equal\"}   <- no usable game_clock_s

wrong label (seen rightly, judged wrongly): 1
  {\"type\":\"move\",\"idx\":2,\"color\":\"B\",\"coord\":\"D5\",\"game_clock_s\":3.5,\"leader_after\":\"W\",\"wr_swing\":\"W\"}
    answered leader_after B, wr_swing W
";
    assert_eq!(String::from_utf8(output.stdout)?, expected);
    Ok(())
}

#[test]
fn json_has_the_documented_fields() -> Outcome {
    let folder = with_files()?;
    let output = score(folder.path(), ["answer.json", "truth.json", "--format", "json"])?;
    let scores: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let expected = serde_json::json!({
        "strict": {"f1": 0.5, "precision": 0.5, "recall": 0.5},
        "t1": {"f1": 0.75, "precision": 0.75, "recall": 0.75},
        "t2": {"plain": 1.0, "macro": 1.0, "recall": {"B": null, "W": 1.0, "equal": 1.0},
               "n": {"B": 0, "W": 1, "equal": 2}},
        "t3": {"plain": 2.0 / 3.0, "macro": 0.75, "recall": {"B": null, "W": 0.5, "equal": 1.0},
               "n": {"B": 0, "W": 2, "equal": 1}},
        "time_error_s": {"mean": 0.1 / 3.0, "max": 0.1},
    });
    assert_eq!(scores, expected);
    let output = score(folder.path(), ["answer.json", "truth.json", "--format=json", "--explain"])?;
    let scores: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let row =
        |text: &serde_json::Value| serde_json::from_str::<serde_json::Value>(text.as_str().unwrap_or(""));
    assert_eq!(row(&scores["explain"]["missed"][0]["row"])?["type"], "capture");
    let before = "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    assert_eq!(scores["explain"]["missed"][0]["before"], before);
    assert_eq!(scores["explain"]["invented"][0]["fault"], "no usable game_clock_s");
    assert!(scores["explain"]["invented"][0]["before"].is_null());
    assert_eq!(row(&scores["explain"]["wrong_label"][0]["truth"])?["leader_after"], "W");
    Ok(())
}

#[test]
fn the_tolerance_and_the_list_of_the_truth_can_be_chosen() -> Outcome {
    let folder = with_files()?;
    let f1 = |args: &[&str]| -> Result<serde_json::Value, Box<dyn Error>> {
        let args = ["answer.json", "truth.json", "--format=json"].iter().chain(args);
        let output = score(folder.path(), args)?;
        let scores: serde_json::Value = serde_json::from_slice(&output.stdout)?;
        Ok(scores["t1"]["f1"].clone())
    };
    assert_eq!(f1(&["--tolerance", "0.1"])?, 0.75);
    assert_eq!(f1(&["--tolerance=0.0999"])?, 0.5);
    let several = TRUTH.replace("\"events\"", "\"events_other\": [], \"events_sf\"");
    fs::write(folder.path().join("truth.json"), several)?;
    assert_eq!(f1(&[])?, 0.75);
    assert_eq!(f1(&["--events", "events_other"])?, 0.0);
    Ok(())
}

#[test]
fn odd_file_names_and_standard_input_work() -> Outcome {
    let folder = with_files()?;
    for name in ["-answer.json", "with space.json", "100%d %s.json", "Ünïcödé ♞.json", "--explain"] {
        fs::write(folder.path().join(name), ANSWER)?;
        let output = score(folder.path(), ["--", name, "truth.json"])?;
        assert_eq!(output.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_plyscope"))
        .args(["score", "-", "truth.json"])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()?;
    child.stdin.take().ok_or("no stdin")?.write_all(ANSWER.as_bytes())?;
    assert_eq!(child.wait()?.code(), Some(0));
    let message = complaint(&score(folder.path(), ["-", "-"])?, 2);
    assert!(message.contains("name a file"), "{message}");
    Ok(())
}

#[test]
fn files_that_cannot_be_used_are_named_in_one_sentence_with_exit_code_7() -> Outcome {
    let folder = with_files()?;
    let not_utf8: &[u8] = b"{\"events\": [\"\xff\"]}";
    let cases: [(&str, &[u8], &str); 6] = [
        ("no-json.json", b"1. e4 e5", "it is not JSON"),
        ("empty.json", b"", "it is not JSON"),
        ("nan.json", b"{\"events\": [{\"game_clock_s\": NaN}]}", "NaN"),
        ("list.json", b"[]", "it has no list \"events\""),
        ("no-answer.json", b"{\"plies\": []}", "it has no list \"events\""),
        ("latin.json", not_utf8, "it is not UTF-8"),
    ];
    for (name, contents, reason) in cases {
        fs::write(folder.path().join(name), contents)?;
        for args in [[name, "truth.json"], ["answer.json", name]] {
            let message = complaint(&score(folder.path(), args)?, 7);
            assert!(message.contains(&format!("{name:?}")) && message.contains(reason), "{message}");
        }
    }
    let message = complaint(&score(folder.path(), ["missing.json", "truth.json"])?, 7);
    assert!(message.contains("\"missing.json\"") && message.contains("there is no such file"), "{message}");
    let message = complaint(&score(folder.path(), [".", "truth.json"])?, 7);
    assert!(message.contains("it is a folder"), "{message}");
    let message = complaint(&score(folder.path(), ["answer.json", "truth.json", "--events", "sf"])?, 7);
    assert!(message.contains("it has no list \"sf\""), "{message}");
    Ok(())
}

#[test]
fn wrong_usage_is_exit_code_2() -> Outcome {
    let folder = with_files()?;
    let wrong: [&[&str]; 5] = [
        &[],
        &["answer.json"],
        &["answer.json", "truth.json", "--tolerance", "-1"],
        &["answer.json", "truth.json", "--tolerance", "three"],
        &["answer.json", "truth.json", "--format", "xml"],
    ];
    for args in wrong {
        let output = score(folder.path(), args)?;
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(!output.stderr.is_empty() && output.stdout.is_empty(), "{args:?}");
    }
    Ok(())
}

#[test]
fn help_has_an_example_and_every_exit_code() -> Outcome {
    let folder = with_files()?;
    let help = score(folder.path(), ["--help"])?;
    assert_eq!(help.status.code(), Some(0));
    assert!(String::from_utf8(help.stdout)?.contains("Example:\n  plyscope score "));
    let help = Command::new(env!("CARGO_BIN_EXE_plyscope")).arg("--help").output()?;
    assert!(String::from_utf8(help.stdout)?.contains(&plyscope::exit_code::ExitCode::table()));
    Ok(())
}

#[test]
fn the_documentation_lists_every_exit_code() -> Outcome {
    let formats = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/formats.md"))?;
    for code in plyscope::exit_code::ExitCode::ALL {
        let line = format!("| {} | {} |", code.number(), code.meaning());
        assert!(formats.lines().any(|l| l == line), "docs/formats.md lacks {line:?}");
    }
    Ok(())
}

#[test]
fn a_reader_that_goes_away_is_no_error() -> Outcome {
    let folder = with_files()?;
    // Enough rows to explain that the pipe is full long before the end.
    let row = r#"{"type":"move","color":"W","coord":"A1","game_clock_s":900}"#;
    let many = format!("{{\"events\": [{}]}}", vec![row; 5000].join(","));
    fs::write(folder.path().join("answer.json"), many)?;
    let mut child = Command::new(env!("CARGO_BIN_EXE_plyscope"))
        .args(["score", "answer.json", "truth.json", "--explain"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    drop(child.stdout.take());
    let output = child.wait_with_output()?;
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_a_failure_and_no_panic() -> Outcome {
    let folder = with_files()?;
    let output = Command::new(env!("CARGO_BIN_EXE_plyscope"))
        .args(["score", "answer.json", "truth.json"])
        .current_dir(folder.path())
        .stdout(fs::OpenOptions::new().write(true).open("/dev/full")?)
        .output()?;
    let message = complaint(&output, 6);
    assert!(message.contains("standard output"), "{message}");
    Ok(())
}
