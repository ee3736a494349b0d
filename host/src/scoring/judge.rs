//! The judge: an answer's rows against the truth's.

use std::collections::HashMap;
use std::hash::Hash;

use plyscope_core::event_row::Verdict;

use super::event_file::{Row, RowType, Sighting};
use super::exact_time::ExactTime;
use super::matching::best_pairs;

/// The classes of a label, in the order of the report.
pub const CLASSES: [Verdict; 3] = [Verdict::Black, Verdict::White, Verdict::Equal];

/// Everything the judge says about one answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    /// Rows right in everything: type, colour, square, time and both labels.
    pub strict: Rates,
    /// Rows right in what is seen: type, colour, square and time.
    pub t1: Rates,
    /// `wr_swing` over the truth plies that T1 paired.
    pub t2: LabelRates,
    /// `leader_after` over the truth plies that T1 paired.
    pub t3: LabelRates,
    /// How far apart in time the T1 pairs are; `None` where there is none.
    pub time_error: Option<TimeError>,
    /// Row by row, what was wrong.
    pub findings: Findings,
}

/// Precision, recall and their harmonic mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// 2 pairs / (answer rows + truth rows).
    pub f1: f64,
    /// Pairs / answer rows.
    pub precision: f64,
    /// Pairs / truth rows.
    pub recall: f64,
}

impl Rates {
    /// The rates of `pairs` pairs. With neither answer nor truth rows all is right: 1; a share of nothing is 0.
    fn new(pairs: usize, answer_rows: usize, truth_rows: usize) -> Self {
        if answer_rows == 0 && truth_rows == 0 {
            return Self { f1: 1.0, precision: 1.0, recall: 1.0 };
        }
        Self {
            f1: share(2 * pairs, answer_rows + truth_rows).unwrap_or(0.0),
            precision: share(pairs, answer_rows).unwrap_or(0.0),
            recall: share(pairs, truth_rows).unwrap_or(0.0),
        }
    }
}

/// How often one label is right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelRates {
    /// Right labels / truth plies; `None` where T1 paired no ply.
    pub plain: Option<f64>,
    /// Mean of the recalls of the classes that occur; `None` where T1 paired no ply.
    pub macro_mean: Option<f64>,
    /// Share of right labels in each class, in the order of [`CLASSES`]; `None` where the class does not occur.
    pub recall: [Option<f64>; 3],
    /// How many truth plies each class has, in the order of [`CLASSES`].
    pub plies: [usize; 3],
}

impl LabelRates {
    /// The rates over `(truth, answer)` labels. A truth ply without a label says nothing and is left out.
    fn new(labels: impl Iterator<Item = (Option<Verdict>, Option<Verdict>)>) -> Self {
        let mut plies = [0; 3];
        let mut right = [0; 3];
        for (truth, answer) in labels {
            let Some(class) = class_of(truth) else { continue };
            plies[class] += 1;
            right[class] += usize::from(answer == truth);
        }
        let mut recall = [None; 3];
        for class in 0..3 {
            recall[class] = share(right[class], plies[class]);
        }
        let occurring = recall.iter().flatten().count();
        let sum: f64 = recall.iter().flatten().sum();
        Self {
            plain: share(right.iter().sum(), plies.iter().sum()),
            macro_mean: (occurring > 0).then(|| sum / occurring as f64),
            recall,
            plies,
        }
    }
}

/// The time error over all T1 pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeError {
    /// Mean, in seconds.
    pub mean_s: f64,
    /// Maximum, in seconds.
    pub max_s: f64,
}

/// What was wrong, as indices into the rows that were judged, each list in the order of the truth's or answer's times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Truth rows that no answer row reports.
    pub missed: Vec<usize>,
    /// Answer rows that report nothing in the truth.
    pub invented: Vec<usize>,
    /// T1 pairs of moves with a wrong label.
    pub wrong_label: Vec<Pair>,
}

/// An answer row and the truth row it reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Index of the answer row.
    pub answer: usize,
    /// Index of the truth row.
    pub truth: usize,
}

/// Judges `answer` by `truth`. The order of the rows in either makes no difference.
pub fn judge(answer: &[Row], truth: &[Row], tolerance: ExactTime) -> Scores {
    let t1_pairs = pair_by(answer, truth, tolerance, |row| row.sighting);
    let strict_pairs = pair_by(answer, truth, tolerance, strict_key);
    let move_pairs =
        || t1_pairs.iter().map(|pair| (&truth[pair.truth], &answer[pair.answer])).filter(|(t, _)| is_move(t));
    Scores {
        strict: Rates::new(strict_pairs.len(), answer.len(), truth.len()),
        t1: Rates::new(t1_pairs.len(), answer.len(), truth.len()),
        t2: LabelRates::new(move_pairs().map(|(t, a)| (t.wr_swing, a.wr_swing))),
        t3: LabelRates::new(move_pairs().map(|(t, a)| (t.leader_after, a.leader_after))),
        time_error: time_error(answer, truth, &t1_pairs),
        findings: findings(answer, truth, &t1_pairs),
    }
}

