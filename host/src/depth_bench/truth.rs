//! Games with known labels, read from a folder of `NAME.pgn` and `NAME.truth.json`.

use std::path::{Path, PathBuf};

use plyscope_core::event_row::Verdict;
use serde::Deserialize;

use crate::{
    game_record::GameRecord,
    labeller::LabelledGame,
    text_input::{InputError, read_text},
};

/// `(leader_after, wr_swing)` of each ply.
pub type ModelTruth = Vec<(Verdict, Verdict)>;

/// A game and its truth.
#[derive(Debug, Clone)]
pub struct BenchGame {
    /// The file's name without extension.
    pub name: String,
    /// Its positions.
    pub game: LabelledGame,
    /// Labels by the engine's own win model.
    pub sf: ModelTruth,
    /// Labels by the logistic over centipawns.
    pub lichess: ModelTruth,
    /// White's win probability by the engine's own model for each position, the start first, where it is told.
    pub p_sf: Vec<Option<f64>>,
}

/// Which games of the folder to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GameSplit {
    /// All.
    #[default]
    All,
    /// Those whose name holds an even number: for fitting.
    Even,
    /// Those whose name holds an odd number: for checking.
    Odd,
}

impl GameSplit {
    fn takes(self, name: &str) -> bool {
        let last_digit = name.bytes().rev().find(u8::is_ascii_digit);
        let is_odd = last_digit.is_some_and(|digit| digit % 2 == 1);
        match self {
            GameSplit::All => true,
            GameSplit::Even => !is_odd,
            GameSplit::Odd => is_odd,
        }
    }
}

#[derive(Deserialize)]
struct TruthFile {
    meta: Option<Meta>,
    plies: Option<Vec<Probability>>,
    events_sf: Vec<Event>,
    events_lichess: Vec<Event>,
}

#[derive(Deserialize)]
struct Meta {
    start: Option<Probability>,
}

#[derive(Deserialize)]
struct Probability {
    p_sf: Option<f64>,
}

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: String,
    leader_after: Option<String>,
    wr_swing: Option<String>,
}

/// Reads the games of `folder` in the order of their names.
///
/// # Errors
/// [`InputError`] where the folder or a file of it can't be read, or a truth doesn't belong to its game.
pub fn read_games(folder: &Path, split: GameSplit) -> Result<Vec<BenchGame>, InputError> {
    let entries = std::fs::read_dir(folder).map_err(|error| InputError::new(folder, error))?;
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "pgn"))
        .collect();
    paths.sort();
    let mut games = Vec::new();
    for path in paths {
        let name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let truth_path = folder.join(format!("{name}.truth.json"));
        if split.takes(&name) && truth_path.is_file() {
            games.push(read_game(name, &path, &truth_path)?);
        }
    }
    if games.is_empty() {
        return Err(InputError::new(folder, "it holds no NAME.pgn with NAME.truth.json"));
    }
    Ok(games)
}

fn read_game(name: String, pgn: &Path, truth_path: &Path) -> Result<BenchGame, InputError> {
    let record = GameRecord::read_file(pgn).map_err(|error| InputError::new(pgn, error))?;
    let truth: TruthFile =
        serde_json::from_str(&read_text(truth_path)?).map_err(|error| InputError::new(truth_path, error))?;
    let labels = |events: &[Event]| -> Result<ModelTruth, InputError> {
        let moves = events.iter().filter(|event| event.kind == "move");
        let labels: Option<ModelTruth> = moves
            .map(|event| {
                let word = |text: &Option<String>| Verdict::from_word(text.as_deref()?);
                Some((word(&event.leader_after)?, word(&event.wr_swing)?))
            })
            .collect();
        labels.filter(|labels| labels.len() == record.plies.len()).ok_or_else(|| {
            InputError::new(
                truth_path,
                format!("it has not one label for each of {} plies", record.plies.len()),
            )
        })
    };
    let start = truth.meta.and_then(|meta| meta.start).and_then(|start| start.p_sf);
    let plies = truth.plies.unwrap_or_default();
    let mut p_sf = vec![start];
    p_sf.extend((0..record.plies.len()).map(|i| plies.get(i).and_then(|ply| ply.p_sf)));
    Ok(BenchGame {
        name,
        sf: labels(&truth.events_sf)?,
        lichess: labels(&truth.events_lichess)?,
        p_sf,
        game: LabelledGame::of_positions(record.positions().cloned().collect()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_digit_of_a_name_says_its_half() {
        assert!(GameSplit::Even.takes("g016") && !GameSplit::Odd.takes("g016"));
        assert!(GameSplit::Odd.takes("g011") && !GameSplit::Even.takes("g011"));
        assert!(GameSplit::Even.takes("unnumbered") && GameSplit::All.takes("g3"));
    }

    #[test]
    fn a_folder_without_games_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read_games(folder.path(), GameSplit::All).is_err());
        std::fs::write(folder.path().join("a.pgn"), "1. e4 e5 *").unwrap();
        std::fs::write(folder.path().join("a.truth.json"), r#"{"events_sf": [], "events_lichess": []}"#)
            .unwrap();
        let error = read_games(folder.path(), GameSplit::All).unwrap_err().to_string();
        assert!(error.contains("2 plies"), "{error}");
    }
}
