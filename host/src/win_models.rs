//! The win models that ship with the program, and those in files.

use std::path::Path;

use plyscope_core::judge::win_model::WinModel;
use serde::{Deserialize, Serialize};

use crate::text_input::{InputError, read_text};

/// The engine's own scale: win and loss as two logistics.
///
/// Fitted by least log-loss to Stockfish 15.1's expected scores at 1,000,000 nodes, on the centipawns of the large network
/// at 20,000 nodes, over the games of even number among 24 (log-loss there 0.3994, on the games of odd number 0.3588).
pub const SF: WinModel = WinModel::WinDrawLoss { a: [64.75, 29.6, 0.0, 0.0], b: [17.23, 0.0, 0.0, 0.0] };

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

/// The model called `sf` or `lichess`, or the one in the file of that name.
///
/// # Errors
/// [`InputError`] where the file can't be read or holds no model.
pub fn by_name_or_file(name: &Path) -> Result<WinModel, InputError> {
    if name == Path::new("sf") {
        return Ok(SF);
    }
    if name == Path::new("lichess") {
        return Ok(WinModel::LICHESS);
    }
    let text = read_text(name)?;
    let model: ModelFile = serde_json::from_str(&text).map_err(|error| InputError::new(name, error))?;
    Ok(model.parameters.into())
}
