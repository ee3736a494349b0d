//! The scores as a table for people and as JSON for programs.

use serde::Serialize;

use plyscope_core::event_row::Verdict;

use super::event_file::Row;
use super::judge::{LabelRates, Rates, Scores};
use super::replay::{Replay, Scene, board_lines};
use crate::judged_game::numbered;
use shakmaty::EnPassantMode;
use shakmaty::fen::Fen;

/// The scores with the rows that it was made on.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// What the judge said.
    pub scores: &'a Scores,
    /// The answer's rows.
    pub answer: &'a [Row],
    /// The truth's rows.
    pub truth: &'a [Row],
    /// Whether to list every row that was wrong.
    pub explain: bool,
}

#[derive(Serialize)]
struct JsonReport<'a> {
    strict: JsonRates,
    t1: JsonRates,
    t2: JsonLabelRates,
    t3: JsonLabelRates,
    time_error_s: JsonTimeError,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<JsonFindings<'a>>,
}

#[derive(Serialize)]
struct JsonRates {
    f1: f64,
    precision: f64,
    recall: f64,
}

#[derive(Serialize)]
struct JsonLabelRates {
    plain: Option<f64>,
    r#macro: Option<f64>,
    recall: ByClass<Option<f64>>,
    n: ByClass<usize>,
}

#[derive(Serialize)]
struct ByClass<T> {
    #[serde(rename = "B")]
    b: T,
    #[serde(rename = "W")]
    w: T,
    equal: T,
}

impl<T> From<[T; 3]> for ByClass<T> {
    fn from([b, w, equal]: [T; 3]) -> Self {
        Self { b, w, equal }
    }
}

#[derive(Serialize)]
struct JsonTimeError {
    mean: Option<f64>,
    max: Option<f64>,
}

#[derive(Serialize)]
struct JsonFindings<'a> {
    missed: Vec<JsonRow<'a>>,
    invented: Vec<JsonRow<'a>>,
    wrong_label: Vec<JsonWrongLabel<'a>>,
}

#[derive(Serialize)]
struct JsonRow<'a> {
    row: &'a str,
    fault: Option<&'static str>,
    before: Option<String>,
    after: Option<String>,
}

#[derive(Serialize)]
struct JsonWrongLabel<'a> {
    answer: &'a str,
    truth: &'a str,
}

impl Report<'_> {
    /// The report as one JSON object on one line.
    ///
    /// # Errors
    /// None in practice: every field is a number, a string or null.
    pub fn to_json(self) -> serde_json::Result<String> {
        let Scores { strict, t1, t2, t3, time_error, .. } = self.scores;
        serde_json::to_string(&JsonReport {
            strict: (*strict).into(),
            t1: (*t1).into(),
            t2: (*t2).into(),
            t3: (*t3).into(),
            time_error_s: JsonTimeError {
                mean: time_error.map(|error| error.mean_s),
                max: time_error.map(|error| error.max_s),
            },
            explain: self.explain.then(|| self.json_findings()),
        })
    }

    fn json_findings(&self) -> JsonFindings<'_> {
        let findings = &self.scores.findings;
        let replay = Replay::of(self.truth);
        let missed = |&index: &usize| {
            let scene = replay.as_ref().and_then(|replay| replay.scene_of_row(index));
            json_row(&self.truth[index], scene)
        };
        let invented = |&index: &usize| {
            let scene = replay.as_ref().and_then(|replay| replay.scene_of_claim(&self.answer[index]));
            json_row(&self.answer[index], scene)
        };
        JsonFindings {
            missed: findings.missed.iter().map(missed).collect(),
            invented: findings.invented.iter().map(invented).collect(),
            wrong_label: findings
                .wrong_label
                .iter()
                .map(|pair| JsonWrongLabel {
                    answer: &self.answer[pair.answer].text,
                    truth: &self.truth[pair.truth].text,
                })
                .collect(),
        }
    }

    /// The report as a table that a person reads, ending with a line break.
    pub fn to_text(self) -> String {
        let scores = self.scores;
        let mut text = String::from("          F1      precision  recall\n");
        for (name, rates) in [("strict", scores.strict), ("T1", scores.t1)] {
            let Rates { f1, precision, recall } = rates;
            text.push_str(&format!("{name:<8}  {f1:.4}  {precision:.4}     {recall:.4}\n"));
        }
        text.push_str("\n          plain   macro   recall of B    of W           of equal\n");
        for (name, rates) in [("T2", scores.t2), ("T3", scores.t3)] {
            text.push_str(&label_line(name, rates));
        }
        text.push_str(&format!(
            "\nrows: {} in the answer, {} in the truth\n",
            self.answer.len(),
            self.truth.len()
        ));
        match scores.time_error {
            Some(error) => {
                text.push_str(&format!("time error: mean {:.3} s, max {:.3} s\n", error.mean_s, error.max_s));
            }
            None => text.push_str("time error: no pair to measure\n"),
        }
        if self.explain {
            self.explain_in_text(&mut text);
        }
        text
    }

    fn explain_in_text(&self, text: &mut String) {
        let findings = &self.scores.findings;
        let replay = Replay::of(self.truth);
        match &replay {
            _ if findings.missed.is_empty() && findings.invented.is_empty() => {}
            None => text.push_str("\nno boards are shown, for the rows of the truth make no legal game\n"),
            Some(replay) if !replay.is_certain => {
                text.push_str("\nthe boards show one of several games that the rows of the truth fit\n");
            }
            Some(_) => {}
        }
        push_heading(text, "missed", "in the truth, not in the answer", findings.missed.len());
        for &index in &findings.missed {
            push_row(text, &self.truth[index]);
            push_scene(text, replay.as_ref().and_then(|replay| replay.scene_of_row(index)));
        }
        push_heading(text, "invented", "in the answer, not in the truth", findings.invented.len());
        for &index in &findings.invented {
            push_row(text, &self.answer[index]);
            push_scene(text, replay.as_ref().and_then(|replay| replay.scene_of_claim(&self.answer[index])));
        }
        push_heading(text, "wrong label", "seen rightly, judged wrongly", findings.wrong_label.len());
        for pair in &findings.wrong_label {
            let answer = &self.answer[pair.answer];
            let name = |label: Option<Verdict>| label.map_or("no label", Verdict::word);
            text.push_str(&format!(
                "  {}\n    answered leader_after {}, wr_swing {}\n",
                self.truth[pair.truth].text,
                name(answer.leader_after),
                name(answer.wr_swing)
            ));
        }
    }
}

