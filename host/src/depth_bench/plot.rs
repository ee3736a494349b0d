//! The benchmark's results as a picture.

use plotters::prelude::*;

use super::{Limit, Row};
use crate::labeller::Optimise;

const SIZE_PX: (u32, u32) = (900, 560);
const COLOURS: [RGBColor; 6] = [
    RGBColor(27, 94, 160),
    RGBColor(200, 85, 20),
    RGBColor(40, 130, 60),
    RGBColor(120, 60, 140),
    RGBColor(150, 120, 20),
    RGBColor(90, 90, 90),
];

/// What accuracy is drawn over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// Mean nodes a position.
    Nodes,
    /// Milliseconds of one thread a position.
    Milliseconds,
}

impl Axis {
    fn of(self, row: &Row) -> f64 {
        match self {
            Axis::Nodes => row.mean_nodes.max(1.0),
            Axis::Milliseconds => row.ms_per_position.max(1e-3),
        }
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            Axis::Nodes => ("nodes a position", "mean nodes a position"),
            Axis::Milliseconds => ("time a position", "milliseconds of one core a position"),
        }
    }
}

/// The line a row belongs to.
fn line_name(row: &Row) -> String {
    let by_doubt = if matches!(row.limit, Limit::Doubt(_)) { " by doubt" } else { "" };
    format!("{}{by_doubt}", row.evaluation)
}

/// An SVG of plain accuracy (`sf` model, strict labels) over nodes or time, one colour for each evaluation: the leader as a
/// full line with dots, the swing as a thin line.
///
/// # Errors
/// A sentence about what could not be drawn (for example no rows).
pub fn draw(rows: &[Row], axis: Axis) -> Result<String, String> {
    let mut svg = String::new();
    let strict: Vec<&Row> = rows.iter().filter(|row| row.optimise == Optimise::Strict).collect();
    draw_into(&strict, axis, &mut svg).map_err(|error| format!("cannot draw the plot: {error}"))?;
    Ok(svg)
}

fn draw_into(rows: &[&Row], axis: Axis, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let along = rows.iter().map(|row| axis.of(row));
    let (least, most) = along.fold((f64::MAX, f64::MIN), |(least, most), n| (least.min(n), most.max(n)));
    if least > most {
        return Err("nothing was measured".into());
    }
    let shares = rows.iter().flat_map(|row| [row.sf.leader.plain(), row.sf.swing.plain()]);
    let floor = shares.fold(1.0, f64::min) * 100.0 - 2.0;
    let (caption, x_label) = axis.words();
    let root = SVGBackend::with_string(svg, SIZE_PX).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .margin(16)
        .x_label_area_size(40)
        .y_label_area_size(50)
        .caption(format!("Right labels (sf model) over {caption}"), ("sans-serif", 20))
        .build_cartesian_2d((least * 0.8..most * 1.25).log_scale(), floor..100.0)?;
    chart.configure_mesh().x_desc(x_label).y_desc("right labels, %").draw()?;
    let mut names: Vec<String> = Vec::new();
    for name in rows.iter().map(|row| line_name(row)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    for (name, colour) in names.into_iter().zip(COLOURS.into_iter().cycle()) {
        let mut of_name: Vec<&Row> = rows.iter().copied().filter(|row| line_name(row) == name).collect();
        of_name.sort_by(|x, y| axis.of(x).total_cmp(&axis.of(y)));
        let leader: Vec<(f64, f64)> =
            of_name.iter().map(|row| (axis.of(row), 100.0 * row.sf.leader.plain())).collect();
        let swing = of_name.iter().map(|row| (axis.of(row), 100.0 * row.sf.swing.plain()));
        let key = move |(x, y)| PathElement::new(vec![(x, y), (x + 20, y)], colour.stroke_width(2));
        chart
            .draw_series(LineSeries::new(leader.clone(), colour.stroke_width(2)))?
            .label(format!("{name}: leader"))
            .legend(key);
        chart.draw_series(leader.into_iter().map(|point| Circle::new(point, 3, colour.filled())))?;
        let thin = colour.mix(0.45);
        chart
            .draw_series(LineSeries::new(swing, thin.stroke_width(1)))?
            .label(format!("{name}: swing"))
            .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 20, y)], thin.stroke_width(1)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    root.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::depth_bench::LabelAccuracy;

    #[test]
    fn every_evaluation_gets_its_lines_and_nothing_is_an_error() {
        let row = |evaluation: &str, nodes: f64| Row {
            evaluation: evaluation.into(),
            limit: Limit::Nodes(nodes as u64),
            optimise: Optimise::Strict,
            positions: 1,
            mean_depth: 5.0,
            mean_nodes: nodes,
            ms_per_position: 1.0,
            sf: LabelAccuracy::default(),
            lichess: LabelAccuracy::default(),
        };
        let rows = [row("hand", 100.0), row("large", 100.0), row("hand", 1000.0)];
        for axis in [Axis::Nodes, Axis::Milliseconds] {
            let svg = draw(&rows, axis).unwrap();
            assert_eq!(svg.matches("hand: leader").count(), 1, "{svg}");
            assert!(svg.contains("large: swing"), "{svg}");
            assert!(draw(&[], axis).is_err());
        }
    }
}