/// What two rows must share to be a strict pair; `None` where a move lacks a label.
fn strict_key(row: &Row) -> Option<(Sighting, Option<(Verdict, Verdict)>)> {
    let sighting = row.sighting?;
    let labels = match sighting.row_type {
        RowType::Move => Some((row.leader_after?, row.wr_swing?)),
        RowType::Capture => None,
    };
    Some((sighting, labels))
}

/// The best pairing of the rows that have the same key.
fn pair_by<K: Eq + Hash>(
    answer: &[Row],
    truth: &[Row],
    tolerance: ExactTime,
    key: impl Fn(&Row) -> Option<K>,
) -> Vec<Pair> {
    let answer_groups = in_groups(answer, &key);
    let mut pairs = Vec::new();
    for (key, truth_group) in in_groups(truth, &key) {
        let Some(answer_group) = answer_groups.get(&key) else { continue };
        let times = |group: &[(ExactTime, usize)]| group.iter().map(|&(time, _)| time).collect::<Vec<_>>();
        let found = best_pairs(&times(answer_group), &times(&truth_group), tolerance);
        pairs.extend(
            found.into_iter().map(|(a, t)| Pair { answer: answer_group[a].1, truth: truth_group[t].1 }),
        );
    }
    pairs
}

/// The rows that can pair, by key, each group in the order of time. Rows of one time are put in the order of
/// their labels and then their text, so that the order in the file never matters.
fn in_groups<K: Eq + Hash>(
    rows: &[Row],
    key: impl Fn(&Row) -> Option<K>,
) -> HashMap<K, Vec<(ExactTime, usize)>> {
    let mut groups: HashMap<K, Vec<(ExactTime, usize)>> = HashMap::new();
    for (index, row) in rows.iter().enumerate() {
        if let (Some(key), Some(time)) = (key(row), row.time) {
            groups.entry(key).or_default().push((time, index));
        }
    }
    for group in groups.values_mut() {
        group.sort_by(|&(_, a), &(_, b)| canonical_order(&rows[a], &rows[b]));
    }
    groups
}

fn canonical_order(a: &Row, b: &Row) -> std::cmp::Ordering {
    let rank = |row: &Row| (row.time, class_of(row.leader_after), class_of(row.wr_swing));
    rank(a).cmp(&rank(b)).then_with(|| a.text.cmp(&b.text))
}

/// Where a label stands in [`CLASSES`].
fn class_of(label: Option<Verdict>) -> Option<usize> {
    CLASSES.into_iter().position(|class| label == Some(class))
}

fn is_move(row: &Row) -> bool {
    row.sighting.is_some_and(|sighting| sighting.row_type == RowType::Move)
}

fn time_error(answer: &[Row], truth: &[Row], pairs: &[Pair]) -> Option<TimeError> {
    let distances =
        || pairs.iter().filter_map(|pair| Some(answer[pair.answer].time?.distance(truth[pair.truth].time?)));
    let sum = distances().fold(ExactTime::ZERO, ExactTime::saturating_add);
    let max = distances().max()?;
    Some(TimeError { mean_s: sum.seconds() / pairs.len() as f64, max_s: max.seconds() })
}

fn findings(answer: &[Row], truth: &[Row], t1_pairs: &[Pair]) -> Findings {
    let unpaired = |rows: &[Row], paired: &dyn Fn(&Pair) -> usize| {
        let mut is_paired = vec![false; rows.len()];
        t1_pairs.iter().for_each(|pair| is_paired[paired(pair)] = true);
        let mut left: Vec<usize> = (0..rows.len()).filter(|&index| !is_paired[index]).collect();
        left.sort_by(|&a, &b| canonical_order(&rows[a], &rows[b]));
        left
    };
    let has_wrong_label = |pair: &&Pair| {
        let (answer, truth) = (&answer[pair.answer], &truth[pair.truth]);
        let is_wrong = |answer: Option<Verdict>, truth: Option<Verdict>| truth.is_some() && answer != truth;
        is_move(truth)
            && (is_wrong(answer.leader_after, truth.leader_after)
                || is_wrong(answer.wr_swing, truth.wr_swing))
    };
    let mut wrong_label: Vec<Pair> = t1_pairs.iter().filter(has_wrong_label).copied().collect();
    wrong_label.sort_by(|a, b| canonical_order(&truth[a.truth], &truth[b.truth]));
    Findings {
        missed: unpaired(truth, &|pair| pair.truth),
        invented: unpaired(answer, &|pair| pair.answer),
        wrong_label,
    }
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