impl From<Rates> for JsonRates {
    fn from(Rates { f1, precision, recall }: Rates) -> Self {
        Self { f1, precision, recall }
    }
}

impl From<LabelRates> for JsonLabelRates {
    fn from(LabelRates { plain, macro_mean, recall, plies }: LabelRates) -> Self {
        Self { plain, r#macro: macro_mean, recall: recall.into(), n: plies.into() }
    }
}

fn json_row<'a>(row: &'a Row, scene: Option<Scene<'_>>) -> JsonRow<'a> {
    let fen = |position: &shakmaty::Chess| Fen::from_position(position, EnPassantMode::Legal).to_string();
    let before = scene.as_ref().map(|scene| fen(scene.before));
    let after = scene.and_then(|scene| scene.after).map(|(_, after)| fen(&after));
    JsonRow { row: &row.text, fault: row.fault(), before, after }
}

fn label_line(name: &str, rates: LabelRates) -> String {
    let share = |share: Option<f64>| share.map_or("-".to_owned(), |share| format!("{share:.4}"));
    let mut line = format!("{name:<8}  {:<6}  {:<6}", share(rates.plain), share(rates.macro_mean));
    for (recall, plies) in rates.recall.into_iter().zip(rates.plies) {
        line.push_str(&format!("  {:<13}", format!("{} ({plies})", share(recall))));
    }
    line.truncate(line.trim_end().len());
    line.push('\n');
    line
}

fn push_heading(text: &mut String, what: &str, where_it_is: &str, count: usize) {
    text.push_str(&format!("\n{what} ({where_it_is}): {count}\n"));
}

fn push_row(text: &mut String, row: &Row) {
    let fault = row.fault().map_or(String::new(), |fault| format!("   <- {fault}"));
    text.push_str(&format!("  {}{fault}\n", row.text));
}

/// Two boards side by side, under the ply between them.
fn push_scene(text: &mut String, scene: Option<Scene<'_>>) {
    let Some(Scene { before, after }) = scene else { return };
    let number = numbered(before);
    match &after {
        Some((san, _)) => text.push_str(&format!("    before {number:<18}    after {number} {san}\n")),
        None => text.push_str(&format!("    before {number:<18}    no such ply is legal there\n")),
    }
    let left = board_lines(before);
    let right = after.map_or_else(Vec::new, |(_, after)| board_lines(&after));
    for (index, line) in left.iter().enumerate() {
        let beside = right.get(index).map_or("", String::as_str);
        text.push_str(format!("    {line:<25}    {beside}").trim_end());
        text.push('\n');
    }
}
