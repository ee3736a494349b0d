//! The whole way: frames in, JSON rows with labels out.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use plyscope_device::evaluation::evaluation;
use plyscope_device::referee::SittingReferee;
use plyscope_firmware::measured::Measured;
use plyscope_firmware::profile::{JudgingReferee, JudgingTables, STRIP_BYTES, SeeingDevice};
use plyscope_firmware::session::{self, Break};
use plyscope_firmware::{Once, stack};

static DEVICE: Once<SeeingDevice> = Once::new(SeeingDevice::new());
static REFEREE: Once<JudgingReferee> = Once::new(JudgingReferee::new());
static TABLES: Once<JudgingTables> = Once::new(JudgingTables::new());

#[entry]
fn main() -> ! {
    stack::paint();
    session::end(run())
}

fn run() -> Result<Measured, Break> {
    let memory = (DEVICE.take(), REFEREE.take(), TABLES.take());
    let (Some(device), Some(referee), Some(tables)) = memory else {
        return Err(Break::Start("have its memory for itself"));
    };
    let (mut input, header) = session::input()?;
    let judgement = header.judgement.ok_or(Break::Start("learn how to judge"))?;
    let evaluation = &evaluation().map_err(Break::Network)?;
    let counter = session::counter()?;
    let side_px = header.side_px as usize;
    let mut arbiter = SittingReferee { referee, tables, evaluation, judgement, nodes: 0 };
    let measured =
        session::follow::<_, _, _, STRIP_BYTES>(device, &mut arbiter, &mut input, side_px, &counter)?;
    Ok(Measured { nodes: arbiter.nodes, ..measured })
}
