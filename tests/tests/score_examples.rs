//! The judge's arithmetic, worked by hand.

use std::time::{Duration, Instant};

use plyscope::scoring::event_file::{EVENTS_MAX, EventFileError, EventList, Row, read_events};
use plyscope::scoring::exact_time::ExactTime;
use plyscope::scoring::judge::{LabelRates, Rates, Scores, judge};

fn rows(json_rows: &[&str]) -> Vec<Row> {
    let text = format!("{{\"events\": [{}]}}", json_rows.join(","));
    read_events(&text, EventList::Default).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn scores(answer: &[&str], truth: &[&str]) -> Scores {
    judge(&rows(answer), &rows(truth), ExactTime::from_millis(3000))
}

fn ply(color: &str, coord: &str, time_s: &str, leader_after: &str, wr_swing: &str) -> String {
    format!(
        "{{\"type\":\"move\",\"idx\":1,\"color\":\"{color}\",\"coord\":\"{coord}\",\"game_clock_s\":{time_s},\
         \"leader_after\":\"{leader_after}\",\"wr_swing\":\"{wr_swing}\"}}"
    )
}

fn capture(color: &str, coord: &str, time_s: &str) -> String {
    format!(
        "{{\"type\":\"capture\",\"idx\":1,\"color\":\"{color}\",\"coord\":\"{coord}\",\"game_clock_s\":{time_s}}}"
    )
}

fn strs(rows: &[String]) -> Vec<&str> {
    rows.iter().map(String::as_str).collect()
}

/// Six plies: `leader_after` is W, W, W, B, equal, equal; `wr_swing` is equal five times and W once; one capture.
fn six_plies() -> Vec<String> {
    vec![
        ply("W", "E4", "2.0", "W", "equal"),
        ply("B", "E5", "4.0", "W", "equal"),
        ply("W", "F3", "6.0", "W", "W"),
        ply("B", "C6", "8.0", "B", "equal"),
        ply("W", "B5", "10.0", "equal", "equal"),
        ply("B", "A6", "12.0", "equal", "equal"),
        capture("W", "A6", "12.0"),
    ]
}

#[test]
fn a_perfect_answer_scores_one_in_everything() {
    let truth = six_plies();
    let scores = scores(&strs(&truth), &strs(&truth));
    let all = Rates { f1: 1.0, precision: 1.0, recall: 1.0 };
    assert_eq!((scores.strict, scores.t1), (all, all));
    // No ply has the swing B: its recall is unknown and the macro mean goes over the other two.
    let t2 = LabelRates {
        plain: Some(1.0),
        macro_mean: Some(1.0),
        recall: [None, Some(1.0), Some(1.0)],
        plies: [0, 1, 5],
    };
    assert_eq!(scores.t2, t2);
    assert_eq!(scores.t3.plies, [1, 3, 2]);
    assert_eq!(scores.time_error.map(|error| (error.mean_s, error.max_s)), Some((0.0, 0.0)));
}

#[test]
fn plain_counts_plies_and_macro_counts_classes() {
    let truth = six_plies();
    let answer = vec![
        ply("W", "E4", "2.0", "W", "equal"),
        ply("B", "E5", "4.0", "equal", "equal"),
        ply("W", "F3", "6.5", "W", "equal"),
        ply("B", "C6", "8.0", "W", "B"),
        ply("W", "B5", "10.0", "equal", "equal"),
        ply("B", "A6", "13.5", "equal", "equal"),
        capture("W", "A6", "12.0"),
        capture("B", "A6", "12.0"),
    ];
    let scores = scores(&strs(&answer), &strs(&truth));
    // Seen: 7 pairs of 8 answer rows and 7 truth rows.
    assert_eq!(scores.t1, Rates { f1: 14.0 / 15.0, precision: 7.0 / 8.0, recall: 1.0 });
    // Right in everything: E4, B5, A6 and the capture.
    assert_eq!(scores.strict, Rates { f1: 8.0 / 15.0, precision: 4.0 / 8.0, recall: 4.0 / 7.0 });
    // leader_after: B 0 of 1, W 2 of 3, equal 2 of 2.
    assert_eq!(scores.t3.recall, [Some(0.0), Some(2.0 / 3.0), Some(1.0)]);
    assert_eq!(scores.t3.plain, Some(4.0 / 6.0));
    assert_eq!(scores.t3.macro_mean, Some((0.0 + 2.0 / 3.0 + 1.0) / 3.0));
    // wr_swing: W 0 of 1, equal 4 of 5, no B in the truth.
    assert_eq!(scores.t2.recall, [None, Some(0.0), Some(4.0 / 5.0)]);
    assert_eq!(scores.t2.plain, Some(4.0 / 6.0));
    assert_eq!(scores.t2.macro_mean, Some((0.0 + 4.0 / 5.0) / 2.0));
    // Off by 0.5 s and 1.5 s over 7 pairs.
    assert_eq!(scores.time_error.map(|error| (error.mean_s, error.max_s)), Some((2.0 / 7.0, 1.5)));
    assert_eq!((scores.findings.missed.len(), scores.findings.invented.as_slice()), (0, [7].as_slice()));
    assert_eq!(scores.findings.wrong_label.len(), 3);
}

#[test]
fn labels_of_plies_that_were_not_seen_count_for_nothing_in_t2_and_t3() {
    let truth = six_plies();
    let scores = scores(&[&truth[0], &truth[3]], &strs(&truth));
    assert_eq!(scores.t3.plies, [1, 1, 0]);
    assert_eq!((scores.t3.plain, scores.t3.macro_mean), (Some(1.0), Some(1.0)));
    assert_eq!(scores.t1.recall, 2.0 / 7.0);
}

#[test]
fn three_seconds_count_and_a_microsecond_more_does_not() {
    for (answer_s, truth_s, pairs) in [
        ("5.1", "2.1", true),
        ("1.4", "4.4", true),
        ("5454.1", "5451.1", true),
        ("3.000", "0", true),
        ("3.000001", "0", false),
        ("4.400001", "1.4", false),
        ("1e308", "2.0", false),
        ("-1.0", "2.0", true),
        ("-1.001", "2.0", false),
    ] {
        let answer = ply("W", "E4", answer_s, "W", "W");
        let truth = ply("W", "E4", truth_s, "W", "W");
        let scores = scores(&[&answer], &[&truth]);
        assert_eq!(scores.strict.f1, f64::from(u8::from(pairs)), "{answer_s} against {truth_s}");
    }
}

#[test]
fn the_largest_set_of_pairs_wins_over_the_nearest_pair() {
    let at = |time_s: &str| ply("W", "E4", time_s, "equal", "equal");
    let scores = scores(&[&at("0"), &at("2.9")], &[&at("3.0"), &at("5.9")]);
    assert_eq!(scores.t1.f1, 1.0);
    assert_eq!(scores.time_error.map(|error| error.max_s), Some(3.0));
}

#[test]
fn of_two_answers_to_one_ply_the_nearer_counts_and_of_equally_near_the_earlier() {
    let truth = ply("W", "E4", "5.0", "W", "W");
    let (wrong_far, right_near) = (ply("W", "E4", "4.0", "B", "B"), ply("W", "E4", "5.5", "W", "W"));
    assert_eq!(scores(&[&wrong_far, &right_near], &[&truth]).t3.plain, Some(1.0));
    let (wrong_earlier, right_later) = (ply("W", "E4", "4.0", "B", "B"), ply("W", "E4", "6.0", "W", "W"));
    for order in [[&wrong_earlier, &right_later], [&right_later, &wrong_earlier]] {
        let scores = scores(&order.map(String::as_str), &[&truth]);
        assert_eq!(scores.t3.plain, Some(0.0), "T1 pairs the earlier row");
        assert_eq!(scores.strict.recall, 1.0, "strict pairs by its own key");
    }
}

#[test]
fn empty_lists_have_defined_scores() {
    let truth = six_plies();
    let none = Rates { f1: 0.0, precision: 0.0, recall: 0.0 };
    let nothing_answered = scores(&[], &strs(&truth));
    assert_eq!((nothing_answered.strict, nothing_answered.t1), (none, none));
    assert_eq!((nothing_answered.t2.plain, nothing_answered.t2.macro_mean), (None, None));
    assert_eq!(nothing_answered.time_error, None);
    assert_eq!(scores(&strs(&truth), &[]).t1, none);
    let all = Rates { f1: 1.0, precision: 1.0, recall: 1.0 };
    assert_eq!((scores(&[], &[]).strict, scores(&[], &[]).t1), (all, all));
}

#[test]
fn leader_is_read_for_leader_after_and_leader_before_is_not() {
    let truth = ply("W", "E4", "2.0", "W", "equal");
    let with = |name: &str| truth.replace("leader_after", name);
    assert_eq!(scores(&[&with("leader")], &[&truth]).strict.f1, 1.0);
    assert_eq!(scores(&[&with("leader_before")], &[&truth]).strict.f1, 0.0);
    assert_eq!(scores(&[&with("leader_before")], &[&truth]).t1.f1, 1.0);
    let both = truth.replace("\"leader_after\":\"W\"", "\"leader\":\"W\",\"leader_after\":\"B\"");
    assert_eq!(scores(&[&both], &[&truth]).strict.f1, 0.0, "leader_after goes before its synonym");
}

#[test]
fn a_row_that_is_not_as_it_should_be_counts_as_wrong_and_harms_no_other() {
    let truth = ply("W", "E4", "2.0", "W", "equal");
    let odd_rows = [
        "null",
        "17",
        "[]",
        "{}",
        "\"move\"",
        r#"{"type": null, "color": 5, "coord": [], "game_clock_s": {}}"#,
        &truth.replace("2.0", "\"2.0\""),
        &truth.replace("2.0", "null"),
        &truth.replace("2.0", "1e400"),
        &truth.replace("E4", "E9"),
        &truth.replace("E4", "e4"),
        &truth.replace("E4", ""),
        &truth.replace("\"W\"", "\"Ünïcödé \\ud83d\\ude00\""),
        &truth.replace("move", "castle"),
        &truth.replace("\"game_clock_s\":2.0,", ""),
    ];
    for odd in odd_rows {
        let scores = scores(&[odd, &truth], &[&truth]);
        assert_eq!(scores.t1, Rates { f1: 2.0 / 3.0, precision: 0.5, recall: 1.0 }, "{odd}");
        assert_eq!(scores.findings.invented, [0], "{odd}");
        let row = &rows(&[odd])[0];
        assert!(row.fault().is_some(), "{odd}");
    }
}

#[test]
fn files_that_are_no_answer_are_refused_with_the_reason() {
    for text in ["", "{", "move e4", "{\"events\": [NaN]}", "{\"events\": []} trailing"] {
        let error = read_events(text, EventList::Default);
        assert!(matches!(error, Err(EventFileError::NotJson(_))), "{text:?}");
    }
    for text in ["[]", "17", "null", "{}", "{\"events\": {}}", "{\"events\": null}", "{\"event\": []}"] {
        let error = read_events(text, EventList::Default);
        assert!(matches!(error, Err(EventFileError::NoEvents { .. })), "{text:?}");
    }
    let long = format!("{{\"events\": [{}]}}", vec!["{}"; EVENTS_MAX + 1].join(","));
    assert!(matches!(read_events(&long, EventList::Default), Err(EventFileError::TooManyEvents { .. })));
}

#[test]
fn a_file_of_several_lists_is_read_by_name() -> Result<(), EventFileError> {
    let text = "\u{feff}{\"meta\": {}, \"events_sf\": [{}], \"events_lichess\": [{}, {}]}";
    assert_eq!(read_events(text, EventList::Default)?.len(), 1);
    assert_eq!(read_events(text, EventList::Named("events_lichess"))?.len(), 2);
    assert!(read_events(text, EventList::Named("events")).is_err());
    Ok(())
}

#[test]
fn a_thousand_rows_are_judged_in_a_moment_even_when_all_look_alike() {
    let alike: Vec<String> = (0..1000).map(|i| ply("W", "E4", &format!("{}", i % 4), "W", "W")).collect();
    let (answer, truth) = (rows(&strs(&alike)), rows(&strs(&alike)));
    let start = Instant::now();
    let scores = judge(&answer, &truth, ExactTime::from_millis(3000));
    let took = start.elapsed();
    assert_eq!(scores.strict.f1, 1.0);
    // Far above what it takes (milliseconds), far below what a matcher that tries pairings would.
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn no_damage_to_a_file_makes_the_judge_panic() {
    let truth = six_plies();
    let text = format!("{{\"events\": [{}]}}", truth.join(",\n"));
    let truth = rows(&strs(&truth));
    let mut judged = 0;
    for position in 0..text.len() {
        for damage in [None, Some(b'9'), Some(b'"'), Some(b'-'), Some(b'e'), Some(b'\\'), Some(b',')] {
            let mut bytes = text.as_bytes().to_vec();
            match damage {
                Some(byte) => bytes[position] = byte,
                None => bytes.truncate(position),
            }
            let damaged = String::from_utf8_lossy(&bytes);
            if let Ok(answer) = read_events(&damaged, EventList::Default) {
                let scores = judge(&answer, &truth, ExactTime::from_millis(3000));
                assert!((0.0..=1.0).contains(&scores.t1.f1) && (0.0..=1.0).contains(&scores.strict.f1));
                judged += 1;
            }
        }
    }
    assert!(judged > 500, "only {judged} damaged files could still be judged");
}
