//! How the rows of a device compare with the truth of the game, by the judge of answers.

use anyhow::{Context, Result, bail};
use plyscope::answer_file::answer_text;
use plyscope::evaluation::Evaluation;
use plyscope::game_record::GameRecord;
use plyscope::labeller::{Budget, LabelledGame, Labeller};
use plyscope::render::labels::PlyLabels;
use plyscope::render::truth::event_rows;
use plyscope::scoring::event_file::{EventList, Row, read_events};
use plyscope::scoring::exact_time::ExactTime;
use plyscope::scoring::judge::{Scores, judge};
use plyscope_device::evaluation::evaluation;
use plyscope_device::referee::Judgement;

use crate::camera::Camera;

/// Seconds within which rows pair.
const TOLERANCE_S: &str = "3";

/// What values positions on devices.
pub(crate) fn device_evaluation() -> Result<Evaluation> {
    Ok(Evaluation::Small(evaluation().context("failed to")?))
}

/// The rows that an ideal reader would write, with labels by the host's search: the same evaluation and
/// nodes, but the memory of a computer, and the game searched from its end back.
pub(crate) fn host_rows(
    camera: &Camera,
    record: &GameRecord,
    judgement: Option<Judgement>,
) -> Result<Vec<Row>> {
    let labels: Vec<PlyLabels> = match judgement {
        Some(Judgement { nodes, model }) => {
            let budget = Budget::Nodes(nodes);
            let evaluation = device_evaluation()?;
            let labeller = Labeller { budget, model, evaluation, refines: false, ..Labeller::default() };
            let game = LabelledGame::of_positions(record.positions().cloned().collect());
            labeller.label(&game, &[], &|_| {}).iter().skip(1).map(PlyLabels::from).collect()
        }
        None => vec![PlyLabels::EQUAL; record.plies.len()],
    };
    let rows = event_rows(record, &camera.settled_at(record), &labels);
    parse(&String::from_utf8(answer_text(&rows)?)?)
}

/// Scores a device's rows against those of the host.
pub(crate) fn score(rows: &[String], truth: &[Row]) -> Result<Scores> {
    let answer = parse(&format!("{{\"events\": [{}]}}", rows.join(",")))?;
    let tolerance = ExactTime::parse_seconds(TOLERANCE_S).unwrap_or(ExactTime::ZERO);
    Ok(judge(&answer, truth, tolerance))
}

/// The same bytes, or where they differ first.
pub(crate) fn ensure_equal(emulated: &[String], host: &[String]) -> Result<()> {
    let lines = emulated.len().max(host.len());
    let differing = (0..lines).find(|&i| emulated.get(i) != host.get(i));
    let Some(index) = differing else { return Ok(()) };
    let shown = |rows: &[String]| rows.get(index).map_or("nothing".to_owned(), Clone::clone);
    bail!("row {} differs: the machine wrote {}, this computer {}", index + 1, shown(emulated), shown(host))
}

fn parse(answer: &str) -> Result<Vec<Row>> {
    read_events(answer, EventList::Named("events")).context("the rows are no answer")
}
