//! The win models that ship with the program, and those in files.

use std::path::Path;

use plyscope_core::judge::win_model::WinModel;
use serde::{Deserialize, Serialize};

use crate::{
    evaluation::Evaluation,
    text_input::{InputError, read_text},
};

/// The two ways of seeing a lead that ship, each fitted to every evaluation's own centipawns: an evaluation has a scale of its
/// own, so one curve over centipawns would not mean the same for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// As engines of full strength would play on: win and loss as two logistics.
    Sf,
    /// As lichess draws its bar: one logistic over centipawns.
    Lichess,
}

impl Form {
    /// Both.
    pub const ALL: [Form; 2] = [Form::Sf, Form::Lichess];

    /// The name by which it is chosen.
    pub const fn name(self) -> &'static str {
        match self {
            Form::Sf => "sf",
            Form::Lichess => "lichess",
        }
    }
}

/// The models in `core/nets`, fitted by `plyscope-trainer calibrate` on positions of the training games that were held out.
const SHIPPED: [(&str, Form, &str); 6] = [
    ("hand", Form::Sf, include_str!("../../core/nets/hand.win.json")),
    ("hand", Form::Lichess, include_str!("../../core/nets/hand.win-lichess.json")),
    ("small", Form::Sf, include_str!("../../core/nets/small.win.json")),
    ("small", Form::Lichess, include_str!("../../core/nets/small.win-lichess.json")),
    ("large", Form::Sf, include_str!("../../core/nets/large.win.json")),
    ("large", Form::Lichess, include_str!("../../core/nets/large.win-lichess.json")),
];

/// The shipped model of this form for the centipawns of this evaluation.
pub fn shipped(evaluation: &Evaluation, form: Form) -> WinModel {
    SHIPPED
        .iter()
        .find(|(name, of, _)| *name == evaluation.name() && *of == form)
        .and_then(|(_, _, text)| serde_json::from_str::<ModelFile>(text).ok())
        .map_or(WinModel::LICHESS, |model| model.parameters.into())
}

/// A win model as `plyscope fit` writes it: parameters, and what they were fitted on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelFile {
    /// The parameters.
    #[serde(flatten)]
    pub parameters: Parameters,
    /// What the model was fitted on.
    pub fitted_on: String,
    /// How many positions that were.
    pub positions: u64,
    /// Mean log-loss over these, in nats.
    pub log_loss: f64,
    /// Mean distance of predicted and observed p over deciles, weighted by their sizes.
    pub calibration_error: f64,
}

/// Parameters of a win model in a file.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "form", rename_all = "lowercase")]
pub enum Parameters {
    /// Two logistics; `a` and `b` are polynomials in the ply over 64, from the constant up.
    Sf {
        /// Centipawns at which half the games are won.
        a: [f64; 4],
        /// Scale in centipawns.
        b: [f64; 4],
    },
    /// One logistic.
    Lichess {
        /// Per centipawn.
        slope: f64,
        /// Largest centipawns that count.
        clamp_cp: f64,
    },
}

impl From<Parameters> for WinModel {
    fn from(parameters: Parameters) -> WinModel {
        match parameters {
            Parameters::Sf { a, b } => WinModel::WinDrawLoss { a, b },
            Parameters::Lichess { slope, clamp_cp } => WinModel::Logistic { slope, clamp_cp },
        }
    }
}

/// The model called `sf` or `lichess` for the centipawns of `evaluation`, or the one in the file of that name.
///
/// # Errors
/// [`InputError`] where the file can't be read or holds no model.
pub fn by_name_or_file(name: &Path, evaluation: &Evaluation) -> Result<WinModel, InputError> {
    if let Some(form) = Form::ALL.into_iter().find(|form| name == Path::new(form.name())) {
        return Ok(shipped(evaluation, form));
    }
    let text = read_text(name)?;
    let model: ModelFile = serde_json::from_str(&text).map_err(|error| InputError::new(name, error))?;
    Ok(model.parameters.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_evaluation_has_a_model_of_each_form() {
        for (name, form, text) in SHIPPED {
            let model: ModelFile = serde_json::from_str(text).unwrap();
            assert!(model.positions > 400 && model.log_loss < 0.7, "{name} {form:?}");
            let is_logistic = matches!(model.parameters, Parameters::Lichess { .. });
            assert_eq!(is_logistic, form == Form::Lichess, "{name} {form:?}");
        }
        for evaluation in Evaluation::available() {
            for form in Form::ALL {
                assert_ne!(shipped(&evaluation, form), WinModel::LICHESS, "{} {form:?}", evaluation.name());
            }
        }
    }
}
