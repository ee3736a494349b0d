//! What each step of the search is worth: the nodes that a fixed depth takes without it.

use plyscope_core::judge::{
    evaluation::Evaluator,
    limits::Limits,
    score::ScoreKind,
    steps::{Step, Steps},
    transposition_table::TranspositionTable,
};
use serde::Serialize;
use shakmaty::Chess;

use crate::{
    engine::{Engine, table_memory},
    evaluation::{Evaluation, WithEvaluator},
};

const TABLE_MIB: usize = 16;
/// Scores beyond this many centipawns are not compared.
const NEAR_CP: i32 = 300;

/// The search without one step, or whole.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepRow {
    /// The step left out; `None`: none.
    pub without: Option<String>,
    /// Nodes of all positions to the depth.
    pub nodes: u64,
    /// Mean distance of the score from that of a search to the later depth, in centipawns, over positions within 300.
    pub error_cp: f64,
}

/// Searches every position to `depth` whole and without each step, and to `truth_depth` whole; calls `done` after each of
/// the `Step::ALL.len() + 2` passes.
pub fn measure_steps(
    positions: &[Chess],
    evaluation: Evaluation,
    depth: u8,
    truth_depth: u8,
    done: &dyn Fn(),
) -> Vec<StepRow> {
    let pass = |steps, depth| {
        let passed = evaluation.lend(Pass { positions, steps, depth });
        done();
        passed
    };
    let truth = pass(Steps::ALL, truth_depth);
    let row = |without: Option<Step>| {
        let found = pass(without.map_or(Steps::ALL, |step| Steps::ALL.without(step)), depth);
        let errors: Vec<f64> = found
            .iter()
            .zip(&truth)
            .filter_map(|((cp, _), (truth, _))| Some(((*cp)?, (*truth)?)))
            .filter(|(_, truth)| truth.abs() <= NEAR_CP)
            .map(|(cp, truth)| f64::from((cp - truth).abs()))
            .collect();
        StepRow {
            without: without.map(|step| format!("{step:?}")),
            nodes: found.iter().map(|(_, nodes)| nodes).sum(),
            error_cp: errors.iter().sum::<f64>() / errors.len().max(1) as f64,
        }
    };
    std::iter::once(None).chain(Step::ALL.into_iter().map(Some)).map(row).collect()
}

/// A Markdown table.
pub fn steps_table(rows: &[StepRow]) -> String {
    let whole = rows.first().map_or(1, |row| row.nodes.max(1)) as f64;
    let mut text =
        String::from("| left out | nodes | times as many | error, cp |\n| --- | ---: | ---: | ---: |\n");
    for row in rows {
        text += &format!(
            "| {} | {} | {:.2} | {:.1} |\n",
            row.without.as_deref().unwrap_or("nothing"),
            row.nodes,
            row.nodes as f64 / whole,
            row.error_cp
        );
    }
    text
}

struct Pass<'p> {
    positions: &'p [Chess],
    steps: Steps,
    depth: u8,
}

impl WithEvaluator for Pass<'_> {
    type Output = Vec<(Option<i32>, u64)>;

    /// Centipawns (`None` for a mate) and nodes of each position, each searched with empty memory.
    fn run<E>(self, evaluator: &E) -> Self::Output
    where
        E: Evaluator + Sync,
        E::State: Send,
    {
        let buckets = table_memory(TABLE_MIB);
        let mut engine = Engine::new(evaluator).with_steps(self.steps);
        self.positions
            .iter()
            .map(|position| {
                let table = TranspositionTable::new(&buckets);
                table.clear();
                engine.clear();
                let found = engine.search(&table, position, &[], Limits::depth(self.depth), &mut ());
                let cp = match found.score.kind() {
                    ScoreKind::Centipawns(cp) => Some(cp),
                    ScoreKind::Mate { .. } | ScoreKind::Mated { .. } => None,
                };
                (cp, found.nodes)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_has_its_row_and_the_whole_search_comes_first() {
        let rows = measure_steps(&[Chess::default()], Evaluation::HandCrafted, 5, 6, &|| {});
        assert_eq!(rows.len(), Step::ALL.len() + 1);
        assert_eq!(rows[0].without, None);
        assert!(rows.iter().all(|row| row.nodes > 0));
        assert!(steps_table(&rows).contains("| nothing |"));
    }
}
