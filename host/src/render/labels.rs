//! Who leads after each ply and towards whom it shifted the balance, read from a file.

use plyscope_core::event_row::{Verdict, square_name};
use serde_json::Value;

use crate::game_record::GameRecord;
use crate::labeller::PlyLabel;

/// The two labels of one ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlyLabels {
    /// Who is ahead after the ply.
    pub leader_after: Verdict,
    /// Towards whom the ply shifted the balance.
    pub wr_swing: Verdict,
}

impl PlyLabels {
    /// Nobody leads, nothing shifted.
    pub const EQUAL: PlyLabels = PlyLabels { leader_after: Verdict::Equal, wr_swing: Verdict::Equal };
}

impl From<&PlyLabel> for PlyLabels {
    fn from(label: &PlyLabel) -> PlyLabels {
        PlyLabels { leader_after: label.leader_after, wr_swing: label.wr_swing }
    }
}

/// Why a labels file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LabelsError {
    /// Not JSON.
    #[error("it is no JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// JSON of another kind.
    #[error("it has no \"events_sf\", \"events\" or \"plies\" list with labels")]
    NoList,
    /// A row that lacks a label or has another word for it.
    #[error("ply {ply} has no \"{field}\" of \"W\", \"B\" or \"equal\"")]
    NoLabel {
        /// The ply, from 1.
        ply: usize,
        /// The missing field.
        field: &'static str,
    },
    /// Labels for more or fewer plies.
    #[error("it labels {labelled} plies, the game has {plies}")]
    PlyCount {
        /// Plies in the file.
        labelled: usize,
        /// Plies in the game.
        plies: usize,
    },
    /// Labels of another game.
    #[error("it is of another game: ply {ply} goes to {labelled} there and to {played} in the PGN")]
    OtherGame {
        /// The ply, from 1.
        ply: usize,
        /// The square in the file.
        labelled: String,
        /// The square in the game.
        played: &'static str,
    },
}

/// Reads the labels of a game from what `plyscope label` writes (`"plies"`, ply 0 is the start position), or from a
/// list of event rows (`"events_sf"`, else `"events"`).
///
/// # Errors
///
/// [`LabelsError`] where the text is no such file or belongs to another game.
pub fn parse_labels(json: &str, record: &GameRecord) -> Result<Vec<PlyLabels>, LabelsError> {
    let file: Value = serde_json::from_str(json)?;
    let rows = ply_rows(&file).ok_or(LabelsError::NoList)?;
    if rows.len() != record.plies.len() {
        return Err(LabelsError::PlyCount { labelled: rows.len(), plies: record.plies.len() });
    }
    let plies = record.plies.iter().enumerate();
    plies
        .zip(rows)
        .map(|((index, ply), row)| {
            let played = square_name(ply.destination());
            match row.get("coord").and_then(Value::as_str) {
                Some(coord) if coord != played => {
                    Err(LabelsError::OtherGame { ply: index + 1, labelled: coord.to_owned(), played })
                }
                _ => labels_of(row, index + 1),
            }
        })
        .collect()
}

/// The rows that stand for plies, in order.
fn ply_rows(file: &Value) -> Option<Vec<&Value>> {
    let list = |name: &str| file.get(name).and_then(Value::as_array);
    if let Some(events) = list("events_sf").or_else(|| list("events")) {
        return Some(
            events.iter().filter(|row| row.get("type").is_some_and(|kind| kind == "move")).collect(),
        );
    }
    let is_start = |row: &&Value| row.get("ply").is_some_and(|ply| ply == 0);
    Some(list("plies")?.iter().filter(|row| !is_start(row)).collect())
}

fn labels_of(row: &Value, ply: usize) -> Result<PlyLabels, LabelsError> {
    let verdict = |name: &str| row.get(name).and_then(Value::as_str).and_then(Verdict::from_word);
    let leader_after = verdict("leader_after").or_else(|| verdict("leader"));
    Ok(PlyLabels {
        leader_after: leader_after.ok_or(LabelsError::NoLabel { ply, field: "leader_after" })?,
        wr_swing: verdict("wr_swing").ok_or(LabelsError::NoLabel { ply, field: "wr_swing" })?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> GameRecord {
        GameRecord::read(&b"1. e4 d5 2. exd5 *"[..]).expect("legal")
    }

    #[test]
    fn labels_are_read_from_label_output_and_from_event_rows() {
        let expected = [
            PlyLabels::EQUAL,
            PlyLabels { leader_after: Verdict::White, wr_swing: Verdict::White },
            PlyLabels { leader_after: Verdict::Black, wr_swing: Verdict::Equal },
        ];
        let label_output = r#"{"plies": [{"ply": 0, "p": 0.5},
            {"ply": 1, "leader_after": "equal", "wr_swing": "equal"},
            {"ply": 2, "leader_after": "W", "wr_swing": "W"},
            {"ply": 3, "leader_after": "B", "wr_swing": "equal"}]}"#;
        assert_eq!(parse_labels(label_output, &record()).expect("labels"), expected);
        let rows = r#"{"plies": [], "events_sf": [
            {"type": "move", "coord": "E4", "leader_after": "equal", "wr_swing": "equal"},
            {"type": "move", "coord": "D5", "leader": "W", "wr_swing": "W"},
            {"type": "move", "coord": "D5", "leader_after": "B", "wr_swing": "equal"},
            {"type": "capture", "coord": "D5"}]}"#;
        assert_eq!(parse_labels(rows, &record()).expect("labels"), expected);
    }

    #[test]
    fn labels_that_do_not_belong_are_refused_with_the_reason() {
        let message = |json: &str| parse_labels(json, &record()).expect_err("refused").to_string();
        assert_eq!(message(r#"{"plies": []}"#), "it labels 0 plies, the game has 3");
        assert_eq!(message("[1]"), "it has no \"events_sf\", \"events\" or \"plies\" list with labels");
        assert!(message("{").starts_with("it is no JSON: "));
        let row = r#"{"type": "move", "coord": "D4", "leader_after": "equal", "wr_swing": "equal"}"#;
        let other = format!(r#"{{"events": [{row}, {row}, {row}]}}"#);
        assert_eq!(message(&other), "it is of another game: ply 1 goes to D4 there and to E4 in the PGN");
        let bare = r#"{"events": [{"type": "move"}, {"type": "move"}, {"type": "move"}]}"#;
        assert_eq!(message(bare), "ply 1 has no \"leader_after\" of \"W\", \"B\" or \"equal\"");
    }
}
