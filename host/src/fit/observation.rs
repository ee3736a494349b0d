//! What a model is fitted to: centipawns, and what became of them.

use serde::Deserialize;

/// A position's centipawns and its worth, both White's view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// The evaluator's centipawns.
    pub cp: f64,
    /// Plies played.
    pub ply: u32,
    /// A reference probability, or a result: 1, 0.5 or 0.
    pub p: f64,
}

/// A line that is no observation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "line {line} is no observation: {why}; give lines such as 35,20,0.62 (cp,ply,p) or {{\"cp\":35,\"ply\":20,\"p\":0.62}}"
)]
pub struct ObservationError {
    /// Counted from 1.
    pub line: usize,
    /// What is wrong.
    pub why: String,
}

#[derive(Deserialize)]
struct Row {
    cp: f64,
    ply: u32,
    #[serde(alias = "result")]
    p: f64,
}

/// Reads observations, one a line: `cp,ply,p` (a first line of names is skipped) or JSON objects with these names
/// (`result` may stand for `p`). Empty lines are skipped.
///
/// # Errors
/// [`ObservationError`] names the first line that is none.
pub fn read_observations(text: &str) -> Result<Vec<Observation>, ObservationError> {
    let mut observations = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || (index == 0 && line.replace(' ', "") == "cp,ply,p") {
            continue;
        }
        let error = |why: String| ObservationError { line: index + 1, why };
        let Row { cp, ply, p } = if line.starts_with('{') {
            serde_json::from_str(line).map_err(|e| error(e.to_string()))?
        } else {
            row_of_csv(line).ok_or_else(|| error("three numbers are needed".into()))?
        };
        if !cp.is_finite() || !(0.0..=1.0).contains(&p) {
            return Err(error("cp must be a number and p lie from 0 to 1".into()));
        }
        observations.push(Observation { cp, ply, p });
    }
    Ok(observations)
}

fn row_of_csv(line: &str) -> Option<Row> {
    let mut fields = line.split(',').map(str::trim);
    let row = Row {
        cp: fields.next()?.parse().ok()?,
        ply: fields.next()?.parse().ok()?,
        p: fields.next()?.parse().ok()?,
    };
    fields.next().is_none().then_some(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_writing_are_read() {
        let text = "cp,ply,p\n35, 20, 0.62\n\n{\"cp\": -10.5, \"ply\": 3, \"result\": 0.5}\n";
        let observations = read_observations(text).unwrap();
        assert_eq!(
            observations,
            [Observation { cp: 35.0, ply: 20, p: 0.62 }, Observation { cp: -10.5, ply: 3, p: 0.5 }]
        );
    }

    #[test]
    fn a_wrong_line_is_named() {
        for text in
            ["1,2,0.5\n1,2", "1,2,0.5\n1,2,1.5", "1,2,0.5\nnan,2,0.5", "1,2,0.5\n{}", "1,2,0.5\n1,2,0,3"]
        {
            assert_eq!(read_observations(text).unwrap_err().line, 2, "{text}");
        }
    }
}
