//! The rules alone: counts the leaves of trees of legal moves.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use plyscope_device::judged_row::JudgedRow;
use plyscope_device::perft;
use plyscope_firmware::measured::Measured;
use plyscope_firmware::session::{self, Break};
use plyscope_firmware::{console, stack};

#[entry]
fn main() -> ! {
    stack::paint();
    session::end(run())
}

fn run() -> Result<Measured, Break> {
    let counter = session::counter()?;
    let start = counter.now();
    let mut nodes = 0;
    let all_right = perft::run(&mut |count| {
        nodes += count.leaves;
        JudgedRow::Counted(count).emit(&mut console::bytes);
    });
    let node_instructions = counter.since(start);
    if !all_right {
        return Err(Break::Start("count as many leaves as are published"));
    }
    Ok(Measured { nodes, node_instructions, ..Measured::default() })
}
