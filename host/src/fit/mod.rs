//! Fitting a win model to what positions turned out to be worth.

mod calibration;
mod observation;
mod simplex;

use plyscope_core::judge::win_model::WinModel;

pub use calibration::{Calibration, Decile};
pub use observation::{Observation, ObservationError, read_observations};

use crate::win_models::{ModelFile, Parameters};
use simplex::minimise;

/// The fewest observations to fit on.
pub const OBSERVATIONS_MIN: usize = 50;
/// Probabilities nearer to 0 or 1 count as this far away, so that one surprise is not infinitely bad.
const PROBABILITY_MARGIN: f64 = 1e-4;

/// Which form of model to fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Two logistics whose parameters are polynomials of this degree (0 to 3) in the ply.
    Sf {
        /// 0: the same at every ply.
        ply_degree: usize,
    },
    /// One logistic.
    Lichess,
}

/// What a fit makes least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Loss {
    /// The mean log-loss: the parameters under which the observations are likeliest.
    #[default]
    Log,
    /// The mean distance from reference probabilities. A label asks on which side of a threshold the reference falls, and that is
    /// a question for the median, not the mean.
    Absolute,
}

/// Too little was observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{found} observations are too few to fit on, give at least {OBSERVATIONS_MIN}")]
pub struct TooFew {
    /// How many there are.
    pub found: usize,
}

/// Finds the parameters of least loss, for results and reference probabilities alike.
///
/// # Errors
/// [`TooFew`] observations.
pub fn fit(
    observations: &[Observation],
    form: Form,
    least: Loss,
    fitted_on: &str,
) -> Result<ModelFile, TooFew> {
    if observations.len() < OBSERVATIONS_MIN {
        return Err(TooFew { found: observations.len() });
    }
    let start = match form {
        // A pawn is about half a win, and a fifth of that the scale: a common order of magnitude to begin at.
        Form::Sf { ply_degree } => {
            let mut start = vec![0.0; 2 * (ply_degree.min(3) + 1)];
            start[0] = 100.0;
            start[ply_degree.min(3) + 1] = 25.0;
            start
        }
        Form::Lichess => vec![0.004],
    };
    let loss = |unknowns: &[f64]| {
        let model = parameters(form, unknowns).into();
        match least {
            Loss::Log => mean_log_loss(&model, observations),
            Loss::Absolute => mean_distance(&model, observations),
        }
    };
    // The simplex is started again from where it ended, for it can collapse too early.
    let unknowns = (0..4).fold(start, |from, _| minimise(&loss, &from));
    let parameters = parameters(form, &unknowns);
    let model = WinModel::from(parameters);
    Ok(ModelFile {
        parameters,
        fitted_on: fitted_on.to_owned(),
        positions: observations.len() as u64,
        log_loss: mean_log_loss(&model, observations),
        calibration_error: Calibration::of(&model, observations).error,
    })
}

fn parameters(form: Form, unknowns: &[f64]) -> Parameters {
    let polynomial = |coefficients: &[f64]| {
        let mut padded = [0.0; 4];
        for (place, &c) in padded.iter_mut().zip(coefficients) {
            *place = c;
        }
        padded
    };
    match form {
        Form::Sf { .. } => {
            let (a, b) = unknowns.split_at(unknowns.len() / 2);
            Parameters::Sf { a: polynomial(a), b: polynomial(b) }
        }
        Form::Lichess => {
            Parameters::Lichess { slope: unknowns.first().copied().unwrap_or(0.0), clamp_cp: 1000.0 }
        }
    }
}

/// The mean of -(p ln q + (1 - p) ln(1 - q)), q the model's and p the observed value, in nats.
pub fn mean_log_loss(model: &WinModel, observations: &[Observation]) -> f64 {
    let sum: f64 = observations
        .iter()
        .map(|o| {
            let q = model.probability_of_cp(o.cp, o.ply).get();
            let q = q.clamp(PROBABILITY_MARGIN, 1.0 - PROBABILITY_MARGIN);
            -(o.p * q.ln() + (1.0 - o.p) * (1.0 - q).ln())
        })
        .sum();
    sum / observations.len().max(1) as f64
}

/// The mean distance of the model's from the observed values.
fn mean_distance(model: &WinModel, observations: &[Observation]) -> f64 {
    let distance = |o: &Observation| (model.probability_of_cp(o.cp, o.ply).get() - o.p).abs();
    observations.iter().map(distance).sum::<f64>() / observations.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Observations that follow `model` exactly.
    fn made_by(model: &WinModel) -> Vec<Observation> {
        (-30..=30)
            .flat_map(|tens| [10, 60, 120].map(|ply| (f64::from(tens) * 10.0, ply)))
            .map(|(cp, ply)| Observation { cp, ply, p: model.probability_of_cp(cp, ply).get() })
            .collect()
    }

    #[test]
    fn a_fit_finds_the_model_that_made_the_data() {
        let made = WinModel::WinDrawLoss { a: [80.0, 10.0, 0.0, 0.0], b: [30.0, -5.0, 0.0, 0.0] };
        let observations = made_by(&made);
        for least in [Loss::Log, Loss::Absolute] {
            let file = fit(&observations, Form::Sf { ply_degree: 1 }, least, "made up").unwrap();
            let fitted = WinModel::from(file.parameters);
            for o in &observations {
                let p = fitted.probability_of_cp(o.cp, o.ply).get();
                assert!((p - o.p).abs() < 0.01, "{least:?} {o:?}: {p}");
            }
            assert!(file.calibration_error < 0.01);
        }

        let observations = made_by(&WinModel::LICHESS);
        let fitted = fit(&observations, Form::Lichess, Loss::Log, "").unwrap();
        let Parameters::Lichess { slope, .. } = fitted.parameters else { panic!("another form") };
        assert!((slope - 0.003_682).abs() < 1e-4, "{slope}");
    }

    #[test]
    fn a_handful_of_observations_is_refused() {
        let one = [Observation { cp: 0.0, ply: 3, p: 0.5 }];
        assert_eq!(fit(&one, Form::Lichess, Loss::Log, ""), Err(TooFew { found: 1 }));
    }

    #[test]
    fn certainty_that_is_wrong_costs_much_and_not_everything() {
        let wrong = [Observation { cp: 100_000.0, ply: 0, p: 0.0 }];
        let loss = mean_log_loss(&WinModel::Logistic { slope: 1.0, clamp_cp: 1e9 }, &wrong);
        assert!((8.0..10.0).contains(&loss), "{loss}");
    }
}
