//! From centipawns to the share of games that White wins.

use super::score::{Score, ScoreKind};

/// White's win probability, 0 to 1 (a draw counts half).
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct WinProbability(f64);

impl WinProbability {
    /// Won for Black.
    pub const ZERO: WinProbability = WinProbability(0.0);
    /// A finished draw.
    pub const HALF: WinProbability = WinProbability(0.5);
    /// Won for White.
    pub const ONE: WinProbability = WinProbability(1.0);

    /// `p` clamped to 0..=1 (not a number: one half).
    pub fn new(p: f64) -> WinProbability {
        if p.is_nan() { WinProbability::HALF } else { WinProbability(p.clamp(0.0, 1.0)) }
    }

    /// The plain number.
    pub const fn get(self) -> f64 {
        self.0
    }
}

/// Coefficients of 1, m, m^2 and m^3, where m is the ply (at most 240) over 64.
pub type PlyPolynomial = [f64; 4];

/// A way from centipawns (White's view) to win probability. All arithmetic is by `libm`, the same bits everywhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WinModel {
    /// Win and loss are two logistics: W = 1 / (1 + exp((a - cp) / b)), L = 1 / (1 + exp((a + cp) / b)), draws the rest,
    /// p = W + D / 2.
    WinDrawLoss {
        /// Centipawns at which half the games are won, by ply.
        a: PlyPolynomial,
        /// The scale of the logistic in centipawns, by ply.
        b: PlyPolynomial,
    },
    /// One logistic: p = 1 / (1 + exp(-slope cp)), cp clamped.
    Logistic {
        /// Per centipawn.
        slope: f64,
        /// Scores beyond this many centipawns count as this many.
        clamp_cp: f64,
    },
}

impl WinModel {
    /// lichess's published curve, p = 1 / (1 + exp(-0.00368208 cp)), cp clamped to 1000.
    pub const LICHESS: WinModel = WinModel::Logistic { slope: 0.003_682_08, clamp_cp: 1000.0 };

    /// White's win probability at `score` (White's view) in a position `ply` plies into the game.
    pub fn probability(&self, score: Score, ply: u32) -> WinProbability {
        match score.kind() {
            ScoreKind::Mate { .. } => WinProbability::ONE,
            ScoreKind::Mated { .. } => WinProbability::ZERO,
            ScoreKind::Centipawns(cp) => self.probability_of_cp(f64::from(cp), ply),
        }
    }

    /// The same for a number of centipawns that need not be whole.
    pub fn probability_of_cp(&self, cp: f64, ply: u32) -> WinProbability {
        let (win, loss) = match self {
            WinModel::WinDrawLoss { .. } => self.win_and_loss(cp, ply),
            WinModel::Logistic { slope, clamp_cp } => {
                // Unlike `clamp` this takes any bounds: they may come from a file.
                return WinProbability::new(logistic(slope * cp.min(*clamp_cp).max(-clamp_cp)));
            }
        };
        WinProbability::new(win + (1.0 - win - loss).max(0.0) / 2.0)
    }

    /// White's shares of wins and losses. A single logistic tells of no draws.
    pub fn win_and_loss(&self, cp: f64, ply: u32) -> (f64, f64) {
        match self {
            WinModel::WinDrawLoss { a, b } => {
                let m = f64::from(ply.min(240)) / 64.0;
                let (a, b) = (polynomial(a, m), polynomial(b, m).max(1.0));
                (logistic((cp - a) / b), logistic((-cp - a) / b))
            }
            WinModel::Logistic { .. } => {
                let p = self.probability_of_cp(cp, ply).get();
                (p, 1.0 - p)
            }
        }
    }
}

fn polynomial(coefficients: &PlyPolynomial, m: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * m + c)
}

/// 1 / (1 + exp(-x)).
pub fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: WinModel = WinModel::WinDrawLoss { a: [90.0, 4.0, 0.7, -0.2], b: [20.0, -4.0, 3.0, -0.5] };

    #[test]
    fn both_models_are_fair_and_rising() {
        for model in [MODEL, WinModel::LICHESS] {
            for ply in [0, 40, 300] {
                assert_eq!(model.probability(Score::DRAW, ply).get(), 0.5);
                let mut last = 0.0;
                for cp in (-900..=900).step_by(50) {
                    let p = model.probability(Score::centipawns(cp), ply).get();
                    let mirrored = model.probability(Score::centipawns(-cp), ply).get();
                    assert!((p + mirrored - 1.0).abs() < 1e-12, "{cp}");
                    assert!(p >= last, "{cp}");
                    last = p;
                }
            }
        }
    }

    #[test]
    fn bounds_out_of_order_or_no_numbers_are_no_panic() {
        for clamp_cp in [-5.0, f64::NAN] {
            let p = WinModel::Logistic { slope: 0.003, clamp_cp }.probability_of_cp(100.0, 0).get();
            assert!((0.0..=1.0).contains(&p));
        }
    }

    #[test]
    fn mates_are_certain() {
        assert_eq!(MODEL.probability(Score::mate_in(5), 10), WinProbability::ONE);
        assert_eq!(WinModel::LICHESS.probability(Score::mated_in(0), 10), WinProbability::ZERO);
    }

    #[test]
    fn the_published_curve_gives_its_known_values() {
        // 1 / (1 + exp(-0.368208)) and its clamp at 1000.
        let p = |cp| WinModel::LICHESS.probability(Score::centipawns(cp), 0).get();
        assert!((p(100) - 0.591_026).abs() < 1e-6, "{}", p(100));
        assert_eq!(p(1000), p(5000));
    }

    #[test]
    fn half_the_games_are_won_at_a() {
        let (win, _) = MODEL.win_and_loss(90.0 + 4.0 + 0.7 - 0.2, 64);
        assert!((win - 0.5).abs() < 1e-12);
    }
}
