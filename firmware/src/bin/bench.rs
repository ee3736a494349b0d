//! The search's signature: how many nodes it visits in known positions.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use plyscope_device::bench;
use plyscope_device::evaluation::evaluation;
use plyscope_device::judged_row::JudgedRow;
use plyscope_device::profile::{SmallReferee, SmallTables};
use plyscope_firmware::measured::Measured;
use plyscope_firmware::session::{self, Break};
use plyscope_firmware::{Once, console, stack};

static REFEREE: Once<SmallReferee> = Once::new(SmallReferee::new());
static TABLES: Once<SmallTables> = Once::new(SmallTables::new());

#[entry]
fn main() -> ! {
    stack::paint();
    session::end(run())
}

fn run() -> Result<Measured, Break> {
    let (Some(referee), Some(tables)) = (REFEREE.take(), TABLES.take()) else {
        return Err(Break::Start("have its memory for itself"));
    };
    let evaluation = evaluation().map_err(Break::Network)?;
    let counter = session::counter()?;
    let start = counter.now();
    let nodes = bench::run(&evaluation, referee, tables, &mut |found| {
        JudgedRow::from(found).emit(&mut console::bytes);
    })
    .map_err(Break::Referee)?;
    let node_instructions = counter.since(start);
    JudgedRow::Signature(nodes).emit(&mut console::bytes);
    Ok(Measured { nodes, node_instructions, ..Measured::default() })
}
