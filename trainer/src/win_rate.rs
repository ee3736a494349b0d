//! How the teacher's centipawns become its win, draw and loss shares.
//!
//! Win and loss shares are two logistics of the centipawns, `W = 1/(1+exp((a-cp)/b))` and `L = 1/(1+exp((a+cp)/b))`, whose
//! `a` and `b` are cubic in the ply. Nothing is assumed beyond that form: `cp = a(m) + b(m) logit W` is linear in the
//! eight coefficients, so least squares over the labels of the data at hand finds them.

use std::{fs, path::Path};

use anyhow::{Context, Result, ensure};

use crate::record::{MATE_SCORE, Record};

/// Coefficients of 1, m, m^2 and m^3, where m is the ply (at most [`PLIES_MAX`]) over [`PLIES_UNIT`].
pub(crate) type PlyPolynomial = [f64; 4];

/// The last ply that makes a difference, and the plies of m = 1.
const PLIES_MAX: u16 = 240;
const PLIES_UNIT: f64 = 64.0;
/// Unknowns of the fit.
const UNKNOWNS: usize = 8;
/// Labels that a fit needs.
const LABELS_MIN: u32 = 200;

/// Centipawns at which the wide logistic's odds are e to 1: the inverse of 0.00368208.
pub(crate) const WIDE_SCALE_CP: f32 = 271.585;

/// The teacher's win model, in centipawns.
#[derive(Clone, Debug)]
pub(crate) struct WinRate {
    pub(crate) a: PlyPolynomial,
    pub(crate) b: PlyPolynomial,
    /// `(a, b)` for each ply.
    by_ply: Vec<(f32, f32)>,
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
    /// When the labels are too few, all of one ply, or do not rise with the centipawns.
    pub(crate) fn fit<'a>(records: impl Iterator<Item = &'a Record>) -> Result<Self> {
        let mut system = [[0f64; UNKNOWNS + 1]; UNKNOWNS];
        let mut labels = 0u32;
        for record in records.filter(|r| r.score.abs() < MATE_SCORE / 2) {
            let m = f64::from(record.ply.min(PLIES_MAX)) / PLIES_UNIT;
            let cp = f64::from(record.score);
            // Both shares obey the same line; only shares well inside 0..1000 tell where it runs.
            for (cp, share) in [(cp, record.win_permille), (-cp, record.loss_permille)] {
                if !(50..=950).contains(&share) {
                    continue;
                }
                let share = f64::from(share) / 1000.0;
                let logit = (share / (1.0 - share)).ln();
                let x = [1.0, m, m * m, m * m * m, logit, logit * m, logit * m * m, logit * m * m * m];
                for (row, &xi) in system.iter_mut().zip(&x) {
                    for (sum, &xj) in row.iter_mut().zip(&x) {
                        *sum += xi * xj;
                    }
                    row[UNKNOWNS] += xi * cp;
                }
                labels += 1;
            }
        }
        ensure!(labels >= LABELS_MIN, "too few labels to find the teacher's win model");
        let [a0, a1, a2, a3, b0, b1, b2, b3] =
            solve(system).context("the labels leave the win model open")?;
        Self::new([a0, a1, a2, a3], [b0, b1, b2, b3])
    }

    /// The model in a file that `calibrate` or `plyscope fit` wrote.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or holds no model of the form `sf`.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        #[derive(serde::Deserialize)]
        struct Coefficients {
            a: PlyPolynomial,
            b: PlyPolynomial,
        }
        let text = fs::read_to_string(path).with_context(|| format!("failed to read {}", path.display()))?;
        let Coefficients { a, b } = serde_json::from_str(&text)
            .with_context(|| format!("{} holds no win model of the form sf", path.display()))?;
        Self::new(a, b)
    }

    /// The model of these coefficients.
    ///
    /// # Errors
    ///
    /// When `b` is not positive at every ply.
    pub(crate) fn new(a: PlyPolynomial, b: PlyPolynomial) -> Result<Self> {
        let at = |p: &PlyPolynomial, ply: u16| {
            let m = f64::from(ply) / PLIES_UNIT;
            ((p[3] * m + p[2]) * m + p[1]) * m + p[0]
        };
        let by_ply: Vec<(f32, f32)> =
            (0..=PLIES_MAX).map(|ply| (at(&a, ply) as f32, at(&b, ply) as f32)).collect();
        ensure!(
            by_ply.iter().all(|&(_, b)| b > 1.0),
            "the teacher's win shares do not rise with its centipawns"
        );
        Ok(WinRate { a, b, by_ply })
    }

    /// Shares of wins and losses of the side to move.
    pub(crate) fn shares(&self, cp: f32, ply: u16) -> (f32, f32) {
        let (a, b) = self.by_ply[usize::from(ply.min(PLIES_MAX))];
        (logistic((cp - a) / b), logistic((-cp - a) / b))
    }

    /// Expected score W + D/2 of the side to move.
    pub(crate) fn expected(&self, cp: f32, ply: u16) -> Slope {
        let (_, b) = self.by_ply[usize::from(ply.min(PLIES_MAX))];
        let (win, loss) = self.shares(cp, ply);
        Slope { p: 0.5 * (1.0 + win - loss), by_cp: 0.5 * (win * (1.0 - win) + loss * (1.0 - loss)) / b }
    }
}

/// Solves a linear system (its last column the right-hand side) by elimination; `None` where it has no one solution.
fn solve(mut system: [[f64; UNKNOWNS + 1]; UNKNOWNS]) -> Option<[f64; UNKNOWNS]> {
    for column in 0..UNKNOWNS {
        let pivot = (column..UNKNOWNS)
            .max_by(|&i, &j| system[i][column].abs().total_cmp(&system[j][column].abs()))?;
        system.swap(column, pivot);
        let lead = system[column];
        if lead[column].abs() < 1e-9 {
            return None;
        }
        for (i, row) in system.iter_mut().enumerate() {
            if i != column {
                let factor = row[column] / lead[column];
                for (x, lead) in row.iter_mut().zip(&lead) {
                    *x -= factor * lead;
                }
            }
        }
    }
    Some(std::array::from_fn(|i| system[i][UNKNOWNS] / system[i][i]))
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
        let made = WinRate::new([95.0, 4.0, 2.0, -0.5], [20.0, -4.0, 3.0, -0.4])?;
        let mut records = Vec::new();
        for ply in (0..240u16).step_by(3) {
            for score in (-160i16..=160).step_by(4) {
                let (a, b) = made.by_ply[usize::from(ply)];
                let share = |cp: f32| (1000.0 * logistic((cp - a) / b)).round() as u16;
                let cp = f32::from(score);
                let label = Label { score, win_permille: share(cp), loss_permille: share(-cp) };
                records.push(Record { ply, ..Record::new(&pos, label, best, false) });
            }
        }
        let fitted = WinRate::fit(records.iter())?;
        for ply in [0, 40, 120, 230] {
            for cp in [-200.0, -90.0, 0.0, 60.0, 110.0] {
                let (found, wanted) = (fitted.expected(cp, ply).p, made.expected(cp, ply).p);
                assert!((found - wanted).abs() < 0.002, "ply {ply} cp {cp}: {found} for {wanted}");
            }
        }
        let numeric = made.expected(60.5, 0).p - made.expected(59.5, 0).p;
        assert!((made.expected(60.0, 0).by_cp - numeric).abs() < 1e-4);
        Ok(())
    }
}
