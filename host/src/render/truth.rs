//! The truth beside a rendered video: what an ideal answer would say.

use plyscope_core::event_row::{EventRow, RowWriter, Verdicts};
use plyscope_core::media_time::MediaTime;

use super::labels::PlyLabels;
use crate::game_record::GameRecord;

/// The event rows of a game: each ply with its time and labels, and after it the piece that it captured.
///
/// `times` and `labels` hold one item a ply; plies without either are left out.
pub fn event_rows(record: &GameRecord, times: &[MediaTime], labels: &[PlyLabels]) -> Vec<EventRow> {
    let mut rows = Vec::with_capacity(record.plies.len() * 2);
    let mut writer = RowWriter::default();
    for (ply, (&time, labels)) in record.plies.iter().zip(times.iter().zip(labels)) {
        let verdicts = Verdicts { leader_after: labels.leader_after, wr_swing: labels.wr_swing };
        let (row, capture) = writer.rows(ply.color(), ply.mv, time, verdicts);
        rows.push(row);
        rows.extend(capture);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{Color, Square};

    #[test]
    fn a_capture_follows_its_ply_and_en_passant_names_the_pawns_square() {
        let record = GameRecord::read(&b"1. e4 Nf6 2. e5 d5 3. exd6 *"[..]).expect("legal");
        let rows = event_rows(&record, &record.timeline(), &[PlyLabels::EQUAL; 5]);
        assert_eq!(rows.len(), 6);
        let capture = EventRow::Capture {
            idx: 1,
            color: Color::Black,
            coord: Square::D5,
            time: MediaTime::from_ms(6000),
        };
        assert_eq!(rows[5], capture);
    }
}
