//! The whole way: frames in, JSON rows with labels out.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
#[cfg(machine = "mps2-an500")]
use plyscope_device::profile::Large as Profile;
#[cfg(machine = "netduinoplus2")]
use plyscope_device::profile::Medium as Profile;
#[cfg(machine = "lm3s6965evb")]
use plyscope_device::profile::Small as Profile;
use plyscope_firmware::{Once, console, session, stack};

static DEVICE: Once<Profile> = Once::new(Profile::new(None));

#[entry]
fn main() -> ! {
    stack::paint();
    console::exit(session::run(DEVICE.take()))
}
