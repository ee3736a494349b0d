//! Training that was cut off goes on after its last whole epoch.
//!
//! File, little-endian: epochs done and optimiser steps (4 bytes each), then parameters, means and squares (4 bytes
//! each number).

use std::{fs, path::Path};

use anyhow::{Context, Result, ensure};

use crate::optimiser::Adam;

/// All that training needs to go on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Checkpoint {
    pub(crate) epochs_done: u32,
    pub(crate) parameters: Vec<f32>,
    pub(crate) adam: Adam,
}

impl Checkpoint {
    /// Before the first epoch.
    pub(crate) fn start(parameters: Vec<f32>) -> Self {
        let adam = Adam::new(parameters.len());
        Checkpoint { epochs_done: 0, parameters, adam }
    }

    /// Reads a checkpoint of `parameters` parameters; `None` when there is no file.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or belongs to another shape.
    pub(crate) fn read(path: &Path, parameters: usize) -> Result<Option<Self>> {
        if !path.exists() {
            return Ok(None);
        }
        let bytes = fs::read(path).with_context(|| format!("failed to read {}", path.display()))?;
        ensure!(
            bytes.len() == 4 * (2 + 3 * parameters),
            "{} belongs to another shape: remove it to start anew",
            path.display()
        );
        let mut words = bytes.as_chunks::<4>().0.iter();
        let mut count = || words.next().map_or(0, |&b| u32::from_le_bytes(b));
        let (epochs_done, steps) = (count(), count());
        let mut vector =
            || words.by_ref().take(parameters).map(|&b| f32::from_le_bytes(b)).collect::<Vec<f32>>();
        let (parameters, means, squares) = (vector(), vector(), vector());
        Ok(Some(Checkpoint { epochs_done, parameters, adam: Adam { steps, means, squares } }))
    }

    /// Writes the checkpoint; a run killed meanwhile leaves the old one.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let mut bytes = Vec::with_capacity(4 * (2 + 3 * self.parameters.len()));
        bytes.extend_from_slice(&self.epochs_done.to_le_bytes());
        bytes.extend_from_slice(&self.adam.steps.to_le_bytes());
        for x in self.parameters.iter().chain(&self.adam.means).chain(&self.adam.squares) {
            bytes.extend_from_slice(&x.to_le_bytes());
        }
        let partial = path.with_extension("partial");
        fs::write(&partial, bytes).with_context(|| format!("failed to write {}", partial.display()))?;
        fs::rename(&partial, path).with_context(|| format!("failed to write {}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_survives_its_file() -> Result<()> {
        let path = std::env::temp_dir().join(format!("plyscope-{}.checkpoint", std::process::id()));
        let mut checkpoint = Checkpoint::start(vec![0.5, -1.5, 2.0]);
        checkpoint.epochs_done = 3;
        checkpoint.adam.step(&mut checkpoint.parameters, &[1.0, 2.0, -3.0], 0.1);
        checkpoint.write(&path)?;
        let read = Checkpoint::read(&path, 3)?;
        let wrong_shape = Checkpoint::read(&path, 4);
        fs::remove_file(&path)?;
        assert_eq!(read, Some(checkpoint));
        assert!(wrong_shape.is_err());
        Ok(())
    }
}
