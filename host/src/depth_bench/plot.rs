//! The benchmark's results as a picture.

use plotters::prelude::*;

use super::Row;

const SIZE_PX: (u32, u32) = (900, 560);
const COLOURS: [RGBColor; 4] =
    [RGBColor(27, 94, 160), RGBColor(200, 85, 20), RGBColor(40, 130, 60), RGBColor(120, 60, 140)];

/// An SVG of plain accuracy (`sf` model) over mean nodes a position, one colour for each evaluation: the leader as a full
/// line with dots, the swing as a thin line.
///
/// # Errors
/// A sentence about what could not be drawn (for example no rows).
pub fn draw(rows: &[Row]) -> Result<String, String> {
    let mut svg = String::new();
    draw_into(rows, &mut svg).map_err(|error| format!("cannot draw the plot: {error}"))?;
    Ok(svg)
}

fn draw_into(rows: &[Row], svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let nodes = rows.iter().map(|row| row.mean_nodes.max(1.0));
    let (least, most) = nodes.fold((f64::MAX, f64::MIN), |(least, most), n| (least.min(n), most.max(n)));
    if least > most {
        return Err("nothing was measured".into());
    }
    let shares = rows.iter().flat_map(|row| [row.sf.leader.plain(), row.sf.swing.plain()]);
    let floor = shares.fold(1.0, f64::min) * 100.0 - 2.0;
    let root = SVGBackend::with_string(svg, SIZE_PX).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .margin(16)
        .x_label_area_size(40)
        .y_label_area_size(50)
        .caption("Right labels (sf model) over nodes a position", ("sans-serif", 20))
        .build_cartesian_2d((least * 0.8..most * 1.25).log_scale(), floor..100.0)?;
    chart.configure_mesh().x_desc("mean nodes a position").y_desc("right labels, %").draw()?;
    let mut names: Vec<&str> = rows.iter().map(|row| row.evaluation.as_str()).collect();
    names.dedup();
    for (name, colour) in names.into_iter().zip(COLOURS.into_iter().cycle()) {
        let mut of_name: Vec<&Row> = rows.iter().filter(|row| row.evaluation == name).collect();
        of_name.sort_by(|x, y| x.mean_nodes.total_cmp(&y.mean_nodes));
        let leader: Vec<(f64, f64)> =
            of_name.iter().map(|row| (row.mean_nodes, 100.0 * row.sf.leader.plain())).collect();
        let swing = of_name.iter().map(|row| (row.mean_nodes, 100.0 * row.sf.swing.plain()));
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
    use crate::depth_bench::{LabelAccuracy, Limit};

    #[test]
    fn every_evaluation_gets_its_lines_and_nothing_is_an_error() {
        let row = |evaluation: &str, nodes: f64| Row {
            evaluation: evaluation.into(),
            limit: Limit::Nodes(nodes as u64),
            positions: 1,
            mean_depth: 5.0,
            mean_nodes: nodes,
            ms_per_position: 1.0,
            sf: LabelAccuracy::default(),
            lichess: LabelAccuracy::default(),
        };
        let svg = draw(&[row("hand", 100.0), row("hand", 1000.0), row("large", 100.0)]).unwrap();
        assert!(svg.contains("hand: leader") && svg.contains("large: swing"), "{svg}");
        assert!(draw(&[]).is_err());
    }
}
