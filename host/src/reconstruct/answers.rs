//! The answer files of one video: one for each game.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use plyscope_core::event_row::EventRow;

use crate::answer_file::AnswerFile;
use crate::output_file::OutputError;

/// The answer files of one video. The first game goes to the file that the user named, game 2 of `answer.json` to
/// `answer.game2.json`, and so on; where only one game is wanted, that one goes to the named file and others nowhere.
#[derive(Debug)]
pub struct Answers {
    path: PathBuf,
    /// The file that the user named.
    named: AnswerFile,
    /// Those of game 2 and later, where they have been opened.
    later: Vec<Option<AnswerFile>>,
    only: Option<usize>,
}

impl Answers {
    /// The answers beside `path` (`-` is standard output, which takes one game); with `only`, that game alone is wanted.
    ///
    /// # Errors
    ///
    /// [`OutputError`] where the file cannot be written.
    pub fn open(path: &Path, only: Option<usize>) -> Result<Self, OutputError> {
        let named = AnswerFile::open(path)?;
        Ok(Self { path: path.to_owned(), named, later: Vec::new(), only })
    }

    /// Whether the answer is written once, at the end.
    #[must_use]
    pub const fn is_stream(&self) -> bool {
        self.named.is_stream()
    }

    /// The file that the user named.
    #[must_use]
    pub const fn named(&self) -> &AnswerFile {
        &self.named
    }

    /// Whether a game, counted from 1, is wanted.
    #[must_use]
    pub fn wants(&self, game: usize) -> bool {
        match self.only {
            Some(only) => game == only,
            None => game == 1 || !self.is_stream(),
        }
    }

    /// Where the answer of a game goes; `None` where it is not wanted.
    #[must_use]
    pub fn path_of(&self, game: usize) -> Option<PathBuf> {
        let is_named = game == self.only.unwrap_or(1);
        self.wants(game).then(|| if is_named { self.path.clone() } else { path_of_game(&self.path, game) })
    }

    fn file(&mut self, game: usize) -> Result<Option<&mut AnswerFile>, OutputError> {
        let Some(path) = self.path_of(game) else { return Ok(None) };
        if path == self.path {
            return Ok(Some(&mut self.named));
        }
        let slot = game.saturating_sub(2);
        if self.later.len() <= slot {
            self.later.resize_with(slot + 1, || None);
        }
        let Some(file) = self.later.get_mut(slot) else { return Ok(None) };
        if file.is_none() {
            *file = Some(AnswerFile::open(&path)?);
        }
        Ok(file.as_mut())
    }

    /// How many plies the answer of a game on disk tells of.
    ///
    /// # Errors
    ///
    /// [`OutputError`] where the file cannot be written.
    pub fn plies_on_disk(&mut self, game: usize) -> Result<usize, OutputError> {
        Ok(self.file(game)?.map_or(0, |file| file.plies_on_disk()))
    }

    /// Puts `rows` on disk as the whole answer of a game so far.
    ///
    /// # Errors
    ///
    /// [`OutputError`]; the answer on disk is then the one before.
    pub fn checkpoint(&mut self, game: usize, rows: &[EventRow]) -> Result<(), OutputError> {
        self.file(game)?.map_or(Ok(()), |file| file.checkpoint(rows))
    }

    /// Writes the final answers: rows of games, counted from 1.
    ///
    /// # Errors
    ///
    /// [`OutputError`]; the answer on disk is then the one before.
    pub fn finish(mut self, games: &[(usize, Vec<EventRow>)]) -> Result<(), OutputError> {
        let mut of_named: &[EventRow] = &[];
        for (game, rows) in games {
            if self.path_of(*game).as_ref() == Some(&self.path) {
                of_named = rows;
            } else {
                self.checkpoint(*game, rows)?;
            }
        }
        self.named.finish(of_named)
    }
}

/// Where what belongs to a later game of a video lies beside what belongs to the first: `answer.json` and
/// `answer.game2.json`.
#[must_use]
pub fn path_of_game(path: &Path, game: usize) -> PathBuf {
    let mut name = path.file_stem().map_or_else(OsString::new, OsString::from);
    name.push(format!(".game{game}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_games_lie_beside_the_first() {
        let of = |name: &str| path_of_game(Path::new(name), 2);
        assert_eq!(of("x/answer.json"), Path::new("x/answer.game2.json"));
        assert_eq!(of("answer"), Path::new("answer.game2"));
        assert_eq!(of("a.b.json"), Path::new("a.b.game2.json"));
    }

    #[test]
    fn one_game_alone_goes_to_the_file_that_was_named() -> Result<(), OutputError> {
        let folder = tempfile::tempdir().map_err(|_| ()).expect("a temporary folder");
        let path = folder.path().join("answer.json");
        let all = Answers::open(&path, None)?;
        assert_eq!(all.path_of(1), Some(path.clone()));
        assert_eq!(all.path_of(3), Some(folder.path().join("answer.game3.json")));
        let second = Answers::open(&path, Some(2))?;
        assert_eq!((second.path_of(1), second.path_of(2)), (None, Some(path)));
        Ok(())
    }
}
