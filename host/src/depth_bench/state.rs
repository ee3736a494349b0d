//! What was measured so far, kept in a file of one JSON object a line, so that a broken-off benchmark goes on.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::Limit;
use crate::{labeller::PositionScore, win_models::Form};

/// One game searched with one evaluation to one limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The game's name.
    pub game: String,
    /// The evaluation's name.
    pub evaluation: String,
    /// How far each position was searched.
    pub limit: Limit,
    /// The win model whose doubts guided the search, where any did.
    #[serde(default)]
    pub form: Option<Form>,
    /// Time for the game on one thread.
    pub seconds: f64,
    /// The scores of its positions.
    pub scores: Vec<PositionScore>,
}

/// The file can't be read or written.
#[derive(Debug, thiserror::Error)]
#[error("cannot keep measurements in {path:?}: {cause}")]
pub struct StateError {
    path: PathBuf,
    cause: io::Error,
}

/// The measurements, in memory and in their file.
#[derive(Debug)]
pub struct State {
    path: PathBuf,
    file: File,
    measured: Vec<Measured>,
}

impl State {
    /// Takes up the measurements in the file at `path`, if there is one. A line that was cut off is measured again.
    ///
    /// # Errors
    /// [`StateError`] where the file can't be read or written.
    pub fn open(path: &Path) -> Result<State, StateError> {
        let error = |cause| StateError { path: path.to_owned(), cause };
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => String::new(),
            Err(cause) => return Err(error(cause)),
        };
        let measured = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(error)?;
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n").map_err(error)?;
        }
        Ok(State { path: path.to_owned(), file, measured })
    }

    /// What was measured, if it was.
    pub fn find(&self, game: &str, evaluation: &str, limit: Limit, form: Option<Form>) -> Option<&Measured> {
        self.measured
            .iter()
            .find(|m| m.game == game && m.evaluation == evaluation && m.limit == limit && m.form == form)
    }

    /// Adds a measurement and writes it down at once.
    ///
    /// # Errors
    /// [`StateError`] where it can't be written.
    pub fn add(&mut self, measured: Measured) -> Result<(), StateError> {
        let error = |cause| StateError { path: self.path.clone(), cause };
        let mut line = serde_json::to_string(&measured).map_err(|e| error(e.into()))?;
        line.push('\n');
        self.file.write_all(line.as_bytes()).map_err(error)?;
        self.measured.push(measured);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_off_line_is_forgotten_and_the_rest_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.jsonl");
        let measured = |game: &str| Measured {
            game: game.into(),
            evaluation: "hand".into(),
            limit: Limit::Depth(4),
            form: None,
            seconds: 0.5,
            scores: Vec::new(),
        };
        State::open(&path).unwrap().add(measured("a")).unwrap();
        let whole = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{whole}{}", &whole[..20])).unwrap();
        let mut state = State::open(&path).unwrap();
        assert_eq!(state.find("a", "hand", Limit::Depth(4), None), Some(&measured("a")));
        assert_eq!(state.find("a", "hand", Limit::Nodes(4), None), None);
        state.add(measured("b")).unwrap();
        assert!(State::open(&path).unwrap().find("b", "hand", Limit::Depth(4), None).is_some());
    }
}
