//! The judge against a matcher that tries every pairing there is.

use std::collections::BTreeSet;

use plyscope::scoring::event_file::{EventList, Row, read_events};
use plyscope::scoring::exact_time::ExactTime;
use plyscope::scoring::judge::{LabelRates, Rates, Scores, judge};
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const CASES: u64 = 6000;
const TOLERANCE_MS: i64 = 3000;

/// A row as the test knows it: plain data, and the JSON text that says the same.
#[derive(Clone, Debug)]
struct KnownRow {
    /// `type color coord`, where all three are as they should be.
    sighting: Option<String>,
    is_move: bool,
    time_ms: Option<i64>,
    leader_after: Option<&'static str>,
    wr_swing: Option<&'static str>,
    json: String,
}

impl KnownRow {
    fn strict_key(&self) -> Option<String> {
        let sighting = self.sighting.clone()?;
        Some(if self.is_move {
            format!("{sighting} {} {}", self.leader_after?, self.wr_swing?)
        } else {
            sighting
        })
    }
}

/// How alike the rows of a case are.
#[derive(Clone, Copy)]
enum Crowd {
    /// Nearly all of one key and a few times.
    Dense,
    /// Several keys and many times.
    Sparse,
}

impl Crowd {
    fn pick<'a>(self, choices: &'a [&'static str]) -> &'a [&'static str] {
        match self {
            Self::Dense => &choices[..1],
            Self::Sparse => choices,
        }
    }
}

fn random_label(rng: &mut ChaCha8Rng) -> (Option<&'static str>, Option<String>) {
    match rng.random_range(0..20) {
        0 => (None, None),
        1 => (None, Some("null".into())),
        2 => (
            None,
            Some(["\"w\"", "\"White\"", "1", "[\"W\"]", "\"\""].choose(rng).expect("not empty").to_string()),
        ),
        _ => {
            let label = *["W", "B", "equal"].choose(rng).expect("not empty");
            (Some(label), Some(format!("\"{label}\"")))
        }
    }
}

/// Times on a coarse grid, so that equal times, ties and differences of exactly 3.000 s are frequent, in all the
/// notations JSON has.
fn random_time(rng: &mut ChaCha8Rng, crowd: Crowd) -> (Option<i64>, Option<String>) {
    if rng.random_range(0..12) == 0 {
        let useless = ["null", "\"5.0\"", "true", "[5]", "{}", "1e12", "-1e300", "1e999", "\"NaN\""];
        let text = useless.choose(rng).expect("not empty");
        return (None, rng.random_bool(0.7).then(|| text.to_string()));
    }
    let ms = match crowd {
        Crowd::Dense => rng.random_range(-1..=4_i64) * 1500,
        Crowd::Sparse => {
            let grid_ms = *[1500, 1000, 750, 100, 1].choose(rng).expect("not empty");
            rng.random_range(-2..=8_i64) * grid_ms + *[0, 0, 1000, 3000].choose(rng).expect("not empty")
        }
    };
    let (sign, whole, rest) = (if ms < 0 { "-" } else { "" }, ms.abs() / 1000, ms.abs() % 1000);
    let text = match rng.random_range(0..4) {
        0 => format!("{sign}{whole}.{rest:03}"),
        1 => format!("{ms}e-3"),
        2 => format!("{sign}{whole}.{rest:03}000000000000000000000"),
        _ => format!("{}", ms as f64 / 1000.0),
    };
    (Some(ms), Some(text))
}

fn random_row(rng: &mut ChaCha8Rng, crowd: Crowd) -> KnownRow {
    let odd = |rng: &mut ChaCha8Rng| rng.random_range(0..25) == 0;
    let row_type = if odd(rng) {
        "promotion"
    } else {
        *crowd.pick(&["move", "move", "capture"]).choose(rng).expect("not empty")
    };
    let color = if odd(rng) { "white" } else { *crowd.pick(&["W", "B"]).choose(rng).expect("not empty") };
    let coord =
        if odd(rng) { "e4" } else { *crowd.pick(&["E4", "E4", "D5"]).choose(rng).expect("not empty") };
    let (time_ms, time_text) = random_time(rng, crowd);
    let (leader_after, leader_text) = random_label(rng);
    let (wr_swing, swing_text) = random_label(rng);
    let idx = rng.random_range(-1..5);
    let mut fields = vec![
        format!("\"type\": \"{row_type}\""),
        format!("\"color\":\"{color}\""),
        format!("\"coord\" : \"{coord}\""),
        format!("\"idx\": {idx}"),
    ];
    fields.extend(time_text.map(|text| format!("\"game_clock_s\": {text}")));
    let leader_name = *["leader_after", "leader"].choose(rng).expect("not empty");
    fields.extend(leader_text.map(|text| format!("\"{leader_name}\": {text}")));
    fields.extend(swing_text.map(|text| format!("\"wr_swing\": {text}")));
    let mut is_seen =
        !["promotion", "white", "e4"].iter().any(|&odd| [row_type, color, coord].contains(&odd));
    if odd(rng) {
        fields.remove(rng.random_range(0..3));
        is_seen = false;
    }
    fields.shuffle(rng);
    KnownRow {
        sighting: is_seen.then(|| format!("{row_type} {color} {coord}")),
        is_move: row_type == "move",
        time_ms,
        leader_after,
        wr_swing,
        json: format!("{{{}}}", fields.join(", ")),
    }
}

/// An answer and a truth.
fn random_case(rng: &mut ChaCha8Rng) -> (Vec<KnownRow>, Vec<KnownRow>) {
    let crowd = if rng.random_bool(0.5) { Crowd::Dense } else { Crowd::Sparse };
    (random_rows(rng, crowd), random_rows(rng, crowd))
}

fn random_rows(rng: &mut ChaCha8Rng, crowd: Crowd) -> Vec<KnownRow> {
    let mut rows: Vec<KnownRow> = (0..rng.random_range(0..=6)).map(|_| random_row(rng, crowd)).collect();
    if let Some(row) = rows.choose(rng).cloned()
        && rng.random_bool(0.3)
    {
        rows.push(row);
    }
    rows
}

fn read(rows: &[KnownRow]) -> Vec<Row> {
    let rows: Vec<&str> = rows.iter().map(|row| row.json.as_str()).collect();
    let text = format!("{{\"events\": [{}]}}", rows.join(",\n"));
    read_events(&text, EventList::Default).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A pairing: for each answer row, its truth row.
type Pairing = Vec<Option<usize>>;

/// Every best pairing, found by trying all of them, with its number of pairs and total distance.
fn best_pairings(
    answer: &[KnownRow],
    truth: &[KnownRow],
    key: &dyn Fn(&KnownRow) -> Option<String>,
) -> (usize, i64, Vec<Pairing>) {
    fn extend(
        pairing: &mut Pairing,
        distances: &[Vec<Option<i64>>],
        so_far: (usize, i64),
        best: &mut (usize, i64, Vec<Pairing>),
    ) {
        let (pairs, total) = so_far;
        let Some(row) = distances.get(pairing.len()) else {
            if pairs > best.0 || (pairs == best.0 && total < best.1) {
                *best = (pairs, total, Vec::new());
            }
            if (pairs, total) == (best.0, best.1) {
                best.2.push(pairing.clone());
            }
            return;
        };
        for (truth, distance) in row.iter().enumerate() {
            if let Some(distance) = distance
                && !pairing.contains(&Some(truth))
            {
                pairing.push(Some(truth));
                extend(pairing, distances, (pairs + 1, total + distance), best);
                pairing.pop();
            }
        }
        pairing.push(None);
        extend(pairing, distances, so_far, best);
        pairing.pop();
    }
    let distance = |a: &KnownRow, t: &KnownRow| {
        let distance = (a.time_ms? - t.time_ms?).abs();
        (key(a)? == key(t)? && distance <= TOLERANCE_MS).then_some(distance)
    };
    let distances: Vec<Vec<Option<i64>>> =
        answer.iter().map(|a| truth.iter().map(|t| distance(a, t)).collect()).collect();
    let mut best = (0, i64::MAX, Vec::new());
    extend(&mut Vec::new(), &distances, (0, 0), &mut best);
    best
}

fn assert_rates(rates: Rates, pairs: usize, answer: usize, truth: usize) {
    if answer + truth == 0 {
        assert_eq!(rates, Rates { f1: 1.0, precision: 1.0, recall: 1.0 });
        return;
    }
    let share = |part: usize, whole: usize| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    assert_eq!(rates.precision, share(pairs, answer));
    assert_eq!(rates.recall, share(pairs, truth));
    let harmonic = 2.0 * rates.precision * rates.recall / (rates.precision + rates.recall);
    assert!((rates.f1 - if pairs == 0 { 0.0 } else { harmonic }).abs() < 1e-12, "{rates:?}");
}

/// Right labels and plies of each class, `B`, `W`, `equal`.
type Tally = [(usize, usize); 3];

fn tally(
    pairing: &Pairing,
    answer: &[KnownRow],
    truth: &[KnownRow],
    label: impl Fn(&KnownRow) -> Option<&'static str>,
) -> Tally {
    ["B", "W", "equal"].map(|class| {
        let of_class: Vec<_> = pairing
            .iter()
            .enumerate()
            .filter_map(|(a, t)| Some((&answer[a], &truth[(*t)?])))
            .filter(|(_, t)| t.is_move && label(t) == Some(class))
            .collect();
        (of_class.iter().filter(|(a, t)| label(a) == label(t)).count(), of_class.len())
    })
}

fn reported_tally(rates: &LabelRates) -> Tally {
    std::array::from_fn(|class| {
        let plies = rates.plies[class];
        ((rates.recall[class].unwrap_or(0.0) * plies as f64).round() as usize, plies)
    })
}

fn assert_label_arithmetic(rates: &LabelRates) {
    let tally = reported_tally(rates);
    let occurring: Vec<_> = tally.iter().filter(|(_, plies)| *plies > 0).collect();
    let right: usize = tally.iter().map(|(right, _)| right).sum();
    let plies: usize = tally.iter().map(|(_, plies)| plies).sum();
    let mean = |sum: f64, count: usize| (count > 0).then(|| sum / count as f64);
    assert_eq!(rates.plain, mean(right as f64, plies));
    let recalls: f64 = occurring.iter().map(|(right, plies)| *right as f64 / *plies as f64).sum();
    match (rates.macro_mean, mean(recalls, occurring.len())) {
        (Some(reported), Some(expected)) => assert!((reported - expected).abs() < 1e-12),
        (reported, expected) => assert_eq!(reported, expected),
    }
}

/// The findings as the texts of the rows: indices change when rows are shuffled, what is said must not.
fn findings_as_text(scores: &Scores, answer: &[Row], truth: &[Row]) -> [Vec<String>; 3] {
    let texts = |rows: &[Row], indices: &[usize]| indices.iter().map(|&i| rows[i].text.clone()).collect();
    let findings = &scores.findings;
    let pair_text = |pair: &plyscope::scoring::judge::Pair| {
        format!("{} for {}", answer[pair.answer].text, truth[pair.truth].text)
    };
    [
        texts(truth, &findings.missed),
        texts(answer, &findings.invented),
        findings.wrong_label.iter().map(pair_text).collect(),
    ]
}

#[test]
fn the_judge_is_as_good_as_trying_every_pairing() {
    let mut rng = ChaCha8Rng::seed_from_u64(0x5c0e);
    let (mut ties, mut at_the_limit, mut pairs_seen) = (0, 0, 0);
    for case in 0..CASES {
        let (answer, truth) = random_case(&mut rng);
        let (answer_rows, truth_rows) = (read(&answer), read(&truth));
        let scores = judge(&answer_rows, &truth_rows, ExactTime::from_millis(TOLERANCE_MS));
        let context = || format!("case {case}: {answer:#?} against {truth:#?} gave {scores:#?}");

        let (strict_pairs, ..) = best_pairings(&answer, &truth, &KnownRow::strict_key);
        assert_rates(scores.strict, strict_pairs, answer.len(), truth.len());
        let (pairs, total_ms, pairings) = best_pairings(&answer, &truth, &|row| row.sighting.clone());
        assert_rates(scores.t1, pairs, answer.len(), truth.len());
        match scores.time_error {
            Some(error) => {
                let total_s = error.mean_s * pairs as f64;
                assert!((total_s - total_ms as f64 / 1000.0).abs() < 1e-9, "{}", context());
                assert!(error.max_s <= 3.0 && error.max_s >= error.mean_s - 1e-12, "{}", context());
                at_the_limit += usize::from(error.max_s == 3.0);
            }
            None => assert_eq!(pairs, 0, "{}", context()),
        }
        let swings: BTreeSet<_> =
            pairings.iter().map(|pairing| tally(pairing, &answer, &truth, |row| row.wr_swing)).collect();
        let leaders: BTreeSet<_> =
            pairings.iter().map(|pairing| tally(pairing, &answer, &truth, |row| row.leader_after)).collect();
        assert!(swings.contains(&reported_tally(&scores.t2)), "{swings:?} {}", context());
        assert!(leaders.contains(&reported_tally(&scores.t3)), "{leaders:?} {}", context());
        assert_label_arithmetic(&scores.t2);
        assert_label_arithmetic(&scores.t3);
        assert_eq!(scores.findings.missed.len(), truth.len() - pairs, "{}", context());
        assert_eq!(scores.findings.invented.len(), answer.len() - pairs, "{}", context());
        ties += usize::from(swings.len() > 1 || leaders.len() > 1);
        pairs_seen += pairs;
    }
    // The cases must be the hard ones, or all this proves little.
    assert!(ties > 100, "only {ties} cases had equally good pairings with different labels");
    assert!(at_the_limit > 100, "only {at_the_limit} cases had a pair at exactly 3.000 s");
    assert!(pairs_seen > CASES as usize / 2, "only {pairs_seen} pairs in {CASES} cases");
}

#[test]
fn the_order_of_rows_and_fields_never_matters() {
    let mut rng = ChaCha8Rng::seed_from_u64(0x0dd);
    for case in 0..CASES {
        let (mut answer, mut truth) = random_case(&mut rng);
        let say = |answer: &[KnownRow], truth: &[KnownRow]| {
            let (answer, truth) = (read(answer), read(truth));
            let mut scores = judge(&answer, &truth, ExactTime::from_millis(TOLERANCE_MS));
            let findings = findings_as_text(&scores, &answer, &truth);
            scores.findings = Default::default();
            (scores, findings)
        };
        let before = say(&answer, &truth);
        answer.shuffle(&mut rng);
        truth.shuffle(&mut rng);
        assert_eq!(say(&answer, &truth), before, "case {case}: {answer:#?} against {truth:#?}");
    }
}
