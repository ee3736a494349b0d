//! How the teacher's centipawns become its win, draw and loss shares.
//!
//! Win and loss shares are two logistics of the centipawns, `W = 1/(1+exp((a-cp)/b))` and `L = 1/(1+exp((a+cp)/b))`, whose
//! `a` and `b` move with the ply. Nothing is assumed beyond that form: both are found by least squares from the labels
//! of the data at hand, a straight line through `(cp, logit W)` for each stretch of plies.

use anyhow::{Result, ensure};

use crate::record::{MATE_SCORE, Record};

/// Plies that share one line.
const STRETCH_PLIES: usize = 10;
/// Stretches; later plies use the last.
const STRETCHES: usize = 24;
/// Labels a stretch needs for a line of its own.
const LABELS_MIN: f64 = 200.0;

/// Centipawns at which the wide logistic's odds are e to 1: the inverse of 0.00368208.
pub(crate) const WIDE_SCALE_CP: f32 = 271.585;

/// The teacher's win model.
#[derive(Clone, Debug)]
pub(crate) struct WinRate {
    /// `(a, b)` in centipawns for each stretch of plies.
    stretches: [(f32, f32); STRETCHES],
}

/// A probability and its derivative by centipawns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slope {
    pub(crate) p: f32,
    pub(crate) by_cp: f32,
}

/// The logistic function.
pub(crate) fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Expected score by the wide logistic.
pub(crate) fn wide(cp: f32) -> Slope {
    let p = logistic(cp / WIDE_SCALE_CP);
    Slope { p, by_cp: p * (1.0 - p) / WIDE_SCALE_CP }
}

impl WinRate {
    /// Finds `a` and `b` from the labels of `records`.
    ///
    /// # Errors
    ///
    /// When the labels are too few or do not rise with the centipawns.
    pub(crate) fn fit<'a>(records: impl Iterator<Item = &'a Record>) -> Result<Self> {
        let mut sums = [[0f64; 5]; STRETCHES];
        for record in records {
            let cp = f64::from(record.score);
            // Both shares obey the same line; only shares well inside 0..1000 tell where it runs.
            for (cp, share) in [(cp, record.win_permille), (-cp, record.loss_permille)] {
                if record.score.abs() < MATE_SCORE / 2 && (20..=980).contains(&share) {
                    let share = f64::from(share) / 1000.0;
                    let logit = (share / (1.0 - share)).ln();
                    let sum = &mut sums[stretch_of(record.ply)];
                    for (sum, x) in sum.iter_mut().zip([1.0, cp, logit, cp * cp, cp * logit]) {
                        *sum += x;
                    }
                }
            }
        }
        let mut total = [0f64; 5];
        for sum in &sums {
            for (total, x) in total.iter_mut().zip(sum) {
                *total += x;
            }
        }
        ensure!(total[0] >= LABELS_MIN, "too few labels to find the teacher's win model");
        let overall = line(&total)?;
        let mut stretches = [overall; STRETCHES];
        for (stretch, sum) in stretches.iter_mut().zip(&sums) {
            if sum[0] >= LABELS_MIN {
                *stretch = line(sum)?;
            }
        }
        Ok(WinRate { stretches })
    }

    /// `(first ply, a, b)` of each stretch, centipawns.
    pub(crate) fn table(&self) -> impl Iterator<Item = (usize, f32, f32)> + '_ {
        self.stretches.iter().enumerate().map(|(i, &(a, b))| (i * STRETCH_PLIES, a, b))
    }

    /// Expected score W + D/2 of the side to move.
    pub(crate) fn expected(&self, cp: f32, ply: u16) -> Slope {
        let (a, b) = self.stretches[stretch_of(ply)];
        let (win, loss) = (logistic((cp - a) / b), logistic((-cp - a) / b));
        Slope { p: 0.5 * (1.0 + win - loss), by_cp: 0.5 * (win * (1.0 - win) + loss * (1.0 - loss)) / b }
    }
}

fn stretch_of(ply: u16) -> usize {
    (usize::from(ply) / STRETCH_PLIES).min(STRETCHES - 1)
}

/// `(a, b)` of the least-squares line `logit = (cp - a) / b` from the sums of 1, x, y, xx, xy.
fn line(&[n, x, y, xx, xy]: &[f64; 5]) -> Result<(f32, f32)> {
    let slope = (n * xy - x * y) / (n * xx - x * x);
    ensure!(slope.is_finite() && slope > 0.0, "the teacher's win shares do not rise with its centipawns");
    let at_zero = (y - slope * x) / n;
    Ok(((-at_zero / slope) as f32, (1.0 / slope) as f32))
}

#[cfg(test)]
mod tests {
    use shakmaty::{Chess, Position};

    use super::*;
    use crate::record::Label;

    #[test]
    fn the_fit_gives_back_the_curve_that_made_the_labels() -> Result<()> {
        let pos = Chess::default();
        let best = pos.legal_moves()[0];
        let (a, b) = (100.0f32, 18.0f32);
        let records: Vec<Record> = (-150i16..=150)
            .map(|score| {
                let cp = f32::from(score);
                let share = |cp: f32| (1000.0 * logistic((cp - a) / b)).round() as u16;
                let label = Label { score, win_permille: share(cp), loss_permille: share(-cp) };
                Record::new(&pos, label, best, false)
            })
            .collect();
        // Every stretch but the first is empty and takes the overall line.
        let fitted = WinRate::fit(records.iter().chain(&records))?;
        for (_, fit_a, fit_b) in fitted.table() {
            assert!((fit_a - a).abs() < 0.5 && (fit_b - b).abs() < 0.5, "{fit_a} {fit_b}");
        }
        let slope = fitted.expected(60.0, 0);
        let numeric = (fitted.expected(60.5, 0).p - fitted.expected(59.5, 0).p) / 1.0;
        assert!((slope.by_cp - numeric).abs() < 1e-4);
        Ok(())
    }
}
