//! The answer file: valid JSON at every instant, from the first to the last.

use std::path::Path;

use plyscope_core::event_row::{EventRow, RowError};

use crate::output_file::{OutputError, OutputFile};
use crate::scoring::event_file::{EventList, Row, RowType, read_events};

/// `{"events": [...]}` on disk, replaced as a whole by each [`Self::checkpoint`].
///
/// An answer that is already there stays until the first checkpoint, so that a run that fails before it has read
/// anything costs nothing.
#[derive(Debug)]
pub struct AnswerFile {
    output: OutputFile,
    /// What was written last: an unchanged answer is not written again.
    written: Option<Vec<u8>>,
}

impl AnswerFile {
    /// Makes sure that the answer can be written to `path` (`-` is standard output); where no file is there yet, an
    /// answer without rows is put there.
    ///
    /// # Errors
    /// [`OutputError`] where the file cannot be written.
    pub fn open(path: &Path) -> Result<Self, OutputError> {
        let mut answer = Self { output: OutputFile::open(path)?, written: None };
        if !answer.output.exists() {
            answer.checkpoint(&[])?;
        }
        Ok(answer)
    }

    /// Whether the answer is written once, at the end, so that nothing can be kept on the way.
    #[must_use]
    pub const fn is_stream(&self) -> bool {
        self.output.is_stream()
    }

    /// How many plies the answer on disk tells of; none where it is no answer.
    #[must_use]
    pub fn plies_on_disk(&self) -> usize {
        let is_move = |row: &Row| row.sighting.is_some_and(|s| s.row_type == RowType::Move);
        let text = self.output.read().and_then(|bytes| String::from_utf8(bytes).ok());
        let rows = text.and_then(|text| read_events(&text, EventList::Default).ok());
        rows.map_or(0, |rows| rows.iter().filter(|row| is_move(row)).count())
    }

    /// Puts `rows` on disk as the whole answer so far. On standard output nothing is written before the end.
    ///
    /// # Errors
    /// [`OutputError`]; the answer on disk is then the one before, and the next checkpoint may be tried.
    pub fn checkpoint(&mut self, rows: &[EventRow]) -> Result<(), OutputError> {
        if self.output.is_stream() {
            return Ok(());
        }
        let text = answer_text(rows).map_err(|error| self.output.error(error))?;
        if self.written.as_ref() != Some(&text) {
            self.output.checkpoint(&text)?;
            self.written = Some(text);
        }
        Ok(())
    }

    /// Writes `rows` as the final answer.
    ///
    /// # Errors
    /// [`OutputError`]; the answer on disk is then the one before.
    pub fn finish(mut self, rows: &[EventRow]) -> Result<(), OutputError> {
        if self.output.is_stream() {
            let text = answer_text(rows).map_err(|error| self.output.error(error))?;
            return self.output.finish(&text);
        }
        self.checkpoint(rows)
    }
}

/// The answer file's text: one row a line, so that a person can read it and a diff shows single rows.
///
/// # Errors
/// [`RowError`] where a row is longer than any can be.
pub fn answer_text(rows: &[EventRow]) -> Result<Vec<u8>, RowError> {
    let mut text = b"{\"events\": [".to_vec();
    let mut buffer = [0; EventRow::JSON_BYTES_MAX];
    for (index, row) in rows.iter().enumerate() {
        text.extend(if index == 0 { "\n" } else { ",\n" }.bytes());
        let row_bytes = row.write_json(&mut buffer)?;
        text.extend(&buffer[..row_bytes]);
    }
    text.extend(if rows.is_empty() { "]}\n" } else { "\n]}\n" }.bytes());
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::event_file::{EventList, read_events};
    use plyscope_core::event_row::Verdict;
    use plyscope_core::media_time::MediaTime;
    use shakmaty::{Color, Square};

    fn rows() -> [EventRow; 2] {
        let (color, coord, time) = (Color::White, Square::E4, MediaTime::from_ms(2500));
        let (leader_after, wr_swing) = (Verdict::Equal, Verdict::White);
        let ply = EventRow::Move { idx: 1, color, coord, time, leader_after, wr_swing };
        [ply, EventRow::Capture { idx: 1, color: Color::Black, coord, time }]
    }

    #[test]
    fn an_answer_is_one_row_a_line_and_reads_back() -> Result<(), Box<dyn std::error::Error>> {
        assert_eq!(answer_text(&[])?, b"{\"events\": []}\n");
        let text = String::from_utf8(answer_text(&rows())?)?;
        assert_eq!(text.lines().count(), 4);
        let read = read_events(&text, EventList::Default)?;
        assert!(read.len() == 2 && read.iter().all(|row| row.fault().is_none()), "{read:?}");
        assert_eq!(read[0].wr_swing, Some(Verdict::White));
        Ok(())
    }

    #[test]
    fn an_answer_that_is_there_stays_until_the_first_checkpoint() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("answer.json");
        let mut answer = AnswerFile::open(&path)?;
        assert_eq!(std::fs::read(&path)?, answer_text(&[])?, "a new answer is valid from the start");
        answer.checkpoint(&rows()[..1])?;
        let again = AnswerFile::open(&path)?;
        assert_eq!(std::fs::read(&path)?, answer_text(&rows()[..1])?);
        again.finish(&rows())?;
        assert_eq!(std::fs::read(&path)?, answer_text(&rows())?);
        Ok(())
    }
}
