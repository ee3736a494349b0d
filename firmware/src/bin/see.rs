//! Seeing and tracking alone: frames in, rows out, both labels "equal".
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use plyscope_device::profile::SeeOnly;
use plyscope_firmware::{Once, console, session, stack};

static DEVICE: Once<SeeOnly> = Once::new(SeeOnly::new(None));

#[entry]
fn main() -> ! {
    stack::paint();
    console::exit(session::run(DEVICE.take()))
}
