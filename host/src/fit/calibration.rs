//! Whether what a model calls likely happens as often.

use plyscope_core::judge::win_model::WinModel;

use super::Observation;

/// Observations whose predicted p lies in one tenth of 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decile {
    /// How many there are.
    pub count: usize,
    /// The mean of what the model says.
    pub predicted: f64,
    /// The mean of what was observed.
    pub observed: f64,
}

/// A model's calibration on some observations.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// The tenths that hold observations, from low to high p.
    pub deciles: Vec<Decile>,
    /// The mean distance of predicted and observed, each decile weighted by its count.
    pub error: f64,
}

impl Calibration {
    /// Compares `model` with the observations.
    pub fn of(model: &WinModel, observations: &[Observation]) -> Calibration {
        let mut sums = [(0_usize, 0.0, 0.0); 10];
        for o in observations {
            let predicted = model.probability_of_cp(o.cp, o.ply).get();
            let (count, predicted_sum, observed_sum) = &mut sums[((predicted * 10.0) as usize).min(9)];
            *count += 1;
            *predicted_sum += predicted;
            *observed_sum += o.p;
        }
        let deciles: Vec<Decile> = sums
            .into_iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, predicted, observed)| Decile {
                count,
                predicted: predicted / count as f64,
                observed: observed / count as f64,
            })
            .collect();
        let distance: f64 = deciles.iter().map(|d| d.count as f64 * (d.predicted - d.observed).abs()).sum();
        Calibration { deciles, error: distance / observations.len().max(1) as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_the_mean_distance_of_the_deciles() {
        let model = WinModel::Logistic { slope: 0.01, clamp_cp: 1000.0 };
        // The model says one half to both; one of two was won: no error. Then both won: an error of one half.
        let observation = |p| Observation { cp: 0.0, ply: 0, p };
        assert_eq!(Calibration::of(&model, &[observation(0.0), observation(1.0)]).error, 0.0);
        let wrong = Calibration::of(&model, &[observation(1.0), observation(1.0)]);
        assert_eq!(wrong.error, 0.5);
        assert_eq!(wrong.deciles, [Decile { count: 2, predicted: 0.5, observed: 1.0 }]);
    }
}
