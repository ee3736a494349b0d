//! Judging alone: the plies of a game in, rows with scores and labels out.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use plyscope_core::judge::packed_move::PackedMove;
use plyscope_device::evaluation::evaluation;
use plyscope_device::input_stream::PLY_BYTES;
use plyscope_device::judged_row::JudgedRow;
use plyscope_device::referee::RefereeError;
use plyscope_firmware::measured::Measured;
use plyscope_firmware::profile::{JudgingReferee, JudgingTables};
use plyscope_firmware::session::{self, Break};
use plyscope_firmware::{Once, console, stack};

static REFEREE: Once<JudgingReferee> = Once::new(JudgingReferee::new());
static TABLES: Once<JudgingTables> = Once::new(JudgingTables::new());

#[entry]
fn main() -> ! {
    stack::paint();
    session::end(run())
}

fn run() -> Result<Measured, Break> {
    let (Some(referee), Some(tables)) = (REFEREE.take(), TABLES.take()) else {
        return Err(Break::Start("have its memory for itself"));
    };
    let (mut input, header) = session::input()?;
    let judgement = header.judgement.ok_or(Break::Start("learn how to judge"))?;
    let evaluation = evaluation().map_err(Break::Network)?;
    let counter = session::counter()?;
    let mut measured = Measured::default();
    let mut ply = [0; PLY_BYTES];
    while input.fill(&mut ply) {
        let packed = PackedMove::from_bits(u16::from_le_bytes(ply));
        let mv = packed
            .and_then(|packed| packed.unpack_legal(referee.position()))
            .ok_or(Break::Referee(RefereeError::Illegal))?;
        let start = counter.now();
        let judged = referee.judge(mv, &judgement, &evaluation, tables).map_err(Break::Referee)?;
        let instructions = counter.since(start);
        measured.plies += 1;
        measured.ply_instructions += instructions;
        measured.nodes += judged.nodes;
        measured.node_instructions += instructions;
        let ply = u32::try_from(measured.plies).unwrap_or(u32::MAX);
        JudgedRow::Ply { ply, mv, judged }.emit(&mut console::bytes);
    }
    console::line(format_args!(
        "table: {} bytes, {} of 1000 entries in use",
        JudgingTables::TABLE_BYTES,
        tables.fill_per_mille()
    ));
    Ok(measured)
}
