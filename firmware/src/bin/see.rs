//! Seeing and tracking alone: frames in, rows out, both labels "equal".
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use plyscope_device::Unjudged;
use plyscope_firmware::measured::Measured;
use plyscope_firmware::profile::{STRIP_BYTES, SeeingDevice};
use plyscope_firmware::session::{self, Break};
use plyscope_firmware::{Once, stack};

static DEVICE: Once<SeeingDevice> = Once::new(SeeingDevice::new());

#[entry]
fn main() -> ! {
    stack::paint();
    session::end(run())
}

fn run() -> Result<Measured, Break> {
    let device = DEVICE.take().ok_or(Break::Start("have its memory for itself"))?;
    let (mut input, header) = session::input()?;
    let counter = session::counter()?;
    let side_px = header.side_px as usize;
    session::follow::<_, _, _, STRIP_BYTES>(device, &mut Unjudged::new(), &mut input, side_px, &counter)
}
