//! Judges a ply with memory of fixed size, as a microcontroller would, and prints its row:
//! `cargo run -p plyscope-core --example labels_without_a_heap`.
//!
//! (An example is a program of the host, so it prints; everything before the printing needs no heap.)

use plyscope_core::event_row::{EventRow, RowWriter, Verdicts};
use plyscope_core::judge::hand_crafted::HandCrafted;
use plyscope_core::judge::history::History;
use plyscope_core::judge::label::{leader, swing};
use plyscope_core::judge::limits::Limits;
use plyscope_core::judge::memory::{FRAMES_MIN, Frame, MOVES_MIN, SearchMemory};
use plyscope_core::judge::packed_move::ScoredMove;
use plyscope_core::judge::search::Search;
use plyscope_core::judge::transposition_table::{Bucket, TranspositionTable};
use plyscope_core::judge::win_model::{WinModel, WinProbability};
use plyscope_core::media_time::MediaTime;
use shakmaty::san::San;
use shakmaty::{Chess, Position};

/// Positions looked at for each ply.
const NODES: u64 = 5_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // All the memory of the search, in sizes of one's own choice.
    let buckets: [Bucket; 256] = core::array::from_fn(|_| Bucket::EMPTY);
    let mut frames: [Frame<()>; FRAMES_MIN] = core::array::from_fn(|_| Frame::default());
    let mut moves = [ScoredMove::EMPTY; MOVES_MIN];
    let (mut quiet, mut capture) = ([0_i16; 512], [0_i16; 256]);
    let (mut continuation, mut correction) = ([0_i16; 256], [0_i16; 256]);

    let table = TranspositionTable::new(&buckets);
    let history = History::new(&mut quiet, &mut capture, &mut continuation, &mut correction);
    let memory = SearchMemory::new(&mut frames, &mut moves, history)?;
    let mut search = Search::new(&HandCrafted, &table, memory);
    let mut probability = |position: &Chess, ply: u32| -> WinProbability {
        let found = search.run(position, &[], Limits::nodes(NODES), &mut ());
        let white = position.turn().fold_wb(found.score, -found.score);
        WinModel::LICHESS.probability(white, ply)
    };

    // Scholar's mate: 3... Nf6 overlooks it.
    let mut position = Chess::default();
    let mut writer = RowWriter::new();
    let mut before = probability(&position, 0);
    let mut buffer = [0; EventRow::JSON_BYTES_MAX];
    for (ply, san) in (1..).zip(["e4", "e5", "Bc4", "Nc6", "Qh5", "Nf6", "Qxf7"]) {
        let mv = san.parse::<San>()?.to_move(&position)?;
        let color = position.turn();
        position.play_unchecked(mv);
        let after = probability(&position, ply);
        let verdicts = Verdicts { leader_after: leader(after), wr_swing: swing(before, after) };
        let time = MediaTime::from_ms(1000 + 1000 * i64::from(ply));
        let (row, removed) = writer.rows(color, mv, time, verdicts);
        for row in [Some(row), removed].into_iter().flatten() {
            let bytes = row.write_json(&mut buffer)?;
            println!("{}", core::str::from_utf8(&buffer[..bytes])?);
        }
        before = after;
    }
    Ok(())
}
