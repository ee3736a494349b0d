//! The benchmark's results as a table and as JSON.

use serde::Serialize;

use super::{LabelAccuracy, Limit};
use crate::labeller::Optimise;

/// One evaluation at one limit, over all games.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The evaluation's name.
    pub evaluation: String,
    /// How far each position was searched.
    pub limit: Limit,
    /// What the labels were to be best at.
    pub optimise: Optimise,
    /// Positions searched.
    pub positions: u64,
    /// Mean completed depth, in plies.
    pub mean_depth: f64,
    /// Mean nodes for a position.
    pub mean_nodes: f64,
    /// Milliseconds of one thread for a position.
    pub ms_per_position: f64,
    /// Accuracy under the engine's own win model.
    pub sf: LabelAccuracy,
    /// Accuracy under the logistic over centipawns.
    pub lichess: LabelAccuracy,
}

/// A Markdown table; accuracies are plain/macro in per cent.
pub fn to_table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| evaluation | limit | labels | mean depth | nodes | ms | sf leader | sf swing | sf both | lichess leader | lichess swing | lichess both |\n\
         | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for row in rows {
        text += &format!(
            "| {} | {} | {} | {:.1} | {:.0} | {:.1} | {} | {} |\n",
            row.evaluation,
            row.limit,
            row.optimise.name(),
            row.mean_depth,
            row.mean_nodes,
            row.ms_per_position,
            cells(&row.sf),
            cells(&row.lichess),
        );
    }
    text
}

fn cells(accuracy: &LabelAccuracy) -> String {
    let pair = |a: &super::Accuracy| format!("{:.1}/{:.1}", 100.0 * a.plain(), 100.0 * a.macro_mean());
    format!("{} | {} | {:.1}", pair(&accuracy.leader), pair(&accuracy.swing), 100.0 * accuracy.both())
}

/// `{"rows": [...]}` with accuracies as shares.
///
/// # Errors
/// Those of serialising, which plain numbers don't meet.
pub fn to_json(rows: &[Row]) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(&serde_json::json!({ "rows": rows })).map(|text| text + "\n")
}
